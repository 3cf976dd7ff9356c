"""What may go wrong: where similar tasks failed, which errors and parameters to mind [RD-21]."""

from collections.abc import Sequence

from sharpwave.experience.lessons import Act, Lesson
from sharpwave.tunables.experience import ExperienceSettings
from sharpwave.types.work.experience import Advised, InsightType, ToolRecord

Cases = Sequence[tuple[Lesson, float]]


def find(
    done: Sequence[str],
    cases: Cases,
    tools: Sequence[ToolRecord],
    settings: ExperienceSettings,
) -> list[Advised]:
    """Warnings, the most pressing first, each naming the step or the parameter."""
    del done
    found = [*_of_cases(cases), *_of_tools(tools, settings)]
    best: dict[tuple[str | None, str], Advised] = {}
    for each in sorted(found, key=lambda warning: warning.score):
        best[each.name, each.text] = each
    return sorted(best.values(), key=lambda warning: -warning.score)


def _of_cases(cases: Cases) -> list[Advised]:
    """Steps that failed tasks like this took and successful ones did not, or took otherwise."""
    failed = [(lesson, weight) for lesson, weight in cases if lesson.success is False]
    went_well = [(lesson, weight) for lesson, weight in cases if lesson.success]
    total = sum(weight for _, weight in cases) or 1.0
    advised = []
    for name in dict.fromkeys(step for lesson, _ in failed for step in lesson.order):
        with_it = [(lesson, weight) for lesson, weight in failed if name in lesson.order]
        without = [(lesson, w) for lesson, w in went_well if name not in lesson.order]
        fine = [(lesson, w) for lesson, w in went_well if name in lesson.order]
        bad_share = sum(w for _, w in with_it) / total
        good_share = sum(w for _, w in fine) / total
        score = bad_share * (1.0 - good_share)
        told = f"{len(with_it)} of {len(cases)} similar tasks that used {name} failed"
        text = f"Mind {name}: {told}"
        if fine:
            text += f", {len(fine)} succeeded"
        elif without:
            text += f"; {len(without)} succeeded without it"
        used = _differences(name, with_it, fine)
        if used:
            text += f". Parameters that differ: {', '.join(used)}"
        ids = tuple(lesson.id for lesson, _ in with_it)
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
    for lesson, _ in cases:
        for act in lesson.acts:
            if act.name == name:
                _note(found, act)
    return found


def _note(found: dict[str, set[str]], act: Act) -> None:
    for parameter, value in act.details.items():
        found.setdefault(parameter, set()).add(str(value))


def _of_tools(tools: Sequence[ToolRecord], settings: ExperienceSettings) -> list[Advised]:
    advised = [
        Advised("warning", each.message, "track record", each.confidence, each.evidence, tool.name)
        for tool in tools
        for each in tool.recommendations
        if each.type is InsightType.WARNING
    ]
    for tool in tools:
        for error in tool.errors[:2]:
            if not error.solutions and error.percentage > settings.insights.common_percent:
                text = f'{tool.name} often says "{error.error}" ({error.percentage:.0f} %).'
                score = error.percentage / 100.0
                advised.append(
                    Advised("warning", text, "track record", score, error.evidence, tool.name)
                )
    return advised
