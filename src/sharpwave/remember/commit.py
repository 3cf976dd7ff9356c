"""Step 7: one transaction, and the receipt."""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from sharpwave.knowledge.draft import Decided, Heard
from sharpwave.ports import Store
from sharpwave.types.answers import Outcome, Receipt
from sharpwave.types.records import Kind, Record
from sharpwave.types.storing import Change, Mentioned, NewJob


class Written(NamedTuple):
    """What is stored whatever is decided: the turns, whom they mention, and what is left to do."""

    turns: Sequence[Record]
    mentions: Sequence[Mentioned] = ()
    jobs: tuple[NewJob, ...] = ()


def with_links(
    change: Change, written: Written, decided: Decided | None = None, heard: Sequence[Heard] = ()
) -> Change:
    """The change with all that was decided; without, only with what is certain."""
    known = replace(change, mentions=tuple(written.mentions), jobs=written.jobs)
    if decided is None:
        return known
    return replace(
        known,
        revisions=(*decided.draft.revisions, *decided.stale),
        evidence=tuple(decided.draft.evidence),
        seen=decided.seen,
        needs=tuple(sorted({one.turn.id for one in heard if one.turn.number})),
    )


def write(
    change: Change, note: str | None, store: Store, learned: Sequence[Outcome] = ()
) -> Receipt:
    """Commit the change; the receipt exists only once all of it is durable."""
    stored = [item for item in store.commit(change) if item.record.kind is Kind.TURN]
    return Receipt(
        ids=tuple(item.record.id for item in stored),
        recorded_at=change.at,
        replayed=tuple(item.record.id for item in stored if item.replayed),
        notes=() if note is None else (note,),
        learned=tuple(learned),
    )
