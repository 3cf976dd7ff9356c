"""`locomo`, `realtalk`, `longmemeval`: recall through the public surface.

Each conversation in turn:

    1 remember   its turns, in order, with speaker, session and date   -> one user, one file
      sleep      if wanted, when the first question is asked           -> settled, summarised
    2 recall     each question, turns only                             -> ids, decision, confidence
    3 peers      the same turns and questions                          -> ids
    4 save       one line a conversation                               -> an interrupted run goes on

Nothing of the questions, and no id of the data, reaches the memory.
"""

import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from datetime import datetime
from pathlib import Path
from statistics import median
from time import process_time
from typing import Annotated, Any
from uuid import uuid4

import typer
from rich.table import Table

from evals import cli, metrics, pages, stores, talks
from evals.cli import SHARED, Data, Json, Limit, Page, Resume, Sleep
from evals.progress import Progress, ProgressFile, fingerprint, remove, silent
from evals.stores import Peer, Rank
from evals.talks import Question, Talk, Talks
from sharpwave import Memory, Message, NotFound, Settings

BATCH = 200

Peers = Annotated[
    list[str] | None, typer.Option("--peer", help=f"Beside us: {', '.join(stores.NAMES)} or all.")
]
Database = Annotated[
    str | None,
    typer.Option(
        "--database",
        help="Remember in this database (postgresql://…) instead of in files: each conversation is "
        "a new user there, forgotten at the end.",
    ),
]


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
class RecallRun:
    """All questions of a set."""

    set: str
    answered: tuple[Answered, ...]
    peers: tuple[str, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Plan:
    """How to measure."""

    peers: tuple[str, ...] = stores.USUAL
    settings: Settings = field(default_factory=Settings)
    limit: int | None = None
    """Measure the first conversations only."""
    resume: Path | None = None
    """Where finished conversations are noted, so that an interrupted run can go on."""
    sleep: bool = False
    """Whether the memory sleeps before the questions."""
    database: str | None = None
    """Where to remember instead of in files: each conversation is a user there, for as long as it
    takes."""

    @property
    def conditions(self) -> tuple[str, ...]:
        """What noted results depend on besides the settings."""
        named = {"slept": self.sleep, "on a database": self.database is not None}
        return tuple(name for name, is_so in named.items() if is_so)


def measure(conversations: Talks, plan: Plan, progress: Progress = silent) -> RecallRun:
    """Remember and ask every conversation that is not done yet."""
    opened: dict[str, Peer] = {}
    notes = []
    for name in plan.peers:
        try:
            opened[name] = stores.open_named(name)
        except NotFound as error:
            notes.append(f"{name} left out: {error}")
    notebook = ProgressFile(
        plan.resume,
        fingerprint(conversations, plan.settings, "recall", *plan.conditions, *sorted(opened)),
    )
    rows = notebook.each(
        conversations.talks[: plan.limit],
        lambda text: progress(f"{conversations.set}: {text}"),
        lambda talk: [asdict(answer) for answer in _talk(talk, opened, plan)],
    )
    return RecallRun(
        conversations.set, tuple(Answered(**row) for row in rows), tuple(opened), tuple(notes)
    )


def _talk(talk: Talk, opened: dict[str, Peer], plan: Plan) -> list[Answered]:
    candidates = [turn for turn in talk.turns if turn.candidate]
    ranks = {name: peer.index(candidates) for name, peer in opened.items()}
    roles = {turn.role for turn in candidates} if len(candidates) < len(talk.turns) else set()
    with loaded(talk, plan.settings, plan.sleep, plan.database) as held:
        return [_ask(held, question, sorted(roles), ranks) for question in talk.questions]


@dataclass(frozen=True, slots=True)
class LoadedMemory:
    """A memory that holds a conversation, with the ids of the data by its own."""

    memory: Memory
    names: dict[str, str]
    clock: "ConversationClock"


@contextmanager
def loaded(
    talk: Talk, settings: Settings, sleep: bool = False, database: str | None = None
) -> Iterator[LoadedMemory]:
    """A memory of its own in a file of its own, for as long as the conversation is asked about."""
    clock = ConversationClock()
    with _open_memory(settings, clock, database) as memory:
        held = LoadedMemory(memory, remember_turns(memory, talk, clock), clock)
        if sleep:
            clock.set(min(question.asked_at for question in talk.questions))
            memory.sleep(heavy=True)
        yield held


@contextmanager
def _open_memory(
    settings: Settings, clock: "ConversationClock", database: str | None
) -> Iterator[Memory]:
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


def remember_turns(memory: Memory, talk: Talk, clock: "ConversationClock") -> dict[str, str]:
    """Remember every turn; the ids of the data by those of the memory."""
    names: dict[str, str] = {}
    for start in range(0, len(talk.turns), BATCH):
        some = talk.turns[start : start + BATCH]
        clock.set(some[-1].at)
        said = [
            Message(
                turn.text, role=turn.role, speaker=turn.speaker, session=turn.session, at=turn.at
            )
            for turn in some
        ]
        ids = memory.remember(said).ids
        names |= {own: turn.id for own, turn in zip(ids, some, strict=True)}
    return names


def _ask(
    held: LoadedMemory, question: Question, roles: Sequence[str], ranks: dict[str, Rank]
) -> Answered:
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


class ConversationClock:
    """A clock that stands where the conversation is."""

    def __init__(self) -> None:
        self._now = datetime.fromisoformat("2000-01-01T00:00:00+00:00")

    def set(self, now: datetime) -> None:
        """Move to a moment of the conversation."""
        self._now = now

    def now(self) -> datetime:
        """Where it stands."""
        return self._now


Numbers = dict[str, float]
Ranked = Callable[[Answered], list[str]]
SHOWN = ("ndcg@10", "recall@5", "recall@10")
WHOLE = ("recall_all@5", "recall_all@10")
OURS = "sharpwave"
CATEGORIES = {
    "1": "multi-hop",
    "2": "temporal",
    "3": "open-domain",
    "4": "single-hop",
    "5": "adversarial",
}


def measures(name: str) -> tuple[str, ...]:
    """The measures that are reported of a set."""
    return (*WHOLE, *SHOWN) if name == "longmemeval" else SHOWN


def category(name: str, code: str) -> str:
    """A category in words."""
    return CATEGORIES.get(code, code) if name in ("locomo", "realtalk") else code


def result_of(run: RecallRun) -> dict[str, Any]:
    """The whole result in its public form."""
    kept = measures(run.set)
    scored = [answer for answer in run.answered if answer.evidence]
    own = summary(scored, lambda answer: answer.ranked, kept)
    peers = {name: summary(scored, _peer(name), kept) for name in run.peers}
    result: dict[str, Any] = {
        "set": run.set,
        "macro": own["macro"],
        "micro": own["micro"],
        "categories": own["categories"],
        "peers": peers,
        "cpu_ms": {"p50": median(answer.cpu_ms for answer in run.answered)} if run.answered else {},
        "notes": list(run.notes),
    }
    if not all(answer.held_out for answer in run.answered):
        held = [answer for answer in scored if answer.held_out]
        result["held_out"] = {OURS: summary(held, lambda answer: answer.ranked, kept)}
        result["held_out"] |= {name: summary(held, _peer(name), kept) for name in run.peers}
    result["questions"] = [_question(answer) for answer in run.answered]
    return result


def summary(answered: Sequence[Answered], ranked: Ranked, kept: Sequence[str]) -> dict[str, Any]:
    """Means of each category, over the categories (macro), and over the questions (micro)."""
    by_category: defaultdict[str, list[Numbers]] = defaultdict(list)
    for answer in answered:
        every = numbers(ranked(answer), answer.evidence)
        by_category[answer.category].append({name: every[name] for name in kept})
    categories = {name: _mean(each) for name, each in sorted(by_category.items())}
    everything = [numbers_ for each in by_category.values() for numbers_ in each]
    return {
        "questions": len(everything),
        "macro": _mean(list(categories.values())),
        "micro": _mean(everything),
        "categories": categories,
    }


def numbers(ranked: Sequence[str], evidence: Sequence[str]) -> Numbers:
    """The measures of one ranking of ids."""
    places = {id_: place for place, id_ in enumerate(dict.fromkeys([*ranked, *evidence]))}
    order, right = [places[id_] for id_ in ranked], {places[id_] for id_ in evidence}
    recalls = {k: metrics.recall(order, right, k) for k in (5, 10)}
    return {
        "ndcg@10": metrics.ndcg(order, right, 10),
        "recall@5": recalls[5],
        "recall@10": recalls[10],
        "recall_all@5": float(recalls[5] == 1),
        "recall_all@10": float(recalls[10] == 1),
    }


def _peer(name: str) -> Ranked:
    return lambda answer: answer.peers[name]


def _mean(each: Sequence[Numbers]) -> Numbers:
    if not each:
        return {}
    return {name: sum(numbers_[name] for numbers_ in each) / len(each) for name in each[0]}


def _question(answer: Answered) -> dict[str, Any]:
    return {
        "id": answer.id,
        "category": answer.category,
        "evidence": answer.evidence,
        "ranked": answer.ranked,
        "decision": answer.decision,
        "confidence": answer.confidence,
        "answerable": answer.answerable,
        "held_out": answer.held_out,
    }


# --- commands -------------------------------------------------------------------------------------


def _command(name: str, summary: str) -> Callable[..., None]:
    def command(
        data: Data = SHARED,
        peer: Peers = None,
        limit: Limit = None,
        page: Page = None,
        resume: Resume = None,
        sleep: Sleep = False,
        database: Database = None,
        as_json: Json = False,
    ) -> None:
        plan = Plan(stores.named(peer), cli.settings_to_measure(), limit, resume, sleep, database)
        _report(name, data, plan, page, as_json)

    command.__name__, command.__doc__ = name, summary
    return command


locomo = _command(
    "locomo", "LoCoMo: which turns answer a question, among those of the conversation."
)
realtalk = _command("realtalk", "REALTALK: the same for chats of real people over 21 days.")
longmemeval = _command(
    "longmemeval",
    "LongMemEval_S: all turns of the user that an answer needs, among some 240 of them.",
)


def _report(name: str, data: Path, plan: Plan, page: Path | None, as_json: bool) -> None:
    run = measure(talks.load(name, data), plan, cli.report_progress)
    result = result_of(run)
    cli.write_page(_page(result), page)
    remove(plan.resume)
    if as_json:
        cli.print_json(result)
        return
    cli.say_notes(run.notes)
    questions = sum(1 for question in result["questions"] if question["evidence"])
    _show(f"{name}: {questions} questions", {OURS: result, **result["peers"]}, name)
    if held := result.get("held_out"):
        title = f"{name}: the {held[OURS]['questions']} nothing of ours was trained on"
        _show(title, held, name)


def _show(title: str, rows: dict[str, Any], name: str) -> None:
    """One column a retriever, one row a measure: it fits any terminal."""
    shown = measures(name)
    table = Table("", *rows, title=title)
    for mean in ("macro", "micro"):
        for each in shown:
            table.add_row(f"{mean} {each}", *(f"{row[mean][each]:.3f}" for row in rows.values()))
    table.add_row(f"{shown[0]} by category", *("" for _ in rows))
    for code in next(iter(rows.values()))["categories"]:
        scores = (row["categories"][code][shown[0]] for row in rows.values())
        table.add_row(f"  {category(name, code)}", *(f"{score:.3f}" for score in scores))
    cli.console.print(table)


def _page(result: Mapping[str, Any]) -> str:
    """LoCoMo, REALTALK or LongMemEval: bars by category, tables."""
    name = result["set"]
    rows = {OURS: result, **result["peers"]}
    measured = measures(name)
    parts = [_compared(name, "All questions", rows, measured[0])]
    if held := result.get("held_out"):
        parts.append(_compared(name, "Questions nothing of ours was trained on", held, measured[0]))
    answered = sum(1 for question in result["questions"] if question["evidence"])
    lead = f"{answered} questions, each about one conversation; evidence turns are ranked."
    notes = " ".join(result["notes"])
    return pages.page(f"Recall on {name}", f"{lead} {notes}", parts, pages.FOOT)


def _compared(name: str, heading: str, rows: Mapping[str, Any], shown: str) -> pages.Part:
    """Bars of one measure by category, and a table of all measures."""
    codes = list(rows[OURS]["categories"])
    series = {who: [row["categories"][code][shown] for code in codes] for who, row in rows.items()}
    groups = [category(name, code) for code in codes]
    measured = measures(name)
    numbers = {who: [float(row["macro"][each]) for each in measured] for who, row in rows.items()}
    return pages.Part(
        heading,
        figure=pages.bars(f"{shown} by category", groups, series),
        caption=f"{shown} by category; the numbers above the bars are ours.",
        table=pages.table(("mean over the categories", *measured), numbers),
    )
