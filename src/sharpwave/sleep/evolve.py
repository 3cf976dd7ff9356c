"""Evolve: names that come up more, or less, than before; facts that were replaced [TMP-08...11].

Compares the two halves of the last weeks. A difference that chance explains is no trend.
"""

from collections import Counter
from collections.abc import Sequence
from datetime import timedelta

from sharpwave.formulas.significance import trend_chance
from sharpwave.knowledge import facts
from sharpwave.sleep.journal import Step
from sharpwave.sleep.run import SleepRun
from sharpwave.types.sleep import ReportEntry
from sharpwave.types.storing import TRENDS, NewTally

LATEST = "latest"
LOOKBACK_DAYS = 30.0
"""The time compared, in two halves [TMP-11]."""
MIN_TURNS = 10
"""Minimum number of turns for trends [TMP-11]."""
MAX_TURNS = 5000
"""Turns compared, the newest."""
MAX_CHANCE = 0.01
"""A change more likely by chance is no trend."""


def plan(run: SleepRun) -> list[str]:
    """One item, if there are enough turns."""
    turns = run.workspace.store.latest(None, MIN_TURNS)
    return ["trends"] if len(turns) >= MIN_TURNS else []


def process(run: SleepRun, items: Sequence[str]) -> Step:
    """Compare the two halves, and store the trends."""
    store = run.workspace.store
    since = run.now - timedelta(days=LOOKBACK_DAYS)
    middle = run.now - timedelta(days=LOOKBACK_DAYS / 2)
    turns = [turn for turn in store.latest(None, MAX_TURNS) if since <= turn.valid_from < run.now]
    names: dict[str, str] = {}
    last: dict[str, str] = {}
    before, after = Counter[str](), Counter[str]()
    mentions = store.mentions([turn.id for turn in turns])
    for turn in turns:
        half = before if turn.valid_from < middle else after
        for mentioned in mentions[turn.id]:
            names[mentioned.key] = mentioned.name
            last[mentioned.name] = turn.id
            half[mentioned.key] += 1
    trends = [
        {"name": name, "before": before[key], "after": after[key], "chance": chance}
        for key, name in sorted(names.items())
        if (chance := trend_chance(before[key], after[key])) < MAX_CHANCE
    ]
    known = store.tallies(TRENDS, [LATEST]).get(LATEST)
    value = {"as_of": run.now.isoformat(), "trends": trends}
    row = NewTally(TRENDS, LATEST, value, known.version if known else 0)
    entries = [_entry(trend, last[str(trend["name"])]) for trend in trends]
    entries += [
        ReportEntry("shifted", shift.old.id, "something newer took its place")
        for shift in facts.shifts(run.workspace, since)
    ]
    return Step(entries=tuple(entries), tallies=(row,))


def _entry(trend: dict[str, object], turn: str) -> ReportEntry:
    """Refers to the last turn with the name, not to the name: a report outlives forgetting."""
    days = LOOKBACK_DAYS / 2
    why = f"{trend['before']} times, then {trend['after']} times in {days:.0f} days"
    return ReportEntry("trend", turn, why)
