"""Databases on a PostgreSQL server, for the tests of this folder."""

from collections.abc import Iterator

import pytest
from tests.storage.postgres import server

from sharpwave.settings.storage import PostgresSettings, StoreSettings
from sharpwave.storage.postgres.store import PostgresStore


@pytest.fixture
def database() -> Iterator[str]:
    """The address of a new, empty database."""
    address = server.new_database()
    yield address
    server.drop_database(address)


@pytest.fixture(scope="session")
def _kept() -> Iterator[str]:
    address = server.new_database()
    PostgresStore(address, PostgresSettings(), StoreSettings()).close()
    yield address
    server.drop_database(address)


@pytest.fixture
def emptied(_kept: str) -> str:
    """The address of a database with nothing in it but the schema."""
    server.empty_database(_kept)
    return _kept
