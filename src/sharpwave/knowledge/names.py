"""Which names mean the same: Ana, Ana Souza, Nini and the user's sister may be one person [KG-03].

Nothing is merged: names are linked by what facts say, and read together. A link goes with the fact
that makes it, so whatever is denied, ended or forgotten is undone by itself.

    said      Ana goes by Nini; the user's name is Maria
    role      the user's sister is Ana, and no other sister is known by name
    longer    Ana and Ana Souza: the only name that goes on so, and nothing says that they differ

Two people with one first name stay two: someone said so, the user has a sister Ana and a friend
Ana Souza, or they differ in what cannot change, such as a birthday. Only what the user or someone
as good said makes a link.
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
"""Names looked at for one entity; beyond that nothing more is linked."""
_UNNAMED = re.compile(r"(?:an?|the|their|his|her|its|two|three|four|five|six|\d+) ")
_NO_PERSON = frozenset({EntityKind.PLACE, EntityKind.ORGANISATION, EntityKind.EVENT})
_ENOUGH = 8
"""Facts read to see whether the user has one sister or several."""


def own_names(store: UserStore, turns: Iterable[Record]) -> frozenset[str]:
    """The names under which the user speaks, in normal form; looked up if turns name a speaker."""
    if all(turn.speaker is None for turn in turns):
        return frozenset()
    wanted = Stated(within=(slot_of(USER, "name"),), states=ACTIVE)
    known = [one.statement.object for one in store.stated(wanted) if one.statement]
    return frozenset(map(normal_name, [store.user_id, *known]))


class Look(NamedTuple):
    """The two reads of a user's store that linking names needs."""

    stated: Callable[[Stated], list[Record]]
    """Facts, in the order they were recorded."""
    entities: Callable[[int, str], list[EntityCount]]
    """Up to a number of names that begin with a prefix."""


class Link(NamedTuple):
    """Two names of one entity, in normal form, and the fact that says so."""

    one: str
    other: str
    fact: Record | None = None
    """None if one is merely the beginning of the other."""


@dataclass(frozen=True, slots=True)
class Names:
    """All names of one entity."""

    keys: frozenset[str]
    """In normal form."""
    links: tuple[Link, ...] = ()
    spelt: Mapping[str, str] = field(default_factory=dict)
    """Each as it was said, as far as a fact says it."""

    @property
    def shown(self) -> str:
        """The name to show: a name rather than a role, what goes by another, the longest."""

        def worse(key: str) -> tuple[bool, bool, int, str]:
            other = any(link.other == key and link.fact is not None for link in self.links)
            return _owner(key) is not None, other, -len(key), key

        best = min(self.keys, key=worse)
        return self.spelt.get(best, best)


def linked_names(name: str, look: Look) -> Names:
    """Every name that means the same as this one.

    The relation is an equivalence: asked by any of its names, an entity has the same names.
    """
    start = normal_name(name)
    known = _Known(look)
    reached, front, links = {start}, [start], dict[tuple[str, str], Link]()
    while front and len(reached) <= _MOST_NAMES:
        for link in _links_of(front.pop(0), known):
            links.setdefault((link.one, link.other), link)
            for key in (link.one, link.other):
                if key not in reached:
                    reached.add(key)
                    front.append(key)
    denied = [one for key in sorted(reached) for one in known.naming(key) if one.negated]
    differing = [(_subject(one), _object(one)) for one in denied]
    surest = sorted(links.values(), key=lambda link: (link.fact is None, link.one, link.other))
    kept = _without_contradiction(surest, differing)
    keys = next((group for group in _groups(kept) if start in group), frozenset({start}))
    own = tuple(link for link in kept if link.one in keys)
    return Names(keys, own, {start: name.strip()} | known.spelt)


def current_holder(name: str, look: Look) -> str | None:
    """Who has a role now, though others had it before: the user's boss is Sara, and was Rui.

    What was said of the boss by the role alone may be about either, so the names are not linked.
    """
    owned = _owner(normal_name(name))
    if owned is None:
        return None
    now = Stated(within=(slot_of(*owned),), kinds=FACTS, states=ACTIVE)
    named = [statement_of(record).object for record in look.stated(now) if not record.negated]
    return named[0] if len(named) == 1 and not is_unnamed(named[0]) else None


