"""Reflection: what a user's turn teaches about how to help this user [BEH-01].

    1 consent     the user               -> may anything be learned
    2 signals     the words, by rules    -> what they ask for good          steering/
      ask again   the words, by a model  -> what the rules missed           a job, later
    3 settle      signals and rules      -> new, seen again, superseding    rules/

It runs after the words are stored, so that whatever goes wrong here loses nothing that was said.
"""

from collections.abc import Sequence
from dataclasses import replace

from sharpwave.behavior import second_opinion
from sharpwave.behavior.commit import WITHDRAWN
from sharpwave.behavior.reports import as_the_user_says_it
from sharpwave.behavior.rules import settle
from sharpwave.formulas.rules import GLOBAL
from sharpwave.privacy.redaction import redact
from sharpwave.reading.grammar.reported import is_report
from sharpwave.reading.steering import signals
from sharpwave.types.records import Kind, Record, Role, State, Trust
from sharpwave.types.steering import Learned, Reflection, Signal
from sharpwave.types.storing import NewJob
from sharpwave.types.working import Job
from sharpwave.workspace import Workspace

REFLECT = "reflect"  # the kind of a job
UNTRUSTED = "nothing was learned: only the user's own words make rules"


def reflect(
    workspace: Workspace, message: str, previous: str | None = None, session: str | None = None
) -> Reflection:
    """Learn from one message; if it was remembered, what is learned goes with it."""
    if not signals.signals(message, previous):
        return Reflection()
    turn = _remembered(workspace, message, session)
    if turn is not None and not _teaches(turn):
        return Reflection(note=UNTRUSTED)
    return _learn(workspace, message, previous, turn)


def reflect_on(workspace: Workspace, turns: Sequence[Record]) -> list[Reflection]:
    """Learn from turns that were just stored; what agents report waits for the user."""
    own = [_learn(workspace, turn.text, None, turn) for turn in turns if _teaches(turn)]
    return own + [_reported(workspace, turn) for turn in turns if is_report(turn)]


def jobs(turns: Sequence[Record]) -> tuple[NewJob, ...]:
    """The job that lets a model look at turns that may steer, in the transaction of the turns."""
    ids = [turn.id for turn in turns if _teaches(turn) and signals.may_steer(turn.text)]
    return (NewJob(REFLECT, {"ids": ids}),) if ids else ()


def work(job: Job, workspace: Workspace) -> tuple[Learned, ...]:
    """Let a model look at turns that were stored earlier; what it finds joins what is known."""
    found = workspace.store.find(job.ids)
    turns = [one for one in found if _teaches(one) and one.standing.state is State.ACTIVE]
    if not turns or not workspace.consents.may_learn:
        return ()
    learned: list[Learned] = []
    for turn in turns:
        given = second_opinion.ask(workspace, turn, _answer_before(workspace, turn))
        kept = _kept(workspace, given)
        if kept:
            learned += settle.settle(workspace, kept, turn.id, turn.scope)
    return tuple(learned)


def _learn(
    workspace: Workspace, message: str, previous: str | None, turn: Record | None
) -> Reflection:
    found = signals.signals(message, previous)
    if found and previous is None and turn is not None:  # most turns steer nothing: look back late
        previous = _answer_before(workspace, turn)
        found = signals.signals(message, previous) if previous else found
    if not found:
        return Reflection()
    if not workspace.consents.may_learn:
        return Reflection(note=WITHDRAWN)
    kept = _kept(workspace, found)
    if not kept:
        return Reflection()
    scope = turn.scope if turn else GLOBAL
    learned = settle.settle(workspace, kept, turn.id if turn else None, scope)
    return Reflection(tuple(kept), learned)


def _reported(workspace: Workspace, turn: Record) -> Reflection:
    """Note what an agent says that the user wants: nothing heeds it before the user agrees."""
    found = signals.signals(as_the_user_says_it(turn.text))
    if not found or not workspace.consents.may_learn:
        return Reflection()
    most = workspace.settings.steering.reported_confidence
    kept = [replace(one, confidence=min(one.confidence, most)) for one in _kept(workspace, found)]
    return Reflection(tuple(kept), settle.propose(workspace, kept, turn))


def _kept(workspace: Workspace, found: Sequence[Signal]) -> list[Signal]:
    """What is sure and short enough, without what the privacy policy keeps out [resolution 16]."""
    settings, policy = workspace.settings.steering, workspace.settings.privacy.stored
    clean = [replace(one, rule=redact(one.rule, policy).text) for one in found]
    return [
        one
        for one in clean
        if one.confidence >= settings.min_confidence and len(one.rule) <= settings.max_rule_chars
    ]


def _teaches(turn: Record) -> bool:
    own = turn.provenance.trust is Trust.USER and turn.role is Role.USER
    return own and turn.kind is Kind.TURN


def _remembered(workspace: Workspace, message: str, session: str | None) -> Record | None:
    """The turn in which the message was remembered, if it was one of the last."""
    last = workspace.store.latest(session, workspace.settings.steering.looked_back)
    text = redact(message, workspace.settings.privacy.stored).text.strip()
    return next((turn for turn in reversed(last) if turn.text.strip() == text), None)


def _answer_before(workspace: Workspace, turn: Record) -> str | None:
    """What the assistant said last before a turn."""
    count = workspace.settings.steering.looked_back
    last = workspace.store.latest(turn.session_id, count)
    before = [one for one in last if one.number < turn.number and one.role is Role.ASSISTANT]
    return before[-1].text if before else None
