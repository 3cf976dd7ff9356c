"""Step 6: a vector for each record."""

from collections.abc import Sequence
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from sharpwave.errors import ProviderError
from sharpwave.ports import Embedder
from sharpwave.types.records import Record
from sharpwave.types.storing import Change


def to_change(
    records: Sequence[Record], user_id: str, action: str, now: datetime, embedder: Embedder
) -> tuple[Change, str | None]:
    """The change that stores these records; a failing embedder leaves out vectors, not words."""
    try:
        vectors = matrix(records, embedder)
        return Change(action, now, tuple(records), vectors, embedder.space), None
    except ProviderError as error:
        note = f"stored without vectors, so found by keywords only until `reembed`: {error}"
        return Change(action, now, tuple(records)), note


def matrix(records: Sequence[Record], embedder: Embedder) -> NDArray[np.float32]:
    """One vector a record. Naming the speaker helps questions about people."""
    return embedder.embed(
        [
            f"{record.speaker}: {record.text}" if record.speaker else record.text
            for record in records
        ]
    )
