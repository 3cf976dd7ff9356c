"""Remember, recall, and manage a memory file.

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
  demo             remember               Remember a short conversation, recall from it, and show the reasons.
  remember         remember               Store a message and learn from it.
  recall           remember               Search the memory, and show why each result was recalled.
  context          remember               Print a context for a prompt: profile, goals, notes, and memories relevant to the query.
  forget           remember               Erase memories without a trace, and print the receipt.
  sessions         knowledge              List the last conversations, newest first.
Facts, tasks and names
  profile          knowledge              Show trusted facts about the user.
  facts            knowledge              List current facts, or facts valid on a date.
  history          knowledge              List all versions of a fact, oldest first.
  conflicts        knowledge              List contradictions, each with the question that resolves it.
  resolve          knowledge              Choose which of two contradicting facts is right.
  correct          knowledge              Replace a wrong fact by the right one, in your words.
  tasks            knowledge              List tasks, due ones first; or set one to done, stalled, dropped or active.
  notes            knowledge              List rules of thumb for helping this user.
  about            knowledge              Show everything known about a person or thing, under all its names.
  related          knowledge              Show relations of a name, or how two names are connected.
  explain          knowledge              Show the evidence of a memory, and what was derived from it.
Trust and background work
  quarantine       knowledge              Stop using a source, and everything learned only from it; --undo reverses it.
  consent          knowledge              Grant or withdraw consent to purposes; without a purpose, show all.
  jobs             background             List background jobs, newest first.
  work             background             Run all queued and due jobs of every user now.
  worker           background             Run queued jobs and scheduled sleep until stopped (Ctrl-C or SIGTERM).
  sleep            background:app         Consolidate memories; list, check and undo past runs.
Manage the file
  export           import_export          Write all data of a user as JSON lines.
  import           import_export:import_  Import an export of Sharpwave or of another assistant; existing records are not changed.
  backup           import_export          Write a consistent, verified copy of the whole file while it is in use.
  restore          import_export          Restore a backup; what was forgotten since it was made is not restored.
  stats            maintenance            Count stored records.
  verify           maintenance            Check every record, vector and audit entry against its checksum.
  doctor           maintenance            Diagnose a file and say how to fix it; --recover saves readable records.
  reembed          maintenance            Embed all memories with the current embedder; of one user, or of all.
  rekey            maintenance            Encrypt the file with another key, or for the first time.
  migrate-store    import_export          Copy a memory from a file to PostgreSQL or back, verified, in one transaction.
  scrub            maintenance            Rewrite the file to remove forgotten data from its unused parts.
Agents
  experience       experience             Show what was learned from the work of agents: patterns, tools and insights.
  export-insights  import_export          Write current insights to insights-YYYY-MM.json, by the month of their last update.
  advise           experience             Show advice from past work: what to do, what to avoid, and why.
  import-log       experience             Learn from the log of an agent.
Rules, skills and style
  behaviors        behavior               List the rules learned from the user, the most frequent first.
  behavior         behavior               Accept, edit or delete a rule, or undo its last change.
  preferences      behavior               List the user's preferences; with category, key and value, set one.
  reset-learning   behavior               Erase all learning: rules, preferences, style, patterns, tool records, insights.
  skills           skills                 List skills (ways to answer), and how well each has done for you.
  select-skill     skills                 Select a skill for answering a message, and show why.
  add-skill        skills                 Add a skill; its style is learned from your feedback.
  export-skills    skills                 Write your own skills as text files, one each; import-skills reads them.
  import-skills    skills                 Add skills from text files; your skill with the same id is replaced.
  improve-skill    skills                 Ask a language model for a better template, based on your feedback.
  feedback         skills                 Rate an answer.
  style            skills                 Show your style and its evidence; set or reset it.
Interfaces
  serve            serve                  Serve memories over HTTP, by default on this machine only.
  proxy            serve                  Add memory to any client of OpenAI's API by changing its base URL.
  dashboard        serve                  Serve the dashboard alone, for example next to a server with several workers.
  keys             keys:app               Create, list and revoke API keys.
  config           config                 Show the settings in force, and where each comes from; secrets are not shown.
  llm              config                 Test the language models, and show what they cost.
  mcp              mcp:app                Serve this memory to agents over stdio, or configure a client to use it.
  hook             mcp                    Handle a hook of Claude Code: capture the event, print relevant memories.
"""  # noqa: E501
"""A title, then its commands: name, module of this folder (or module:function), one-line help."""


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


@app.callback(help="Remember, recall, and manage a memory file.")
def _options(
    version: Annotated[
        bool,
        Option("--version", callback=_print_version, is_eager=True, help="Print the version."),
    ] = False,
) -> None:
    """Options before the command."""


def main() -> None:
    """Run a command; a SharpwaveError becomes one line on stderr and an exit code."""
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
