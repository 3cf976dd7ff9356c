"""Step 2, by the graph: who is named in the question, and what is known of them [KG-02].

"Where does my sister live?" is asked as "Where does Ana live?", if most of what is known of her is
known under that name, and the other way round. The newest records of each entity named, and facts
of those related to it, become candidates beside what the index finds; they pass the same filter and
are scored by the same features.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from typing import NamedTuple

from sharpwave.knowledge.draft import slot_of, statement_of
from sharpwave.knowledge.names import Look, Names, linked_names, role
from sharpwave.knowledge.predicates import Objects, normal_name, predicate
from sharpwave.ports import UserStore
from sharpwave.reading.grammar.lexicon import DAYS, MINE, MONTHS, RELATIONS, STOP, words
from sharpwave.types.query import Question
from sharpwave.types.records import ACTIVE, FACTS, USER
from sharpwave.types.storing import Stated
from sharpwave.workspace import Workspace

MAX_NAMED = 3
"""Maximum number of names of a question that are looked up."""
MAX_TRIED = 12
"""Maximum number of its words that are tried as names."""
MAX_OF_A_ROLE = 3
"""Maximum number of people of one role, such as sisters, that are looked up."""
RECORDS = 16
"""Number of newest records of each entity that become candidates."""
NEIGHBOURS = 6
"""Maximum number of related entities that are looked up."""
BESIDE = 4
"""Number of newest facts of each related entity that become candidates."""
MAX_CHARS = 1000
"""Names are searched for only in the beginning of a question."""
_WORD = re.compile(r"[^\W\d_][\w-]*(?:\.[\w-]+)*")
_NO_NAMES = STOP | MINE | DAYS | MONTHS | words(
    """what when where who whom whose which why how can could would will should shall may might
    must tell show give remind find know think remember please say said ask asked many much long
    often old ever there here this that these those now today day time"""
)  # fmt: skip
_MAX_NAME_WORDS = 3
"""Maximum number of words of one name."""


class _NamedPerson(NamedTuple):
    """A person, or people of one role, named in the question: the place, and their known names."""

    start: int
    end: int
    keys: tuple[str, ...]


def known(question: Question, workspace: Workspace) -> tuple[Question, tuple[int, ...]]:
    """The question with the best-known names, and numbers of records about who is named."""
    search = _Search(workspace.store)
    text = question.text
    found = list(search.named(text[:MAX_CHARS]))[:MAX_NAMED]
    numbers: dict[int, None] = {}
    seen: set[frozenset[str]] = set()
    for named in reversed(found):  # from the end, so that replacements move nothing
        people = search.names(named.keys)
        written = text[named.start : named.end]
        text = text[: named.start] + search.best_name(named, people, written) + text[named.end :]
        for names in people:
            if names.keys not in seen:
                seen.add(names.keys)
                numbers |= dict.fromkeys(search.records(names))
    return replace(question, text=text), tuple(numbers)


class _Search:
    """Looks up names of one user."""

    def __init__(self, store: UserStore) -> None:
        self._store = store
        self._look = Look(cache(store.stated), cache(store.entities))
        self._facts_of: dict[frozenset[str], dict[str, list[int]]] = {}
        self._mentions: dict[str, list[int]] = {}

    def named(self, text: str) -> Iterator[_NamedPerson]:
        """Every known person that the text names: by a role, or by name."""
        matches = list(_WORD.finditer(text))
        lowercase = [word[0].casefold() for word in matches]
        has_capitals = any(word[0][0].isupper() for word in matches[1:])
        place = tried = 0
        known = self._known(lowercase)
        while place < len(matches) and tried < MAX_TRIED:
            relation = _relation(lowercase, place)
            if relation is not None:
                end, name = relation
                yield _NamedPerson(
                    matches[place].start(), matches[end - 1].end(), self._by_role(name)
                )
                place = end
                continue
            size = _size(matches, place, has_capitals)
            tried += size > 0
            key = ""
            while size and (key := normal_name(" ".join(lowercase[place:][:size]))) not in known:
                size -= 1
            if size:
                yield _NamedPerson(matches[place].start(), matches[place + size - 1].end(), (key,))
            place += max(size, 1)

    def names(self, keys: Sequence[str]) -> list[Names]:
        """All names of each person, each person once."""
        found: list[Names] = []
        for key in keys:
            if not any(key in names.keys for names in found):
                found.append(linked_names(key, self._look))
        return found

    def best_name(self, named: _NamedPerson, people: Sequence[Names], written: str) -> str:
        """The name under which most is known; for several people, all of their names."""
        if len(people) > 1:
            further = [_spelt(names, names.shown) for names in people[1:]]
            return f"{written} ({', '.join(further)})"
        (names,) = people
        counts = {key: len(found) for key, found in self._facts(names).items()}
        own = named.keys[0]
        best = max(counts, key=lambda key: (counts[key], key == own), default=own)
        return written if best == own else _spelt(names, best)

    def records(self, names: Names) -> Iterator[int]:
        """Numbers of the newest records about a person, and of facts about related entities."""
        by_name = self._facts(names)
        missing = [key for key in by_name if key not in self._mentions]
        if missing:
            self._mentions |= self._store.newest_mentions(missing, RECORDS)
        yield from (number for key in by_name for number in self._mentions[key])
        facts = [number for found in by_name.values() for number in found]
        yield from facts
        related = [f"{key}|" for key in self._related(facts[:NEIGHBOURS], names)]
        beside = self._store.newest_in_slots(related, BESIDE)
        yield from (number for prefix in related for number in beside[prefix])

    def _related(self, facts: Sequence[int], names: Names) -> list[str]:
        related: dict[str, None] = {}
        for record in self._store.fetch(facts):
            statement = statement_of(record)
            if predicate(statement.predicate).object is Objects.ENTITY:
                related[normal_name(statement.object)] = None
        entities = [key for key in related if key != USER and key not in names.keys]
        return entities[:NEIGHBOURS]

    def _facts(self, names: Names) -> dict[str, list[int]]:
        """Numbers of the newest facts about each name, looked up once."""
        if names.keys not in self._facts_of:
            keys = sorted(names.keys - {USER})
            slots = self._store.newest_in_slots([f"{k}|" for k in keys], RECORDS)
            self._facts_of[names.keys] = {key: slots[f"{key}|"] for key in keys}
        return self._facts_of[names.keys]

    def _by_role(self, relation: str) -> tuple[str, ...]:
        """The names under which the user's sister, or each sister, is known."""
        wanted = Stated(within=(slot_of(USER, relation),), kinds=FACTS, states=ACTIVE)
        found = [r for r in self._store.stated(wanted) if not r.negated]
        names = dict.fromkeys(normal_name(statement_of(record).object) for record in found)
        return (role(USER, relation), *names)[: MAX_OF_A_ROLE + 1]

    def _known(self, lowercase: Sequence[str]) -> set[str]:
        """The phrases of a question that are mentioned names."""
        phrases = {
            normal_name(" ".join(lowercase[place:][:size]))
            for place, word in enumerate(lowercase)
            if word not in _NO_NAMES
            for size in range(1, _MAX_NAME_WORDS + 1)
        }
        self._mentions = self._store.newest_mentions(sorted(phrases), RECORDS)
        return {phrase for phrase, numbers in self._mentions.items() if numbers}


