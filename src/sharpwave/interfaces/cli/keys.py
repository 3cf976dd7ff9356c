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
    name: Annotated[str, typer.Argument(help="Name of the key, such as laptop.")],
    user: Annotated[str, typer.Option("--for", help="User of the key.")] = "default",
    scope: Annotated[
        list[Scope] | None, typer.Option("--scope", help="read, write or admin; repeatable.")
    ] = None,
) -> None:
    """Create a key. Its secret is shown only once."""
    with options.open() as memory:
        new_key = memory.admin.keys.create(name, user, scope or [Scope.READ, Scope.WRITE])
    options.if_json({"secret": new_key.secret, **_as_row(new_key.key)})
    print(new_key.secret)
    output.say("Keep it now: it is stored nowhere and will not be shown again.")


@app.command("list")
def list_(options: FileOptions) -> None:
    """List all keys, without their secrets."""
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
    name: Annotated[str, typer.Argument(help="Name of the key.")],
) -> None:
    """Revoke a key; it stops working at once."""
    with options.open_existing() as memory:
        memory.admin.keys.revoke(name)
    options.answer({"revoked": name}, f"The key {name} opens nothing any more.")


@app.command()
def bus(
    file: Annotated[Path, typer.Argument(help="File to write; only you can read it.")],
    json: AsJson = False,
) -> None:
    """Create a ZeroMQ key for a server or a subscriber, and print its public half."""
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
