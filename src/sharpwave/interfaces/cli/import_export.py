"""`export`, `import`, `backup`, `restore`, `migrate-store`, `export-insights`."""

import json as to_json
import os
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Literal

import typer

from sharpwave import upkeep
from sharpwave.errors import InvalidInput
from sharpwave.interfaces.cli import output
from sharpwave.interfaces.cli.context import AsJson, FileOptions, Options, SettingsFile
from sharpwave.types.answers import Imported, ImportedChats
from sharpwave.types.experience import Insight

_HEADER_BYTES = 64
_SHOWN_PROBLEMS = 10


Format = Literal["chatgpt", "claude", "mem0", "letta", "mcp-memory", "jsonl", "sharpwave"]
"""Formats of `import`; sharpwave is the output of `export`."""


def export(
    options: Options,
    to: Annotated[Path, typer.Argument(help="A new file; - writes to standard output.")],
) -> None:
    count = -1
    with options.open_existing() as memory:
        total = memory.admin.stats().memories
        if str(to) == "-":
            for line in memory.export():
                print(line)
            return
        try:
            with (
                to.open("x", encoding="utf-8") as file,
                output.progress("Exporting", options.json) as bar,
            ):
                to.chmod(0o600)
                for count, line in enumerate(memory.export()):
                    file.write(line + "\n")
                    bar(count, total)
        except FileExistsError as error:
            raise InvalidInput(f"{to} already exists; choose another name") from error
        except OSError as error:
            raise InvalidInput(f"cannot write {to}: {error.strerror}") from error
    options.answer({"exported": count, "file": str(to)}, f"Exported {count} memories to {to}.")


def import_(
    options: Options,
    source: Annotated[
        Path, typer.Argument(help="A file, folder or zip archive; - reads a Sharpwave export.")
    ],
    format: Annotated[
        Format | None, typer.Option(help="Its format; detected if not given.")
    ] = None,
    own: Annotated[
        bool, typer.Option("--own", help="Trust the user messages in it as this user's words.")
    ] = False,
) -> None:
    is_own_export = format == "sharpwave" or (format is None and _is_own_export(source))
    done: Imported | ImportedChats
    with options.open() as memory, output.progress("Importing", options.json) as bar:
        if is_own_export:
            done = memory.admin.import_(_lines(source), lambda count: bar(count, 0), own)
        else:
            done = memory.admin.import_chats(source, format, own, lambda count: bar(count, 0))
    options.if_json(done)
    output.say(f"Imported {done.added} memories; {done.already_there} were there already.")
    if isinstance(done, ImportedChats):
        _print_left_out(done)
    elif done.left_out:
        output.say(
            f"{done.left_out} facts and the like were left out, and the words are not trusted: if "
            "this is your own export, import it again with --own."
        )


def backup(
    options: FileOptions,
    to: Annotated[Path, typer.Argument(help="A new file.")],
) -> None:
    with options.open_existing() as memory, output.progress("Backing up", options.json) as bar:
        memory.admin.backup(to, bar)
    options.answer(
        {"backup": str(to), "bytes": to.stat().st_size},
        f"Backed up to {to} ({to.stat().st_size:,} bytes), read back and checked.",
    )


def restore(
    options: FileOptions,
    backup: Annotated[Path, typer.Argument(help="A file that `backup` wrote.")],
    replace: Annotated[bool, typer.Option(help="Replace the existing file.")] = False,
) -> None:
    with output.progress("Restoring", options.json) as bar:
        restored = upkeep.restore(backup, options.settings, replace=replace, progress=bar)
    options.if_json(restored)
    output.say(f"Restored {restored.memories} memories.")
    if restored.re_erased:
        output.say(f"{restored.re_erased} that were forgotten since the backup stay forgotten.")
    if restored.replaced_backup:
        output.say(f"The file as it was before is kept at {restored.replaced_backup}.")


def _print_left_out(imported: ImportedChats) -> None:
    output.say(f"They stand in {imported.conversations} conversations ({imported.format}).")
    if imported.left_out:
        reasons = ", ".join(f"{count} {reason}" for reason, count in imported.left_out.items())
        output.say(f"Left out as not worth remembering: {reasons}.")
    if imported.skipped:
        output.say(f"Skipped {imported.skipped} that are damaged or cannot be stored:")
        for problem in imported.problems[:_SHOWN_PROBLEMS]:
            output.say(f"  {problem.place}: {problem.reason}")
        if imported.skipped > _SHOWN_PROBLEMS:
            output.say("  and more; --json shows them.")


def _is_own_export(source: Path) -> bool:
    if str(source) == "-":
        return True
    try:
        with source.open("rb") as file:
            return b'"sharpwave-export"' in file.read(_HEADER_BYTES)
    except OSError:  # the reader reports the error
        return False


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


def migrate_store(
    source: Annotated[str, typer.Argument(help="A memory file, or postgresql://role@host/name.")],
    to: Annotated[str, typer.Argument(help="An empty database, or a new file.")],
    settings: SettingsFile = None,
    json: AsJson = False,
) -> None:
    options = Options(source, None, settings, json)
    with output.progress("Moving", json) as bar:
        moved = upkeep.move(options.settings, to, bar)
    if json:
        output.as_json(moved._asdict())
    else:
        output.say(
            f"Moved {moved.memories} memories of {moved.users} users; the source is as it was.\n"
            "Name the new place from now on (SHARPWAVE_POSTGRES__URL or SHARPWAVE_PATH), and write "
            "to the old one no more."
        )


_FOLDER = "exports"


def export_insights(
    options: Options,
    to: Annotated[
        Path | None, typer.Argument(help="A folder; default: `exports` next to the memory.")
    ] = None,
    month: Annotated[str | None, typer.Option(help="Only this month, such as 2026-11.")] = None,
) -> None:
    folder = to or upkeep.file_of(options.settings).parent / _FOLDER
    by_month: dict[str, list[Insight]] = defaultdict(list)
    with options.open_existing() as memory:
        for insight in memory.agents.insights():
            by_month[f"{insight.last_updated:%Y-%m}"].append(insight)
    months = sorted(by_month) if month is None else [month]
    files = {name: folder / f"insights-{name}.json" for name in months if by_month.get(name)}
    for name, file in files.items():
        write_private(
            file, to_json.dumps(by_month[name], ensure_ascii=False, indent=2, default=output.plain)
        )
    options.if_json({"files": [str(file) for file in files.values()]})
    for name, file in files.items():
        output.say(f"{len(by_month[name])} lessons: {file}")
    if not files:
        output.say("There are no lessons to write.")


_OWNER_ONLY = 0o600


def write_private(path: Path, text: str) -> None:
    """Replace a file atomically, readable by its owner only."""
    new_file = path.with_name(f".{path.name}.new")
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        new_file.unlink(missing_ok=True)
        descriptor = os.open(new_file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, _OWNER_ONLY)
        with open(descriptor, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
        new_file.replace(path)
    except OSError as error:
        raise InvalidInput(f"cannot write {path}: {error.strerror}") from error
