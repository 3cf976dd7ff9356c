"""What holds for every test: no network, no settings from the outside, reproducible examples."""

import gc
import ipaddress
import os
import socket
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import Phase, settings

# `ci` is the default: the same examples every time. `HYPOTHESIS_PROFILE=long` looks further;
# `mutants` only asks whether anything fails, and does not look for the smallest example.
settings.register_profile("ci", deadline=None, derandomize=True, max_examples=50)
settings.register_profile(
    "mutants", settings.get_profile("ci"), phases=[Phase.explicit, Phase.generate]
)
settings.register_profile("long", deadline=None, max_examples=2000, print_blob=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))

# Ours, and those that an HTTP client or the OpenAI package would pick up by itself.
CLEARED_PREFIXES = ("SHARPWAVE_", "OPENAI_")
CLEARED_NAMES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY")

# Files that take longest begin first, so that no process is left with one of them at the end.
LONGEST = (
    "tests/faults/",
    "tests/interfaces/web/",
    "tests/interfaces/rest/",
    "tests/llm/test_small_model.py",
    "tests/test_capacity.py",
    "tests/test_docs.py",
    "tests/journeys/test_many_workers.py",
    "tests/interfaces/proxy/",
    "tests/storage/",
    "tests/sleep/",
    "tests/interfaces/",
    "tests/evals/",
    "tests/journeys/",
)


class NetworkUsed(RuntimeError):
    """A test reached for the network. Deliberately no OSError: nobody handles it by accident."""


def pytest_configure(config: pytest.Config) -> None:
    """Before anything is imported or collected, so that doctests and imports are covered too."""
    patch = pytest.MonkeyPatch()
    config.add_cleanup(patch.undo)
    clear_environment(patch)
    turn_network_off(patch)


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """One more than there are cores: tests wait for servers and browsers much of their time."""
    return (os.cpu_count() or 1) + 1


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Collect without the garbage collector, and never walk through all those tests later."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: place_in_line(item.nodeid))


def place_in_line(nodeid: str) -> int:
    begins = (place for place, name in enumerate(LONGEST) if nodeid.startswith(name))
    return next(begins, len(LONGEST))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """What was left out is said."""
    left_out = {
        "POSTGRES": "on PostgreSQL",
        "CHROMIUM": "in a browser",
        "MODEL": "with a language model",
    }
    for name, untested in left_out.items():
        if os.environ.get(f"TEST_{name}") == "none":
            told = f"WARNING: SHARPWAVE_TEST_{name}=none, so nothing was tested {untested}"
            terminalreporter.write_line(told, yellow=True)
    for reason in sorted(set(map(skip_reason, terminalreporter.stats.get("skipped", ())))):
        if "graphs of vectors" in reason:
            terminalreporter.write_line(f"WARNING: untested, since {reason}", yellow=True)


def skip_reason(report: pytest.TestReport) -> str:
    where_and_why = report.longrepr
    return where_and_why[2].removeprefix("Skipped: ") if isinstance(where_and_why, tuple) else ""


def clear_environment(patch: pytest.MonkeyPatch) -> None:
    for name in ("TEST_POSTGRES", "TEST_CHROMIUM", "TEST_MODEL"):
        if given := os.environ.get(f"SHARPWAVE_{name}"):
            patch.setenv(name, given)  # under a name that is no setting of ours
    for name in list(os.environ):
        if name.startswith(CLEARED_PREFIXES) or name.upper() in CLEARED_NAMES:
            patch.delenv(name)


def turn_network_off(patch: pytest.MonkeyPatch) -> None:
    """Let sockets reach this machine only, and look up no names but its own."""
    for method in ("connect", "connect_ex"):
        patch.setattr(socket.socket, method, local_only(getattr(socket.socket, method)))
    look_up = socket.getaddrinfo

    def look_up_local(host: Any, *arguments: Any, **named: Any) -> Any:
        refuse_unless_local(host)
        return look_up(host, *arguments, **named)

    patch.setattr(socket, "getaddrinfo", look_up_local)


def local_only(connect: Callable[..., Any]) -> Callable[..., Any]:
    def connect_locally(self: socket.socket, address: Any) -> Any:
        if self.family in (socket.AF_INET, socket.AF_INET6):
            refuse_unless_local(address[0])
        return connect(self, address)

    return connect_locally


def refuse_unless_local(host: str | bytes | None) -> None:
    name = host.decode() if isinstance(host, bytes) else host
    if name is None or name in ("", "localhost") or is_loopback(name):
        return
    raise NetworkUsed(
        f"a test tried to reach {name!r}; tests use no network. "
        "Use a fake of sharpwave.testing or a server on 127.0.0.1."
    )


def is_loopback(name: str) -> bool:
    try:
        address = ipaddress.ip_address(name.partition("%")[0])
    except ValueError:
        return False
    mapped = getattr(address, "ipv4_mapped", None)
    return bool((mapped or address).is_loopback)
