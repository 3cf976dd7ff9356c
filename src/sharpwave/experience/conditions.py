"""Whether the conditions of an insight are met by what a caller says of the situation [INS-02]."""

from collections.abc import Mapping
from typing import Any

_LEAST, _MOST, _NOT = "min", "max", "not"
_OPERATORS = frozenset({_LEAST, _MOST, _NOT})


def are_met(conditions: Mapping[str, Any], given: Mapping[str, Any]) -> bool:
    """Whether every condition is met. One about something that is not given is not met.

    A value must be equal, regardless of case; a list names what it may be; `min`, `max` and `not`
    bound it.

    >>> are_met({"env": ["prod", "stage"]}, {"env": "Prod"}), are_met({"env": "prod"}, {})
    (True, False)
    >>> are_met({"retries": {"min": 3}}, {"retries": 5}), are_met({"os": {"not": "mac"}}, {"os": 1})
    (True, True)
    """
    return all(
        name in given and _is_met(wanted, given[name]) for name, wanted in conditions.items()
    )


def _is_met(wanted: Any, value: Any) -> bool:
    if isinstance(wanted, Mapping):
        if wanted and wanted.keys() <= _OPERATORS:
            return _is_inside(wanted, value)
        return isinstance(value, Mapping) and are_met(wanted, value)
    if isinstance(wanted, (list, tuple)):
        return any(_is_met(option, value) for option in wanted)
    if isinstance(value, (list, tuple)):
        return any(_is_met(wanted, item) for item in value)
    if isinstance(wanted, bool) or isinstance(value, bool):
        return wanted is value
    if isinstance(wanted, str) and isinstance(value, str):
        return wanted.strip().casefold() == value.strip().casefold()
    return bool(wanted == value)


def _is_inside(bounds: Mapping[str, Any], value: Any) -> bool:
    if _NOT in bounds and _is_met(bounds[_NOT], value):
        return False
    try:
        above = _LEAST not in bounds or value >= bounds[_LEAST]
        return bool(above and (_MOST not in bounds or value <= bounds[_MOST]))
    except TypeError:  # not comparable, such as a word and a number
        return False
