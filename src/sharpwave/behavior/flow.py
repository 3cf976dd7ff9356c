"""Reflection: learn from a user's turn how to help this user [BEH-01].

    1 consent     the user              -> may anything be learned
    2 withdrawn   the text and rules    -> rules that are taken back       withdrawals.py
    3 signals     the rest              -> standing instructions           signals.py
    4 changed     the text and rules    -> rules that it ends or replaces  changed_rules.py
    5 learn       signals and rules     -> new, reinforced, superseding    rules.py

Runs after the turn is stored, so that a failure here loses nothing.
"""

from collections.abc import Sequence

from sharpwave.behavior import rules
from sharpwave.behavior.changed_rules import changed
from sharpwave.behavior.signals import (
    as_read,
    in_user_words,
    reported_signals,
    usable_signals,
)
from sharpwave.behavior.structured_rules import GivenRules
from sharpwave.behavior.withdrawals import withdrawn
from sharpwave.formulas.rules import GLOBAL, holds_in
from sharpwave.knowledge.names import own_names
from sharpwave.privacy.redaction import redact
from sharpwave.reading.grammar.reported import is_report
from sharpwave.reading.quotes import is_from_user
from sharpwave.reading.sentences import itemised
from sharpwave.reading.steering.signals import signals
from sharpwave.types.records import Kind, Record, Role, Trust
from sharpwave.types.steering import Reflection
from sharpwave.workspace import Workspace

UNTRUSTED = "nothing was learned: only the user's own words make rules"
NO_RULES = GivenRules()
_TURNS_BACK = 8
"""Turns of a session that are searched for the message and for the answer before it."""


def reflect(
    workspace: Workspace, message: str, previous: str | None = None, session: str | None = None
) -> Reflection:
    """Learn from one message; if it was remembered, its turn becomes the evidence."""
    turn = _stored_turn(workspace, message, session)
    if turn is not None and not _is_own_message(turn):
        return Reflection(note=UNTRUSTED)
    return _learn(workspace, message, previous, turn)


def reflect_on(
    workspace: Workspace, turns: Sequence[Record], given: GivenRules = NO_RULES
) -> list[Reflection]:
    """Learn from turns that were just stored; rules that agents report are only proposed.

    Rules that were `given` with the turns are not learned again.
    """
    names = own_names(workspace.store, turns)
    own = [
        _learn(workspace, turn.text, None, turn, given)
        for turn in turns
        if _is_own_message(turn) and is_from_user(turn, names)  # friends give each other advice
    ]
    return own + [_propose(workspace, turn, given) for turn in turns if is_report(turn)]


def _learn(
    workspace: Workspace,
    message: str,
    previous: str | None,
    turn: Record | None,
    given: GivenRules = NO_RULES,
) -> Reflection:
    scope = turn.scope if turn else GLOBAL
    in_force = [rule for rule in rules.stored(workspace) if holds_in(rule.scope, scope)]
    ended, remainder = withdrawn(workspace, message, in_force, turn.id if turn else "", scope)
    found = signals(itemised(remainder), previous)
    if found and previous is None and turn is not None:  # rare, so the session is read only now
        previous = _answer_before(workspace, turn)
        found = signals(itemised(remainder), previous) if previous else found
    found = as_read(remainder, found, _derived_records(workspace, turn), workspace.shared.reader)
    if turn is not None:
        found = [signal for signal in found if not given.covers(signal.rule, turn)]
        remaining = [
            rule for rule in in_force if all(rule.id != operation.known for operation in ended)
        ]
        changes, found = changed(workspace, message, remaining, found, turn, given.of_all)
        ended += changes
    if not (found or ended):
        return Reflection()
    if not workspace.consents.may_learn:
        return Reflection(note=workspace.consents.learning_refusal)
    ended_rules = rules.apply(workspace, ended)
    usable = usable_signals(workspace, found)
    learned = rules.learn(workspace, usable, turn.id if turn else None, scope) if usable else ()
    return Reflection(tuple(usable), ended_rules + learned)


def _derived_records(workspace: Workspace, turn: Record | None) -> list[Record]:
    """Facts and tasks that were learned from a turn."""
    ids = [turn.id] if turn else []
    children = {child for group in workspace.store.derived(ids).values() for child in group}
    return workspace.store.find(sorted(children))


def _propose(workspace: Workspace, report: Record, given: GivenRules) -> Reflection:
    """Store a rule that an agent reports; it has no effect until the user accepts it."""
    read = signals(in_user_words(report.text))
    reported = [signal for signal in read if not given.covers(signal.rule, report)]
    if not reported or not workspace.consents.may_learn:
        return Reflection()
    usable = reported_signals(workspace, reported)
    return Reflection(tuple(usable), rules.propose(workspace, usable, report))


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
    before = [
        record for record in latest if record.number < turn.number and record.role is Role.ASSISTANT
    ]
    return before[-1].text if before else None