def _relation(lowercase: Sequence[str], place: int) -> tuple[int, str] | None:
    """The end of "my (older) sister" that begins at a place, and the relation; None without."""
    if lowercase[place] not in MINE:
        return None
    for at in range(place + 1, min(place + 3, len(lowercase))):
        relation = RELATIONS.get(lowercase[at]) or RELATIONS.get(lowercase[at].removesuffix("s"))
        if relation is not None:
            best = relation == "friend" and "best" in lowercase[place:at]
            return at + 1, "best_friend" if best else relation
    return None


def _size(matches: Sequence[re.Match[str]], place: int, has_capitals: bool) -> int:
    """How many words may be a name: those with capitals in a row, or one if a text has none."""
    if not has_capitals:
        return int(matches[place][0].casefold() not in _NO_NAMES)
    size = 0
    for word, before in zip(matches[place:], [None, *matches[place:]], strict=False):
        is_apart = before is not None and word.start() != before.end() + 1
        is_name = word[0][0].isupper() and word[0].casefold() not in _NO_NAMES
        if not is_name or is_apart or size == _MAX_NAME_WORDS:
            break
        size += 1
    return size


def _spelt(names: Names, key: str) -> str:
    """A name as the user would say it: "my sister", Ana."""
    name = names.spelt.get(key, key)
    return f"my {name.removeprefix(USER)[3:]}" if name.startswith(f"{USER}'s ") else name
