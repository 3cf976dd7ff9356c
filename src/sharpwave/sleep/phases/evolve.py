"""Evolve: what comes up more, or less, than it did; and what was replaced [TMP-08, TMP-10, TMP-11].

Looks at the last weeks only, in two halves of the same length. What differs no more than chance
would have it is no trend.
"""

from collections import Counter
from collections.abc import Sequence
from datetime import timedelta

from sharpwave.formulas.significance import trend_chance
from sharpwave.sleep.night import Night
from sharpwave.sleep.step import Step
from sharpwave.types.records import Kind, Record, State
from sharpwave.types.sleep import Entry
from sharpwave.types.storing import TRENDS, NewTally, Stated

LATEST = "latest"


def find(night: Night) -> list[str]:
    """Once a week, if enough was said to tell."""
    settings = night.workspace.settings.sleep.evolve
    talks = night.workspace.store.latest(None, settings.min_turns)
    return ["trends"] if len(talks) >= settings.min_turns else []


def work(items: Sequence[str], night: Night) -> Step:
    """Compare the two halves, and note what differs."""
    store, settings = night.workspace.store, night.workspace.settings.sleep.evolve
    since = night.now - timedelta(days=settings.lookback_days)
    middle = night.now - timedelta(days=settings.lookback_days / 2)
    turns = store.latest(None, settings.max_turns)
    lately = [turn for turn in turns if since <= turn.valid_from < night.now]
    names: dict[str, str] = {}
    last: dict[str, str] = {}
    before, after = Counter[str](), Counter[str]()
    mentions = store.mentions([turn.id for turn in lately])
    for turn in lately:
        half = before if turn.valid_from < middle else after
        for mentioned in mentions[turn.id]:
            names[mentioned.key] = mentioned.name
            last[mentioned.name] = turn.id
            half[mentioned.key] += 1
    trends = [
        {"name": name, "before": before[key], "after": after[key], "chance": chance}
        for key, name in sorted(names.items())
        if (chance := trend_chance(before[key], after[key])) < settings.max_chance
    ]
    known = store.tallies(TRENDS, [LATEST]).get(LATEST)
    value = {"as_of": night.now.isoformat(), "trends": trends}
    row = NewTally(TRENDS, LATEST, value, known.version if known else 0)
    entries = [
        _entry(trend, last[str(trend["name"])], settings.lookback_days / 2) for trend in trends
    ]
    entries += [_shifted(record) for record in _replaced(night)]
    return Step(entries=tuple(entries), tallies=(row,))


def _entry(trend: dict[str, object], turn: str, days: float) -> Entry:
    """Told by the last turn that has the name: a report outlives what is forgotten."""
    told = f"{trend['before']} times, then {trend['after']} times in {days:.0f} days"
    return Entry("trend", turn, told)


def _replaced(night: Night) -> list[Record]:
    """Facts that others took the place of within the time looked at."""
    since = night.now - timedelta(days=night.workspace.settings.sleep.evolve.lookback_days)
    wanted = Stated(kinds=frozenset({Kind.FACT}), states=frozenset({State.SUPERSEDED}))
    return [
        record
        for record in night.workspace.store.stated(wanted)
        if record.standing.superseded_by and record.valid_to and since <= record.valid_to
    ]


def _shifted(record: Record) -> Entry:
    return Entry("shifted", record.id, "something newer took its place")
