"""Relations between people: a word such as "sister" or "boss", beside a name.

my cousin Elif · our kids, Emma and Jack, · my manager (Tom)     the name after
Priya, my old colleague · Tom (my manager) · Conal, that's my son   the name before
Elif's husband Okan · her brother Kibet                          of another than the speaker
Lena starts school. My daughter, I mean. · … he is my assistant  the subject just before
My sister was to come. Verona.                                   the name just after
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from sharpwave.reading.grammar.clauses import sentences
from sharpwave.reading.grammar.lexicon import (
    ANIMALS,
    MINE,
    NUMBERS,
    RELATIONS,
    STOP,
    is_common,
    is_past,
    well_known_names,
    words,
)
from sharpwave.reading.grammar.objects import name_end, name_stated
from sharpwave.reading.grammar.subjects import may_be_verb
from sharpwave.reading.grammar.tokens import Phrase, SourceText
from sharpwave.reading.patterns.match import FactMatch, When
from sharpwave.types.statements import Mode

_SEVERAL = {"twins": "child", "boys": "son", "girls": "daughter", "children": "child"}
_BEFORE_ROLES = 3
"""Words between "my" and the noun: "my two lovely little sisters"."""
_DESCRIBING = NUMBERS | words("new old best good first own little big pretty")
_ENDS = frozenset({",", ".", ")", ";", "!", "?", "", "-", "\u2014", "\u2013", "\n"})
_AFTER_ROLES = _ENDS | words("who from at in for since of")
_PRONOUNS = words("his her their")
_TO_PLACES = words("in at to from of near for the around")
_TITLES = words("uncle aunt auntie coach grandma grandpa granny nana")
_AS_NAMES = words("mum mom mama mummy dad daddy papa grandma grandpa granny nana")
_NOT_MINE = words(
    "a an the his her their your every any some no single other new this that my our 's"
)
_NO_ADJECTIVES = STOP - _DESCRIBING
_SIGNS = MINE | _PRONOUNS | _TITLES | _AS_NAMES | {"'s"}
_MANY = words("friend colleague client student classmate teacher doctor neighbor nurse")
_CALLING = words("call calls called calling")
_NO_NAMES = words("easter christmas")
_FORMER = words("late former deceased ex")
_DEATH = words("died dead deceased")
_BEFORE_DEATH = words(", ) is was has had just sadly suddenly recently unexpectedly")


class RelatedPerson(NamedTuple):
    """What a person is to another, and the words from `at` to `end` that say so."""

    owner: str | None
    """None for the speaker; "'s boss" for the speaker's boss."""
    relation: str
    word: str
    at: int
    end: int
    several: bool = False
    name: str = ""
    stated: str = ""
    """The verb, if the name is what the clause states: "my boss *is* called Tom"."""
    sure: bool = False
    over: bool = False
    """It is no more: "my *late* husband Franz", "my boss *was* Tom", "my cat Max *died*"."""
    dated: bool = False
    """A time in the clause is that of the relation; one that is taken for granted has none."""

    @property
    def is_one_person(self) -> bool:
        """Whether it is plain who is meant: not by "my friend", if no name is given."""
        known = self.several or self.animal or self.owner or self.relation in _MANY
        return bool(self.name) or not known

    @property
    def animal(self) -> str | None:
        """What sort of animal it is, if it is one."""
        return ANIMALS.get(self.word)

    def facts(self, owner: str, sure: float, instead: str | None) -> Iterator[FactMatch]:
        """The relation, and what sort of animal it is."""
        mode, when = Mode.ENDED if self.over else Mode.HOLDS, When.DATE
        stated = When.STATE if self.dated else when
        yield FactMatch(self.relation, self.name, sure, mode, owner, instead, stated)
        if self.animal and self.animal != "pet":
            yield FactMatch("is_a", f"a {self.animal}", sure, subject=self.name, when=when)


def relations(source: SourceText, ends: Sequence[int]) -> Iterator[RelatedPerson]:
    """Every person that a word of a text relates to another, with the name if it is given.

    `ends` are the ends of its clauses.
    """
    if _SIGNS.isdisjoint(source.low):
        return
    text = _NamedWords(source, ends)
    last: str | None = None
    for place, low in enumerate(source.low):
        if low in _TITLES and (name := text.titled(place)):
            yield RelatedPerson(None, RELATIONS[low], low, place, place, name=name)
            continue
        role = _role_at(text, place, last)
        if role is None:
            last = text.person_at(place) or last
            continue
        for one in text.named(role):
            last = one.name if one.name and one.owner is None else last
            yield text.in_time(one)


def _role_at(text: "_NamedWords", place: int, last: str | None) -> RelatedPerson | None:
    """The part that a phrase names which begins with "my", "her" or "Elif's", or is "Mum"."""
    low, owner, begin = text.word(place), None, place + 1
    if low in _PRONOUNS and last is not None:
        owner = last
    elif low in _AS_NAMES and text.word(place - 1) not in _NOT_MINE:
        begin = place
    elif low not in MINE:
        end = text.end(place)
        if end == place or text.word(end) != "'s" or text.ends(place - 1):
            return None
        owner, begin = text.cut(place, end), end + 1
    found: RelatedPerson | None = None
    for at in range(begin, begin + _BEFORE_ROLES + 1):
        word = text.word(at)
        one = word[:-1] if word.endswith("s") and not word.endswith("ss") else word
        if relation := _relation(one, word, text.word(at - 1)):
            if relation == "friend" and text.word(at - 1) == "best":
                relation = "best_friend"
            found = RelatedPerson(
                owner, relation, one, place, at + 1, word != one or word in _SEVERAL
            )
            if owner is not None or text.word(at + 1) != "'s":
                return found
            owner = f"'s {relation}".replace("_", " ")  # "my landlord's brother"
        elif word != "'s" and (not word.isalpha() or word in _NO_ADJECTIVES or is_past(word)):
            break
    return found


