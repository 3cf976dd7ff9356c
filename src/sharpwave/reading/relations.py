"""Who is whose what: a word for a person's part in a life, beside a name.

    my cousin Elif · our kids, Emma and Jack, · my manager (Tom)     the name after
    Priya, my old colleague · Tom (my manager) · Conal, that's my son   the name before
    Elif's husband Okan · her brother Kibet                          of another than the speaker
    Lena starts school. My daughter, I mean. · … he is my assistant  the subject just before
    My sister was to come. Verona.                                   the name just after
"""

from collections.abc import Iterator
from typing import NamedTuple

from sharpwave.reading.grammar.clauses import sentences
from sharpwave.reading.grammar.lexicon import (
    MINE,
    NUMBERS,
    STOP,
    is_common,
    is_past,
    well_known_names,
    words,
)
from sharpwave.reading.grammar.objects import ANIMALS, RELATIONS, gender_of, name_end
from sharpwave.reading.grammar.subjects import may_be_verb
from sharpwave.reading.grammar.tokens import Phrase, SourceText

_SEVERAL = {"twins": "child", "boys": "son", "girls": "daughter", "children": "child"}
_BEFORE_ROLES = 3
"""Words between "my" and the noun: "my two lovely little sisters"."""
_DESCRIBING = NUMBERS | words("new old best good first own little big pretty")
_ENDS = frozenset({",", ".", ")", ";", "!", "?", "", "-", "\u2014", "\u2013", "\n"})
_AFTER_ROLES = _ENDS | words("who from at in for and since of")
_PRONOUNS = words("his her their")
_TO_PLACES = words("in at to from of near for the around")
_CALLING = words("call calls called calling")
_NO_NAMES = words("easter christmas")


class NamedRelation(NamedTuple):
    """A name with its relation, and the word of the text that says so; "" if none is given."""

    owner: str | None
    """None for the speaker."""
    relation: str
    word: str
    name: str
    at: int
    several: bool = False

    @property
    def animal(self) -> str | None:
        """What sort of animal it is, if it is one."""
        return ANIMALS.get(self.word)

    @property
    def female(self) -> bool | None:
        """Whether "she" can mean them; None if either pronoun can."""
        return gender_of(self.word)


class _Role(NamedTuple):
    owner: str | None
    relation: str
    word: str
    begin: int
    end: int
    several: bool


def relations(source: SourceText) -> Iterator[NamedRelation]:
    """Every name of a text that a word beside it relates to the speaker or to another name."""
    if MINE.isdisjoint(source.low) and _PRONOUNS.isdisjoint(source.low) and "'s" not in source.low:
        return
    text = _NamedWords(source)
    last: str | None = None
    for place in range(len(source.low)):
        role = _role_at(text, place, last)
        if role is None:
            last = text.person_at(place) or last
            continue
        for name in text.after(role) or text.before(role) or ("",):
            last = name if name and role.owner is None else last
            yield NamedRelation(role.owner, role.relation, role.word, name, place, role.several)


def _role_at(text: "_NamedWords", place: int, last: str | None) -> _Role | None:
    """The part that a phrase names which begins with "my", "her" or "Elif's"."""
    low = text.word(place)
    owner = None
    begin = place + 1
    if low in _PRONOUNS:
        owner = last
        if owner is None:
            return None
    elif low not in MINE:
        end = text.end(place)
        if end == place or text.word(end) != "'s" or text.ends(place - 1):
            return None
        owner, begin = text.cut(place, end), end + 1
    for at in range(begin, begin + _BEFORE_ROLES + 1):
        word = text.word(at)
        one = word[:-1] if word.endswith("s") and not word.endswith("ss") else word
        relation = _SEVERAL.get(word) or RELATIONS.get(one)
        if one in ANIMALS or relation:
            several = word != one or word in _SEVERAL
            relation = "pet" if one in ANIMALS else relation
            if text.word(at - 1) == "best" and relation == "friend":
                relation = "best_friend"
            if text.word(at + 1) == "'s" and owner is None:
                owner = f"'s {relation}".replace("_", " ")  # "my landlord's brother"
                continue
            return _Role(owner, relation or "", one, place, at + 1, several)
        if word == "'s" and text.word(at - 1) != word and owner:
            continue
        if not word.isalpha() or (word in STOP - _DESCRIBING) or is_past(word):
            return None
    return None


