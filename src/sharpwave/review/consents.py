"""What a user agreed to."""

from dataclasses import replace

from sharpwave.errors import InvalidInput
from sharpwave.ports import Ports
from sharpwave.settings import PrivacySettings
from sharpwave.types.answers import Recollection
from sharpwave.types.records import Kind
from sharpwave.types.working import Purpose

WITHDRAWN = (
    "this user does not agree to being remembered: nothing is stored, nothing remembered is used; "
    'what was there is kept until it is erased, or until consent("memory", True)'
)


_LEARNED = frozenset(
    {Kind.NOTE, Kind.BEHAVIOR, Kind.SKILL, Kind.PATTERN, Kind.TOOL_RECORD, Kind.INSIGHT}
)


def nothing_used(query: str) -> Recollection:
    """What is recalled for somebody who does not agree to it."""
    return Recollection(query, (), 0, weights="", notes=(WITHDRAWN,), rationale=WITHDRAWN)


def without_learned(found: Recollection) -> Recollection:
    """What was recalled, without what was learned from somebody who does not agree to it."""
    items = tuple(item for item in found.items if item.record.kind not in _LEARNED)
    near = tuple(one for one in found.left_out if one.kind not in _LEARNED)
    return replace(found, items=items, left_out=near)


def purpose(name: str) -> Purpose:
    """The purpose of that name."""
    try:
        return Purpose(name)
    except ValueError:
        known = ", ".join(Purpose)
        raise InvalidInput(f"purpose must be one of {known}, not {name!r}") from None


def effective(user_id: str, ports: Ports, settings: PrivacySettings) -> dict[Purpose, bool]:
    """For every purpose what the user said, or what is assumed where nothing was said."""
    assumed = {
        Purpose.MEMORY: settings.consent_assumed,
        Purpose.LEARNING: settings.consent_assumed,
        Purpose.SENSITIVE: False,
        Purpose.EGRESS: settings.egress_assumed,
        Purpose.POPULATION: settings.population_assumed,
    }
    return assumed | ports.store.ledger.consents(user_id)
