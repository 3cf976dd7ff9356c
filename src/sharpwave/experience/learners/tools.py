"""The track records of all tools, with their errors, parameters and recommendations."""

from collections.abc import Iterator, Sequence
from datetime import datetime

from sharpwave.experience.learners import errors, parameters, rows
from sharpwave.experience.lessons import Act, Lesson
from sharpwave.formulas import statistics
from sharpwave.formulas.significance import separation
from sharpwave.formulas.statistics import evidence_strength, lower_bound
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
WARN_BELOW = 0.5
"""A lower success rate gets a warning."""
SLOW_MS = 5000.0
"""A longer mean duration, in general and lately, gets a hint."""
RECENT_SHARE = 0.1
"""How fast the recent duration follows: about ten executions."""
MIN_USES = 5
"""Fewest uses before anything is recommended."""
TIMED_HALF = 1.0
"""Timed executions for half the confidence that a tool is slow."""
WELL = 0.8
"""A tool works well in a context above this success rate."""


def names_by_use(sheet: Sheet) -> list[str]:
    """The tools that were used, the most used first."""
    found = sheet.rows(TOPIC)
    return sorted(found, key=lambda name: (-found[name]["n"], name))


def records(sheet: Sheet, names: Sequence[str] | None = None) -> list[ToolRecord]:
    """The records of these tools, or of all, the most used first."""
    wanted = dict.fromkeys(sheet.rows(TOPIC) if names is None else names)
    for topic in (TOPIC, parameters.TOPIC, errors.OF_TOOL):
        sheet.fetch(topic, wanted)
    sheet.fetch(errors.TOPIC, (key for name in wanted for key in sheet.row(errors.OF_TOOL, name)))
    made = [
        _view(
            name,
            row,
            errors.of_tool(name, row["n"], sheet),
            parameters.insights(sheet.row(parameters.TOPIC, name)),
        )
        for name in wanted
        if (row := sheet.row(TOPIC, name))
    ]
    return sorted(made, key=lambda tool: (-tool.executions, tool.name))


def in_context(tool: ToolRecord, context: str | None) -> float:
    """Cautious success rate of a tool in a context; in general if it was never used there."""
    matching = [record for record in tool.contexts if record.context == context]
    if matching:
        judged = matching[0].successes + matching[0].failures
        return lower_bound(matching[0].successes, judged, rows.WILSON_Z)
    return lower_bound(tool.successes, tool.successes + tool.failures, rows.WILSON_Z)


def place_in_context(tool: ToolRecord, context: str) -> tuple[bool, float]:
    """Sort key of a tool for a context: those used there first, by success there [TOOL-08]."""
    elsewhere = all(record.context != context for record in tool.contexts)
    return elsewhere, -in_context(tool, context)


def outcomes(tool: ToolRecord) -> str:
    """How its executions ended, in words; unknown outcomes are no failures."""
    judged = tool.successes + tool.failures
    unknown = tool.executions - judged
    if not judged:
        return f"{tool.executions} executions of unknown outcome"
    more = f" ({unknown} of unknown outcome)" if unknown else ""
    return f"{tool.successes} of {judged} executions succeeded{more}"


def learn(lesson: Lesson, sheet: Sheet) -> None:
    """Count every step of a lesson in the records of its tools."""
    sheet.fetch(TOPIC, lesson.order)
    for act in lesson.acts:
        _count(sheet.edit(TOPIC, act.name), act, lesson)
    if lesson.success is not None:
        for name in dict.fromkeys(lesson.order):
            row = sheet.edit(TOPIC, name)
            row["tasks"] = row.get("tasks", 0) + 1
            row["tasks_ok"] = row.get("tasks_ok", 0) + int(lesson.success)


def _count(row: Row, act: Act, lesson: Lesson) -> None:
    row["n"] = row.get("n", 0) + 1
    if act.ok is not None:
        rows.count_outcome(row, act.ok)
    if act.retries:
        row["retries"] = row.get("retries", 0) + act.retries
    if act.ms is not None:
        rows.average(row, "ms", act.ms)
        recent = row.get("late_ms", act.ms)
        row["late_ms"] = round(recent + RECENT_SHARE * (act.ms - recent), 3)
        place = str(statistics.bucket(act.ms, QUANTILE_ACCURACY))
        spread = row.setdefault("spread", {})
        spread[place] = spread.get(place, 0) + 1
    row["last"] = max(row.get("last", ""), act.at.isoformat())
    _count_context(row.setdefault("ctx", {}), act, lesson.context)


def _count_context(contexts: dict[str, list[float]], act: Act, context: str) -> None:
    """Uses, successes, the mean duration with its count, and failures, in a context."""
    if context not in contexts and len(contexts) >= rows.MAX_CONTEXTS:
        del contexts[min(contexts, key=lambda name: contexts[name][0])]
    uses, good, timed, mean, bad = contexts.get(context, [0, 0, 0, 0.0, 0])
    if act.ms is not None:
        timed += 1
        mean += (act.ms - mean) / timed
    good, bad = good + int(act.ok is True), bad + int(act.ok is False)
    contexts[context] = [uses + 1, good, timed, round(mean, 3), bad]


