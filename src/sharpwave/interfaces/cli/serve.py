"""`serve`: REST and MCP. `dashboard`: only the pages. `proxy`: memory for clients of OpenAI."""

import shlex
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from sharpwave import upkeep
from sharpwave.errors import InvalidSettings
from sharpwave.interfaces import extras
from sharpwave.interfaces.cli import output
from sharpwave.interfaces.cli.context import Options
from sharpwave.memory import Memory
from sharpwave.settings.tree import Settings
from sharpwave.types.working import Purpose

DASHBOARD_PORT = 8767
"""Different from the port of `serve`, so that both can run."""
Host = Annotated[str | None, typer.Option(help="Address to listen on.")]
Port = Annotated[int | None, typer.Option(min=0, max=65535, help="Port; 0: any free port.")]


def serve(
    options: Options,
    host: Host = None,
    port: Port = None,
    workers: Annotated[
        int | None, typer.Option(min=1, max=256, help="Server processes; one for each core.")
    ] = None,
) -> None:
    """Serve memories over HTTP, by default on this machine only.

    Jobs and sleep run in the background, unless sleep.enabled is false.
    """
    settings = _with_options(options, "server", host=host, port=port, workers=workers)
    _serve(settings, options.json)


def dashboard(options: Options, host: Host = None, port: Port = None) -> None:
    if not extras.has_dashboard():
        raise InvalidSettings("the dashboard needs `pip install sharpwave[dashboard]`")
    port = DASHBOARD_PORT if port is None else port
    settings = _with_options(options, "server", host=host, port=port, workers=1, dashboard=True)
    _serve(settings, options.json, first=False)


def _with_options(options: Options, group: str, **options_given: object) -> Settings:
    """The settings, with the command-line values for one group of them."""
    settings = options.settings
    changes = {name: value for name, value in options_given.items() if value is not None}
    changed = getattr(settings, group).model_copy(update=changes)
    return settings.model_copy(update={group: changed})


def _serve(settings: Settings, json: bool, *, first: bool = True) -> None:
    """Serve until interrupted; only the first server of a file runs its background work."""
    with extras.requires("serving", "sharpwave[server]"):
        from sharpwave.interfaces.rest import server  # noqa: PLC0415 - an extra
        from sharpwave.interfaces.rest.workers import Workers  # noqa: PLC0415 - an extra

    settings = server.checked_settings(settings)
    with Memory.open(settings=settings) as memory:
        file = server.key_for_this_machine(memory, settings)
        unanswered = memory.admin.unanswered_consents()
        greet = partial(_greet, file, json, unanswered)
        if settings.server.workers == 1:
            pages = settings.server.dashboard and extras.has_dashboard()

            def opened(url: str) -> None:
                greet(url, served.link(file) or _no_pages(settings))

            served = server.Server(memory, settings, opened, first=first, dashboard=pages)
            served.serve_until_stopped()
    if settings.server.workers > 1:
        greet = partial(greet, pages=_no_pages(settings))
        Workers(settings, greet).serve_until_stopped()
    backup = upkeep.back_up_at_shutdown(settings) if first else None
    if not json:
        output.say("Stopped; everything is written.")
        if backup is not None and backup.path:
            output.say(f"A copy is {backup.path}.")
    if backup is not None and backup.problem:
        typer.echo(f"No copy was kept: {backup.problem}.", err=True)


def _no_pages(settings: Settings) -> str:
    """How to get a dashboard if there is none."""
    if not settings.server.dashboard:
        return "switched off by server.dashboard"
    if not extras.has_dashboard():
        return "after `pip install sharpwave[dashboard]`"
    return "by `sharpwave dashboard`, since a page lives in one process and these are several"


