"""Step 3: one transaction, and the receipt."""

from sharpwave.ports import Store
from sharpwave.types.answers import Receipt
from sharpwave.types.storing import Change


def write(change: Change, note: str | None, store: Store) -> Receipt:
    """Commit the change; the receipt exists only once all of it is durable."""
    stored = store.commit(change)
    return Receipt(
        ids=tuple(item.record.id for item in stored),
        recorded_at=change.at,
        replayed=tuple(item.record.id for item in stored if item.replayed),
        notes=() if note is None else (note,),
    )
