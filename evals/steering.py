"""`steering`: what reflection finds in examples, in ordinary turns, in stated preferences.

A rule is right if its content words (stems, without stop words) are those that were expected: by
Dice's coefficient at least `RIGHT`. Each pair is in the report, for the reader to judge.
"""

import random
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from evals import cli
from evals.cli import SHARED, Data, Json, Limit
from evals.metrics import dice
from evals.observations import content_words, locomo_talks, user_turns
from evals.sets import in_form, read_json
from sharpwave import Memory, NotFound
from sharpwave.types.steering import Signal

RIGHT = 0.75
MOST = 3000
"""Ordinary turns of a set, evenly spread."""
TOGETHER, BUDGET = 35, 300
"""Stated preferences in a memory, and tokens of a context."""
MOST_WORDS = 0.6
"""Share of a preference's words that something must hold to say it."""
SEED = 3
_NOTHING = "none"


@dataclass(frozen=True, slots=True)
class Example:
    """A message, the type it is of (or none), the rule if one is expected, the answer before."""

    text: str
    type: str
    rule: str | None = None
    previous: str | None = None


@dataclass(frozen=True, slots=True)
class JudgedExample:
    """What was found in an example."""

    example: Example
    found: tuple[Signal, ...]

    @property
    def types(self) -> list[str]:
        """Types of all that was found; for nothing, none."""
        return sorted({signal.type.removeprefix("behavioral_") for signal in self.found}) or [
            _NOTHING
        ]

    @property
    def is_right_type(self) -> bool:
        """Every signal is of the type that was expected."""
        return self.types == [self.example.type]

    @property
    def rule(self) -> str:
        """All that was found, as one text."""
        return ", ".join(signal.rule for signal in self.found)

    @property
    def likeness(self) -> float:
        """How far the words of the rule are those expected."""
        return dice(content_words(self.rule), content_words(self.example.rule or ""))

    @property
    def is_right_rule(self) -> bool:
        """The words are those expected."""
        return self.likeness >= RIGHT


@dataclass(frozen=True, slots=True)
class OrdinaryTurns:
    """What was found in turns that people said to one another or to an assistant."""

    name: str
    turns: int
    signalled: list[tuple[str, str]]
    """Turns in which something was found, each with it."""
    median_ms: float
    """CPU time of one turn."""

    @property
    def per_thousand(self) -> float:
        """Turns with a signal, of a thousand."""
        return 1000 * len(self.signalled) / self.turns if self.turns else 0.0


@dataclass(frozen=True, slots=True)
class StatedPreferences:
    """Preferences that people state, many to a memory: kept, and given when they matter."""

    total: int
    kept: int
    """Those that facts and rules say."""
    twice: int
    """Those that are a fact and a rule."""
    in_context: int
    """Those that a short context for the request that they bear on holds."""
    missed: list[str]


@dataclass(frozen=True, slots=True)
class SteeringReport:
    """All of it."""

    examples: list[JudgedExample]
    negatives: list[JudgedExample]
    ordinary: list[OrdinaryTurns]
    stated: StatedPreferences | None
    held_out: list[JudgedExample]


def measure(data: Path, held_out: Path | None, limit: int | None) -> SteeringReport:
    """Judge every set that is there; `limit` takes the first turns of ordinary talk only."""
    with tempfile.TemporaryDirectory() as folder, Memory.open(Path(folder) / "m.db") as memory:
        positives, negatives = _examples(data)
        return SteeringReport(
            examples=[_judged(memory, example, f"e{n}") for n, example in enumerate(positives)],
            negatives=[_judged(memory, example, f"n{n}") for n, example in enumerate(negatives)],
            ordinary=[
                _ordinary(memory, name, turns[:limit]) for name, turns in _talk(data).items()
            ],
            stated=_stated(data, limit),
            held_out=[
                _judged(memory, example, f"h{n}") for n, example in enumerate(_own(held_out))
            ],
        )


def _judged(memory: Memory, example: Example, user: str) -> JudgedExample:
    own = memory.user(user)
    found = own.behavior.reflect(example.text, previous_assistant_message=example.previous)
    return JudgedExample(example, found.signals)


def _examples(data: Path) -> tuple[list[Example], list[Example]]:
    (read,) = read_json("cases", data, "loom_spec16_examples.json")
    with in_form("cases", data):
        positives = [
            Example(
                case["utterance"],
                case["expected_type"].removeprefix("behavioral_"),
                case.get("expected_rule"),
            )
            for case in read["positives"]
        ]
        return positives, [Example(case["utterance"], _NOTHING) for case in read["negatives"]]


def _own(file: Path | None) -> Iterator[Example]:
    """Lines of type, rule, message and the answer before, between tabs."""
    if file is None:
        return
    for line in file.read_text("utf-8").splitlines():
        if line and not line.startswith("#"):
            type_, rule, text, *previous = line.split("\t")
            yield Example(text, type_, rule or None, previous[0] if previous else None)


