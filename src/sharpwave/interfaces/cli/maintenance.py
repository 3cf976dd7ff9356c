"""`stats`, `verify`, `doctor`, `reembed`, `rekey`, `scrub`."""

from pathlib import Path
from typing import Annotated

import typer

from sharpwave import Settings, upkeep
from sharpwave.interfaces.cli import output
from sharpwave.interfaces.cli.app import EXIT_CODES
from sharpwave.interfaces.cli.context import AsJson, Database, SettingsFile, User, choose

_KEY_FILE = "A file with 64 hexadecimal digits; `openssl rand -hex 32 > FILE` makes one."


def stats(
    everyone: Annotated[bool, typer.Option("--all", help="Of all users together.")] = False,
    db: Database = None,
    user: User = None,
    settings: SettingsFile = None,
    json: AsJson = False,
) -> None:
    """Count what is stored."""
    with choose(db, user, settings, json).open_existing() as memory:
        counts = memory.stats(all_users=everyone)
    if json:
        output.as_json(counts)
        return
    kinds = ", ".join(f"{count} {kind}" for kind, count in counts.by_kind.items()) or "nothing yet"
    output.say(f"{counts.memories} memories ({kinds}) of {counts.users} users")
    output.say(f"{counts.vectors} vectors, {counts.file_bytes:,} bytes, {counts.embedder}")
    if counts.awaiting_reembed:
        output.say(f"{counts.awaiting_reembed} have no vector yet: run `sharpwave reembed`")


def verify(db: Database = None, settings: SettingsFile = None, json: AsJson = False) -> None:
    """Check every record, vector and audit entry against its checksum."""
    with (
        choose(db, None, settings, json).open_existing() as memory,
        output.progress("Verifying", json) as bar,
    ):
        found = memory.verify(bar)
    if json:
        output.as_json({**{name: getattr(found, name) for name in found.__slots__}, "ok": found.ok})
    elif found.ok:
        output.say(f"All well: {found.memories} memories, {found.audit_entries} audit entries.")
    else:
        output.say(f"Damage: {len(found.damaged_ids)} memories, {found.damaged_vectors} vectors.")
        for line in (*found.damaged_ids, *found.structure):
            output.say(f"  {line}")
        if found.audit_broken_at is not None:
            output.say(f"  the audit chain was changed at entry {found.audit_broken_at}")
    if found.traces_left and not json:
        output.say("Old copies of forgotten memories may be left: run `sharpwave scrub`.")
    if not found.ok:
        raise typer.Exit(EXIT_CODES["store_damaged"])


def doctor(
    recover: Annotated[
        Path | None, typer.Option(help="Write everything readable to this new file.")
    ] = None,
    db: Database = None,
    settings: SettingsFile = None,
    json: AsJson = False,
) -> None:
    """Find out what is wrong with a file, and what to do; --recover saves what is left."""
    chosen = choose(db, None, settings, json)
    if recover is not None:
        _recover(chosen.settings, recover, json)
        return
    with output.progress("Checking", json) as bar:
        found = upkeep.diagnose(chosen.settings, bar)
    if json:
        output.as_json(found)
    else:
        kind = "encrypted" if found.encrypted else "not encrypted"
        state = kind if found.exists else "not there"
        place, version = upkeep.place_of(chosen.settings), f", SQLite {found.sqlite}"
        on_server = place == "PostgreSQL"
        output.say(place if on_server else f"{place}: {state}{version}")
        output.say(found.problem or "nothing is wrong")
        if found.advice:
            output.say(found.advice)
    if found.code:
        raise typer.Exit(EXIT_CODES[found.code])


def reembed(
    db: Database = None, user: User = None, settings: SettingsFile = None, json: AsJson = False
) -> None:
    """Give all memories vectors of the current embedder; of one user, or of all."""
    chosen = choose(db, user, settings, json)
    with chosen.open_existing() as memory, output.progress("Embedding", json) as bar:
        done = 0
        for name in [user] if user else memory.users():
            own = memory.user(name)
            waiting = own.stats().awaiting_reembed
            done += own.reembed(lambda count, waiting=waiting: bar(count, waiting))  # type: ignore[misc]  # a default
    if json:
        output.as_json({"reembedded": done})
    else:
        output.say(f"{done} memories have a new vector.")


def scrub(db: Database = None, settings: SettingsFile = None, json: AsJson = False) -> None:
    """Rewrite the file so that nothing forgotten is left in its unused parts."""
    with choose(db, None, settings, json).open_existing() as memory:
        done = memory.scrub()
    if json:
        output.as_json({"scrubbed": done})
    else:
        output.say("Done." if done else "Somebody is reading the file; try again later.")


def rekey(
    new_key_file: Annotated[Path, typer.Option(help=_KEY_FILE)],
    db: Database = None,
    settings: SettingsFile = None,
    json: AsJson = False,
) -> None:
    """Encrypt the file with another key, or for the first time."""
    chosen = choose(db, None, settings, json)
    upkeep.require_file(chosen.settings)
    new_key = Settings.model_validate({"encryption": {"key_file": new_key_file}}).encryption
    upkeep.rekey(chosen.settings, new_key)
    if json:
        output.as_json({"rekeyed": True})
    else:
        output.say("Done. Set SHARPWAVE_ENCRYPTION__KEY_FILE to the new key file from now on.")


def _recover(settings: Settings, to: Path, json: bool) -> None:
    with output.progress("Recovering", json) as bar:
        saved = upkeep.recover(settings, to, bar)
    if json:
        output.as_json(saved)
    else:
        output.say(f"Recovered {saved.recovered} memories to {to}; {saved.damaged} were damaged.")