class _NamedWords:
    """The words of a text, and the names among them."""

    def __init__(self, source: SourceText) -> None:
        self._whole = Phrase(source, 0, len(source.low))
        self._sentences = list(sentences(source.tokens))
        self._firsts = {first for first, _, _ in self._sentences}

    def word(self, place: int) -> str:
        word = self._whole.word(place)
        return "\n" if word[:1] == "\n" else word

    def end(self, place: int) -> int:
        """Where a name that begins there ends."""
        word = self.word(place)
        opens = place in self._firsts and is_common(word)
        return place if opens or word in _NO_NAMES else name_end(self._whole, place)

    def _small_end(self, place: int) -> int:
        """Where a name ends that may be written small, as all of the text is: "my boss sarah"."""
        word = self.word(place)
        plain = is_common(word) or may_be_verb(word) or not word.isalpha()
        known = word in well_known_names("given")
        small = not self._whole.capital(0) and (known or not plain) and len(word) > 2
        return place + 1 if small else self.end(place)

    def ends(self, place: int) -> bool:
        """Whether a word there belongs to a name."""
        return place >= 0 and self.end(place) > place

    def cut(self, first: int, last: int) -> str:
        return str(self._whole.cut(first, last))

    def person_at(self, place: int) -> str | None:
        """The name that begins there, unless it may be that of a place."""
        end = self.end(place)
        if end == place or self.ends(place - 1) or self.word(place - 1) in _TO_PLACES:
            return None
        name = self.cut(place, end)
        return None if name.lower() in well_known_names("places") else name

    def after(self, role: _Role) -> list[str]:
        """The names that follow: "(my kids), Emma and Jack, are"."""
        begin, mark = role.end, self.word(role.end)
        begin += mark in {",", "(", ":"}
        names, end = self._listed(begin, role.several)
        if self.word(role.begin - 1) in _CALLING:
            return []
        if not names:
            return self._alone_after(role) if role.owner is None else []
        if mark in {",", "("} and self.word(end) not in _ENDS:
            return []
        return names

    def _listed(self, place: int, several: bool) -> tuple[list[str], int]:
        names: list[str] = []
        at = end = place
        while (stop := self._small_end(at)) > at and (several or not names):
            names.append(self.cut(at, stop))
            end = at = stop
            if self.word(at) == "(":
                at = next((n + 1 for n in range(at, at + 5) if self.word(n) == ")"), at)
                end = at
            if self.word(at) == ",":
                at += 1
            if self.word(at) in {"and", "&"}:
                at += 1
        return names, end

    def _alone_after(self, role: _Role) -> list[str]:
        """The name that is a sentence of its own: "My sister comes on Saturday. Verona."."""
        following = [part for part in self._sentences if part[0] > role.begin][:1]
        for first, last, _ in following:
            if self.end(first) == last and last - first <= 2 and not self._names_before(first):
                return [self.cut(first, last)]
        return []

    def _names_before(self, place: int) -> bool:
        """Whether the sentence before has a name of its own."""
        first = max((one for one, _, _ in self._sentences if one < place), default=0)
        return any(self.ends(at) for at in range(first + 1, place))

    def before(self, role: _Role) -> list[str]:
        """The names that stand before: "Tom (my manager)", "Conal, that's my son"."""
        at = role.begin
        after = self.word(role.end)
        if self.word(at - 1) in {"is", "was"}:
            if self.word(at - 2) in {"he", "she"}:
                return self._subject_before(at)
            at -= 2 if self.word(at - 2) in {"that", "this", "who"} else 1
            return self._ending_at(at - (self.word(at - 1) in {",", "-"}), role.several)
        if self.word(at - 1) in {",", "(", "-", "\u2014", "\u2013"} and after in _AFTER_ROLES:
            return self._ending_at(at - 1, role.several)
        if at in self._firsts and after in _ENDS:
            return self._subject_before(at)
        return []

    def _ending_at(self, end: int, several: bool) -> list[str]:
        """The name that ends there, and those joined to it."""
        begin = next((at for at in range(max(0, end - 4), end) if self.end(at) == end), end)
        if begin == end:
            return []
        joined = self.word(begin - 1) in {"and", "&", ","} and self.ends(begin - 2)
        if joined and not several:
            return []
        others = self._ending_at(begin - 1, several) if joined else []
        return [*others, self.cut(begin, end)]

    def _subject_before(self, place: int) -> list[str]:
        """The name that the sentence before is about: its first words, or its only name."""
        earlier = [part for part in self._sentences if part[0] < place]
        for first, last, _ in reversed(earlier[-2:]):
            named = [at for at in range(first, min(last, place)) if self.ends(at)]
            starts = [at for at in named if at - 1 not in named]
            if starts and (len(starts) == 1 or starts[0] <= first + 1):
                return [self.cut(starts[0], self.end(starts[0]))]
        every = {name for at in range(place) if (name := self.person_at(at))}
        return list(every) if len(every) == 1 else []
