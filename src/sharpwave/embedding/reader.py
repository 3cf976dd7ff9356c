"""The bundled reader: says of each sentence whether it is worth keeping, and as what.

Two small layers on the encoder's states (`data/reader.npz`, trained with the encoder by
`training/encoder`), so that reading a text and embedding it take one pass:

    sentence   mean of its pieces, mean of its window  -> chances of fact, task, rule; mode
"""

import logging
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sharpwave.embedding import comparer
from sharpwave.embedding.encoder import WINDOW, Encoded, SentenceEncoder
from sharpwave.embedding.recent import Recent, digest
from sharpwave.types.statements import Effect, Reading, ReadMode, Span

_LOG = logging.getLogger(__name__)
HEADS = "reader.npz"
READINGS_KEPT = 1024
"""Texts whose readings are kept: facts and rules of many messages are each looked for by itself."""
_MODES = tuple(ReadMode)
_KINDS = 3


class SentenceReader:
    """Reads sentences in their text. Safe to share between threads."""

    def __init__(self) -> None:
        """The model is loaded when it is first used."""
        self._encoder = SentenceEncoder()
        self._known = Recent[list[Reading]](READINGS_KEPT)
        self._compared = Recent[Effect](READINGS_KEPT)

    def read(self, text: str, sentences: Sequence[Span]) -> list[Reading]:
        """What each sentence says; those beyond what the encoder reads are left out at the end."""
        key = digest(f"{[*sentences]}{text}")
        readings = self._known.get([key]).get(key)
        if readings is None:
            readings = self._read(text, sentences)
            self._known.put({key: readings})
        return [*readings]

    def compare(self, notes: Sequence[str], remark: str) -> list[Effect]:
        """What a remark does to each of the notes, which are older; `TO_DO` begins a task.

        Nothing is likely if that fails: whoever asks has words to store.
        """
        keys = [digest(f"{len(note)} {note}{remark}") for note in notes]
        known = self._compared.get(keys)
        try:
            for key, note in zip(keys, notes, strict=True):
                if key not in known:
                    known[key] = comparer.compare(self._encoder, note, remark)
            self._compared.put(known)
            return [known[key] for key in keys]
        except Exception:  # noqa: BLE001 - the runtime may raise anything, and no words may be lost
            _LOG.exception("a remark was not compared with what is known")
            return [Effect(0.0, 0.0, 0.0, 0.0)] * len(notes)

    def _read(self, text: str, sentences: Sequence[Span]) -> list[Reading]:
        if not sentences:
            return []
        parts = []
        at = 0
        for start, end in sentences:
            parts += [text[at:start], text[start:end]]
            at = end
        ends = np.cumsum(self._encoder.counts(parts)).tolist()
        places = [Span(ends[number - 1], ends[number]) for number in range(1, len(ends), 2)]
        rows = _pooled(self._encoder.encoded(text), places)
        return [_reading(row) for row in _outputs(np.array(rows))] if rows else []


def _pooled(encoded: Encoded, places: Sequence[Span]) -> list[NDArray[np.float32]]:
    """Of each sentence the mean of its pieces, and of the window in which it begins."""
    means = [window.mean(axis=0) for window in encoded.windows]
    rows = []
    for start, end in places:
        number, first = divmod(start, WINDOW)
        if number >= len(means):
            break
        window = encoded.windows[number][1:-1]
        pieces = window[first : max(first + 1, end - number * WINDOW)]
        if not len(pieces):
            break
        rows.append(np.concatenate([pieces.mean(axis=0), means[number]]))
    return rows


def _outputs(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    heads = _heads()
    inner = rows @ heads["inner.weight"].T + heads["inner.bias"]
    outer: NDArray[np.float32] = _gelu(inner) @ heads["outer.weight"].T + heads["outer.bias"]
    return outer


def _reading(row: NDArray[np.float32]) -> Reading:
    fact, task, rule = (1 / (1 + np.exp(-row[:_KINDS]))).tolist()
    return Reading(fact, task, rule, _MODES[int(row[_KINDS:].argmax())])


def _gelu(values: NDArray[np.float32]) -> NDArray[np.float32]:
    """The layers were trained with the exact one; its usual approximation differs by 0.001."""
    cubic = values + 0.044715 * values**3
    result: NDArray[np.float32] = 0.5 * values * (1 + np.tanh(0.7978845608 * cubic))
    return result


@cache
def _heads() -> dict[str, NDArray[np.float32]]:
    with np.load(Path(str(files("sharpwave") / "data" / HEADS))) as stored:
        return {name: stored[name].astype(np.float32) for name in stored.files}
