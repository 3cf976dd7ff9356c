"""Builds the parts of a memory from the settings.

The only file that reads the environment, and the only one that knows both the ports and what
stands behind them. What a memory in a file does not need is loaded when settings ask for it.
"""

from __future__ import annotations

import hashlib
import os
import re
import tomllib
from collections.abc import Collection, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

import platformdirs
from pydantic import SecretStr, ValidationError

from sharpwave.embedding.cached_embedder import CachedEmbedder
from sharpwave.embedding.sharpwave_embedder import SharpwaveEmbedder
from sharpwave.embedding.table import Table, load_table
from sharpwave.embedding.table_embedder import TableEmbedder, TokenScorer
from sharpwave.errors import InvalidInput, InvalidSettings
from sharpwave.events.webhook_sender import WebhookSender
from sharpwave.index.large_index import LargeIndex
from sharpwave.index.recall_index import RecallIndex
from sharpwave.ports import (
    LLM,
    Clock,
    Embedder,
    Index,
    IntentModel,
    NameFinder,
    Publisher,
    Reader,
    Reranker,
    TokenMatcher,
)
from sharpwave.settings.models import EmbedderSettings, NamesSettings
from sharpwave.settings.storage import EncryptionSettings
from sharpwave.settings.tree import Settings
from sharpwave.settings.weights import WeightsFile
from sharpwave.storage.sqlite.key import Key, keyring_key, passphrase_key, raw_key
from sharpwave.storage.sqlite.store import SqliteStore
from sharpwave.temporal.clock import SystemClock, UtcClock
from sharpwave.types.storing import Space
from sharpwave.workspace import Resources

if TYPE_CHECKING:
    from sharpwave.llm.chat_llm import ChatLLM
    from sharpwave.settings.server import ZeroMqSettings
    from sharpwave.storage.postgres.store import PostgresStore

_SQLITE = re.compile(r"^sqlite:(?://(?=/))?")


def load_settings(file: Path | str | None = None, **arguments: Any) -> Settings:
    """Settings from defaults, a TOML file, the environment and arguments; the later ones win.

    Without `file`, the variable SHARPWAVE_FILE names it; without that, `sharpwave.toml` in the
    user's settings folder is read if it is there.
    """
    _refuse_unknown_variables()
    given = _merged(_from_file(file), _from_environment())
    try:
        return Settings.model_validate(_merged(given, _in_any_case(arguments)))
    except ValidationError as error:
        raise InvalidSettings(_explained(error, _variables())) from error


def _from_file(file: Path | str | None) -> dict[str, Any]:
    toml = _settings_file(file)
    try:
        return _in_any_case(tomllib.loads(toml.read_text("utf-8")) if toml.is_file() else {})
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InvalidSettings(f"{toml} is not valid TOML: {error}") from error


def _from_environment() -> dict[str, Any]:
    if not any(name.startswith("SHARPWAVE_") for name in _variables() - {"SHARPWAVE_FILE"}):
        return {}
    from sharpwave.settings import environment

    return environment.read()


def _in_any_case(given: Mapping[str, Any]) -> dict[str, Any]:
    """The settings with group names in lower case; variables are written in capitals."""
    known = Settings.model_fields
    return {low if (low := name.lower()) in known else name: value for name, value in given.items()}


def _merged(given: Mapping[str, Any], wins: Mapping[str, Any]) -> dict[str, Any]:
    """Both merged, group by group; where both have a value, the second wins."""
    merged = dict(given)
    for name, value in wins.items():
        earlier = merged.get(name)
        if isinstance(earlier, dict) and isinstance(value, dict):
            merged[name] = _merged(earlier, value)
        else:
            merged[name] = value
    return merged


def setting_sources(file: Path | str | None = None) -> dict[str, str]:
    """For each setting that the file or the environment gives, which of them counts."""
    by_source = {"file": _from_file(file), "environment": _from_environment()}
    return {name: source for source, given in by_source.items() for name in _given_names(given, "")}


def _given_names(group: dict[str, Any], prefix: str) -> Iterator[str]:
    for name, value in group.items():
        yield prefix + name
        if isinstance(value, dict):
            yield from _given_names(value, f"{prefix}{name}.")


def _settings_file(file: Path | str | None) -> Path:
    chosen = file or os.environ.get("SHARPWAVE_FILE")
    if chosen and not Path(chosen).is_file():
        raise InvalidSettings(f"there is no settings file {chosen}")
    return Path(chosen) if chosen else platformdirs.user_config_path("sharpwave") / "sharpwave.toml"


def _refuse_unknown_variables() -> None:
    """InvalidSettings for a misspelt variable, which would be ignored silently."""
    known = {name.upper() for name in Settings.model_fields} | {"FILE"}
    for variable in os.environ:
        name = variable.upper().removeprefix("SHARPWAVE_").split("__")[0]
        if variable.upper().startswith("SHARPWAVE_") and name not in known:
            raise InvalidSettings(f"{variable}: there is no such setting")


