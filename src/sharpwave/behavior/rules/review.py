"""The rules to set right: accept, edit, scope, delete, undo."""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from functools import wraps
from typing import Concatenate, ParamSpec

from sharpwave import checks
from sharpwave.behavior.room import WITHDRAWN, Room
from sharpwave.behavior.rules import listing, meaning, records
from sharpwave.errors import InvalidInput, Overtaken
from sharpwave.privacy.redaction import redact
from sharpwave.types.records import Record, Stage, State, Trust
from sharpwave.types.steering import Behavior, Signal
from sharpwave.types.storing import Revision

Given = ParamSpec("Given")
Decision = Callable[Concatenate[Room, Given], Behavior]


def decided_again(decide: Decision[Given]) -> Decision[Given]:
    """Decide again if somebody else changed the rules after they were read."""

    @wraps(decide)
    def until_written(room: Room, /, *args: Given.args, **named: Given.kwargs) -> Behavior:
        for _ in range(room.settings.steering.retries - 1):
            try:
                return decide(room, *args, **named)
            except Overtaken:
                continue
        return decide(room, *args, **named)

    return until_written


@decided_again
def accept(room: Room, id_: str) -> Behavior:
    """Somebody agrees to a rule: it is sure, and never pruned; what says the opposite yields."""
    seen = _seen(room)
    record, now = _open(room, id_), room.ports.clock.now()
    standing = replace(record.standing, stage=Stage.SEMANTIC, state=State.ACTIVE, confidence=1.0)
    against = [
        records.replaced(one, record.id, now)
        for one in records.stored(room)
        if one.scope == record.scope and meaning.opposed(record.text, one.text)
    ]
    return _revised(room, seen, replace(record, standing=standing), *against)


@decided_again
def edit(room: Room, id_: str, rule: str | None = None, scope: str | None = None) -> Behavior:
    """Say a rule in other words, or where it holds; what it was is kept as history."""
    _agreed(room)
    seen = _seen(room)
    old = _open(room, id_)
    if rule is None and scope is None:
        raise InvalidInput("say what to change: the rule, its scope, or both")
    settings = room.settings
    text = old.text if rule is None else _checked(rule, room)
    where = old.scope
    if scope is not None:
        where = checks.name(scope, "scope", settings.remember.max_name_chars)
    now = room.ports.clock.now()
    evidence = room.ports.store.evidence(room.user_id, [old.id]).get(old.id, ())
    parents = tuple(dict.fromkeys((*old.provenance.parents, *evidence)))
    made = records.made(Signal(records.type_of(old), text, 1.0), where, room, now, parents)
    standing = replace(
        made.standing, stage=Stage.SEMANTIC, seen_count=max(1, old.standing.seen_count)
    )
    made = replace(made, standing=standing)
    gone = records.replaced(old, made.id, now)
    room.commit(now, seen, [made], [Revision(old.id, gone.standing, gone.valid_to)])
    return listing.viewed(room, [made])[0]


@decided_again
def delete(room: Room, id_: str) -> Behavior:
    """A rule no longer holds; `undo` brings it back, `forget` erases it."""
    seen = _seen(room)
    return _revised(room, seen, _closed(_open(room, id_), room.ports.clock.now()))


@decided_again
def undo(room: Room, id_: str) -> Behavior:
    """Take back the last that happened to a rule: it was deleted, replaced, or replaced others."""
    seen = _seen(room)
    record = records.one(room, id_)
    now = room.ports.clock.now()
    state = record.standing.state
    others: list[Record] = []
    if state is State.INVALIDATED:
        back = _reopened(record)
    elif state is State.SUPERSEDED:
        back = _reopened(record)
        others = room.ports.store.find(room.user_id, [str(record.standing.superseded_by)])
        others = [_closed(one, now) for one in others if one.standing.state is State.ACTIVE]
    else:
        before = [
            one
            for one in records.stored(room, frozenset({State.SUPERSEDED}))
            if one.standing.superseded_by == record.id
        ]
        if not before:
            raise InvalidInput(f"nothing to undo: {id_!r} holds and took nobody's place")
        back, others = _closed(record, now), [_reopened(one) for one in before]
    return _revised(room, seen, back, *others)


def _agreed(room: Room) -> None:
    if not room.may_learn():
        raise InvalidInput(WITHDRAWN)


def _checked(rule: str, room: Room) -> str:
    text = " ".join(checks.text(rule, "the rule", room.settings.remember.max_text_bytes).split())
    most = room.settings.steering.max_rule_chars
    if len(text) > most:
        raise InvalidInput(f"a rule has at most {most} characters, not {len(text)}")
    return redact(text, room.settings.privacy.stored).text


def _reopened(record: Record) -> Record:
    """It holds again; what an agent reported and nobody accepted waits again."""
    accepted = record.standing.stage is Stage.SEMANTIC
    holds = accepted or record.provenance.trust >= Trust.USER
    state = State.ACTIVE if holds else State.UNCERTAIN
    standing = replace(record.standing, state=state, superseded_by=None)
    return replace(record, standing=standing, valid_to=None)


def _closed(record: Record, now: datetime) -> Record:
    standing = replace(record.standing, state=State.INVALIDATED)
    return replace(record, standing=standing, valid_to=max(now, record.valid_from))


def _open(room: Room, id_: str) -> Record:
    record = records.one(room, id_)
    if record.standing.state not in listing.OPEN:
        raise InvalidInput(f"{id_!r} is {record.standing.state.value}; `undo` it first")
    return record


def _seen(room: Room) -> dict[str, int]:
    """How far the rules have come; asked before they are read, so that later changes count."""
    return room.ports.store.slot_heads(room.user_id, [records.SLOT])


def _revised(room: Room, seen: dict[str, int], record: Record, *others: Record) -> Behavior:
    changes = [Revision(one.id, one.standing, one.valid_to) for one in (record, *others)]
    room.commit(room.ports.clock.now(), seen, revisions=changes)
    return listing.viewed(room, [record])[0]


def told(room: Room, rule: str, type_: str) -> Signal:
    """A rule that somebody states outright, checked."""
    _agreed(room)
    return Signal(listing.type_of(type_), _checked(rule, room), 1.0)
