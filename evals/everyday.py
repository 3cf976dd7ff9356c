"""`everyday`: how people really talk: what is read of it, recalled from it, and put into a prompt.

Each person is a memory of its own, filled turn by turn at the time of the talk. Nothing is asked of
a memory but its public calls.

    facts, tasks, rules    labels that what `remember` learned meets
    labelled               of what was learned, how much meets a label of this or the last two turns
    traps                  of what must not be learned, how much was
    evidence               a turn that answers is among the first 1, 5, 10 turns recalled; a learned
                           fact counts as the turns it was learned from
    answer                 the first item, or the first five together, hold the answer
    sure, held back        asserted or hedged where there is an answer; neither where there is none
    needed, outdated       of what a request for help needs, how much stands in a context of 600
                           tokens; and of what is no longer so
    answers                every part of the answer stands in a context of 600 or 1,500 tokens

Beside it, by evidence: keywords and vectors over the person's own turns.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import typer
from rich.table import Table

from evals import cli, people
from evals.cli import SHARED, Data, Json, Limit
from evals.people import HelpRequest, Label, Person, PersonQuestion, PersonTurn, meets
from evals.retrievers import Retriever, available, ranking
from sharpwave import Decision, Memory, Settings
from sharpwave.testing import FrozenClock
from sharpwave.types.answers import Outcome, Verdict

USER = "user"
SECONDS_BETWEEN_TURNS = 40
DEPTHS = (1, 5, 10)
READ = 30
"""Items recalled to find the first ten turns among them."""
HELP_TOKENS = 600
ANSWER_TOKENS = (600, 1500)
LABELLED_TURNS = 3
"""What is learned from a turn may be a label of this many turns, the last ones."""


@dataclass(slots=True)
class PersonRun:
    """What was counted on one person, and every miss in words."""

    id: str
    counts: Counter[str] = field(default_factory=Counter)
    misses: list[str] = field(default_factory=list)

    def count(self, name: str, right: bool, miss: str = "", kind: str = "") -> None:
        """One more case, right or not; under its kind too."""
        for key in (name, f"{name}/{kind}") if kind else (name,):
            self.counts[f"{key}:of"] += 1
            self.counts[key] += right
        if miss and not right:
            self.misses.append(f"{self.id} {name}: {miss}")


def run(person: Person, settings: Settings, beside: Mapping[str, Retriever]) -> PersonRun:
    """Everything about one person."""
    counted = PersonRun(person.id)
    with _memory(person, settings) as (memory, clock):
        turns = _read(person, memory, clock, counted)
        ask_all(person, memory, clock, turns, counted)
    for name, retriever in beside.items():
        _rank(person, name, retriever, counted)
    return counted


def ask_all(
    person: Person,
    memory: Memory,
    clock: FrozenClock,
    turns: Mapping[str, str],
    counted: PersonRun,
) -> None:
    """Every question and request of a person; `turns` says which turn each memory is."""
    for question in person.questions:
        move(clock, question.at)
        _ask(question, memory, counted)
    for request in person.helps:
        move(clock, request.at)
        _help(request, memory, counted)
    for question in person.questions:  # last, since what is recalled often counts as used
        if question.kind != "absent":
            _look_for(question, memory, turns, counted)


@contextmanager
def _memory(person: Person, settings: Settings) -> Iterator[tuple[Memory, FrozenClock]]:
    clock = FrozenClock(person.turns[0].starts)
    with TemporaryDirectory() as folder:
        file = Path(folder) / "memory.db"
        with Memory.open(file, user=USER, clock=clock, settings=settings) as memory:
            yield memory, clock


def move(clock: FrozenClock, to: datetime) -> None:
    """Let it be that time."""
    clock.advance(seconds=(to - clock.now()).total_seconds())


# --- reading --------------------------------------------------------------------------------------


def _read(person: Person, memory: Memory, clock: FrozenClock, counted: PersonRun) -> dict[str, str]:
    """Remember every turn; which turn each memory is."""
    turns: dict[str, str] = {}
    recent: list[PersonTurn] = []
    session = ""
    for turn in person.turns:
        if turn.session != session:
            session = turn.session
            move(clock, turn.starts)
        clock.advance(seconds=SECONDS_BETWEEN_TURNS)
        receipt = memory.remember(turn.text, role=turn.role, session=session, at=clock.now())
        turns |= dict.fromkeys(receipt.ids, turn.id)
        if turn.role == USER:
            recent = [*recent, turn][-LABELLED_TURNS:]
            learned, rules = _kept(receipt.learned), _kept(receipt.rules)
            _judge(turn, recent, learned, rules, memory, counted)
    return turns


def _kept(outcomes: Iterable[Outcome]) -> list[str]:
    return [each.text for each in outcomes if each.verdict is not Verdict.REJECTED]


def _judge(
    turn: PersonTurn,
    recent: Sequence[PersonTurn],
    learned: Sequence[str],
    rules: Sequence[str],
    memory: Memory,
    counted: PersonRun,
) -> None:
    """Hold what was learned from a turn against its labels."""
    where = f"in {turn.id} {turn.text[:140]!r}"
    for fact in turn.facts:
        found = any(meets(fact.need, text) for text in learned)
        counted.count("facts", found, f"{fact.say!r} {where}; learned {learned}", fact.mode)
    for task in turn.tasks:
        judge_task(task, memory, where, counted)
    for rule in turn.rules:
        found = any(meets(rule.need, text) for text in rules)
        counted.count("rules", found, f"{rule.say!r} {where}; rules {list(rules)}")
    for wrong in turn.wrong:
        fallen = [text for text in (*learned, *rules) if meets(wrong.need, text)]
        counted.count("traps", bool(fallen))
        if fallen:
            counted.misses.append(f"{counted.id} traps: {fallen} ({wrong.say}) {where}")
    labels = [label for each in recent for label in (*each.facts, *each.tasks, *each.rules)]
    for text in learned:
        found = any(meets(label.need, text) for label in labels)
        counted.count("labelled", found, f"{text!r} {where}")
    for text in rules:
        found = any(meets(label.need, text) for label in turn.rules)
        counted.count("rules labelled", found, f"{text!r} {where}")


def judge_task(task: Label, memory: Memory, where: str, counted: PersonRun) -> None:
    """Whether there is such a task, and due on its day."""
    found = [each for each in memory.tasks.list() if meets(task.need, each.title)]
    counted.count("tasks", bool(found), f"{task.say!r} {where}")
    if task.due is not None:
        days = [each.due.date() for each in found if each.due is not None]
        counted.count("due", task.due in days, f"{task.due}, not {days} {where}" if found else "")


# --- asking ---------------------------------------------------------------------------------------


def _ask(question: PersonQuestion, memory: Memory, counted: PersonRun) -> None:
    first = memory.recall(question.text, k=5)
    sure = first.decision in (Decision.ASSERT, Decision.HEDGE)
    if question.kind == "absent":
        counted.count("held back", not sure, repr(question.text))
        return
    texts = [item.text for item in first]
    answered = bool(texts) and meets(question.answer, texts[0])
    miss = f"{question.text!r} wanted {question.answer}; got {[text[:70] for text in texts]}"
    counted.count("answer@1", answered)
    counted.count("answer@5", meets(question.answer, "\n".join(texts)), miss, question.kind)
    counted.count("sure", sure)
    stale = bool(texts) and not answered and meets(question.outdated, texts[0])
    if question.outdated:
        counted.count("outdated first", stale)


def _look_for(
    question: PersonQuestion, memory: Memory, turns: Mapping[str, str], counted: PersonRun
) -> None:
    """Whether a turn that answers is recalled, and whether the answer stands in a prompt."""
    ranked: dict[str, None] = {}
    for item in memory.recall(question.text, k=READ):
        own = item.record.id
        for id_ in [own] if own in turns else item.record.provenance.parents:
            if id_ in turns:
                ranked[turns[id_]] = None
    _count_evidence("evidence", list(ranked), question, counted)
    for budget in ANSWER_TOKENS:
        text = memory.context(question.text, budget=budget).text
        counted.count(f"answers/{budget}", meets(question.answer, text))


def _count_evidence(
    name: str, ranked: Sequence[str], question: PersonQuestion, counted: PersonRun
) -> None:
    for depth in DEPTHS:
        hit = not set(question.evidence).isdisjoint(ranked[:depth])
        counted.count(f"{name}@{depth}", hit)


def _help(request: HelpRequest, memory: Memory, counted: PersonRun) -> None:
    text = memory.context(request.text, budget=HELP_TOKENS).text
    for must in request.must:
        found = meets(must.need, text)
        counted.count("needed", found, f"{request.text!r} wanted {must.need}")
    for must_not in request.must_not:
        counted.count("outdated", meets(must_not.need, text))


def _rank(person: Person, name: str, retriever: Retriever, counted: PersonRun) -> None:
    """The same questions, over the person's own turns."""
    own = [turn for turn in person.turns if turn.role == USER]
    search = retriever.index([turn.text for turn in own])
    for question in person.questions:
        if question.kind != "absent":
            ranked = [own[place].id for place in ranking(search(question.text))]
            _count_evidence(name, ranked, question, counted)


