"""Listening to a bus: what happens, while it happens.

    with subscribe("tcp://127.0.0.1:5560", "ana") as listening:
        for event in listening:
            print(event.seq, event.topic, event.payload)

What was missed (before, or while the connection was broken) can be read with `Memory.events`, after
the last `seq` that was heard.
"""

import json
import time
from collections.abc import Collection, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from sharpwave.errors import InvalidInput, ProviderUnavailable
from sharpwave.events.zeromq import curve
from sharpwave.events.zeromq.encoding import decode
from sharpwave.events.zeromq.optional import load
from sharpwave.events.zeromq.publisher import EVERYBODY, JOINED
from sharpwave.types.publishing import BY_TOPIC
from sharpwave.types.storing import Event

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_BESIDE = ("seq", "timestamp", "user_id", "topic", "payload")


def subscribe(
    address: str,
    user: str = EVERYBODY,
    topics: Collection[str] = (),
    *,
    server_key: str | None = None,
    key_file: str | Path | None = None,
    join_s: float = 10.0,
) -> "Subscription":
    """Listen to what happens to a user's memory; to everybody's with `*`, if the key allows it.

    `server_key` is the public key of the server, `key_file` one's own (`sharpwave keys bus FILE`).
    Returns once the server has let us in; ProviderUnavailable if it does not within `join_s`.
    """
    made = Subscription(address, user, topics)
    try:
        made.join(server_key, None if key_file is None else Path(key_file), join_s)
    except BaseException:  # passed on; only the connection must not be left behind
        made.close()
        raise
    return made


class Subscription:
    """A listener; for one thread at a time. Iterating never ends by itself."""

    def __init__(self, address: str, user: str, topics: Collection[str]) -> None:
        self._zmq = load("zmq")
        self._context = self._zmq.Context()
        self._socket: Any = self._context.socket(self._zmq.SUB)
        self._address, self._topics = address, frozenset(topics)
        self._begins = b"" if user == EVERYBODY else f"{user}\0".encode()
        self.since: int | None = None
        """The last event before we were let in; later ones are heard."""

    def join(self, server_key: str | None, key_file: Path | None, within_s: float) -> None:
        """Connect, and wait until the server has let us in."""
        zmq, socket = self._zmq, self._socket
        if (server_key is None) != (key_file is None):
            raise InvalidInput("give both the server's public key and a key file of your own")
        if server_key is not None and key_file is not None:
            own = curve.read(key_file)
            socket.curve_serverkey = server_key.encode("ascii")
            socket.curve_publickey, socket.curve_secretkey = own
        try:
            socket.connect(self._address)
        except zmq.ZMQError as error:
            raise InvalidInput(f"{self._address!r} is no address of a bus: {error}") from error
        socket.setsockopt(zmq.SUBSCRIBE, self._begins)
        ends = time.monotonic() + within_s
        while self.since is None and (left := ends - time.monotonic()) > 0:
            self._take(left)
        if self.since is None:
            raise ProviderUnavailable(
                f"{self._address} did not let us in within {within_s:g} s: nobody is there, or the "
                "keys do not allow to hear this user"
            )

    def receive(self, within_s: float | None = None) -> Event | None:
        """The next event; None if there was none in this time."""
        ends = None if within_s is None else time.monotonic() + within_s
        while True:
            left = None if ends is None else max(0.0, ends - time.monotonic())
            found = self._take(left)
            if found is not None or left == 0.0:
                return found

    def __iter__(self) -> Iterator[Event]:
        """Every event, as it comes."""
        while True:
            found = self.receive()
            if found is not None:
                yield found

    def _take(self, within_s: float | None) -> Event | None:
        """What comes next, if it is an event that was asked for."""
        if not self._socket.poll(None if within_s is None else max(1, round(within_s * 1000))):
            return None
        first, body = self._socket.recv_multipart()
        _, _, topic = first.decode().partition("\0")
        if topic.endswith(f"\0{JOINED}"):
            self.since = decode(JOINED, body)["seq"] if self.since is None else self.since
            return None
        if self._topics and topic not in self._topics:
            return None
        return _event(topic, decode(topic, body))

    def close(self) -> None:
        """Listen no longer."""
        self._context.destroy(linger=0)

    def __enter__(self) -> Self:
        """Use as a context manager."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close."""
        self.close()


def _event(topic: str, fields: dict[str, Any]) -> Event:
    """A message as the event that `Memory.events` would give; typed ones have their own fields."""
    rest = {name: value for name, value in fields.items() if name not in _BESIDE}
    more = {} if topic in BY_TOPIC else json.loads(fields["payload"])
    at = _EPOCH + timedelta(microseconds=fields["timestamp"])
    return Event(fields["seq"], at, topic, fields["user_id"] or None, {**rest, **more})
