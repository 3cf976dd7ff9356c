"""`restated`: a statement is made again later with another value; which one comes first.

Two sets of our own about invented subjects. 364 pairs in forty relations ("chair of an
organisation", "port of a server") in many wordings, asked for in others (`evals/data/
restated.jsonl`), and 360 in 36 relations, each said in one form both times
(`restated_plain.jsonl`). Beside each stand three statements that share words or relation but stay
true. All of a set lie in one memory: what was so first, two months later what is so now. Two
questions for each, about now and about the past.

    newest first     the first item holds the new value
    before the old   among five, the new value stands before the old one, or the old is not there
    old found        asked for what was so, the old value is among five
"""

import json
import random
from collections import Counter
from datetime import UTC, datetime
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from rich.table import Table

from evals import cli
from evals.cli import Json, Limit
from sharpwave import Memory
from sharpwave.testing import FrozenClock

SEED = 3
FIRST = datetime(2026, 1, 5, 9, tzinfo=UTC)
HOUR_S, LATER_S = 3_600, 60 * 86_400
AMONG = 5
SETS = {"many wordings": "restated.jsonl", "one form": "restated_plain.jsonl"}
FIGURES = ("newest first", "before the old", "old found")


def restated(limit: Limit = None, as_json: Json = False) -> None:
    """Which of two values comes first, if a statement was made again with another one."""
    shares: dict[str, dict[str, float]] = {}
    for name, file in SETS.items():
        text = (files("evals") / "data" / file).read_text("utf-8")
        pairs = [json.loads(line) for line in text.splitlines()][:limit]
        with TemporaryDirectory() as folder:
            counts = _measured(pairs, Path(folder) / "memory.db")
        shares[name] = {"pairs": len(pairs), **{of: counts[of] / len(pairs) for of in FIGURES}}
    if as_json:
        cli.print_json(shares)
        return
    table = Table("", "pairs", *FIGURES, title="statements made again")
    for name, of in shares.items():
        table.add_row(name, str(of["pairs"]), *(f"{of[each]:.3f}" for each in FIGURES))
    cli.console.print(table)


def _measured(pairs: list[dict[str, Any]], file: Path) -> Counter[str]:
    counts: Counter[str] = Counter()
    clock = FrozenClock(FIRST)
    with Memory.open(file, clock=clock, settings=cli.settings_to_measure()) as memory:
        draw = random.Random(SEED)
        for said in (_said(pairs, "older", slice(0, 2)), _said(pairs, "newer", slice(2, None))):
            draw.shuffle(said)
            for text in said:
                memory.remember(text, session=f"{clock.now():%Y-%m-%d}")
                clock.advance(seconds=HOUR_S)
            clock.advance(seconds=LATER_S)
        for pair in pairs:
            now = [item.text for item in memory.recall(pair["now_question"], k=AMONG)]
            new, old = (_place(pair[value], now) for value in ("new_value", "old_value"))
            counts["newest first"] += new == 0
            counts["before the old"] += new < old
            past = [item.text for item in memory.recall(pair["past_question"], k=AMONG)]
            counts["old found"] += _place(pair["old_value"], past) < AMONG
    return counts


def _said(pairs: list[dict[str, Any]], which: str, others: slice) -> list[str]:
    return [text for pair in pairs for text in (pair[which], *pair["distractors"][others])]


def _place(value: str, texts: list[str]) -> int:
    found = (place for place, text in enumerate(texts) if value.lower() in text.lower())
    return next(found, AMONG)
