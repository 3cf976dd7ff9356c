"""The track records of all tools, with their errors, parameters and recommendations."""

from collections.abc import Sequence
from datetime import datetime

from sharpwave.experience.learners import errors, parameters, rows
from sharpwave.experience.lessons import Act, Lesson
from sharpwave.formulas import statistics
from sharpwave.formulas.statistics import lower_bound
from sharpwave.tallies import Row, Sheet
from sharpwave.types.experience import (
    ContextRecord,
    InsightType,
    ParameterInsight,
    Recommendation,
    RecurringError,
    ToolRecord,
)

TOPIC = "tool"
QUANTILE_ACCURACY = 0.05
"""Relative accuracy of quantiles of durations."""
WILSON_Z = 1.28
"""Caution of rankings with few tries, in standard deviations."""
WARN_BELOW = 0.5
"""A lower success rate gets a warning."""
SLOW_MS = 5000.0
"""A longer mean duration gets a hint."""
MIN_USES = 5
"""Fewest uses before anything is recommended."""


def names_by_use(sheet: Sheet) -> list[str]:
    """The tools that were used, the most used first."""
    found = sheet.rows(TOPIC)
    return sorted(found, key=lambda name: (-found[name]["n"], name))


def records(sheet: Sheet, names: Sequence[str] | None = None) -> list[ToolRecord]:
    """The records of these tools, or of all, the most used first."""
    if names is None:
        found = sheet.rows(TOPIC)
        details = sheet.rows(parameters.TOPIC)
    else:
        sheet.fetch(TOPIC, names)
        sheet.fetch(parameters.TOPIC, names)
        known = {name: sheet.row(TOPIC, name) for name in names}
        found = {name: row for name, row in known.items() if row}
        details = {name: sheet.row(parameters.TOPIC, name) for name in found}
    sheet.fetch(errors.OF_TOOL, found)
    sheet.fetch(errors.TOPIC, (key for name in found for key in sheet.row(errors.OF_TOOL, name)))
    made = [
        _view(
            name,
            row,
            errors.of_tool(_errors_of(name, sheet), row["n"]),
            parameters.insights(details.get(name, {})),
        )
        for name, row in found.items()
    ]
    return sorted(made, key=lambda tool: (-tool.executions, tool.name))


def _errors_of(name: str, sheet: Sheet) -> list[Row]:
    """The errors of a tool that recurred."""
    keys = sheet.row(errors.OF_TOOL, name)
    return [row for key in keys if (row := sheet.row(errors.TOPIC, key))]


def in_context(tool: ToolRecord, context: str | None) -> float:
    """Cautious success rate of a tool in a context; in general if it was never used there."""
    here = [each for each in tool.contexts if each.context == context]
    if here:
        return lower_bound(here[0].success_rate * here[0].uses, here[0].uses, WILSON_Z)
    return lower_bound(tool.successes, tool.successes + tool.failures, WILSON_Z)


def learn(lesson: Lesson, sheet: Sheet) -> None:
    """Take every step of a lesson into the records of its tools."""
    sheet.fetch(TOPIC, lesson.order)
    for act in lesson.acts:
        row = sheet.row(TOPIC, act.name)
        _count(row, act, lesson)
        sheet.put(TOPIC, act.name, row)
    if lesson.success is not None:
        for name in dict.fromkeys(lesson.order):
            row = sheet.row(TOPIC, name)
            row["tasks"] = row.get("tasks", 0) + 1
            row["tasks_ok"] = row.get("tasks_ok", 0) + int(lesson.success)
            sheet.put(TOPIC, name, row)


def _count(row: Row, act: Act, lesson: Lesson) -> None:
    row["n"] = row.get("n", 0) + 1
    if act.ok is not None:
        row["ok" if act.ok else "bad"] = row.get("ok" if act.ok else "bad", 0) + 1
    if act.retries:
        row["retries"] = row.get("retries", 0) + act.retries
    if act.ms is not None:
        rows.average(row, "ms", act.ms)
        place = str(statistics.bucket(act.ms, QUANTILE_ACCURACY))
        spread = row.setdefault("spread", {})
        spread[place] = spread.get(place, 0) + 1
    row["last"] = max(row.get("last", ""), act.at.isoformat())
    _count_context(row.setdefault("ctx", {}), act, lesson.context, rows.MAX_CONTEXTS)


