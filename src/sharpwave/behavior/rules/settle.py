"""How a signal settles among the rules that are known [BEH-08, BEH-10, resolution 17].

The same again makes a rule more frequent; the opposite in the same scope takes its place, and the
old one is kept as history; anything else is new.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

import numpy as np

from sharpwave.behavior.commit import commit
from sharpwave.behavior.rules import meaning, records
from sharpwave.errors import Overtaken, ProviderError
from sharpwave.formulas.confidence import reinforced
from sharpwave.formulas.rules import GLOBAL
from sharpwave.types.answers import Verdict
from sharpwave.types.records import Record, State
from sharpwave.types.steering import Learned, Signal
from sharpwave.types.storing import Evidence, Revision
from sharpwave.workspace import Workspace

_COMPARED = frozenset({State.ACTIVE, State.UNCERTAIN, State.INVALIDATED})
TOO_BUSY = "nothing was learned: others kept changing the rules"


@dataclass(slots=True)
class _Draft:
    """What is to be written, while it is being decided."""

    known: dict[str, Record]
    new: list[Record] = field(default_factory=list)
    revised: dict[str, Record] = field(default_factory=dict)
    evidence: list[Evidence] = field(default_factory=list)

    def revise(self, record: Record) -> None:
        self.known[record.id] = record
        if any(each.id == record.id for each in self.new):
            self.new = [record if each.id == record.id else each for each in self.new]
        else:
            self.revised[record.id] = record

    @property
    def revisions(self) -> list[Revision]:
        return [Revision(one.id, one.standing, one.valid_to) for one in self.revised.values()]


def settle(
    workspace: Workspace, signals: Sequence[Signal], turn: str | None, scope: str = GLOBAL
) -> tuple[Learned, ...]:
    """Store what signals say; whoever was overtaken by another writer decides again."""

    def place(signal: Signal, draft: _Draft, now: datetime) -> Learned:
        return _place(signal, _scope(signal, scope), turn, draft, workspace, now)

    return _written(workspace, signals, place)


def propose(workspace: Workspace, signals: Sequence[Signal], report: Record) -> tuple[Learned, ...]:
    """Store what an agent reports, for the user to accept; what was deleted is not asked again."""

    def place(signal: Signal, draft: _Draft, now: datetime) -> Learned:
        return _proposed(signal, _scope(signal, report.scope), report, draft, workspace, now)

    return _written(workspace, signals, place)


def _written(
    workspace: Workspace,
    signals: Sequence[Signal],
    place: Callable[[Signal, _Draft, datetime], Learned],
) -> tuple[Learned, ...]:
    store = workspace.store
    for _ in range(workspace.settings.steering.retries):
        now = workspace.clock.now()
        seen = store.slot_heads([records.SLOT])
        newest = records.stored(workspace, _COMPARED)[-workspace.settings.steering.compared :]
        draft = _Draft({record.id: record for record in newest})
        learned = tuple(place(signal, draft, now) for signal in signals)
        if not (draft.new or draft.revised):
            return learned
        try:
            commit(workspace, now, seen, draft.new, draft.revisions, draft.evidence)
        except Overtaken:
            continue
        return learned
    raise Overtaken(TOO_BUSY)


def _scope(signal: Signal, scope: str) -> str:
    """Where a rule holds: what it says of itself, in the place where it was said."""
    if signal.reach == GLOBAL:
        return GLOBAL
    if scope == GLOBAL or signal.reach == scope:
        return signal.reach
    return scope.partition("/")[0] if signal.reach == "project" else scope


def _place(
    signal: Signal, scope: str, turn: str | None, draft: _Draft, workspace: Workspace, now: datetime
) -> Learned:
    held = [record for record in draft.known.values() if record.standing.state is State.ACTIVE]
    here = [record for record in held if record.scope == scope]
    same = _same(signal, here, workspace)
    against = [one for one in here if meaning.opposed(signal.rule, one.text)]
    if same is not None:
        return _again(signal, same, turn, draft, workspace, now)
    record = records.made(signal, scope, workspace, now, () if turn is None else (turn,))
    draft.new.append(record)
    draft.known[record.id] = record
    proposed = [one for one in draft.known.values() if one.standing.state is State.UNCERTAIN]
    agreed = _same(signal, [one for one in proposed if one.scope == scope], workspace)
    for old in [*against, *([agreed] if agreed else ())]:
        draft.revise(records.replaced(old, record.id, now))
    verdict = Verdict.VERSIONED if against else Verdict.ACCEPTED
    replaced = tuple(old.id for old in against)
    return Learned(verdict, signal.type, record.text, record.id, replaced)


def _proposed(
    signal: Signal, scope: str, report: Record, draft: _Draft, workspace: Workspace, now: datetime
) -> Learned:
    here = [record for record in draft.known.values() if record.scope == scope]
    held = [record for record in here if record.standing.state is State.ACTIVE]
    same = _same(signal, held, workspace) or _same(signal, here, workspace)
    if same is not None and same.standing.state is not State.UNCERTAIN:
        known = same.standing.state is State.ACTIVE
        verdict = Verdict.REINFORCED if known else Verdict.REJECTED
        return Learned(verdict, records.type_of(same), same.text, same.id)
    if same is not None:
        return _again(signal, same, report.id, draft, workspace, now)
    record = records.proposed(signal, scope, workspace, now, report)
    draft.new.append(record)
    draft.known[record.id] = record
    return Learned(Verdict.QUEUED, signal.type, record.text, record.id)


def _again(
    signal: Signal,
    same: Record,
    turn: str | None,
    draft: _Draft,
    workspace: Workspace,
    now: datetime,
) -> Learned:
    """Count one more observation, unless it is the same turn again."""
    known = workspace.store.evidence([same.id]).get(same.id, ())
    if turn is None or turn not in (*known, *same.provenance.parents):
        standing = replace(
            same.standing,
            seen_count=same.standing.seen_count + 1,
            last_seen_at=now,
            confidence=reinforced(same.standing.confidence, workspace.settings.steering.gain),
        )
        draft.revise(replace(same, standing=standing))
        if turn is not None:
            draft.evidence.append(Evidence(same.id, turn))
    return Learned(Verdict.REINFORCED, records.type_of(same), same.text, same.id)


def _same(signal: Signal, known: Sequence[Record], workspace: Workspace) -> Record | None:
    """The rule that says the same already, the most alike one if several do."""
    if not known:
        return None
    settings = workspace.settings.steering
    cosines = _cosines(signal.rule, known, workspace)
    order = np.argsort(-cosines)
    for place in order:
        record, cosine = known[int(place)], float(cosines[int(place)])
        limits = (cosine, settings.same_cosine, settings.same_words)
        if meaning.same(signal.rule, record.text, *limits):
            return record
    return None


def _cosines(rule: str, known: Sequence[Record], workspace: Workspace) -> np.ndarray:
    """How near the known rules lie; without an embedder none does."""
    embedder, store = workspace.embedder, workspace.store
    cosines = np.zeros(len(known))
    numbers = [record.number for record in known if record.number]
    if not numbers:
        return cosines
    try:
        vector = embedder.embed([rule])[0]
    except ProviderError:
        return cosines
    found, matrix = store.vectors(numbers, embedder.space)
    near = dict(zip(found.tolist(), (matrix @ vector).tolist(), strict=True))
    return np.array([near.get(record.number, 0.0) for record in known])