def _talk(data: Path) -> dict[str, list[tuple[str, str | None]]]:
    """Ordinary turns with the turn before, each set that is there by its name."""
    turns = {}
    with suppress(NotFound):
        talks = locomo_talks(data, among=True)
        turns["locomo"] = [
            (turn.text, turn.spoken.previous) for talk in talks for turn in talk.turns
        ]
    with suppress(NotFound):
        turns["longmemeval"] = list(user_turns(data).items())
    return turns


def _ordinary(memory: Memory, name: str, turns: Sequence[tuple[str, str | None]]) -> OrdinaryTurns:
    times, signalled = [], []
    turns = turns[:: -(-len(turns) // MOST) or 1]
    for number, (text, previous) in enumerate(turns):
        own = memory.user(f"{name}{number}")
        start = time.process_time()
        found = own.behavior.reflect(text, previous_assistant_message=previous)
        times.append(time.process_time() - start)
        if found.signals:
            rules = "; ".join(f"{signal.type[11:]}: {signal.rule}" for signal in found.signals)
            signalled.append((text, rules))
    return OrdinaryTurns(name, len(turns), signalled, 1000 * median(times or [0.0]))


def _stated(data: Path, limit: int | None) -> StatedPreferences | None:
    try:
        (pairs,) = read_json("preferences", data, "prefeval_explicit_dev.json", among=True)
    except NotFound:
        return None
    pairs = random.Random(SEED).sample(pairs, len(pairs))[:limit]
    kept = twice = in_context = 0
    missed = []
    for at in range(0, len(pairs), TOGETHER):
        with tempfile.TemporaryDirectory() as folder, Memory.open(Path(folder) / "m.db") as memory:
            for pair in pairs[at : at + TOGETHER]:
                receipt = memory.remember(pair["preference"])
                texts = [one.text for one in (*receipt.learned, *receipt.rules)]
                is_kept = _says(pair["preference"], [" ".join(texts)])
                kept += is_kept
                twice += bool(receipt.learned and receipt.rules)
                if not is_kept:
                    missed.append(pair["preference"])
            for pair in pairs[at : at + TOGETHER]:
                context = memory.context(pair["question"], budget=BUDGET)
                in_context += _says(pair["preference"], context.text.splitlines())
    return StatedPreferences(len(pairs), kept, twice, in_context, missed)


def _says(preference: str, texts: Sequence[str]) -> bool:
    """True if one of the texts holds most words of it."""
    said = content_words(preference)
    return any(len(said & content_words(text)) >= MOST_WORDS * len(said) for text in texts)


# --- the command ----------------------------------------------------------------------------------


def steering(
    data: Data = SHARED,
    held_out: Annotated[
        Path | None, typer.Option("--held-out", help="Sentences of your own, in a TSV file.")
    ] = None,
    limit: Limit = None,
    as_json: Json = False,
) -> None:
    """What users ask for good: found where it is said, and nowhere else."""
    report = measure(data, held_out, limit)
    if as_json:
        cli.print_json(report)
        return
    _show_judged("examples", report.examples)
    _show_judged("negatives", report.negatives)
    for turns in report.ordinary:
        for text, signals in turns.signalled:
            cli.say(f"{turns.name}: {text[:160]!r} -> {signals}")
        cli.say(
            f"{turns.name}: {len(turns.signalled)} of {turns.turns} ordinary turns signal "
            f"something, {turns.per_thousand:.2f} in a thousand; median {turns.median_ms:.2f} ms "
            "of CPU a turn"
        )
    if stated := report.stated:
        cli.say(
            f"stated preferences: {stated.kept} of {stated.total} kept ({stated.twice} twice); "
            f"{stated.in_context} in a context of {BUDGET} tokens for what they bear on"
        )
    if report.held_out:
        _show_judged("held out", report.held_out)


def _show_judged(title: str, judged: Sequence[JudgedExample]) -> None:
    table = Table("expected", "found", "rule", "expected rule", "alike", title=title)
    for each in judged:
        alike = f"{each.likeness:.2f}" if each.example.rule else ""
        wrong = not each.is_right_type or (bool(each.example.rule) and not each.is_right_rule)
        shown = (each.example.type, " ".join(each.types), each.rule or "-", each.example.rule or "")
        table.add_row(*map(Text, shown), alike, style="red" if wrong else None)
    cli.console.print(table)
    ruled = [each for each in judged if each.example.rule]
    right = sum(each.is_right_type for each in judged)
    rules = f", rule right {sum(e.is_right_rule for e in ruled)}/{len(ruled)}" if ruled else ""
    cli.say(f"{title}: type right {right}/{len(judged)}{rules}")
