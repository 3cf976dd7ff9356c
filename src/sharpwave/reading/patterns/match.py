"""What a pattern returns, and the marks of mode and certainty that all share."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from enum import StrEnum
from typing import NamedTuple

from sharpwave.reading.grammar.lexicon import HEDGES
from sharpwave.reading.grammar.objects import thing
from sharpwave.reading.grammar.predications import Predication, Tense
from sharpwave.reading.grammar.tokens import Phrase
from sharpwave.types.statements import Mode

CLEAR = 0.9
"""A plain statement in a form that hardly ever means something else."""
LIKELY = 0.75
"""A form that mostly means it."""
HEDGED = 0.6
"""Said with "maybe" or "I think": below what the gate lets in."""


class When(StrEnum):
    """What a time in the same clause means."""

    STATE = "state"
    """Since when it holds, or when it ended."""
    EVENT = "event"
    """When it happened."""
    PLAN = "plan"
    """When it is going to be."""
    DATE = "date"
    """What the fact itself says, such as a birthday; nothing about since when it holds."""
    DAY = "day"
    """The same for the day of an event, whose full date is added beside "Friday"."""


class FactMatch(NamedTuple):
    """One fact, as a rule sees it."""

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
"""Rules by the plain form of the verb that they wait for."""


def mode_of(said: Predication) -> Mode:
    """Denied, ended or holding, as the verb is put."""
    if said.ended:
        return Mode.ENDED
    return Mode.DENIED if said.negated else Mode.HOLDS


def state_mode(said: Predication) -> Mode:
    """As `mode_of`, for what lasts: "I lived in Porto" has ended."""
    if said.tense is Tense.PAST and not said.negated:
        return Mode.ENDED
    return mode_of(said)


def certainty(confidence: float, said: Predication) -> float:
    """The confidence after hedges and a subject that had to be guessed."""
    if said.clause.hedged or said.modal in {"might", "may", "could"} or said.adverbs & HEDGES:
        return min(confidence, HEDGED)
    if said.weak:
        return min(confidence, LIKELY)
    return confidence


DONE = frozenset({Tense.PAST, Tense.PERFECT})
ONGOING = frozenset({Tense.GOING_ON, Tense.LATELY})
LASTING = ONGOING | {Tense.PRESENT}
_STATED = LASTING | DONE


def verb_rule(
    predicate: str,
    *leads: str,
    get: Callable[[Phrase], str] = thing,
    sure: float = CLEAR,
    mode: Callable[[Predication], Mode] = mode_of,
    tenses: Collection[Tense] = _STATED,
    when: When = When.STATE,
) -> Rule:
    """The rule for a verb whose object follows one of `leads`, as "from" in "I come from Porto".

    `get` finds the object in the words behind the lead; without leads it follows the verb.
    """

    def rule(said: Predication) -> Iterator[FactMatch]:
        lead = next((one for one in leads if said.rest.starts(*one.split())), None)
        if said.tense not in tenses or (leads and lead is None):
            return
        if what := get(said.rest.cut(len((lead or "").split()))):
            yield FactMatch(predicate, what, sure, mode(said), when=when)

    return rule