def _greet(
    file: Path | None, json: bool, unanswered: Sequence[Purpose], url: str, pages: str
) -> None:
    mcp_url = f"{url}/mcp" if extras.has_mcp() else None
    if json:
        link = pages if pages.startswith(url) else None
        places = {"url": url, "docs": f"{url}/docs", "mcp": mcp_url, "dashboard": link}
        output.as_json({**places, "key_file": file})
        return
    lines = [
        f"Sharpwave listens at {url}    (stop with Ctrl-C)",
        f"To look at it in a browser: {pages}",
        f"What it can do: {url}/docs",
        f"For agents, by MCP: {mcp_url or 'after `pip install sharpwave[mcp]`'}",
        "",
        "Three things to try, once the user agreed (here, or on the dashboard's first page):"
        if unanswered
        else "Three things to try:",
        f'  KEY="$(cat {file})"'
        if file
        else "  KEY=...    # `sharpwave keys create NAME --for USER`",
        *(_call(url, f"consents/{purpose}", '{"granted": true}', "PUT") for purpose in unanswered),
        _call(url, "remember", '{"messages": "My sister Ana lives in Porto."}'),
        _call(url, "recall", '{"query": "Where does Ana live?"}'),
        f"  in Python:  Memory.connect({url!r}, key).facts.profile()",
    ]
    print("\n".join(lines), flush=True)  # to be copied as it is: no wrapping


def _call(url: str, path: str, body: str, verb: str = "POST") -> str:
    headers = '-H "Authorization: Bearer $KEY" -H "Content-Type: application/json"'
    return f"  curl -s -X {verb} {url}/v1/{path} {headers} -d '{body}'"


def proxy(
    options: Options,
    upstream: Annotated[
        str | None, typer.Option(help="Base URL of the models: https://api.openai.com/v1")
    ] = None,
    host: Host = None,
    port: Port = None,
    without_key: Annotated[
        bool | None, typer.Option("--without-key", help="Accept local requests without a key.")
    ] = None,
) -> None:
    """Add memory to any client of OpenAI's API by changing its base URL.

    Requests go to --upstream with what is remembered put before the question, and answers come back
    byte for byte. A key for upstream is the client's own, or SHARPWAVE_PROXY__UPSTREAM_KEY.
    """
    with extras.requires("the proxy", "'sharpwave[client,server]'"):
        from sharpwave.interfaces.proxy import app  # noqa: PLC0415 - an extra
        from sharpwave.interfaces.rest.server import Server  # noqa: PLC0415 - an extra

    settings = app.checked_settings(
        _with_options(
            options, "proxy", upstream=upstream, host=host, port=port, without_key=without_key
        )
    )
    with Memory.open(settings=settings) as memory:
        file = app.key_file(memory, settings)
        consent_hint = _consent_hint(settings, memory.admin.unanswered_consents())
        greet = partial(_greet_proxy, file, settings, options.json, consent_hint)
        served = Server(memory, settings, greet, app=app.create_app(memory, settings))
        served.serve_until_stopped()
    if not options.json:
        output.say("Stopped; everything is written.")


def _consent_hint(settings: Settings, unanswered: Sequence[Purpose]) -> Sequence[str]:
    """The missing consents and the command that records them; empty if none is missing."""
    if not unanswered:
        return ()
    missing = "Nothing is remembered" if Purpose.MEMORY in unanswered else "No rules are learned"
    place = [] if settings.postgres.url else ["--db", str(upkeep.file_of(settings))]
    purposes = [purpose.value for purpose in unanswered]
    command = shlex.join(["sharpwave", "consent", *purposes, *place, "--user", settings.user])
    return "", f"{missing} before the user agrees:", f"  {command}"


def _greet_proxy(
    file: Path | None, settings: Settings, json: bool, consent_hint: Sequence[str], url: str
) -> None:
    base = f"{url}/v1"
    if json:
        return output.as_json({"url": url, "base_url": base, "key_file": file})
    lines = [f"Sharpwave listens at {url}    (stop with Ctrl-C)", "", "In your program:"]
    if settings.proxy.without_key:
        lines.append(f"  OpenAI(base_url={base!r})")
    else:
        key = f'open("{file}").read().strip()' if file else '"sw_…"'
        lines += [
            f"  OpenAI(base_url={base!r},",
            f'         default_headers={{"X-Sharpwave-Key": {key}}})',
        ]
    print("\n".join([*lines, *consent_hint]), flush=True)  # to be copied as it is: no wrapping
