"""The rules learned from the user: stored as records, and how a signal changes them.

A repeated instruction makes a rule more frequent; the opposite in the same scope supersedes it,
with the old rule kept as history; any other is new [BEH-08, BEH-10, resolution 17].
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

import numpy as np

from sharpwave import checks
from sharpwave.behavior import meaning, user_records
from sharpwave.errors import NotFound, Overtaken, ProviderError
from sharpwave.formulas.confidence import reinforced
from sharpwave.formulas.rules import GLOBAL
from sharpwave.types.answers import Verdict
from sharpwave.types.records import ACTIVE, Channel, Kind, Record, Stage, State
from sharpwave.types.statements import RULE, Effect, TargetRelation
from sharpwave.types.steering import Behavior, Learned, RuleOperation, Signal, SteeringType
from sharpwave.types.storing import Evidence, Order, Stated
from sharpwave.workspace import Workspace

SLOT = "behavior|rules"
"""All rules of a user share one slot, as each change is decided against all of them."""
TOO_BUSY = "nothing was learned: others kept changing the rules"
MIN_CONFIDENCE = 0.6
"""Minimum confidence of a signal."""
MAX_RULE_CHARS = 200
"""Maximum length of a rule."""
SAME_COSINE = 0.7
"""Minimum cosine between two wordings of the same rule [BEH-08]."""
SAME_WORDS = 0.6
"""Minimum share of words that two wordings of the same rule have in common."""
COMPARED, COMPARED_COSINE = 5, 0.3
"""Maximum number of rules that a remark is compared with, and their minimum cosine."""
_GAIN = 0.3
"""Share of the remaining doubt that each repetition removes."""
_MAX_COMPARED = 1000
"""Maximum number of rules that a new one is compared with: the newest."""
_IMPORTANCE = 0.8
_COMPARED = frozenset({State.ACTIVE, State.UNCERTAIN, State.INVALIDATED})


def learn(
    workspace: Workspace, signals: Sequence[Signal], turn: str | None, scope: str = GLOBAL
) -> tuple[Learned, ...]:
    """Store signals from the user's own words (of a turn) as rules.

    Raises Overtaken if other writers kept changing the rules.
    """
    return _write(
        workspace,
        lambda draft: [_apply(draft, signal, scope_of(signal, scope), turn) for signal in signals],
    )


def propose(
    workspace: Workspace, signals: Sequence[Signal], report: Record, quoted: bool = False
) -> tuple[Learned, ...]:
    """Store signals that an agent reports, for the user to accept.

    A rule that the user declined is not proposed again, unless it is `quoted` from a later message
    of the user; `report` is then that message.
    """
    return _write(
        workspace,
        lambda draft: [
            _apply_proposal(draft, signal, scope_of(signal, report.scope), report, quoted)
            for signal in signals
        ],
    )


def objection(signal: Signal) -> str | None:
    """Why a signal makes no rule; None if it does."""
    if signal.confidence < MIN_CONFIDENCE:
        return f"too unsure: {signal.confidence:.2f} of {MIN_CONFIDENCE:.2f} needed"
    if len(signal.rule) > MAX_RULE_CHARS:
        return f"longer than {MAX_RULE_CHARS} characters: no rule"
    return None


def apply(workspace: Workspace, operations: Sequence[RuleOperation]) -> tuple[Learned, ...]:
    """Apply a language model's operations on rules; raises Overtaken like `learn`."""
    return _write(
        workspace, lambda draft: [_apply_operation(draft, operation) for operation in operations]
    )


@dataclass(slots=True)
class _Draft:
    """The rules as read, and the changes to write."""

    workspace: Workspace
    now: datetime
    known: dict[str, Record]
    new: dict[str, Record] = field(default_factory=dict)
    revised: dict[str, Record] = field(default_factory=dict)
    evidence: list[Evidence] = field(default_factory=list)

    def add(self, record: Record) -> None:
        self.known[record.id] = self.new[record.id] = record

    def revise(self, record: Record) -> None:
        changed = self.new if record.id in self.new else self.revised
        self.known[record.id] = changed[record.id] = record

    def matching(self, signal: Signal, scope: str, state: State) -> Record | None:
        """The rule of a scope, in a state, that says the same."""
        return matching(self.workspace, signal.rule, self.rules(scope, state))

    def rules(self, scope: str, state: State) -> list[Record]:
        known = self.known.values()
        return [rule for rule in known if rule.scope == scope and rule.standing.state is state]


def _write(workspace: Workspace, apply: Callable[[_Draft], list[Learned]]) -> tuple[Learned, ...]:
    def attempt(workspace: Workspace) -> tuple[Learned, ...]:
        now = workspace.clock.now()
        seen = workspace.store.slot_heads([SLOT])
        newest = stored(workspace, _COMPARED)[-_MAX_COMPARED:]
        draft = _Draft(workspace, now, {record.id: record for record in newest})
        learned = tuple(apply(draft))
        if draft.new or draft.revised:
            new, revised = list(draft.new.values()), list(draft.revised.values())
            user_records.commit(workspace, now, seen, new, revised, draft.evidence)
        return learned

    try:
        return workspace.retried(attempt)
    except Overtaken:
        raise Overtaken(TOO_BUSY) from None


