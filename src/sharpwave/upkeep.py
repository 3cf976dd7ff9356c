"""Operations on a memory's file and settings: diagnose, restore, recover, rekey, try models.

Using a memory goes through `Memory`; these work on the file behind it, closed or damaged, and on
the settings.
"""

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

import apsw
from pydantic import BaseModel, SecretStr

from sharpwave import wiring
from sharpwave.errors import InvalidInput, InvalidSettings, NotFound, SharpwaveError
from sharpwave.llm.probe import probe
from sharpwave.ports import LLM
from sharpwave.settings.storage import EncryptionSettings
from sharpwave.settings.tree import Settings
from sharpwave.storage.sqlite.key import is_plain
from sharpwave.temporal.clock import SystemClock
from sharpwave.types.llm import LLMProvider, LLMRole, Probe
from sharpwave.types.storing import Moved, Restored, Salvaged, Verification

Progress = Callable[[int, int], None] | None
_UNFINISHED_GRAPHS = (
    "sleep builds them anew. If the server died of it (its log says `signal 4: Illegal "
    "instruction`), its pgvector does not run on its CPU: install one that does, or set "
    "postgres.search to memory; docs/how-to/postgres.md says which (pgvector and the CPU)"
)

at_place = wiring.at_place
file_of = wiring.file_beside
make_bus_key = wiring.make_bus_key
"""For the interfaces, which do not see `wiring`."""
BACKUP_LIMIT_S = 20.0
"""A backup at shutdown that takes longer is given up."""


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What `diagnose` found. `problem` is None when the file opens and passes its check."""

    path: Path
    exists: bool
    encrypted: bool
    sqlite: str
    problem: str | None
    advice: str | None
    code: str | None = None
    """The code of the error that kept it from opening."""
    verification: Verification | None = None


@dataclass(frozen=True, slots=True)
class KeptCopy:
    """The copy that was kept when a server stopped, or why there is none."""

    path: Path | None
    problem: str | None


class _OutOfTime(Exception):
    """There is no time left for a copy."""


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting that holds, and where it comes from."""

    name: str
    value: object
    source: str
    """default, file, environment or argument."""


def explain_settings(
    settings: Settings, file: Path | None, arguments: Sequence[str] = ()
) -> list[Setting]:
    """Every setting, in order, with its source; secrets are not shown [CFG-09]."""
    sources = wiring.setting_sources(file) | dict.fromkeys(arguments, "argument")
    return list(_settings(settings, "", sources))


def _settings(group: BaseModel, prefix: str, sources: Mapping[str, str]) -> Iterator[Setting]:
    for name in type(group).model_fields:
        value, full = getattr(group, name), prefix + name
        if isinstance(value, BaseModel):
            yield from _settings(value, f"{full}.", sources)
        else:
            shown = str(value) if isinstance(value, SecretStr | Path) else value
            yield Setting(full, shown, sources.get(full, "default"))


def place_of(settings: Settings) -> str:
    """Where the memory is, in words."""
    return "PostgreSQL" if wiring.is_on_server(settings) else str(file_of(settings))


def require_memory(settings: Settings) -> None:
    """The memory must be there: a typing error must not make a new file."""
    if not wiring.is_on_server(settings):
        require_file(settings)


def require_file(settings: Settings) -> Path:
    """The database file, which must be there: a typing error must not make a new one."""
    path = wiring.database_path(settings)
    if not path.exists():
        raise NotFound(f"there is no memory file {path}; `sharpwave remember` makes one")
    return path


def language_model(settings: Settings) -> LLM:
    """The language model that the settings name; InvalidSettings if they name none."""
    llm = wiring.open_model(settings)
    if llm is None:
        known = ", ".join(provider for provider in LLMProvider if provider is not LLMProvider.NONE)
        raise InvalidSettings(f"there is no language model: set llm.provider to one of {known}")
    return llm


def try_models(settings: Settings) -> list[Probe]:
    """Try out the language model of every role; one that plays several is tried once."""
    llm = language_model(settings)
    found: dict[tuple[object, ...], Probe] = {}
    for role in LLMRole:
        place = settings.llm.of(role)
        where = (place.provider, place.base_url, place.api_key, llm.model(role))
        found[where] = found.get(where) or probe(llm, role)
        found[role,] = replace(found[where], role=role)
    return [found[role,] for role in LLMRole]


def diagnose(settings: Settings, progress: Progress = None) -> Diagnosis:
    """Open the file, check all of it, and say what to do about what is wrong."""
    path = file_of(settings)
    exists = wiring.is_on_server(settings) or path.exists()
    encrypted = path.exists() and not is_plain(path)
    about = (path, exists, encrypted, apsw.sqlite_lib_version())
    if not exists:
        return Diagnosis(*about, None, "there is no memory yet; `sharpwave remember` makes one")
    try:
        with closing(wiring.open_store(settings)) as store:
            found = store.verify(progress)
            unfinished = wiring.unfinished_graphs(store)
    except SharpwaveError as error:
        return Diagnosis(*about, str(error), _advice(error.code), error.code)
    if found.ok and unfinished:
        problem = f"graphs of vectors begun and not finished: {unfinished}"
        return Diagnosis(*about, problem, _UNFINISHED_GRAPHS, None, found)
    if found.ok:
        return Diagnosis(*about, None, None, None, found)
    damaged = "store_damaged"
    return Diagnosis(*about, "the check failed", _advice(damaged), damaged, found)


