"""Turns, ratings and decisions about skills as records: to learn from, never to be recalled."""

import hashlib
from collections.abc import Mapping
from datetime import datetime
from typing import NamedTuple

from sharpwave.behavior.skills import learned, learning
from sharpwave.temporal.clock import new_id
from sharpwave.types.records import (
    Channel,
    Kind,
    Provenance,
    Record,
    Source,
    Stage,
    Standing,
    Temperature,
    Trust,
)
from sharpwave.types.skills import Skill, SkillType


class Origin(NamedTuple):
    """What a record comes from."""

    parents: tuple[str, ...] = ()
    session: str | None = None
    key: str | None = None
    """Its idempotency key."""


def key_of(message_id: str) -> str:
    """The idempotency key of the turn that answers a message."""
    return f"trajectory:{message_id}"


def session_slot(session: str | None) -> str:
    """How the slots of the turns of one session begin."""
    digest = hashlib.blake2b((session or "").encode(), digest_size=8).hexdigest()
    return f"{learned.TRAJECTORY}{digest}|"


def style_of(skill: Skill) -> dict[str, object]:
    """What must be kept of a skill that may change or go; base skills never do."""
    if skill.type is SkillType.BASE:
        return {}
    return {"dimensions": list(skill.dimensions), "learned_dimensions": skill.learned_dimensions}


def trajectory(
    user_id: str,
    session: str | None,
    parents: tuple[str, ...],
    said: Mapping[str, object],
    now: datetime,
) -> Record:
    """The record of one turn: which skill, in which context."""
    return _record(
        Kind.TRAJECTORY,
        user_id,
        now,
        text=f"{said['skill']} for {said['context']}",
        said=said,
        slot=session_slot(session),
        origin=Origin(parents, session, key_of(str(said["message_id"]))),
    )


def rating(
    user_id: str, text: str, about: Record | None, said: Mapping[str, object], now: datetime
) -> Record:
    """The record of what a person thought of an answer."""
    return _record(
        Kind.FEEDBACK,
        user_id,
        now,
        text=text,
        said=said,
        slot=f"{learned.FEEDBACK}{said['about']}",
        origin=Origin((about.id,), about.session_id) if about else Origin(),
    )


def reading(user_id: str, rated: Record, said: Mapping[str, object], now: datetime) -> Record:
    """The record of what a comment was read as; it goes with the comment."""
    about = {
        name: rated.metadata[name]
        for name in ("skill", "context", "bucket", "dimensions", "learned_dimensions")
        if name in rated.metadata
    }
    return _record(
        Kind.FEEDBACK,
        user_id,
        now,
        text="a comment was read",
        said={"form": learning.READING, "feedback_id": rated.id, **about, **said},
        slot=f"{learned.READING}{rated.id}",
        origin=Origin((rated.id,), rated.session_id),
    )


def decision(user_id: str, form: str, said: Mapping[str, object], now: datetime) -> Record:
    """The record of something that the person set, reset or set aside."""
    given = {name: value for name, value in said.items() if value is not None}
    return _record(
        Kind.FEEDBACK,
        user_id,
        now,
        text=f"{form} {', '.join(sorted(map(str, given)))}".strip(),
        said={"form": form, **given},
        slot=f"{learned.DECISION}{form}",
        origin=Origin(),
    )


def _record(
    kind: Kind,
    user_id: str,
    now: datetime,
    text: str,
    said: Mapping[str, object],
    slot: str,
    origin: Origin,
) -> Record:
    made_by = Provenance(
        Source.USER_MESSAGE, Channel.LIBRARY, Trust.USER, user_id, origin.parents, origin.key
    )
    return Record(
        id=new_id(now),
        user_id=user_id,
        kind=kind,
        text=text,
        provenance=made_by,
        standing=Standing(Stage.EPISODIC, Temperature.HOT, 0.0, 1.0, 1, now),
        valid_from=now,
        recorded_at=now,
        session_id=origin.session,
        metadata=dict(said),
        slot=slot,
    )
