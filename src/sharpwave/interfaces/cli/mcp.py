"""`mcp`: serve a memory to agents and set up their programs. `hook`: their events."""

import json as json_form
import sys
import traceback
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import typer

from sharpwave.errors import InvalidSettings
from sharpwave.interfaces import extras
from sharpwave.interfaces.cli import context as shared
from sharpwave.interfaces.cli import output
from sharpwave.interfaces.hooks.client import HookFiles, hook_files, log_error
from sharpwave.interfaces.hooks.server import answers_from, listening, serve_once
from sharpwave.interfaces.mcp import clients

app = shared.CommandGroup(name="mcp")
ClientName = Annotated[str, typer.Argument(help=f"One of: {', '.join(clients.CLIENTS)}.")]
Project = Annotated[
    Path | None,
    typer.Option("--project", help="Only for the project in this folder; default: for all."),
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Show the file; change nothing.")]


@app.callback(invoke_without_command=True)
def serve(
    options: shared.TextOptions,
    context: typer.Context,
    hooks: Annotated[bool, typer.Option("--hooks", help="Also handle hooks of agents.")] = False,
) -> None:
    """Serve this memory to agents over stdio, or configure a client to use it."""
    if context.invoked_subcommand is not None:
        return
    if not extras.has_mcp():
        raise InvalidSettings("the MCP server needs an extra: pip install 'sharpwave[mcp]'")
    from sharpwave.interfaces.mcp.server import ServedMemory, build, local  # noqa: PLC0415 - an extra

    with options.open() as memory, ExitStack() as open_:
        if hooks:
            open_.enter_context(
                listening(_hook_files(options), answers_from(memory, options.settings))
            )
        build(ServedMemory(memory, options.settings, local(memory.user_id))).run("stdio")


@app.command()
def install(
    client: ClientName,
    project: Project = None,
    command: Annotated[Path | None, typer.Option(help="Path of the program to start.")] = None,
    dry_run: DryRun = False,
    db: shared.Database = None,
    user: shared.User = None,
    json: shared.AsJson = False,
) -> None:
    """Add this memory to the MCP servers of a client; the rest of its file is not changed."""
    mcp_client = clients.client_of(client)
    entry = mcp_client.entry(command or clients.command(), ["mcp", *_options(db, user)])
    change = clients.with_entry(mcp_client.file(project), mcp_client.key, entry)
    existed = change.file.exists()
    if change.changed and not dry_run:
        clients.write(change)
    if json:
        summary = {"client": client, "entry": entry}
        return output.as_json({**summary, "file": change.file, "changed": change.changed})
    if dry_run:
        return output.say(f"{change.file} would become:\n{change.after}")
    if not change.changed:
        return output.say(f"{change.file} is as it should be; nothing was changed.")
    output.say(f"Changed {change.file}." + (f" The old one is {change.backup}." if existed else ""))
    output.say(json_form.dumps(entry, ensure_ascii=False))
    output.say(mcp_client.next_step)


def _options(db: str | None, user: str | None) -> list[str]:
    if db is not None and "://" not in db:
        db = str(Path(db).expanduser().resolve())
    values = {"--db": db, "--user": user}
    return [part for option, value in values.items() if value for part in (option, value)]


def hook(
    options: shared.TextOptions,
    event: Annotated[str, typer.Argument(help="Such as UserPromptSubmit; its JSON on stdin.")],
) -> None:
    files, settings_file = _hook_files(options), _settings_file(options)
    try:
        serve_once(
            event, sys.stdin.read(), files, db=options.db, user=options.user, settings=settings_file
        )
    except Exception:  # noqa: BLE001 - whatever goes wrong here must not disturb the host
        log_error(files, traceback.format_exc())


def _hook_files(options: shared.Options) -> HookFiles:
    """The files that hooks with these options use to reach their server."""
    return hook_files(options.db, options.user, _settings_file(options))


def _settings_file(options: shared.Options) -> str | None:
    return None if options.settings_file is None else str(options.settings_file)
