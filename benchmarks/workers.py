"""Many users, several workers on one PostgreSQL: everybody sleeps once, whoever dies.

    python -m benchmarks.workers [--users 10000] [--url postgresql://…] [--memories 4]

Real `sharpwave worker` processes beside two real `sharpwave serve` on one database. A third of the
users sleeps with one worker, a third with two, and in the last third a worker is killed (SIGKILL)
while users sleep, and two others go on. Without `--url` a server is started from the development
environment, which does not wait for the disk. Processor time is that of the workers from when all
of them are ready; the server's own stands beside it.
"""

import argparse
import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

import psycopg

from benchmarks import wrk
from benchmarks.machine import describe
from benchmarks.processes import ENVIRONMENT
from sharpwave import Memory, load_settings

PROGRAM = """
from sharpwave.interfaces.rest import events
from sharpwave.interfaces.start import main
from sharpwave.sleep import leases, schedule

events.POLL_S, leases.LEASE_S, schedule.CHECK_S = {poll_s}, 5, 0.5
main()
"""
"""The command line, more impatient than usual."""
_STATES = "SELECT value::jsonb FROM tallies WHERE topic = 'sleep/state' AND name = 'run'"
_REPORTS = """SELECT u.user_id, count(*) FROM tallies t JOIN users u USING (user_no)
WHERE t.topic = 'sleep/reports' GROUP BY u.user_id"""


class Night(NamedTuple):
    """One third: how many workers, how many users, and what it took."""

    workers: int
    users: int
    wall_s: float
    cpu_s: float
    database_cpu_s: float
    """0 if the server is not on this machine, or not ours to look at."""
    errors: tuple[str, ...] = ()


def command(events_poll_s: float = 0.5) -> list[str]:
    """How a process is started."""
    return [sys.executable, "-c", PROGRAM.format(poll_s=events_poll_s)]


def settings_of(url: str, **schedule: object) -> dict[str, str]:
    """The environment of a process: on this database, with an embedder of hashes."""
    given = {"require_idle": False, "max_minutes": 600, **schedule}
    told = {f"SHARPWAVE_SLEEP__{name.upper()}": value for name, value in given.items()}
    return {
        **os.environ,
        "SHARPWAVE_PRIVACY__CONSENT_ASSUMED": "true",
        **ENVIRONMENT,
        **{name: str(value).lower() for name, value in told.items()},
        "SHARPWAVE_POSTGRES__URL": url,
        "SHARPWAVE_EMBEDDER__PROVIDER": "hash",
        "SHARPWAVE_SERVER__PORT": "0",
    }


def fill(url: str, names: Sequence[str], memories: int) -> None:
    """Let each user say a few things, in one session."""
    chosen = load_settings(postgres={"url": url}, embedder={"provider": "hash"})
    with Memory.open(settings=chosen) as memory:
        for place, name in enumerate(names):
            said = [f"I live in place {place}.", "My sister is called Ana.", "I like tea."]
            more = [f"We talked about number {number}." for number in range(memories)]
            memory.user(name).remember([*said, *more][:memories], session="talk")


def filled(url: str, names: Sequence[str], memories: int) -> float:
    """The same by two processes at once; the processor time that it took them."""
    halves = [names[half::2] for half in range(2)]
    with ProcessPoolExecutor(len(halves), get_context("spawn")) as processes:
        return sum(processes.map(_filled, [url] * 2, halves, [memories] * 2))


def _filled(url: str, names: Sequence[str], memories: int) -> float:
    began = time.process_time()
    fill(url, names, memories)
    return time.process_time() - began