def settled(records: Sequence[Record]) -> tuple[list[Record], list[Record]]:
    """What holds of one entity, and what gave way: where one value can hold, the newest does.

    Under one name that was decided when it was said; under two names it shows only here.
    """
    best: dict[str, Record] = {}
    for record in records:
        name = statement_of(record).predicate
        if not predicate(name).many and not record.negated:
            best[name] = max(best.get(name, record), record, key=_AGE)
    held = [record for record in records if _is_best(record, best)]
    return held, [record for record in records if not _is_best(record, best)]


def role(owner: str, relation: str) -> str:
    """How a person is called who is known by a relation to another.

    >>> role("user", "best_friend")
    "user's best friend"
    """
    return normal_name(f"{owner}'s {relation.replace('_', ' ')}")


def is_unnamed(name: str) -> bool:
    """True for what stands in the place of a name: "a dog"."""
    return _UNNAMED.match(name) is not None


def may_be_person(names: Names) -> bool:
    """False for a thing that is only known by its owner: "user's glasses"."""
    owned = [_owner(key) for key in names.keys]
    return any(one is None or one[1] in _relations() for one in owned)


def is_naming(record: Record) -> bool:
    """True for a fact that says another name."""
    return predicate(statement_of(record).predicate).names


class _Known:
    """What was looked up so far."""

    def __init__(self, look: Look) -> None:
        self._look = look
        self._about: dict[str, list[Record]] = {}
        self.longer_links: dict[str, Link | None] = {}
        self.spelt: dict[str, str] = {USER: USER}

    def about(self, key: str) -> list[Record]:
        """Facts that give this name to a person, or relate a person of this name to another."""
        if key not in self._about:
            wanted = Stated(about=(key,), predicates=_naming() | _relations())
            if key == USER:  # records do not mention the user
                wanted = Stated(within=tuple(slot_of(USER, one) for one in sorted(_naming())))
            self._about[key] = self._read(wanted)
        return self._about[key]

    def lasting(self, *keys: str) -> list[Record]:
        """What is known of some that cannot change."""
        wanted = Stated(within=tuple(f"{key}|" for key in keys), predicates=_cannot_change())
        return [record for record in self._read(wanted) if not record.negated]

    def is_subject(self, key: str) -> bool:
        """True if anything was said of it."""
        return bool(self._read(Stated(within=(f"{key}|",), limit=1)))

    def are_things(self, *keys: str) -> bool:
        """True if a fact takes one for a place, an organisation or an animal."""
        found = self._read(Stated(about=keys, predicates=_of_things()))
        return any(_object(record) in keys for record in found)

    def naming(self, key: str) -> list[Record]:
        """Facts that say, or deny, that it has another name."""
        return [record for record in self.about(key) if is_naming(record)]

    def called(self, owner: str, relation: str) -> dict[str, Record]:
        """Names of all who ever had a relation, such as sister, to a person."""
        found = self._read(Stated(within=(slot_of(owner, relation),), limit=_ENOUGH))
        named = [r for r in found if not r.negated and not _UNNAMED.match(statement_of(r).object)]
        return {_object(record): record for record in reversed(named)}

    def longer(self, key: str) -> list[str]:
        """The names that go on where this one ends, the shortest first, but for places."""
        found = self._look.entities(_MOST_NAMES, key)
        names = {one.key: one.name for one in found if one.kind not in _NO_PERSON}
        for name in names:
            self.spelt.setdefault(name, names[name])
        return sorted(names, key=lambda name: (len(name), name))

    def _read(self, wanted: Stated) -> list[Record]:
        records = self._look.stated(replace(wanted, kinds=FACTS, states=EVER_TRUE))
        for record in records:
            statement = statement_of(record)
            for said in (statement.subject, statement.object):
                self.spelt.setdefault(normal_name(said), said)
        return records


def _links_of(key: str, known: _Known) -> Iterator[Link]:
    for record in known.naming(key):
        if _is_sure(record):
            yield Link(_subject(record), _object(record), record)
    yield from _roles(key, known)
    if key != USER and _owner(key) is None:
        words = key.split()
        shorter = [" ".join(words[:size]) for size in range(1, len(words) + 1)]
        links = [_longer(short, known) for short in shorter]
        yield from (link for link in links if link is not None and key in link[:2])


def _roles(key: str, known: _Known) -> Iterator[Link]:
    """The links between "the user's sister" and her name, from either side."""
    sides = _kin(key, known)
    if owned := _owner(key):
        sides.add(owned)
    for owner, relation in sorted(sides):
        names = known.called(owner, relation)
        if len(names) == 1:
            ((name, record),) = names.items()
            if _is_sure(record) and name != role(owner, relation):
                yield Link(name, role(owner, relation), record)


