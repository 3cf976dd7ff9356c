"""Step 3: one transaction a batch, and the receipt."""

from collections.abc import Sequence
from datetime import datetime

from sharpwave.ports import Store
from sharpwave.types.answers import Receipt
from sharpwave.types.storing import Change


def write(changes: Sequence[tuple[Change, str | None]], now: datetime, store: Store) -> Receipt:
    """Commit each change; the receipt exists only once all of them are durable."""
    stored = [item for change, _ in changes for item in store.commit(change)]
    return Receipt(
        ids=tuple(item.record.id for item in stored),
        recorded_at=now,
        replayed=tuple(item.record.id for item in stored if item.replayed),
        notes=tuple(dict.fromkeys(note for _, note in changes if note)),
    )
