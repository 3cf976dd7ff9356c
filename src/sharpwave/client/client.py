"""A memory on a server, with the surface of `Memory`: the same methods, the same answers.

Each method binds its arguments as the facade's own method would, sends them as the table of calls
says, and reads the answer back into the same types.
"""

import inspect
import json
import secrets
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NoReturn, TypeVar, cast, get_origin
from urllib.parse import quote

from pydantic_core import PydanticSerializationError, to_json

from sharpwave import checks, strict_json
from sharpwave.client.calls import CALLS, Call
from sharpwave.client.forms import OWNERS, Form, answers, form, function_of
from sharpwave.client.http_wire import HttpWire
from sharpwave.errors import InvalidInput
from sharpwave.experience.open_interaction import OpenInteraction
from sharpwave.messages import to_messages, to_structure
from sharpwave.types.message import Message

Facade = TypeVar("Facade")
_OURS = ("channel", "author")
"""What a server says of a message by itself."""
_READ_BYTES = 1024 * 1024
_MAX_PATH_CHARS = 4096


def connect(facade: type[Facade], wire: HttpWire, user: str | None) -> Facade:
    """A `Memory` whose every method asks the server behind the wire."""
    made: Any = _remote_class(cast(Any, facade), _RemoteMemory, "")
    return cast(Facade, made(wire if user is None else wire.acting_for(user), user))


@cache
def _remote_class(facade: type, special: type, namespace: str) -> Any:
    """A subclass of `Memory`, or of one of its namespaces, that keeps nothing here."""
    by_name: dict[str, list[Call]] = {}
    for call in CALLS:
        within, _, name = call.method.rpartition(".")
        if within == namespace:
            by_name.setdefault(name, []).append(call)
    methods = {
        name: _not_offered(name)
        for name, member in vars(facade).items()
        if inspect.isfunction(member) and not name.startswith("_")
    }
    methods |= {name: _method(calls) for name, calls in by_name.items()}
    served = type(f"Served{facade.__name__}", (facade,), methods)
    return type(f"Remote{facade.__name__}", (special, served), {})


def _namespace(name: str) -> property:
    def get(self: Any) -> Any:
        return _remote_class(OWNERS[name], _SPECIAL.get(name, _Remote), name)(self._wire)

    return property(get, doc=inspect.getdoc(OWNERS[name]))


def _method(calls: Sequence[Call]) -> Callable[..., Any]:
    original = function_of(calls[0].method)

    def method(self: Any, *given: Any, **named: Any) -> Any:
        bound = inspect.signature(original).bind(self, *given, **named)
        bound.apply_defaults()
        arguments = dict(bound.arguments)
        del arguments["self"]
        call = next(c for c in calls if all(arguments[n] == v for n, v in c.fixed.items()))
        return ask(self._wire, form(call), arguments)

    method.__name__, method.__doc__ = original.__name__, original.__doc__
    method.__signature__ = inspect.signature(original)  # type: ignore[attr-defined]  # what help() shows
    return method


def _not_offered(name: str) -> Callable[..., NoReturn]:
    """What belongs to the process that has the file open."""

    def method(self: Any, *given: Any, **named: Any) -> NoReturn:
        raise InvalidInput(f"`{name}` is not offered by a server; call it where the file is")

    return method


def ask(wire: HttpWire, shape: Form, arguments: Mapping[str, Any]) -> Any:
    """Send one call, page by page where there are pages, and read the answer."""
    query, body, path = _request(shape, arguments)
    call = shape.call
    repeatable = call.repeatable or bool(arguments.get("idempotency_key"))
    found = wire.ask(call.verb, path, query=query, body=body, repeatable=repeatable)
    if not shape.listed:
        return _read(shape, found)
    items: list[Any] = []
    while True:
        page = strict_json.loads(found)
        items += answers(shape.answer).validate_json(to_json(page["items"]))
        if page.get("next") is None:
            return get_origin(shape.answer)(items)
        query = {**query, "cursor": page["next"]}
        found = wire.ask(call.verb, path, query=query, body=body, repeatable=True)


def _request(shape: Form, arguments: Mapping[str, Any]) -> tuple[dict[str, Any], bytes | None, str]:
    path = shape.call.path
    for name in shape.in_path:
        path = path.replace(f"{{{name}}}", _quoted(arguments[name], name))
    given = {name: arguments[name] for name in shape.model.model_fields}
    if shape.call.in_body:
        return {}, None if shape.empty else _sent(given), path
    sent = strict_json.loads(_sent(given))
    return {name: value for name, value in sent.items() if value not in (None, [])}, None, path


def _sent(given: Mapping[str, Any]) -> bytes:
    try:
        sent = to_json(given)
        strict_json.loads(sent)
        return sent
    except (PydanticSerializationError, strict_json.InvalidJson) as error:
        raise InvalidInput(f"this cannot be sent to a server; leave it out: {error}") from error


def _quoted(value: Any, what: str) -> str:
    """An argument in a path: a name, or a handle that has an id."""
    return quote(checks.name(str(getattr(value, "id", value)), what, _MAX_PATH_CHARS), safe="")


def _read(shape: Form, found: bytes) -> Any:
    if shape.answer is type(None):
        return None
    if shape.answer in (int, bool, str, float):
        return strict_json.loads(found)["value"]
    return answers(shape.answer).validate_json(found)


