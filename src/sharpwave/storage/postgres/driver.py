"""The psycopg package, which is an extra: connections, errors, packed bindings, time limits.

libpq waits for an answer without a limit, and a connection that is cut in the middle is not noticed
by either end for many minutes: `Watch` ends the wait.

Bindings are packed in the server's binary form by NumPy, so nothing is written out and read again:

halfvec  dimension, 0, then each number                2 bytes each
array    1, 0, type, count, 1, then each with its size  4 bytes each; the high one first
"""

import contextlib
import os
import socket
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sharpwave import errors

if TYPE_CHECKING:
    from psycopg_pool import ConnectionPool


_BUSY = {"55P03", "57014", "40001", "40P01"}  # lock timeout, cancelled, serialization, deadlock
_FULL = {"53100"}
_CONNECTION_OPTIONS = {
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
        **_CONNECTION_OPTIONS,
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
        configure=_register_packed,
        kwargs={
            **_CONNECTION_OPTIONS,
            "connect_timeout": max(1, round(wait_s)),
            "options": f"-c lock_timeout={round(lock_wait_s * 1000)} -c search_path=public",
        },
    )
    pool.open()
    return pool


def _register_packed(connection: Any) -> None:
    """Let a connection send packed bindings unchanged."""
    binary = _load("psycopg.pq").Format.BINARY

    class PackedDumper(_load("psycopg.adapt").Dumper):  # type: ignore[misc]
        format = binary

        def dump(self, obj: Packed) -> bytes:
            return obj

    connection.adapters.register_dumper(Packed, PackedDumper)


def lost_connection() -> Any:
    """The class of the error of a broken connection."""
    return _load("psycopg").OperationalError


@contextmanager
def translated() -> Iterator[None]:
    """Turn the errors of psycopg into ours, each saying what to do."""
    psycopg, psycopg_pool = _load("psycopg"), _load("psycopg_pool")
    try:
        yield
    except psycopg_pool.PoolTimeout as error:
        raise errors.StoreDegraded(
            "PostgreSQL cannot be reached, or is too busy to be. Check the server and the address "
            "(postgres.url), then repeat the call."
        ) from error
    except psycopg.Error as error:
        raise _translation(error, error.sqlstate or "") from error
    except UnicodeEncodeError as error:
        raise errors.InvalidInput(
            f"half of a surrogate pair at position {error.start} is no character; remove it"
        ) from error


def _translation(error: Exception, state: str) -> errors.StorageError | errors.InvalidInput:
    if state in _BUSY:
        return errors.StoreBusy(
            "others kept these memories locked; nothing was written. Try again."
        )
    if state in _FULL:
        return errors.StoreFull("PostgreSQL has no space left; nothing was written. Free some.")
    if state.startswith("22") or (not state and type(error).__name__ == "DataError"):
        return errors.InvalidInput(f"PostgreSQL cannot hold this: {first_line(error)}")
    if not state or state.startswith(("08", "57P")):
        return errors.StoreDegraded(
            f"the connection to PostgreSQL failed ({first_line(error)}); the call was not "
            "acknowledged and may or may not have happened. Repeat it."
        )
    return errors.StorageError(f"PostgreSQL: {first_line(error)}")


def first_line(error: Exception) -> str:
    """What happened, without the detail, which may quote a user's words."""
    return str(error).partition("\n")[0]


def _load(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError as error:
        raise errors.InvalidSettings(
            "a memory on PostgreSQL needs an extra: pip install 'sharpwave[postgres]'"
        ) from error


_HEAD = np.dtype([("dimensions", ">i4"), ("nulls", ">i4"), ("type", ">u4"), ("shape", ">i4", 2)])
_NUMBER = np.dtype([("size", ">i4"), ("number", ">i8")])
_BIGINT = 20
"""The number of that type, in every database."""


def pack_numbers(wanted: Sequence[int] | NDArray[np.int64]) -> Packed:
    """Whole numbers, as `bigint[]`."""
    rows = np.zeros(len(wanted), _NUMBER)
    rows["size"], rows["number"] = 8, wanted
    return _packed_array(rows, _BIGINT)


def pack_vector(numbers: NDArray[Any]) -> Packed:
    """One vector, as `halfvec`."""
    return Packed(_packed_vectors(numbers.reshape(1, -1))["vector"].tobytes())


def pack_vectors(vectors: Sequence[NDArray[Any]], type_no: int) -> Packed:
    """Vectors of one dimension, as `halfvec[]`; the database says which number that type has."""
    return _packed_array(_packed_vectors(np.stack(vectors)), type_no)


def _packed_vectors(matrix: NDArray[Any]) -> NDArray[np.void]:
    count, dimension = matrix.shape
    form = np.dtype([("dimension", ">i2"), ("unused", ">i2"), ("numbers", ">f2", dimension)])
    rows = np.zeros(count, np.dtype([("size", ">i4"), ("vector", form)]))
    rows["size"] = form.itemsize
    rows["vector"]["dimension"] = dimension
    rows["vector"]["numbers"] = matrix
    return rows


def _packed_array(rows: NDArray[np.void], type_no: int) -> Packed:
    return Packed(np.array([(1, 0, type_no, (len(rows), 1))], _HEAD).tobytes() + rows.tobytes())


_CHECK_EVERY_S = 0.25


class Watch:
    """Knows which connections wait for an answer, and until when."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._until: dict[int, tuple[float, Any]] = {}
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._check, name="sharpwave-watch", daemon=True)
        self._thread.start()

    @contextlib.contextmanager
    def over(self, connection: Any, seconds: float) -> Iterator[None]:
        """Waits inside this context end in time: by an answer or the error of a lost connection."""
        with self._lock:
            self._until[id(connection)] = (time.monotonic() + seconds, connection)
        try:
            yield
        finally:
            with self._lock:
                self._until.pop(id(connection), None)

    def close(self) -> None:
        self._closing.set()
        self._thread.join()

    def _check(self) -> None:
        while not self._closing.wait(_CHECK_EVERY_S):
            now = time.monotonic()
            with self._lock:  # until it is cut off the connection is not used for something else
                for until, connection in self._until.values():
                    if now > until:
                        _cut(connection)


def _cut(connection: Any) -> None:
    """Close the line under a connection, so that its reader wakes up."""
    with contextlib.suppress(Exception):  # the connection itself raises for its reader
        descriptor = os.dup(connection.fileno())
        with socket.socket(fileno=descriptor) as line:
            line.shutdown(socket.SHUT_RDWR)