def back_up_at_shutdown(settings: Settings) -> KeptCopy | None:
    """Keep a copy of the closed file if the settings say so; never takes longer than they allow."""
    if not settings.server.backup.keep or wiring.is_on_server(settings):
        return None
    deadline = time.monotonic() + BACKUP_LIMIT_S
    kept: list[KeptCopy] = []

    def stop_in_time(done: int, total: int) -> None:
        if time.monotonic() > deadline:
            raise _OutOfTime

    def work() -> None:
        try:
            kept.append(KeptCopy(keep_copy(settings, stop_in_time), None))
        except SharpwaveError as error:
            kept.append(KeptCopy(None, str(error)))
        except _OutOfTime:
            pass  # reported below

    # A daemon thread: a step that cannot be interrupted does not keep the process from ending.
    copying = threading.Thread(target=work, name="sharpwave-backup", daemon=True)
    copying.start()
    copying.join(BACKUP_LIMIT_S)
    problem = f"it took longer than {BACKUP_LIMIT_S:g} s"
    return kept[0] if kept else KeptCopy(None, problem)


def keep_copy(settings: Settings, progress: Progress = None) -> Path:
    """Keep today's copy of the database file in the folder of backups."""
    from sharpwave.storage.sqlite.whole_file import keep_copies

    backup, file = settings.server.backup, wiring.database_path(settings)
    folder = wiring.real_path(backup.folder) if backup.folder else file.parent / "backups"
    with closing(wiring.open_file(settings)) as store:
        today = SystemClock().now().date()
        return keep_copies(store.backup, file, folder, today, backup.keep, progress)


def restore(
    backup: str | Path, settings: Settings, *, replace: bool = False, progress: Progress = None
) -> Restored:
    """Put a backup in place of the file, or into an empty database.

    What was forgotten since does not come back.
    """
    from sharpwave.storage.sqlite import restore

    if wiring.is_on_server(settings):
        if replace:
            raise InvalidInput("a database is not replaced: restore into an empty one")
        moved = _move(wiring.at_place(settings, backup), _url(settings), progress)
        return Restored(moved.memories, 0, None)
    target, key = wiring.database_path(settings), wiring.encryption_key(settings.encryption)
    source, now = wiring.real_path(Path(backup)), SystemClock().now()
    return restore.restore(
        source, target, key, settings.store, now=now, replace=replace, progress=progress
    )


def recover(settings: Settings, to: str | Path, progress: Progress = None) -> Salvaged:
    """Write everything readable of a damaged file to a new one; the old file is not touched."""
    from sharpwave.storage.sqlite import salvage

    source, key = wiring.database_path(settings), wiring.encryption_key(settings.encryption)
    target, now = wiring.real_path(Path(to)), SystemClock().now()
    return salvage.salvage(source, target, key, settings.store, now=now, progress=progress)


def move(source: Settings, to: str, progress: Progress = None) -> Moved:
    """Copy a memory to an empty database or a new file, checked; it is not touched itself."""
    require_memory(source)
    return _move(source, to, progress)


def _move(settings: Settings, to: str, progress: Progress) -> Moved:
    from sharpwave.storage.postgres import moving
    from sharpwave.storage.postgres import store as postgres

    if wiring.is_on_server(settings) == wiring.is_url(to):
        raise InvalidInput("a memory moves from a file to postgresql://role@host/database, or back")
    if wiring.is_on_server(settings):
        file = wiring.database_path(wiring.at_place(settings, to))
        key = wiring.encryption_key(settings.encryption)
        opened = postgres.PostgresStore(_url(settings), settings.postgres, settings.store)
        with closing(opened) as stored:
            return stored.move_back(file, key, progress)
    server = wiring.at_place(settings, to)
    with (
        closing(postgres.PostgresStore(to, server.postgres, server.store)) as target,
        closing(wiring.open_file(settings)) as source,
        source.snapshot() as file_copy,
    ):
        return moving.move(file_copy, target.database, progress)


def _url(settings: Settings) -> str:
    return settings.postgres.url.get_secret_value() if settings.postgres.url else ""


def rekey(settings: Settings, new_key: EncryptionSettings) -> None:
    """Encrypt the file with another key, or a plain file for the first time."""
    key = wiring.encryption_key(new_key)
    if key is None:
        raise InvalidSettings("give the new key; a file cannot be rekeyed to nothing")
    with closing(wiring.open_file(settings)) as store:
        store.rekey(key)


def _advice(code: str) -> str:
    if code == "wrong_key":
        return "set one of SHARPWAVE_ENCRYPTION__PASSPHRASE, __KEY, __KEY_FILE or __KEYRING"
    if code == "store_damaged":
        return "save what is left with `sharpwave doctor --recover NEW.db`, or restore a backup"
    return "see the message above"