def _view(
    name: str, row: Row, errors: Sequence[RecurringError], parameters: Sequence[ParameterInsight]
) -> ToolRecord:
    """The track record of a tool, with what it says to do or not to do [TOOL-05]."""
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
    recurring = [error for error in errors if error.still >= rows.OVER_BELOW]
    recommendations = [
        *_failing(name, row, rate),
        *_slow(name, row),
        *(_of_error(name, error) for error in recurring if error.solutions),
        *(_of_parameter(name, parameter) for parameter in parameters),
        *_best_context(name, contexts),
    ]
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
        recommendations=tuple(recommendations),
        tasks=tasks,
        task_success_rate=row["tasks_ok"] / tasks if tasks else None,
        last_updated=datetime.fromisoformat(row["last"]),
    )


def _contexts(row: Row) -> tuple[ContextRecord, ...]:
    """The contexts, best first."""
    found = [
        ContextRecord(
            context=context,
            uses=int(uses),
            success_rate=good / (good + bad) if good + bad else 0.0,
            avg_duration_ms=mean if timed else None,
            successes=int(good),
            failures=int(bad),
        )
        for context, (uses, good, timed, mean, bad) in row.get("ctx", {}).items()
    ]
    return tuple(
        sorted(found, key=lambda record: (-record.success_rate, -record.uses, record.context))
    )


def _failing(name: str, row: Row, rate: float) -> Iterator[Recommendation]:
    """A warning if it failed in most cases and the latest successes do not outweigh that."""
    good, bad = row.get("ok", 0), row.get("bad", 0)
    if row["n"] < MIN_USES or rate >= WARN_BELOW or not bad:
        return
    recovered = max(0, row.get("run", 0))
    still = rows.still(bad, good + bad - recovered, recovered)
    if still < rows.OVER_BELOW:
        return
    counted = f"{good} of {good + bad} executions succeeded"
    text = f"{name} fails often: {counted}. Check its input first, or use something else."
    kind, counts = InsightType.WARNING, (good, good + bad)
    yield Recommendation(kind, text, (1.0 - rate) * still, (counted,), "failing", counts)


def _slow(name: str, row: Row) -> Iterator[Recommendation]:
    ms = rows.running(row, "ms")
    if row["n"] >= MIN_USES and min(ms.mean, row.get("late_ms", 0.0)) > SLOW_MS:
        text = f"{name} is slow: {ms.mean / 1000:.1f} s on average. Call it once, or less often."
        confidence = evidence_strength(ms.seen, TIMED_HALF)
        yield Recommendation(
            InsightType.OPTIMIZATION, text, confidence, (f"{ms.seen} timed",), "slow"
        )


def _of_error(name: str, error: RecurringError) -> Recommendation:
    text = f'When {name} says "{error.error}": {error.solutions[0]}.'
    confidence = min(0.9, error.percentage / 100.0 + 0.5) * error.still
    about = f"error|{error.error}"
    return Recommendation(InsightType.WARNING, text, confidence, error.evidence, about)


def _best_context(name: str, contexts: Sequence[ContextRecord]) -> Iterator[Recommendation]:
    """The context in which it does better than elsewhere, if chance does not explain that."""
    good, bad = sum(c.successes for c in contexts), sum(c.failures for c in contexts)
    for record in contexts:
        tries, elsewhere = (
            record.successes + record.failures,
            (good - record.successes, bad - record.failures),
        )
        if tries < MIN_USES or record.success_rate <= WELL or not sum(elsewhere):
            continue
        chance = separation(record.successes, record.failures, *elsewhere) * len(contexts)
        if chance >= rows.MAX_CHANCE or record.success_rate <= elsewhere[0] / sum(elsewhere):
            continue
        text = (
            f"{name} works better for {record.context} ({record.successes} of {tries} succeeded) "
            f"than elsewhere ({elsewhere[0]} of {sum(elsewhere)})."
        )
        kind, about = InsightType.BEST_PRACTICE, f"context|{record.context}"
        counts = (record.successes, tries)
        yield Recommendation(kind, text, record.success_rate, (f"{tries} tries",), about, counts)
        return


def _of_parameter(name: str, found: ParameterInsight) -> Recommendation:
    otherwise = (found.other_successes, found.other_successes + found.other_failures)
    counts = (found.successes, found.successes + found.failures)
    evidence = (
        f"{found.successes} succeeded, {found.failures} failed",
        f"chance {found.chance:.2g}",
    )
    numbers = f"({counts[0]} of {counts[1]} succeeded, {otherwise[0]} of {otherwise[1]} otherwise)"
    if found.worst_value is not None:
        text = f"{name}: avoid {found.parameter} = {found.worst_value} {numbers}"
        if found.optimal_value != found.worst_value:
            text += f"; {found.optimal_value} works better"
        kind = InsightType.WARNING
    else:
        text = f"{name}: {found.parameter} = {found.optimal_value} works better {numbers}"
        kind = InsightType.BEST_PRACTICE
    about = f"parameter|{found.parameter}"
    return Recommendation(kind, f"{text}.", 1.0 - found.chance, evidence, about, counts)
