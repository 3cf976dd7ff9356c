"""Where a memory comes from, and what comes from it."""

from sharpwave.errors import NotFound
from sharpwave.ports import Ports
from sharpwave.types.known import Explanation


def explain(user_id: str, ports: Ports, memory_id: str) -> Explanation:
    """A record with those that support it, and those that it supports."""
    store = ports.store
    found = store.find(user_id, [memory_id])
    if not found:
        raise NotFound(f"no memory {memory_id!r}")
    below = store.evidence(user_id, [memory_id])[memory_id]
    above = store.derived(user_id, [memory_id])[memory_id]
    return Explanation(
        found[0], tuple(store.find(user_id, below)), tuple(store.find(user_id, above))
    )
