"""Publishes to whoever listens, each to what its key allows.

A message has two frames: `user NUL topic`, and the protobuf message. Listeners ask for what begins
in some way; here it is decided whether they may, since the socket leaves that to us (XPUB_MANUAL)
and the key of whoever asks comes with the question.
"""

import ipaddress
import logging
from typing import Any

from sharpwave.errors import InvalidSettings
from sharpwave.events.zeromq import curve
from sharpwave.events.zeromq.encoding import encode
from sharpwave.events.zeromq.optional import load
from sharpwave.settings.server import ZeroMqSettings
from sharpwave.types.publishing import Told

_LOG = logging.getLogger(__name__)
EVERYBODY = "*"
JOINED = "joined"
"""The third part of the first frame with which a listener is told that it is let in."""
_WISHES = (b"\0", b"\1")
"""How the two things begin that a listener may say: to hear no longer, and to hear."""
_LINGER_MS = 500
_HIGH_WATER = 10_000
"""Events that wait for a slow listener; it misses the rest."""


class ZeroMqPublisher:
    """A socket that is bound when there is something to publish; for one thread at a time."""

    def __init__(self, settings: ZeroMqSettings) -> None:
        self._zmq = load("zmq")
        load("google.protobuf.descriptor_pb2")
        self._settings = settings
        self._address = settings.bind or ""
        self._key = curve.read(settings.key_file) if settings.key_file else None
        self._clients = _clients(settings)
        self._require_safe()
        self._context: Any = None
        self._socket: Any = None
        self._keeper: Any = None
        self._complained = False

    @property
    def address(self) -> str:
        """Where it is bound, with the port that was free if the settings left it open."""
        return str(self._socket.getsockopt_string(self._zmq.LAST_ENDPOINT)) if self._socket else ""

    def open(self, last: int) -> bool:
        """Bind if need be, and let in whoever knocks; False while the address cannot be had."""
        if self._socket is None and not self._bind():
            return False
        while self._socket.poll(0):
            frame = self._socket.recv(copy=False)
            if bytes(frame)[:1] not in _WISHES:
                self._turn_out(frame)
                return self._bind()
            self._answer(frame, last)
        return True

    def publish(self, told: Told) -> None:
        """Tell one thing to those who asked for it; a slow listener misses it."""
        first = f"{told.user_id}\0{told.topic}".encode()
        self._socket.send_multipart([first, encode(told)], self._zmq.NOBLOCK)

    def close(self) -> None:
        """Send what is left, for a moment, and let go of the address."""
        if self._keeper is not None:
            self._keeper.stop()
        if self._context is not None:
            self._context.destroy(linger=_LINGER_MS)
        self._context = self._socket = self._keeper = None

    def _bind(self) -> bool:
        zmq = self._zmq
        self._context = zmq.Context()
        socket = self._context.socket(zmq.XPUB)
        socket.setsockopt(zmq.XPUB_MANUAL, 1)
        socket.setsockopt(zmq.SNDHWM, _HIGH_WATER)
        if self._key is not None:
            self._keeper = self._doorkeeper()
            socket.curve_server, socket.curve_secretkey = True, self._key.secret
        try:
            socket.bind(self._address)
        except zmq.ZMQError as error:
            self.close()
            if not self._complained:  # webhooks go on meanwhile
                _LOG.warning("cannot publish at %s yet: %s", self._address, error)
            self._complained = True
            return False
        self._socket, self._complained = socket, False
        return True

    def _doorkeeper(self) -> Any:
        """Answers the question of CurveZMQ whether a key may come in at all."""
        keeper = load("zmq.auth.thread").ThreadAuthenticator(self._context)
        keeper.start()
        keeper.configure_curve_callback(credentials_provider=_Admits(frozenset(self._clients)))
        return keeper

    def _answer(self, frame: Any, last: int) -> None:
        """Take or refuse one wish to listen, or to listen no longer."""
        sent = bytes(frame)
        wanted, begins = sent[:1], sent[1:]
        if wanted == b"\0":
            self._socket.setsockopt(self._zmq.UNSUBSCRIBE, begins)
        elif wanted == b"\1" and self._may_hear(frame, begins):
            self._socket.setsockopt(self._zmq.SUBSCRIBE, begins)
            told = Told(JOINED, "", {"seq": last, "topic": JOINED})
            self._socket.send_multipart([begins + b"\0\0" + JOINED.encode(), encode(told)])

    def _turn_out(self, frame: Any) -> None:
        """Let go of everybody, and let in again all but who said what no listener says.

        After such a message libzmq takes the wish of one listener for that of another, who would
        then hear what is not theirs.
        """
        sender = self._sender(frame)
        whose = self._clients.pop(sender, None) if sender else None
        _LOG.warning("a listener (a key of %r) spoke; it is not let in again", whose)
        self.close()

    def _sender(self, frame: Any) -> bytes | None:
        """The public key that a frame came with."""
        try:
            return bytes(frame.get("User-Id").encode("ascii"))
        except (self._zmq.ZMQError, UnicodeEncodeError):
            return None

    def _may_hear(self, frame: Any, begins: bytes) -> bool:
        if self._key is None:
            return True
        sender = self._sender(frame)
        user = self._clients.get(sender) if sender else None
        return user is not None and (user == EVERYBODY or begins.startswith(f"{user}\0".encode()))

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


class _Admits:
    """What the doorkeeper asks."""

    def __init__(self, known: frozenset[bytes]) -> None:
        self._known = known

    def callback(self, domain: str, key: bytes) -> bool:
        """Whether this public key may come in."""
        return bytes(key) in self._known


def is_local(address: str) -> bool:
    """Whether an address of ZeroMQ can be reached from this machine only.

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
        given = {key.encode("ascii"): user for key, user in settings.clients.items()}
        return {curve.checked(key): user for key, user in given.items()}
    except ValueError as error:
        raise InvalidSettings(f"server.zeromq.clients: {error}") from error
