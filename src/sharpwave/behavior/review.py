"""Review of rules: accept, edit, delete, undo, and prune what was seen once [BEH-11]."""

from dataclasses import replace
from datetime import datetime, timedelta

from sharpwave import checks
from sharpwave.behavior import listing, meaning, rules, user_records
from sharpwave.errors import InvalidInput, NoConsent
from sharpwave.formulas.rules import is_stale
from sharpwave.privacy.redaction import redact
from sharpwave.types.records import ACTIVE_OR_UNCERTAIN, Record, Stage, State, Trust
from sharpwave.types.steering import Behavior, Signal
from sharpwave.types.storing import Selection
from sharpwave.workspace import Workspace

_SUPERSEDED = frozenset({State.SUPERSEDED})
STALE_DAYS = 90.0
"""Days after which a rule that was seen only once is dropped [BEH-11]."""


def explicit_signal(workspace: Workspace, rule: str, type_: str) -> Signal:
    """The validated signal of a rule that the user states explicitly."""
    _require_consent(workspace)
    return Signal(listing.steering_type(type_), _checked(workspace, rule), 1.0)


def accept(workspace: Workspace, id_: str) -> Behavior:
    """Accept a rule: its confidence is 1, it is never pruned, and opposed rules are superseded."""
    seen = _seen(workspace)
    record, now = _get_open(workspace, id_), workspace.clock.now()
    standing = replace(record.standing, stage=Stage.SEMANTIC, state=State.ACTIVE, confidence=1.0)
    return _revise(
        workspace, seen, replace(record, standing=standing), *_opposed(workspace, record, now)
    )


def edit(
    workspace: Workspace, id_: str, rule: str | None = None, scope: str | None = None
) -> Behavior:
    """Change the text or scope of a rule; the old version is kept as history."""
    _require_consent(workspace)
    seen = _seen(workspace)
    old = _get_open(workspace, id_)
    if rule is None and scope is None:
        raise InvalidInput("say what to change: the rule, its scope, or both")
    text = old.text if rule is None else _checked(workspace, rule)
    new_scope = old.scope if scope is None else checks.name(scope, "scope")
    now = workspace.clock.now()
    evidence = workspace.store.evidence([old.id]).get(old.id, ())
    parents = tuple(dict.fromkeys((*old.provenance.parents, *evidence)))
    new = rules.new_record(
        workspace, Signal(rules.type_of(old), text, 1.0), new_scope, now, parents
    )
    seen_count = old.standing.seen_count
    new = replace(new, standing=replace(new.standing, stage=Stage.SEMANTIC, seen_count=seen_count))
    user_records.commit(workspace, now, seen, [new], [rules.superseded(old, new.id, now)])
    return listing.with_evidence(workspace, [new])[0]


def delete(workspace: Workspace, id_: str) -> Behavior:
    """End a rule; `undo` restores it, `forget` erases it."""
    seen = _seen(workspace)
    return _revise(workspace, seen, rules.closed(_get_open(workspace, id_), workspace.clock.now()))


def undo(workspace: Workspace, id_: str) -> Behavior:
    """Revert the last change of a rule: it was deleted, superseded, or superseded others.

    A restored rule supersedes active rules that say the opposite.
    """
    seen = _seen(workspace)
    record = rules.get(workspace, id_)
    now = workspace.clock.now()
    state = record.standing.state
    to_close, to_reopen = [], [record]
    if state is State.SUPERSEDED:
        successors = workspace.store.find([str(record.standing.superseded_by)])
        to_close = [
            successor for successor in successors if successor.standing.state is State.ACTIVE
        ]
    elif state is not State.INVALIDATED:
        to_close = [record]
        to_reopen = [
            old
            for old in rules.stored(workspace, _SUPERSEDED)
            if old.standing.superseded_by == record.id
        ]
        if not to_reopen:
            raise InvalidInput(f"nothing to undo: {id_!r} holds and took nobody's place")
    reopened = [_reopened(old) for old in to_reopen]
    held = [rule for rule in reopened if rule.standing.state is State.ACTIVE]
    opposed = [opponent for rule in held for opponent in _opposed(workspace, rule, now)]
    closed = [rules.closed(rule, now) for rule in to_close]
    changed = {rule.id: rule for rule in [*opposed, *closed, *reopened]}
    return _revise(workspace, seen, changed.pop(record.id), *changed.values())


def stale(workspace: Workspace) -> list[Record]:
    """Rules that were observed once, long ago.

    Rules that were seen again or accepted are kept, and so are those that superseded others:
    without them the superseded rule would hold again.
    """
    former = rules.stored(workspace, _SUPERSEDED)
    successors = {old.standing.superseded_by for old in former}
    now = workspace.clock.now()
    return [
        rule
        for rule in rules.stored(workspace, ACTIVE_OR_UNCERTAIN)
        if rule.standing.stage is not Stage.SEMANTIC
        and rule.id not in successors
        and is_stale(
            rule.standing.seen_count,
            (now - rule.standing.last_seen_at) / timedelta(days=1),
            STALE_DAYS,
        )
    ]


def prune(workspace: Workspace) -> tuple[str, ...]:
    """Erase stale rules; returns their ids."""
    ids = tuple(rule.id for rule in stale(workspace))
    if ids:
        workspace.store.forget(Selection(ids=ids), workspace.clock.now())
    return ids


def _require_consent(workspace: Workspace) -> None:
    if not workspace.consents.may_learn:
        raise NoConsent(workspace.consents.learning_refusal)


def _checked(workspace: Workspace, rule: str) -> str:
    text = " ".join(checks.text(rule, "the rule").split())
    most = rules.MAX_RULE_CHARS
    if len(text) > most:
        raise InvalidInput(f"a rule has at most {most} characters, not {len(text)}")
    return redact(text, workspace.settings.privacy.stored).text


def _reopened(record: Record) -> Record:
    """The rule in force again; an agent's report that was never accepted is pending again."""
    accepted = record.standing.stage is Stage.SEMANTIC
    holds = accepted or record.provenance.trust >= Trust.USER
    state = State.ACTIVE if holds else State.UNCERTAIN
    standing = replace(record.standing, state=state, superseded_by=None)
    return replace(record, standing=standing, valid_to=None)


def _opposed(workspace: Workspace, record: Record, now: datetime) -> list[Record]:
    """The active rules of the scope that say the opposite, superseded by this one."""
    return [
        rules.superseded(rule, record.id, now)
        for rule in rules.stored(workspace)
        if rule.scope == record.scope and meaning.opposed(record.text, rule.text)
    ]


def _get_open(workspace: Workspace, id_: str) -> Record:
    record = rules.get(workspace, id_)
    if record.standing.state not in ACTIVE_OR_UNCERTAIN:
        raise InvalidInput(f"{id_!r} is {record.standing.state.value}; `undo` it first")
    return record


def _seen(workspace: Workspace) -> dict[str, int]:
    """The position of the rules' slot; read before the rules, to detect later writes."""
    return workspace.store.slot_heads([rules.SLOT])


def _revise(
    workspace: Workspace, seen: dict[str, int], record: Record, *related: Record
) -> Behavior:
    user_records.commit(workspace, workspace.clock.now(), seen, revised=(record, *related))
    return listing.with_evidence(workspace, [record])[0]
