"""One user's night: the lease, the plan, and every step written with what undoes it.

All of it is one row of tallies (`sleep/state`, `run`), which each step writes again in the same
transaction as its work. Its version is the fencing number: whoever lost the lease to somebody else
cannot write any more. A step that was committed is never repeated, and one that was not leaves
nothing behind; so a night that was killed goes on where it stopped, with the plan it had made.
"""

import secrets
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from sharpwave.errors import Busy, ProviderError
from sharpwave.sleep import journal
from sharpwave.sleep.step import Step
from sharpwave.temporal.clock import digest, new_id
from sharpwave.types.sleep import Phase, Report
from sharpwave.types.storing import Change, Move, NewEvent, NewTally, Revision
from sharpwave.workspace import Workspace

STATE, RUN = "sleep/state", "run"
STARTED = "memory.consolidation.start"
COMPLETE = "memory.consolidation.complete"
REPLAYED = "replayed"
_TOLD = 20
"""Entries of each sort that a report names."""


class Night:
    """One user's sleep, under a lease."""

    def __init__(self, workspace: Workspace, state: dict[str, Any], version: int) -> None:
        self.workspace = workspace
        self._state = state
        self._version = version
        self._marks: dict[str, int] = state.get("marks", {})
        self.model_is_away = False

    @classmethod
    def begin(cls, workspace: Workspace, heavy: bool, since: datetime | None = None) -> "Night":
        """Take the lease, and go on with the night that was interrupted if there is one.

        Nobody who has slept `since` then sleeps again: another worker was faster.
        """
        state, version = read_state(workspace)
        now = workspace.clock.now()
        if _is_anothers(state, since, now, workspace.settings.sleep.schedule.lease_s):
            raise Busy(f"another worker is consolidating {workspace.user_id!r}; try again later")
        night = cls(workspace, state, version)
        if not state.get("run"):
            state |= {"run": new_id(now), "started": now.isoformat(), "heavy": heavy}
            state |= {"phase": None, "plan": [], "done": 0, "step": 0}
            state |= {"counts": {}, "entries": [], "notes": [], "cpu_s": 0.0, "tokens": 0}
        events = (NewEvent(STARTED, {"run": state["run"]}),) if not state["step"] else ()
        taken = {**state, "holder": secrets.token_hex(8)}
        night._commit(Change("sleep", now, (), events=events), taken)
        return night

    @property
    def is_mine(self) -> bool:
        """False if somebody else took the lease meanwhile."""
        return read_state(self.workspace)[1] == self._version

    @property
    def run(self) -> str:
        """The name of this night."""
        return str(self._state["run"])

    @property
    def now(self) -> datetime:
        """When it began: every decision is made as of then, however often it is interrupted."""
        return datetime.fromisoformat(self._state["started"])

    @property
    def heavy(self) -> bool:
        """Whether the weekly work is done too."""
        return bool(self._state["heavy"])

    @property
    def last_heavy(self) -> datetime | None:
        """When the weekly work was done last; not later than now, whatever the clock did."""
        last = self._state.get("last_heavy")
        return min(datetime.fromisoformat(last), self.now) if last else None

    @property
    def may_drop(self) -> bool:
        """False if the clock seems to have jumped: then nothing is dropped for being old."""
        last = self._state.get("last")
        if last is None:
            return False
        gap = self.now - datetime.fromisoformat(last)
        return timedelta() <= gap <= timedelta(days=self.workspace.settings.sleep.fade.max_gap_days)

    def is_past(self, phase: Phase) -> bool:
        """True if a phase was done before this night was interrupted."""
        at = self._state["phase"]
        order = list(Phase)
        return at is not None and order.index(Phase(at)) > order.index(phase)

    def mark(self, name: str) -> int:
        """A number that was noted in this or an earlier night; 0 if none was."""
        return int(self._marks.get(name, 0))

    def set_mark(self, name: str, number: int) -> None:
        """Note a number; it is written with the plan of the phase."""
        self._marks = {**self._marks, name: number}

    def plan(self, phase: Phase, find: Callable[["Night"], list[str]]) -> list[str]:
        """What a phase still has to do.

        It is decided once and kept, so that whoever goes on after an interruption does the same.
        """
        if self._state["phase"] != phase.value:
            undone = set(journal.undone(self.workspace.store, phase.value)[0])
            items = [item for item in find(self) if digest(item) not in undone]
            planned = {"phase": phase.value, "plan": items, "done": 0, "marks": self._marks}
            state = {**self._state, **planned}
            if items:
                self._commit(self._change(), state)
            else:
                self._state = state  # whoever goes on instead finds nothing to do here either
        return list(self._state["plan"][self._state["done"] :])

    def write(self, items: Sequence[str], step: Step) -> None:
        """Do what a step decided, note what undoes it and how far we are: all of it or nothing."""
        number = self._state["step"] + 1
        state = {**self._counted(step), "done": self._state["done"] + len(items), "step": number}
        records = step.records
        vectors, space = None, None
        if records:
            try:
                vectors = self.workspace.embedder.embed([record.text for record in records])
                space = self.workspace.embedder.space
            except ProviderError:
                vectors = None  # found by keywords only until `reembed`
        made = journal.entry(self.run, number, Phase(state["phase"]), items, step)
        self._commit(
            replace(
                self._change(),
                records=records,
                vectors=vectors,
                space=space,
                revisions=tuple(Revision(r.id, standing, to) for r, standing, to in step.revised),
                moves=tuple(Move(m.record.id, m.stage, m.temperature) for m in step.moved),
                tallies=(*step.tallies, *made),
                seen=step.seen,
                needs=step.needs,
            ),
            state,
        )

    def add(self, step: Step) -> None:
        """Add to the report what changed nothing that could be undone; written in the end."""
        self._state = self._counted(step)

    def spend(self, cpu_s: float, tokens: int = 0) -> None:
        """Note what was spent; written with the next step."""
        self._state["cpu_s"] += cpu_s
        self._state["tokens"] += tokens

    def pause(self, why: str) -> Report:
        """Give the lease back before the night is over; the next run goes on from here."""
        notes = list(dict.fromkeys([*self._state["notes"], why]))
        self._commit(self._change(), {**self._state, "notes": notes}, lease_s=0.0)
        return journal.to_report(self.workspace.user_id, self._state, None)

    def finish(self) -> Report:
        """The night is over."""
        state, store = self._state, self.workspace.store
        report = journal.to_report(self.workspace.user_id, state, self.workspace.clock.now())
        rested = {
            "last": state["started"],
            "last_heavy": state["started"] if self.heavy else state.get("last_heavy"),
            "seq": store.head().seq,
            "marks": self._marks,
            "pace": {"cpu_s": state["cpu_s"], "replayed": state["counts"].get(REPLAYED, 0)},
        }
        told = NewEvent(COMPLETE, {"run": self.run, "counts": dict(state["counts"])})
        old = self.now - timedelta(days=self.workspace.settings.retention.journal_days)
        gone = journal.outdated(store, old) if self.heavy and self.may_drop else ()
        change = replace(self._change(), events=(told,), tallies=(journal.keep(report), *gone))
        self._commit(change, rested)
        return report

    def _counted(self, step: Step) -> dict[str, Any]:
        """The state with what a step did added to its report."""
        counts, entries = Counter(self._state["counts"]), list(self._state["entries"])
        for entry in step.entries:
            if counts[entry.what] < _TOLD:
                entries.append(list(entry))
            counts[entry.what] += 1
        notes = list(dict.fromkeys([*self._state["notes"], *step.notes]))
        return {**self._state, "counts": dict(counts), "entries": entries, "notes": notes}

    def _change(self) -> Change:
        return Change("sleep", self.now, ())

    def _commit(self, change: Change, state: dict[str, Any], lease_s: float | None = None) -> None:
        """Write, if the lease is still ours, and prolong it."""
        if state.get("run"):
            seconds = self.workspace.settings.sleep.schedule.lease_s if lease_s is None else lease_s
            until = self.workspace.clock.now() + timedelta(seconds=seconds)
            state = {**state, "until": until.isoformat()}
        row = NewTally(STATE, RUN, state, self._version)
        self.workspace.store.commit(replace(change, tallies=(row, *change.tallies)))
        self._state, self._version = state, self._version + 1