# --- the command ----------------------------------------------------------------------------------

PARTS = {
    "reading": ("facts", "tasks", "due", "rules", "labelled", "rules labelled", "traps"),
    "asking": ("answer@1", "answer@5", "outdated first", "sure", "held back"),
    "prompts": ("needed", "outdated", *(f"answers/{budget}" for budget in ANSWER_TOKENS)),
}


def everyday(
    data: Data = SHARED,
    limit: Limit = None,
    kept_apart: Annotated[
        bool, typer.Option("--kept-apart", help="Only English people of a corpus never trained on.")
    ] = False,
    beside: Annotated[
        str, typer.Option(help="Retrievers over the same turns: names, or folders of encoders.")
    ] = "bm25,sharpwave",
    show: Annotated[bool, typer.Option("--show", help="Print every miss.")] = False,
    as_json: Json = False,
) -> None:
    """What is read of everyday talk, recalled from it, and put into a prompt."""
    notes: list[str] = []
    opened = list(available(cli.split(beside), notes))
    settings = cli.settings_to_measure()
    runs = []
    everybody = people.load(data)
    if kept_apart:
        everybody = [
            one for one in everybody if one.language == "en" and people.is_kept_apart(one.id)
        ]
    for person in everybody[:limit]:
        cli.report_progress(person.id)
        runs.append(run(person, settings, {each.name: each.retriever for each in opened}))
    total = sum((each.counts for each in runs), Counter[str]())
    names = ["evidence", *(each.name for each in opened)]
    if as_json:
        each = {one.id: counted_shares(one.counts) for one in runs}
        cli.print_json(
            {"people": len(runs), "all": counted_shares(total), "each": each, "notes": notes}
        )
        return
    if show:
        for miss in (miss for one in runs for miss in one.misses):
            cli.say(miss)
    for title, keys in PARTS.items():
        cli.console.print(_table(title, keys, total))
    cli.console.print(_evidence_table(names, total))
    cli.console.print(_people_table(runs))
    cli.say_notes(notes)


