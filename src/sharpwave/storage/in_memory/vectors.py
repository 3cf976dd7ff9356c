"""Vectors as they are stored: half precision, row by row."""

import numpy as np

from sharpwave.errors import InvalidInput
from sharpwave.types.storing import Change

STORED = np.dtype("<f2")


def stored_vectors(change: Change) -> list[bytes] | None:
    """The vectors of a change, if it has any; InvalidInput if they do not fit."""
    if change.vectors is None or change.space is None:
        return None
    if change.vectors.shape != (len(change.records), change.space.dimension):
        raise InvalidInput(f"vectors do not fit {change.space}: shape {change.vectors.shape}")
    with np.errstate(over="ignore"):
        stored = change.vectors.astype(STORED)  # what is too large becomes infinite
    if not np.isfinite(stored).all():
        raise InvalidInput("a vector holds NaN, infinity or a huge number; fix the embedder")
    return [row.tobytes() for row in stored]
