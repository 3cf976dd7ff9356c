"""Rules that a caller passes along with messages.

With a quote from the user's own words a rule is learned as if it had been read there. Without one
it is a report and waits until the user accepts it.
"""

from collections.abc import Sequence
from typing import NamedTuple

from sharpwave.behavior import rules
from sharpwave.behavior.signals import reported_signals, usable_signals
from sharpwave.formulas.rules import GLOBAL
from sharpwave.knowledge.predicates import normal_name
from sharpwave.privacy.redaction import redact
from sharpwave.reading.quotes import (
    EARLIER_TURNS,
    NOT_FOUND,
    NOT_SAID,
    Located,
    OwnWords,
    as_claimed,
    carrier,
    claims_note,
    is_denied,
    is_named,
)
from sharpwave.reading.steering.signals import signals
from sharpwave.types.answers import Verdict
from sharpwave.types.records import Record, Trust
from sharpwave.types.steering import Learned, Signal, SteeringType
from sharpwave.types.structured import RuleInput
from sharpwave.workspace import Workspace

UNTRUSTED = "no rule was learned: nothing is learned from what a tool, a page or a file says"


class GivenRules(NamedTuple):
    """The outcome for the given rules, and their texts."""

    learned: tuple[Learned, ...] = ()
    notes: tuple[str, ...] = ()
    of_user: tuple[str, ...] = ()
    """Rules quoted from the user, each with its quote."""
    of_all: tuple[str, ...] = ()

    def covers(self, rule: str, turn: Record) -> bool:
        """True if a rule read in a turn is one of these, possibly in other words."""
        among = self.of_user if turn.provenance.trust is Trust.USER else self.of_all
        return any(is_named(rule, known_rule) for known_rule in among)


def learn(workspace: Workspace, given: Sequence[RuleInput], turns: Sequence[Record]) -> GivenRules:
    """Learn the rules that came with these turns, which are stored."""
    rests_on = carrier(turns)
    if not given or rests_on is None:
        return GivenRules(notes=(UNTRUSTED,) if given else ())
    if not workspace.consents.may_learn:
        return GivenRules(notes=(workspace.consents.learning_refusal,))
    policy = workspace.settings.privacy.stored
    earlier = workspace.store.latest(turns[-1].session_id, EARLIER_TURNS)
    words = OwnWords([*earlier, *turns], {normal_name(workspace.user_id)})
    quoted: dict[str, tuple[Record, list[Signal]]] = {}
    of_user: list[str] = []
    reported: list[Signal] = []
    unusable: list[Learned] = []
    objections: dict[str, list[str]] = {NOT_FOUND: [], NOT_SAID: []}
    for at, rule in enumerate(given):
        signal = _signal(rule)
        usable = usable_signals(workspace, [signal])
        located = words.locate(redact(rule.quote, policy).text, rule.text) if rule.quote else None
        if located and located.turn and is_denied(rule.text, rule.quote or ""):
            located = Located(None, objection=NOT_SAID)
        if not usable:
            unusable.append(Learned(Verdict.REJECTED, signal.type, redact(rule.text, policy).text))
        elif located and located.turn:
            quoted.setdefault(located.turn.id, (located.turn, []))[1].extend(usable)
            if located.turn.provenance.trust is Trust.USER:
                of_user.append(f"{rule.text} {rule.quote}")
        else:
            reported += reported_signals(workspace, [signal])
            if located:
                objections[located.objection].append(f"rules[{at}]")
    learned = [outcome for found in quoted.values() for outcome in _learned(workspace, *found)]
    if reported:
        learned += rules.propose(workspace, reported, as_claimed(rests_on))
    notes = tuple(claims_note(places, why) for why, places in objections.items() if places)
    every = tuple(rule.text for rule in given)
    return GivenRules((*learned, *unusable), notes, tuple(of_user), every)


def _learned(workspace: Workspace, turn: Record, quoted: list[Signal]) -> tuple[Learned, ...]:
    """Learn rules quoted from a turn; if an agent reported the turn, they are only proposed."""
    if turn.provenance.trust is Trust.USER:
        return rules.learn(workspace, quoted, turn.id, turn.scope)
    return rules.propose(workspace, reported_signals(workspace, quoted), turn, quoted=True)


def _signal(rule: RuleInput) -> Signal:
    """The rule as a signal, with the type that reading its text would give."""
    text = rule.text.rstrip(".")
    read = signals(rule.text)
    type_ = read[0].type if len(read) == 1 else SteeringType.PREFERENCE
    return Signal(type_, text[:1].upper() + text[1:], rule.confidence, rule.scope or GLOBAL)
