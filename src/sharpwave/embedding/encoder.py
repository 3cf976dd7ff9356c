"""The bundled sentence encoder: a small transformer that reads words in their context.

`data/encoder.onnx` holds its weights in eight bits, written by `training/encoder`; `onnxruntime`
runs it on one thread. Each text is read by itself: eight-bit activations are scaled by what is read
together, and a text's vector must not depend on its neighbours in a batch.
"""

import threading
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sharpwave.embedding.word_pieces import WordPieces
from sharpwave.errors import InvalidSettings
from sharpwave.types.storing import Space

MODEL, VOCABULARY = "encoder.onnx", "encoder_vocabulary.txt"
WINDOW = 254
"""Pieces read at once, beside the marks of begin and end; longer texts are read in windows."""
WINDOWS = 2
"""Windows read of one text at most."""
MAX_CHARS = 16 * WINDOW * WINDOWS
"""Characters looked at of one text."""
DIMENSION = 384


class SentenceEncoder:
    """Embeds English text by meaning, whatever the words. Safe to share between threads."""

    space = Space("sharpwave-encoder", "1", DIMENSION)

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
        return self._vector(question)

    def _vector(self, text: str) -> NDArray[np.float32]:
        pieces, session = _load(self._folder)
        ids = pieces.ids(text[:MAX_CHARS])[: WINDOW * WINDOWS]
        total = np.zeros(DIMENSION, dtype=np.float32)
        for start in range(0, max(1, len(ids)), WINDOW):
            window = ids[start : start + WINDOW]
            given = np.array([[pieces.begin, *window, pieces.end]], dtype=np.int64)
            (vectors,) = session.run(["vector"], {"ids": given, "mask": np.ones_like(given)})
            total += len(window) * vectors[0] if ids else vectors[0]
        unit: NDArray[np.float32] = total / np.linalg.norm(total)
        return unit


_LOADING = threading.Lock()


def _load(folder: Path) -> tuple[WordPieces, Any]:
    """The model of a folder, read once in a process."""
    with _LOADING:
        return _read(folder)


@cache
def _read(folder: Path) -> tuple[WordPieces, Any]:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    try:
        vocabulary = (folder / VOCABULARY).read_text("utf-8").splitlines()
        session = onnxruntime.InferenceSession(
            folder / MODEL, options, providers=["CPUExecutionProvider"]
        )
    # Whatever the runtime raises, the error must name the folder.
    except Exception as error:
        raise InvalidSettings(f"the encoder in {folder} cannot be read: {error}") from error
    return WordPieces(vocabulary), session
