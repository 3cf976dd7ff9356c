"""Reflection at the end of a session: a summary, open loops, and notes, without a model.

The summary is provisional: sleep writes one that supersedes it, with a model if there is one. Notes
are what did not suit and what helped, in the words of the session: an answer that the user
corrected, and one that the user thanked for.
"""

from collections.abc import Sequence
from dataclasses import replace

from sharpwave.behavior import user_records
from sharpwave.behavior.intent import implicit_reward
from sharpwave.knowledge import settle_tasks, views
from sharpwave.sleep import extractive, notes, summarise
from sharpwave.types.known import Task
from sharpwave.types.records import OPEN_TASK, Kind, Record, Role, State
from sharpwave.types.sleep import EPISODE
from sharpwave.types.steering import SessionReview
from sharpwave.types.storing import TAKEN_BACK, Stated
from sharpwave.workspace import Workspace

MAX_NOTES = 3
"""Most notes of one session [REF-04]."""
QUOTED_CHARS = 200
"""Characters of a turn that a note quotes."""
_QUESTION_MARKS = ("?", "\uff1f", "\u061f")


def end_session(workspace: Workspace, session: str) -> SessionReview:
    """Summarise a session, list its open loops, and keep notes; repeating it changes nothing."""
    if not workspace.consents.may_remember:
        return SessionReview(session)
    return workspace.retried(lambda fresh: _review(fresh, session))


def _review(workspace: Workspace, session: str) -> SessionReview:
    store, now = workspace.store, workspace.clock.now()
    slots = [EPISODE + session, settle_tasks.note_slot()]
    seen = store.slot_heads(slots)
    turns = summarise.believed(store.latest(session, summarise.MAX_TURNS))
    episode, replaced = _summary(workspace, turns)
    made = _notes(workspace, turns) if workspace.consents.may_learn else []
    known = {record.id for record in store.find([record.id for record in made])}
    known |= store.tallies(TAKEN_BACK, [record.id for record in made]).keys()
    new = [record for record in made if record.id not in known]
    if episode is not None and episode.id not in {record.id for record in store.find([episode.id])}:
        new.append(episode)
    else:
        replaced = []
    if new:
        user_records.commit(workspace, now, dict(seen), new, replaced)
    return SessionReview(
        session,
        episode.text if episode else "",
        tuple(_open_tasks(workspace, turns)),
        tuple(_unanswered(turns)),
        tuple(views.note(record) for record in made),
    )


def _summary(workspace: Workspace, turns: Sequence[Record]) -> tuple[Record | None, list[Record]]:
    """The summary, and the earlier ones of this session that it replaces."""
    quoted = extractive.quoted_summary(turns, summarise.budget_for(turns))
    if not quoted.turns:
        return None, []
    episode = summarise.episode(workspace, workspace.clock.now(), turns, quoted, "es")
    query = Stated(slots=(str(episode.slot),), states={State.ACTIVE})
    old = [record for record in workspace.store.stated(query) if record.id != episode.id]
    covered = [record for record in old if record.metadata.get("count") == len(turns)]
    if covered:
        return covered[0], []  # sleep has summarised as much already
    revisions = [summarise.superseded(record, episode) for record in old]
    replaced = [
        replace(revision.record, standing=revision.standing, valid_to=revision.valid_to)
        for revision in revisions
    ]
    return episode, replaced


def _notes(workspace: Workspace, turns: Sequence[Record]) -> list[Record]:
    """What did not suit first, then what helped; the newest of each."""
    found: list[tuple[float, Record]] = []
    for place in range(2, len(turns)):
        question, answer, reaction = turns[place - 2 : place + 1]
        roles = (question.role, answer.role, reaction.role)
        if roles != (Role.USER, Role.ASSISTANT, Role.USER):
            continue
        feedback = implicit_reward(reaction.text, question.text, answer.text, workspace.embedder)
        if feedback is None:
            continue
        query, reply, comment = (_quoted(turn.text) for turn in (question, answer, reaction))
        if feedback.reward < 0:
            text = f"As an answer to {query}, {reply} did not suit. The user said: {comment}"
        else:
            text = f"What helped with {query}: {reply}"
        parents = [question, answer, reaction]
        record = notes.note_record(workspace, workspace.clock.now(), text, parents)
        found.append((feedback.reward, record))
    best = sorted(found, key=lambda pair: (pair[0], -pair[1].valid_from.timestamp()))
    return [record for _, record in best[:MAX_NOTES]]


def _quoted(text: str) -> str:
    plain = " ".join(text.split())
    cut = plain if len(plain) <= QUOTED_CHARS else plain[: QUOTED_CHARS - 1] + "…"
    return f"“{cut}”"


def _open_tasks(workspace: Workspace, turns: Sequence[Record]) -> list[Task]:
    """Tasks that rest on turns of the session and are not done."""
    ids = {turn.id for turn in turns}
    query = Stated((settle_tasks.task_slot(),), kinds={Kind.TASK}, states=OPEN_TASK)
    open_ = workspace.store.stated(query)
    return [Task.of(record) for record in open_ if ids & set(record.provenance.parents)]


def _unanswered(turns: Sequence[Record]) -> list[str]:
    """The user's questions after the last answer."""
    answered = max((n for n, turn in enumerate(turns) if turn.role is Role.ASSISTANT), default=-1)
    return [
        turn.text
        for turn in turns[answered + 1 :]
        if turn.role is Role.USER and turn.text.rstrip().endswith(_QUESTION_MARKS)
    ]