def counted_shares(counts: Mapping[str, int]) -> dict[str, dict[str, Any]]:
    """The share of each figure, and of how many."""
    keys = [key.removesuffix(":of") for key in counts if key.endswith(":of")]
    return {
        key: {"share": counts[key] / counts[f"{key}:of"], "of": counts[f"{key}:of"]}
        for key in sorted(keys)
    }


def _table(title: str, keys: Sequence[str], counts: Mapping[str, int]) -> Table:
    table = Table("", "share", "of", "by kind", title=title)
    for key in keys:
        kinds = [
            f"{name.partition('/')[2].removesuffix(':of')} {_share(counts, name[:-3])}"
            for name in sorted(counts)
            if name.startswith(f"{key}/") and name.endswith(":of")
        ]
        table.add_row(key, _share(counts, key), str(counts[f"{key}:of"]), ", ".join(kinds))
    return table


def _evidence_table(names: Sequence[str], counts: Mapping[str, int]) -> Table:
    table = Table("evidence", *(f"@{depth}" for depth in DEPTHS), title="a turn that answers")
    for name in names:
        label = "recall" if name == "evidence" else name
        table.add_row(label, *(_share(counts, f"{name}@{depth}") for depth in DEPTHS))
    return table


def _people_table(runs: Sequence[PersonRun]) -> Table:
    keys = ("facts", "tasks", "rules", "traps", "evidence@5", "sure", "held back", "needed")
    table = Table("person", *keys, title="person by person")
    for one in runs:
        table.add_row(one.id, *(_share(one.counts, key) for key in keys))
    return table


def _share(counts: Mapping[str, int], key: str) -> str:
    of = counts[f"{key}:of"] if f"{key}:of" in counts else 0
    return f"{counts[key] / of:.3f}".removeprefix("0") if of else "-"
