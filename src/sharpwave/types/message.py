"""What a caller hands to `remember`, before it becomes a record."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from sharpwave.types.records import Channel, Kind, Role, Source
from sharpwave.types.statements import Candidate


@dataclass(frozen=True, slots=True)
class Message:
    """One message to remember: who said what, when and where.

    Only `text` is needed. `at` is when it was said (now, if not given), from 1900 on and not in the
    future; less than a day ahead counts as now. `source` follows from the
    role unless the content came from elsewhere, such as a web page a tool returned. With `kind`
    "task" (which may be `due`) or "note" the words are kept as one, whatever they say. Due at
    midnight means on that day.
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


@dataclass(frozen=True, slots=True)
class Confirmation(Message):
    """What the user says of something that is known: what it states need not be read."""

    states: Candidate | None = None
