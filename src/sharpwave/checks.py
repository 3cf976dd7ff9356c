"""Checks on what callers hand in. Each says what is wrong and what to do about it."""

import os
import unicodedata
from collections.abc import Collection, Iterable, Mapping
from datetime import UTC, datetime, timedelta
from enum import Enum, StrEnum
from pathlib import Path
from typing import TypeVar

from pydantic import ValidationError

from sharpwave import strict_json
from sharpwave.errors import InvalidInput

MAX_NAME_CHARS = 256
"""Longest user, session, speaker, scope, tag or idempotency key."""
MAX_TEXT_BYTES = 1024 * 1024
"""Longest text one record may hold, UTF-8: a long book chapter; more is a file, not a message."""
MAX_METADATA_BYTES = 64 * 1024
"""Largest metadata, as JSON."""
EARLIEST_YEAR, LATEST_YEAR = 1900, 2999
"""Years in which something can be said, done or due; the zero dates of programs lie before."""
AHEAD = timedelta(days=1)
"""Maximum time by which a caller's clock may be ahead of ours."""
_LAST_PLACE = 2**63 - 1
Choice = TypeVar("Choice", bound=StrEnum)
Member = TypeVar("Member", bound=Enum)
_SHOWN_CHARS = 40
_MAX_MARKS_IN_A_ROW = 128  # not a setting: Unicode's own stream-safe limit is 30


def text(value: object, what: str, max_bytes: int = MAX_TEXT_BYTES) -> str:
    """The text in normal form (NFC), if it is text, not blank, and not too long."""
    clean = _characters(value, what)
    if not clean.strip():
        raise InvalidInput(f"{what} is empty; there is nothing to remember or look for")
    size = len(clean.encode())
    if size > max_bytes:
        raise InvalidInput(f"{what} has {size} bytes; at most {max_bytes} fit. Split it.")
    return clean


def name(value: object, what: str, max_chars: int = MAX_NAME_CHARS) -> str:
    """A short name, such as a user or session, in normal form."""
    clean = _characters(value, what)
    if not clean.strip():
        raise InvalidInput(f"{what} is empty")
    if len(clean) > max_chars:
        raise InvalidInput(f"{what} has {len(clean)} characters; at most {max_chars} are allowed")
    return clean


def optional_name(value: object, what: str, max_chars: int = MAX_NAME_CHARS) -> str | None:
    """As `name`, or None."""
    return None if value is None else name(value, what, max_chars)


def path_name(value: object, what: str, max_chars: int = MAX_NAME_CHARS) -> str:
    """As `name`, but one that can be a segment of a URL path."""
    clean = name(value, what, max_chars)
    if "/" in clean or clean in (".", ".."):
        raise InvalidInput(f"{what} may not contain / or be . or .., since URLs contain it")
    return clean


def moment(value: object, what: str) -> datetime:
    """A moment in UTC."""
    if not isinstance(value, datetime):
        raise InvalidInput(f"{what} must be a datetime, not {type(value).__name__}")
    if value.tzinfo is None:
        raise InvalidInput(f"{what} has no timezone; use for example datetime.now(timezone.utc)")
    try:
        return value.astimezone(UTC)
    except OverflowError as error:
        raise InvalidInput(f"{what} is out of range: {value}") from error


def date(value: object, what: str) -> datetime:
    """A moment to store, in UTC, in a plausible year: not the zero date of a program."""
    found = moment(value, what)
    if not EARLIEST_YEAR <= found.year <= LATEST_YEAR:
        raise InvalidInput(
            f"{what} lies in the year {found.year}; years from {EARLIEST_YEAR} to {LATEST_YEAR} "
            "are stored. Leave it out if the time is not known."
        )
    return found


def past(value: object, what: str, now: datetime) -> datetime:
    """A moment at which something was said or done: a `date`, and not in the future.

    Clocks of two machines differ, so what lies less than a day ahead counts as now.
    """
    found = date(value, what)
    if found - now > AHEAD:
        raise InvalidInput(
            f"{what} lies in the future ({found:%Y-%m-%d}; it is {now:%Y-%m-%d} now). Correct the "
            "clock that is wrong, or leave it out."
        )
    return min(found, now)


def metadata(value: object) -> dict[str, object]:
    """Metadata as plain JSON: string keys, no NaN, not too large."""
    if not isinstance(value, Mapping):
        raise InvalidInput(f"metadata must be a mapping, not {type(value).__name__}")
    if not all(isinstance(key, str) for key in value):
        raise InvalidInput("metadata keys must be strings")
    try:
        encoded = strict_json.dumps(dict(value))
        plain: dict[str, object] = strict_json.loads(encoded)
        size = len(encoded.encode())
    except ValueError as error:
        raise InvalidInput(f"metadata must be plain JSON without NaN: {error}") from error
    if size > MAX_METADATA_BYTES:
        raise InvalidInput(
            f"metadata takes {size} bytes as JSON; at most {MAX_METADATA_BYTES} are allowed"
        )
    if "\\u0000" in encoded and _holds_nul(plain):
        raise InvalidInput("metadata holds a NUL character; remove it")
    return plain


