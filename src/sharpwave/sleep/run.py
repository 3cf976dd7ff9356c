"""One user's consolidation under a lease: the plan, and every step written with its undo data.

All of it is one row of tallies (`sleep/state`, `run`), which each step writes again in the same
transaction as its work. Its version is the fencing token: a worker that lost the lease cannot
write any more. A committed step is never repeated, and one that was not committed leaves nothing
behind; so a run that was killed continues where it stopped, with the plan it had made.
"""

import secrets
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, Self, TypeVar

from pydantic import BaseModel

from sharpwave.errors import BudgetSpent, Busy, ErasedMeanwhile, ProviderError, ProviderUnavailable
from sharpwave.llm.allowed_llm import AllowedLLM
from sharpwave.llm.prompts.transcript import TranscriptLine
from sharpwave.sleep import journal, leases
from sharpwave.sleep.journal import Step
from sharpwave.temporal.clock import digest, new_id
from sharpwave.types.llm import LLMRole, Prompt
from sharpwave.types.records import Kind, Record
from sharpwave.types.sleep import Phase, Report, SleepStatus
from sharpwave.types.storing import Change, Move, NewEvent, NewTally, Revision, Staged
from sharpwave.workspace import Workspace

STATE, RUN = "sleep/state", "run"
STARTED = "memory.consolidation.start"
COMPLETE = "memory.consolidation.complete"
REPLAYED = "replayed"
MODEL_UNAVAILABLE = "the language model did not answer: rules did its work"
MAX_GAP_DAYS = 8.0
"""After a longer gap since the last run the clock may be wrong: nothing is dropped."""
JOURNAL_DAYS = 30.0
"""Days for which a run can be undone; after that, too much depends on it."""
_MAX_ENTRIES = 20
"""Entries of each sort that a report names."""

Answer = TypeVar("Answer", bound=BaseModel)


