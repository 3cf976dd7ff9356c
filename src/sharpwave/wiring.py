"""Settings into parts.

The only file that reads the environment, and the only one that knows both the ports and what
stands behind them.
"""

import os
import tomllib
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Any

import apsw
import platformdirs
from pydantic import ValidationError
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)

from sharpwave.errors import InvalidSettings
from sharpwave.index.recall_index import RecallIndex
from sharpwave.ports import Clock, Embedder, Ports
from sharpwave.providers.cached_embedder import CachedEmbedder
from sharpwave.providers.hash_embedder import HashEmbedder
from sharpwave.providers.openai_embedder import OpenAIEmbedder
from sharpwave.settings import EmbedderSettings, EncryptionSettings, Settings, WeightsFile
from sharpwave.storage.sqlite.files.restore import restore
from sharpwave.storage.sqlite.files.salvage import salvage
from sharpwave.storage.sqlite.key import Key, is_plain, keyring_key, passphrase_key, raw_key
from sharpwave.storage.sqlite.store import SqliteStore
from sharpwave.temporal.clock import SystemClock
from sharpwave.types.storing import Restored, Salvaged

Progress = Callable[[int, int], None] | None


def load_settings(file: Path | str | None = None, **arguments: Any) -> Settings:
    """Settings from defaults, a TOML file, the environment and arguments; the later ones win.

    Without `file`, the variable SHARPWAVE_FILE names it; without that, `sharpwave.toml` in the
    user's settings folder is read if it is there.
    """
    chosen = file or os.environ.get("SHARPWAVE_FILE")
    if chosen and not Path(chosen).is_file():
        raise InvalidSettings(f"there is no settings file {chosen}")
    toml = Path(chosen) if chosen else platformdirs.user_config_path("sharpwave") / "sharpwave.toml"

    class Sources(Settings, BaseSettings):
        model_config = SettingsConfigDict(
            frozen=True,
            extra="forbid",
            env_prefix="SHARPWAVE_",
            env_nested_delimiter="__",
            toml_file=toml,
        )

        @classmethod
        def settings_customise_sources(
            cls,
            settings_cls: type[BaseSettings],
            init_settings: PydanticBaseSettingsSource,
            env_settings: PydanticBaseSettingsSource,
            dotenv_settings: PydanticBaseSettingsSource,
            file_secret_settings: PydanticBaseSettingsSource,
        ) -> tuple[PydanticBaseSettingsSource, ...]:
            return init_settings, env_settings, TomlConfigSettingsSource(settings_cls)

    try:
        return Sources(**arguments)
    except ValidationError as error:
        raise InvalidSettings(_explained(error)) from error
    except tomllib.TOMLDecodeError as error:
        raise InvalidSettings(f"{toml} is not valid TOML: {error}") from error


def load_weights(file: Path | None) -> WeightsFile:
    """The weights file named in the settings, or the bundled one."""
    source = file or files("sharpwave") / "data" / "weights.toml"
    try:
        return WeightsFile.model_validate(tomllib.loads(source.read_text("utf-8")))
    except (OSError, tomllib.TOMLDecodeError) as error:
        raise InvalidSettings(f"cannot read the weights file {source}: {error}") from error
    except ValidationError as error:
        raise InvalidSettings(f"weights file {source}: {_explained(error)}") from error


def open_ports(
    settings: Settings, clock: Clock | None = None, embedder: Embedder | None = None
) -> Ports:
    """Open the store and everything around it."""
    inner = embedder or _embedder(settings.embedder)
    space = inner.space  # an endpoint without a set dimension is asked here, before the file opens
    cached = CachedEmbedder(inner, settings.embedder.cache_entries)
    store = open_store(settings)
    index = RecallIndex(store, space, settings.index)
    return Ports(store, index, cached, clock or SystemClock())


def open_store(settings: Settings) -> SqliteStore:
    """Open only the store, as upkeep needs it."""
    return SqliteStore(database_path(settings), settings.store, encryption_key(settings.encryption))


def restore_store(
    settings: Settings, backup: Path, replace: bool, progress: Progress = None
) -> Restored:
    """Put a backup in place of the database file."""
    target, key = database_path(settings), encryption_key(settings.encryption)
    now = SystemClock().now()
    return restore(backup, target, key, settings.store, now=now, replace=replace, progress=progress)


def salvage_store(settings: Settings, to: Path, progress: Progress = None) -> Salvaged:
    """Write everything readable of the database file to a new one."""
    source, key = database_path(settings), encryption_key(settings.encryption)
    return salvage(source, to, key, settings.store, now=SystemClock().now(), progress=progress)


def rekey_store(settings: Settings, new_key: EncryptionSettings) -> None:
    """Encrypt the database file with another key, or for the first time."""
    key = encryption_key(new_key)
    if key is None:
        raise InvalidSettings("give the new key; a file cannot be rekeyed to nothing")
    store = open_store(settings)
    try:
        store.rekey(key)
    finally:
        store.close()


def is_encrypted(path: Path) -> bool:
    """True if the file is there and is not a plain database."""
    return path.exists() and not is_plain(path)


def sqlite_version() -> str:
    """The SQLite that is in use."""
    return apsw.sqlite_lib_version()


def database_path(settings: Settings) -> Path:
    """The database file: the one named, or one in the user's data folder."""
    if settings.path is not None:
        return settings.path.expanduser()
    return platformdirs.user_data_path("sharpwave") / "memory.db"


def encryption_key(settings: EncryptionSettings) -> Key | None:
    """The key from wherever the settings say it is; None for a plain file."""
    given = [name for name in EncryptionSettings.model_fields if getattr(settings, name)]
    if len(given) > 1:
        raise InvalidSettings(f"give only one encryption key, not {' and '.join(given)}")
    if settings.passphrase:
        return passphrase_key(settings.passphrase.get_secret_value())
    if settings.key:
        return raw_key(settings.key.get_secret_value())
    if settings.key_file:
        return _key_from_file(settings.key_file.expanduser())
    if settings.keyring:
        return keyring_key(settings.keyring)
    return None


def _key_from_file(path: Path) -> Key:
    try:
        text = path.read_text("utf-8")
        others = path.stat().st_mode & 0o077
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidSettings(f"cannot read the key file {path}: {error}") from error
    if others and os.name == "posix":
        raise InvalidSettings(f"others can read the key file {path}; run: chmod 600 {path}")
    return raw_key(text)


def _embedder(settings: EmbedderSettings) -> Embedder:
    if settings.provider == "openai":
        return OpenAIEmbedder(settings)
    return HashEmbedder(settings.hash_dimension)


def _explained(error: ValidationError) -> str:
    """What is wrong with which setting, in one line each."""
    lines = []
    for problem in error.errors():
        name = ".".join(str(part) for part in problem["loc"]) or "settings"
        if problem["type"] == "extra_forbidden":
            lines.append(f"{name}: there is no such setting")
        else:
            lines.append(f"{name}: {problem['msg']}")
    return "; ".join(lines)