def _holds_nul(value: object) -> bool:
    if isinstance(value, dict):
        return any(_holds_nul(part) for pair in value.items() for part in pair)
    if isinstance(value, list):
        return any(_holds_nul(part) for part in value)
    return isinstance(value, str) and "\0" in value


def count(value: int, what: str, at_most: int, at_least: int = 1) -> int:
    """A whole number from 1, or `at_least`, up to a limit."""
    if isinstance(value, bool) or not isinstance(value, int) or not at_least <= value <= at_most:
        raise InvalidInput(
            f"{what} must be a whole number from {at_least} to {at_most}, not {_shown(value)}"
        )
    return value


def place(value: int | None, what: str) -> int | None:
    """The number of a record at which a list continues, or None; beyond the last is no error."""
    if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 0):
        raise InvalidInput(f"{what} must be a whole number from 0 on, not {_shown(value)}")
    return None if value is None else min(value, _LAST_PLACE)


def share(value: float, what: str) -> float:
    """A number from 0 to 1."""
    return number(value, what, 1.0)


def number(value: float, what: str, at_most: float) -> float:
    """A number from 0 up to a bound; NaN is refused."""
    if not isinstance(value, int | float) or not 0 <= value <= at_most:
        raise InvalidInput(f"{what} must lie between 0 and {at_most:g}, not {_shown(value)}")
    return value


def choice(kind: type[Choice], value: str, what: str) -> Choice:
    """One of the values of an enum."""
    try:
        return kind(value)
    except ValueError:
        known = ", ".join(kind)
        raise InvalidInput(f"{what} must be one of {known}, not {value!r}") from None


def choices(kind: type[Member], given: object, what: str) -> frozenset[Member]:
    """Some of the values of an enum, each as a member or by its name."""
    by_name = {member.name.lower(): member for member in kind}
    if isinstance(given, str) or not isinstance(given, Collection):
        raise InvalidInput(f"{what} must be a list of {what}, such as [{next(iter(by_name))!r}]")
    members = []
    for value in given:
        member = by_name.get(value.lower()) if isinstance(value, str) else value
        if not isinstance(member, kind):
            raise InvalidInput(
                f"unknown {what.removesuffix('s')} {_shown(value)}; there are: {', '.join(by_name)}"
            )
        members.append(member)
    return frozenset(members)


def refused(error: ValidationError, what: str, fields: Iterable[str]) -> InvalidInput:
    """The first thing that is wrong with a mapping of these fields, and where in it."""
    first = error.errors(include_url=False, include_input=False)[0]
    field = ".".join(map(str, first["loc"]))
    if first["type"] in ("extra_forbidden", "unexpected_keyword_argument"):
        return InvalidInput(f"{what} has no field {field!r}; its fields are {', '.join(fields)}")
    if first["type"] == "missing":
        return InvalidInput(f"{what} needs {field!r}")
    where = f"{what}.{field}" if field else what
    return InvalidInput(f"{where}: {first['msg'].removeprefix('Value error, ')}")


def path(value: object, what: str) -> Path:
    """A path that the file system accepts."""
    if not isinstance(value, str | Path):
        raise InvalidInput(f"{what} must be a path, not {type(value).__name__}")
    try:
        encoded = os.fsencode(value)
    except UnicodeEncodeError as error:
        raise InvalidInput(f"{what} is not a usable path: {error.reason}") from None
    if not encoded or b"\0" in encoded:
        raise InvalidInput(f"{what} is not a usable path: it is empty or holds a NUL character")
    return Path(value)


def _shown(value: object) -> str:
    try:
        text = repr(value)
    except ValueError:  # an integer with more digits than Python writes
        return "a number with thousands of digits"
    return text if len(text) <= _SHOWN_CHARS else f"{text[:_SHOWN_CHARS]}…"


def _characters(value: object, what: str) -> str:
    if not isinstance(value, str):
        raise InvalidInput(f"{what} must be text, not {type(value).__name__}")
    position = value.find("\0")
    if position >= 0:
        raise InvalidInput(f"{what} holds a NUL character at position {position}; remove it")
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise InvalidInput(
            f"{what} holds half of a surrogate pair at position {error.start}, which is no "
            "character; decode the text correctly before remembering it"
        ) from error
    if value.isascii():
        return value
    _refuse_long_mark_runs(value, what)
    return unicodedata.normalize("NFC", value)


def _refuse_long_mark_runs(value: str, what: str) -> None:
    """Normalising takes time quadratic in a run of combining marks; no language needs long ones."""
    sampled = value[_MAX_MARKS_IN_A_ROW :: _MAX_MARKS_IN_A_ROW + 1]
    if not any(map(unicodedata.combining, sampled)):  # a long run has a sampled mark
        return
    run = 0
    for position, character in enumerate(value):
        run = run + 1 if unicodedata.combining(character) else 0
        if run > _MAX_MARKS_IN_A_ROW:
            raise InvalidInput(
                f"{what} has more than {_MAX_MARKS_IN_A_ROW} combining marks in a row up to "
                f"position {position}; remove them"
            )
