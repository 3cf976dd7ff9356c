"""Remember, recall, and look after a memory file.

A command is imported when it is run, so that `--help` is fast and `recall` does not import what
only `serve` needs.
"""

import json
import sys
from difflib import get_close_matches
from importlib import import_module
from typing import Annotated, Any, NamedTuple

import typer
from typer import Option
from typer.core import TyperGroup
from typer.main import get_command

from sharpwave import __version__, errors

_TABLE = """
Remember and recall
  demo             remember               Remember a short conversation, recall from it, and show why.
  remember         remember               Remember something.
  recall           remember               Recall what is remembered about something, and show why.
  context          remember               Print what a prompt should know: profile, goals, notes, and what bears on the query.
  forget           remember               Erase memories without a trace, and print the receipt.
  sessions         knowledge              Show the last conversations, the newest first.
What is known
  profile          knowledge              Show what is known of the user, as far as it can be believed.
  facts            knowledge              Show facts that hold now, or that held on a date.
  history          knowledge              Show every version of one thing, oldest first.
  conflicts        knowledge              Show what contradicts itself, with the question that would settle it.
  resolve          knowledge              Say which of two contradicting facts holds.
  correct          knowledge              Say how a fact really is: it was wrong, and your words take its place.
  tasks            knowledge              Show tasks, those due first; or say that one is done, stalled or active again.
  notes            knowledge              Show rules of thumb for helping this user.
  about            knowledge              Show all that is known of a person or thing, under every name.
  related          knowledge              Show how a name is related to others, or how two names are connected.
  explain          knowledge              Show where a memory comes from, and what rests on it.
Trust and background work
  quarantine       knowledge              Stop believing a source, with all that was learned from it alone; --undo brings it back.
  consent          knowledge              Note that the user agrees to something, or no longer; without a purpose, show it all.
  jobs             background             Show work in the background, the newest first.
  work             background             Do now what is queued and due, of every user.
  worker           background             Do queued jobs and let users sleep when it is time, until stopped (Ctrl-C or SIGTERM).
  sleep            background:app         Consolidate memories, read what was done, take it back.
Look after the file
  export           import_export          Write everything of a user as lines of JSON.
  import           import_export:import_  Take in an export of ours or of another assistant; what is there already stays as it is.
  backup           import_export          Write a consistent, checked copy of the whole file while others use it.
  restore          import_export          Put a backup in place; what was forgotten since then does not come back.
  stats            maintenance            Count what is stored.
  verify           maintenance            Check every record, vector and audit entry against its checksum.
  doctor           maintenance            Find out what is wrong with a file, and what to do; --recover saves what is left.
  reembed          maintenance            Give all memories vectors of the current embedder; of one user, or of all.
  rekey            maintenance            Encrypt the file with another key, or for the first time.
  migrate-store    import_export          Copy a memory from a file to PostgreSQL or back, all of it or nothing, checked.
  scrub            maintenance            Rewrite the file so that nothing forgotten is left in its unused parts.
What agents learned
  experience       experience             Show what was learned from the work of agents: patterns, tools and insights.
  export-insights  import_export          Write the lessons that hold to insights-YYYY-MM.json, by the month they were last drawn.
  advise           experience             Ask experience what to do, what to mind, and why.
  import-log       experience             Learn from the log of an agent.
How you like to be answered
  behaviors        behavior               Show the rules learned from the user, the most frequent first.
  behavior         behavior               Accept, edit or delete a rule, or undo what was last done to it.
  preferences      behavior               Show what the user prefers; with category, key and value, set it.
  reset-learning   behavior               Erase all that was learned: rules, preferences, style, patterns, tool records, insights.
  skills           skills                 Show the ways to answer, and how well each has done for you.
  select-skill     skills                 Choose how to answer a message, and say why.
  add-skill        skills                 Add a way to answer; its style is learned from your feedback.
  export-skills    skills                 Write the skills you made as small text files, one each; import-skills reads them.
  import-skills    skills                 Add the skills in text files; one of yours by the same id becomes what the file says.
  improve-skill    skills                 Ask a language model for a better template, from what you said of the answers.
  feedback         skills                 Say what you thought of an answer.
  style            skills                 Show how you like answers and why we think so; set or reset it.
Interfaces
  serve            serve                  Serve memories over HTTP, on this machine unless you say otherwise.
  proxy            serve                  Give any client of OpenAI's API a memory: it changes its base URL, nothing else.
  dashboard        serve                  Look at a memory in a browser, beside a server that has several workers, or without one.
  keys             keys:app               API keys.
  config           config                 Show the settings that hold, and where each comes from; secrets are not shown.
  llm              config                 Try out the language models, and see what they cost.
  mcp              mcp:app                Serve this memory to agents over stdio, or set up a program for it.
  hook             mcp                    Serve a hook of Claude Code: capture what happened, print what is remembered.
"""  # noqa: E501
"""A title, then its commands: name, module of this folder (or module:function), help in a line."""


