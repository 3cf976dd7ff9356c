"""Made-up memories straight into a store, as if a user had said them; no rule reads them."""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from itertools import count

from benchmarks.contenders.given_vectors import GivenVectors
from benchmarks.data import Batch, Dataset
from sharpwave import Memory, Message, Settings
from sharpwave.remember.intake import to_records
from sharpwave.testing import resources_of
from sharpwave.types.storing import Change, Space

BATCH = 5000
SESSION = 20
_BEGAN = datetime(2026, 1, 1, tzinfo=UTC)


def load(data: Dataset, settings: Settings) -> None:
    """Store everything, in sessions of 20, a minute apart."""
    given = GivenVectors()
    with Memory.open(settings=settings, embedder=given) as memory:
        put(memory, data.batches(BATCH), given.space)


def put(memory: Memory, batches: Iterable[Batch], space: Space) -> None:
    """Store what is given, with vectors of a space."""
    numbers = count()
    for batch in batches:
        said = [_said(*one) for one in zip(batch.texts, numbers, strict=False)]
        now = said[-1].at or _BEGAN
        records = tuple(to_records(said, batch.user, now))
        change = Change("import", now, records, batch.vectors, space)
        resources_of(memory).store.for_user(batch.user).commit(change)


def _said(text: str, number: int) -> Message:
    at = _BEGAN + timedelta(minutes=number)
    return Message(text, session=f"talk-{number // SESSION}", at=at)
