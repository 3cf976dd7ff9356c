"""`remarks`: something known, and what is said of it later, and whether it stands.

Sets of our own, written by people who did not write what the comparer was trained on:

    remarks    497 pairs: a fact or task as it is kept, and a sentence said days later that updates
               it, ends it, says it again, or leaves it alone; each in a memory of its own
    rule_remarks  100 messages, each with some of 497 standing instructions, likewise
    rule_changes   80 messages, each with four to six standing instructions, by another author
    rule_later     50 messages, each with four standing instructions, by a third, who wrote last
    messages   200 messages as people write them, from 4 words to 90, each with four to six notes
               that lie near to it, in one memory; mostly one of them is changed, in passing
    plain_changes  160 plain messages of some seven words, each with four notes, likewise
    consequences   130 messages from which it only follows what changes, likewise

    replaced      of what a remark updates or ends, the share that no longer stands as it was
    left alone    of what it says again, or only lies near, the share that still stands
"""

import json
from collections import Counter
from collections.abc import Sequence
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
SETS = (
    "remarks",
    "messages",
    "plain_changes",
    "rule_remarks",
    "rule_changes",
    "rule_later",
    "consequences",
)


def remarks(
    limit: Limit = None,
    show: Annotated[bool, typer.Option("--show", help="Print every miss.")] = False,
    as_json: Json = False,
) -> None:
    """Whether what is known still stands after a later remark."""
    result = {name: _measured(_groups(name)[:limit], show) for name in SETS}
    if as_json:
        cli.print_json(result)
        return
    for name, found in result.items():
        table = Table("", "right", "of", title=f"{found['notes']} notes: {name}")
        for kind, (good, all_) in found["each"].items():
            table.add_row(kind, str(good), str(all_))
        for share in ("replaced", "left alone"):
            table.add_row(share, f"{found[share]:.3f}", "")
        cli.console.print(table)


def _groups(name: str) -> list[dict[str, Any]]:
    """Messages, each with its notes; a pair is a message with one, but rules stand together."""
    text = (files("evals") / "data" / f"{name}.jsonl").read_text("utf-8")
    groups: dict[str, dict[str, Any]] = {}
    for number, line in enumerate(map(json.loads, text.splitlines())):
        if "notes" in line:
            groups[line["id"]] = line
            continue
        together = line["newer"] if line["kind"] == "rule" else str(number)
        group = groups.setdefault(together, {"turn": line["newer"], "notes": []})
        group["notes"].append({**line, "text": line["older"]})
    return list(groups.values())


def _measured(groups: Sequence[dict[str, Any]], show: bool) -> dict[str, Any]:
    asked: Counter[str] = Counter()
    right: Counter[str] = Counter()
    for group in groups:
        for note, stands in zip(group["notes"], _still_stand(group), strict=True):
            name = f"{note['relation']} {note['kind']}"
            is_right = stands is (note["relation"] not in CHANGED)
            asked[name] += 1
            right[name] += is_right
            if show and not is_right:
                cli.console.print(f"{name}: {note['text']} | {group['turn']}", style="dim")
    return {
        "notes": asked.total(),
        "replaced": _share(CHANGED, right, asked),
        "left alone": _share(RELATIONS[2:], right, asked),
        "each": {name: [right[name], asked[name]] for name in sorted(asked)},
    }


def _still_stand(group: dict[str, Any]) -> list[bool]:
    clock = FrozenClock(BEGIN)
    with TemporaryDirectory() as folder:
        file = Path(folder) / "memory.db"
        with Memory.open(file, clock=clock, settings=cli.settings_to_measure()) as memory:
            known = []
            for note in group["notes"]:
                before = _current(memory)
                text = note["text"]
                if note["kind"] == "rule":
                    memory.behavior.add(text)
                elif note["kind"] == "task":
                    memory.remember(text, tasks=[{"title": text, "quote": text}])
                else:
                    memory.remember(text, facts=[{"text": text, "quote": text}])
                known.append(_current(memory) - before)
                clock.advance(days=1)
            clock.advance(days=LATER_DAYS)
            memory.remember(group["turn"])
            now = _current(memory)
            return [one <= now for one in known]


def _current(memory: Memory) -> set[tuple[str, datetime | None]]:
    tasks = {(task.id, task.due) for task in memory.tasks.list()}
    rules = {(rule.id, None) for rule in memory.behavior.rules()}
    return tasks | rules | {(fact.id, None) for fact in memory.facts.list()}


def _share(relations: tuple[str, ...], right: Counter[str], asked: Counter[str]) -> float:
    names = [name for name in asked if name.split()[0] in relations]
    return sum(right[name] for name in names) / max(1, sum(asked[name] for name in names))