def load_weights(file: Path | None) -> WeightsFile:
    """The weights file named in the settings, or the bundled one."""
    source = file or files("sharpwave") / "data" / "weights.toml"
    try:
        return WeightsFile.model_validate(tomllib.loads(source.read_text("utf-8")))
    except (OSError, tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InvalidSettings(f"cannot read the weights file {source}: {error}") from error
    except ValidationError as error:
        raise InvalidSettings(f"weights file {source}: {_explained(error)}") from error


def open_resources(
    settings: Settings,
    clock: Clock | None = None,
    embedder: Embedder | None = None,
    llm: LLM | None = None,
    intent_model: IntentModel | None = None,
) -> Resources:
    """Open the store and everything around it."""
    # Must be set before onnxruntime is loaded, which would otherwise send telemetry.
    os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
    weights = load_weights(settings.weights_file)
    store = open_store(settings)
    try:
        table = load_table(None)  # shared, so that forgotten words leave all caches
        inner = embedder or _embedder(settings.embedder, store, table)
        cached = CachedEmbedder(inner)
        tokens, reranker = TokenScorer(table), _reranker(settings)
        index = _index(settings, store, cached.space, tokens)
        opened = None if llm else open_model(settings)
        names, reader = _names(settings.names), _reader(settings.embedder, table)
        publisher = _publisher(settings.server.zeromq)
    except BaseException:  # passed on; only the open file must not be left behind
        store.close()
        raise
    utc_clock = UtcClock(clock.now) if clock else SystemClock()
    sender = WebhookSender(settings.server.webhooks)
    connections = ExitStack()
    for model in (None if embedder else inner, opened):  # the caller closes its own models
        if model is not None and hasattr(model, "close"):
            connections.callback(model.close)
    further = (
        reranker,
        sender,
        publisher,
        names,
        reader,
        intent_model,
        cached.hit_rate,
        connections.close,
    )
    resources = Resources(
        store, index, cached, utc_clock, settings, weights, llm or opened, tokens, *further
    )
    if isinstance(inner, SharpwaveEmbedder):  # the classifier of comments was fitted to its table
        return replace(resources, comment_embedder=TableEmbedder(table))
    return resources


def _publisher(settings: ZeroMqSettings) -> Publisher | None:
    if not settings.bind:
        return None
    from sharpwave.events import zeromq

    return zeromq.ZeroMqPublisher(settings)


def make_bus_key(file: Path) -> str:
    """Write a new CurveZMQ key to a file; returns the public half."""
    from sharpwave.events import zeromq

    return zeromq.make_key(real_path(file))


def open_store(settings: Settings) -> SqliteStore | PostgresStore:
    """Open only the store, as upkeep needs it."""
    if (url := settings.postgres.url) is None:
        return open_file(settings)
    from sharpwave.storage.postgres import store as postgres

    if settings.path is not None:
        raise InvalidSettings("a memory is in a file or on PostgreSQL: give path or postgres.url")
    if encryption_key(settings.encryption) is not None:
        raise InvalidSettings("on PostgreSQL the server encrypts its disk; give no encryption key")
    return postgres.PostgresStore(url.get_secret_value(), settings.postgres, settings.store)


def open_file(settings: Settings) -> SqliteStore:
    """Open the database file; InvalidSettings if the memory is on PostgreSQL."""
    return SqliteStore(database_path(settings), settings.store, encryption_key(settings.encryption))


def at_place(settings: Settings, place: str | Path) -> Settings:
    """The settings with the memory elsewhere: a file, `sqlite:file` or `postgresql://…`."""
    on_server = is_url(place)
    url = SecretStr(str(place)) if on_server else None
    postgres = settings.postgres.model_copy(update={"url": url})
    file = None if on_server else Path(_SQLITE.sub("", str(place)))
    return settings.model_copy(update={"path": file, "postgres": postgres})


def is_url(place: str | Path) -> bool:
    """True if a place is on PostgreSQL."""
    return str(place).startswith(("postgresql://", "postgres://"))


def is_on_server(settings: Settings) -> bool:
    """True if the memory is on PostgreSQL, and not in a file."""
    return settings.postgres.url is not None


def unfinished_graphs(store: SqliteStore | PostgresStore) -> int:
    """How many graphs of vectors the server of a store began and did not finish; 0 for a file."""
    if isinstance(store, SqliteStore):
        return 0
    from sharpwave.storage.postgres import catalog

    with store.database.alone() as db:
        return catalog.unfinished_graphs(db)


def database_path(settings: Settings) -> Path:
    """The database file: the one named, or one in the user's data folder."""
    if is_on_server(settings):
        raise InvalidSettings(
            "this works on a memory file, but the memory is on PostgreSQL: use the server's tools"
        )
    chosen = settings.path or platformdirs.user_data_path("sharpwave") / "memory.db"
    return real_path(chosen)


def file_beside(settings: Settings) -> Path:
    """A path for what belongs to a memory but is not in it: that of its file, if it has one."""
    if (url := settings.postgres.url) is None:
        return database_path(settings)
    name = hashlib.sha256(url.get_secret_value().encode()).hexdigest()[:12]
    folder = platformdirs.user_data_path("sharpwave")
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder / f"postgresql-{name}"


def encryption_key(settings: EncryptionSettings) -> Key | None:
    """The key from wherever the settings say it is; None for a plain file."""
    given = [
        name for name in EncryptionSettings.model_fields if getattr(settings, name) is not None
    ]
    if len(given) > 1:
        raise InvalidSettings(f"give only one encryption key, not {' and '.join(given)}")
    if settings.passphrase is not None:
        return passphrase_key(settings.passphrase.get_secret_value())
    if settings.key is not None:
        return raw_key(settings.key.get_secret_value())
    if settings.key_file is not None:
        return _key_from_file(settings.key_file.expanduser())
    if settings.keyring is not None:
        return keyring_key(settings.keyring)
    return None


def real_path(path: Path) -> Path:
    """The file itself, not a link to it: SQLite keeps the log beside the file."""
    try:
        return path.expanduser().resolve()
    except (OSError, ValueError, RuntimeError) as error:
        raise InvalidInput(f"{path} is not a usable path: {error}") from error


def _key_from_file(path: Path) -> Key:
    try:
        text = path.read_text("utf-8")
        other_bits = path.stat().st_mode & 0o077
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidSettings(f"cannot read the key file {path}: {error}") from error
    if other_bits and os.name == "posix":
        raise InvalidSettings(f"others can read the key file {path}; run: chmod 600 {path}")
    return raw_key(text)


def _embedder(
    settings: EmbedderSettings, store: SqliteStore | PostgresStore, table: Table
) -> Embedder:
    if settings.provider == "sharpwave":
        return SharpwaveEmbedder(table)
    if settings.provider == "table":
        return TableEmbedder(table)
    from sharpwave.embedding import hash_embedder, local_models, openai_embedder

    if settings.provider == "openai":
        # stored vectors of this model show its size, even if the endpoint is down
        return openai_embedder.OpenAIEmbedder(settings, store.known_spaces())
    if settings.provider == "hash":
        return hash_embedder.HashEmbedder()
    folder = local_models.existing(settings.model_folder, "embedder.model_folder")
    if settings.provider == "model2vec":
        return local_models.Model2VecEmbedder(folder)
    if settings.provider == "fastembed":
        return local_models.FastEmbedEmbedder(settings.model, folder, settings.device)
    return local_models.SentenceTransformerEmbedder(folder, settings.device)


def _index(
    settings: Settings,
    store: SqliteStore | PostgresStore,
    space: Space,
    tokens: TokenMatcher | None,
) -> Index:
    """The recall index; on PostgreSQL large users are searched by the database, if it can."""
    index = RecallIndex(store, space, settings.index, tokens)
    if isinstance(store, SqliteStore):
        return index
    from sharpwave.storage.postgres import catalog as catalog_module

    catalog = catalog_module.open_catalog(store.database, settings.postgres)
    if catalog is None:
        return index
    return LargeIndex(index, catalog)


def _reranker(settings: Settings) -> Reranker | None:
    if settings.reranker.folder is None:
        return None
    from sharpwave.embedding import local_models

    return local_models.CrossEncoder(
        local_models.existing(settings.reranker.folder, "reranker.folder")
    )


def _names(chosen: NamesSettings) -> NameFinder | None:
    if chosen.folder is None:
        return None
    from sharpwave.embedding import local_models

    return local_models.GlinerNames(local_models.existing(chosen.folder, "names.folder"))


def _reader(settings: EmbedderSettings, table: Table) -> Reader | None:
    """The bundled reader; None for the provider "table", which needs no onnxruntime."""
    if settings.provider == "table":
        return None
    from sharpwave.embedding.reader import SentenceReader

    return SentenceReader(table)


def open_model(settings: Settings) -> ChatLLM | None:
    """The language model that the settings name, if they do."""
    chosen = settings.llm
    if not chosen.named:
        return None
    from sharpwave.llm import chat_llm

    return chat_llm.open_llm(chosen, os.environ)


def _variables() -> frozenset[str]:
    return frozenset(variable.upper() for variable in os.environ)


def _explained(error: ValidationError, variables: Collection[str] = ()) -> str:
    """Each invalid setting, or its variable, and what is wrong with it, in one line."""
    lines = []
    for problem in error.errors():
        name = ".".join(str(part) for part in problem["loc"]) or "settings"
        variable = f"SHARPWAVE_{name.replace('.', '__').upper()}"
        name += f" ({variable})" if variable in variables else ""
        if problem["type"] == "extra_forbidden":
            lines.append(f"{name}: there is no such setting")
        else:
            lines.append(f"{name}: {problem['msg']}")
    return "; ".join(lines)
