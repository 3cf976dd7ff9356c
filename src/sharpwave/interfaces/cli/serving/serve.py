"""`serve`: open the REST door. `dashboard`: look in."""

import importlib
from collections.abc import Mapping
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

    Jobs and nights are done beside it, unless sleep.enabled is false.
    """
    options = {"host": host, "port": port, "workers": workers}
    chosen = choose(db, user, settings, json).settings
    _serve(_with(chosen, options), json)


def dashboard(
    host: Annotated[str | None, typer.Option(help="The address to listen on.")] = None,
    port: Annotated[
        int | None, typer.Option(min=0, max=65535, help="The port; 0 takes any that is free.")
    ] = None,
    db: Database = None,
    user: User = None,
    settings: SettingsFile = None,
    json: AsJson = False,
) -> None:
    """Look at a memory in a browser, beside a server that has several workers, or without one."""
    chosen = choose(db, user, settings, json).settings
    if not _server("app").has_dashboard():
        raise InvalidSettings("the dashboard needs `pip install sharpwave[dashboard]`")
    seen = chosen.server.dashboard
    shown = seen.model_copy(update={"enabled": True})
    options = {"host": host, "port": seen.port if port is None else port}
    chosen = _with(chosen, {**options, "workers": 1, "dashboard": shown})
    _serve(chosen, json, first=False)


def _with(settings: Settings, options: Mapping[str, object]) -> Settings:
    """The settings, with what was said on the command line."""
    given = {name: value for name, value in options.items() if value is not None}
    return settings.model_copy(update={"server": settings.server.model_copy(update=given)})


def _serve(chosen: Settings, json: bool, *, first: bool = True) -> None:
    """Serve until somebody interrupts; whoever is not the first leaves nights to the server."""
    server = _server("server")
    fit: Settings = server.fit_to_serve(chosen)
    with Memory.open(settings=fit) as memory:
        file = server.key_for_this_machine(memory, fit)
        if fit.server.workers == 1:
            _serve_alone(memory, fit, file, json, first)
    if fit.server.workers > 1:
        greet = partial(_greet, file, json, pages=_no_pages(fit))
        _server("processes.workers").Workers(fit, greet).serve_until_stopped()
    kept = upkeep.back_up_at_shutdown(fit) if first else None
    if not json:
        output.say("Stopped; everything is written.")
        if kept is not None and kept.path:
            output.say(f"A copy is {kept.path}.")
    if kept is not None and kept.problem:
        typer.echo(f"No copy was kept: {kept.problem}.", err=True)


def _serve_alone(
    memory: Memory, settings: Settings, file: Path | None, json: bool, first: bool
) -> None:
    """Serve in this process, with pages to look at if there are any."""
    pages = settings.server.dashboard.enabled and _server("app").has_dashboard()

    def opened(url: str) -> None:
        _greet(file, json, url, door.link(file) or _no_pages(settings))

    door = _server("server").Door(memory, settings, opened, first=first, dashboard=pages)
    door.serve_until_stopped()


def _no_pages(settings: Settings) -> str:
    """What to do for pages to look at."""
    if not settings.server.dashboard.enabled:
        return "switched off by server.dashboard.enabled"
    if not _server("app").has_dashboard():
        return "after `pip install sharpwave[dashboard]`"
    return "by `sharpwave dashboard`, since a page lives in one process and these are several"


def _server(part: str) -> Any:
    """A part of the server, which needs packages that the core does without."""
    try:
        return importlib.import_module(f"sharpwave.interfaces.rest.{part}")
    except ImportError as error:
        raise InvalidSettings(f"serving needs `pip install sharpwave[server]` ({error})") from error


def _greet(file: Path | None, json: bool, url: str, pages: str) -> None:
    agents = f"{url}/mcp" if _server("app").has_mcp() else None
    if json:
        seen = pages if pages.startswith(url) else None
        told = {"url": url, "docs": f"{url}/docs", "mcp": agents, "dashboard": seen}
        output.as_json({**told, "key_file": file})
        return
    lines = [
        f"Sharpwave listens at {url}    (stop with Ctrl-C)",
        f"To look at it in a browser: {pages}",
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
