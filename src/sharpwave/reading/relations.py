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

_PLURALS = {"twins": "child", "boys": "son", "girls": "daughter", "children": "child"}
_MAX_ADJECTIVES = 3
"""Words between "my" and the noun: "my two lovely little sisters"."""
_ADJECTIVES = NUMBERS | words("new old best good first own little big pretty")
_ENDS = frozenset({",", ".", ")", ";", "!", "?", "", "-", "\u2014", "\u2013", "\n"})
_AFTER_ROLE = _ENDS | words("who from at in for since of")
_PRONOUNS = words("his her their")
_PLACE_PREPOSITIONS = words("in at to from of near for the around")
_TITLES = words("uncle aunt auntie coach grandma grandpa granny nana")
_AS_NAMES = words("mum mom mama mummy dad daddy papa grandma grandpa granny nana")
_NOT_MINE = words(
    "a an the his her their your every any some no single other new this that my our 's"
)
_NO_ADJECTIVES = STOP - _ADJECTIVES
_RELATION_SIGNS = MINE | _PRONOUNS | _TITLES | _AS_NAMES | {"'s"}
_NOT_UNIQUE = words("friend colleague client student classmate teacher doctor neighbor nurse")
_CALL_VERBS = words("call calls called calling")
_NO_NAMES = words("easter christmas")
_FORMER = words("late former deceased ex")
_DEATH = words("died dead deceased")
_BEFORE_DEATH = words(", ) is was has had just sadly suddenly recently unexpectedly")


class RelatedPerson(NamedTuple):
    """How a person is related to another, stated in the words from `at` to `end`."""

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
    """Whether it has ended: "my *late* husband Franz", "my boss *was* Tom", "my cat Max *died*"."""
    dated: bool = False
    """A time in the clause dates the relation; a presupposed relation has no date."""

    @property
    def is_one_person(self) -> bool:
        """Whether it is clear who is meant; an unnamed "my friend" is ambiguous."""
        ambiguous = self.several or self.animal or self.owner or self.relation in _NOT_UNIQUE
        return bool(self.name) or not ambiguous

    @property
    def animal(self) -> str | None:
        """The kind of animal, or None for a person."""
        return ANIMALS.get(self.word)

    def facts(self, owner: str, confidence: float, instead_of: str | None) -> Iterator[FactMatch]:
        """The relation, and for an animal its kind."""
        mode, when = Mode.ENDED if self.over else Mode.HOLDS, When.DATE
        stated_when = When.STATE if self.dated else when
        yield FactMatch(self.relation, self.name, confidence, mode, owner, instead_of, stated_when)
        if self.animal and self.animal != "pet":
            yield FactMatch("is_a", f"a {self.animal}", confidence, subject=self.name, when=when)


def relations(source: SourceText, ends: Sequence[int]) -> Iterator[RelatedPerson]:
    """Yield every person with a relation in a text, with the name if it is given.

    `ends` are the ends of the clauses.
    """
    if _RELATION_SIGNS.isdisjoint(source.low):
        return
    text = _NamedWords(source, ends)
    last_person: str | None = None
    for position, word in enumerate(source.low):
        if word in _TITLES and (name := text.titled(position)):
            yield RelatedPerson(None, RELATIONS[word], word, position, position, name=name)
            continue
        role = _role_at(text, position, last_person)
        if role is None:
            last_person = text.person_at(position) or last_person
            continue
        for person in text.named(role):
            last_person = person.name if person.name and person.owner is None else last_person
            yield text.in_time(person)


def _role_at(text: "_NamedWords", position: int, last_person: str | None) -> RelatedPerson | None:
    """The relation in a phrase that begins with "my", "her" or "Elif's", or is "Mum"."""
    first_word, owner, begin = text.word(position), None, position + 1
    if first_word in _PRONOUNS and last_person is not None:
        owner = last_person
    elif first_word in _AS_NAMES and text.word(position - 1) not in _NOT_MINE:
        begin = position
    elif first_word not in MINE:
        end = text.end(position)
        if end == position or text.word(end) != "'s" or text.ends(position - 1):
            return None
        owner, begin = text.cut(position, end), end + 1
    found: RelatedPerson | None = None
    for word_position in range(begin, begin + _MAX_ADJECTIVES + 1):
        word = text.word(word_position)
        singular = word[:-1] if word.endswith("s") and not word.endswith("ss") else word
        if relation := _relation(singular, word, text.word(word_position - 1)):
            if relation == "friend" and text.word(word_position - 1) == "best":
                relation = "best_friend"
            found = RelatedPerson(
                owner,
                relation,
                singular,
                position,
                word_position + 1,
                word != singular or word in _PLURALS,
            )
            if owner is not None or text.word(word_position + 1) != "'s":
                return found
            owner = f"'s {relation}".replace("_", " ")  # "my landlord's brother"
        elif word != "'s" and (not word.isalpha() or word in _NO_ADJECTIVES or is_past(word)):
            break
    return found


def _relation(singular: str, word: str, before: str) -> str | None:
    """The relation that a word names, given in the singular and as written."""
    if singular == "manager" and before not in _BEFORE_MANAGER:
        return None
    return "pet" if singular in ANIMALS else _PLURALS.get(word) or RELATIONS.get(singular)


