"""Standing instructions in messages, by patterns and a trained reader, and in agents' reports."""

import re
from collections.abc import Sequence
from dataclasses import replace

from sharpwave.behavior import rules
from sharpwave.ports import Reader
from sharpwave.privacy.redaction import redact
from sharpwave.reading.grammar.reported import in_first_person
from sharpwave.reading.grammar.tokens import tokenize
from sharpwave.reading.open_statements import rules as rules_read
from sharpwave.reading.open_statements import stems
from sharpwave.reading.quotes import is_named
from sharpwave.reading.read import readings_of
from sharpwave.reading.steering.judging import PLAIN
from sharpwave.reading.steering.signals import signals
from sharpwave.types.records import Kind, Record
from sharpwave.types.statements import Reading
from sharpwave.types.steering import Signal, SteeringType
from sharpwave.workspace import Workspace

LEAST_LIKELY = 0.1
"""Minimum probability of a rule in a message; below it, plain orders do not count."""
LONG_ENOUGH = 8
"""Minimum words of a message for that check: the reader has seen few short orders."""
REPORTED_CONFIDENCE = 0.5
"""Maximum confidence of a rule that an agent reports; the user must accept it."""
_ORDER = re.compile(
    r"\bi (?:always )?(?:asked|ask|told|said|instructed|want|wanted|requested|request)"
    r"(?: that)? (?:you )?(?:to )(?=\w+ )"
)
_WISH = re.compile(r"\bi (?:want|expect|requested|request|asked for)(?: that)? (?!you\b|to\b)")


def as_read(
    message: str, found: Sequence[Signal], kept: Sequence[Record], reader: Reader | None
) -> list[Signal]:
    """The signals that patterns `found` and the reader confirms, and those that the reader adds.

    `kept` was learned from the message: a fact about how a team works is not also a rule, and
    "forget the dentist" is not a rule if it ends a task.
    """
    if reader is None:
        return [*found]
    found = [signal for signal in found if not any(_states_fact(signal, fact) for fact in kept)]
    spans, readings = readings_of(message, reader)
    if len(message.split()) >= LONG_ENOUGH:
        found = _likely(found, readings)
    if any(record.kind is Kind.TASK and record.valid_to is not None for record in kept):
        return [*found]
    seen = {signal.rule for signal in found}
    return [
        *found,
        *(
            Signal(SteeringType.PREFERENCE, rule, confidence)
            for rule, confidence in rules_read(message, spans, readings)
            if not any(is_named(seen_rule, rule) or is_named(rule, seen_rule) for seen_rule in seen)
            and seen.isdisjoint(signal.rule for signal in signals(rule))
        ),
    ]


def _states_fact(signal: Signal, fact: Record) -> bool:
    """True for a signal about how things are done that is stored as this fact."""
    if signal.type is not SteeringType.KNOWLEDGE or fact.kind is not Kind.FACT:
        return False
    stated = stems(fact.statement.object if fact.statement else fact.text)
    rule = stems(signal.rule)
    in_other_form = len(rule - stated) <= 1 < len(rule)  # "uses" for "use"
    return bool(stated) and (stated <= rule or in_other_form)


def _likely(found: Sequence[Signal], readings: Sequence[Reading]) -> list[Signal]:
    """The found signals, without plain orders if the reader sees no rule in the message."""
    if max((reading.rule for reading in readings), default=1.0) >= LEAST_LIKELY:
        return [*found]
    orders = {SteeringType.PREFERENCE, SteeringType.CORRECTION}
    return [signal for signal in found if signal.type not in orders or signal.confidence > PLAIN]


def in_user_words(report: str) -> str:
    """An agent's report in the first person; "" if it is not about the user.

    >>> in_user_words("The user wants answers in bullet points.")
    'i prefer answers in bullet points .'
    >>> in_user_words("The user told me to never push to main.")
    'never push to main .'
    """
    text = in_first_person(report, frozenset(), tokenize(report))
    return _WISH.sub("i prefer ", _ORDER.sub("", text))


def usable_signals(workspace: Workspace, candidates: Sequence[Signal]) -> list[Signal]:
    """Signals of enough confidence and not too long, redacted by the policy [resolution 16]."""
    policy = workspace.settings.privacy.stored
    redacted = [replace(signal, rule=redact(signal.rule, policy).text) for signal in candidates]
    return [signal for signal in redacted if rules.objection(signal) is None]


def reported_signals(workspace: Workspace, candidates: Sequence[Signal]) -> list[Signal]:
    """Usable signals with their confidence capped at REPORTED_CONFIDENCE."""
    return [
        replace(signal, confidence=min(signal.confidence, REPORTED_CONFIDENCE))
        for signal in usable_signals(workspace, candidates)
    ]