def _sections() -> dict[str, dict[str, tuple[str, str]]]:
    sections: dict[str, dict[str, tuple[str, str]]] = {}
    commands: dict[str, tuple[str, str]] = {}
    for line in _TABLE.strip().splitlines():
        if line.startswith(" "):
            name, place, summary = line.split(maxsplit=2)
            commands[name] = place, summary
        else:
            commands = sections[line] = {}
    return sections


SECTIONS = _sections()
COMMANDS = {name: row for section in SECTIONS.values() for name, row in section.items()}

EXIT_CODES = errors.by_code(
    {
        errors.UsageError: 2,
        errors.NotFound: 3,
        errors.Conflict: 4,
        errors.ProviderError: 5,
        errors.StorageError: 6,
        errors.StoreDamaged: 7,
        errors.WrongKey: 8,
        errors.UnsafeStore: 8,
        errors.AccessError: 9,
    }
)
"""Exit code of the command line for each error code."""

SUBCOMMAND = "COMMAND [OPTIONS] [ARGS]..."
"""Usage line after the program name: options follow the command."""


class ShellCompletion(NamedTuple):
    """A shell completion."""

    value: str
    help: str
    type: str = "plain"


class LazyCommands(TyperGroup):
    """The commands above, each imported when it is run."""

    def list_commands(self, ctx: Any) -> list[str]:
        """The commands in the order of the table."""
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The imported command; None if the name is unknown."""
        return command(cmd_name) if cmd_name in COMMANDS else None

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find the command; for a typing error, suggest the nearest name."""
        near = get_close_matches(args[0], COMMANDS, n=1)
        if args[0] not in COMMANDS and near and not ctx.resilient_parsing:
            ctx.fail(f"No such command {args[0]!r}. Did you mean {near[0]!r}?")
        return super().resolve_command(ctx, args)

    def shell_complete(self, ctx: Any, incomplete: str) -> Any:
        """Complete names from the table, without importing any command."""
        if incomplete.startswith("-"):
            return super().shell_complete(ctx, incomplete)
        return [
            ShellCompletion(name, summary)
            for name, (_, summary) in COMMANDS.items()
            if name.startswith(incomplete)
        ]

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """List the commands by section, from the table."""
        for title, commands in SECTIONS.items():
            with formatter.section(title):
                formatter.write_dl([(name, summary) for name, (_, summary) in commands.items()])


def command(name: str) -> Any:
    """Import a command and build it."""
    from sharpwave.interfaces.cli.context import CommandGroup  # noqa: PLC0415 - `--help` needs none

    place, summary = COMMANDS[name]
    module, _, attribute = place.partition(":")
    module_object = import_module(f"sharpwave.interfaces.cli.{module}")
    command = getattr(module_object, attribute or name.replace("-", "_"))
    if isinstance(command, typer.Typer):
        group = get_command(command)
        group.help = summary
        return group
    single = CommandGroup()
    single.command(name, help=command.__doc__ or summary)(command)
    return get_command(single)


app = typer.Typer(
    name="sharpwave",
    cls=LazyCommands,
    subcommand_metavar=SUBCOMMAND,
    no_args_is_help=True,
    rich_markup_mode=None,
)


def _print_version(is_wanted: bool) -> None:
    if is_wanted:
        print(__version__)
        raise typer.Exit


@app.callback(help="Remember, recall, and look after a memory file.")
def _options(
    version: Annotated[
        bool,
        Option("--version", callback=_print_version, is_eager=True, help="Print the version."),
    ] = False,
) -> None:
    """Options before the command."""


def main() -> None:
    """Run a command; an error of ours becomes one line on stderr and an exit code."""
    try:
        app()
    except errors.SharpwaveError as error:
        if "--json" in sys.argv:
            print(json.dumps({"error": {"code": error.code, "message": str(error)}}))
        from rich.console import Console  # noqa: PLC0415 - `--help` needs none

        Console(stderr=True).print(f"error: {error}", style="red", markup=False, highlight=False)
        sys.exit(EXIT_CODES.get(error.code, 1))
    except KeyboardInterrupt:
        sys.exit(130)
