"""What is over its time goes also of those who have no memories, once a night, by one worker."""

import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.places import PLACES, empty

from sharpwave import Memory, tallies
from sharpwave.settings.core import SleepSettings
from sharpwave.sleep import scheduler
from sharpwave.sleep.schedule import IdleMonitor
from sharpwave.sleep.scheduler import Scheduler
from sharpwave.testing import FrozenClock, HashEmbedder, resources_of
from sharpwave.types.storing import ANSWERS_TOPIC, OPEN, REQUESTS

NOON = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)
KEPT_S = tallies.REQUESTS_KEPT_S


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock(NOON)


@pytest.fixture(params=PLACES)
def hosts(
    request: pytest.FixtureRequest, tmp_path: Path, clock: FrozenClock
) -> Iterator[tuple[Memory, Memory]]:
    """The same memory in two processes."""
    place, embedder = empty(request.param, tmp_path), HashEmbedder(32)
    with (
        Memory.open(place, clock=clock, embedder=embedder) as one,
        Memory.open(place, clock=clock, embedder=embedder) as two,
    ):
        yield one, two


def ask(memory: Memory, user: str) -> None:
    """A request that stored nothing of this user."""
    answers = memory.user(user).admin.requests
    answers.begin("ab12", "body")
    answers.finish("ab12", "body", "a sealed answer")


def sweep(memory: Memory) -> int:
    """Run the tasks that are due; of how many users something was removed."""
    return scheduler.run_tasks(resources_of(memory), threading.Event()).get("sweeping", 0)


def noted(memory: Memory) -> list[str]:
    store = resources_of(memory).store
    return sorted(
        {*store.users_with(REQUESTS), *store.users_with(ANSWERS_TOPIC), *store.users_with(OPEN)}
    )


def test_requests_of_whoever_has_no_memories_go(
    hosts: tuple[Memory, Memory], clock: FrozenClock
) -> None:
    one, two = hosts
    ask(one, "ana")
    ask(one, "rui")
    one.user("eva").agents.start("left over").action("try")
    assert sweep(one) == 0, "a new store begins with the next night"
    clock.advance(seconds=KEPT_S / 2)
    ask(one, "rui")
    ask(one, "zoe")
    clock.advance(seconds=KEPT_S / 2 + 1)
    assert one.admin.users() == [] and noted(one) == ["ana", "eva", "rui", "zoe"]
    assert sweep(two) == 2, "those of rui and zoe are still answered the same"
    assert noted(one) == ["rui", "zoe"]
    assert one.admin.users() == ["eva"], "what her agent did is kept"
    assert sweep(one) == sweep(two) == 0, "once a night, whoever looks"
    clock.advance(days=1)
    assert sweep(one) == 2 and noted(two) == []


def test_a_worker_does_so_though_nobody_sleeps(
    hosts: tuple[Memory, Memory], clock: FrozenClock
) -> None:
    one, two = hosts
    ask(one, "ana")
    sweep(one)
    clock.advance(days=2)
    idle = IdleMonitor(lambda: 0.0, SleepSettings())
    assert Scheduler(resources_of(two), idle).check(threading.Event()) == []
    assert noted(one) == []


def test_so_does_a_night_for_everybody(hosts: tuple[Memory, Memory], clock: FrozenClock) -> None:
    one, two = hosts
    ask(one, "ana")
    clock.advance(days=2)
    assert two.admin.sleep_all() == [] and noted(one) == []


class SecondTime(threading.Event):
    """Is set when it is asked a second time."""

    asked = False

    def is_set(self) -> bool:
        before, self.asked = self.asked, True
        return before


def test_who_is_told_to_stop_leaves_the_rest_to_another(
    hosts: tuple[Memory, Memory], clock: FrozenClock
) -> None:
    one, two = hosts
    ask(one, "ana")
    ask(one, "rui")
    sweep(one)
    clock.advance(days=2)
    assert "sweeping" not in scheduler.run_tasks(resources_of(one), SecondTime())
    assert len(noted(one)) == 1
    assert sweep(two) == 1 and noted(one) == []
