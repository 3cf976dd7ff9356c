"""The psycopg package, which is an extra, and its errors as ours."""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any

from sharpwave.errors import (
    InvalidInput,
    InvalidSettings,
    StorageError,
    StoreBusy,
    StoreDegraded,
    StoreFull,
)

if TYPE_CHECKING:
    from psycopg_pool import ConnectionPool

_BUSY = {"55P03", "57014", "40001", "40P01"}  # lock timeout, cancelled, serialization, deadlock
_FULL = {"53100"}
_ALWAYS = {
    "autocommit": True,  # transactions begin and end where the code says so
    "application_name": "sharpwave",
    "keepalives_idle": 30,
    "keepalives_interval": 10,
    "keepalives_count": 3,
    "tcp_user_timeout": 30_000,  # milliseconds
}


class Packed(bytes):
    """A binding in the server's own binary form; its statement says what it is."""


def connect(url: str, wait_s: float) -> Any:
    """One connection beside the pool, which notices within a minute that the server is gone."""
    return _load("psycopg").connect(
        url,
        connect_timeout=max(1, round(wait_s)),
        **_ALWAYS,
    )


def open_pool(url: str, *, limit: int, wait_s: float, lock_wait_s: float) -> "ConnectionPool[Any]":
    """Connections that are opened when they are needed, at most `limit`."""
    pool: ConnectionPool[Any] = _load("psycopg_pool").ConnectionPool(
        url,
        min_size=0,
        max_size=limit,
        timeout=wait_s,
        num_workers=1,
        open=False,
        configure=_take_packed,
        kwargs={
            **_ALWAYS,
            "connect_timeout": max(1, round(wait_s)),
            "options": f"-c lock_timeout={round(lock_wait_s * 1000)} -c search_path=public",
        },
    )
    pool.open()
    return pool


def _take_packed(connection: Any) -> None:
    """Let a connection send what is packed as it is."""
    binary = _load("psycopg.pq").Format.BINARY

    class PackedDumper(_load("psycopg.adapt").Dumper):  # type: ignore[misc]
        format = binary

        def dump(self, obj: Packed) -> bytes:
            return obj

    connection.adapters.register_dumper(Packed, PackedDumper)


def lost_connection() -> Any:
    """The class of the error that tells that a connection works no more."""
    return _load("psycopg").OperationalError


@contextmanager
def translated() -> Iterator[None]:
    """Turn the errors of psycopg into ours, each saying what to do."""
    psycopg, psycopg_pool = _load("psycopg"), _load("psycopg_pool")
    try:
        yield
    except psycopg_pool.PoolTimeout as error:
        raise StoreDegraded(
            "PostgreSQL cannot be reached, or is too busy to be. Check the server and the address "
            "(postgres.url), then repeat the call."
        ) from error
    except psycopg.Error as error:
        raise _ours(error, error.sqlstate or "") from error
    except UnicodeEncodeError as error:
        raise InvalidInput(
            f"half of a surrogate pair at position {error.start} is no character; remove it"
        ) from error


def _ours(error: Exception, state: str) -> StorageError | InvalidInput:
    if state in _BUSY:
        return StoreBusy("others kept these memories locked; nothing was written. Try again.")
    if state in _FULL:
        return StoreFull("PostgreSQL has no space left; nothing was written. Free some.")
    if state.startswith("22") or (not state and type(error).__name__ == "DataError"):
        return InvalidInput(f"PostgreSQL cannot hold this: {first_line(error)}")
    if not state or state.startswith(("08", "57P")):
        return StoreDegraded(
            f"the connection to PostgreSQL failed ({first_line(error)}); the call was not "
            "acknowledged and may or may not have happened. Repeat it."
        )
    return StorageError(f"PostgreSQL: {first_line(error)}")


def first_line(error: Exception) -> str:
    """What happened, without the detail, which may quote what somebody said."""
    return str(error).partition("\n")[0]


def _load(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError as error:
        raise InvalidSettings(
            "a memory on PostgreSQL needs an extra: pip install 'sharpwave[postgres]'"
        ) from error
