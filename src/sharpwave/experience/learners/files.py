"""Files that are worked on together [PAT-02]."""

from collections.abc import Sequence
from itertools import combinations

from sharpwave.experience.learners import rows
from sharpwave.experience.learners.segments import WorkSegment
from sharpwave.formulas.significance import binomial_tail, lift
from sharpwave.tallies import Row, Sheet
from sharpwave.types.experience import LearnedPattern, PatternType

FILE = "file"
PAIR = "pair"
_MOST_FILES = 12
MIN_TOGETHER = 0.5
"""Least share of the sightings of a file that are together with the other."""
_JOIN = "\x1f"


def learn(segment: WorkSegment, sheet: Sheet) -> None:
    """Count the files of a stretch of work, and each pair of them."""
    files = sorted(segment.files[:_MOST_FILES])
    if not files:
        return
    sheet.fetch(FILE, files)
    for file in files:
        row = sheet.edit(FILE, file)
        row["n"] = row.get("n", 0) + 1
    pairs = {_JOIN.join(pair): pair for pair in combinations(files, 2)}
    sheet.fetch(PAIR, pairs)
    sheet.fetch(rows.RARE + PAIR, pairs)
    for name, pair in pairs.items():
        row = rows.tiered(sheet, PAIR, name)
        row["files"] = list(pair)
        rows.note(row, segment.ids[-1], segment.ended)
        rows.put_tiered(sheet, PAIR, name, row)


def patterns(sheet: Sheet, segments: int) -> list[LearnedPattern]:
    """Groups of files that are worked on together more often than by chance, each once."""
    pairs = list(sheet.rows(PAIR).values())
    sheet.fetch(FILE, (file for row in pairs for file in row["files"]))
    strong = [row for row in pairs if _is_strong(row, sheet, segments, len(pairs))]
    return [_view(group, sheet, segments) for group in _groups(strong)]


def _is_strong(row: Row, sheet: Sheet, segments: int, tests: int) -> bool:
    first_count, second_count = (sheet.row(FILE, file).get("n", 0) for file in row["files"])
    chance = (
        binomial_tail(segments, first_count * second_count / max(1, segments) ** 2, row["n"])
        * tests
    )
    # apart more often than together is no pair, however seldom chance would join them
    return chance < rows.MAX_CHANCE and row["n"] >= max(first_count, second_count) * MIN_TOGETHER


def _groups(strong: Sequence[Row]) -> list[list[Row]]:
    """Connected pairs: one group instead of every pair in it."""
    groups: list[list[Row]] = []
    for row in sorted(strong, key=lambda pair: -pair["n"]):
        files = set(row["files"])
        touching = [g for g in groups if any(files & set(pair["files"]) for pair in g)]
        merged = [row, *(pair for group in touching for pair in group)]
        groups = [group for group in groups if group not in touching] + [merged]
    return groups


def _described(files: Sequence[str], times: int) -> str:
    shown = ", ".join(files)
    if len(files) == 2:
        return f"Worked on together {times} times: {shown}."
    return f"Worked on together, each with another of them at least {times} times: {shown}."


def _view(group: Sequence[Row], sheet: Sheet, segments: int) -> LearnedPattern:
    files = sorted({file for row in group for file in row["files"]})
    least = min(group, key=lambda row: row["n"])
    first_count, second_count = (sheet.row(FILE, file).get("n", 0) for file in least["files"])
    named = ", ".join(file.rpartition("/")[2] for file in files)
    moments = {
        "first": min(row["first"] for row in group),
        "last": max(row["last"] for row in group),
    }
    return rows.pattern(
        PatternType.FILE_ACCESS,
        _JOIN.join(files),
        {**least, **moments},
        name=f"Files: {named}",
        description=_described(files, least["n"]),
        steps=tuple(files),
        confidence=least["n"] / max(first_count, second_count, 1),
        evidence=tuple(dict.fromkeys(id_ for row in group for id_ in row["ev"])),
        lift=lift(least["n"], first_count, second_count, max(1, segments)),
    )