def scope_of(signal: Signal, scope: str) -> str:
    """The scope of a rule: its own reach, within the scope of the turn."""
    if signal.reach == GLOBAL:
        return GLOBAL
    if scope == GLOBAL or signal.reach == scope:
        return signal.reach
    return scope.partition("/")[0] if signal.reach == "project" else scope


def _apply_operation(draft: _Draft, operation: RuleOperation) -> Learned:
    known = draft.known.get(operation.known or "")
    live = known is not None and known.standing.state is State.ACTIVE
    scope = scope_of(operation.signal, operation.scope)
    if operation.relation is None or (operation.relation is TargetRelation.UPDATE and not live):
        return _apply(draft, operation.signal, scope, operation.turn, operation.rests_on)
    if known is None or not live:
        return Learned(Verdict.REJECTED, operation.signal.type, operation.signal.rule)
    if operation.relation is TargetRelation.SAME:
        return _reinforce(draft, known, operation.turn)
    if operation.relation is TargetRelation.END:
        draft.revise(closed(known, draft.now))
        return Learned(Verdict.CLOSED, type_of(known), known.text, known.id)
    signal = replace(operation.signal, type=type_of(known))
    record = _with_parents(
        new_record(draft.workspace, signal, known.scope, draft.now, (operation.turn,)),
        operation.rests_on,
    )
    draft.add(record)
    draft.revise(superseded(known, record.id, draft.now))
    return Learned(Verdict.VERSIONED, signal.type, record.text, record.id, (known.id,))


def _with_parents(record: Record, turns: Sequence[str]) -> Record:
    """The record with these turns as further parents; it is erased with any of them."""
    if not turns:
        return record
    parents = (*record.provenance.parents, *turns)
    provenance = replace(record.provenance, channel=Channel.SLEEP, parents=parents)
    return replace(record, provenance=provenance)


def _apply(
    draft: _Draft, signal: Signal, scope: str, turn: str | None, rests_on: Sequence[str] = ()
) -> Learned:
    if (same := draft.matching(signal, scope, State.ACTIVE)) is not None:
        return _reinforce(draft, same, turn, signal.rule)
    active = draft.rules(scope, State.ACTIVE)
    opposed = [rule for rule in active if meaning.opposed(signal.rule, rule.text)]
    parents = () if turn is None else (turn,)
    record = _with_parents(new_record(draft.workspace, signal, scope, draft.now, parents), rests_on)
    draft.add(record)
    proposal = draft.matching(signal, scope, State.UNCERTAIN)
    for old in [*opposed, *([proposal] if proposal else ())]:
        draft.revise(superseded(old, record.id, draft.now))
    verdict = Verdict.VERSIONED if opposed else Verdict.ACCEPTED
    replaced = tuple(old.id for old in opposed)
    return Learned(verdict, signal.type, record.text, record.id, replaced)


def _apply_proposal(
    draft: _Draft, signal: Signal, scope: str, report: Record, quoted: bool
) -> Learned:
    if (held := draft.matching(signal, scope, State.ACTIVE)) is not None:
        return Learned(Verdict.REINFORCED, type_of(held), held.text, held.id)
    if (waiting := draft.matching(signal, scope, State.UNCERTAIN)) is not None:
        return _reinforce(draft, waiting, report.id, signal.rule)
    declined = draft.matching(signal, scope, State.INVALIDATED)
    if declined is not None and declined.valid_to is not None:
        if not (quoted and report.valid_from > declined.valid_to):
            reason = f"the user declined it: {declined.text}"
            return Learned(Verdict.REJECTED, signal.type, signal.rule, declined.id, reason=reason)
    record = proposed_record(draft.workspace, signal, scope, draft.now, report)
    draft.add(record)
    return Learned(Verdict.QUEUED, signal.type, record.text, record.id)


def _reinforce(
    draft: _Draft, rule: Record, turn: str | None, wording: str | None = None
) -> Learned:
    """Count one more observation, unless the same turn was already counted.

    A turn with another wording is not added as evidence: the rule's wording would stay known after
    its own turn is forgotten.
    """
    counted = draft.workspace.store.evidence([rule.id]).get(rule.id, ())
    if turn is None or turn not in (*counted, *rule.provenance.parents):
        standing = replace(
            rule.standing,
            seen_count=rule.standing.seen_count + 1,
            last_seen_at=draft.now,
            confidence=reinforced(rule.standing.confidence, _GAIN),
        )
        draft.revise(replace(rule, standing=standing))
        if turn is not None and (wording is None or _words(rule.text) <= _words(wording)):
            draft.evidence.append(Evidence(rule.id, turn))
    return Learned(Verdict.REINFORCED, type_of(rule), rule.text, rule.id)


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.lower()))


