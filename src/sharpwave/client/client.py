"""A memory on a server, with the interface of `Memory`: the same methods and answers.

Each method binds its arguments as the facade's own method would, sends them according to the table
of calls, and parses the answer into the same types.
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
"""Fields of a message that the server sets itself."""
_READ_BYTES = 1024 * 1024
_MAX_PATH_CHARS = 4096


def connect(facade: type[Facade], url: str, key: str, user: str | None) -> Facade:
    """A `Memory` with all methods sent to the server."""
    wire = HttpWire(url, key)
    remote_class: Any = _remote_class(cast(Any, facade), _RemoteMemory, "")
    return cast(Facade, remote_class(wire if user is None else wire.acting_for(user), user))


@cache
def _remote_class(facade: type, special: type, namespace: str) -> Any:
    """A subclass of `Memory`, or of one of its namespaces, that stores nothing locally."""
    by_name: dict[str, list[Call]] = {}
    for call in CALLS:
        call_namespace, _, name = call.method.rpartition(".")
        if call_namespace == namespace:
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
        special = _RemoteAdmin if name == "admin" else _Remote
        return _remote_class(OWNERS[name], special, name)(self._wire)

    return property(get, doc=inspect.getdoc(OWNERS[name]))


def _method(calls: Sequence[Call]) -> Callable[..., Any]:
    original = function_of(calls[0].method)

    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        bound = inspect.signature(original).bind(self, *args, **kwargs)
        bound.apply_defaults()
        arguments = dict(bound.arguments)
        del arguments["self"]
        call = next(
            candidate
            for candidate in calls
            if all(arguments[name] == value for name, value in candidate.fixed.items())
        )
        return _SENDERS.get(call.method, ask)(self, form(call), arguments)

    method.__name__, method.__doc__ = original.__name__, original.__doc__
    method.__signature__ = inspect.signature(original)  # type: ignore[attr-defined]  # what help() shows
    return method


def _not_offered(name: str) -> Callable[..., NoReturn]:
    """A method that raises: it is available only in the process that has the file open."""

    def method(self: Any, *args: Any, **kwargs: Any) -> NoReturn:
        raise InvalidInput(f"`{name}` is not offered by a server; call it where the file is")

    return method


def ask(remote: Any, shape: Form, arguments: Mapping[str, Any]) -> Any:
    """Send one call and parse the answer; paged lists are fetched completely."""
    query, body, path = _request(shape, arguments)
    wire, call = remote._wire, shape.call
    repeatable = call.repeatable or bool(arguments.get("idempotency_key"))
    answer = wire.ask(call.verb, path, query=query, body=body, repeatable=repeatable)
    if not shape.listed:
        return _read(shape, answer)
    items: list[Any] = []
    while True:
        page = strict_json.loads(answer)
        items += answers(shape.answer).validate_json(to_json(page["items"]))
        if page.get("next") is None:
            return get_origin(shape.answer)(items)
        query = {**query, "cursor": page["next"]}
        answer = wire.ask(call.verb, path, query=query, body=body, repeatable=True)


def _request(shape: Form, arguments: Mapping[str, Any]) -> tuple[dict[str, Any], bytes | None, str]:
    path = shape.call.path
    for name in shape.in_path:
        path = path.replace(f"{{{name}}}", _quoted(arguments[name], name))
    fields = {name: arguments[name] for name in shape.model.model_fields}
    if shape.call.in_body:
        return {}, _as_json(fields) if fields else None, path
    sent = strict_json.loads(_as_json(fields))
    return {name: value for name, value in sent.items() if value not in (None, [])}, None, path


def _as_json(fields: Mapping[str, Any]) -> bytes:
    try:
        sent = to_json(fields)
        strict_json.loads(sent)
        return sent
    except (PydanticSerializationError, strict_json.InvalidJson) as error:
        raise InvalidInput(f"this cannot be sent to a server; leave it out: {error}") from error


def _quoted(value: Any, what: str) -> str:
    """An argument quoted for a path: a name, or an object with an id."""
    return quote(checks.name(str(getattr(value, "id", value)), what, _MAX_PATH_CHARS), safe="")


def _read(shape: Form, answer: bytes) -> Any:
    if shape.answer is type(None):
        return None
    if shape.answer in (int, bool, str, float):
        return strict_json.loads(answer)["value"]
    return answers(shape.answer).validate_json(answer)


class _Remote:
    """A namespace of a memory on a server."""

    _wire: HttpWire

    def __init__(self, wire: HttpWire) -> None:
        self._wire = wire


class _RemoteMemory:
    """Methods of `Memory` that differ for a memory on a server."""

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
        """The user of this memory if one was named, else a placeholder: the key decides."""
        return self._user_id or "(the key's)"

    def close(self) -> None:
        """Close the connections; the server keeps running."""
        self._wire.close()


class _RemoteAdmin(_Remote):
    """Methods of `AdminApi` that differ for a memory on a server."""

    keys = _namespace("admin.keys")

    def run_worker(self, stop: threading.Event) -> NoReturn:
        """Not offered: a server runs its jobs and sleep itself."""
        raise InvalidInput("the server works by itself; `work` and `sleep` ask it to do so now")


def _remember(remote: Any, shape: Form, arguments: Mapping[str, Any]) -> Any:
    """Send messages with an idempotency key, so that a retry stores them once."""
    key = arguments["idempotency_key"] or f"client:{secrets.token_hex(16)}"
    defaults = Message(
        "",
        arguments["role"],
        arguments["speaker"],
        arguments["at"],
        arguments["session"],
        idempotency_key=key,
    )
    sent = [_message(message) for message in to_messages(arguments["messages"], defaults)]
    structure = to_structure(arguments["facts"], arguments["tasks"], arguments["rules"])._asdict()
    body = {"messages": sent, "wait": arguments["wait"], **structure}
    return _read(shape, _post(remote, shape, body))


def _start(remote: Any, shape: Form, arguments: Mapping[str, Any]) -> OpenInteraction:
    """Start an interaction that is kept on the server."""
    return OpenInteraction(remote, strict_json.loads(_post(remote, shape, arguments))["id"])


def _post(remote: Any, shape: Form, fields: Mapping[str, Any]) -> bytes:
    wire: HttpWire = remote._wire
    return wire.ask("POST", shape.call.path, query={}, body=_as_json(fields), repeatable=True)


def _import(remote: Any, shape: Form, arguments: Mapping[str, Any]) -> Any:
    """Stream the lines of an export. `own` needs the scope admin."""
    parts = (f"{line.rstrip()}\n".encode("utf-8", "surrogatepass") for line in arguments["lines"])
    counted = _counted(parts, arguments["progress"])
    sent = remote._wire.send(shape.call.path, counted, {"own": json.dumps(arguments["own"])})
    return _read(shape, sent)


def _upload(remote: Any, shape: Form, arguments: Mapping[str, Any]) -> Any:
    """Upload one file to import."""
    file = checks.path(arguments["path"], "path")
    try:
        is_file = file.is_file()
    except OSError as error:
        raise InvalidInput(f"cannot read {file}: {error.strerror or error}") from error
    if not is_file:
        raise InvalidInput(f"{file} is not a file; to a server, files are sent one by one")
    query = {"own": json.dumps(arguments["own"])} if "own" in arguments else {}
    query |= {"format": arguments["format"]} if arguments["format"] else {}
    return _read(shape, remote._wire.send(shape.call.path, _parts(file), query))


def _backup(remote: Any, shape: Form, arguments: Mapping[str, Any]) -> None:
    """Download a backup to this machine."""
    remote._wire.fetch(shape.call.path, Path(arguments["to"]))


_SENDERS: Mapping[str, Callable[[Any, Form, Mapping[str, Any]], Any]] = {
    "remember": _remember,
    "export": lambda remote, shape, arguments: remote._wire.lines(shape.call.path),
    "agents.start": _start,
    "agents.import_log": _upload,
    "admin.import_": _import,
    "admin.import_chats": _upload,
    "admin.backup": _backup,
}
"""Calls with a custom sender."""


def _message(message: Message) -> dict[str, Any]:
    fields = {name: getattr(message, name) for name in Message.__slots__ if name not in _OURS}
    if message.at is not None:
        checks.moment(message.at, "at")
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
