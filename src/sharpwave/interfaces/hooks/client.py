"""`sharpwave hook EVENT`: send an event to the server that has the memory open.

This has to be fast, so it imports only the standard library and platformdirs.
"""

import hashlib
import json
import os
import socket
import subprocess
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import platformdirs

_NAMES = ("SHARPWAVE_FILE", "SHARPWAVE_PATH", "SHARPWAVE_USER")
"""Environment variables that select the memory; loading the settings would take too long."""


class HookFiles(NamedTuple):
    """The files that hooks and server of one memory share."""

    socket: Path
    """Where the server listens."""
    lock: Path
    """Held by the one server that listens."""
    unsent: Path
    """Tool events saved while no server ran: names of tools and files, no content."""
    log: Path
    """Log of errors; a hook itself never fails."""


def hook_files(db: str | None, user: str | None, settings: str | None) -> HookFiles:
    """The files for these options and this environment, in a folder only the user can read."""
    payload = [db, user, settings, *(os.environ.get(name) for name in _NAMES)]
    digest = hashlib.blake2b(repr(payload).encode("utf-8", "surrogatepass"), digest_size=6)
    folder = platformdirs.user_state_path("sharpwave") / "hooks"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    line, lock, unsent = (f"{digest.hexdigest()}.{end}" for end in ("sock", "lock", "jsonl"))
    return HookFiles(folder / line, folder / lock, folder / unsent, folder / "hook.log")


_CONNECT_S = 0.2
_ANSWER_S = 2.0
_MAX_BYTES = 8 * 1024 * 1024
_MAX_LOG_BYTES = 256 * 1024
_OPTIONS = ("--db", "--user", "--settings")
_RUN = "from sharpwave.interfaces.cli.app import main; main()"
_WAITED_FOR = "SessionStart"
_TOOL_EVENTS = ("PostToolUse", "PostToolUseFailure")


def handle(arguments: Sequence[str]) -> bool:
    """Handle a hook's event; False if these are not the options of a hook."""
    try:
        event, options = _parsed(arguments)
    except ValueError:
        return False  # the command line explains what is wrong
    files = None
    try:
        files = hook_files(*(options.get(name) for name in _OPTIONS))
        payload = sys.stdin.buffer.read(_MAX_BYTES)
        answer = _request(files, event, payload)
        if answer is not None:
            if answer:
                print(answer)
            return True
        if event == _WAITED_FOR:
            named_options = {name.removeprefix("--"): value for name, value in options.items()}
            from sharpwave.interfaces.hooks.server import serve_once  # noqa: PLC0415 - takes long

            serve_once(event, payload, files, **named_options)
        else:
            _run_detached(files, event, payload, arguments)
        return True
    except Exception:  # noqa: BLE001 - whatever goes wrong here must not disturb the host
        log_error(files, traceback.format_exc())
        return True


def log_error(files: HookFiles | None, message: str) -> None:
    """Append an error to the log; never fails."""
    try:
        if files is None:
            return
        if files.log.exists() and files.log.stat().st_size > _MAX_LOG_BYTES:
            files.log.unlink()
        with files.log.open("a", encoding="utf-8") as log:
            log.write(message + "\n")
    except OSError:
        pass


def _parsed(arguments: Sequence[str]) -> tuple[str, dict[str, str]]:
    event, *rest = arguments
    names, values = rest[::2], rest[1::2]
    if len(names) != len(values) or not set(names) <= set(_OPTIONS) or event.startswith("-"):
        raise ValueError("not the options of a hook")
    return event, dict(zip(names, values, strict=True))


def _request(files: HookFiles, event: str, payload: bytes) -> str | None:
    """Send an event; the server's answer, or None if no server runs."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as line:
        line.settimeout(_CONNECT_S)
        try:
            line.connect(str(files.socket))
        except OSError:
            return None
        line.settimeout(_ANSWER_S)
        line.sendall(event.encode() + b"\n" + payload)
        line.shutdown(socket.SHUT_WR)
        received = b""
        while chunk := line.recv(65536):
            received += chunk
        return received.decode("utf-8")


def _run_detached(files: HookFiles, event: str, payload: bytes, arguments: Sequence[str]) -> None:
    if event in _TOOL_EVENTS:
        _save_unsent(files, event, payload)
        return
    child = subprocess.Popen(  # not waited for
        [sys.executable, "-c", _RUN, "hook", *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    assert child.stdin is not None
    child.stdin.write(payload)
    child.stdin.close()


def _save_unsent(files: HookFiles, event: str, payload_bytes: bytes) -> None:
    """Save a tool event for the next server: its name and file, never what it read or wrote."""
    payload = json.loads(payload_bytes)
    tool_input = payload.get("tool_input") or {}
    names = ("session_id", "tool_name", "tool_use_id", "is_interrupt", "duration_ms")
    saved = {name: payload.get(name) for name in names}
    saved |= {"event": event, "tool_input": {"file_path": tool_input.get("file_path")}}
    files.unsent.touch(mode=0o600)
    with files.unsent.open("a", encoding="utf-8") as file:
        file.write(json.dumps(saved) + "\n")
