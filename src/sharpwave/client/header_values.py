"""Encoding of names in HTTP headers, used by client and server.

A header value is a byte string without a charset. Ours is UTF-8, decoded strictly. A name that a
header cannot carry unchanged (control characters, spaces at its ends) or that a proxy may change is
written as an extended value of RFC 8187: `UTF-8''stra%C3%9Fe`.
"""

import re
from collections.abc import Sequence
from urllib.parse import quote, unquote_to_bytes

from sharpwave import checks
from sharpwave.errors import InvalidInput

_EXTENDED = re.compile(rb"utf-8'[a-z0-9-]*'((?:[\w!#$&+.^`|~-]|%[0-9a-f]{2})*)", re.I | re.A)
_BEGINS = "utf-8'"
_SAFE = "!#$&+.^`|~-"


def encoded(name: str) -> str:
    """A name as the value of a header, in ASCII.

    >>> encoded("Ana"), encoded("straße")
    ('Ana', "UTF-8''stra%C3%9Fe")
    """
    clean = checks.name(name, "user")
    plain = clean.isascii() and clean.isprintable() and clean == clean.strip()
    if plain and not clean.lower().startswith(_BEGINS):
        return clean
    return f"UTF-8''{quote(clean, safe=_SAFE)}"


def decoded(value: bytes, header: str, max_chars: int = checks.MAX_NAME_CHARS) -> str:
    """The name in a header's value, in normal form; InvalidInput if it cannot be read.

    >>> decoded(b"UTF-8''stra%C3%9Fe", "Sharpwave-User") == decoded("straße".encode(), "…")
    True
    """
    if value[: len(_BEGINS)].lower() == _BEGINS.encode():
        extended = _EXTENDED.fullmatch(value)
        if extended is None:
            raise InvalidInput(f"{header}: write UTF-8'' and the name in percent-encoding")
        value = unquote_to_bytes(extended[1])
    try:
        return checks.name(value.decode(), header, max_chars)
    except UnicodeDecodeError as error:
        raise InvalidInput(
            f"{header} is not UTF-8 at byte {error.start}; send UTF-8, or UTF-8'' and the name in "
            "percent-encoding"
        ) from None


def only_name(
    values: Sequence[str], header: str, max_chars: int = checks.MAX_NAME_CHARS
) -> str | None:
    """The name in a header that may be sent once or not at all; values as servers read them."""
    if len(values) > 1:
        raise InvalidInput(f"send the header {header} once")
    return decoded(values[0].encode("latin-1"), header, max_chars) if values else None
