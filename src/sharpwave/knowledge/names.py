"""Which names mean the same: Ana, Ana Souza, Nini and the user's sister may be one person [KG-03].

Nothing is merged: names are linked by facts and read together. A link depends on the fact that
makes it, so denying, ending or forgetting the fact undoes the link.

    said      Ana goes by Nini; the user's name is Maria
    role      the user's sister is Ana, and no other sister is known by name
    longer    Ana and Ana Souza: the only longer name, and nothing says that they differ

Two people with the same first name stay separate if a fact says so, if the user has a sister Ana
and a friend Ana Souza, or if they differ in what cannot change, such as a birthday. Only facts from
the user or a source as reliable make a link.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import combinations, pairwise
from operator import attrgetter
from typing import NamedTuple

from sharpwave.knowledge.draft import slot_of, statement_of
from sharpwave.knowledge.predicates import entity_kind, normal_name, person, predicate, same_object
from sharpwave.knowledge.predicates import known as rows
from sharpwave.ports import UserStore
from sharpwave.types.records import ACTIVE, EVER_TRUE, FACTS, USER, Record, Statement, Trust
from sharpwave.types.statements import Alias, EntityKind
from sharpwave.types.storing import EntityCount, Stated

_AGE = attrgetter("provenance.trust", "valid_from", "number")
"""Sort key: the newest of the best source is last."""
_MOST_NAMES = 32
"""Maximum number of names read for one entity; no more are linked."""
_UNNAMED = re.compile(r"(?:an?|the|their|his|her|its|two|three|four|five|six|\d+) ")
_NO_PERSON = frozenset({EntityKind.PLACE, EntityKind.ORGANISATION, EntityKind.EVENT})
_ENOUGH = 8
"""Maximum number of facts read to see whether the user has one sister or several."""


def own_names(store: UserStore, turns: Iterable[Record]) -> frozenset[str]:
    """The user's own names, normalized; looked up only if a turn names its speaker."""
    if all(turn.speaker is None for turn in turns):
        return frozenset()
    wanted = Stated(within=(slot_of(USER, "name"),), states=ACTIVE)
    known = [record.statement.object for record in store.stated(wanted) if record.statement]
    return frozenset(map(normal_name, [store.user_id, *known]))


class Look(NamedTuple):
    """The two reads of a user's store that linking names needs."""

    stated: Callable[[Stated], list[Record]]
    """Facts, in the order they were recorded."""
    entities: Callable[[int, str], list[EntityCount]]
    """Names that begin with a prefix, up to a limit."""


class Link(NamedTuple):
    """Two normalized names of one entity, and the fact that links them."""

    name: str
    alias: str
    fact: Record | None = None
    """None if the name is only a prefix of the alias."""


@dataclass(frozen=True, slots=True)
class Names:
    """All names of one entity."""

    keys: frozenset[str]
    """In normal form."""
    links: tuple[Link, ...] = ()
    spelt: Mapping[str, str] = field(default_factory=dict)
    """Original spelling by normalized name, where a fact has it."""

    @property
    def shown(self) -> str:
        """The name to show: a name rather than a role, not an alias, then the longest."""

        def worse(key: str) -> tuple[bool, bool, int, str]:
            is_alias = any(link.alias == key and link.fact is not None for link in self.links)
            return _owner(key) is not None, is_alias, -len(key), key

        best = min(self.keys, key=worse)
        return self.spelt.get(best, best)


