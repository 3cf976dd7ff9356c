"""The event bus over ZeroMQ: keys, encoding, publisher and subscriber. Needs `sharpwave[zeromq]`.

    with subscribe("tcp://127.0.0.1:5560", "ana") as subscription:
        for event in subscription:
            print(event.seq, event.topic, event.payload)

Events that were missed (before, or while the connection was broken) can be read with the facade's
`events`, after the last `seq` received. With keys, CurveZMQ encrypts everything, and each client
key may subscribe to one user, or to all.
"""

import ipaddress
import logging
import os
import time
from collections.abc import Collection, Iterator, Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple, Self

from sharpwave import strict_json
from sharpwave.errors import InvalidInput, InvalidSettings, ProviderUnavailable
from sharpwave.settings.server import ZeroMqSettings
from sharpwave.temporal.clock import from_microseconds
from sharpwave.types.publishing import BY_TOPIC, EVENT, MESSAGES, BusMessage
from sharpwave.types.storing import Event


def load(name: str) -> Any:
    """A module of pyzmq or protobuf."""
    try:
        return import_module(name)
    except ImportError as error:
        raise InvalidSettings(f"the bus needs `pip install sharpwave[zeromq]` ({error})") from error


class KeyPair(NamedTuple):
    """A CurveZMQ key."""

    public: bytes
    secret: bytes


def make_key(file: Path) -> str:
    """Write a new secret key to a file that only its owner reads; returns the public half."""
    public, secret = load("zmq").curve_keypair()
    try:
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except OSError as error:
        raise InvalidInput(f"cannot write a key to {file}: {error.strerror}") from error
    with os.fdopen(descriptor, "wb") as key_file:
        key_file.write(secret + b"\n")
    return str(public.decode("ascii"))


def read_keys(file: Path) -> KeyPair:
    """The key in a file."""
    try:
        secret = file.expanduser().read_bytes().strip()
        group_permissions = file.expanduser().stat().st_mode & 0o077
    except OSError as error:
        raise InvalidSettings(f"cannot read the bus key {file}: {error.strerror}") from error
    if group_permissions and os.name == "posix":
        raise InvalidSettings(f"others can read the bus key {file}; run: chmod 600 {file}")
    try:
        return KeyPair(load("zmq").curve_public(checked_key(secret)), secret)
    except ValueError as error:
        raise InvalidSettings(f"{file} holds no key of `sharpwave keys bus`") from error


def checked_key(key: bytes) -> bytes:
    """A key in Z85; ValueError if it is none."""
    if len(key) != 40 or len(load("zmq.utils.z85").decode(key)) != 32:
        raise ValueError("a key of CurveZMQ has 40 characters")
    return key


PACKAGE = "sharpwave.v1"


def encode(message: BusMessage) -> bytes:
    """The message as protobuf; fields that are None are left out."""
    encoded = _classes()[BY_TOPIC.get(message.topic, EVENT)]()
    for name, value in message.fields.items():
        if isinstance(value, list | tuple):
            getattr(encoded, name).extend(value)
        elif value is not None:
            setattr(encoded, name, value)
    return bytes(encoded.SerializeToString())


def decode(topic: str, body: bytes) -> dict[str, Any]:
    """The fields of a message under a topic; missing ones have their empty value."""
    name = BY_TOPIC.get(topic, EVENT)
    decoded = _classes()[name].FromString(body)
    values = {field: getattr(decoded, field) for field in MESSAGES[name]}
    return {
        field: list(value) if MESSAGES[name][field].startswith("repeated") else value
        for field, value in values.items()
    }


@cache
def _classes() -> Mapping[str, Any]:
    pb2 = load("google.protobuf.descriptor_pb2")
    file = pb2.FileDescriptorProto(name="sharpwave.proto", package=PACKAGE, syntax="proto3")
    for name, fields in MESSAGES.items():
        message = file.message_type.add(name=name)
        for number, (field, kind) in enumerate(fields.items(), 1):
            *repeated, type_name = kind.split()
            types = pb2.FieldDescriptorProto
            message.field.add(
                name=field,
                number=number,
                type=getattr(types, f"TYPE_{type_name.upper()}"),
                label=types.LABEL_REPEATED if repeated else types.LABEL_OPTIONAL,
            )
    pool = load("google.protobuf.descriptor_pool").DescriptorPool()
    pool.Add(file)
    message_class = load("google.protobuf.message_factory").GetMessageClass
    return {
        name: message_class(pool.FindMessageTypeByName(f"{PACKAGE}.{name}")) for name in MESSAGES
    }


