"""`keys create`, `keys list`, `keys revoke`, `keys bus`."""

from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from sharpwave import upkeep
from sharpwave.interfaces.cli import output
from sharpwave.interfaces.cli.context import AsJson, CommandGroup, FileOptions
from sharpwave.types.access import ApiKey, Scope

app = CommandGroup(name="keys", no_args_is_help=True)


@app.command()
def create(
    options: FileOptions,
    name: Annotated[str, typer.Argument(help="What the key is for, such as laptop.")],
    user: Annotated[str, typer.Option("--for", help="Whose memory it opens.")] = "default",
    scope: Annotated[
        list[Scope] | None, typer.Option("--scope", help="read, write, admin; repeat for several.")
    ] = None,
) -> None:
    """Make a key. Its secret is shown this once."""
    with options.open() as memory:
        new_key = memory.admin.keys.create(name, user, scope or [Scope.READ, Scope.WRITE])
    options.if_json({"secret": new_key.secret, **_as_row(new_key.key)})
    print(new_key.secret)
    output.say("Keep it now: it is stored nowhere and will not be shown again.")


@app.command("list")
def list_(options: FileOptions) -> None:
    """Every key, without its secret."""
    with options.open_existing() as memory:
        found = memory.admin.keys.all()
    options.if_json({"keys": [_as_row(key) for key in found]})
    table = Table("name", "user", "scopes", "made", "used", "revoked", box=None)
    for key in found:
        days = [f"{day:%Y-%m-%d}" if day else "" for day in _days(key)]
        table.add_row(key.name, key.user_id, " ".join(sorted(key.scopes)), *days)
    output.rows(table, "There are no keys; `sharpwave keys create NAME` makes one.")


@app.command()
def revoke(
    options: FileOptions,
    name: Annotated[str, typer.Argument(help="The name of the key.")],
) -> None:
    """From now on the key opens nothing."""
    with options.open_existing() as memory:
        memory.admin.keys.revoke(name)
    options.answer({"revoked": name}, f"The key {name} opens nothing any more.")


@app.command()
def bus(
    file: Annotated[Path, typer.Argument(help="Where to write it; only you can read it.")],
    json: AsJson = False,
) -> None:
    """Make a key for the ZeroMQ bus, of a server or a listener, and print its public half."""
    public = upkeep.make_bus_key(file)
    if json:
        output.as_json({"public_key": public, "key_file": file})
    else:
        print(public)


def _as_row(key: ApiKey) -> dict[str, object]:
    made, used, revoked = _days(key)
    description = {"name": key.name, "user": key.user_id, "scopes": sorted(key.scopes)}
    return {**description, "created_at": made, "used_at": used, "revoked_at": revoked}


def _days(key: ApiKey) -> tuple[object, object, object]:
    return key.created_at, key.used_at, key.revoked_at