def _relation(one: str, word: str, before: str) -> str | None:
    """The relation that a word names, given in the singular and as it stands."""
    if one == "manager" and before not in _OF_PEOPLE:
        return None
    return "pet" if one in ANIMALS else _SEVERAL.get(word) or RELATIONS.get(one)


_OF_PEOPLE = MINE | words(
    """her his their 's line direct immediate team department shift general new old former current
    previous"""
)
"""A manager of people is a boss; a product manager, or one of accounts, is not."""


class _NamedWords:
    """The words of a text, and the names among them."""

    def __init__(self, source: SourceText, ends: Sequence[int]) -> None:
        self._whole = Phrase(source, 0, len(source.low))
        self._ends = ends
        self._sentences = list(sentences(source.tokens))
        self._firsts = {first for first, _, _ in self._sentences}

    def word(self, place: int) -> str:
        word = self._whole.word(place)
        return "\n" if word[:1] == "\n" else word

    def end(self, place: int) -> int:
        """Where a name that begins there ends."""
        word = self.word(place)
        plain = place in self._firsts and is_common(word)
        plain = plain or word in _NO_NAMES or word in RELATIONS
        return place if plain else name_end(self._whole, place)

    def titled(self, place: int) -> str | None:
        """The name with its title, as in "Uncle Bob", "coach rudy"."""
        end = self._small_end(place + 1)
        own = self.word(place - 1) not in _NOT_MINE and self.word(place - 1) not in RELATIONS
        return self.cut(place, end) if own and end > place + 1 else None

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

    def named(self, role: RelatedPerson) -> list[RelatedPerson]:
        """The role with each of its names, or without one."""
        if role.end == role.at + 1 or self.word(role.at - 1) in _CALLING:
            return [role]
        clause = self._whole.cut(0, next((end for end in self._ends if end >= role.end), None))
        name, end, verb = name_stated(clause, self._past_place(role.end))
        if name and role.owner is None:
            names, _ = self._listed(end - len(name.split()), role.several)
            return [role._replace(name=one, stated=verb, sure=True) for one in names or [name]]
        if self.word(role.end) == "'s":
            return [role]
        if self.word(role.at - 1) == "(" and (names := self._ending_at(role.at - 1, role.several)):
            return [role._replace(name=one) for one in names]  # "Tom (my manager, Leeds)"
        if names := self._after(role):
            return [role._replace(name=one, sure=role.owner is None) for one in names]
        return [role._replace(name=one) for one in self._before(role)] or [role]

    def in_time(self, one: RelatedPerson) -> RelatedPerson:
        """Whether it is over, and whether the clause says since or until when."""
        at = one.end + len(one.name.split()) * (one.name == self.cut(one.end, self.end(one.end)))
        while self.word(at) in _BEFORE_DEATH:
            at += 1
        died = self.word(at) in _DEATH or (self.word(at), self.word(at + 1)) == ("passed", "away")
        late = any(self.word(at) in _FORMER - {one.word} for at in range(one.at, one.end))
        over = died or late or one.stated in {"was", "were"}
        return one._replace(over=over, dated=died or one.stated != "" or self.word(at) == "since")

    def _past_place(self, end: int) -> int:
        """Past what tells where they are: "(my neighbour) on the hill"."""
        if self.word(end) not in {"on", "in", "at", "from", "across", "next"}:
            return end
        return next((at for at in range(end, end + 5) if self.word(at) in {"is", "was"}), end)

    def _after(self, role: RelatedPerson) -> list[str]:
        """The names that follow: "(my kids), Emma and Jack, are"."""
        mark = self.word(role.end)
        names, end = self._listed(role.end + (mark in {",", "(", ":"}), role.several)
        if not names:
            return self._alone_after(role) if role.owner is None else []
        if mark == "(":  # "my sister (Leeds)"
            names = [one for one in names if one.lower() not in well_known_names("places")]
        return [] if mark in {",", "("} and self.word(end) not in _ENDS else names

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

    def _alone_after(self, role: RelatedPerson) -> list[str]:
        """The name that is a sentence of its own: "My sister comes on Saturday. Verona."."""
        following = [part for part in self._sentences if part[0] > role.at][:1]
        for first, last, _ in following:
            if self.end(first) == last and last - first <= 2 and not self._names_before(first):
                return [self.cut(first, last)]
        return []

    def _names_before(self, place: int) -> bool:
        """Whether the sentence before has a name of its own."""
        first = max((one for one, _, _ in self._sentences if one < place), default=0)
        return any(self.ends(at) for at in range(first + 1, place))

    def _before(self, role: RelatedPerson) -> list[str]:
        """The names that stand before: "Tom (my manager)", "Conal, that's my son"."""
        at = role.at
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
