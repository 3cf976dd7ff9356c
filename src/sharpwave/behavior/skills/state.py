"""What was learned about skills and style: the tallies, and the records behind them."""

from collections.abc import Sequence

from sharpwave.behavior.skills import learning
from sharpwave.errors import Overtaken
from sharpwave.tallies import Sheet, stored
from sharpwave.types.records import Kind, Record, State
from sharpwave.types.storing import BEHAVIOR, TAKEN_BACK, Change, Stated, Tally
from sharpwave.workspace import Workspace

TRAJECTORY, FEEDBACK, READING, DECISION = "trajectory|", "feedback|", "reading|", "decision|"
"""Prefixes of the slots of records that are learned from."""
_KINDS = frozenset({Kind.TRAJECTORY, Kind.FEEDBACK})


def may_learn(workspace: Workspace) -> bool:
    """Whether skills are enabled and the user agreed to learning."""
    return workspace.settings.skills.enabled and workspace.consents.may_learn


def read(workspace: Workspace) -> Sheet:
    """The tallies for a reader; empty if nothing may be learned."""
    return load(workspace) if may_learn(workspace) else Sheet.blank(BEHAVIOR)


def load(workspace: Workspace) -> Sheet:
    """The tallies; if they are missing, they are recomputed from the records first."""
    sheet, slots = Sheet.of(workspace.store, BEHAVIOR), (TRAJECTORY, FEEDBACK, DECISION)
    missing = not sheet.row(learning.PERSON, learning.COUNTS)
    if missing and any(workspace.store.slot_numbers(prefix, 1) for prefix in slots):
        try:
            rebuild(workspace)
        except Overtaken:
            pass  # another process is recomputing them
        sheet = Sheet.of(workspace.store, BEHAVIOR)
    return sheet


def lesson_records(workspace: Workspace, *prefixes: str) -> list[Record]:
    """The records to learn from, in order, without replaced ones."""
    within = prefixes or (TRAJECTORY, FEEDBACK, READING, DECISION)
    counted = [
        record
        for record in workspace.store.stated(Stated(within=within, kinds=_KINDS))
        if record.kind is Kind.TRAJECTORY or record.standing.state is State.ACTIVE
    ]
    return sorted(counted, key=lambda record: record.number)


def lesson_ids(workspace: Workspace) -> list[str]:
    """Ids of all records about skills and style, including replaced ones."""
    within = (TRAJECTORY, FEEDBACK, READING, DECISION)
    return [record.id for record in workspace.store.stated(Stated(within=within, kinds=_KINDS))]


def withdrawn_ids(workspace: Workspace) -> set[str]:
    """Ids of records with an undone lesson: they are not learned from again."""
    return set(workspace.store.tallies(TAKEN_BACK))


def computed_from(records: Sequence[Record]) -> Sheet:
    """The tallies computed from these records."""
    sheet = Sheet.blank(BEHAVIOR)
    ids = {record.id for record in records}
    for record in records:
        comment = record.metadata.get("feedback_id")
        if comment is None or comment in ids:
            learning.learn(record, sheet)
    return sheet


def stored_rows(workspace: Workspace) -> dict[tuple[str, str], Tally]:
    """Every stored tally, by topic and name."""
    return stored(workspace.store, BEHAVIOR)


def rebuild(workspace: Workspace) -> None:
    """Recompute the tallies from the records. Idempotent."""
    before = stored_rows(workspace)
    tallies = computed_from(lesson_records(workspace)).instead_of(before)
    if tallies:
        workspace.store.commit(Change("rebuild", workspace.clock.now(), (), tallies=tallies))
