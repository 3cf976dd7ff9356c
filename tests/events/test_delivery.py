"""Several processes that tell webhooks: one at a time, and another if it falls silent."""

import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from tests.events.receiving import INSIDE, Receiver
from tests.places import PLACES, empty
from tests.waiting import eventually

from sharpwave import Memory, Settings
from sharpwave.events.webhook_sender import TIMEOUT_S
from sharpwave.events.webhooks import LEASE_S
from sharpwave.testing import FrozenClock

SETTINGS = Settings.model_validate(
    {"embedder": {"provider": "hash"}, "server": {"webhooks": INSIDE.model_dump()}}
)
LEASE = timedelta(seconds=LEASE_S)
TELLS = """
import sys
from sharpwave import Memory, Settings
settings = Settings.model_validate_json(sys.argv[2])
with Memory.open(sys.argv[1], settings=settings) as memory:
    memory.admin.deliver()
"""
Opened = Callable[..., Memory]


@pytest.fixture(params=PLACES)
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return empty(request.param, tmp_path)


@pytest.fixture
def opened(place: str) -> Iterator[Opened]:
    """The same memory once more, as another process has it."""
    with ExitStack() as stack:

        def open_(clock: FrozenClock | None = None) -> Memory:
            return stack.enter_context(
                Memory.open(place, user="ana", settings=SETTINGS, clock=clock)
            )

        yield open_


def told(receiver: Receiver) -> list[int]:
    return [body["seq"] for body, _, _ in receiver.heard]


def events(memory: Memory) -> list[int]:
    return [event.seq for event in memory.admin.events(limit=1000)]


def test_each_event_is_told_once_however_many_look(opened: Opened, receiver: Receiver) -> None:
    hosts = [opened() for _ in range(3)]
    hosts[0].admin.add_webhook(receiver.url)
    begin, done = threading.Barrier(len(hosts)), list[int]()

    def work(host: Memory) -> None:
        begin.wait()
        for number in range(5):
            host.remember(f"Note {number} of {id(host)}.")
            done.append(host.admin.deliver())

    with ThreadPoolExecutor(len(hosts)) as pool:
        list(pool.map(work, hosts))
    while any([host.admin.deliver() for host in hosts]):
        continue
    assert told(receiver) == events(hosts[0]), "in order, and each once"


def test_nobody_tells_what_another_is_telling(opened: Opened, receiver: Receiver) -> None:
    clock = FrozenClock()
    one, two = opened(clock), opened(clock)
    one.admin.add_webhook(receiver.url)
    one.remember("I keep bees.")
    receiver.answers.clear()
    with ThreadPoolExecutor(1) as pool:
        telling = pool.submit(one.admin.deliver)
        eventually(lambda: len(receiver.heard) == 1)
        assert two.admin.deliver() == 0 and len(receiver.heard) == 1
        receiver.answers.set()
        assert telling.result() == 1
    assert two.admin.deliver() == 0 and one.admin.deliver() == 0 and len(receiver.heard) == 1
    two.remember("I sail.")
    assert two.admin.deliver() == 1, "it was let go at once"
    assert told(receiver) == events(one)


def test_another_takes_over_from_whoever_was_killed(
    place: str, opened: Opened, receiver: Receiver
) -> None:
    now = datetime.now(UTC)
    clock = FrozenClock(now)
    memory = opened(clock)
    memory.admin.add_webhook(receiver.url)
    for said in ("I keep bees.", "I sail.", "I row."):
        memory.remember(said)
    receiver.answers.clear()
    command = [sys.executable, "-c", TELLS, place, SETTINGS.model_dump_json()]
    with subprocess.Popen(command) as other:
        try:
            eventually(lambda: len(receiver.heard) == 1)
            receiver.answers.set()
            eventually(lambda: len(receiver.heard) > 1)
        finally:
            other.kill()
    alone = len(receiver.heard)
    if memory.admin.deliver() == 0:  # unless it had finished before it was killed
        clock.advance(seconds=2 * LEASE_S)
        memory.admin.deliver()
    heard = told(receiver)
    assert list(dict.fromkeys(heard)) == events(memory), "all of it, in order"
    assert len(heard) - len(set(heard)) <= 1 and alone >= 2, "what was on its way, at most"


def test_who_falls_silent_is_stood_in_for_and_heard_no_more(
    opened: Opened, receiver: Receiver
) -> None:
    clock = FrozenClock()
    one, two = opened(clock), opened(clock)
    one.admin.add_webhook(receiver.url)
    one.remember("I keep bees.")
    one.remember("I sail.")
    first, second = events(one)
    receiver.answers.clear()
    with ThreadPoolExecutor(1) as pool:
        silent = pool.submit(one.admin.deliver)
        eventually(lambda: told(receiver) == [first])
        clock.advance(seconds=LEASE_S / 2)
        assert two.admin.deliver() == 0, "it still has time"
        clock.advance(seconds=LEASE_S / 2 + 1)
        taken = threading.Thread(target=two.admin.deliver)
        taken.start()
        eventually(lambda: told(receiver) == [first, first])
        receiver.answers.set()
        taken.join()
        silent.result()
    assert told(receiver) == [first, first, second]
    assert one.admin.deliver() == 0 == two.admin.deliver()
    assert one.admin.webhooks()[0].after == second


def test_a_webhook_that_is_removed_meanwhile_stays_removed(
    opened: Opened, receiver: Receiver
) -> None:
    one, two = opened(), opened()
    made = one.admin.add_webhook(receiver.url)
    one.remember("I keep bees.")
    one.remember("I sail.")
    receiver.answers.clear()
    with ThreadPoolExecutor(1) as pool:
        telling = pool.submit(one.admin.deliver)
        eventually(lambda: len(receiver.heard) == 1)
        two.admin.remove_webhook(made.webhook.id)
        receiver.answers.set()
        telling.result()
    assert len(receiver.heard) == 1 and one.admin.webhooks() == []


def test_a_lease_outlasts_the_wait_for_an_answer() -> None:
    assert LEASE_S >= 2 * TIMEOUT_S, "or two would tell at once"