def linked_names(name: str, look: Look) -> Names:
    """Every name that means the same as this one.

    The relation is an equivalence: any name of an entity returns the same names.
    """
    start = normal_name(name)
    known = _Known(look)
    reached, front, links = {start}, [start], dict[tuple[str, str], Link]()
    while front and len(reached) <= _MOST_NAMES:
        for link in _links_of(front.pop(0), known):
            links.setdefault((link.name, link.alias), link)
            for key in (link.name, link.alias):
                if key not in reached:
                    reached.add(key)
                    front.append(key)
    denied = [record for key in sorted(reached) for record in known.naming(key) if record.negated]
    differing = [(_subject(record), _object(record)) for record in denied]
    surest = sorted(links.values(), key=lambda link: (link.fact is None, link.name, link.alias))
    kept = _without_contradiction(surest, differing)
    keys = next((group for group in _groups(kept) if start in group), frozenset({start}))
    own = tuple(link for link in kept if link.name in keys)
    return Names(keys, own, {start: name.strip()} | known.spelt)


def current_holder(name: str, look: Look) -> str | None:
    """Who has a role now, if it changed hands: the user's boss is Sara, and was Rui.

    A statement about "the boss" may be about either, so the names are not linked.
    """
    owned = _owner(normal_name(name))
    if owned is None:
        return None
    now = Stated(within=(slot_of(*owned),), kinds=FACTS, states=ACTIVE)
    named = [statement_of(record).object for record in look.stated(now) if not record.negated]
    return named[0] if len(named) == 1 and not is_unnamed(named[0]) else None


def settled(records: Sequence[Record]) -> tuple[list[Record], list[Record]]:
    """Current and replaced records of one entity: of a single-valued predicate the newest holds.

    Records under one name were settled when stored; conflicts between two names show only here.
    """
    best: dict[str, Record] = {}
    for record in records:
        name = statement_of(record).predicate
        if not predicate(name).many and not record.negated:
            best[name] = max(best.get(name, record), record, key=_AGE)
    held = [record for record in records if _is_best(record, best)]
    return held, [record for record in records if not _is_best(record, best)]


def role(owner: str, relation: str) -> str:
    """The name of a person who is known by a relation to another.

    >>> role("user", "best_friend")
    "user's best friend"
    """
    return normal_name(f"{owner}'s {relation.replace('_', ' ')}")


def is_unnamed(name: str) -> bool:
    """True for a description instead of a name: "a dog"."""
    return _UNNAMED.match(name) is not None


def may_be_person(names: Names) -> bool:
    """False for a thing that is only known by its owner: "user's glasses"."""
    owned = [_owner(key) for key in names.keys]
    return any(pair is None or pair[1] in _family_predicates() for pair in owned)


def is_naming(record: Record) -> bool:
    """True for a fact that states another name."""
    return predicate(statement_of(record).predicate).names


class _Known:
    """Cached lookups of one name resolution."""

    def __init__(self, look: Look) -> None:
        self._look = look
        self._about: dict[str, list[Record]] = {}
        self.longer_links: dict[str, Link | None] = {}
        self.spelt: dict[str, str] = {USER: USER}

    def about(self, key: str) -> list[Record]:
        """Facts that give this name to a person, or relate a person of this name to another."""
        if key not in self._about:
            wanted = Stated(about=(key,), predicates=_naming_predicates() | _family_predicates())
            if key == USER:  # records do not mention the user
                wanted = Stated(
                    within=tuple(slot_of(USER, name) for name in sorted(_naming_predicates()))
                )
            self._about[key] = self._read(wanted)
        return self._about[key]

    def lasting(self, *keys: str) -> list[Record]:
        """Facts about these names that cannot change, such as a birthday."""
        wanted = Stated(within=tuple(f"{key}|" for key in keys), predicates=_permanent_predicates())
        return [record for record in self._read(wanted) if not record.negated]

    def is_subject(self, key: str) -> bool:
        """True if any fact has this name as its subject."""
        return bool(self._read(Stated(within=(f"{key}|",), limit=1)))

    def are_things(self, *keys: str) -> bool:
        """True if a fact treats one of these as a place, an organisation or an animal."""
        found = self._read(Stated(about=keys, predicates=_thing_predicates()))
        return any(_object(record) in keys for record in found)

    def naming(self, key: str) -> list[Record]:
        """Facts that state or deny another name."""
        return [record for record in self.about(key) if is_naming(record)]

    def called(self, owner: str, relation: str) -> dict[str, Record]:
        """Names of all who ever had a relation, such as sister, to a person."""
        found = self._read(Stated(within=(slot_of(owner, relation),), limit=_ENOUGH))
        named = [r for r in found if not r.negated and not _UNNAMED.match(statement_of(r).object)]
        return {_object(record): record for record in reversed(named)}

    def longer(self, key: str) -> list[str]:
        """Longer names that begin with this one, the shortest first, without places and events."""
        found = self._look.entities(_MOST_NAMES, key)
        names = {count.key: count.name for count in found if count.kind not in _NO_PERSON}
        for name in names:
            self.spelt.setdefault(name, names[name])
        return sorted(names, key=lambda name: (len(name), name))

    def _read(self, wanted: Stated) -> list[Record]:
        records = self._look.stated(replace(wanted, kinds=FACTS, states=EVER_TRUE))
        for record in records:
            statement = statement_of(record)
            for name in (statement.subject, statement.object):
                self.spelt.setdefault(normal_name(name), name)
        return records


