"""Put reports about the user from the third into the first person.

"The user works at Acme; she has a dog" becomes the tokens of "I work at Acme; I have a dog", each
with its span in the text, so that the same rules read both. Only sentences about this user are
converted: "this lets the user log in" is about any user.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sharpwave.reading.grammar.clauses import sentences
from sharpwave.reading.grammar.lexicon import (
    ADVERBS,
    ANIMALS,
    BE,
    DAYS,
    DO,
    HAVE,
    MODALS,
    MONTHS,
    RELATIONS,
    is_past,
    lemma,
    words,
)
from sharpwave.reading.grammar.tokens import MASKED, Token, tokenize
from sharpwave.types.records import Channel, Kind, Record, Role, Trust
from sharpwave.types.statements import Span

Names = frozenset[tuple[str, ...]]
"""Names of the user, each as its words in lower case."""

_I, _MY = "i", "my"
_ARTICLES = words("the this our my")
_USER = words("user human")
_USER_PRONOUNS = {
    "they": _I, "he": _I, "she": _I, "their": _MY, "his": _MY, "her": _MY, "them": "me",
    "him": "me", "themselves": "myself", "himself": "myself", "herself": "myself",
    "theirs": "mine", "hers": "mine",
}  # fmt: skip
_REPORTER_PRONOUNS = {_I: "you", "me": "you", _MY: "your"}
"""Pronouns of the reporting agent: "the user wants me to …"."""
_PLURAL_PRONOUNS = words("they their them themselves theirs")
_NOTE_WORDS = words(
    "note noted that remember fact fyi important update reminder context info memory profile "
    "summary : - * \u2022 # ["
)
_LEADS = (
    (ADVERBS - words("once"))
    | DAYS
    | MONTHS
    | _NOTE_WORDS
    | words(
        "and but so , as of in on at since this last next week month year it seems appears i we"
    )
    | words("think believe guess suspect assume learned noticed understand know according to")
)
"""Words that may precede the user in a sentence about the user."""
_SAYING_VERBS = words(
    """said says mentioned mentions told stated states confirmed confirms noted notes indicated
    indicates shared revealed explained reported reports clarified added adds"""
)
_NOT_VERBS = words(
    "settings details credentials preferences stories groups roles permissions names"
)
"""Nouns after "the user" that look like verbs."""
_ELIDED_VERBS = words("lives prefers likes loves hates dislikes enjoys speaks owns studies drives")
_ELIDED_PAIRS = {"works": words("at as for in"), "is": words("allergic from vegan married")}
_AFTER_I = {"is": "am", "are": "am", "were": "was", "has": "have", "does": "do", "do": "do"}


_SECOND_PERSON = re.compile(r"\b(?:you|your|yours|yourself)\b", re.IGNORECASE)


def is_report(turn: Record) -> bool:
    """True for an agent's note about the user.

    Not for an overheard answer, nor for one with "you": there "the user" is any user of some
    program. Tools and pages are not trusted, whatever they state about the user.
    """
    provenance = turn.provenance
    if turn.kind is not Kind.TURN or provenance.trust is not Trust.INFERRED:
        return False
    if provenance.channel is Channel.MCP:
        return True
    overheard = provenance.channel is Channel.ADAPTER or turn.role is not Role.ASSISTANT
    return not (overheard or _SECOND_PERSON.search(turn.text))


def name_forms(names: Iterable[str]) -> Names:
    """The forms of a user's names: the whole name, and its first word.

    >>> sorted(name_forms(["Marta Silva"]))
    [('marta',), ('marta', 'silva')]
    """
    whole = [tuple(name.lower().split()) for name in names if name.strip()]
    return frozenset([*whole, *(name[:1] for name in whole)])


class SplitTokens(NamedTuple):
    """The tokens of sentences about the user, in the first person, and all other tokens."""

    about_user: list[Token]
    rest: list[Token]


def split_by_user(tokens: Sequence[Token], names: Names) -> SplitTokens:
    """Separate the sentences about the user from a text, and put them into the first person."""
    about_user, rest = SplitTokens([], [])
    other_people = _OtherPeople()
    continues = False
    end = 0
    for index, (first, last, mark) in enumerate(sentences(tokens)):
        sentence = tokens[first:last]
        begin = _user_start(sentence, names, continues=continues, is_first=index == 0)
        continues = begin is not None and mark != "?"
        if begin is None or not continues:
            rest += tokens[end : last + 1]
        else:
            about_user += [
                *_in_first_person(sentence[begin:], names, other_people),
                *tokens[last : last + 1],
            ]
        end = last + 1
    return SplitTokens(about_user, rest)


def in_first_person(text: str, names: Names, tokens: Sequence[Token]) -> str:
    """The sentences about the user in the first person: "The user wants tabs" is "I want tabs".

    >>> from sharpwave.reading.grammar.tokens import tokenize
    >>> report = "The user works at Acme. Done! She doesn't like tabs."
    >>> in_first_person(report, frozenset(), tokenize(report))
    'i work at Acme .'
    """
    return _written(text, split_by_user(tokens, names).about_user)


def sentences_in_first_person(text: str, names: Names, spans: Sequence[Span]) -> list[str]:
    """Each sentence about the user in the first person; "" for sentences about other things.

    >>> report = "The user works at Acme. Done!"
    >>> sentences_in_first_person(report, frozenset(), [Span(0, 23), Span(24, 29)])
    ['i work at Acme .', '']
    """
    about_user = split_by_user(tokenize(text), names).about_user
    return [
        _written(text, [token for token in about_user if span.start <= token.start < span.end])
        for span in spans
    ]


def _written(text: str, tokens: Iterable[Token]) -> str:
    forms = []
    for token in tokens:
        written = text[token.start : token.end]
        if token.low != MASKED:
            forms.append(written if written.lower() == token.low else token.low)
    return " ".join(forms)


@dataclass(slots=True)
class _OtherPeople:
    """Other people mentioned since the user was: "she" may then be another person."""

    person: bool = False
    group: bool = False

    def note(self, word: str) -> None:
        self.person = self.person or word in RELATIONS or word in ANIMALS
        singular = "child" if word == "children" else word.removesuffix("s")
        self.group = self.group or (singular != word and singular in RELATIONS)

    def forget(self) -> None:
        self.person = self.group = False

    def may_be(self, pronoun: str) -> bool:
        return self.group if pronoun in _PLURAL_PRONOUNS else self.person


def _user_start(
    sentence: Sequence[Token], names: Names, *, continues: bool, is_first: bool
) -> int | None:
    """Start of the part of a sentence that is about the user; None if there is none."""
    for position, token in enumerate(sentence):
        if size := _user_at(sentence, position, names):
            return _about_user_from(sentence, position, size, names)
        if continues and _USER_PRONOUNS.get(token.low) in {_I, _MY}:
            return _without_lead(sentence, position)
        if token.low not in _LEADS and not token.low[0].isdigit():
            break
    return 0 if (continues or is_first) and _is_elided(sentence) else None


def _about_user_from(sentence: Sequence[Token], at: int, size: int, names: Names) -> int | None:
    after = at + size
    if at > 1 and [token.low for token in sentence[at - 2 : at]] == ["according", "to"]:
        return _user_after(sentence, after + 1, names)
    while after < len(sentence) and sentence[after].low in ADVERBS:
        after += 1
    verb, second = (*(token.low for token in sentence[after : after + 2]), "", "")[:2]
    if verb in _SAYING_VERBS or (verb in HAVE and second in _SAYING_VERBS):
        after += 1 + (verb in HAVE)
        while after < len(sentence) and sentence[after].low in {"me", "us", "that"}:
            after += 1
        if after < len(sentence) and sentence[after].low == "to":
            return at  # "the user told me to …"
        return _user_after(sentence, after, names)
    possessive = sentence[at + size].low == "'s" if at + size < len(sentence) else False
    if verb in MODALS | {"will", "shall"} or not (possessive or _may_be_verb(verb)):
        return None
    return _without_lead(sentence, at)


def _user_after(sentence: Sequence[Token], position: int, names: Names) -> int | None:
    """The position, if the user is mentioned there again: "the user said that *she* …"."""
    if position >= len(sentence):
        return None
    is_user = _USER_PRONOUNS.get(sentence[position].low) in {_I, _MY} or _user_at(
        sentence, position, names
    )
    return position if is_user else None


def _without_lead(sentence: Sequence[Token], position: int) -> int:
    """The start without a lead such as "Note that", but with "maybe" and "as of May"."""
    while position and sentence[position - 1].low not in _NOTE_WORDS:
        position -= 1
    return position


def _may_be_verb(word: str) -> bool:
    if word in BE or word in HAVE or word in DO or word in {"no", "not", "never", "used", "and"}:
        return True
    return is_past(word) or (
        word.endswith("s") and not word.endswith("ss") and word not in _NOT_VERBS
    )


def _is_elided(sentence: Sequence[Token]) -> bool:
    """True for a sentence without a subject, which is about the user: "Prefers tabs."."""
    first, second = (*(token.low for token in sentence[:2]), "", "")[:2]
    return first in _ELIDED_VERBS or second in _ELIDED_PAIRS.get(first, ())


def _user_at(sentence: Sequence[Token], position: int, names: Names) -> int:
    """Number of words that name the user at a position; 0 if none do."""
    low = [token.low for token in sentence[position : position + 4]]
    if low[0] in _ARTICLES and low[1:2] and low[1] in _USER:
        return 2
    if low[0] in _USER and sentence[position].capital:
        return 1
    if sentence[position].capital:
        for name in sorted(names, key=len, reverse=True):
            if tuple(low[: len(name)]) == name:
                return len(name)
    return 0


def _in_first_person(
    sentence: Sequence[Token], names: Names, other_people: _OtherPeople
) -> Iterator[Token]:
    """Put a sentence into the first person; other people stay in the third person."""
    position, verb_next = 0, _is_elided(sentence)
    if verb_next:
        yield sentence[0]._replace(low=_I, end=sentence[0].start)
    while position < len(sentence):
        token = sentence[position]
        size = _user_at(sentence, position, names)
        pronoun = _USER_PRONOUNS.get(token.low)
        if size:
            other_people.forget()
            is_possessive = (
                position + size < len(sentence) and sentence[position + size].low == "'s"
            )
            size += is_possessive
            verb_next = not is_possessive
            yield token._replace(
                low=_MY if is_possessive else _I, end=sentence[position + size - 1].end
            )
        elif pronoun and not other_people.may_be(token.low):
            verb_next = pronoun == _I
            yield token._replace(low=pronoun)
        elif token.low in _REPORTER_PRONOUNS:
            yield token._replace(low=_REPORTER_PRONOUNS[token.low])
        elif verb_next and token.low not in ADVERBS:
            verb_next = False
            yield token._replace(low=_first_person_form(token.low))
        else:
            other_people.note(token.low)
            yield token
        position += max(1, size)


def _first_person_form(verb: str) -> str:
    """The form after "I": `am` for `is`, `work` for `works`; a past form stays.

    >>> [_first_person_form(verb) for verb in ("is", "works", "studies", "moved", "was")]
    ['am', 'work', 'study', 'moved', 'was']
    """
    if verb in _AFTER_I:
        return _AFTER_I[verb]
    return lemma(verb) if verb.endswith("s") and not is_past(verb) else verb
