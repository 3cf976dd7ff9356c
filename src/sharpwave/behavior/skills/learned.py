"""What was learned about skills and style: running numbers, and the records behind them."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from sharpwave.behavior.skills import learning, rows
from sharpwave.errors import Overtaken
from sharpwave.formulas.bandit import context_bucket
from sharpwave.tallies import Sheet, stored
from sharpwave.types.records import Kind, Record, State
from sharpwave.types.storing import BEHAVIOR, TAKEN_BACK, Change, Stated, Tally
from sharpwave.workspace import Workspace

TRAJECTORY, FEEDBACK, READING, DECISION = "trajectory|", "feedback|", "reading|", "decision|"
"""How the slots of the records begin that teach something."""
_KINDS = frozenset({Kind.TRAJECTORY, Kind.FEEDBACK})
Answer = TypeVar("Answer")


def bucket(workspace: Workspace, context: str) -> int:
    """The number of a context, such as "question_neutral_morning"."""
    return context_bucket(context, workspace.settings.skills.bandit.buckets)


def may_learn(workspace: Workspace) -> bool:
    """Whether skills are enabled, and the user agreed to being learned from."""
    return workspace.settings.skills.enabled and workspace.consents.may_learn


def known(workspace: Workspace) -> Sheet:
    """The running numbers; if they are missing, they are rebuilt from the records first."""
    sheet = Sheet.of(workspace.store, BEHAVIOR)
    if not sheet.row(rows.PERSON, rows.COUNTS) and _has_records(workspace):
        try:
            rebuild(workspace)
        except Overtaken:
            pass  # another process is rebuilding them
        sheet = Sheet.of(workspace.store, BEHAVIOR)
    return sheet


def teaching(workspace: Workspace, *beginnings: str) -> list[Record]:
    """The records that something is learned from, in order; replaced ones are left out."""
    within = beginnings or (TRAJECTORY, FEEDBACK, READING, DECISION)
    records = workspace.store.stated(Stated(within=within, kinds=_KINDS))
    return sorted(filter(_counts, records), key=lambda record: record.number)


def lessons(workspace: Workspace) -> list[str]:
    """Ids of all records that anything about skills and style was ever learned from."""
    within = (TRAJECTORY, FEEDBACK, READING, DECISION)
    return [record.id for record in workspace.store.stated(Stated(within=within, kinds=_KINDS))]


def taken_back(workspace: Workspace) -> set[str]:
    """Ids of records whose lesson was undone: it is not learned again."""
    return set(workspace.store.tallies(TAKEN_BACK))


def folded(workspace: Workspace, records: Sequence[Record]) -> Sheet:
    """What these records teach, taken together."""
    sheet = Sheet.blank(BEHAVIOR)
    active = {record.id for record in records}
    for record in records:
        about = record.metadata.get("feedback_id")
        if about is None or about in active:
            learning.learn(record, sheet, workspace.settings.skills)
    return sheet


def stored_rows(workspace: Workspace) -> dict[tuple[str, str], Tally]:
    """Every running number as it is stored."""
    topics = rows.topics(workspace.settings.skills.bandit.buckets)
    return stored(workspace.store, BEHAVIOR, topics)


def rebuild(workspace: Workspace) -> int:
    """Learn again from what is stored; returns from how many records. Idempotent."""
    before = stored_rows(workspace)
    records = teaching(workspace)
    tallies = folded(workspace, records).instead_of(before)
    if tallies:
        workspace.store.commit(Change("rebuild", workspace.clock.now(), (), tallies=tallies))
    return len(records)


def again(workspace: Workspace, attempt: Callable[[], Answer]) -> Answer:
    """Run `attempt`; retry if another writer was faster."""
    for _ in range(workspace.settings.skills.retries - 1):
        try:
            return attempt()
        except Overtaken:
            continue
    return attempt()


def _has_records(workspace: Workspace) -> bool:
    begins = (TRAJECTORY, FEEDBACK, DECISION)
    return any(workspace.store.slot_numbers(begin, 1) for begin in begins)


def _counts(record: Record) -> bool:
    return record.kind is Kind.TRAJECTORY or record.standing.state is State.ACTIVE
