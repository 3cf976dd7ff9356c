"""The bundled comparer: what a later remark does to an older note.

Both are read together: by the first layers of the encoder, and by three more trained for this
task (`data/comparer.onnx`, by `training/encoder/comparer.py`):

    note, remark  -> chances of none, same, update, end
"""

import threading
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sharpwave.embedding.encoder import SHARED, SentenceEncoder, open_session
from sharpwave.embedding.word_pieces import WordPieces
from sharpwave.types.statements import Effect

MODEL = "comparer.onnx"
RELATIONS = Effect._fields
LONGEST_NOTE, LONGEST_REMARK = 48, 64
"""Maximum number of pieces read of each."""
PIECE_CHARS = 16
"""Upper bound of the average length of a piece: only so much of a long text is tokenized."""


def compare(encoder: SentenceEncoder, note: str, remark: str) -> Effect:
    """What the remark does to the note."""
    ids, means = pair_input(encoder.pieces(), note, remark)
    inputs = {SHARED: encoder.shared_state(ids), "mask": np.ones_like(ids), "means": means}
    with _LOADING:
        session = _session()
    (((chances,),),) = session.run(["chances"], inputs)
    return Effect(*map(float, chances))


def pair_input(
    pieces: WordPieces, note: str, remark: str
) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """The pieces of both, and their shares in the mean of each."""
    note_ids = pieces.ids(note[: LONGEST_NOTE * PIECE_CHARS])[:LONGEST_NOTE]
    remark_ids = pieces.ids(remark[: LONGEST_REMARK * PIECE_CHARS])[:LONGEST_REMARK]
    ids = [pieces.begin, *note_ids, pieces.end, *remark_ids, pieces.end]
    border = len(note_ids) + 2
    means = np.zeros((1, 2, len(ids)), dtype=np.float32)
    means[0, 0, :border] = 1 / border
    means[0, 1, border:] = 1 / (len(ids) - border)
    return np.array([ids], dtype=np.int64), means


_LOADING = threading.Lock()


@cache
def _session() -> Any:
    return open_session(Path(str(files("sharpwave") / "data" / MODEL)))
