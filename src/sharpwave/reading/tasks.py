"""Tasks (what has to be done) and notes (rules of thumb).  SPEC: TSK-03.

A note is what the speaker concluded: "I've found that…". How to help is read by `steering/`.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from sharpwave.knowledge.predicates import person
from sharpwave.reading.grammar.lexicon import lemma, word_list, words
from sharpwave.reading.grammar.objects import ENDS, means_something, trimmed
from sharpwave.reading.grammar.predications import Predication, Tense
from sharpwave.reading.grammar.tokens import Phrase
from sharpwave.reading.patterns.match import LIKELY
from sharpwave.temporal.words import WEEKDAYS


class TaskMatch(NamedTuple):
    """Something to do."""

    title: str
    confidence: float
    timed: bool = True
    """The time that its clause names is when it is due."""


NOT_TASKS = word_list("no_task_verbs")
_ENDS = ENDS - {",", "-"} | {"and"}
_DETERMINERS = words("the a an my our his her their some")


def task_of(said: Predication) -> Iterator[TaskMatch]:
    """As in "I need to renew my passport by Friday"."""
    if not said.first_person or said.plural:
        return
    rest = said.rest
    if said.verb in {"need", "have"} and rest.word(0) == "to" and _is_open(said):
        yield from _to_do(rest.cut(1), 0.85)
    elif said.modal in {"must", "should"} and said.tense is Tense.MODAL and not said.negated:
        if said.form != said.verb or said.whole.word(0) != said.form:
            return  # "I must have forgotten", "I should be really careful" are no duties
        yield from _to_do(said.whole, LIKELY if said.modal == "must" else 0.7)
    elif said.verb == "mean" and said.tense is Tense.LATELY and rest.word(0) == "to":
        yield from _to_do(rest.cut(1), 0.85)
    elif (
        said.verb == "forget" and said.tense in {Tense.PAST, Tense.PRESENT} and rest.word(0) == "to"
    ):
        yield from _to_do(rest.cut(1), LIKELY)


def _is_open(said: Predication) -> bool:
    return said.tense in {Tense.PRESENT, Tense.FUTURE} and not said.negated and not said.ended


def _to_do(phrase: Phrase, sure: float) -> Iterator[TaskMatch]:
    verb = lemma(phrase.word(0))
    kept = phrase.until(_ENDS)
    while phrase.word(len(kept)) == "and" and phrase.word(len(kept) + 1) in _DETERMINERS:
        kept = phrase.until(_ENDS, len(kept) + 1)  # "the bank and the insurance"
    comma = kept.find(",")
    kept = kept.cut(0, comma) if comma > 1 else kept
    timed = any(phrase.is_time(at) for at in range(len(phrase)))
    concrete = kept.cut(1)
    if verb in NOT_TASKS and not (timed and len(concrete) > 2 and means_something(concrete)):
        return
    if concrete.word(0) in {"it", "that", "this", "them", "you", "something", "more"}:
        return
    named = kept.is_time(1) and kept.capital(1) and kept.word(1) not in WEEKDAYS  # "call April"
    title = kept.with_times() if named else trimmed(kept)
    if title and means_something(concrete):
        yield TaskMatch(capital(title), sure, timed=not named)


def task_due(phrase: Phrase) -> Iterator[TaskMatch]:
    """As in "the report is due on Friday"."""
    if phrase.word(0) not in {"the", "my", "our"}:
        return
    due = phrase.find("due")
    verb = next((at for at, word in enumerate(phrase.low[:9]) if word in {"is", "are"}), -1)
    if verb < 2:
        return
    if 0 < due <= verb + 2 and phrase.word(due + 1) != "to":
        yield TaskMatch(capital(f"finish {phrase.cut(0, verb)}"), LIKELY)


def capital(title: str) -> str:
    """The title with a capital letter in front."""
    return title[:1].upper() + title[1:]


NOTE = 0.75
_LEARNED = words("find learn realize discover notice")
_LABEL = re.compile(
    r"^(?:the )?(?:lesson(?: learned)?|note to self|rule of thumb|tip|key takeaway|takeaway|trick)"
    r" (?::|is(?: to| that)?) "
)


_LABELS = words("lesson note rule tip takeaway trick")


def note_of(said: Predication) -> Iterator[str]:
    """As in "I learned that spinners work better than bait", "I learn best with examples"."""
    if not said.first_person or said.negated:
        return
    if said.verb in _LEARNED and said.tense in {Tense.PAST, Tense.PERFECT}:
        if said.rest.word(0) == "that":
            rest = said.rest.cut(1)
            if len(rest) >= 4 and rest.word(0) not in {"i", "it", "he", "she", "they", "you"}:
                yield _told(said, f"{said.form} that {rest.with_times()}")
    elif said.verb in {"learn", "work", "understand"} and said.tense is Tense.PRESENT:
        if said.rest.word(0) == "best" and len(said.rest) > 1:
            yield _told(said, f"{said.verb}s {said.rest.with_times()}")


def _told(said: Predication, what: str) -> str:
    note_text = f"{person(said.who)} {what}"
    return note_text[:1].upper() + note_text[1:]


def note_labelled(phrase: Phrase) -> Iterator[str]:
    """As in "lesson learned: book early", "the trick is to let it rest"."""
    if _LABELS.isdisjoint(phrase.low[:4]):
        return
    text = " ".join(phrase.low[:8]) + " "
    if match := _LABEL.match(text):
        rest = phrase.cut(len(match[0].split()))
        if len(rest) >= 2:
            yield capital(rest.with_times())
