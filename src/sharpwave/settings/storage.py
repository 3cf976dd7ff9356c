"""The file, its key and the index in memory."""

from pathlib import Path
from typing import Literal

from pydantic import Field, SecretStr

from sharpwave.settings.core import Group


class IndexSettings(Group):
    """The in-memory recall index of each user."""

    budget_mib: int = Field(
        1024,
        ge=1,
        description="Maximum memory of all recall indexes in MiB; the least recently used are "
        "dropped.",
    )


class StoreSettings(Group):
    """The SQLite file."""

    synchronous: Literal["FULL", "NORMAL", "OFF"] = Field(
        "FULL",
        description="SQLite's `synchronous` mode. Only FULL keeps acknowledged memories through "
        "a power cut.",
    )


class PostgresSettings(Group):
    """A PostgreSQL database instead of the file, shared by any number of machines."""

    url: SecretStr | None = Field(
        None, description="postgresql://role:password@host/database; needs the postgres extra."
    )
    connections: int = Field(
        8, ge=2, le=1000, description="Maximum number of connections per process."
    )
    search: Literal["auto", "database", "memory"] = Field(
        "auto",
        description="Where large users are searched. auto: in the database if it has pgvector. "
        "database: only there. memory: in the memory of each process.",
    )


class EncryptionSettings(Group):
    """Encryption of the whole file, compatible with SQLCipher 4. Set at most one key source."""

    passphrase: SecretStr | None = Field(
        None, description="A passphrase, from which the key is derived by PBKDF2."
    )
    key: SecretStr | None = Field(None, description="A raw key: 64 hexadecimal digits.")
    key_file: Path | None = Field(None, description="A file with the raw key, mode 0600.")
    keyring: str | None = Field(
        None, description="Name of the key in the system keyring (needs the keyring extra)."
    )