class SleepRun:
    """One user's consolidation, under a lease."""

    def __init__(self, workspace: Workspace, state: dict[str, Any], version: int) -> None:
        self.workspace = workspace
        """The workspace as of the current step; `refresh` renews it."""
        self.model_is_away = False
        self._state = state
        self._version = version
        self._marks: dict[str, int] = state.get("marks", {})

    @classmethod
    def begin(cls, workspace: Workspace, heavy: bool, since: datetime | None = None) -> Self:
        """Take the lease, and continue an interrupted run if there is one.

        Raises Busy if another worker holds the lease, or has consolidated this user `since` then.
        """
        state, version = read_state(workspace)
        now = workspace.clock.now()
        if _is_taken(state, since, now):
            raise Busy(f"another worker is consolidating {workspace.user_id!r}; try again later")
        run = cls(workspace, state, version)
        if not state.get("run"):
            state |= _new_state(new_id(now), now, heavy)
        events = (NewEvent(STARTED, {"run": state["run"]}),) if not state["step"] else ()
        taken = {**state, "holder": secrets.token_hex(8)}
        run._commit(Change("sleep", now, (), events=events), taken)
        return run

    def refresh(self) -> None:
        """Read the user's row and consents again: they may have changed since the last step."""
        self.workspace = self.workspace.fresh()

    @property
    def holds_lease(self) -> bool:
        """False if another worker took the lease."""
        return read_state(self.workspace)[1] == self._version

    @property
    def id(self) -> str:
        """The id of this run."""
        return str(self._state["run"])

    @property
    def now(self) -> datetime:
        """When it began: every decision is made as of then, however often it is interrupted."""
        return datetime.fromisoformat(self._state["started"])

    @property
    def heavy(self) -> bool:
        """Whether the weekly phases run too."""
        return bool(self._state["heavy"])

    @property
    def last_heavy(self) -> datetime | None:
        """When the weekly phases ran last; never after `now`, even if the clock went back."""
        last = self._state.get("last_heavy")
        return min(datetime.fromisoformat(last), self.now) if last else None

    @property
    def may_drop(self) -> bool:
        """False if the clock seems to have jumped: then nothing is dropped for being old."""
        last = self._state.get("last")
        if last is None:
            return False
        gap = self.now - datetime.fromisoformat(last)
        return timedelta() <= gap <= timedelta(days=MAX_GAP_DAYS)

    def is_past(self, phase: Phase) -> bool:
        """True if a phase was complete before this run was interrupted."""
        current = self._state["phase"]
        order = list(Phase)
        return current is not None and order.index(Phase(current)) > order.index(phase)

    def mark(self, name: str) -> int:
        """The high-water mark of this name, from this or an earlier run; 0 if there is none."""
        return int(self._marks.get(name, 0))

    def set_mark(self, name: str, number: int) -> None:
        """Set a high-water mark; it is written with the plan of the phase, or the next step."""
        self._marks = {**self._marks, name: number}

    def plan(self, phase: Phase, make: Callable[[Self], list[str]]) -> list[str]:
        """The items a phase still has to process.

        Made once and stored, so that after an interruption the same plan is followed.
        """
        marks = self._marks
        while self._state["phase"] != phase.value:
            self.refresh()
            undone = set(journal.undone(self.workspace.store, phase.value)[0])
            items = [item for item in make(self) if digest(item) not in undone]
            planned = {"phase": phase.value, "plan": items, "done": 0, "marks_before": marks}
            state = {**self._state, **planned}
            if not items:
                self._state = state  # after an interruption the plan is empty again
                break
            try:
                self._commit(self._change(), state)
            except ErasedMeanwhile:
                self._marks = marks  # those of a plan that was not stored would hide its items
                self.refresh()
                if not self.holds_lease:
                    raise
        return list(self._state["plan"][self._state["done"] :])

    def write(self, items: Sequence[str], step: Step) -> None:
        """Commit what a step decided, its journal row and the progress in one transaction."""
        number = self._state["step"] + 1
        state = {**self._counted(step), "done": self._state["done"] + len(items), "step": number}
        made = journal.entry(self.id, number, Phase(state["phase"]), items, step)
        change = replace(
            self._change(),
            records=step.records,
            revisions=tuple(Revision(r.id, standing, to) for r, standing, to in step.revised),
            moves=tuple(Move(m.record.id, m.stage, m.temperature) for m in step.moved),
            tallies=(*step.tallies, *made),
            seen=step.seen,
        )
        self._commit(self.workspace.with_vectors(change), state)

    def postpone(self, items: Sequence[str], why: str) -> None:
        """Leave items to the next run, which plans from the marks before this phase again."""
        self._marks = self._state.get("marks_before", self._marks)
        self.write(items, Step(notes=(why,)))

    def report(self, step: Step) -> None:
        """Add to the report what cannot be undone; written when the run ends."""
        self._state = self._counted(step)

    def spend(self, cpu_s: float, tokens: int = 0) -> None:
        """Count CPU time and tokens; written with the next step."""
        self._state["cpu_s"] += cpu_s
        self._state["tokens"] += tokens

    def staged(self, wanted: Staged) -> Iterator[Record]:
        """All records of a stage in the order they were recorded, read page by page."""
        while page := self.workspace.store.staged(wanted):
            yield from page
            wanted = replace(wanted, after=page[-1].number)

    # ---- the language model: optional, rules work without it

    def lines(self, turns: Sequence[Record]) -> list[TranscriptLine]:
        """Turns as they may leave the machine."""
        llm = AllowedLLM(self.workspace)
        return [llm.line(turn) for turn in turns]

    def may_ask(self) -> bool:
        """Whether a model answers, the user agreed to it, and some allowance is left."""
        return not self.model_is_away and AllowedLLM(self.workspace).may_ask()

    def ask(
        self, prompt: Prompt, form: type[Answer], role: LLMRole = LLMRole.ANALYZER
    ) -> Answer | None:
        """A model's answer; None if it may not be asked or does not answer.

        Once it did not answer it is not asked again in this run, to avoid waiting every time.
        """
        if self.model_is_away:
            return None
        try:
            answer = AllowedLLM(self.workspace).ask(prompt, form, role)
        except ProviderError as error:
            self.spend(0.0, error.input_tokens + error.output_tokens)
            self.model_is_away = isinstance(error, ProviderUnavailable)
            if self.model_is_away and not isinstance(error, BudgetSpent):
                self.report(Step(notes=(MODEL_UNAVAILABLE,)))
            return None
        if answer is None:
            return None
        self.spend(0.0, answer.usage.input_tokens + answer.usage.output_tokens)
        return answer.value

    # ---- the end of a run

    def pause(self, why: str) -> Report:
        """Release the lease before the end; the next run continues from here."""
        notes = list(dict.fromkeys([*self._state["notes"], why]))
        self.refresh()  # nothing that was read is written
        self._commit(self._change(), {**self._state, "notes": notes}, lease_s=0.0)
        return journal.to_report(self.workspace.user_id, self._state, None)

    def finish(self) -> Report:
        """End the run: store its report, and remove journal rows that are too old to undo."""
        state, store = self._state, self.workspace.store
        report = journal.to_report(self.workspace.user_id, state, self.workspace.clock.now())
        idle_state = {
            "last": state["started"],
            "last_heavy": state["started"] if self.heavy else state.get("last_heavy"),
            "seq": store.head().seq,
            "pace": {"cpu_s": state["cpu_s"], "replayed": state["counts"].get(REPLAYED, 0)},
        }
        event = NewEvent(COMPLETE, {"run": self.id, "counts": dict(state["counts"])})
        old = self.now - timedelta(days=JOURNAL_DAYS)
        gone = journal.outdated(store, old) if self.heavy and self.may_drop else ()
        change = replace(self._change(), events=(event,), tallies=(journal.row(report), *gone))
        self.refresh()  # counts and ids only: nothing that was read is written
        self._commit(change, idle_state)
        return report

    def _counted(self, step: Step) -> dict[str, Any]:
        """The state with a step added to its report."""
        counts, entries = Counter(self._state["counts"]), list(self._state["entries"])
        for entry in step.entries:
            if counts[entry.what] < _MAX_ENTRIES:
                entries.append(list(entry))
            counts[entry.what] += 1
        notes = list(dict.fromkeys([*self._state["notes"], *step.notes]))
        return {**self._state, "counts": dict(counts), "entries": entries, "notes": notes}

    def _change(self) -> Change:
        return Change("sleep", self.now, ())

    def _commit(self, change: Change, state: dict[str, Any], lease_s: float | None = None) -> None:
        """Write, if the lease is still held, and renew it."""
        state = {**state, "marks": self._marks}
        if state.get("run"):
            seconds = leases.LEASE_S if lease_s is None else lease_s
            until = self.workspace.clock.now() + timedelta(seconds=seconds)
            state = {**state, "until": until.isoformat()}
        row = NewTally(STATE, RUN, state, self._version)
        self.workspace.store.commit(replace(change, tallies=(row, *change.tallies)))
        self._state, self._version = state, self._version + 1


