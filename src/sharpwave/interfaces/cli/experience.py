"""`experience`, `advise`, `import-log`: work of agents, and what was learned from it."""

from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from sharpwave import strict_json
from sharpwave.interfaces.cli import output
from sharpwave.interfaces.cli.context import Options
from sharpwave.types.experience import Advised


def experience(
    options: Options,
    type: Annotated[str | None, typer.Option(help="Only patterns of this type.")] = None,
    learn: Annotated[bool, typer.Option("--learn", help="Generate insights first.")] = False,
) -> None:
    with options.open_existing() as memory:
        if learn:
            memory.agents.generate_insights()
        patterns, tools = memory.agents.patterns(type), memory.agents.tools()
        insights = memory.agents.insights()
    options.if_json({"patterns": patterns, "tools": tools, "insights": insights})
    table = Table("pattern", "type", "seen", "confidence", box=None)
    for pattern in patterns:
        row = (pattern.name[:80], pattern.type.value, str(pattern.support))
        table.add_row(*row, f"{pattern.confidence:.2f}")
    output.rows(table, "No patterns were learned yet.")
    table = Table("tool", "executions", "succeeded", "p50 ms", "p95 ms", box=None)
    for tool in tools:
        times = (
            "" if duration is None else f"{duration:.0f}" for duration in (tool.p50_ms, tool.p95_ms)
        )
        table.add_row(tool.name, str(tool.executions), f"{tool.success_rate:.0%}", *times)
    output.rows(table, "No tools were used yet.")
    for insight in insights:
        output.say(f"{insight.type.value} ({insight.confidence:.2f}): {insight.text}")


def advise(
    options: Options,
    query: Annotated[str, typer.Argument(help="The task.")],
    context: Annotated[str | None, typer.Option(help="The kind of work.")] = None,
    stage: Annotated[
        str | None, typer.Option(help="think, plan or act; default: all of them.")
    ] = None,
    done: Annotated[list[str] | None, typer.Option(help="A finished step; repeatable.")] = None,
    tool: Annotated[list[str] | None, typer.Option(help="An available tool; repeatable.")] = None,
    given: Annotated[
        list[str] | None,
        typer.Option(help="NAME=VALUE for conditions of insights; repeatable."),
    ] = None,
    limit: Annotated[int, typer.Option(help="Maximum number of each kind.")] = 5,
) -> None:
    fields: dict[str, object] = dict(map(_name_and_value, given or ()))
    fields |= {"context": context, "done": done or [], "tools": tool or []}
    advice = options.ask(lambda memory: memory.agents.advise(query, fields, stage, limit))
    if advice.success_chance is not None:
        output.say(f"An estimated {advice.success_chance:.0%} of such tasks succeed.")
    sections: dict[str, tuple[Advised, ...]] = {
        "warnings": advice.warnings,
        "plans that worked": advice.plans,
        "next steps": advice.next_steps,
        "tools": advice.tools,
        "patterns": advice.patterns,
        "insights": advice.insights,
        "preferences": advice.preferences,
    }
    for title, advised in sections.items():
        if advised:
            output.say(f"{title}:")
        for advice_item in advised:
            output.say(f"  {advice_item.text}\n      because: {advice_item.why}")
    if not any(sections.values()):
        output.say("Experience has nothing to say about this yet.")


def _name_and_value(text: str) -> tuple[str, object]:
    """A name and its value, parsed as JSON if possible, else a text."""
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise typer.BadParameter(f"{text!r} is not NAME=VALUE", param_hint="--given")
    try:
        return name, strict_json.loads(value)
    except ValueError:
        return name, value


def import_log(
    options: Options,
    path: Annotated[Path, typer.Argument(help="A file, or a folder of files.")],
    format: Annotated[
        str | None,
        typer.Option(help="openai-tools or claude-code."),
    ] = None,
) -> None:
    with options.open() as memory:
        imported = memory.agents.import_log(path, format)
    options.if_json(imported)
    output.say(
        f"Learned from {imported.added} runs with {imported.actions} actions ({imported.format}); "
        f"{imported.already_there} were known."
    )
    for problem in imported.problems:
        output.say(f"skipped {problem.place}: {problem.reason}")
