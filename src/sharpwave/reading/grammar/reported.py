"""Reports about the user in the third person, read as if the user had said them.

"The user works at Acme; she has a dog" becomes the words of "I work at Acme; I have a dog", each
still at its place in the text, so that one set of rules reads both. Only sentences that are about
the user come out: "this lets the user log in" speaks of any user, and says nothing of this one.
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
from sharpwave.reading.grammar.tokens import MASKED, Token
from sharpwave.types.records import Channel, Kind, Record, Role, Trust

Names = frozenset[tuple[str, ...]]
"""What the user is called, each name as its words in lower case."""

_I, _MY = "i", "my"
_ARTICLES = words("the this our my")
_USER = words("user human")
_SELF = {
    "they": _I, "he": _I, "she": _I, "their": _MY, "his": _MY, "her": _MY, "them": "me",
    "him": "me", "themselves": "myself", "himself": "myself", "herself": "myself",
    "theirs": "mine", "hers": "mine",
}  # fmt: skip
_REPORTER = {_I: "you", "me": "you", _MY: "your"}
"""Whoever reports speaks of himself too: "the user wants me to …"."""
_OF_MANY = words("they their them themselves theirs")
_NOTING = words(
    "note noted that remember fact fyi important update reminder context info memory profile "
    "summary : - * \u2022 # ["
)
_LEADS = (
    (ADVERBS - words("once"))
    | DAYS
    | MONTHS
    | _NOTING
    | words(
        "and but so , as of in on at since this last next week month year it seems appears i we"
    )
    | words("think believe guess suspect assume learned noticed understand know according to")
)
"""What may stand before the user in a sentence about the user."""
_SAYING = words(
    """said says mentioned mentions told stated states confirmed confirms noted notes indicated
    indicates shared revealed explained reported reports clarified added adds"""
)
_NOUNS = words("settings details credentials preferences stories groups roles permissions names")
"""What may follow "the user" and is no verb, though it looks like one."""
_ELIDED = words("lives prefers likes loves hates dislikes enjoys speaks owns studies drives")
_ELIDED_BEFORE = {"works": words("at as for in"), "is": words("allergic from vegan married")}
_FORMS = {"is": "am", "are": "am", "were": "was", "has": "have", "does": "do", "do": "do"}


_ADDRESSED = re.compile(r"\b(?:you|your|yours|yourself)\b", re.IGNORECASE)


def is_report(turn: Record) -> bool:
    """True for what an agent writes down of the user.

    An answer that was overheard is none, nor one that says "you": in those "the user" is whoever
    uses some program. What tools and pages say is not believed, whatever it says of the user.
    """
    said = turn.provenance
    if turn.kind is not Kind.TURN or said.trust is not Trust.INFERRED:
        return False
    if said.channel is Channel.MCP:
        return True
    overheard = said.channel is Channel.ADAPTER or turn.role is not Role.ASSISTANT
    return not (overheard or _ADDRESSED.search(turn.text))


def called(names: Iterable[str]) -> Names:
    """What a user of these names is called: by the whole name, and by its first word.

    >>> sorted(called(["Marta Silva"]))
    [('marta',), ('marta', 'silva')]
    """
    whole = [tuple(name.lower().split()) for name in names if name.strip()]
    return frozenset([*whole, *(name[:1] for name in whole)])


class Parted(NamedTuple):
    """The words of a text: of the sentences about the user, in the first person; the others'."""

    about_user: list[Token]
    others: list[Token]


def parted(tokens: Sequence[Token], names: Names) -> Parted:
    """Take the sentences about the user out of a text and put them into the first person."""
    about, rest = Parted([], [])
    people = _Others()
    goes_on = False
    done = 0
    for place, (first, last, mark) in enumerate(sentences(tokens)):
        sentence = tokens[first:last]
        begin = _beginning(sentence, names, goes_on=goes_on, opens=place == 0)
        goes_on = begin is not None and mark != "?"
        if begin is None or not goes_on:
            rest += tokens[done : last + 1]
        else:
            about += [*_retold(sentence[begin:], names, people), *tokens[last : last + 1]]
        done = last + 1
    return Parted(about, rest)


def in_first_person(text: str, names: Names, tokens: Sequence[Token]) -> str:
    """What a text says of the user, as the user would: "The user wants tabs" is "I want tabs".

    >>> from sharpwave.reading.grammar.tokens import tokenize
    >>> report = "The user works at Acme. Done! She doesn't like tabs."
    >>> in_first_person(report, frozenset(), tokenize(report))
    'i work at Acme .'
    """
    forms = []
    for token in parted(tokens, names).about_user:
        written = text[token.start : token.end]
        if token.low != MASKED:
            forms.append(written if written.lower() == token.low else token.low)
    return " ".join(forms)


