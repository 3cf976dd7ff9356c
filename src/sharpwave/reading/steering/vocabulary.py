"""Word classes that mark steering, verb forms, and the sentences of a message.

The classes are small, closed and written by hand. A verb form is reduced to its base only if the
base is a verb that an assistant can be instructed to do.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from sharpwave.reading.grammar.lexicon import LANGUAGES as LANGUAGES
from sharpwave.reading.grammar.lexicon import is_past, lemma
from sharpwave.reading.grammar.lexicon import word_list as word_list
from sharpwave.reading.grammar.lexicon import words as words
from sharpwave.reading.grammar.tokens import MASKED, Token, tokenize

_VOWELS = "aeiou"


def third(base: str) -> str:
    """The third person singular of a verb.

    >>> [third(verb) for verb in ("use", "deploy", "push", "carry", "do", "have")]
    ['uses', 'deploys', 'pushes', 'carries', 'does', 'has']
    """
    if base == "have":
        return "has"
    if base == "be":
        return "is"
    if base.endswith("y") and base[-2] not in _VOWELS:
        return base[:-1] + "ies"
    return base + ("es" if base.endswith(("s", "sh", "ch", "x", "z", "o")) else "s")


def _nouns(name: str) -> frozenset[str]:
    """The nouns of a word list and their plurals."""
    return word_list(name) | set(map(third, word_list(name)))


# --- verbs ---------------------------------------------------------------------------------------

MANNER = word_list("manner_verbs")
"""Verbs of manner: an imperative of these may be a standing instruction."""

GIVING = word_list("giving_verbs")
"""Verbs of giving: a rule only if marked as standing, or about answers in general."""

PLACING = words("put start begin end separate number")
"""Verbs of placing: standing if the instruction corrects an answer."""

SPEAKING = words("write answer respond reply speak talk explain")
"""Verbs of which only the manner is standing: in plain English, as for a child."""

TASKS = word_list("task_verbs")
"""Verbs of tasks: an imperative of these is a task unless it is marked as standing."""

NOT_ASKED = words(
    """worry forget mind panic know think believe hesitate bother hate love like care give_up want
    need understand remember cry laugh get"""
)
"""Verbs that after "don't" are comfort or a story, and no instruction."""

# --- what the assistant makes --------------------------------------------------------------------

STYLE_NOUNS = _nouns("style_nouns")
"""Nouns that make a rule one of style: the length, form and tone of an answer."""

OUTPUT = STYLE_NOUNS | _nouns("output_nouns")
"""Nouns for what an assistant produces; "your" before one of them means the assistant's."""

PLACES = words("project repo repository codebase workspace monorepo")
FILES = words("file module script notebook spreadsheet")

BEARINGS = word_list("bearings")
"""Adjectives for an answer, or for the assistant."""

WORK = _nouns("work_nouns")
"""Nouns for what a team has and uses at work."""

TEAM_VERBS = word_list("team_verbs")
"""Verbs for the practices of a team; "we" before one of them states a practice."""

# --- small words ---------------------------------------------------------------------------------

DEFINITE = words("the this that these those it them him her his their its such")
INDEFINITE = words(
    """a an some any another one two three four five six seven eight nine ten several few both
    more"""
)
PRONOUNS = words("it them this that these those")
ADVERBS = words(
    """please just simply also maybe perhaps kindly really definitely only always never still
    instead then ever first generally usually"""
)
MODALS = words("can could would will")
OBLIGATION = words("should must ought")
COMPARATIVE = words(
    """shorter longer simpler clearer briefer warmer friendlier fewer less more bigger smaller
    tighter crisper plainer softer harsher nicer better"""
)


KNOWN = MANNER | GIVING | PLACING | TASKS


