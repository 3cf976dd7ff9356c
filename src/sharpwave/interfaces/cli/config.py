"""`config`, `llm`: settings, and a test of the models."""

from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from sharpwave import upkeep
from sharpwave.interfaces.cli import output
from sharpwave.interfaces.cli.context import CommandGroup, Options, moment


def config(
    options: Options,
    everything: Annotated[bool, typer.Option("--all", help="Also show defaults.")] = False,
) -> None:
    from_options = [
        name
        for name, value in {"path": options.db, "user": options.user}.items()
        if value is not None
    ]
    explained = upkeep.explain_settings(options.settings, options.settings_file, from_options)
    shown = [
        setting
        for setting in explained
        if everything or options.json or setting.source != "default"
    ]
    options.if_json({"path": upkeep.file_of(options.settings), "settings": shown})
    output.say(f"The memory is in {upkeep.place_of(options.settings)}")
    table = Table("setting", "value", "from", box=None)
    for setting in shown:
        table.add_row(setting.name, Text(str(setting.value)), setting.source)
    output.console.print(table if shown else "Every setting has its default; --all shows them.")


llm = CommandGroup(name="llm", no_args_is_help=True)
_FORMS = {
    "json_schema": "by JSON schema",
    "json_object": "in JSON mode",
    "tool": "as a tool",
    "text": "in words",
}


@llm.command("test")
def test_models(options: Options) -> None:
    """Test the model of each role with a text request and a structured request.

    No memories are sent. Exits with 5 if the model of a role cannot be used.
    """
    with output.steps("asking", options.json):
        probes = upkeep.try_models(options.settings)
    code = 0 if all(probe.ok for probe in probes) else 5
    options.if_json(probes, code)
    table = Table("role", "model", "answers", "keeps to a form", "seconds", "tokens", box=None)
    for probe in probes:
        form_support = (
            f"yes, {_FORMS.get(probe.form or '', 'somehow')}" if probe.structured else "no"
        )
        approximation = "about " if probe.estimated else ""
        tokens = f"{approximation}{probe.input_tokens} + {probe.output_tokens}"
        table.add_row(
            probe.role.value,
            Text(probe.model),
            "yes" if probe.wire else "no",
            form_support,
            f"{probe.seconds:.1f}",
            tokens,
        )
    output.console.print(table)
    for problem in dict.fromkeys(probe.problem for probe in probes if probe.problem):
        output.say(problem)
    raise typer.Exit(code)


@llm.command("cost")
def cost(
    options: Options,
    day: Annotated[str | None, typer.Option(help="The day; default: today.")] = None,
    everyone: Annotated[bool, typer.Option("--everyone", help="All users of the file.")] = False,
) -> None:
    """Show the cost of language models for a user on a day, and the daily limits."""
    when = moment(day)
    with options.open_existing() as memory:
        users = memory.admin.users() if everyone else [memory.user_id]
        spent = {name: memory.user(name).admin.spending(when and when.date()) for name in users}
    caps = options.settings.llm
    names = ("calls", "tokens", "cost")
    allowed = {name: getattr(caps, f"daily_{name}") for name in names}
    options.if_json({"spent": spent, "allowed": allowed})
    table = Table("user", "calls", "tokens sent", "answered", "cost", box=None)
    for name, spending in spent.items():
        figures = (spending.calls, spending.input_tokens, spending.output_tokens)
        table.add_row(Text(name), *map(str, figures), f"{spending.cost:.4f}")
    output.console.print(table)
    cost_limit = "" if caps.daily_cost is None else f" and a cost of {caps.daily_cost:g}"
    output.say(f"A day allows {caps.daily_calls} calls, {caps.daily_tokens} tokens{cost_limit}.")