@dataclass(slots=True)
class _Others:
    """Others mentioned since the user was: "she" may then be another person."""

    one: bool = False
    many: bool = False

    def note(self, word: str) -> None:
        self.one = self.one or word in RELATIONS or word in ANIMALS
        single = "child" if word == "children" else word.removesuffix("s")
        self.many = self.many or (single != word and single in RELATIONS)

    def forget(self) -> None:
        self.one = self.many = False

    def are_meant_by(self, pronoun: str) -> bool:
        return self.many if pronoun in _OF_MANY else self.one


def _beginning(
    sentence: Sequence[Token], names: Names, *, goes_on: bool, opens: bool
) -> int | None:
    """Where the part of a sentence begins that is about the user; None if none is."""
    for place, token in enumerate(sentence):
        if size := _user_at(sentence, place, names):
            return _about(sentence, place, size, names)
        if goes_on and _SELF.get(token.low) in {_I, _MY}:
            return _without_notes(sentence, place)
        if token.low not in _LEADS and not token.low[0].isdigit():
            break
    return 0 if (goes_on or opens) and _is_elided(sentence) else None


def _about(sentence: Sequence[Token], place: int, size: int, names: Names) -> int | None:
    after = place + size
    if place > 1 and [one.low for one in sentence[place - 2 : place]] == ["according", "to"]:
        return _meant_after(sentence, after + 1, names)
    while after < len(sentence) and sentence[after].low in ADVERBS:
        after += 1
    verb, then = (*(one.low for one in sentence[after : after + 2]), "", "")[:2]
    if verb in _SAYING or (verb in HAVE and then in _SAYING):
        after += 1 + (verb in HAVE)
        while after < len(sentence) and sentence[after].low in {"me", "us", "that"}:
            after += 1
        if after < len(sentence) and sentence[after].low == "to":
            return place  # "the user told me to …"
        return _meant_after(sentence, after, names)
    possessive = sentence[place + size].low == "'s" if place + size < len(sentence) else False
    if verb in MODALS | {"will", "shall"} or not (possessive or _may_be_verb(verb)):
        return None
    return _without_notes(sentence, place)


def _meant_after(sentence: Sequence[Token], place: int, names: Names) -> int | None:
    """There, if the user is spoken of there again: "the user said that *she* …"."""
    if place >= len(sentence):
        return None
    again = _SELF.get(sentence[place].low) in {_I, _MY} or _user_at(sentence, place, names)
    return place if again else None


def _without_notes(sentence: Sequence[Token], place: int) -> int:
    """The first word that belongs to it: not "Note that", but "maybe" and "as of May"."""
    while place and sentence[place - 1].low not in _NOTING:
        place -= 1
    return place


def _may_be_verb(word: str) -> bool:
    if word in BE or word in HAVE or word in DO or word in {"no", "not", "never", "used", "and"}:
        return True
    return is_past(word) or (word.endswith("s") and not word.endswith("ss") and word not in _NOUNS)


def _is_elided(sentence: Sequence[Token]) -> bool:
    """True for a sentence without a subject, as in "Prefers tabs.": it is about the user."""
    first, second = (*(one.low for one in sentence[:2]), "", "")[:2]
    return first in _ELIDED or second in _ELIDED_BEFORE.get(first, ())


def _user_at(sentence: Sequence[Token], place: int, names: Names) -> int:
    """How many words name the user at that place; 0 if none does."""
    low = [one.low for one in sentence[place : place + 4]]
    if low[0] in _ARTICLES and low[1:2] and low[1] in _USER:
        return 2
    if low[0] in _USER and sentence[place].capital:
        return 1
    if sentence[place].capital:
        for name in sorted(names, key=len, reverse=True):
            if tuple(low[: len(name)]) == name:
                return len(name)
    return 0


def _retold(sentence: Sequence[Token], names: Names, others: _Others) -> Iterator[Token]:
    """The sentence in the first person; other people stay in the third person."""
    place, verb_next = 0, _is_elided(sentence)
    if verb_next:
        yield sentence[0]._replace(low=_I, end=sentence[0].start)
    while place < len(sentence):
        token = sentence[place]
        size = _user_at(sentence, place, names)
        said = _SELF.get(token.low)
        if size:
            others.forget()
            owns = place + size < len(sentence) and sentence[place + size].low == "'s"
            size += owns
            verb_next = not owns
            yield token._replace(low=_MY if owns else _I, end=sentence[place + size - 1].end)
        elif said and not others.are_meant_by(token.low):
            verb_next = said == _I
            yield token._replace(low=said)
        elif token.low in _REPORTER:
            yield token._replace(low=_REPORTER[token.low])
        elif verb_next and token.low not in ADVERBS:
            verb_next = False
            yield token._replace(low=_as_i_do(token.low))
        else:
            others.note(token.low)
            yield token
        place += max(1, size)


def _as_i_do(verb: str) -> str:
    """The form after "I": `am` for `is`, `work` for `works`; the past stays.

    >>> [_as_i_do(verb) for verb in ("is", "works", "studies", "moved", "was")]
    ['am', 'work', 'study', 'moved', 'was']
    """
    if verb in _FORMS:
        return _FORMS[verb]
    return lemma(verb) if verb.endswith("s") and not is_past(verb) else verb