_LOG = logging.getLogger(__name__)
ALL_USERS = "*"
JOINED = "joined"
"""Third part of the first frame of the message that confirms a subscription."""
_REQUESTS = (b"\0", b"\1")
"""First bytes of the frames that a subscriber may send: unsubscribe, subscribe."""
_LINGER_MS = 500
_HIGH_WATER = 10_000
"""Maximum number of events queued for a slow subscriber; it misses the rest."""


class ZeroMqPublisher:
    """A publisher socket, bound when first needed; for one thread at a time."""

    def __init__(self, settings: ZeroMqSettings) -> None:
        self._zmq = load("zmq")
        load("google.protobuf.descriptor_pb2")
        self._address = settings.bind or ""
        self._key = read_keys(settings.key_file) if settings.key_file else None
        self._clients = _clients(settings)
        self._require_safe()
        self._context: Any = None
        self._socket: Any = None
        self._authenticator: Any = None
        self._warned = False

    @property
    def address(self) -> str:
        """The address it is bound to, with the actual port; empty before that."""
        return str(self._socket.getsockopt_string(self._zmq.LAST_ENDPOINT)) if self._socket else ""

    def open(self, last: int) -> bool:
        """Bind if needed, and answer subscribers; False while the address is taken."""
        if self._socket is None and not self._bind():
            return False
        while self._socket.poll(0):
            frame = self._socket.recv(copy=False)
            if bytes(frame)[:1] not in _REQUESTS:
                self._exclude(frame)
                return self._bind()
            self._answer(frame, last)
        return True

    def publish(self, message: BusMessage) -> None:
        """Send a message to its subscribers; a slow one misses it."""
        first = f"{message.user_id}\0{message.topic}".encode()
        self._socket.send_multipart([first, encode(message)], self._zmq.NOBLOCK)

    def close(self) -> None:
        """Send pending messages for a moment, and release the address."""
        if self._authenticator is not None:
            self._authenticator.stop()
        if self._context is not None:
            self._context.destroy(linger=_LINGER_MS)
        self._context = self._socket = self._authenticator = None

    def _bind(self) -> bool:
        zmq = self._zmq
        self._context = zmq.Context()
        socket = self._context.socket(zmq.XPUB)
        socket.setsockopt(zmq.XPUB_MANUAL, 1)
        socket.setsockopt(zmq.SNDHWM, _HIGH_WATER)
        if self._key is not None:
            # start the thread of CurveZMQ that accepts the keys of clients
            authenticator = load("zmq.auth.thread").ThreadAuthenticator(self._context)
            authenticator.start()
            known = frozenset(self._clients)
            accepts = SimpleNamespace(callback=lambda domain, key: bytes(key) in known)
            authenticator.configure_curve_callback(credentials_provider=accepts)
            self._authenticator = authenticator
            socket.curve_server, socket.curve_secretkey = True, self._key.secret
        try:
            socket.bind(self._address)
        except zmq.ZMQError as error:
            self.close()
            if not self._warned:  # webhooks are still delivered
                _LOG.warning("cannot publish at %s yet: %s", self._address, error)
            self._warned = True
            return False
        self._socket, self._warned = socket, False
        return True

    def _answer(self, frame: Any, last: int) -> None:
        """Accept or refuse a subscription, or end one."""
        sent = bytes(frame)
        request, prefix = sent[:1], sent[1:]
        if request == b"\0":
            self._socket.setsockopt(self._zmq.UNSUBSCRIBE, prefix)
        elif request == b"\1" and self._may_subscribe(frame, prefix):
            self._socket.setsockopt(self._zmq.SUBSCRIBE, prefix)
            joined = BusMessage(JOINED, "", {"seq": last, "topic": JOINED})
            self._socket.send_multipart([prefix + b"\0\0" + JOINED.encode(), encode(joined)])

    def _exclude(self, frame: Any) -> None:
        """Close all connections, and from then on refuse the sender's key.

        After a message that is no request, libzmq confuses the subscriptions of clients, which
        would then receive events of another user.
        """
        sender = self._sender(frame)
        user = self._clients.pop(sender, None) if sender else None
        _LOG.warning("a listener (a key of %r) spoke; it is not let in again", user)
        self.close()

    def _sender(self, frame: Any) -> bytes | None:
        """The public key that a frame came with."""
        try:
            return bytes(frame.get("User-Id").encode("ascii"))
        except (self._zmq.ZMQError, UnicodeEncodeError):
            return None

    def _may_subscribe(self, frame: Any, prefix: bytes) -> bool:
        if self._key is None:
            return True
        sender = self._sender(frame)
        user = self._clients.get(sender) if sender else None
        return user is not None and (user == ALL_USERS or prefix.startswith(f"{user}\0".encode()))

    def _require_safe(self) -> None:
        if self._key is None and not is_local(self._address):
            raise InvalidSettings(
                f"refused to publish at {self._address} unencrypted: other machines reach it. Make "
                "a key (`sharpwave keys bus FILE`) and name it in server.zeromq.key_file"
            )
        if self._key is not None and not self._clients:
            raise InvalidSettings(
                "nobody may listen: name public keys in server.zeromq.clients, each with its user"
            )