class DryRun(SleepRun):
    """A run that writes nothing: its report says what would be done."""

    @classmethod
    def begin(cls, workspace: Workspace, heavy: bool, since: datetime | None = None) -> Self:
        """Begin without a lease."""
        state, version = read_state(workspace)
        kept = {key: state[key] for key in ("last", "last_heavy", "marks") if key in state}
        return cls(workspace, kept | _new_state("dry-run", workspace.clock.now(), heavy), version)

    def write(self, items: Sequence[str], step: Step) -> None:
        """Add the step to the report only."""
        self._state = self._counted(step)

    def finish(self) -> Report:
        """What would have been done."""
        return journal.to_report(self.workspace.user_id, self._state, self.workspace.clock.now())

    def _commit(self, change: Change, state: dict[str, Any], lease_s: float | None = None) -> None:
        """Write nothing."""
        self._state = state


def _new_state(id_: str, now: datetime, heavy: bool) -> dict[str, Any]:
    return {
        "run": id_,
        "started": now.isoformat(),
        "heavy": heavy,
        "phase": None,
        "plan": [],
        "done": 0,
        "step": 0,
        "counts": {},
        "entries": [],
        "notes": [],
        "cpu_s": 0.0,
        "tokens": 0,
    }


# ---- the stored state of a user


def read_state(workspace: Workspace) -> tuple[dict[str, Any], int]:
    """A user's row of state, and its version."""
    row = workspace.store.tallies(STATE, [RUN]).get(RUN)
    return (dict(row.value), row.version) if row else ({}, 0)


def is_taken(workspace: Workspace, since: datetime) -> bool:
    """Whether another worker has consolidated this user since, or holds the lease."""
    return _is_taken(read_state(workspace)[0], since, workspace.clock.now())


def _is_taken(state: Mapping[str, Any], since: datetime | None, now: datetime) -> bool:
    if since is not None and slept_since(state, since, now):
        return True
    return bool(state.get("run")) and leases.is_held(state, now)


def slept_since(state: Mapping[str, Any], since: datetime, now: datetime) -> bool:
    """Whether a user was consolidated since; a run far ahead is from before the clock went back."""
    last = datetime.fromisoformat(state["last"]) if state.get("last") else None
    return last is not None and since <= last <= now + timedelta(seconds=leases.LEASE_S)


def record_visit(workspace: Workspace) -> None:
    """Record that a round reached a user and left the memory alone."""
    state, version = read_state(workspace)
    now = workspace.clock.now()
    row = NewTally(STATE, RUN, {**state, "last": now.isoformat()}, version)
    workspace.store.commit(Change("sleep", now, (), tallies=(row,)))


def status(workspace: Workspace) -> SleepStatus:
    """What waits for the next run, and how the last one went [SLP-12, WM-09]."""
    state, _ = read_state(workspace)
    pending = workspace.store.pending(Kind.TURN)
    pace = state.get("pace") or {}
    seconds_per_turn = pace.get("cpu_s", 0.0) / max(1, pace.get("replayed", 0))
    return SleepStatus(
        pending=pending,
        last_at=_moment(state.get("last")),
        last_heavy_at=_moment(state.get("last_heavy")),
        running=state.get("run"),
        phase=state.get("phase"),
        estimated_s=round(pending * seconds_per_turn, 3),
    )


def _moment(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None