@contextmanager
def workers(url: str, count: int, **schedule: object) -> Iterator[list["subprocess.Popen[str]"]]:
    """Workers that began together and are at it; killed when the block ends, if they still live."""
    started = [
        subprocess.Popen(
            [*command(), "worker"],
            env=settings_of(url, **schedule),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(count)
    ]
    try:
        for process in started:
            assert process.stdout is not None
            process.stdout.readline()
        yield started
    finally:
        for process in started:
            process.kill()
            process.communicate()


def stopped(process: "subprocess.Popen[str]") -> list[str]:
    """Ask a worker to stop; what it complained of."""
    process.send_signal(signal.SIGTERM)
    _, told = process.communicate(timeout=120)
    assert process.returncode == 0, f"a worker did not stop well: {told}"
    return [line for line in told.splitlines() if line.strip()]


@contextmanager
def api(url: str, events_poll_s: float = 0.5) -> Iterator[str]:
    """A server without nights of its own; where it listens."""
    serve = [*command(events_poll_s), "serve", "--json"]
    environment = settings_of(url, enabled=False)
    with subprocess.Popen(serve, env=environment, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield json.loads("".join(iter(process.stdout.readline, "}\n")) + "}")["url"]
        finally:
            process.terminate()


@contextmanager
def everybody(url: str) -> Iterator["psycopg.Connection[tuple[object, ...]]"]:
    """A connection that sees the rows of all users."""
    with psycopg.connect(url, autocommit=True) as db:
        db.execute("SELECT set_config('sharpwave.everyone', 'on', false)")
        yield db


def reports(url: str) -> Counter[str]:
    """How many nights each user has had."""
    with everybody(url) as db:
        return Counter({str(name): int(str(count)) for name, count in db.execute(_REPORTS)})


def asleep(url: str) -> list[dict[str, object]]:
    """The nights that were begun and not finished."""
    with everybody(url) as db:
        found = [value for (value,) in db.execute(_STATES)]
    return [value for value in found if isinstance(value, dict) and value.get("run")]


def until(
    done: Callable[[], object], living: Sequence["subprocess.Popen[str]"], look_s: float = 0.1
) -> None:
    """Wait until something is so, as long as those processes live."""
    while not done():
        if any(process.poll() is not None for process in living):
            raise RuntimeError("a worker ended by itself")
        time.sleep(look_s)


def night(url: str, names: Sequence[str], count: int) -> Night:
    """Let these users sleep, with so many workers."""
    wanted = set(names)
    with workers(url, count) as living:
        began, database = time.monotonic(), _database_cpu_s(url)
        used = -sum(wrk.cpu_s(process.pid) for process in living)
        until(lambda: wanted <= reports(url).keys(), living, 0.1 + len(names) / 1000)
        took = time.monotonic() - began
        used += sum(wrk.cpu_s(process.pid) for process in living)
        database = _database_cpu_s(url) - database
        errors = [line for process in living for line in stopped(process)]
    return Night(count, len(names), took, used, database, tuple(errors))


def killed(url: str) -> list[str]:
    """Kill a worker as soon as it is at somebody's night; the nights that it leaves behind."""
    with workers(url, 1) as (victim,):
        until(lambda: asleep(url), [victim])
        victim.send_signal(signal.SIGKILL)
        victim.wait()
        return [str(state["run"]) for state in asleep(url)]


def _database_cpu_s(url: str) -> float:
    """What the server's processes have used, where it runs on this machine."""
    with psycopg.connect(url) as db:
        row = db.execute("SELECT pg_backend_pid()").fetchone()
        for _ in range(100):
            try:
                own = Path(f"/proc/{row[0] if row else 0}/stat").read_text().rpartition(")")[2]
                parent = int(own.split()[1])
                ended = Path(f"/proc/{parent}/stat").read_text().rpartition(")")[2].split()[13:15]
                ticks = os.sysconf("SC_CLK_TCK")
                return wrk.cpu_s(parent) + sum(int(number) for number in ended) / ticks
            except OSError:  # one of them ended just now, or they are elsewhere
                continue
    return 0.0


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--users", type=int, default=10_000)
    parser.add_argument("--memories", type=int, default=4)
    parser.add_argument("--url", help="an empty database of your own")
    asked = parser.parse_args()
    print("\n".join(f"{name}: {value}" for name, value in describe().items()))
    from tests.storage.postgres import server

    url = asked.url or server.new_database()
    names = [f"user-{number:06}" for number in range(asked.users)]
    thirds = [names[part::3] for part in range(3)]
    with Memory.open(url) as memory:
        memory.admin.keys.create("bench", "bench")
    with api(url), api(url):
        for third, count in zip(thirds, (1, 2, 2), strict=True):
            began = time.monotonic()
            written = filled(url, third, asked.memories) / len(third)
            print(f"{len(third)} users filled in {time.monotonic() - began:.0f} s", flush=True)
            left = killed(url) if third is thirds[2] else []
            _show(night(url, third, count), left, written)
    counted = Counter(reports(url).values())
    print(f"nights a user: {dict(counted)}; begun and not finished: {len(asleep(url))}")
    assert counted == {1: asked.users}, "everybody slept once"
    if not asked.url:
        server.drop_database(url)


def _show(one: Night, left: list[str], written: float) -> None:
    each = 1000 * one.cpu_s / one.users
    after = f", after one was killed with {len(left)} asleep" if left else ""
    print(
        f"{one.users} users, {one.workers} worker(s){after}: {one.users / one.wall_s:.1f} users/s, "
        f"{1000 / max(each, 0.001):.1f} users per CPU second of the workers ({each:.1f} ms each), "
        f"database {1000 * one.database_cpu_s / one.users:.1f} ms each; written in "
        f"{1000 * written:.1f} ms each; complaints {len(one.errors)}, load "
        f"{os.getloadavg()[0]:.1f}",
        flush=True,
    )
    for line in one.errors[:5]:
        print(f"  {line}")


if __name__ == "__main__":
    main()