def _longer(short: str, known: _Known) -> Link | None:
    """The link of a name to the one name that goes on where it ends."""
    if short not in known.longer_links:
        longer = known.longer(short)
        chain = all(other.startswith(f"{one} ") for one, other in pairwise(longer))
        fits = bool(longer) and chain and _may_be_one(short, longer[0], known)
        known.longer_links[short] = Link(short, longer[0]) if fits else None
    return known.longer_links[short]


def _may_be_one(short: str, long: str, known: _Known) -> bool:
    """True for two names of people of whom nothing says that they are two."""
    kin_of_short, kin_of_long = _kin(short, known), _kin(long, known)
    if kin_of_short and kin_of_long and not kin_of_short & kin_of_long:
        return False
    if not (kin_of_short or known.is_subject(short)) or not (kin_of_long or known.is_subject(long)):
        return False  # hardly anything is known: no ground to stand on
    if known.are_things(short, long):
        return False
    once = [statement_of(record) for record in known.lasting(short, long)]
    return not any(_differ(one, other) for one, other in combinations(once, 2))


def _without_contradiction(
    links: Sequence[Link], differing: Iterable[tuple[str, str]]
) -> list[Link]:
    """The links that can all be true; the surest first, none joins names that differ."""
    kept: list[Link] = []
    apart = set(differing)
    for link in links:
        groups = _groups([*kept, link])
        if not any({one, other} <= group for group in groups for one, other in apart):
            kept.append(link)
    return kept


def _groups(links: Iterable[Link]) -> list[frozenset[str]]:
    groups: list[frozenset[str]] = []
    for link in links:
        pair = frozenset({link.one, link.other})
        touched = [group for group in groups if group & pair]
        groups = [group for group in groups if not group & pair] + [pair.union(*touched)]
    return groups


def _owner(key: str) -> tuple[str, str] | None:
    """Owner and relation of a role: `user`, `sister`; None for a name."""
    owner, known_by, relation = key.partition("'s ")
    return (owner, relation.replace(" ", "_")) if known_by and relation else None


def _is_sure(record: Record) -> bool:
    return not record.negated and record.provenance.trust >= Trust.VERIFIED


def _kin(key: str, known: _Known) -> set[tuple[str, str]]:
    """The relation of a person: the sister of the user."""
    return {
        (_subject(record), statement_of(record).predicate)
        for record in known.about(key)
        if predicate(statement_of(record).predicate).type == "family"
        and not record.negated
        and _object(record) == key
        and not _UNNAMED.match(statement_of(record).object)
    }


def _differ(one: Statement, other: Statement) -> bool:
    """True if two people cannot be one: each has but one birthday."""
    same = one.predicate == other.predicate
    return same and not same_object(one.predicate, one.object, other.object)


@cache
def _naming() -> frozenset[str]:
    return frozenset(name for name, row in rows().items() if row.names)


@cache
def _relations() -> frozenset[str]:
    return frozenset(name for name, row in rows().items() if row.type == "family")


@cache
def _of_things() -> frozenset[str]:
    """Predicates whose objects are places, organisations or animals."""
    return frozenset(name for name in rows() if entity_kind(name) in _THINGS)


_THINGS = frozenset({EntityKind.PLACE, EntityKind.ORGANISATION, EntityKind.ANIMAL})


@cache
def _cannot_change() -> frozenset[str]:
    """What a person has once and for all, such as a birthday: it can only turn out to be wrong."""
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
    """Every name that means the same as this one; of a role that changed hands, who has it now."""
    return resolve(name, Look(store.stated, store.entities))


def cached_lookup(store: UserStore) -> Look:
    """Cached reads of the store, to resolve several names."""
    return Look(cache(store.stated), cache(store.entities))


def resolve(name: str, look: Look) -> Names:
    """As `of`, with a lookup that several names share."""
    asked = resolved_name(name)
    found = linked_names(asked, look)
    now = current_holder(asked, look) if len(found.keys) == 1 else None
    return linked_names(now, look) if now else found


def aliases(names: Names) -> tuple[Alias, ...]:
    """The names besides the one that is shown, each with the reason."""
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
    first, _, rest = name.strip().partition(" ")
    if not rest:
        return USER if first.casefold() in _SELF else name
    return f"{USER}'s {rest}" if first.casefold() in _MINE else name
