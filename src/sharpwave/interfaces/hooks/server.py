"""Answer hooks: from the open memory of a server, in milliseconds, or by opening it once."""

import contextlib
import fcntl
import logging
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

from sharpwave import load_settings, strict_json
from sharpwave.interfaces.hooks import events
from sharpwave.interfaces.hooks.client import HookFiles
from sharpwave.interfaces.mcp.context import CallContext
from sharpwave.memory import Memory
from sharpwave.settings.tree import Settings
from sharpwave.types.access import Principal, Scope

_LOG = logging.getLogger(__name__)
_RETRY_S = 5.0
_READ_S = 2.0
_MAX_BYTES = 16 * 1024 * 1024
Answer = Callable[[str, dict[str, object]], str]
"""(event, its payload) → what to print."""


@contextmanager
def listening(files: HookFiles, answer: Answer) -> Iterator[None]:
    """Listen in the background. Only one of several servers does; another takes over at its end."""
    end = threading.Event()
    thread = threading.Thread(target=_run, args=(files, answer, end), name="hooks", daemon=True)
    thread.start()
    try:
        yield
    finally:
        end.set()
        thread.join(_RETRY_S)


def _run(files: HookFiles, answer: Answer, end: threading.Event) -> None:
    with files.lock.open("w") as lock:
        while not end.is_set():
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except OSError:
                end.wait(_RETRY_S)
        if end.is_set():
            return
        files.socket.unlink(missing_ok=True)
        try:
            _serve(files, answer, end)
        except OSError:
            _LOG.exception("hooks are not served")
        finally:
            files.socket.unlink(missing_ok=True)


def _serve(files: HookFiles, answer: Answer, end: threading.Event) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:
        listener.bind(str(files.socket))
        files.socket.chmod(0o600)
        listener.listen(16)
        listener.settimeout(0.2)
        replay_unsent(files.unsent, answer)
        while not end.is_set():
            with contextlib.suppress(TimeoutError):
                line, _ = listener.accept()
                with line:
                    _serve_one(line, answer)


def _serve_one(line: socket.socket, answer: Answer) -> None:
    line.settimeout(_READ_S)
    try:
        received = bytearray()
        while chunk := line.recv(65536):
            received += chunk
            if len(received) > _MAX_BYTES:
                return
        event, _, payload = bytes(received).partition(b"\n")
        line.sendall(safely(answer, event.decode(), payload).encode("utf-8", "replace"))
    except (OSError, UnicodeDecodeError):
        _LOG.warning("a hook hung up", exc_info=True)


def replay_unsent(unsent: Path, answer: Answer) -> None:
    """Record tool events that were saved while no server ran; their keys prevent double counting.

    Files that another process claimed but did not finish are recorded too.
    """
    with contextlib.suppress(FileNotFoundError):
        unsent.rename(unsent.with_suffix(f".{uuid4().hex}.taken"))
    for claimed in sorted(unsent.parent.glob(f"{unsent.stem}.*.taken")):
        with contextlib.suppress(FileNotFoundError):  # another process finished it
            for text in claimed.read_text("utf-8", "replace").splitlines():
                with contextlib.suppress(ValueError):
                    safely(answer, str(strict_json.loads(text).get("event")), text.encode())
            claimed.unlink()


def safely(answer: Answer, event: str, payload: bytes) -> str:
    """The answer; empty after any error, since a hook must not fail."""
    try:
        parsed = strict_json.loads(payload)
        return answer(event, parsed) if isinstance(parsed, dict) else ""
    except Exception:  # noqa: BLE001 - the host goes on without us, whatever happened
        _LOG.exception("the hook %s failed", event)
        return ""


def serve_once(
    event: str, payload_text: str | bytes, files: HookFiles, **options: str | None
) -> None:
    """Open the memory, handle an event, print the answer; `options` are db, user, settings."""
    payload = strict_json.loads(payload_text)
    names = {"path": options.get("db"), "user": options.get("user")}
    arguments = {name: value for name, value in names.items() if value is not None}
    settings = load_settings(options.get("settings"), **arguments)
    with Memory.open(settings=settings) as memory:
        answer = answers_from(memory, settings)
        replay_unsent(files.unsent, answer)
        if text := answer(event, payload):
            print(text)


def answers_from(memory: Memory, settings: Settings) -> Answer:
    """A function that answers hooks from an open memory. Hooks come from the user's machine."""
    caller = CallContext(memory, Principal(memory.user_id, frozenset(Scope), "hook"), settings)
    return lambda event, payload: events.answer(event, payload, caller)