def matching(workspace: Workspace, text: str, rules: Sequence[Record]) -> Record | None:
    """The known rule that says the same; of several the most similar."""
    if not rules:
        return None
    near = cosines(workspace, text, rules)
    for index in np.argsort(-near):
        record, cosine = rules[int(index)], float(near[int(index)])
        if meaning.same(text, record.text, cosine, SAME_COSINE, SAME_WORDS):
            return record
    return None


def cosines(workspace: Workspace, rule: str, known: Sequence[Record]) -> np.ndarray:
    """Cosine of a rule with each known rule; 0 where a vector is missing."""
    embedder, store = workspace.embedder, workspace.store
    none = np.zeros(len(known))
    numbers = [record.number for record in known if record.number]
    if not numbers:
        return none
    try:
        vector = embedder.embed([rule])[0]
    except ProviderError:
        return none
    with_vector, matrix = store.vectors(numbers, embedder.space)
    near = dict(zip(with_vector.tolist(), (matrix @ vector).tolist(), strict=True))
    return np.array([near.get(record.number, 0.0) for record in known])


def compared(
    workspace: Workspace, remark: str, known: Sequence[Record], least: float = COMPARED_COSINE
) -> list[tuple[Record, Effect]]:
    """The effect of a remark on the most similar rules, the likeliest change first."""
    if workspace.shared.reader is None:
        return []
    near = cosines(workspace, remark, known)
    best = np.argsort(-near, kind="stable")[:COMPARED].tolist()
    rules = [known[index] for index in best if near[index] >= least]
    effects = workspace.shared.reader.compare([RULE + rule.text for rule in rules], remark)
    return sorted(zip(rules, effects, strict=True), key=lambda pair: -pair[1].change)


# ---- records


def new_record(
    workspace: Workspace, signal: Signal, scope: str, now: datetime, parents: Sequence[str] = ()
) -> Record:
    """The record of a new rule."""
    metadata = {"type": signal.type.value}
    record = user_records.new_record(
        workspace, Kind.BEHAVIOR, signal.rule, SLOT, metadata, now, Stage.WORKING, _IMPORTANCE
    )
    standing = replace(record.standing, confidence=signal.confidence)
    return user_records.derived(replace(record, standing=standing, scope=scope), parents)


def proposed_record(
    workspace: Workspace, signal: Signal, scope: str, now: datetime, report: Record
) -> Record:
    """The record of a rule that an agent reports: it holds once the user accepts it."""
    rule = new_record(workspace, signal, scope, now, (report.id,))
    provenance = replace(report.provenance, parents=(report.id,), idempotency_key=None)
    standing = replace(rule.standing, state=State.UNCERTAIN)
    return replace(rule, provenance=provenance, standing=standing)


def closed(rule: Record, now: datetime) -> Record:
    """The rule as ended now."""
    standing = replace(rule.standing, state=State.INVALIDATED)
    return replace(rule, standing=standing, valid_to=max(now, rule.valid_from))


def superseded(old: Record, by: str, now: datetime) -> Record:
    """The rule as replaced by another. Undoing that one restores it only if it was active."""
    active = old.standing.state is State.ACTIVE
    state = State.SUPERSEDED if active else State.INVALIDATED
    standing = replace(old.standing, state=state, superseded_by=by)
    return replace(old, standing=standing, valid_to=max(now, old.valid_from))


def stored(
    workspace: Workspace,
    states: frozenset[State] = ACTIVE,
    order: Order = Order.RECORDED,
    limit: int | None = None,
) -> list[Record]:
    """The records of rules in these states, by default the active ones; empty: in any state."""
    query = Stated((SLOT,), kinds={Kind.BEHAVIOR}, states=states, order=order, limit=limit)
    return workspace.store.stated(query)


def get(workspace: Workspace, id_: str) -> Record:
    """The record of the rule with that id; raises NotFound."""
    records = workspace.store.find([checks.name(id_, "an id")])
    if not records or records[0].kind is not Kind.BEHAVIOR or records[0].slot != SLOT:
        raise NotFound(f"no behavior {id_!r}; `behaviors` lists them")
    return records[0]


def type_of(record: Record) -> SteeringType:
    """The type of a stored rule."""
    return SteeringType(str(record.metadata["type"]))


def as_behavior(record: Record, evidence: Sequence[str] = ()) -> Behavior:
    """The rule that a record holds."""
    standing = record.standing
    return Behavior(
        id=record.id,
        type=type_of(record),
        rule=record.text,
        scope=record.scope,
        frequency=standing.seen_count,
        confidence=standing.confidence,
        accepted=standing.stage is Stage.SEMANTIC,
        state=standing.state,
        created_at=record.recorded_at,
        last_seen=standing.last_seen_at,
        evidence=tuple(evidence),
        superseded_by=standing.superseded_by,
        source=record.provenance.source,
        trust=record.provenance.trust,
    )
