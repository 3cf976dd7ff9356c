"""The names of somebody, looked up in the store."""

from functools import partial

from sharpwave.knowledge.names import Look, Names, together
from sharpwave.ports import Store
from sharpwave.predicates import person
from sharpwave.types.known import Alias

_LONGER = "the only longer name that begins so"


def of(user_id: str, store: Store, name: str) -> Names:
    """Every name that means the same as this one."""
    look = Look(partial(store.stated, user_id), partial(store.entities, user_id))
    return together(name, look)


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
