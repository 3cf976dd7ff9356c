"""`sharpwave eval locomo | realtalk | longmemeval`: recall through the public surface.

Each conversation in turn:

    1 remember   its turns, in order, with speaker, session and date   -> one user, one file
    2 recall     each question, turns only                             -> ids, decision, confidence
    3 peers      the same turns and questions                          -> ids
    4 save       one line a conversation                               -> an interrupted run goes on

Nothing of the questions, and no id of the data, reaches the memory.
"""

import hashlib
import json
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from importlib.resources import files
from pathlib import Path
from time import process_time
from typing import Any

from sharpwave import Memory, Said, Settings, __version__
from sharpwave.errors import NotFound
from sharpwave.evals.recall import rivals
from sharpwave.evals.recall.rival import Rank, Rival
from sharpwave.evals.recall.talks import Question, Talk, Talks

BATCH = 200
Told = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Answered:
    """What was recalled for one question."""

    id: str
    text: str
    category: str
    evidence: list[str]
    ranked: list[str]
    decision: str
    confidence: float
    cpu_ms: float
    answerable: bool
    held_out: bool
    signs: dict[str, float] = field(default_factory=dict)
    peers: dict[str, list[str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Run:
    """All questions of a set."""

    set: str
    answered: tuple[Answered, ...]
    peers: tuple[str, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Plan:
    """How to measure."""

    peers: tuple[str, ...] = rivals.USUAL
    settings: Settings = field(default_factory=Settings)
    limit: int | None = None
    """Measure the first conversations only."""
    progress: Path | None = None
    """Where finished conversations are noted, so that an interrupted run can go on."""


def measure(talks: Talks, plan: Plan, told: Told = lambda _: None) -> Run:
    """Remember and ask every conversation that is not done yet."""
    opened: dict[str, Rival] = {}
    notes = []
    for name in plan.peers:
        try:
            opened[name] = rivals.open_named(name)
        except NotFound as error:
            notes.append(f"{name} left out: {error}")
    wanted = talks.talks[: plan.limit]
    done = _done(plan, _mark(talks, plan, opened))
    answered: list[Answered] = []
    for place, talk in enumerate(wanted, start=1):
        if talk.name not in done:
            told(f"{talks.set}: {talk.name} ({place} of {len(wanted)})")
            done[talk.name] = _talk(talk, opened, plan.settings)
            _note(plan, _mark(talks, plan, opened), talk.name, done[talk.name])
        answered += done[talk.name]
    return Run(talks.set, tuple(answered), tuple(opened), tuple(notes))


def _talk(talk: Talk, opened: dict[str, Rival], settings: Settings) -> list[Answered]:
    candidates = [turn for turn in talk.turns if turn.candidate]
    ranks = {name: rival.take_in(candidates) for name, rival in opened.items()}
    roles = {turn.role for turn in candidates} if len(candidates) < len(talk.turns) else set()
    clock = Calendar()
    with tempfile.TemporaryDirectory() as folder:
        with Memory.open(f"{folder}/talk.db", settings=settings, clock=clock) as memory:
            names = remember(memory, talk, clock)
            return [
                _ask(memory, question, names, sorted(roles), clock)(ranks)
                for question in talk.questions
            ]


def remember(memory: Memory, talk: Talk, clock: "Calendar") -> dict[str, str]:
    """Remember every turn; the ids of the data by those of the memory."""
    names: dict[str, str] = {}
    for start in range(0, len(talk.turns), BATCH):
        some = talk.turns[start : start + BATCH]
        clock.set(some[-1].at)
        said = [
            Said(turn.text, role=turn.role, speaker=turn.speaker, session=turn.session, at=turn.at)
            for turn in some
        ]
        ids = memory.remember(said).ids
        names |= {own: turn.id for own, turn in zip(ids, some, strict=True)}
    return names


def _ask(
    memory: Memory,
    question: Question,
    names: dict[str, str],
    roles: Sequence[str],
    clock: "Calendar",
) -> Callable[[dict[str, Rank]], Answered]:
    clock.set(question.asked_at)
    started = process_time()
    found = memory.recall(question.text, kinds=["turn"], roles=roles)
    cpu_ms = (process_time() - started) * 1000
    return lambda ranks: Answered(
        id=question.id,
        text=question.text,
        category=question.category,
        evidence=list(question.evidence),
        ranked=[names[item.record.id] for item in found],
        decision=found.decision.value,
        confidence=found.confidence,
        cpu_ms=cpu_ms,
        answerable=question.answerable,
        held_out=question.held_out,
        signs=dict(found.signs),
        peers={name: rank(question.text) for name, rank in ranks.items()},
    )


class Calendar:
    """A clock that stands where the conversation is."""

    def __init__(self) -> None:
        self._now = datetime.fromisoformat("2000-01-01T00:00:00+00:00")

    def set(self, now: datetime) -> None:
        """Move to a moment of the conversation."""
        self._now = now

    def now(self) -> datetime:
        """Where it stands."""
        return self._now


def _mark(talks: Talks, plan: Plan, opened: dict[str, Rival]) -> str:
    """Changes whenever noted results would not be those of this run."""
    weights = (
        plan.settings.weights_file or files("sharpwave") / "data" / "weights.toml"
    ).read_bytes()
    made = f"{__version__} {talks.digest} {sorted(opened)} {weights!r} {plan.settings.recall!r}"
    return hashlib.blake2b(made.encode(), digest_size=8).hexdigest()


def _done(plan: Plan, mark: str) -> dict[str, list[Answered]]:
    if plan.progress is None or not plan.progress.exists():
        return {}
    lines: list[dict[str, Any]] = []
    for line in plan.progress.read_text("utf-8").splitlines():
        try:
            lines.append(json.loads(line))
        except ValueError:
            continue  # cut short when the last run was interrupted
    return {
        line["talk"]: [Answered(**one) for one in line["answered"]]
        for line in lines
        if line.get("mark") == mark
    }


def _note(plan: Plan, mark: str, name: str, answered: Sequence[Answered]) -> None:
    if plan.progress is not None:
        line = {"mark": mark, "talk": name, "answered": [asdict(one) for one in answered]}
        with plan.progress.open("a", encoding="utf-8") as opened:
            opened.write(json.dumps(line) + "\n")
