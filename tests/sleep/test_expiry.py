"""Nothing leaves working memory unseen, whatever happens in between [resolution 1]."""

from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.sleep.living import sleep_until, small_steps

from sharpwave import Kind, Memory, Record
from sharpwave.errors import Busy
from sharpwave.sleep.run import read_state
from sharpwave.testing import FrozenClock, HashEmbedder, in_memory, workspace_of
from sharpwave.types.records import Stage
from sharpwave.types.storing import Staged

NOON = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)
what_happens = st.lists(
    st.one_of(
        st.tuples(st.just("talk"), st.integers(1, 6)),
        st.tuples(st.just("wait"), st.integers(1, 2000)),
        st.tuples(st.just("the clock goes back"), st.integers(1, 100)),
        st.tuples(st.just("sleep"), st.integers(0, 1)),
        st.tuples(st.just("die in sleep"), st.integers(0, 12)),
    ),
    max_size=12,
)


@pytest.mark.spec("WM-09")
@settings(max_examples=40, deadline=None)
@given(what_happens)
def test_nothing_unconsolidated_expires_and_nothing_said_is_lost(
    events: list[tuple[str, int]],
) -> None:
    clock, said = FrozenClock(NOON), 0
    with small_steps(3), in_memory(clock=clock, embedder=HashEmbedder(16)) as memory:

        def talk(much: int) -> None:
            nonlocal said
            for _ in range(much):
                memory.remember(f"This is sentence {said}.", session=f"s{said % 3}")
                said += 1

        def rest(heavy: int) -> None:
            with suppress(Busy):
                memory.sleep(heavy=bool(heavy))

        def die(place: int) -> None:
            with suppress(Busy):
                sleep_until(memory, place)

        happen: dict[str, Callable[[int], object]] = {
            "talk": talk,
            "wait": lambda hours: clock.advance(hours=hours),
            "the clock goes back": lambda hours: clock.advance(hours=-hours),
            "sleep": rest,
            "die in sleep": die,
        }
        for what, much in events:
            happen[what](much)
            turns = _turns(memory)
            assert len(turns) == said, "nothing said is lost"
            settled = [turn for turn in turns if turn.standing.stage is Stage.EPISODIC]
            assert len(settled) <= _replayed(memory), "only what was replayed has settled"


@pytest.mark.spec("WM-02")
def test_what_is_a_day_old_leaves_working_memory_in_the_next_night() -> None:
    clock = FrozenClock(NOON)
    with in_memory(clock=clock, embedder=HashEmbedder(16)) as memory:
        memory.remember("It is raining a little in the old town today.", session="s")
        for seconds, stage in ((24 * 3600 - 1, Stage.ACTIVE), (1, Stage.EPISODIC)):
            clock.advance(seconds=seconds)
            memory.sleep(heavy=False)
            assert [turn.standing.stage for turn in _turns(memory)] == [stage]


def _turns(memory: Memory) -> list[Record]:
    return workspace_of(memory).store.staged(Staged(Kind.TURN, limit=10_000))


def _replayed(memory: Memory) -> int:
    """How many turns were gone through, in all nights and the one that was interrupted."""
    counts = [report.counts for report in memory.admin.sleep_log(1000)]
    counts.append(read_state(workspace_of(memory))[0].get("counts", {}))
    return sum(each.get("replayed", 0) for each in counts)