def is_local(address: str) -> bool:
    """Whether a ZeroMQ address can be reached from this machine only.

    >>> is_local("tcp://127.0.0.1:1"), is_local("tcp://[::1]:1"), is_local("ipc:///run/bus")
    (True, True, True)
    >>> is_local("tcp://*:5560"), is_local("tcp://0.0.0.0:1"), is_local("tcp://eth0:1")
    (False, False, False)
    """
    kind, _, rest = address.partition("://")
    if kind in ("ipc", "inproc"):
        return True
    host = rest.rpartition(":")[0].strip("[]")
    try:
        return kind == "tcp" and ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _clients(settings: ZeroMqSettings) -> dict[bytes, str]:
    try:
        return {checked_key(key.encode("ascii")): user for key, user in settings.clients.items()}
    except ValueError as error:
        raise InvalidSettings(f"server.zeromq.clients: {error}") from error


_ENVELOPE = ("seq", "timestamp", "user_id", "topic", "payload")


def subscribe(
    address: str,
    user: str = ALL_USERS,
    topics: Collection[str] = (),
    *,
    server_key: str | None = None,
    key_file: str | Path | None = None,
    join_s: float = 10.0,
) -> "Subscription":
    """Subscribe to the events of a user, or with `*` of all users, if the key allows it.

    `server_key` is the public key of the server, `key_file` your own (`sharpwave keys bus FILE`).
    Returns once the server has accepted; ProviderUnavailable if it does not within `join_s`.
    """
    subscription = Subscription(address, user, topics)
    try:
        subscription.join(server_key, None if key_file is None else Path(key_file), join_s)
    except BaseException:  # passed on; only the connection must not be left behind
        subscription.close()
        raise
    return subscription


class Subscription:
    """A subscription; for one thread at a time. Iterating never ends by itself."""

    def __init__(self, address: str, user: str, topics: Collection[str]) -> None:
        self._zmq = load("zmq")
        self._context = self._zmq.Context()
        self._socket: Any = self._context.socket(self._zmq.SUB)
        self._address, self._topics = address, frozenset(topics)
        self._prefix = b"" if user == ALL_USERS else f"{user}\0".encode()
        self.since: int | None = None
        """The last event before the subscription; later ones are received."""

    def join(self, server_key: str | None, key_file: Path | None, within_s: float) -> None:
        """Connect, and wait until the server has accepted."""
        zmq, socket = self._zmq, self._socket
        if (server_key is None) != (key_file is None):
            raise InvalidInput("give both the server's public key and a key file of your own")
        if server_key is not None and key_file is not None:
            own = read_keys(key_file)
            socket.curve_serverkey = server_key.encode("ascii")
            socket.curve_publickey, socket.curve_secretkey = own
        try:
            socket.connect(self._address)
        except zmq.ZMQError as error:
            raise InvalidInput(f"{self._address!r} is no address of a bus: {error}") from error
        socket.setsockopt(zmq.SUBSCRIBE, self._prefix)
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
            event = self._take(left)
            if event is not None or left == 0.0:
                return event

    def __iter__(self) -> Iterator[Event]:
        while True:
            if (event := self.receive()) is not None:
                yield event

    def _take(self, within_s: float | None) -> Event | None:
        """The next message, if it is an event of a wanted topic."""
        if not self._socket.poll(None if within_s is None else max(1, round(within_s * 1000))):
            return None
        first, body = self._socket.recv_multipart()
        _, _, topic = first.decode().partition("\0")
        if topic.endswith(f"\0{JOINED}"):
            self.since = decode(JOINED, body)["seq"] if self.since is None else self.since
            return None
        if self._topics and topic not in self._topics:
            return None
        # the event of a message; typed messages have fields of their own
        fields = decode(topic, body)
        rest = {name: value for name, value in fields.items() if name not in _ENVELOPE}
        more = {} if topic in BY_TOPIC else strict_json.loads(fields["payload"])
        at = from_microseconds(fields["timestamp"])
        return Event(fields["seq"], at, topic, fields["user_id"] or None, {**rest, **more})

    def close(self) -> None:
        """Close the connection."""
        self._context.destroy(linger=0)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()
