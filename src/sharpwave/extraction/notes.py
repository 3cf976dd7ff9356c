"""Rules of thumb that the speaker came to: "I've found that…", "lesson learned: …"."""

import re
from collections.abc import Iterator

from sharpwave.extraction.reading.lexicon import words
from sharpwave.extraction.reading.phrases import Phrase
from sharpwave.extraction.reading.predications import Predication, Tense
from sharpwave.predicates import person

NOTE = 0.75
_LEARNED = words("find learn realize discover notice")
_LABEL = re.compile(
    r"^(?:the )?(?:lesson(?: learned)?|note to self|rule of thumb|tip|key takeaway|takeaway|trick)"
    r" (?::|is(?: to| that)?) "
)


def note_of(said: Predication) -> Iterator[str]:
    """As in "I learned that spinners work better than bait"."""
    if said.verb in _LEARNED and said.first_person and not said.negated:
        if said.tense in {Tense.PAST, Tense.PERFECT} and said.rest.word(0) == "that":
            rest = said.rest.cut(1)
            if len(rest) >= 4 and rest.word(0) not in {"i", "it", "he", "she", "they", "you"}:
                told = f"{person(said.who)} {said.form} that {rest}"
                yield told[:1].upper() + told[1:]


def note_labelled(phrase: Phrase) -> Iterator[str]:
    """As in "lesson learned: book early", "the trick is to let it rest"."""
    text = " ".join(phrase.low[:8]) + " "
    if match := _LABEL.match(text):
        rest = phrase.cut(len(match[0].split()))
        if len(rest) >= 2:
            said = str(rest)
            yield said[:1].upper() + said[1:]
