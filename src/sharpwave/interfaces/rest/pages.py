"""Lists in pages: a cursor says where the last page ended."""

import base64
import binascii
from collections.abc import Sequence
from typing import Any

from sharpwave.errors import NotFound


def page(found: Sequence[Any], cursor: str | None, size: int) -> tuple[Sequence[Any], str | None]:
    """The next items, and the cursor for those after them; None at the end.

    The cursor names the last item, so that what is added or forgotten before it shifts nothing.

    >>> items, after = page(["a", "b", "c"], None, 2)
    >>> page(["x", "a", "b", "c"], after, 2)
    (['c'], None)
    """
    start = 0 if cursor is None else _after(found, cursor)
    end = start + size
    if end >= len(found):
        return found[start:end], None
    return found[start:end], _cursor(end, found[end - 1])


def _cursor(position: int, last: Any) -> str:
    return base64.urlsafe_b64encode(f"{position}:{_name(last)}".encode()).decode().rstrip("=")


def _after(found: Sequence[Any], cursor: str) -> int:
    try:
        padded = cursor + "=" * (-len(cursor) % 4)
        position, _, last = base64.b64decode(padded, b"-_", validate=True).decode().partition(":")
        start = int(position)
    except (binascii.Error, ValueError) as error:
        raise NotFound("this cursor is none of ours; begin without one") from error
    start = max(0, min(start, len(found)))
    if start and _name(found[start - 1]) == last:
        return start
    return next((at + 1 for at, item in enumerate(found) if _name(item) == last), start)


def _name(item: Any) -> str:
    return str(getattr(item, "id", None) or getattr(item, "name", None) or item)[:200]
