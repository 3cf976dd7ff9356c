"""Errors, what followed them, and what of that worked [PAT-04, AGT-09, TOOL-03]."""

from collections.abc import Sequence

from sharpwave.experience.learners import rows, segments
from sharpwave.experience.lessons import Act, Lesson
from sharpwave.experience.matching import value_pattern
from sharpwave.tallies import Row, Sheet
from sharpwave.types.experience import LearnedPattern, PatternType, RecurringError

TOPIC = "error"
OF_TOOL = "errors_of_tool"
EXECUTIONS = "tool"
"""Topic of the tools' own rows, which count their executions."""
_MOST_OF_TOOL = 16
MAX_SOLUTIONS = 8
"""Most solutions kept of each error."""
MIN_ERRORS = 2
"""Fewest sightings of an error to list it and warn of it."""
COMMON_PERCENT = 10.0
"""An error in more executions is common [INS-07]."""
_SHOWN = 3


def learn(lesson: Lesson, sheet: Sheet) -> None:
    """Count each error, and whatever made the same tool work afterwards."""
    if not lesson.is_cycle and len(lesson.acts) == 1:
        _learn_fix(lesson, sheet)
    for place, act in enumerate(lesson.acts):
        if act.ok is not False:
            continue
        error = segments.error_of(act)
        name = rows.short(f"{act.name}|{error}")
        row = rows.tiered(sheet, TOPIC, name)
        rows.note(row, lesson.id, act.at)
        row.update(tool=act.name, error=error)
        following = lesson.acts[place + 1 :]
        # which execution of the tool it was: the executions since then speak against it
        executions = sheet.row(EXECUTIONS, act.name).get("n", 1)
        row["to"] = executions - sum(step.name == act.name for step in following)
        row.setdefault("from", row["to"])
        rows.count(row.setdefault("ctx", {}), lesson.context, rows.MAX_CONTEXTS)
        fix = _fix(act, following)
        if fix:
            rows.count(row.setdefault("fix", {}), fix, MAX_SOLUTIONS)
        row["ok" if fix else "bad"] = row.get("ok" if fix else "bad", 0) + 1
        rows.count(sheet.edit(OF_TOOL, act.name), name, _MOST_OF_TOOL)
        rows.put_tiered(sheet, TOPIC, name, row, MIN_ERRORS)


def _learn_fix(lesson: Lesson, sheet: Sheet) -> None:
    """Count what a session did between a failure and this single action, which worked."""
    (act,) = lesson.acts
    steps = segments.before(lesson, sheet)
    failed = sheet.row(segments.TOPIC, lesson.session).get("failed", {})
    if not steps or not act.ok or act.name not in failed:
        return
    error, place, times = failed[act.name]
    between = [step for step in dict.fromkeys(steps[place:]) if step not in failed]
    name = rows.short(f"{act.name}|{error}")
    row = rows.tiered(sheet, TOPIC, name)
    if not row or not between:
        return
    rows.count(row.setdefault("fix", {}), f"first {' → '.join(between[:_SHOWN])}", MAX_SOLUTIONS)
    row.update(ok=row.get("ok", 0) + times, bad=max(0, row.get("bad", 0) - times))
    rows.put_tiered(sheet, TOPIC, name, row, MIN_ERRORS)


def _fix(failed: Act, following: Sequence[Act]) -> str | None:
    """What was done until the same tool succeeded; None if it never did."""
    between: list[str] = []
    for act in following:
        if act.name == failed.name and act.ok:
            return _difference(failed, act, between)
        if act.name != failed.name and act.ok is not False:
            between.append(act.name)
    return None


def _difference(failed: Act, worked: Act, between: Sequence[str]) -> str:
    steps = " → ".join(list(dict.fromkeys(between))[:_SHOWN])
    parts = [f"first {steps}"] if steps else []
    changed = [
        f"{name} = {value_pattern(value)}"
        for name, value in worked.details.items()
        if failed.details.get(name) != value
    ]
    if worked.target != failed.target and worked.target:
        changed.append(f"target {value_pattern(worked.target)}")
    parts += [f"call it with {', '.join(changed[:_SHOWN])}"] if changed else []
    return ", then ".join(parts) or "try again"


def of_tool(name: str, executions: int, sheet: Sheet) -> list[RecurringError]:
    """The errors of one tool that recurred, the most frequent first."""
    errors = [
        RecurringError(
            error=row["error"],
            count=row["n"],
            percentage=100.0 * row["n"] / max(executions, row["n"]),
            contexts=tuple(_by_count(row.get("ctx", {}))),
            solutions=tuple(_by_count(row.get("fix", {}))),
            evidence=tuple(row["ev"]),
            since=executions - row["to"],
            still=rows.still(row["n"], row["to"] - row["from"] + 1, executions - row["to"]),
        )
        for key in sheet.row(OF_TOOL, name)
        if (row := sheet.row(TOPIC, key))
    ]
    return sorted(errors, key=lambda error: (-error.count, error.error))


def pattern(row: Row) -> LearnedPattern:
    """The error as a pattern: how often it came, and how often it was solved."""
    fixes = _by_count(row.get("fix", {}))
    solved, unsolved = row.get("ok", 0), row.get("bad", 0)
    advice = f" What worked: {fixes[0]}." if fixes else ""
    return rows.pattern(
        PatternType.ERROR,
        f"{row['tool']}|{row['error']}",
        row,
        name=f"{row['tool']}: {row['error']}",
        description=f'{row["tool"]} failed {row["n"]} times with "{row["error"]}".{advice}',
        steps=(row["tool"],),
        confidence=solved / max(1, solved + unsolved),
        contexts=tuple(_by_count(row.get("ctx", {}))),
        solutions=tuple(fixes),
    )


def _by_count(counts: dict[str, int]) -> list[str]:
    return sorted(counts, key=lambda name: (-counts[name], name))
