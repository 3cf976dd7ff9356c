"""What a reader makes of an export, message by message, and how each message gets its key.

The key is made of the format, the ids the other program gave and the words themselves. So an
import that was interrupted can be run again, a newer export adds only what is new, and a message
that was changed meanwhile is a new message.
"""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Protocol

from sharpwave.importers.fields import Damaged, clean
from sharpwave.types.answers import Problem
from sharpwave.types.message import Message
from sharpwave.types.records import Role, Source

MAX_NAME_CHARS = 200
EMPTY = "no text"


@dataclass(frozen=True, slots=True)
class Heard:
    """One message to remember, and where in the export it stands."""

    said: Message
    place: str


@dataclass(frozen=True, slots=True)
class LeftOut:
    """One message that is whole but not worth remembering, such as a tool call or hidden notes."""

    reason: str


Item = Heard | LeftOut | Problem


class Reader(Protocol):
    """Reads the values of one export in order; it may keep what it needs from one to the next."""

    def items(self, value: object, place: str) -> Iterator[Item]:
        """The messages in one value of the export: a conversation, a memory, a line."""


def heard(format_name: str, ids: tuple[object, ...], said: Message, place: str) -> Item:
    """The message with clean text, names of bounded length, and its key."""
    text = clean(said.text)
    if not text.strip():
        return LeftOut(EMPTY)
    key = f"{format_name}:{digest(*ids, text)}"
    session, speaker = _short(said.session), _short(said.speaker)
    return Heard(
        replace(said, text=text, session=session, speaker=speaker, idempotency_key=key), place
    )


def source(role: Role, own: bool) -> Source:
    """Only what the user said, in a file that the caller vouches for, is the user's own word."""
    return Source.USER_MESSAGE if own and role is Role.USER else Source.IMPORT


def digest(*parts: object) -> str:
    """A short name for some values; each counts with its length, so that none run together."""
    joined = "".join(f"{len(text)}:{text}" for text in map(str, parts))
    return hashlib.blake2b(joined.encode("utf-8", "surrogatepass"), digest_size=20).hexdigest()


def _short(name: str | None) -> str | None:
    if name is None or len(name) <= MAX_NAME_CHARS:
        return name
    return f"{name[: MAX_NAME_CHARS - 41]}:{digest(name)}"


class OneOwner:
    """Lets one owner's messages pass: nothing may cross from one user into another's memory."""

    def __init__(self) -> None:
        self._owner: str | None = None

    def check(self, owner: str | None) -> None:
        """The first owner named is the one; a message of another is refused."""
        if owner is None:
            return
        if self._owner is None:
            self._owner = owner
        if owner != self._owner:
            raise Damaged(
                f"it belongs to {owner!r}, but the first in this file to {self._owner!r}; an "
                "import takes one user's, so export each user by itself"
            )
