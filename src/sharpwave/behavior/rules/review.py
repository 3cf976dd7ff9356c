"""The rules to set right: accept, edit, scope, delete, undo."""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from functools import wraps
from typing import Concatenate, ParamSpec

from sharpwave import checks
from sharpwave.behavior.commit import WITHDRAWN, commit
from sharpwave.behavior.rules import listing, meaning, records
from sharpwave.errors import InvalidInput, Overtaken
from sharpwave.privacy.redaction import redact
from sharpwave.types.records import Record, Stage, State, Trust
from sharpwave.types.steering import Behavior, Signal
from sharpwave.types.storing import Revision
from sharpwave.workspace import Workspace

Given = ParamSpec("Given")
Decision = Callable[Concatenate[Workspace, Given], Behavior]


def decided_again(decide: Decision[Given]) -> Decision[Given]:
    """Decide again if somebody else changed the rules after they were read."""

    @wraps(decide)
    def until_written(
        workspace: Workspace, /, *args: Given.args, **named: Given.kwargs
    ) -> Behavior:
        for _ in range(workspace.settings.steering.retries - 1):
            try:
                return decide(workspace, *args, **named)
            except Overtaken:
                continue
        return decide(workspace, *args, **named)

    return until_written


@decided_again
def accept(workspace: Workspace, id_: str) -> Behavior:
    """Somebody agrees to a rule: it is sure, and never pruned; what says the opposite yields."""
    seen = _seen(workspace)
    record, now = _open(workspace, id_), workspace.clock.now()
    standing = replace(record.standing, stage=Stage.SEMANTIC, state=State.ACTIVE, confidence=1.0)
    against = [
        records.replaced(one, record.id, now)
        for one in records.stored(workspace)
        if one.scope == record.scope and meaning.opposed(record.text, one.text)
    ]
    return _revised(workspace, seen, replace(record, standing=standing), *against)


@decided_again
def edit(
    workspace: Workspace, id_: str, rule: str | None = None, scope: str | None = None
) -> Behavior:
    """Say a rule in other words, or where it holds; what it was is kept as history."""
    _agreed(workspace)
    seen = _seen(workspace)
    old = _open(workspace, id_)
    if rule is None and scope is None:
        raise InvalidInput("say what to change: the rule, its scope, or both")
    settings = workspace.settings
    text = old.text if rule is None else _checked(rule, workspace)
    where = old.scope
    if scope is not None:
        where = checks.name(scope, "scope")
    now = workspace.clock.now()
    evidence = workspace.store.evidence([old.id]).get(old.id, ())
    parents = tuple(dict.fromkeys((*old.provenance.parents, *evidence)))
    made = records.made(Signal(records.type_of(old), text, 1.0), where, workspace, now, parents)
    standing = replace(
        made.standing, stage=Stage.SEMANTIC, seen_count=max(1, old.standing.seen_count)
    )
    made = replace(made, standing=standing)
    gone = records.replaced(old, made.id, now)
    commit(workspace, now, seen, [made], [Revision(old.id, gone.standing, gone.valid_to)])
    return listing.viewed(workspace, [made])[0]


@decided_again
def delete(workspace: Workspace, id_: str) -> Behavior:
    """A rule no longer holds; `undo` brings it back, `forget` erases it."""
    seen = _seen(workspace)
    return _revised(workspace, seen, _closed(_open(workspace, id_), workspace.clock.now()))


@decided_again
def undo(workspace: Workspace, id_: str) -> Behavior:
    """Take back the last that happened to a rule: it was deleted, replaced, or replaced others."""
    seen = _seen(workspace)
    record = records.one(workspace, id_)
    now = workspace.clock.now()
    state = record.standing.state
    others: list[Record] = []
    if state is State.INVALIDATED:
        back = _reopened(record)
    elif state is State.SUPERSEDED:
        back = _reopened(record)
        others = workspace.store.find([str(record.standing.superseded_by)])
        others = [_closed(one, now) for one in others if one.standing.state is State.ACTIVE]
    else:
        before = [
            one
            for one in records.stored(workspace, frozenset({State.SUPERSEDED}))
            if one.standing.superseded_by == record.id
        ]
        if not before:
            raise InvalidInput(f"nothing to undo: {id_!r} holds and took nobody's place")
        back, others = _closed(record, now), [_reopened(one) for one in before]
    return _revised(workspace, seen, back, *others)


def _agreed(workspace: Workspace) -> None:
    if not workspace.consents.may_learn:
        raise InvalidInput(WITHDRAWN)


def _checked(rule: str, workspace: Workspace) -> str:
    text = " ".join(
        checks.text(rule, "the rule", workspace.settings.remember.max_text_bytes).split()
    )
    most = workspace.settings.steering.max_rule_chars
    if len(text) > most:
        raise InvalidInput(f"a rule has at most {most} characters, not {len(text)}")
    return redact(text, workspace.settings.privacy.stored).text


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


def _open(workspace: Workspace, id_: str) -> Record:
    record = records.one(workspace, id_)
    if record.standing.state not in listing.OPEN:
        raise InvalidInput(f"{id_!r} is {record.standing.state.value}; `undo` it first")
    return record


def _seen(workspace: Workspace) -> dict[str, int]:
    """How far the rules have come; asked before they are read, so that later changes count."""
    return workspace.store.slot_heads([records.SLOT])


def _revised(
    workspace: Workspace, seen: dict[str, int], record: Record, *others: Record
) -> Behavior:
    changes = [Revision(one.id, one.standing, one.valid_to) for one in (record, *others)]
    commit(workspace, workspace.clock.now(), seen, revisions=changes)
    return listing.viewed(workspace, [record])[0]


def told(workspace: Workspace, rule: str, type_: str) -> Signal:
    """A rule that somebody states outright, checked."""
    _agreed(workspace)
    return Signal(listing.type_of(type_), _checked(rule, workspace), 1.0)
