"""How a task settles among the open ones: the same again, a new date, done, or new."""

from dataclasses import replace

from sharpwave.knowledge.case import Court
from sharpwave.knowledge.draft import Draft, Heard, slot_of
from sharpwave.knowledge.learned import learned
from sharpwave.knowledge.titles import shared
from sharpwave.types.answers import Verdict
from sharpwave.types.records import USER, Kind, Record, State, Statement
from sharpwave.types.statements import TaskStatus

PREDICATE = "task"
OPEN = frozenset({State.ACTIVE, State.STALLED})
_OVER = frozenset({State.DONE, State.SUPERSEDED})
_STATES = {TaskStatus.DONE: State.DONE, TaskStatus.STALLED: State.STALLED}


def slot(subject: str = USER) -> str:
    """Where somebody's tasks are kept."""
    return slot_of(subject, PREDICATE)


def settle(draft: Draft, heard: Heard, court: Court, subject: str) -> None:
    """Decide on what was said about a task."""
    said, said_at = heard.candidate, heard.turn.valid_from
    status = said.status or TaskStatus.ACTIVE
    tasks = draft.in_slot(slot(subject))
    known = _same([r for r in tasks if r.standing.state in OPEN], said.text, status, court)
    over = [r for r in tasks if r.standing.state in _OVER and _since_then(r, heard, draft)]
    later = _same(over, said.text, TaskStatus.ACTIVE, court) if known is None else None
    if later is not None:
        draft.say(Verdict.REJECTED, heard, later, "it has been settled since then")
    elif status in _STATES:
        _move_on(draft, heard, known, _STATES[status])
    elif known is None:
        draft.say(Verdict.ACCEPTED, heard, draft.add(_new(draft, heard, court, subject)))
    elif said.due not in (None, known.due) and known.standing.last_seen_at <= said_at:
        new = draft.add(_new(draft, heard, court, subject, title=known.text))
        draft.close(known, heard.turn.valid_from, state=State.SUPERSEDED, superseded_by=new.id)
        draft.say(Verdict.VERSIONED, heard, new, f"now due {said.due:%Y-%m-%d}")
    else:
        draft.say(Verdict.REINFORCED, heard, draft.support(known, heard))


def settle_by_deed(draft: Draft, heard: Heard, court: Court, subject: str) -> None:
    """Close the open task that something the same person did has finished, if there is one."""
    open_tasks = [r for r in draft.in_slot(slot(subject)) if r.standing.state in OPEN]
    done = _same(open_tasks, heard.candidate.text, TaskStatus.ACTIVE, court)
    if done is not None and done.standing.last_seen_at <= heard.turn.valid_from:
        _move_on(draft, heard, done, State.DONE)


def _same(tasks: list[Record], title: str, status: TaskStatus, court: Court) -> Record | None:
    """The task that a title speaks of: most words shared, or the same by meaning."""
    settings = court.settings
    needed = settings.done_task_share if status in _STATES else settings.same_task_share
    best = max(tasks, key=lambda task: (shared(task.text, title), task.number), default=None)
    if best is not None and shared(best.text, title) >= needed:
        return best
    near = court.alike(title, [task.text for task in tasks])
    return None if near is None else tasks[near]


def _since_then(task: Record, heard: Heard, draft: Draft) -> bool:
    """True if a task was settled after this was said, though it may be read only now."""
    later = task.valid_to is not None and task.valid_to > heard.turn.valid_from
    return later or draft.supports(heard, task)


def _move_on(draft: Draft, heard: Heard, known: Record | None, state: State) -> None:
    if known is None:
        draft.say(Verdict.REJECTED, heard, reason="there is no open task like this")
        return
    moved = draft.support(known, heard)
    if state is State.DONE:
        moved = draft.close(moved, heard.turn.valid_from, state=state)
        draft.say(Verdict.CLOSED, heard, moved, "done")
    else:
        draft.say(Verdict.VERSIONED, heard, draft.revise(moved, state=state), "stalled")


def _new(
    draft: Draft, heard: Heard, court: Court, subject: str, title: str | None = None
) -> Record:
    statement = Statement(subject, PREDICATE, title or heard.candidate.text)
    task = learned(draft, heard, court.new_id(draft.now), Kind.TASK, statement)
    standing = replace(task.standing, importance=court.settings.task_importance)
    return replace(task, standing=standing, due=heard.candidate.due, slot=slot(subject))
