"""Messages, as callers pass them to `remember`."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from sharpwave.types.records import Channel, Kind, Role, Source
from sharpwave.types.statements import Candidate


@dataclass(frozen=True, slots=True)
class Message:
    """One message to store: who said what, when and where.

    Only `text` is required. `at` is when it was said (default: now), from 1900 on and not in the
    future; less than a day ahead counts as now. `source` follows from the role; set it if the
    content came from elsewhere, such as a web page that a tool returned. With `kind` "task" (which
    may be `due`) or "note" the text is stored as such. Due at midnight means on that day.
    `corrects` is the id of a known fact that this text replaces.
    """

    text: str
    role: Role | str = Role.USER
    speaker: str | None = None
    at: datetime | None = None
    session: str | None = None
    scope: str = "global"
    source: Source | str | None = None
    channel: Channel | str = Channel.LIBRARY
    author: str | None = None
    tags: tuple[str, ...] = ()
    metadata: Mapping[str, object] = field(default_factory=dict)
    idempotency_key: str | None = None
    kind: Kind | str = Kind.TURN
    due: datetime | None = None
    corrects: str | None = None


@dataclass(frozen=True, slots=True)
class Confirmation(Message):
    """The user's yes or no to a known fact: neither read nor recalled as a message."""

    states: Candidate | None = None


def joined_parts(parts: Sequence[str]) -> str:
    r"""The parts of a message as one text.

    If there are several, it is unknown which the user wrote and which come from files, so each is
    put in a tag: nothing is learned from tagged text. A part that is already tagged is unchanged.

    >>> joined_parts(["<file>I live in Oslo.</file>", "What is this?"])
    '<file>I live in Oslo.</file>\nWhat is this?'
    """
    texts = [text for text in parts if text.strip()]
    tagged = [_TAGGED.fullmatch(text) is not None for text in texts]
    if tagged.count(False) > 1:
        texts = [
            text if done else f"<part>\n{text}\n</part>"
            for text, done in zip(texts, tagged, strict=True)
        ]
    return "\n".join(texts)


_TAGGED = re.compile(r"\s*<([a-zA-Z][\w:.-]{0,60})(?:\s[^<>]{0,500})?>.*</\1\s*>\s*", re.DOTALL)