class Rehearsal(Night):
    """A night in which nothing is written: what it would do [dry run]."""

    @classmethod
    def begin(cls, workspace: Workspace, heavy: bool, since: datetime | None = None) -> "Rehearsal":
        """Begin without a lease."""
        state, version = read_state(workspace)
        now = workspace.clock.now().isoformat()
        kept = ("last", "last_heavy", "marks")
        last: dict[str, Any] = {key: state[key] for key in kept if key in state}
        fresh = {"run": "dry-run", "started": now, "heavy": heavy, "phase": None, "plan": []}
        fresh |= {"done": 0, "step": 0, "counts": {}, "entries": [], "notes": []}
        return cls(workspace, {**fresh, **last, "cpu_s": 0.0, "tokens": 0}, version)

    def write(self, items: Sequence[str], step: Step) -> None:
        """Only note it."""
        self._state = self._counted(step)

    def finish(self) -> Report:
        """What would have been done."""
        return journal.to_report(self.workspace.user_id, self._state, self.workspace.clock.now())

    def _commit(self, change: Change, state: dict[str, Any], lease_s: float | None = None) -> None:
        """Nothing is written."""
        self._state = state


def is_anothers(workspace: Workspace, since: datetime) -> bool:
    """Whether another worker has let this user sleep since, or is about to: one look."""
    state, _ = read_state(workspace)
    return _is_anothers(
        state, since, workspace.clock.now(), workspace.settings.sleep.schedule.lease_s
    )


def _is_anothers(
    state: Mapping[str, Any], since: datetime | None, now: datetime, lease_s: float
) -> bool:
    if since is not None and is_rested(state, since, now, lease_s):
        return True
    return bool(state.get("run")) and _is_leased(state, now, lease_s)


def _is_leased(state: Mapping[str, Any], now: datetime, lease_s: float) -> bool:
    """Whether somebody is at it; a lease longer than any is from before the clock went back."""
    left = datetime.fromisoformat(state["until"]) - now
    return timedelta() < left <= timedelta(seconds=2 * lease_s)  # clocks of machines differ


def is_rested(state: Mapping[str, Any], since: datetime, now: datetime, lease_s: float) -> bool:
    """Whether a user has slept since; a night far ahead is from before the clock went back."""
    last = datetime.fromisoformat(state["last"]) if state.get("last") else None
    return last is not None and since <= last <= now + timedelta(seconds=lease_s)


def note_visit(workspace: Workspace) -> None:
    """Note that a round was here, of somebody whom it left alone."""
    state, version = read_state(workspace)
    now = workspace.clock.now()
    row = NewTally(STATE, RUN, {**state, "last": now.isoformat()}, version)
    workspace.store.commit(Change("sleep", now, (), tallies=(row,)))


def read_state(workspace: Workspace) -> tuple[dict[str, Any], int]:
    """Where a user stands, and the version of that row."""
    found = workspace.store.tallies(STATE, [RUN]).get(RUN)
    return (dict(found.value), found.version) if found else ({}, 0)
