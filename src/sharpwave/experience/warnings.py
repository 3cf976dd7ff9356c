"""What may go wrong: where similar tasks failed, which errors and parameters to mind [RD-21]."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from sharpwave.experience import statements
from sharpwave.experience.learners import errors, rows
from sharpwave.experience.matching import value_pattern
from sharpwave.experience.similar import Similar
from sharpwave.formulas.significance import binomial_tail
from sharpwave.types.experience import Advised, InsightType, Recommendation, ToolRecord

Cases = Sequence[Similar]
MAX_CASES = 8
"""Number of the most similar tasks that warnings are based on."""
MAX_WARNING_CHANCE = 0.02
"""A warning needs more failures than are this likely by chance [RD-21]."""
MAX_WARNINGS_EACH = 2
"""Most warnings about the same step."""


def find(
    cases: Cases, usual: float, tools: Sequence[ToolRecord], given: Mapping[str, object]
) -> list[Advised]:
    """Warnings, the most pressing first, each naming the step or the parameter.

    `usual` is the share of all tasks that failed, `given` holds parameters about to be used.
    """
    judged = [case for case in cases if case.lesson.success is not None]
    most_similar = sorted(judged, key=lambda case: -case.weight)[:MAX_CASES]
    found = [*_of_cases(most_similar, usual), *_of_tools(tools, given)]
    best: dict[tuple[str | None, str], Advised] = {}
    for warning in sorted(found, key=lambda warning: warning.score):
        best[warning.name, warning.text] = warning
    ranked = sorted(best.values(), key=lambda warning: -warning.score)
    return list(_limited_per_step(ranked))


def _limited_per_step(ranked: Sequence[Advised]) -> Iterator[Advised]:
    """At most `MAX_WARNINGS_EACH` of each step, to avoid that one crowds out the rest."""
    seen: Counter[str | None] = Counter()
    for warning in ranked:
        seen[warning.name] += 1
        if seen[warning.name] <= MAX_WARNINGS_EACH:
            yield warning


def _of_cases(cases: Cases, usual: float) -> list[Advised]:
    """Steps with which tasks like this failed more often than tasks in general.

    That it came so by chance must be unlikely: a step that every task takes says nothing.
    """
    failed = [case for case in cases if case.lesson.success is False]
    went_well = [case for case in cases if case.lesson.success]
    total = sum(case.weight for case in cases) or 1.0
    advised = []
    for name in dict.fromkeys(step for case in failed for step in case.lesson.order):
        with_it = [case for case in failed if name in case.lesson.order]
        without = [case for case in went_well if name not in case.lesson.order]
        fine = [case for case in went_well if name in case.lesson.order]
        if binomial_tail(len(with_it) + len(fine), usual, len(with_it)) >= MAX_WARNING_CHANCE:
            continue
        bad_share = sum(case.weight for case in with_it) / total
        good_share = sum(case.weight for case in fine) / total
        score = bad_share * (1.0 - good_share)
        used = len(with_it) + len(fine)
        text = f"Mind {name}: {len(with_it)} of {used} similar tasks that used {name} failed"
        if without:
            text += f"; {len(without)} succeeded without it"
        differing = _differences(name, with_it, fine)
        if differing:
            text += f". Parameters that differ: {', '.join(differing)}"
        ids = tuple(case.lesson.id for case in with_it)
        advised.append(Advised("warning", f"{text}.", "tasks like this", score, ids, name))
    return advised


def _differences(name: str, failed: Cases, fine: Cases) -> list[str]:
    """Parameters that only failed tasks, or only successful ones, gave such a value."""
    bad = _values(name, failed)
    good = _values(name, fine)
    return [
        parameter
        for parameter in dict.fromkeys([*good, *bad])
        if fine and good.get(parameter, set()) != bad.get(parameter, set())
    ][:4]


def _values(name: str, cases: Cases) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for act in (act for case in cases for act in case.lesson.acts if act.name == name):
        for parameter, value in act.details.items():
            found.setdefault(parameter, set()).add(str(value))
    return found


def _of_tools(tools: Sequence[ToolRecord], given: Mapping[str, object]) -> list[Advised]:
    advised = [
        Advised("warning", hint.message, "track record", hint.confidence, hint.evidence, tool.name)
        for tool in tools
        for hint in tool.recommendations
        if _warns(hint, tool, given)
    ]
    for tool in tools:
        for error in tool.errors[:2]:
            is_common = error.percentage > errors.COMMON_PERCENT
            if not error.solutions and is_common and error.still >= rows.OVER_BELOW:
                parts = (statements.frequency(tool, error), statements.since(error))
                text = " ".join(filter(None, parts))
                score = error.percentage / 100.0 * error.still
                advised.append(
                    Advised("warning", text, "track record", score, error.evidence, tool.name)
                )
    return advised


def _warns(hint: Recommendation, tool: ToolRecord, given: Mapping[str, object]) -> bool:
    """True for a warning; one about a given parameter only if its value is not the better one."""
    name = hint.about.removeprefix("parameter|")
    known = next((parameter for parameter in tool.parameters if parameter.parameter == name), None)
    if known is None or name not in given:
        return hint.type is InsightType.WARNING
    value = value_pattern(given[name])
    return value == known.worst_value or value != known.optimal_value
