"""Reflection: learn from a user's turn how to help this user [BEH-01].

    1 consent     the user              -> may anything be learned
    2 signals     the text, by rules    -> standing instructions           reading/steering
    3 learn       signals and rules     -> new, reinforced, superseding    rules.py

Runs after the turn is stored, so that a failure here loses nothing.
"""

from collections.abc import Sequence
from dataclasses import replace

from sharpwave.behavior import rules
from sharpwave.behavior.signals import in_user_words
from sharpwave.formulas.rules import GLOBAL
from sharpwave.privacy.redaction import redact
from sharpwave.reading.grammar.reported import is_report
from sharpwave.reading.open_statements import rules as rules_read
from sharpwave.reading.read import readings_of
from sharpwave.reading.steering.signals import signals
from sharpwave.types.records import Kind, Record, Role, Trust
from sharpwave.types.steering import Reflection, Signal, SteeringType
from sharpwave.workspace import Workspace

UNTRUSTED = "nothing was learned: only the user's own words make rules"
REPORTED_CONFIDENCE = 0.5
"""Highest confidence of a rule that an agent reports; the user must accept it."""
_TURNS_BACK = 8
"""Turns of a session that are searched for the message and for the answer before it."""


def reflect(
    workspace: Workspace, message: str, previous: str | None = None, session: str | None = None
) -> Reflection:
    """Learn from one message; if it was remembered, its turn becomes the evidence."""
    if not signals(message, previous):
        return Reflection()
    turn = _stored_turn(workspace, message, session)
    if turn is not None and not _is_own_message(turn):
        return Reflection(note=UNTRUSTED)
    return _learn(workspace, message, previous, turn)


def reflect_on(workspace: Workspace, turns: Sequence[Record]) -> list[Reflection]:
    """Learn from turns that were just stored; rules that agents report are only proposed."""
    own = [_learn(workspace, turn.text, None, turn) for turn in turns if _is_own_message(turn)]
    return own + [_propose(workspace, turn) for turn in turns if is_report(turn)]


def _learn(
    workspace: Workspace, message: str, previous: str | None, turn: Record | None
) -> Reflection:
    found = signals(message, previous)
    if found and previous is None and turn is not None:  # rare, so the session is read only now
        previous = _answer_before(workspace, turn)
        found = signals(message, previous) if previous else found
    found = found or _read(workspace, message)
    if not found:
        return Reflection()
    if not workspace.consents.may_learn:
        return Reflection(note=rules.NO_CONSENT)
    usable = _usable(workspace, found)
    if not usable:
        return Reflection()
    scope = turn.scope if turn else GLOBAL
    learned = rules.learn(workspace, usable, turn.id if turn else None, scope)
    return Reflection(tuple(usable), learned)


def _read(workspace: Workspace, message: str) -> list[Signal]:
    """Standing instructions that no pattern sees, as the reader does, in the user's words."""
    if (reader := workspace.shared.reader) is None:
        return []
    found = rules_read(message, *readings_of(message, reader))
    return [Signal(SteeringType.PREFERENCE, rule, sure) for rule, sure in found]


def _propose(workspace: Workspace, report: Record) -> Reflection:
    """Store what an agent says that the user wants; it has no effect until the user accepts it."""
    reported = signals(in_user_words(report.text))
    if not reported or not workspace.consents.may_learn:
        return Reflection()
    usable = [
        replace(signal, confidence=min(signal.confidence, REPORTED_CONFIDENCE))
        for signal in _usable(workspace, reported)
    ]
    return Reflection(tuple(usable), rules.propose(workspace, usable, report))


def _usable(workspace: Workspace, candidates: Sequence[Signal]) -> list[Signal]:
    """Signals of enough confidence and not too long, redacted by the policy [resolution 16]."""
    policy = workspace.settings.privacy.stored
    redacted = [replace(signal, rule=redact(signal.rule, policy).text) for signal in candidates]
    return [signal for signal in redacted if rules.objection(signal) is None]


def _is_own_message(turn: Record) -> bool:
    own = turn.provenance.trust is Trust.USER and turn.role is Role.USER
    return own and turn.kind is Kind.TURN


def _stored_turn(workspace: Workspace, message: str, session: str | None) -> Record | None:
    """The turn that holds the message, if it is among the latest."""
    latest = workspace.store.latest(session, _TURNS_BACK)
    text = redact(message, workspace.settings.privacy.stored).text.strip()
    return next((turn for turn in reversed(latest) if turn.text.strip() == text), None)


def _answer_before(workspace: Workspace, turn: Record) -> str | None:
    """The assistant's last message before a turn."""
    latest = workspace.store.latest(turn.session_id, _TURNS_BACK)
    before = [one for one in latest if one.number < turn.number and one.role is Role.ASSISTANT]
    return before[-1].text if before else None