def gerund(base: str) -> str:
    """The form of a verb in -ing.

    >>> [gerund(verb) for verb in ("commit", "write", "show", "be", "run", "lie")]
    ['committing', 'writing', 'showing', 'being', 'running', 'lying']
    """
    if base.endswith("ie"):
        return base[:-2] + "ying"
    if base.endswith("e") and not base.endswith(("ee", "oe", "ye")) and base != "be":
        return base[:-1] + "ing"
    return base + base[-1] + "ing" if _doubles(base) else base + "ing"


def _doubles(base: str) -> bool:
    """True if a stressed short vowel doubles the last consonant: run, commit; not visit or show."""
    if len(base) < 3 or base[-1] in "wxy" or base[-1] in _VOWELS or base[-2] not in _VOWELS:
        return False
    if base[-3] in _VOWELS:
        return False
    syllables = sum(
        1
        for index, letter in enumerate(base)
        if letter in _VOWELS and (index == 0 or base[index - 1] not in _VOWELS)
    )
    return syllables == 1 or base.endswith(("mit", "fer", "gin", "get", "put", "cur"))


def base_of_gerund(form: str) -> str | None:
    """The base form of a verb in -ing; None if the verb is not in `KNOWN`."""
    return _GERUNDS.get(form)


def base_of_past(form: str) -> str | None:
    """The base form of a verb in the past; None if the verb is not in `KNOWN`."""
    base = lemma(form)
    return base if base in KNOWN and is_past(form) else None


_GERUNDS = {gerund(base): base for base in sorted(KNOWN)}


_ENDS = frozenset(".!?\u2026;\u2013")
_ABBREVIATIONS = frozenset("mr mrs ms dr prof st vs etc e.g i.e jr sr inc ltd".split())
_QUOTE_CHARS = 60
_DASH = "\u2014"


class Word(NamedTuple):
    """A word in lower case, as written, and whether a space precedes it."""

    low: str
    text: str
    space_before: bool = True


def word(text: str) -> Word:
    """A word that is added to a rule."""
    return Word(text.lower(), text)


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence, or a clause of it."""

    words: tuple[Word, ...]
    asks: bool
    """True if it ends in a question mark."""

    @property
    def low(self) -> tuple[str, ...]:
        """Its words in lower case."""
        return tuple(word.low for word in self.words)

    def of(self, words: Sequence[Word]) -> "Sentence":
        """The same sentence with other words."""
        return replace(self, words=tuple(words))


def sentences(text: str) -> list[Sentence]:
    """The sentences of a message in the user's own words."""
    tokens = tokenize(text)
    return [
        Sentence(tuple(_words(text, tokens[first:last])), mark == "?")
        for first, last, mark in _cut(text, tokens)
        if first < last
    ]


def _cut(text: str, tokens: Sequence[Token]) -> Iterator[tuple[int, int, str]]:
    first = 0
    for index, token in enumerate(tokens):
        low = token.low
        is_end = low == _DASH or low[0] == "\n" or low.startswith("..") or _is_text(text, token)
        if low in _ENDS:
            after = text[token.end : token.end + 1]
            is_end = not after or after.isspace() or after in "\"')\u201d"
            if low == "." and index and tokens[index - 1].low in _ABBREVIATIONS and after == " ":
                is_end = False
        if is_end:
            yield first, index, low
            first = index + 1
    yield first, len(tokens), ""


def _is_text(text: str, token: Token) -> bool:
    """True for a text of others; a short quotation is a part of the sentence around it."""
    if token.low != MASKED or text[token.start : token.end].startswith("http"):
        return False
    return token.end - token.start > _QUOTE_CHARS or text[token.start].isalnum()


def _words(text: str, tokens: Sequence[Token]) -> Iterator[Word]:
    end = None
    for token in tokens:
        written = text[token.start : token.end]
        space_before = end is None or token.start > end
        split = token.low != written.lower() and token.low != MASKED
        if split:  # a part of a contraction
            space_before, written = True, token.low
        yield Word(token.low, written, space_before)
        end = token.end


def text_of(words: Sequence[Word]) -> str:
    """Join words into a text, with the original spaces."""
    return "".join((" " if word.space_before else "") + word.text for word in words).strip()
