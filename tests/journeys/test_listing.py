"""Everything that is kept, a page at a time."""

from datetime import timedelta
from pathlib import Path

import pytest

from sharpwave import Memory, Said
from sharpwave.errors import InvalidInput
from sharpwave.testing import FrozenClock
from sharpwave.types.records import Kind, Source, Stage, Trust


def test_pages_hold_everything_once_and_the_newest_first(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "m.db") as memory:
        memory.user("other").remember("My sister Ana lives in Porto.")
        assert memory.memories().items == () and memory.memories().before is None
        memory.remember([f"I bought {n} apples." for n in range(30)])
        memory.remember("My brother Tom lives in Bern.")
        found, before, pages = list[str](), None, 0
        while pages == 0 or before is not None:
            page = memory.memories(limit=7, before=before)
            found += [one.id for one in page.items]
            before, pages = page.before, pages + 1
        assert len(found) == len(set(found)) == memory.stats().memories and pages >= 5
        numbers = [one.number for one in memory.memories(limit=100).items]
        assert numbers == sorted(numbers, reverse=True)


def test_what_does_not_fit_is_left_out(tmp_path: Path) -> None:
    clock = FrozenClock()
    with Memory.open(tmp_path / "m.db", clock=clock) as memory:
        memory.remember("My sister Ana lives in Porto.")
        middle = clock.now() + timedelta(days=1)
        clock.advance(days=2)
        memory.remember(Said("Porto has a river.", role="tool", source="web"))

        def texts(**sought: object) -> set[str]:
            return {one.text for one in memory.memories(**sought).items}  # type: ignore[arg-type]

        assert "Ana lives in Porto" in texts(kinds=["fact"])
        assert texts(kinds=[Kind.TURN], sources=["web"]) == {"Porto has a river."}
        assert texts(trusts=[Trust.UNTRUSTED]) == {"Porto has a river."}
        assert texts(since=middle) == {"Porto has a river."}
        assert "Porto has a river." not in texts(until=middle) and len(texts(until=middle)) >= 2
        assert texts(stages=[Stage.SEMANTIC], sources=[Source.WEB]) == set()
        with pytest.raises(InvalidInput, match="kinds are of: turn"):
            memory.memories(kinds=["poem"])


def test_an_import_with_old_times_hides_nothing_that_is_new(tmp_path: Path) -> None:
    clock = FrozenClock()
    with Memory.open(tmp_path / "old.db", clock=clock) as old:
        old.remember("My sister Ana lives in Porto.")
        exported = list(old.export())
    clock.advance(days=100)
    with Memory.open(tmp_path / "m.db", clock=clock) as memory:
        memory.remember("I bought apples.")
        memory.import_(exported, own=True)
        found = memory.memories(since=clock.now() - timedelta(days=7), kinds=["turn"])
    assert [one.text for one in found.items] == ["I bought apples."]


@pytest.mark.parametrize("before", [10**6, 2**63, 2**80])
def test_beyond_the_newest_one_begins_at_the_newest(tmp_path: Path, before: int) -> None:
    with Memory.open(tmp_path / "m.db") as memory:
        memory.remember("I bought apples.")
        assert memory.memories(before=before) == memory.memories()