def _count_context(contexts: dict[str, list[float]], act: Act, context: str, most: int) -> None:
    """Uses, successes, and the mean duration with its count, in a context."""
    if context not in contexts and len(contexts) >= most:
        del contexts[min(contexts, key=lambda each: contexts[each][0])]
    uses, good, timed, mean = contexts.get(context, [0, 0, 0, 0.0])
    if act.ms is not None:
        timed += 1
        mean += (act.ms - mean) / timed
    contexts[context] = [uses + 1, good + int(act.ok is not False), timed, round(mean, 3)]


def _view(
    name: str, row: Row, errors: Sequence[RecurringError], parameters: Sequence[ParameterInsight]
) -> ToolRecord:
    """The track record of a tool, as a reader wants it."""
    good, bad = row.get("ok", 0), row.get("bad", 0)
    ms = rows.running(row, "ms")
    spread = {int(place): n for place, n in row.get("spread", {}).items()}
    tasks = row.get("tasks", 0)
    p50, p95 = (
        statistics.quantile(spread, share, QUANTILE_ACCURACY) if spread else None
        for share in (0.5, 0.95)
    )
    contexts = _contexts(row)
    rate = good / (good + bad) if good + bad else 0.0
    return ToolRecord(
        name=name,
        executions=row["n"],
        successes=good,
        failures=bad,
        success_rate=rate,
        avg_duration_ms=ms.mean if ms.seen else None,
        p50_ms=p50,
        p95_ms=p95,
        avg_retries=row.get("retries", 0) / row["n"],
        contexts=contexts,
        errors=tuple(errors),
        parameters=tuple(parameters),
        recommendations=tuple(_recommendations(name, row, rate, contexts, errors, parameters)),
        tasks=tasks,
        task_success_rate=row["tasks_ok"] / tasks if tasks else None,
        last_updated=datetime.fromisoformat(row["last"]),
    )


def _contexts(row: Row) -> tuple[ContextRecord, ...]:
    """The contexts, best first."""
    found = [
        ContextRecord(context, int(uses), good / uses, mean if timed else None)
        for context, (uses, good, timed, mean) in row.get("ctx", {}).items()
    ]
    return tuple(sorted(found, key=lambda each: (-each.success_rate, -each.uses, each.context)))


def _recommendations(
    name: str,
    row: Row,
    rate: float,
    contexts: Sequence[ContextRecord],
    errors: Sequence[RecurringError],
    parameters: Sequence[ParameterInsight],
) -> list[Recommendation]:
    """What the record says to do or not to do, with what it rests on [TOOL-05]."""
    found: list[Recommendation] = []
    uses, ms = row["n"], rows.running(row, "ms")
    counted = f"{row.get('ok', 0)} of {uses} executions succeeded"
    if uses >= MIN_USES and rate < WARN_BELOW and row.get("bad"):
        text = f"{name} fails often: {counted}. Check its input first, or use something else."
        found.append(Recommendation(InsightType.WARNING, text, 1.0 - rate, (counted,)))
    if uses >= MIN_USES and ms.mean > SLOW_MS:
        text = f"{name} is slow: {ms.mean / 1000:.1f} s on average. Call it once, or less often."
        found.append(Recommendation(InsightType.OPTIMIZATION, text, rate, (f"{ms.seen} timed",)))
    for error in errors:
        if error.solutions:
            text = f'When {name} says "{error.error}": {error.solutions[0]}.'
            sure = min(0.9, error.percentage / 100.0 + 0.5)
            found.append(Recommendation(InsightType.WARNING, text, sure, error.evidence))
    found += [_of_parameter(name, each) for each in parameters]
    best = [c for c in contexts if c.uses >= MIN_USES and c.success_rate > 0.8]
    if best and len(contexts) > 1:
        share = f"{best[0].success_rate:.0%} of {best[0].uses}"
        text = f"{name} works best for {best[0].context}: {share}."
        kind = InsightType.BEST_PRACTICE
        found.append(Recommendation(kind, text, best[0].success_rate, (f"{best[0].uses} uses",)))
    return found


def _of_parameter(name: str, found: ParameterInsight) -> Recommendation:
    rests = (f"{found.successes} succeeded, {found.failures} failed", f"chance {found.chance:.2g}")
    if found.worst_value is not None:
        text = f"{name}: avoid {found.parameter} = {found.worst_value}"
        if found.optimal_value != found.worst_value:
            text += f"; {found.optimal_value} works better"
        kind = InsightType.WARNING
    else:
        text = f"{name}: {found.parameter} = {found.optimal_value} works best"
        kind = InsightType.BEST_PRACTICE
    return Recommendation(kind, f"{text}.", 1.0 - found.chance, rests)
