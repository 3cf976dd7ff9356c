"""A stored `Record` of some kind, its provenance, and its current standing.

A record has two halves. Its content (what was said, by whom, since when it is valid) never changes
and is covered by `content_hash`; its `Standing` (state, stage, counts, importance, confidence)
changes as it is used, contradicted and consolidated, and so does `valid_to`.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import IntEnum, StrEnum
from json.encoder import encode_basestring
from operator import attrgetter
from typing import NamedTuple, Self

from pydantic_core import CoreSchema, core_schema

USER = "user"
"""The subject of the user's statements about himself or herself."""


class Kind(StrEnum):
    """The kind of a record; see the glossary."""

    TURN = "turn"
    INTERACTION = "interaction"
    """One cycle of a live agent, from query to outcome (L0)."""
    OBSERVATION = "observation"
    """A finished task of an agent, as observed; or the outcome of advice (L0)."""
    EPISODE = "episode"
    FACT = "fact"
    TASK = "task"
    NOTE = "note"
    BEHAVIOR = "behavior"
    SKILL = "skill"
    PATTERN = "pattern"
    TOOL_RECORD = "tool_record"
    INSIGHT = "insight"
    TRAJECTORY = "trajectory"
    """A turn with the skill selected for it, and its context (L0)."""
    FEEDBACK = "feedback"
    """The user's rating of an answer, decision about skills and style, or confirmation (L0)."""


UNSEARCHED = frozenset({Kind.TRAJECTORY, Kind.FEEDBACK, Kind.SKILL})
"""Kinds that are stored for learning, but have no vector and are never recalled."""


class Role(StrEnum):
    """The role of the speaker."""

    USER = "user"
    ASSISTANT = "assistant"
    SYSTEM = "system"
    TOOL = "tool"


class Source(StrEnum):
    """Origin of the content."""

    USER_MESSAGE = "user_message"
    TOOL = "tool"
    SYSTEM = "system"
    INFERRED = "inferred"
    WEB = "web"
    IMPORT = "import"


class Channel(StrEnum):
    """The interface through which the content was received."""

    LIBRARY = "library"
    CLI = "cli"
    REST = "rest"
    MCP = "mcp"
    DASHBOARD = "dashboard"
    ADAPTER = "adapter"
    SLEEP = "sleep"


class Trust(IntEnum):
    """How far a record may be promoted. A derived record has the lowest trust of its parents."""

    UNTRUSTED = 0
    INFERRED = 1
    VERIFIED = 2
    USER = 3

    @classmethod
    def __get_pydantic_core_schema__(cls, source: object, handler: object) -> CoreSchema:
        """Serialise to JSON as the name in lower case."""
        named = core_schema.literal_schema([member.name.lower() for member in cls])
        from_name = core_schema.no_info_after_validator_function(
            lambda name: cls[name.upper()], named
        )
        return core_schema.json_or_python_schema(
            json_schema=from_name,
            python_schema=core_schema.union_schema(
                [core_schema.is_instance_schema(cls), from_name]
            ),
            serialization=core_schema.plain_serializer_function_ser_schema(
                lambda trust: trust.name.lower(), return_schema=named
            ),
        )


class Stage(StrEnum):
    """Stage of consolidation of a turn or interaction."""

    ACTIVE = "active"
    WORKING = "working"
    EPISODIC = "episodic"
    SEMANTIC = "semantic"


PENDING = frozenset({Stage.ACTIVE, Stage.WORKING})
"""Stages that a turn leaves once sleep has replayed it."""
HOT_DAYS, WARM_DAYS = 14.0, 90.0
"""Maximum age in days of hot turns, and of warm turns; older ones are cold [EPI-03]."""
INITIAL_IMPORTANCE = 0.2
"""Importance of a plain turn, the chit-chat class [SCO-08]."""


class Temperature(StrEnum):
    """Which episodic shard a record belongs to."""

    HOT = "hot"
    WARM = "warm"
    COLD = "cold"


class State(StrEnum):
    """Whether a record is still valid. Turns stay active; facts and tasks change state."""

    ACTIVE = "active"
    UNCERTAIN = "uncertain"
    """Contradicted, or a weaker variant of another: stored, but recalled only on request."""
    STALE = "stale"
    """What it was derived from is no longer valid."""
    STALLED = "stalled"
    """A task without progress."""
    DONE = "done"
    SUPERSEDED = "superseded"
    """It was valid until `valid_to`; it was replaced by something newer, or ended."""
    INVALIDATED = "invalidated"
    """It was wrong; or a task that was dropped."""
    QUARANTINED = "quarantined"
    """Its source is under quarantine; reversible."""


CURRENT = frozenset({State.ACTIVE, State.STALLED, State.DONE})
"""States in which a record is recalled by default."""
ACTIVE = frozenset({State.ACTIVE})
ACTIVE_OR_UNCERTAIN = frozenset({State.ACTIVE, State.UNCERTAIN})
EVER_TRUE = frozenset({State.ACTIVE, State.SUPERSEDED})
OPEN_TASK = frozenset({State.ACTIVE, State.STALLED})
NOT_ENDED = ACTIVE_OR_UNCERTAIN | OPEN_TASK
FACTS = frozenset({Kind.FACT})


