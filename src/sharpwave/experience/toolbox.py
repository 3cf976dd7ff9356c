"""The track records of all tools, with their errors, parameters and recommendations."""

from collections.abc import Sequence

from sharpwave.experience.learners import errors, parameters
from sharpwave.experience.learners import tools as records
from sharpwave.formulas.statistics import lower_bound
from sharpwave.settings.experience import ExperienceSettings
from sharpwave.tallies.sheet import Row, Sheet
from sharpwave.types.experience import ToolRecord


def used(sheet: Sheet) -> list[str]:
    """The tools that were used, the most used first."""
    found = sheet.rows(records.TOPIC)
    return sorted(found, key=lambda name: (-found[name]["n"], name))


def tools(
    sheet: Sheet, settings: ExperienceSettings, names: Sequence[str] | None = None
) -> list[ToolRecord]:
    """The records of these tools, or of all, the most used first."""
    if names is None:
        found = sheet.rows(records.TOPIC)
        details = sheet.rows(parameters.TOPIC)
    else:
        sheet.fetch(records.TOPIC, names)
        sheet.fetch(parameters.TOPIC, names)
        known = {name: sheet.row(records.TOPIC, name) for name in names}
        found = {name: row for name, row in known.items() if row}
        details = {name: sheet.row(parameters.TOPIC, name) for name in found}
    sheet.fetch(errors.OF_TOOL, found)
    sheet.fetch(errors.TOPIC, (key for name in found for key in sheet.row(errors.OF_TOOL, name)))
    made = [
        records.view(
            name,
            row,
            errors.of_tool(_errors_of(name, sheet), row["n"]),
            parameters.insights(details.get(name, {}), settings.patterns.max_chance),
            settings.tools,
        )
        for name, row in found.items()
    ]
    return sorted(made, key=lambda tool: (-tool.executions, tool.name))


def _errors_of(name: str, sheet: Sheet) -> list[Row]:
    """The errors of a tool that recurred."""
    keys = sheet.row(errors.OF_TOOL, name)
    return [row for key in keys if (row := sheet.row(errors.TOPIC, key))]


def in_context(tool: ToolRecord, context: str | None, z: float) -> float:
    """How good a tool is in a context, carefully; in general where the context is new to it."""
    here = [each for each in tool.contexts if each.context == context]
    if here:
        return lower_bound(here[0].success_rate * here[0].uses, here[0].uses, z)
    return lower_bound(tool.successes, tool.successes + tool.failures, z)
