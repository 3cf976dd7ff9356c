"""The bundled reader: classifies whether each sentence is worth keeping, and as what.

Small layers on the encoder's states (`data/reader.npz`, trained with the encoder, and
`data/reader_context.npz`), so that reading a text and embedding it take one pass:

    sentence   mean of its pieces, mean of its window, its words  -> fact, task, rule; mode
    states of it and of the sentences around it                   -> chances that it needs them

Its words are the vector of the table, which knows languages that the encoder did not learn.
"""

import logging
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sharpwave.embedding import comparer
from sharpwave.embedding.encoder import DIMENSION, WINDOW, Encoded, SentenceEncoder
from sharpwave.embedding.recent import Recent, digest
from sharpwave.embedding.table import Table
from sharpwave.embedding.table_embedder import TableEmbedder
from sharpwave.types.statements import Effect, Reading, ReadMode, Span

_LOG = logging.getLogger(__name__)
HEADS, CONTEXT = "reader.npz", "reader_context.npz"
READINGS_KEPT = 1024
"""Number of texts for which readings are cached: facts and rules are looked up apart."""
STATES = 2 * DIMENSION
"""Number of leading columns from the encoder in a row of a sentence; the rest are its words."""
WORDS_FACTOR = 10.0
"""Factor of the words: their vector has the length of one of some fifty states."""
_MODES = tuple(ReadMode)
_KINDS = 3


class SentenceReader:
    """Reads sentences in their text. Safe to share between threads."""

    def __init__(self, table: Table | None = None) -> None:
        """Take a loaded table, or the bundled one; models are loaded when needed."""
        self._encoder, self._words = SentenceEncoder(), TableEmbedder(table)
        self._known = Recent[list[Reading]](READINGS_KEPT)
        self._compared = Recent[Effect](READINGS_KEPT)

    def read(self, text: str, sentences: Sequence[Span]) -> list[Reading]:
        """What each sentence says; sentences beyond what the encoder reads are left out."""
        key = digest(f"{[*sentences]}{text}")
        readings = self._known.get([key]).get(key)
        if readings is None:
            readings = self._read(text, sentences)
            self._known.put({key: readings})
        return [*readings]

    def compare(self, notes: Sequence[str], remark: str) -> list[Effect]:
        """What a remark does to each of the notes, which are older; `TO_DO` begins a task.

        All probabilities are 0 if that fails: the caller still has words to store.
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
        rows = self.rows(text, sentences)
        if not len(rows):
            return []
        needs = _chances(_two_layers(CONTEXT, beside(rows)))
        return [
            _reading(row, *needed)
            for row, needed in zip(_two_layers(HEADS, rows), needs.tolist(), strict=True)
        ]

    def rows(self, text: str, sentences: Sequence[Span]) -> NDArray[np.float32]:
        """A row per sentence: the mean of its states, that of its window, its words."""
        parts = []
        at = 0
        for start, end in sentences:
            parts += [text[at:start], text[start:end]]
            at = end
        ends = np.cumsum(self._encoder.counts(parts)).tolist()
        spans = [Span(ends[number - 1], ends[number]) for number in range(1, len(ends), 2)]
        rows = _pooled(self._encoder.encoded(text), spans) if spans else []
        states = np.array(rows, np.float32).reshape(len(rows), STATES)
        words = self._words.embed([text[start:end] for start, end in sentences[: len(rows)]])
        return np.concatenate([states, WORDS_FACTOR * words], axis=1, dtype=np.float32)


def beside(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    """The states of each sentence, with the means of the sentences before and after it."""
    means = np.pad(rows[:, :DIMENSION], ((1, 1), (0, 0)))
    return np.concatenate([rows[:, :STATES], means[:-2], means[2:]], axis=1)


def _pooled(encoded: Encoded, spans: Sequence[Span]) -> list[NDArray[np.float32]]:
    """For each sentence the mean of its pieces, and of the window in which it begins."""
    means = [window.mean(axis=0) for window in encoded.windows]
    rows = []
    for start, end in spans:
        number, first = divmod(start, WINDOW)
        if number >= len(means):
            break
        window = encoded.windows[number][1:-1]
        pieces = window[first : max(first + 1, end - number * WINDOW)]
        if not len(pieces):
            break
        rows.append(np.concatenate([pieces.mean(axis=0), means[number]]))
    return rows


def _two_layers(file: str, rows: NDArray[np.float32]) -> NDArray[np.float32]:
    weights = _weights(file)
    inner = rows @ weights["inner.weight"].T + weights["inner.bias"]
    outer: NDArray[np.float32] = _gelu(inner) @ weights["outer.weight"].T + weights["outer.bias"]
    return outer


def _reading(row: NDArray[np.float32], before: float, after: float) -> Reading:
    fact, task, rule = _chances(row[:_KINDS]).tolist()
    return Reading(fact, task, rule, _MODES[int(row[_KINDS:].argmax())], before, after)


def _chances(logits: NDArray[np.float32]) -> NDArray[np.float32]:
    chances: NDArray[np.float32] = np.reciprocal(1 + np.exp(-logits))
    return chances


def _gelu(values: NDArray[np.float32]) -> NDArray[np.float32]:
    """The usual approximation of GELU; the layers were trained with the exact one (0.001 off)."""
    cubic = values + 0.044715 * values**3
    result: NDArray[np.float32] = 0.5 * values * (1 + np.tanh(0.7978845608 * cubic))
    return result


@cache
def _weights(file: str) -> dict[str, NDArray[np.float32]]:
    with np.load(Path(str(files("sharpwave") / "data" / file))) as stored:
        return {name: stored[name].astype(np.float32) for name in stored.files}
