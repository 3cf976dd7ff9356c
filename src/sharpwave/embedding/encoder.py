"""The bundled sentence encoder: a small transformer that reads words in their context.

`data/encoder_first.onnx` and `encoder.onnx` hold its layers in eight bits, written by
`training/encoder`; `onnxruntime` runs them on one thread. Each text is read by itself: eight-bit
activations are scaled by what is read together, and a text's vector must not depend on its
neighbours in a batch.
"""

import platform
import threading
from collections.abc import Sequence
from contextlib import suppress
from functools import cache, lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from sharpwave.embedding.recent import Recent, digest
from sharpwave.embedding.word_pieces import WordPieces
from sharpwave.errors import InvalidSettings
from sharpwave.types.storing import Space

FIRST, MODEL, VOCABULARY = "encoder_first.onnx", "encoder.onnx", "encoder_vocabulary.txt"
"""The first layers, the rest, and the pieces that words are cut into."""
WINDOW = 254
"""Pieces read at once, besides the marks of begin and end; longer texts are read in windows."""
WINDOWS = 2
"""Maximum number of windows read of one text; the rest is left out."""
MAX_CHARS = 16 * WINDOW * WINDOWS
"""Maximum number of characters read of one text."""
DIMENSION = 384


SHARED, SEEN = "layer2.state", "pieces_first"
"""Outputs of the first layers: the state that `comparer` also starts from; what a reader sees."""
KEPT = 16
"""Number of texts for which states are cached, for a reader."""
VECTORS_KEPT = 1024
"""Number of texts for which vectors are cached: reading and then embedding takes one pass."""


class Encoded(NamedTuple):
    """A text's unit vector, and the states of its pieces for a reader, window by window."""

    vector: NDArray[np.float32]
    windows: tuple[NDArray[np.float32], ...]
    """Each with a row for the mark of its begin, its pieces, and the mark of its end."""


class SentenceEncoder:
    """Embeds English text by meaning, whatever the words. Safe to share between threads."""

    space = Space("sharpwave-encoder", "7", DIMENSION)

    def __init__(self, folder: Path | None = None) -> None:
        """Take the model in a folder, or the bundled one; it is read when first used."""
        self._folder = folder or Path(str(files("sharpwave") / "data"))

    def embed(self, statements: Sequence[str]) -> NDArray[np.float32]:
        """One unit vector for each statement, shape (n, dimension)."""
        vectors = np.empty((len(statements), DIMENSION), dtype=np.float32)
        for place, statement in enumerate(statements):
            vectors[place] = self._vector(statement)
        return vectors

    def embed_question(self, question: str) -> NDArray[np.float32]:
        """The unit vector to search with: the same as a statement's."""
        return self._vector(question).copy()

    def encoded(self, text: str) -> Encoded:
        """The vector and states of a text; cached for the latest texts."""
        return _load(self._folder).encoded(text[:MAX_CHARS])

    def _vector(self, text: str) -> NDArray[np.float32]:
        return _load(self._folder).vector(text[:MAX_CHARS])

    def shared_state(self, ids: NDArray[np.int64]) -> NDArray[np.float32]:
        """The states of pieces after the first layers."""
        return _load(self._folder).shared(ids)

    def pieces(self) -> WordPieces:
        """The tokenizer of the encoder."""
        return _load(self._folder).pieces

    def counts(self, parts: Sequence[str]) -> list[int]:
        """How many pieces each part of a text has."""
        pieces = _load(self._folder).pieces
        return [len(pieces.ids(part)) for part in parts]


class _Model:
    """A loaded model, and the texts that it read last."""

    def __init__(self, pieces: WordPieces, first: Any, rest: Any) -> None:
        self.pieces, self._first, self._rest = pieces, first, rest
        self._known = lru_cache(KEPT)(self._encoded)
        self._vectors = Recent[NDArray[np.float32]](VECTORS_KEPT)

    def vector(self, text: str) -> NDArray[np.float32]:
        ids = self._ids(text)
        key = digest(f"{ids}")
        known = self._vectors.get([key])
        return known[key] if known else self._known(ids).vector

    def encoded(self, text: str) -> Encoded:
        return self._known(self._ids(text))

    def _ids(self, text: str) -> tuple[int, ...]:
        """The pieces read of a text; the same for "vinter left" and "Vinter left"."""
        return tuple(self.pieces.ids(text)[: WINDOW * WINDOWS])

    def _encoded(self, ids: tuple[int, ...]) -> Encoded:
        total = np.zeros(DIMENSION, dtype=np.float32)
        states = []
        for start in range(0, max(1, len(ids)), WINDOW):
            window = ids[start : start + WINDOW]
            inputs = np.array([[self.pieces.begin, *window, self.pieces.end]], dtype=np.int64)
            mask = np.ones_like(inputs)
            shared_states = self._first.run([SHARED, SEEN], {"ids": inputs, "mask": mask})
            (vector,), (state,) = self._rest.run(
                ["vector", "pieces"],
                {SHARED: shared_states[0], SEEN: shared_states[1], "mask": mask},
            )
            total += len(window) * vector if ids else vector
            states.append(state)
        unit: NDArray[np.float32] = total / np.linalg.norm(total)
        self._vectors.put({digest(f"{ids}"): unit})
        return Encoded(unit, tuple(states))

    def shared(self, ids: NDArray[np.int64]) -> NDArray[np.float32]:
        (state,) = self._first.run([SHARED], {"ids": ids, "mask": np.ones_like(ids)})
        return cast(NDArray[np.float32], state)


_LOADING = threading.Lock()


def _load(folder: Path) -> _Model:
    """The model of a folder, read once in a process."""
    with _LOADING:
        return _read(folder)


@cache
def _read(folder: Path) -> _Model:
    try:
        vocabulary = (folder / VOCABULARY).read_text("utf-8").splitlines()
        sessions = [open_session(folder / name) for name in (FIRST, MODEL)]
    # Whatever the runtime raises, the error must name the folder.
    except Exception as error:
        raise InvalidSettings(f"the encoder in {folder} cannot be read: {error}") from error
    return _Model(WordPieces(vocabulary), *sessions)


def open_session(file: Path) -> Any:
    """The model of a file, on one thread."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    if _saturates():
        options.add_session_config_entry("session.x64quantprecision", "1")
    return onnxruntime.InferenceSession(file, options, providers=["CPUExecutionProvider"])


def _saturates() -> bool:
    """True for an x86 processor without VNNI, which must multiply the signed weights as unsigned.

    That is exact everywhere, and takes 1.5 times as long; unknown processors are treated as such.
    """
    if platform.machine().lower() not in {"x86_64", "amd64"}:
        return False
    with suppress(OSError):
        return "_vnni" not in Path("/proc/cpuinfo").read_text("utf-8", "replace")
    return True
