"""Where a test's memory lives: in a file, or on PostgreSQL."""

from functools import cache
from pathlib import Path

from tests.storage.postgres import server

from sharpwave.settings.storage import PostgresSettings, StoreSettings
from sharpwave.storage.postgres.store import PostgresStore

PLACES = ("file", "postgres")


def empty(kind: str, folder: Path) -> str:
    """A place of this kind with nothing in it; on PostgreSQL only until the next one is asked."""
    if kind == "file":
        return str(folder / "m.db")
    address = _database()
    server.empty_database(address)
    return address


@cache
def _database() -> str:
    address = server.new_database()
    PostgresStore(address, PostgresSettings(), StoreSettings()).close()
    return address
