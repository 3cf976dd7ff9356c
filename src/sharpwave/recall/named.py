"""Step 2, by the graph: whom the question names, under which names, and what is known [KG-02].

"Where does my sister live?" is asked as "Where does Ana live?", if most of what is known of her is
known under that name, and the other way round. The newest records of whoever is named, and facts of
those related to them, become candidates beside what the index finds; they pass the same filter and
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

NAMED = 3
"""Names of a question that are looked up."""
TRIED = 12
"""Words of it that may be names."""
OF_A_ROLE = 3
"""People of one role, such as sisters, looked up."""
RECORDS = 16
"""Newest records of each that become candidates."""
NEIGHBOURS = 6
"""Entities related to it that are looked at."""
BESIDE = 4
"""Newest facts of each of them that become candidates."""
MAX_CHARS = 1000
"""Names are looked for in the beginning of a question only."""
_WORD = re.compile(r"[^\W\d_][\w-]*(?:\.[\w-]+)*")
_NO_NAMES = STOP | MINE | DAYS | MONTHS | words(
    """what when where who whom whose which why how can could would will should shall may might
    must tell show give remind find know think remember please say said ask asked many much long
    often old ever there here this that these those now today day time"""
)  # fmt: skip
_MOST_WORDS = 3
"""Words of one name."""


class _NamedPerson(NamedTuple):
    """Somebody the question names: where in it, and as whom he, she or each of them is known."""

    start: int
    end: int
    keys: tuple[str, ...]


def known(question: Question, workspace: Workspace) -> tuple[Question, tuple[int, ...]]:
    """The question by the names that tell most, and numbers of records about whom it names."""
    search = _Search(workspace.store)
    text = question.text
    found = list(search.named(text[:MAX_CHARS]))[:NAMED]
    numbers: dict[int, None] = {}
    seen: set[frozenset[str]] = set()
    for named in reversed(found):  # from the end, so that what is put in moves nothing
        several = search.names(named.keys)
        told = text[named.start : named.end]
        text = text[: named.start] + search.asked(named, several, told) + text[named.end :]
        for names in several:
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
        """Everybody the text names who is known: by a role, or by name."""
        met = list(_WORD.finditer(text))
        low = [word[0].casefold() for word in met]
        capitals = any(word[0][0].isupper() for word in met[1:])
        place = tried = 0
        known = self._known(low)
        while place < len(met) and tried < TRIED:
            relation = _relation(low, place)
            if relation is not None:
                end, name = relation
                yield _NamedPerson(met[place].start(), met[end - 1].end(), self._by_role(name))
                place = end
                continue
            size = _size(met, place, capitals)
            tried += size > 0
            key = ""
            while size and (key := normal_name(" ".join(low[place:][:size]))) not in known:
                size -= 1
            if size:
                yield _NamedPerson(met[place].start(), met[place + size - 1].end(), (key,))
            place += max(size, 1)

    def names(self, keys: Sequence[str]) -> list[Names]:
        """All names of each of them, none twice."""
        found: list[Names] = []
        for key in keys:
            if not any(key in names.keys for names in found):
                found.append(linked_names(key, self._look))
        return found

    def asked(self, named: _NamedPerson, several: Sequence[Names], told: str) -> str:
        """The name to ask by: under which most is known; for more than one, all of them."""
        if len(several) > 1:
            others = [_spelt(names, names.shown) for names in several[1:]]
            return f"{told} ({', '.join(others)})"
        (names,) = several
        counts = {key: len(found) for key, found in self._facts(names).items()}
        own = named.keys[0]
        best = max(counts, key=lambda key: (counts[key], key == own), default=own)
        return told if best == own else _spelt(names, best)

    def records(self, names: Names) -> Iterator[int]:
        """Numbers of the newest records about somebody, and of facts about those related."""
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
        others = [key for key in related if key != USER and key not in names.keys]
        return others[:NEIGHBOURS]

    def _facts(self, names: Names) -> dict[str, list[int]]:
        """Numbers of the newest facts about each name, looked up once."""
        if names.keys not in self._facts_of:
            keys = sorted(names.keys - {USER})
            slots = self._store.newest_in_slots([f"{k}|" for k in keys], RECORDS)
            self._facts_of[names.keys] = {key: slots[f"{key}|"] for key in keys}
        return self._facts_of[names.keys]

    def _by_role(self, relation: str) -> tuple[str, ...]:
        """The names under which the user's sister, or each of them, is known."""
        wanted = Stated(within=(slot_of(USER, relation),), kinds=FACTS, states=ACTIVE)
        found = [r for r in self._store.stated(wanted) if not r.negated]
        names = dict.fromkeys(normal_name(statement_of(record).object) for record in found)
        return (role(USER, relation), *names)[: OF_A_ROLE + 1]

    def _known(self, low: Sequence[str]) -> set[str]:
        """Which of the phrases of a question are names that were mentioned."""
        phrases = {
            normal_name(" ".join(low[place:][:size]))
            for place, word in enumerate(low)
            if word not in _NO_NAMES
            for size in range(1, _MOST_WORDS + 1)
        }
        self._mentions = self._store.newest_mentions(sorted(phrases), RECORDS)
        return {phrase for phrase, numbers in self._mentions.items() if numbers}


def _relation(low: Sequence[str], place: int) -> tuple[int, str] | None:
    """Where "my (older) sister" ends, if it begins there, and which relation it is."""
    if low[place] not in MINE:
        return None
    for at in range(place + 1, min(place + 3, len(low))):
        relation = RELATIONS.get(low[at]) or RELATIONS.get(low[at].removesuffix("s"))
        if relation is not None:
            best = relation == "friend" and "best" in low[place:at]
            return at + 1, "best_friend" if best else relation
    return None


def _size(met: Sequence[re.Match[str]], place: int, capitals: bool) -> int:
    """How many words may be a name: those with capitals in a row, or one of a text without."""
    if not capitals:
        return int(met[place][0].casefold() not in _NO_NAMES)
    size = 0
    for word, before in zip(met[place:], [None, *met[place:]], strict=False):
        apart = before is not None and word.start() != before.end() + 1
        name = word[0][0].isupper() and word[0].casefold() not in _NO_NAMES
        if not name or apart or size == _MOST_WORDS:
            break
        size += 1
    return size


def _spelt(names: Names, key: str) -> str:
    """A name as the user would say it: "my sister", Ana."""
    name = names.spelt.get(key, key)
    return f"my {name.removeprefix(USER)[3:]}" if name.startswith(f"{USER}'s ") else name