def _links_of(key: str, known: _Known) -> Iterator[Link]:
    for record in known.naming(key):
        if _is_sure(record):
            yield Link(_subject(record), _object(record), record)
    yield from _roles(key, known)
    if key != USER and _owner(key) is None:
        words = key.split()
        shorter = [" ".join(words[:size]) for size in range(1, len(words) + 1)]
        links = [_longer_name_link(short, known) for short in shorter]
        yield from (link for link in links if link is not None and key in link[:2])


def _roles(key: str, known: _Known) -> Iterator[Link]:
    """The links between "the user's sister" and her name, from either side."""
    sides = _family_relations(key, known)
    if owned := _owner(key):
        sides.add(owned)
    for owner, relation in sorted(sides):
        names = known.called(owner, relation)
        if len(names) == 1:
            ((name, record),) = names.items()
            if _is_sure(record) and name != role(owner, relation):
                yield Link(name, role(owner, relation), record)


def _longer_name_link(short: str, known: _Known) -> Link | None:
    """The link of a name to the only longer name that begins with it."""
    if short not in known.longer_links:
        longer = known.longer(short)
        chain = all(
            longer_name.startswith(f"{shorter} ") for shorter, longer_name in pairwise(longer)
        )
        fits = bool(longer) and chain and _may_be_same(short, longer[0], known)
        known.longer_links[short] = Link(short, longer[0]) if fits else None
    return known.longer_links[short]


def _may_be_same(short: str, long: str, known: _Known) -> bool:
    """False if facts show that two names are different people, or if too little is known."""
    kin_of_short, kin_of_long = _family_relations(short, known), _family_relations(long, known)
    if kin_of_short and kin_of_long and not kin_of_short & kin_of_long:
        return False
    if not (kin_of_short or known.is_subject(short)) or not (kin_of_long or known.is_subject(long)):
        return False  # too little is known
    if known.are_things(short, long):
        return False
    once = [statement_of(record) for record in known.lasting(short, long)]
    return not any(_differ(first, second) for first, second in combinations(once, 2))


def _without_contradiction(
    links: Sequence[Link], differing: Iterable[tuple[str, str]]
) -> list[Link]:
    """The links that can all be true, in order of certainty; none joins names that differ."""
    kept: list[Link] = []
    apart = set(differing)
    for link in links:
        groups = _groups([*kept, link])
        if not any({first, second} <= group for group in groups for first, second in apart):
            kept.append(link)
    return kept


def _groups(links: Iterable[Link]) -> list[frozenset[str]]:
    groups: list[frozenset[str]] = []
    for link in links:
        pair = frozenset({link.name, link.alias})
        touched = [group for group in groups if group & pair]
        groups = [group for group in groups if not group & pair] + [pair.union(*touched)]
    return groups


