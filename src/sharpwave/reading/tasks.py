"""Notes: rules of thumb.  SPEC: TSK-03.

A note is a conclusion of the speaker: "I've found that…". How to help is read by `steering/`.
"""

import re
from collections.abc import Iterator

from sharpwave.knowledge.predicates import person
from sharpwave.reading.grammar.lexicon import word_list, words
from sharpwave.reading.grammar.predications import Predication, Tense
from sharpwave.reading.grammar.tokens import Phrase

NOT_TASKS = word_list("no_task_verbs")


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


def note_of(predication: Predication) -> Iterator[str]:
    """Match "I learned that spinners work better than bait", "I learn best with examples"."""
    if not predication.first_person or predication.negated:
        return
    if predication.verb in _LEARNED and predication.tense in {Tense.PAST, Tense.PERFECT}:
        if predication.rest.word(0) == "that":
            rest = predication.rest.cut(1)
            if len(rest) >= 4 and rest.word(0) not in {"i", "it", "he", "she", "they", "you"}:
                yield _note_text(predication, f"{predication.form} that {rest.with_times()}")
    elif predication.verb in {"learn", "work", "understand"} and predication.tense is Tense.PRESENT:
        if predication.rest.word(0) == "best" and len(predication.rest) > 1:
            yield _note_text(predication, f"{predication.verb}s {predication.rest.with_times()}")


def _note_text(predication: Predication, statement: str) -> str:
    note_text = f"{person(predication.subject)} {statement}"
    return note_text[:1].upper() + note_text[1:]


def note_labelled(phrase: Phrase) -> Iterator[str]:
    """Match "lesson learned: book early", "the trick is to let it rest"."""
    if _LABELS.isdisjoint(phrase.low[:4]):
        return
    text = " ".join(phrase.low[:8]) + " "
    if match := _LABEL.match(text):
        rest = phrase.cut(len(match[0].split()))
        if len(rest) >= 2:
            yield capital(rest.with_times())
