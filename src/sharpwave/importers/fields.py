"""Reading fields of somebody else's JSON without trusting their types."""

import math
from collections.abc import Mapping
from datetime import UTC, datetime

from sharpwave.types.records import Role

_LEAST_MILLISECONDS = 1e11  # as seconds, the year 5138: larger numbers count milliseconds
_MAX_TITLE_CHARS = 500
_ROLES = {
    "user": Role.USER,
    "human": Role.USER,
    "assistant": Role.ASSISTANT,
    "ai": Role.ASSISTANT,
    "bot": Role.ASSISTANT,
    "model": Role.ASSISTANT,
    "system": Role.SYSTEM,
    "developer": Role.SYSTEM,
    "tool": Role.TOOL,
    "function": Role.TOOL,
}


class Damaged(ValueError):
    """A part of an export is not as it should be; the message says how."""


def fields(value: object, what: str) -> Mapping[str, object]:
    """A JSON object."""
    if not isinstance(value, dict):
        raise Damaged(f"{what} should be an object, not {_kind(value)}")
    return value


def optional_fields(value: object, what: str) -> Mapping[str, object]:
    """A JSON object; null counts as an empty one."""
    return {} if value is None else fields(value, what)


def elements(value: object, what: str) -> list[object]:
    """A JSON array; null counts as an empty one."""
    if value is None:
        return []
    if not isinstance(value, list):
        raise Damaged(f"{what} should be an array, not {_kind(value)}")
    return value


def text(value: object, what: str) -> str:
    """A text; null counts as an empty one."""
    if value is None:
        return ""
    if not isinstance(value, str):
        raise Damaged(f"{what} should be text, not {_kind(value)}")
    return value


def clean(value: str) -> str:
    """Text without NUL and half surrogate pairs, which some exports hold and no store takes."""
    if not value.isascii():
        value = value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return value.replace("\0", "")


def first(values: Mapping[str, object], *names: str) -> object:
    """The first of these fields that has a value."""
    return next((values[name] for name in names if values.get(name) is not None), None)


def name(value: object) -> str | None:
    """An id or a name: text or a whole number; anything else is no name."""
    if isinstance(value, str):
        return clean(value).strip() or None
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else None


def title(value: object) -> str | None:
    """A title of bounded length."""
    found = name(value)
    return None if found is None else found[:_MAX_TITLE_CHARS]


def role(value: object) -> Role:
    """Which side spoke, in our words."""
    known = _ROLES.get(value.strip().lower()) if isinstance(value, str) else None
    if known is None:
        raise Damaged(f"the role {str(value)[:40]!r} is not known")
    return known


def moment(value: object) -> datetime | None:
    """A moment in UTC from an ISO text or a number of (milli)seconds; None if it is neither."""
    try:
        if isinstance(value, str):
            return _from_text(value.strip())
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return _from_number(float(value))
    except (ValueError, OverflowError, OSError):  # out of the range of a calendar: not a time
        return None
    return None


def known(**values: object) -> dict[str, object]:
    """These values without those that are not there."""
    return {key: value for key, value in values.items() if value not in (None, "", [], {}, 0)}


def _from_text(value: str) -> datetime | None:
    try:
        found = datetime.fromisoformat(value)
    except ValueError:
        return _from_number(float(value))
    aware = found if found.tzinfo else found.replace(tzinfo=UTC)
    return aware.astimezone(UTC)


def _from_number(value: float) -> datetime | None:
    if not math.isfinite(value) or value <= 0:
        return None
    seconds = value / 1000 if value >= _LEAST_MILLISECONDS else value
    return datetime.fromtimestamp(seconds, UTC)


def _kind(value: object) -> str:
    kinds = {
        dict: "an object",
        list: "an array",
        str: "text",
        bool: "a truth value",
        bytes: "bytes",
    }
    return "null" if value is None else kinds.get(type(value), "a number")
