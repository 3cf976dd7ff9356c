"""Sequences of actions that recur inside longer work, word for word [PAT-03].

Each closed stretch is compared with the last actions before it. Where the longest common run ends,
it is counted as a whole, so that a repeated sequence is one row and not one for each of its parts.
"""

from collections.abc import Iterator, Sequence

from sharpwave.experience import matching
from sharpwave.experience.learners import rows
from sharpwave.experience.learners.segments import ChanceModel, WorkSegment
from sharpwave.formulas.sequences import holds
from sharpwave.tallies import Row, Sheet
from sharpwave.types.experience import LearnedPattern, PatternType

TOPIC = "repeat"
WINDOW = "window"
_BREAK = ""
_LONGEST = 12
WINDOW_ACTIONS = 128
"""Actions searched for repeated sequences."""


def learn(segment: WorkSegment, sheet: Sheet) -> None:
    """Count what a stretch repeats of the last actions, itself included."""
    window = sheet.edit("state", WINDOW)
    before: list[str] = window.get("steps", [])
    steps = matching.step_names(segment.steps)
    whole = [*before, *steps]
    counted: set[tuple[int, int]] = set()
    for start, end in _runs(whole, len(before), rows.MIN_STEPS):
        counted |= _count(whole, (start, min(end, start + _LONGEST)), counted, segment, sheet)
    window["steps"] = [*whole, _BREAK][-WINDOW_ACTIONS:]


def _runs(whole: Sequence[str], since: int, least: int) -> Iterator[tuple[int, int]]:
    """Start and end of the longest repeats of earlier actions, from the place `since` on."""
    places: dict[str, list[int]] = {}
    for place in range(since):
        places.setdefault(whole[place], []).append(place)
    lengths: dict[int, int] = {}
    longest = 0
    for place in range(since, len(whole)):
        step = whole[place]
        grown = {
            at: min(lengths.get(at - 1, 0) + 1, place - at)  # a run does not overlap itself
            for at in places.get(step, ())
            if step != _BREAK
        }
        best = max(grown.values(), default=0)
        if longest >= least and best <= longest:
            yield place - longest, place
        longest = best
        places.setdefault(step, []).append(place)
        lengths = grown
    if longest >= least:
        yield len(whole) - longest, len(whole)


def _count(
    whole: Sequence[str],
    run: tuple[int, int],
    counted: set[tuple[int, int]],
    segment: WorkSegment,
    sheet: Sheet,
) -> set[tuple[int, int]]:
    """Count a run once more, and every known run inside it; returns the places that it counted.

    Runs overlap, so what was counted at a place is not counted there again.
    """
    first, last = run
    parts = {
        (start, end)
        for start in range(first, last)
        for end in range(start + rows.MIN_STEPS, last + 1)
    } - counted
    names = {place: _name(whole[place[0] : place[1]]) for place in parts}
    sheet.fetch(TOPIC, names.values())
    for place in sorted(parts):
        row = rows.tiered(sheet, TOPIC, names[place])
        if not row and place != run:
            continue
        if not row:
            row["n"] = 1  # the time before, which was not counted
        row["steps"] = list(whole[place[0] : place[1]])
        rows.note(row, segment.ids[-1], segment.ended)
        rows.outcome(row, segment.success)
        rows.put_tiered(sheet, TOPIC, names[place], row)
    return parts


def _name(run: Sequence[str]) -> str:
    return rows.short("→".join(run))


def patterns(
    sheet: Sheet, workflows: Sequence[Sequence[str]], background: ChanceModel
) -> list[LearnedPattern]:
    """Runs that chance does not explain and that are no part of a workflow or a longer run."""
    found = []
    covered: list[Sequence[str]] = [*workflows]
    ordered = sorted(sheet.rows(TOPIC).values(), key=lambda row: (-len(row["steps"]), -row["n"]))
    for row in ordered:
        steps = row["steps"]
        if any(holds(sequence, steps) for sequence in covered) or len(set(steps)) < 2:
            continue
        chance, lift = background.run(steps, row["n"])
        if chance < rows.MAX_CHANCE and row["n"] >= rows.MIN_STEPS:
            found.append(_view(row, chance, lift))
            covered.append(steps)
    return found


def _view(row: Row, chance: float, lift: float) -> LearnedPattern:
    steps = " → ".join(row["steps"])
    return rows.pattern(
        PatternType.ACTION_SEQUENCE,
        _name(row["steps"]),
        row,
        name=f"Sequence: {steps}",
        description=f"These steps followed each other at least {row['n']} times: {steps}.",
        steps=tuple(row["steps"]),
        lift=lift,
        chance=chance,
        avg_steps=float(len(row["steps"])),
        streak=row.get("run", 0),
    )