class _Remote:
    """A namespace of a memory on a server."""

    _wire: HttpWire

    def __init__(self, wire: HttpWire) -> None:
        self._wire = wire


class _RemoteMemory:
    """What a memory on a server does in its own way."""

    _wire: HttpWire
    _user_id: str | None

    def __init__(self, wire: HttpWire, user: str | None) -> None:
        self._wire = wire
        self._user_id = user

    facts, tasks, behavior = _namespace("facts"), _namespace("tasks"), _namespace("behavior")
    skills, agents = _namespace("skills"), _namespace("agents")
    graph, admin = _namespace("graph"), _namespace("admin")

    def user(self, user: str) -> Any:
        """The memory of another user on the same server; the key needs the scope admin."""
        return type(self)(self._wire.acting_for(user), user)

    @property
    def user_id(self) -> str:
        """Whose memory this is, if this program said so; else the key decides."""
        return self._user_id or "(the key's)"

    def remember(
        self,
        messages: Any,
        *,
        role: str = "user",
        speaker: str | None = None,
        session: str | None = None,
        at: Any = None,
        idempotency_key: str | None = None,
        wait: bool = False,
        facts: Any = (),
        tasks: Any = (),
        rules: Any = (),
    ) -> Any:
        """As `Memory.remember`. Sent again after a broken connection, it is stored once."""
        key = idempotency_key or f"client:{secrets.token_hex(16)}"
        defaults = Message("", role, speaker, at, session, idempotency_key=key)
        shape = _special("remember")
        sent = [_message(said) for said in to_messages(messages, defaults)]
        structure = to_structure(facts, tasks, rules)._asdict()
        body = _sent({"messages": sent, "wait": wait, **structure})
        answer = self._wire.ask("POST", shape.call.path, query={}, body=body, repeatable=True)
        return _read(shape, answer)

    def export(self) -> Iterator[str]:
        """As `Memory.export`."""
        return self._wire.lines(_special("export").call.path)

    def close(self) -> None:
        """Close the connections; the server goes on."""
        self._wire.close()


class _RemoteAgents(_Remote):
    """What agents of a server do in their own way."""

    def start(
        self, query: str, *, session: str | None = None, context: Any = None, durable: bool = False
    ) -> Any:
        """As `Memory.agents.start`; the interaction is kept by the server."""
        given = {"query": query, "session": session, "context": context, "durable": durable}
        path = _special("agents.start").call.path
        answer = self._wire.ask("POST", path, query={}, body=_sent(given), repeatable=True)
        return OpenInteraction(self, strict_json.loads(answer)["id"])

    def import_log(self, path: str | Path, format: str | None = None, progress: Any = None) -> Any:
        """As `Memory.agents.import_log`, for one file."""
        return _upload(self._wire, "agents.import_log", path, {"format": format} if format else {})


class _RemoteAdmin(_Remote):
    """What the administration of a server does in its own way."""

    keys = _namespace("admin.keys")

    def import_(self, lines: Iterable[str], progress: Any = None, own: bool = False) -> Any:
        """As `Memory.admin.import_`; lines are sent while they are read. `own` is for admins."""
        shape = _special("admin.import_")
        parts = (f"{line.rstrip()}\n".encode("utf-8", "surrogatepass") for line in lines)
        sent = self._wire.send(shape.call.path, _counted(parts, progress), {"own": json.dumps(own)})
        return _read(shape, sent)

    def import_chats(
        self, path: str | Path, format: str | None = None, own: bool = False, progress: Any = None
    ) -> Any:
        """As `Memory.admin.import_chats`, for one file."""
        query = {"own": json.dumps(own)} | ({"format": format} if format else {})
        return _upload(self._wire, "admin.import_chats", path, query)

    def backup(self, to: str | Path, progress: Any = None) -> None:
        """As `Memory.admin.backup`; the copy is written on this machine."""
        self._wire.fetch(_special("admin.backup").call.path, Path(to))

    def run_worker(self, stop: threading.Event) -> NoReturn:
        """A server does its jobs and lets its users sleep by itself."""
        raise InvalidInput("the server works by itself; `work` and `sleep` ask it to do so now")


_SPECIAL = {"agents": _RemoteAgents, "admin": _RemoteAdmin}


def _upload(wire: HttpWire, method: str, path: str | Path, query: Mapping[str, Any]) -> Any:
    shape, file = _special(method), checks.path(path, "path")
    try:
        is_file = file.is_file()
    except OSError as error:
        raise InvalidInput(f"cannot read {file}: {error.strerror or error}") from error
    if not is_file:
        raise InvalidInput(f"{file} is not a file; to a server, files are sent one by one")
    return _read(shape, wire.send(shape.call.path, _parts(file), query))


def _special(method: str) -> Form:
    return form(next(call for call in CALLS if call.method == method and call.special))


def _message(said: Message) -> dict[str, Any]:
    fields = {name: getattr(said, name) for name in Message.__slots__ if name not in _OURS}
    if said.at is not None:
        checks.moment(said.at, "at")
    return fields


def _counted(parts: Iterable[bytes], progress: Any) -> Iterator[bytes]:
    for count, part in enumerate(parts):
        yield part
        if progress is not None:
            progress(count)


def _parts(file: Path) -> Iterator[bytes]:
    with file.open("rb") as opened:
        while part := opened.read(_READ_BYTES):
            yield part
