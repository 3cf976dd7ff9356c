"""Shared options of commands, and opening of the memory.

A command takes them as one parameter, `options: Options`; `CommandGroup` replaces that parameter by
`--db`, `--user`, `--settings` and `--json`.
"""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property, wraps
from pathlib import Path
from typing import Annotated, Any, TypeVar, get_args, get_type_hints

import typer
from typer.core import TyperGroup

from sharpwave import load_settings, upkeep
from sharpwave.errors import InvalidInput
from sharpwave.interfaces.cli import output
from sharpwave.interfaces.cli.app import SUBCOMMAND
from sharpwave.memory import Memory
from sharpwave.settings.tree import Settings

Database = Annotated[
    str | None,
    typer.Option(
        "--db",
        help="The memory: a file, or postgresql://role@host/name.",
        show_default="in your data folder",
    ),
]
User = Annotated[str | None, typer.Option("--user", "-u", help="Name of the user.")]
SettingsFile = Annotated[Path | None, typer.Option("--settings", help="A TOML settings file.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]

_SHARED_OPTIONS: dict[str, tuple[Any, object]] = {
    "db": (Database, None),
    "user": (User, None),
    "settings_file": (SettingsFile, None),
    "json": (AsJson, False),
}


Answer = TypeVar("Answer")
_PAGE = 1000
"""Page size of the search for an id."""


@dataclass(frozen=True)
class Options:
    """Values of the shared options."""

    db: str | None = None
    user: str | None = None
    settings_file: Path | None = None
    json: bool = False

    @cached_property
    def settings(self) -> Settings:
        """Settings from file and environment, with the options on top."""
        arguments: dict[str, Any] = {} if self.user is None else {"user": self.user}
        settings = load_settings(self.settings_file, **arguments)
        return settings if self.db is None else upkeep.at_place(settings, self.db)

    def open(self) -> Memory:
        """Open the memory, or create it."""
        return Memory.open(settings=self.settings)

    def open_existing(self) -> Memory:
        """Open the memory; an error if it does not exist."""
        upkeep.require_memory(self.settings)
        return self.open()

    @staticmethod
    def whole_id(memory: Memory, prefix: str) -> str:
        """The id with this prefix, if exactly one has it; else the prefix itself."""
        found: set[str] = set()
        before_number = None if len(prefix) < output.ID_CHARS else 0
        while before_number != 0:
            page = memory.admin.memories(before=before_number, limit=_PAGE)
            found |= {record.id for record in page.items if record.id.startswith(prefix)}
            before_number = page.before or 0
        if len(found) > 1:
            raise InvalidInput(f"{len(found)} ids begin with {prefix!r}: type more of it")
        return found.pop() if found else prefix

    def ask(self, call: Callable[[Memory], Answer]) -> Answer:
        """The result of a call on an existing memory; with `--json` it is printed, as `if_json`."""
        with self.open_existing() as memory:
            result = call(memory)
        self.if_json(result)
        return result

    def if_json(self, value: Any, exit_code: int = 0) -> None:
        """With `--json`, print an answer and end the command."""
        if self.json:
            output.as_json(value)
            raise typer.Exit(exit_code)

    def answer(self, value: Any, text: str) -> None:
        """Print an answer as JSON with `--json`, else as a sentence."""
        output.as_json(value) if self.json else output.say(text)


FileOptions = Annotated[Options, "db", "settings_file", "json"]
"""For a command about the whole file: no `--user`."""

TextOptions = Annotated[Options, "db", "user", "settings_file"]
"""For a command that prints no JSON, or has a `--json` of its own."""


class OptionsAfterCommand(TyperGroup):
    """A command with subcommands, which do not get its options."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find the command; an option before it is an error, since it would have no effect."""
        for option in () if ctx.resilient_parsing else self.params:
            source = ctx.get_parameter_source(option.name)
            if source is not None and source.name == "COMMANDLINE":
                ctx.fail(f"{option.opts[0]} goes after {args[0]!r}, not before it")
        return super().resolve_command(ctx, args)


class CommandGroup(typer.Typer):
    """A Typer app whose commands may take `options: Options`."""

    def __init__(self, **settings: Any) -> None:
        settings = {"cls": OptionsAfterCommand, "subcommand_metavar": SUBCOMMAND, **settings}
        super().__init__(add_completion=False, rich_markup_mode=None, **settings)

    def command(self, *args: Any, **settings: Any) -> Callable[[Any], Any]:
        """Register a command."""
        register = super().command(*args, **settings)
        return lambda function: register(with_shared_options(function))

    def callback(self, *args: Any, **settings: Any) -> Callable[[Any], Any]:
        """Register a function that runs before a command, or without one."""
        register = super().callback(*args, **settings)
        return lambda function: register(with_shared_options(function))


def with_shared_options(function: Callable[..., None]) -> Callable[..., None]:
    """A function for Typer, with the shared options in place of the parameter `options`."""
    hints = get_type_hints(function, include_extras=True)
    kind = hints.pop("options", None)
    if kind is None:
        return function
    names = get_args(kind)[1:] or tuple(_SHARED_OPTIONS)

    @wraps(function)
    def run(**values: Any) -> None:
        function(options=Options(**{name: values.pop(name) for name in names}), **values)

    own_parameters = inspect.signature(function).parameters.values()
    parameters = [
        parameter.replace(annotation=hints[parameter.name])
        for parameter in own_parameters
        if parameter.name in hints
    ]
    for name in names:
        annotation, default = _SHARED_OPTIONS[name]
        kind_ = inspect.Parameter.KEYWORD_ONLY
        parameters.append(inspect.Parameter(name, kind_, default=default, annotation=annotation))
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    run.__dict__["__signature__"] = inspect.Signature(parameters)
    return run


def moment(text: str | None) -> datetime | None:
    """Parse a date or time; without a zone it is UTC."""
    if text is None:
        return None
    try:
        parsed = datetime.fromisoformat(text)
    except ValueError as error:
        raise InvalidInput(f"{text!r} is not a date such as 2026-05-01") from error
    return parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)
