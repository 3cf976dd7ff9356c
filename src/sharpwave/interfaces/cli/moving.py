"""`export`, `import`, `backup`, `restore`."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from sharpwave import upkeep
from sharpwave.errors import InvalidInput
from sharpwave.interfaces.cli import output
from sharpwave.interfaces.cli.context import AsJson, Database, SettingsFile, User, choose


def export(
    to: Annotated[Path, typer.Argument(help="A new file; - writes to standard output.")],
    db: Database = None,
    user: User = None,
    settings: SettingsFile = None,
    json: AsJson = False,
) -> None:
    """Write everything of a user as lines of JSON."""
    count = -1
    with choose(db, user, settings, json).open_existing() as memory:
        total = memory.stats().memories
        if str(to) == "-":
            for line in memory.export():
                print(line)
            return
        try:
            with to.open("x", encoding="utf-8") as file, output.progress("Exporting", json) as bar:
                to.chmod(0o600)
                for count, line in enumerate(memory.export()):
                    file.write(line + "\n")
                    bar(count, total)
        except FileExistsError as error:
            raise InvalidInput(f"{to} already exists; choose another name") from error
        except OSError as error:
            raise InvalidInput(f"cannot write {to}: {error.strerror}") from error
    if json:
        output.as_json({"exported": count, "file": str(to)})
    else:
        output.say(f"Exported {count} memories to {to}.")


def import_(
    source: Annotated[Path, typer.Argument(help="An exported file; - reads standard input.")],
    db: Database = None,
    user: User = None,
    settings: SettingsFile = None,
    json: AsJson = False,
) -> None:
    """Take an export into a user's memory; what is there already stays as it is."""
    with (
        choose(db, user, settings, json).open() as memory,
        output.progress("Importing", json) as bar,
    ):
        done = memory.import_(_lines(source), lambda count: bar(count, 0))
    if json:
        output.as_json(done)
    else:
        output.say(f"Imported {done.added} memories; {done.already_there} were there already.")


def backup(
    to: Annotated[Path, typer.Argument(help="A new file.")],
    db: Database = None,
    settings: SettingsFile = None,
    json: AsJson = False,
) -> None:
    """Write a consistent, checked copy of the whole file while others use it."""
    with (
        choose(db, None, settings, json).open_existing() as memory,
        output.progress("Backing up", json) as bar,
    ):
        memory.backup(to, bar)
    if json:
        output.as_json({"backup": str(to), "bytes": to.stat().st_size})
    else:
        output.say(f"Backed up to {to} ({to.stat().st_size:,} bytes), read back and checked.")


def restore(
    backup: Annotated[Path, typer.Argument(help="A file that `backup` wrote.")],
    replace: Annotated[bool, typer.Option(help="Put it in place of the present file.")] = False,
    db: Database = None,
    settings: SettingsFile = None,
    json: AsJson = False,
) -> None:
    """Put a backup in place; what was forgotten since then does not come back."""
    chosen = choose(db, None, settings, json)
    with output.progress("Restoring", json) as bar:
        done = upkeep.restore(backup, chosen.settings, replace=replace, progress=bar)
    if json:
        output.as_json(done)
        return
    output.say(f"Restored {done.memories} memories.")
    if done.re_erased:
        output.say(f"{done.re_erased} that were forgotten since the backup stay forgotten.")
    if done.replaced_backup:
        output.say(f"The file as it was before is kept at {done.replaced_backup}.")


def _lines(source: Path) -> Iterator[str]:
    if str(source) == "-":
        yield from sys.stdin
        return
    try:
        with source.open(encoding="utf-8") as file:
            yield from file
    except OSError as error:
        raise InvalidInput(f"cannot read {source}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise InvalidInput(f"{source} is not UTF-8 text, so not an export") from error
