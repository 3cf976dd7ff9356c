"""Rules learned from the user, as people read them."""

from sharpwave.interfaces.web.shown.counts import times
from sharpwave.types.records import State
from sharpwave.types.steering import Behavior, SteeringType

TYPES = {
    SteeringType.CORRECTION: "correction",
    SteeringType.PREFERENCE: "preference",
    SteeringType.STYLE: "style",
    SteeringType.KNOWLEDGE: "knowledge",
}
KINDS = {name: name for name in TYPES.values()}
"""The kinds by the names that the facade knows them by."""
GLOBAL = "global"
_GONE = {State.SUPERSEDED: "replaced", State.INVALIDATED: "deleted"}


def where(behavior: Behavior) -> str:
    """Where a rule holds.

    >>> from types import SimpleNamespace
    >>> where(SimpleNamespace(scope="global")), where(SimpleNamespace(scope="project:atlas"))
    ('everywhere', 'in project:atlas')
    """
    return "everywhere" if behavior.scope == GLOBAL else f"in {behavior.scope}"


def frequency(behavior: Behavior) -> str:
    """How often it was observed; when that was comes after it.

    >>> from types import SimpleNamespace
    >>> frequency(SimpleNamespace(frequency=1)), frequency(SimpleNamespace(frequency=3))
    ('observed once,', 'observed 3 times, last')
    """
    last = ", last" if behavior.frequency > 1 else ","
    return f"observed {times(max(behavior.frequency, 1))}{last}"


def standing(behavior: Behavior) -> str:
    """Why it waits, or what became of it; empty if it simply holds."""
    if behavior.state is State.UNCERTAIN:
        return "reported by an agent, not used yet"
    if behavior.state in _GONE:
        return _GONE[behavior.state]
    return "" if behavior.accepted else "used already"


def is_past(behavior: Behavior) -> bool:
    """Whether it no longer holds, so that `undo` brings it back."""
    return behavior.state in _GONE