def _owner(key: str) -> tuple[str, str] | None:
    """Owner and relation of a role: `user`, `sister`; None for a name."""
    owner, known_by, relation = key.partition("'s ")
    return (owner, relation.replace(" ", "_")) if known_by and relation else None


def _is_sure(record: Record) -> bool:
    return not record.negated and record.provenance.trust >= Trust.VERIFIED


def _family_relations(key: str, known: _Known) -> set[tuple[str, str]]:
    """The family relations of a person, as owner and relation: the sister of the user."""
    return {
        (_subject(record), statement_of(record).predicate)
        for record in known.about(key)
        if predicate(statement_of(record).predicate).type == "family"
        and not record.negated
        and _object(record) == key
        and not _UNNAMED.match(statement_of(record).object)
    }


def _differ(first: Statement, second: Statement) -> bool:
    """True if two people cannot be the same: a person has only one birthday."""
    same = first.predicate == second.predicate
    return same and not same_object(first.predicate, first.object, second.object)


@cache
def _naming_predicates() -> frozenset[str]:
    return frozenset(name for name, row in rows().items() if row.names)


@cache
def _family_predicates() -> frozenset[str]:
    return frozenset(name for name, row in rows().items() if row.type == "family")


@cache
def _thing_predicates() -> frozenset[str]:
    """Predicates whose objects are places, organisations or animals."""
    return frozenset(name for name in rows() if entity_kind(name) in _THINGS)


_THINGS = frozenset({EntityKind.PLACE, EntityKind.ORGANISATION, EntityKind.ANIMAL})


@cache
def _permanent_predicates() -> frozenset[str]:
    """Predicates with a permanent value, such as a birthday: it can only turn out to be wrong."""
    return frozenset(
        name for name, row in rows().items() if not row.many and row.ended == row.denies
    )


def _is_best(record: Record, best: Mapping[str, Record]) -> bool:
    name = statement_of(record).predicate
    kept = best.get(name)
    if kept is None or record.negated or kept.id == record.id:
        return True
    return same_object(name, statement_of(kept).object, statement_of(record).object)


def _subject(record: Record) -> str:
    return normal_name(statement_of(record).subject)


def _object(record: Record) -> str:
    return normal_name(statement_of(record).object)


_SELF = frozenset({"i", "me", "myself"})
_MINE = frozenset({"my", "our"})
_LONGER = "the only longer name that begins so"


def of(store: UserStore, name: str) -> Names:
    """Every name that means the same; for a role that changed hands, the current holder's names."""
    return resolve(name, Look(store.stated, store.entities))


def cached_lookup(store: UserStore) -> Look:
    """Cached reads of the store, to resolve several names."""
    return Look(cache(store.stated), cache(store.entities))


def resolve(name: str, look: Look) -> Names:
    """As `of`, with a lookup that several names share."""
    resolved = resolved_name(name)
    found = linked_names(resolved, look)
    now = current_holder(resolved, look) if len(found.keys) == 1 else None
    return linked_names(now, look) if now else found


def aliases(names: Names) -> tuple[Alias, ...]:
    """All names except the shown one, each with the reason."""
    found, shown = [], person(names.shown)
    for key in sorted(names.keys):
        name = person(names.spelt.get(key, key))
        if name == shown:
            continue
        link = next(link for link in names.links if key in link[:2])
        fact = link.fact
        found.append(Alias(name, fact.text if fact else _LONGER, fact.id if fact else None))
    return tuple(found)


def resolved_name(name: str) -> str:
    """The name as it is known: "my sister" is the user's.

    >>> resolved_name("my sister"), resolved_name("me"), resolved_name("Ana")
    ("user's sister", 'user', 'Ana')
    """
    first, _, remainder = name.strip().partition(" ")
    if not remainder:
        return USER if first.casefold() in _SELF else name
    return f"{USER}'s {remainder}" if first.casefold() in _MINE else name
