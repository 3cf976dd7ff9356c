"""`proxy`: memory for any client of OpenAI's API."""

import importlib
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from sharpwave import Memory
from sharpwave.errors import InvalidSettings
from sharpwave.interfaces.cli import output
from sharpwave.interfaces.cli.context import AsJson, Database, SettingsFile, User, choose


def proxy(
    upstream: Annotated[
        str | None, typer.Option(help="The base URL of the models: https://api.openai.com/v1")
    ] = None,
    host: Annotated[str | None, typer.Option(help="The address to listen on.")] = None,
    port: Annotated[
        int | None, typer.Option(min=0, max=65535, help="The port; 0 takes any that is free.")
    ] = None,
    without_key: Annotated[
        bool | None, typer.Option("--without-key", help="On this machine, let in whoever comes.")
    ] = None,
    db: Database = None,
    user: User = None,
    settings: SettingsFile = None,
    json: AsJson = False,
) -> None:
    """Give any client of OpenAI's API a memory: it changes its base URL, nothing else.

    Requests go to --upstream with what is remembered put before the question, and answers come back
    byte for byte. A key for upstream is the client's own, or SHARPWAVE_PROXY__UPSTREAM_KEY.
    """
    chosen = choose(db, user, settings, json).settings
    options = {"upstream": upstream, "host": host, "port": port, "without_key": without_key}
    given = {name: value for name, value in options.items() if value is not None}
    chosen = chosen.model_copy(update={"proxy": chosen.proxy.model_copy(update=given)})
    server = _server()
    fit = server.fit_to_pass(chosen)
    with Memory.open(settings=fit) as memory:
        file = server.key_file(memory, fit)
        greet = partial(_greet, file, fit.proxy.without_key, json)
        server.door(memory, fit, greet).serve_until_stopped()
    if not json:
        output.say("Stopped; everything is written.")


def _server() -> Any:
    try:
        return importlib.import_module("sharpwave.interfaces.proxy.server")
    except ImportError as error:
        raise InvalidSettings(
            f"the proxy needs `pip install 'sharpwave[client,server]'` ({error})"
        ) from error


def _greet(file: Path | None, without_key: bool, json: bool, url: str) -> None:
    base = f"{url}/v1"
    if json:
        output.as_json({"url": url, "base_url": base, "key_file": file})
        return
    lines = [f"Sharpwave listens at {url}    (stop with Ctrl-C)", "", "In your program:"]
    if without_key:
        lines.append(f"  OpenAI(base_url={base!r})")
    else:
        key = f'open("{file}").read().strip()' if file else '"sw_…"'
        lines += [
            f"  OpenAI(base_url={base!r},",
            f'         default_headers={{"X-Sharpwave-Key": {key}}})',
        ]
    print("\n".join(lines), flush=True)  # to be copied as it is: no wrapping