class Statement(NamedTuple):
    """Subject, predicate and object: `("Ana", "lives_in", "Porto")`.

    The subject is `USER`, a name, or a person known only by a relation, such as `user's sister`.
    """

    subject: str
    predicate: str
    object: str


@dataclass(frozen=True, slots=True)
class Provenance:
    """Origin and trust of a record."""

    source: Source
    channel: Channel
    trust: Trust
    author: str
    """The principal that wrote it: a user, an agent, an API key's name."""
    parents: tuple[str, ...] = ()
    idempotency_key: str | None = None


@dataclass(frozen=True, slots=True)
class Standing:
    """The changing half of a record: updated as it is seen, used and consolidated."""

    stage: Stage
    temperature: Temperature
    importance: float
    confidence: float
    seen_count: int
    last_seen_at: datetime
    access_count: int = 0
    accessed_at: datetime | None = None
    state: State = State.ACTIVE
    superseded_by: str | None = None
    """Id of the record that replaced it, or of the turn that ended it."""
    rival: str | None = None
    """Id of the record that contradicts it, until the conflict is resolved."""
    former: str | None = None
    """Its standing before a quarantine, for undoing that."""

    @classmethod
    def new(
        cls, stage: Stage, importance: float, confidence: float, at: datetime, seen_count: int = 1
    ) -> Self:
        """The standing of a new record seen at a moment: hot, and never used."""
        return cls(stage, Temperature.HOT, importance, confidence, seen_count, at)


@dataclass(frozen=True, slots=True)
class Record:
    """One stored item, of any kind."""

    id: str
    user_id: str
    kind: Kind
    text: str
    provenance: Provenance
    standing: Standing
    valid_from: datetime
    """Since when it is true in the world; for a turn, when it was said."""
    recorded_at: datetime
    """When it was stored."""
    valid_to: datetime | None = None
    role: Role | None = None
    speaker: str | None = None
    session_id: str | None = None
    scope: str = "global"
    tags: tuple[str, ...] = ()
    metadata: Mapping[str, object] = field(default_factory=dict)
    statement: Statement | None = None
    """Subject, predicate and object of a fact, task or note."""
    negated: bool = False
    """True if the statement is denied."""
    due: datetime | None = None
    """The day a task is due, as local midnight, or the moment if a time of day was given."""
    slot: str | None = None
    """Key under which facts replace each other: the subject's normal name, the predicate and, if
    several objects may hold at once, the object: `ana|lives_in|`, `ana|likes|tea`."""
    number: int = 0
    """Position among this user's records, assigned by the store on commit; 0 before."""
    seq: int = 0
    """The user's sequence number at which this record last changed; 0 before commit."""


def content_hash(record: Record) -> bytes:
    """Digest of the content of a record, which must never change.

    Two records with the same hash say the same thing, from the same source, about the same time.
    Each field is hashed with its length, so that different records cannot give the same input.
    """
    provenance, valid_from = record.provenance, record.valid_from.isoformat()
    same_moment = record.recorded_at is record.valid_from  # as most is: written once
    fields = (
        record.id,
        record.user_id,
        record.kind,
        record.text,
        record.role,
        record.speaker,
        record.session_id,
        record.scope,
        _canonical(record.tags),
        _canonical(record.metadata),
        provenance.source,
        provenance.channel,
        str(int(provenance.trust)),
        provenance.author,
        _canonical(provenance.parents),
        provenance.idempotency_key,
        valid_from,
        valid_from if same_moment else record.recorded_at.isoformat(),
        *_stated(record),
    )
    joined = "".join(["-" if field is None else f"{len(field)}:{field}" for field in fields])
    return hashlib.blake2b(joined.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _stated(record: Record) -> tuple[str, ...]:
    """The hashed fields of a statement; empty without one, as in old records."""
    if record.statement is None:
        return ()
    due = record.due.isoformat() if record.due else ""
    return (*record.statement, str(int(record.negated)), due)


def _canonical(value: Mapping[str, object] | tuple[str, ...]) -> str:
    if isinstance(value, tuple):  # as JSON too, but a list of words needs no encoder made for it
        return f"[{','.join(map(encode_basestring, value))}]" if value else ""
    return _JSON.encode(value) if value else ""


_JSON = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":"))


_CONTENT = attrgetter(
    *"user_id kind text role speaker session_id scope tags statement negated due".split(),
    *"provenance.source provenance.idempotency_key".split(),
)


def same_content(first: Record, second: Record) -> bool:
    """True if two records have the same content, apart from id and time of recording."""
    return bool(_CONTENT(first) == _CONTENT(second)) and dict(first.metadata) == dict(
        second.metadata
    )
