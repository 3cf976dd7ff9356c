"""The result of a pattern, and the mode and certainty that all patterns share."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from enum import StrEnum
from typing import NamedTuple

from sharpwave.reading.grammar.lexicon import HEDGES
from sharpwave.reading.grammar.objects import thing
from sharpwave.reading.grammar.predications import Predication, Tense
from sharpwave.reading.grammar.tokens import Phrase
from sharpwave.types.statements import Mode

CLEAR = 0.9
"""Confidence of a form that hardly ever means something else."""
LIKELY = 0.75
"""Confidence of a form that mostly has this meaning."""
HEDGED = 0.6
"""Confidence with "maybe" or "I think": too low for the gate."""


class When(StrEnum):
    """The meaning of a time in the same clause."""

    STATE = "state"
    """The time since when it is true, or when it ended."""
    EVENT = "event"
    """The time when it happened."""
    DATE = "date"
    """The content of the fact itself, such as a birthday, and not its validity."""
    DAY = "day"
    """The same for the day of an event: its full date is added beside "Friday"."""


class FactMatch(NamedTuple):
    """One fact that a rule found."""

    predicate: str
    object: str
    confidence: float = CLEAR
    mode: Mode = Mode.HOLDS
    subject: str | None = None
    """None for the subject of the clause."""
    instead_of: str | None = None
    when: When = When.STATE


Rule = Callable[[Predication], Iterable[FactMatch]]
Rules = Mapping[str, Rule]
"""Rules by the base form of the verb that triggers them."""


def mode_of(predication: Predication) -> Mode:
    """Denied, ended or true, by the form of the verb."""
    if predication.ended:
        return Mode.ENDED
    return Mode.DENIED if predication.negated else Mode.HOLDS


def state_mode(predication: Predication) -> Mode:
    """Like `mode_of`, for states: "I lived in Porto" has ended."""
    if predication.tense is Tense.PAST and not predication.negated:
        return Mode.ENDED
    return mode_of(predication)


def certainty(confidence: float, predication: Predication) -> float:
    """The confidence, reduced for hedges and for a guessed subject."""
    if (
        predication.clause.hedged
        or predication.modal in {"might", "may", "could"}
        or predication.adverbs & HEDGES
    ):
        return min(confidence, HEDGED)
    if predication.weak:
        return min(confidence, LIKELY)
    return confidence


DONE = frozenset({Tense.PAST, Tense.PERFECT})
ONGOING = frozenset({Tense.GOING_ON, Tense.LATELY})
LASTING = ONGOING | {Tense.PRESENT}
_STATED = LASTING | DONE


def verb_rule(
    predicate: str,
    *leads: str,
    object_of: Callable[[Phrase], str] = thing,
    confidence: float = CLEAR,
    mode: Callable[[Predication], Mode] = mode_of,
    tenses: Collection[Tense] = _STATED,
    when: When = When.STATE,
) -> Rule:
    """The rule for a verb with its object after one of `leads`, as "from" in "I come from Porto".

    `object_of` finds the object in the words after the lead; without leads it follows the verb.
    """

    def rule(predication: Predication) -> Iterator[FactMatch]:
        lead = next((phrase for phrase in leads if predication.rest.starts(*phrase.split())), None)
        if predication.tense not in tenses or (leads and lead is None):
            return
        if object_text := object_of(predication.rest.cut(len((lead or "").split()))):
            yield FactMatch(predicate, object_text, confidence, mode(predication), when=when)

    return rule
