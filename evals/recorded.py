"""`recorded`: everyday talk read with a language model, whose answers are on record.

Every prompt is rendered as it would be sent, and looked up in a folder by a digest of its text:
`evals/recorded/README.md` says which model answered, and when. So anybody can repeat what our side
makes of the answers; a changed prompt asks for new ones, and is written beside them to be answered.

After each session the model reads it, as after a pause. Then what rests on the session's turns is
held against their labels, as in `everyday`; questions and requests come last.
"""

import hashlib
from collections import Counter
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer
from rich.table import Table

from evals import cli, everyday, people
from evals.cli import SHARED, Data, Json, Limit
from evals.everyday import PersonRun, counted_shares
from evals.people import Person, PersonTurn, meets
from sharpwave import Memory
from sharpwave.errors import ProviderUnavailable
from sharpwave.settings.core import RememberSettings
from sharpwave.testing import FrozenClock, LLMCall, ScriptedLLM, worker_of
from sharpwave.types.records import CURRENT, Kind
from sharpwave.types.working import JobState

ANSWERS = Path(__file__).parent / "recorded"
WHOLE_SESSION = 50
"""Turns of the user after which a stretch is read before its session ends."""
FIGURES = ("facts", "labelled", "traps", "tasks", "due", "rules", "rules labelled", "answer@1",
           "answer@5", "outdated first", "sure", "held back", "needed", "outdated",
           "evidence@5")  # fmt: skip


def recorded(
    data: Data = SHARED,
    answers: Annotated[Path, typer.Option(help="Folder of prompts and answers.")] = ANSWERS,
    limit: Limit = None,
    as_json: Json = False,
) -> None:
    """What is read of everyday talk with a language model, by its recorded answers."""
    runs, calls, tokens = [], 0, 0
    for person in people.load(data)[:limit]:
        cli.report_progress(person.id)
        llm = ScriptedLLM(partial(_answer, answers / person.id))
        runs.append(_run(person, llm))
        calls += len(llm.asked)
        tokens += llm.usage.input_tokens + llm.usage.output_tokens
    total = sum((each.counts for each in runs), Counter[str]())
    shares = counted_shares(total)
    sessions = total["sessions"]
    if as_json:
        cost = {"calls": calls, "tokens": tokens, "sessions": sessions}
        cli.print_json({"people": len(runs), "all": shares, **cost})
        return
    table = Table("", "share", "of", title=f"{len(runs)} people, {calls} calls, {tokens} tokens")
    for name in FIGURES:
        if name in shares:
            table.add_row(name, f"{shares[name]['share']:.3f}", str(shares[name]["of"]))
    cli.console.print(table)


def _answer(folder: Path, call: LLMCall) -> str:
    text = str(call.prompt)
    name = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    answer = folder / f"{name}.json"
    if answer.exists():
        return answer.read_text("utf-8")
    folder.mkdir(parents=True, exist_ok=True)
    unanswered = folder / f"{name}.prompt.txt"
    unanswered.write_text(text, "utf-8")
    cli.say(f"to be answered: {unanswered}, into {name}.json beside it")
    raise ProviderUnavailable("there is no answer on record")


def _run(person: Person, llm: ScriptedLLM) -> PersonRun:
    counted = PersonRun(person.id)
    reads = RememberSettings(read_after_turns=WHOLE_SESSION)
    settings = cli.settings_to_measure().model_copy(update={"remember": reads})
    clock = FrozenClock(person.turns[0].starts)
    turns: dict[str, str] = {}
    with TemporaryDirectory() as folder:
        file = Path(folder) / "memory.db"
        with Memory.open(file, user="user", clock=clock, settings=settings, llm=llm) as memory:
            with worker_of(memory).paused():  # what is read is read between sessions
                for session in dict.fromkeys(turn.session for turn in person.turns):
                    said = [turn for turn in person.turns if turn.session == session]
                    everyday.move(clock, said[0].starts)
                    ids = _remember(said, memory, clock)
                    memory.admin.work()
                    if any(job.state is JobState.WAITING for job in memory.admin.jobs()):
                        raise typer.Exit(1)
                    turns |= ids
                    _judge(said, set(ids), memory, counted)
                    counted.counts["sessions"] += 1
                everyday.ask_all(person, memory, clock, turns, counted)
    return counted


def _remember(said: list[PersonTurn], memory: Memory, clock: FrozenClock) -> dict[str, str]:
    ids: dict[str, str] = {}
    for turn in said:
        clock.advance(seconds=everyday.SECONDS_BETWEEN_TURNS)
        receipt = memory.remember(turn.text, role=turn.role, session=turn.session, at=clock.now())
        ids |= dict.fromkeys(receipt.ids, turn.id)
    return ids


def _judge(said: list[PersonTurn], ids: set[str], memory: Memory, counted: PersonRun) -> None:
    """Hold what rests on the turns of a session against their labels."""
    resting = {one.id: one for id_ in sorted(ids) for one in memory.explain(id_).supports}
    learned = [one for one in resting.values() if one.standing.state in CURRENT]
    facts = [one.text for one in learned if one.kind is not Kind.BEHAVIOR]
    rules = [one.text for one in learned if one.kind is Kind.BEHAVIOR]
    labels = [label for turn in said for label in (*turn.facts, *turn.tasks, *turn.rules)]
    for turn in said:
        for fact in turn.facts:
            counted.count("facts", any(meets(fact.need, one) for one in facts), kind=fact.mode)
        for task in turn.tasks:
            everyday.judge_task(task, memory, turn.id, counted)
        for rule in turn.rules:
            counted.count("rules", any(meets(rule.need, one) for one in rules))
        for wrong in turn.wrong:
            counted.count("traps", any(meets(wrong.need, one) for one in (*facts, *rules)))
    for one in facts:
        counted.count("labelled", any(meets(label.need, one) for label in labels))
    for one in rules:
        counted.count(
            "rules labelled", any(meets(rule.need, one) for turn in said for rule in turn.rules)
        )
