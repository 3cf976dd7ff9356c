"""The names of somebody, looked up in the store."""

from functools import cache

from sharpwave.knowledge.names import Look, Names, holder, together
from sharpwave.knowledge.predicates import person
from sharpwave.ports import UserStore
from sharpwave.types.known import Alias
from sharpwave.types.records import USER

_SELF = frozenset({"i", "me", "myself"})
_MINE = frozenset({"my", "our"})
_LONGER = "the only longer name that begins so"


def of(store: UserStore, name: str) -> Names:
    """Every name that means the same as this one; of a role that changed hands, who has it now."""
    return meant(name, Look(store.stated, store.entities))


def looking(store: UserStore) -> Look:
    """Questions to the store that are asked once, whoever else's name leads to them."""
    return Look(cache(store.stated), cache(store.entities))


def meant(name: str, look: Look) -> Names:
    """As `of`, for several names by the same look."""
    asked = asked_name(name)
    found = together(asked, look)
    now = holder(asked, look) if len(found.keys) == 1 else None
    return together(now, look) if now else found


def aliases(names: Names, shown: str) -> tuple[Alias, ...]:
    """The other names, each with the reason."""
    found = []
    for key in sorted(names.keys):
        name = person(names.spelt.get(key, key))
        if name == person(shown):
            continue
        link = next(link for link in names.links if key in link[:2])
        fact = link.fact
        found.append(Alias(name, fact.text if fact else _LONGER, fact.id if fact else None))
    return tuple(found)


def asked_name(name: str) -> str:
    """The name as it is known: "my sister" is the user's.

    >>> asked_name("my sister"), asked_name("me"), asked_name("Ana")
    ("user's sister", 'user', 'Ana')
    """
    first, _, rest = name.strip().partition(" ")
    if not rest:
        return USER if first.casefold() in _SELF else name
    return f"{USER}'s {rest}" if first.casefold() in _MINE else name
