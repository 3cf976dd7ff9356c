"""`serve`: open the REST door."""

import importlib
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from sharpwave import Memory, Settings, upkeep
from sharpwave.errors import InvalidSettings
from sharpwave.interfaces.cli import output
from sharpwave.interfaces.cli.context import AsJson, Database, SettingsFile, User, choose


def serve(
    host: Annotated[str | None, typer.Option(help="The address to listen on.")] = None,
    port: Annotated[
        int | None, typer.Option(min=0, max=65535, help="The port; 0 takes any that is free.")
    ] = None,
    workers: Annotated[
        int | None, typer.Option(min=1, max=256, help="Processes that serve; one for each core.")
    ] = None,
    db: Database = None,
    user: User = None,
    settings: SettingsFile = None,
    json: AsJson = False,
) -> None:
    """Serve memories over HTTP, on this machine unless you say otherwise.

    Jobs and nights are done beside it, unless sleep.schedule.enabled is false.
    """
    chosen = choose(db, user, settings, json).settings
    options = {"host": host, "port": port, "workers": workers}
    given = {name: value for name, value in options.items() if value is not None}
    chosen = chosen.model_copy(update={"server": chosen.server.model_copy(update=given)})
    server = _server("server")
    fit: Settings = server.fit_to_serve(chosen)
    with Memory.open(settings=fit) as memory:
        file = server.key_for_this_machine(memory, fit)
        if fit.server.workers == 1:
            server.Door(memory, fit, partial(_greet, file, json)).serve_until_stopped()
    if fit.server.workers > 1:
        _server("processes.workers").Workers(fit, partial(_greet, file, json)).serve_until_stopped()
    kept = upkeep.back_up_at_shutdown(fit)
    if not json:
        output.say("Stopped; everything is written.")
        if kept is not None and kept.path:
            output.say(f"A copy is {kept.path}.")
    if kept is not None and kept.problem:
        typer.echo(f"No copy was kept: {kept.problem}.", err=True)


def _server(part: str) -> Any:
    """A part of the server, which needs packages that the core does without."""
    try:
        return importlib.import_module(f"sharpwave.interfaces.rest.{part}")
    except ImportError as error:
        raise InvalidSettings(f"serving needs `pip install sharpwave[server]` ({error})") from error


def _greet(file: Path | None, json: bool, url: str) -> None:
    agents = f"{url}/mcp" if _server("app").has_mcp() else None
    if json:
        output.as_json({"url": url, "docs": f"{url}/docs", "mcp": agents, "key_file": file})
        return
    lines = [
        f"Sharpwave listens at {url}    (stop with Ctrl-C)",
        f"What it can do: {url}/docs",
        f"For agents, by MCP: {agents or 'after `pip install sharpwave[mcp]`'}",
        "",
        "Three things to try:",
        f'  KEY="$(cat {file})"'
        if file
        else "  KEY=...    # `sharpwave keys create NAME --for USER`",
        _call(url, "remember", '{"said": "My sister Ana lives in Porto."}'),
        _call(url, "recall", '{"query": "Where does Ana live?"}'),
        f"  in Python:  Memory.connect({url!r}, key).profile()",
    ]
    print("\n".join(lines), flush=True)  # to be copied as it is: no wrapping


def _call(url: str, verb: str, body: str) -> str:
    headers = '-H "Authorization: Bearer $KEY" -H "Content-Type: application/json"'
    return f"  curl -s {url}/v1/{verb} {headers} -d '{body}'"
