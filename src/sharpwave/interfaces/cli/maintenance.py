"""`stats`, `verify`, `doctor`, `reembed`, `rekey`, `scrub`."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from sharpwave import upkeep
from sharpwave.interfaces.cli import output
from sharpwave.interfaces.cli.app import EXIT_CODES
from sharpwave.interfaces.cli.context import FileOptions, Options
from sharpwave.settings.tree import Settings

_KEY_FILE = "A file with 64 hexadecimal digits; `openssl rand -hex 32 > FILE` makes one."


def stats(
    options: Options,
    everyone: Annotated[bool, typer.Option("--all", help="All users together.")] = False,
) -> None:
    counts = options.ask(lambda memory: memory.admin.stats(all_users=everyone))
    kinds = ", ".join(f"{count} {kind}" for kind, count in counts.by_kind.items()) or "nothing yet"
    output.say(f"{counts.memories} memories ({kinds}) of {counts.users} users")
    output.say(f"{counts.vectors} vectors, {counts.file_bytes:,} bytes, {counts.embedder}")
    if counts.awaiting_reembed:
        output.say(f"{counts.awaiting_reembed} have no vector yet: run `sharpwave reembed`")


def verify(options: FileOptions) -> None:
    with options.open_existing() as memory, output.progress("Verifying", options.json) as bar:
        report = memory.admin.verify(bar)
    code = 0 if report.ok else EXIT_CODES["store_damaged"]
    options.if_json({**asdict(report), "ok": report.ok}, code)
    if report.ok:
        output.say(f"All well: {report.memories} memories, {report.audit_entries} audit entries.")
    else:
        output.say(f"Damage: {len(report.damaged_ids)} memories, {report.damaged_vectors} vectors.")
        for line in (*report.damaged_ids, *report.structure):
            output.say(f"  {line}")
        if report.audit_broken_at is not None:
            output.say(f"  the audit chain was changed at entry {report.audit_broken_at}")
    if report.traces_left:
        copies_note = f", {report.copies_left} of the whole file" if report.copies_left else ""
        output.say(
            f"Old copies of forgotten memories may be left{copies_note}: run `sharpwave scrub`."
        )
    raise typer.Exit(code)


def doctor(
    options: FileOptions,
    recover: Annotated[
        Path | None, typer.Option(help="Write all readable records to this new file.")
    ] = None,
) -> None:
    if recover is not None:
        return _recover(options, recover)
    with output.progress("Checking", options.json) as bar:
        diagnosis = upkeep.diagnose(options.settings, bar)
    code = EXIT_CODES[diagnosis.code] if diagnosis.code else 0
    options.if_json(diagnosis, code)
    kind = "encrypted" if diagnosis.encrypted else "not encrypted"
    state = kind if diagnosis.exists else "not there"
    place, version = upkeep.place_of(options.settings), f", SQLite {diagnosis.sqlite}"
    on_server = place == "PostgreSQL"
    output.say(place if on_server else f"{place}: {state}{version}")
    healthy = "nothing is wrong" if diagnosis.exists or on_server else "there is nothing to check"
    output.say(diagnosis.problem or healthy)
    if diagnosis.advice:
        output.say(diagnosis.advice)
    raise typer.Exit(code)


def reembed(options: Options) -> None:
    with options.open_existing() as memory, output.progress("Embedding", options.json) as bar:
        done = 0
        for name in [options.user] if options.user else memory.admin.users():
            user_memory = memory.user(name)
            waiting = user_memory.admin.stats().awaiting_reembed
            done += user_memory.admin.reembed(lambda count, waiting=waiting: bar(count, waiting))  # type: ignore[misc]  # a default
    options.answer({"reembedded": done}, f"{done} memories have a new vector.")


def scrub(options: FileOptions) -> None:
    with options.open_existing() as memory:
        done = memory.admin.scrub()
    options.answer(
        {"scrubbed": done}, "Done." if done else "Somebody is reading the file; try again later."
    )


def rekey(
    options: FileOptions,
    new_key_file: Annotated[Path, typer.Option(help=_KEY_FILE)],
) -> None:
    upkeep.require_file(options.settings)
    new_key = Settings.model_validate({"encryption": {"key_file": new_key_file}}).encryption
    upkeep.rekey(options.settings, new_key)
    options.answer(
        {"rekeyed": True},
        "Done. Set SHARPWAVE_ENCRYPTION__KEY_FILE to the new key file from now on.",
    )


def _recover(options: Options, to: Path) -> None:
    with output.progress("Recovering", options.json) as bar:
        saved = upkeep.recover(options.settings, to, bar)
    summary = f"Recovered {saved.recovered} memories to {to}; {saved.damaged} were damaged."
    options.answer(saved, summary)
