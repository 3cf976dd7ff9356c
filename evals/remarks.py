"""`remarks`: something known, and what is said of it later, and whether it stands.

497 pairs of our own (`evals/data/remarks.jsonl`): a fact or task as it is kept, and a remark made
days later that updates it, ends it, says it again, or leaves it alone. Written by people who did
not write what the comparer was trained on. Each pair has a memory of its own.

    replaced      of what a remark updates or ends, the share that no longer stands as it was
    left alone    of what it says again, or only lies near, the share that still stands
"""

import json
from collections import Counter
from datetime import UTC, datetime
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import typer
from rich.table import Table

from evals import cli
from evals.cli import Json, Limit
from sharpwave import Memory
from sharpwave.testing import FrozenClock

BEGIN = datetime(2026, 3, 2, 9, tzinfo=UTC)
LATER_DAYS = 5
CHANGED = ("update", "end")
RELATIONS = (*CHANGED, "same", "none")


def remarks(
    limit: Limit = None,
    show: Annotated[bool, typer.Option("--show", help="Print every miss.")] = False,
    as_json: Json = False,
) -> None:
    """Whether what is known still stands after a later remark."""
    text = (files("evals") / "data" / "remarks.jsonl").read_text("utf-8")
    pairs = [json.loads(line) for line in text.splitlines()][:limit]
    asked: Counter[str] = Counter()
    right: Counter[str] = Counter()
    for pair in pairs:
        name = f"{pair['relation']} {pair['kind']}"
        is_right = _still_stands(pair) is (pair["relation"] not in CHANGED)
        asked[name] += 1
        right[name] += is_right
        if show and not is_right:
            cli.console.print(f"{name}: {pair['older']} | {pair['newer']}", style="dim")
    result: dict[str, Any] = {
        "pairs": len(pairs),
        "replaced": _share(CHANGED, right, asked),
        "left alone": _share(RELATIONS[2:], right, asked),
        "each": {name: [right[name], asked[name]] for name in sorted(asked)},
    }
    if as_json:
        cli.print_json(result)
        return
    table = Table("", "right", "of", title=f"{len(pairs)} remarks")
    for name, (good, all_) in result["each"].items():
        table.add_row(name, str(good), str(all_))
    for name in ("replaced", "left alone"):
        table.add_row(name, f"{result[name]:.3f}", "")
    cli.console.print(table)


def _still_stands(pair: dict[str, Any]) -> bool:
    older, clock = pair["older"], FrozenClock(BEGIN)
    with TemporaryDirectory() as folder:
        file = Path(folder) / "memory.db"
        with Memory.open(file, clock=clock, settings=cli.settings_to_measure()) as memory:
            structure: dict[str, Any] = (
                {"tasks": [{"title": older, "quote": older}]}
                if pair["kind"] == "task"
                else {"facts": [{"text": older, "quote": older}]}
            )
            memory.remember(older, **structure)
            known = _current(memory)
            clock.advance(days=LATER_DAYS)
            memory.remember(pair["newer"])
            return known <= _current(memory)


def _current(memory: Memory) -> set[tuple[str, datetime | None]]:
    tasks = {(task.id, task.due) for task in memory.tasks.list()}
    return tasks | {(fact.id, None) for fact in memory.facts.list()}


def _share(relations: tuple[str, ...], right: Counter[str], asked: Counter[str]) -> float:
    names = [name for name in asked if name.split()[0] in relations]
    return sum(right[name] for name in names) / max(1, sum(asked[name] for name in names))