_BEFORE_MANAGER = MINE | words(
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

    def word(self, position: int) -> str:
        word = self._whole.word(position)
        return "\n" if word[:1] == "\n" else word

    def end(self, position: int) -> int:
        """End of the name that begins at a position; the position itself if there is none."""
        word = self.word(position)
        is_plain = position in self._firsts and is_common(word)
        is_plain = is_plain or word in _NO_NAMES or word in RELATIONS
        return position if is_plain else name_end(self._whole, position)

    def titled(self, position: int) -> str | None:
        """The name with its title: "Uncle Bob", "coach rudy"."""
        end = self._small_end(position + 1)
        is_speakers = (
            self.word(position - 1) not in _NOT_MINE and self.word(position - 1) not in RELATIONS
        )
        return self.cut(position, end) if is_speakers and end > position + 1 else None

    def _small_end(self, position: int) -> int:
        """End of a name that may be in lower case, if all of the text is: "my boss sarah"."""
        word = self.word(position)
        is_common_word = is_common(word) or may_be_verb(word) or not word.isalpha()
        is_given_name = word in well_known_names("given")
        is_lower_case = (
            not self._whole.capital(0) and (is_given_name or not is_common_word) and len(word) > 2
        )
        return position + 1 if is_lower_case else self.end(position)

    def ends(self, position: int) -> bool:
        """Whether the word at a position belongs to a name."""
        return position >= 0 and self.end(position) > position

    def cut(self, first: int, last: int) -> str:
        return str(self._whole.cut(first, last))

    def person_at(self, position: int) -> str | None:
        """The name that begins at a position, unless it may be that of a place."""
        end = self.end(position)
        if (
            end == position
            or self.ends(position - 1)
            or self.word(position - 1) in _PLACE_PREPOSITIONS
        ):
            return None
        name = self.cut(position, end)
        return None if name.lower() in well_known_names("places") else name

    def named(self, role: RelatedPerson) -> list[RelatedPerson]:
        """The role with each of its names, or without one."""
        if role.end == role.at + 1 or self.word(role.at - 1) in _CALL_VERBS:
            return [role]
        clause = self._whole.cut(0, next((end for end in self._ends if end >= role.end), None))
        name, end, verb = name_stated(clause, self._past_place(role.end))
        if name and role.owner is None:
            names, _ = self._listed(end - len(name.split()), role.several)
            return [
                role._replace(name=listed, stated=verb, sure=True) for listed in names or [name]
            ]
        if self.word(role.end) == "'s":
            return [role]
        if self.word(role.at - 1) == "(" and (names := self._ending_at(role.at - 1, role.several)):
            return [role._replace(name=name) for name in names]  # "Tom (my manager, Leeds)"
        if names := self._after(role):
            return [role._replace(name=name, sure=role.owner is None) for name in names]
        return [role._replace(name=name) for name in self._before(role)] or [role]

    def in_time(self, person: RelatedPerson) -> RelatedPerson:
        """Set `over` and `dated` from the words around the name."""
        at = person.end + len(person.name.split()) * (
            person.name == self.cut(person.end, self.end(person.end))
        )
        while self.word(at) in _BEFORE_DEATH:
            at += 1
        died = self.word(at) in _DEATH or (self.word(at), self.word(at + 1)) == ("passed", "away")
        late = any(self.word(at) in _FORMER - {person.word} for at in range(person.at, person.end))
        over = died or late or person.stated in {"was", "were"}
        return person._replace(
            over=over, dated=died or person.stated != "" or self.word(at) == "since"
        )

    def _past_place(self, end: int) -> int:
        """Skip words that locate the person: "(my neighbour) on the hill"."""
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
            names = [name for name in names if name.lower() not in well_known_names("places")]
        return [] if mark in {",", "("} and self.word(end) not in _ENDS else names

    def _listed(self, start: int, several: bool) -> tuple[list[str], int]:
        names: list[str] = []
        at = end = start
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
        """The name that is the next sentence: "My sister comes on Saturday. Verona."."""
        following = [part for part in self._sentences if part[0] > role.at][:1]
        for first, last, _ in following:
            if self.end(first) == last and last - first <= 2 and not self._names_before(first):
                return [self.cut(first, last)]
        return []

    def _names_before(self, position: int) -> bool:
        """Whether the sentence before includes a name."""
        first = max((start for start, _, _ in self._sentences if start < position), default=0)
        return any(self.ends(index) for index in range(first + 1, position))

    def _before(self, role: RelatedPerson) -> list[str]:
        """The names before the relation: "Tom (my manager)", "Conal, that's my son"."""
        at = role.at
        after = self.word(role.end)
        if self.word(at - 1) in {"is", "was"}:
            if self.word(at - 2) in {"he", "she"}:
                return self._subject_before(at)
            at -= 2 if self.word(at - 2) in {"that", "this", "who"} else 1
            return self._ending_at(at - (self.word(at - 1) in {",", "-"}), role.several)
        if self.word(at - 1) in {",", "(", "-", "\u2014", "\u2013"} and after in _AFTER_ROLE:
            return self._ending_at(at - 1, role.several)
        if at in self._firsts and after in _ENDS:
            return self._subject_before(at)
        return []

    def _ending_at(self, end: int, several: bool) -> list[str]:
        """The name that ends at a position, and those joined to it."""
        begin = next((at for at in range(max(0, end - 4), end) if self.end(at) == end), end)
        if begin == end:
            return []
        joined = self.word(begin - 1) in {"and", "&", ","} and self.ends(begin - 2)
        if joined and not several:
            return []
        earlier = self._ending_at(begin - 1, several) if joined else []
        return [*earlier, self.cut(begin, end)]

    def _subject_before(self, position: int) -> list[str]:
        """The name that the sentence before is about: its first words, or its only name."""
        earlier = [part for part in self._sentences if part[0] < position]
        for first, last, _ in reversed(earlier[-2:]):
            in_names = [index for index in range(first, min(last, position)) if self.ends(index)]
            starts = [index for index in in_names if index - 1 not in in_names]
            if starts and (len(starts) == 1 or starts[0] <= first + 1):
                return [self.cut(starts[0], self.end(starts[0]))]
        names = {name for index in range(position) if (name := self.person_at(index))}
        return list(names) if len(names) == 1 else []
