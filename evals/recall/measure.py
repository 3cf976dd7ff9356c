"""`sharpwave eval locomo | realtalk | longmemeval`: recall through the public surface.

Each conversation in turn:

    1 remember   its turns, in order, with speaker, session and date   -> one user, one file
      sleep      if wanted, when the first question is asked           -> settled, summarised
    2 recall     each question, turns only                             -> ids, decision, confidence
    3 peers      the same turns and questions                          -> ids
    4 save       one line a conversation                               -> an interrupted run goes on

Nothing of the questions, and no id of the data, reaches the memory.
"""

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from datetime import datetime
from pathlib import Path
from time import process_time
from uuid import uuid4

from sharpwave import Memory, Said, Settings
from sharpwave.errors import NotFound
from evals.recall import rivals
from evals.recall.notebook import Notebook, Told, mark
from evals.recall.rival import Rank, Rival
from evals.recall.talks import Question, Talk, Talks

BATCH = 200


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
    sleep: bool = False
    """Whether the memory sleeps between what it is told and what it is asked."""
    database: str | None = None
    """Where to remember instead of in files: each conversation is a user there, for as long as it
    takes."""

    @property
    def conditions(self) -> tuple[str, ...]:
        """What noted results depend on besides the settings."""
        named = {"slept": self.sleep, "on a database": self.database is not None}
        return tuple(name for name, is_so in named.items() if is_so)


def measure(talks: Talks, plan: Plan, told: Told = lambda _: None) -> Run:
    """Remember and ask every conversation that is not done yet."""
    opened: dict[str, Rival] = {}
    notes = []
    for name in plan.peers:
        try:
            opened[name] = rivals.open_named(name)
        except NotFound as error:
            notes.append(f"{name} left out: {error}")
    notebook = Notebook(
        plan.progress, mark(talks, plan.settings, "recall", *plan.conditions, *sorted(opened))
    )
    rows = notebook.each(
        talks.talks[: plan.limit],
        lambda text: told(f"{talks.set}: {text}"),
        lambda talk: [asdict(one) for one in _talk(talk, opened, plan)],
    )
    return Run(talks.set, tuple(Answered(**row) for row in rows), tuple(opened), tuple(notes))


def _talk(talk: Talk, opened: dict[str, Rival], plan: Plan) -> list[Answered]:
    candidates = [turn for turn in talk.turns if turn.candidate]
    ranks = {name: rival.take_in(candidates) for name, rival in opened.items()}
    roles = {turn.role for turn in candidates} if len(candidates) < len(talk.turns) else set()
    with remembered(talk, plan.settings, plan.sleep, plan.database) as held:
        return [_ask(held, question, sorted(roles), ranks) for question in talk.questions]


@dataclass(frozen=True, slots=True)
class Held:
    """A memory that holds a conversation, with the ids of the data by its own."""

    memory: Memory
    names: dict[str, str]
    clock: "Calendar"


@contextmanager
def remembered(
    talk: Talk, settings: Settings, sleep: bool = False, database: str | None = None
) -> Iterator[Held]:
    """A memory of its own in a file of its own, for as long as the conversation is asked about."""
    clock = Calendar()
    with _opened(settings, clock, database) as memory:
        held = Held(memory, _remember(memory, talk, clock), clock)
        if sleep:
            clock.set(min(question.asked_at for question in talk.questions))
            memory.sleep(heavy=True)
        yield held


@contextmanager
def _opened(settings: Settings, clock: "Calendar", database: str | None) -> Iterator[Memory]:
    """A new file, or a new user of a database; gone with the block."""
    if database is None:
        with tempfile.TemporaryDirectory() as folder:
            with Memory.open(f"{folder}/talk.db", settings=settings, clock=clock) as memory:
                yield memory
        return
    user = f"evaluation-{uuid4().hex}"
    with Memory.open(database, user=user, settings=settings, clock=clock) as memory:
        try:
            yield memory
        finally:
            memory.forget(everything=True)


def _remember(memory: Memory, talk: Talk, clock: "Calendar") -> dict[str, str]:
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


def _ask(held: Held, question: Question, roles: Sequence[str], ranks: dict[str, Rank]) -> Answered:
    held.clock.set(question.asked_at)
    started = process_time()
    found = held.memory.recall(question.text, kinds=["turn"], roles=roles)
    cpu_ms = (process_time() - started) * 1000
    return Answered(
        id=question.id,
        text=question.text,
        category=question.category,
        evidence=list(question.evidence),
        ranked=[held.names[item.record.id] for item in found],
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
