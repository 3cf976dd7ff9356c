"""Everything that is kept, a page at a time."""

from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import pytest

from sharpwave import InvalidInput, Kind, Memory, Message, NotFound, Source
from sharpwave.testing import FrozenClock
from sharpwave.types.records import Stage, Trust


def test_a_task_that_is_not_due_soon_takes_no_place_of_one_that_is(tmp_path: Path) -> None:
    clock = FrozenClock(datetime(2026, 5, 4, 9, tzinfo=UTC))
    with Memory.open(tmp_path / "m.db", clock=clock) as memory:
        memory.remember("I have to call Ana on 7 May.")  # until midnight, three days and more
        memory.remember("I have to call Tom on 7 May at 8 am.")
        (soon,) = memory.tasks.due_soon()
        assert "Tom" in soon.title and memory.tasks.due_soon(limit=1) == [soon]


def test_pages_hold_everything_once_and_the_newest_first(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "m.db") as memory:
        memory.user("other").remember("My sister Ana lives in Porto.")
        assert memory.admin.memories().items == () and memory.admin.memories().before is None
        memory.remember([f"I bought {n} apples." for n in range(30)])
        memory.remember("My brother Tom lives in Bern.")
        found, before, pages = list[str](), None, 0
        while pages == 0 or before is not None:
            page = memory.admin.memories(limit=7, before=before)
            found += [one.id for one in page.items]
            before, pages = page.before, pages + 1
        assert len(found) == len(set(found)) == memory.admin.stats().memories and pages >= 5
        numbers = [one.number for one in memory.admin.memories(limit=100).items]
        assert numbers == sorted(numbers, reverse=True)


def test_what_does_not_fit_is_left_out(tmp_path: Path) -> None:
    clock = FrozenClock()
    with Memory.open(tmp_path / "m.db", clock=clock) as memory:
        memory.remember("My sister Ana lives in Porto.")
        middle = clock.now() + timedelta(days=1)
        clock.advance(days=2)
        memory.remember(Message("Porto has a river.", role="tool", source="web"))

        def texts(**sought: object) -> set[str]:
            return {one.text for one in memory.admin.memories(**sought).items}  # type: ignore[arg-type]

        assert "Ana lives in Porto" in texts(kinds=["fact"])
        assert texts(kinds=[Kind.TURN], sources=["web"]) == {"Porto has a river."}
        assert texts(trusts=[Trust.UNTRUSTED]) == {"Porto has a river."}
        assert texts(since=middle) == {"Porto has a river."}
        assert "Porto has a river." not in texts(until=middle) and len(texts(until=middle)) >= 2
        assert texts(stages=[Stage.SEMANTIC], sources=[Source.WEB]) == set()
        with pytest.raises(InvalidInput, match=r"unknown kind .*there are: turn"):
            memory.admin.memories(kinds=["poem"])
        with pytest.raises(InvalidInput, match="unknown trust 5"):
            memory.admin.memories(trusts=[5])  # type: ignore[list-item]
        with pytest.raises(InvalidInput, match="must be a list of kinds"):
            memory.admin.memories(kinds="turn")


def test_an_import_with_old_times_hides_nothing_that_is_new(tmp_path: Path) -> None:
    clock = FrozenClock()
    with Memory.open(tmp_path / "old.db", clock=clock) as old:
        old.remember("My sister Ana lives in Porto.")
        exported = list(old.export())
    clock.advance(days=100)
    with Memory.open(tmp_path / "m.db", clock=clock) as memory:
        memory.remember("I bought apples.")
        memory.admin.import_(exported, own=True)
        found = memory.admin.memories(since=clock.now() - timedelta(days=7), kinds=["turn"])
    assert [one.text for one in found.items] == ["I bought apples."]


@pytest.mark.parametrize("before", [10**6, 2**63, 2**80])
def test_beyond_the_newest_one_begins_at_the_newest(tmp_path: Path, before: int) -> None:
    with Memory.open(tmp_path / "m.db") as memory:
        memory.remember("I bought apples.")
        assert memory.admin.memories(before=before) == memory.admin.memories()


def test_lists_are_read_in_parts(tmp_path: Path) -> None:
    """So many after the first few are the same as that part of everything."""
    with Memory.open(tmp_path / "m.db", clock=FrozenClock()) as memory:
        foods = ["figs", "rice", "leek", "tofu", "mint"]
        rules = ["Quote sources", "Answer in German", "Use metric units", "Be brief", "No emojis"]
        for n, name in enumerate(["Ana", "Tom", "Eve", "Max", "Ida"]):
            food = foods[n]
            memory.remember([f"I am allergic to {food}.", f"I am not allergic to {food}."])
            memory.remember(f"I have to call {name} {'today' if n % 2 else 'tomorrow'}.")
            memory.behavior.add(rules[n], "style" if n % 2 else "preference")
            memory.agents.observe(
                {"query": f"Ask {name}", "steps": [{"name": f"tool_{n}"}] * (n + 1)}
            )
        memory.behavior.delete(memory.behavior.rules()[0].id)
        lists = (
            memory.facts.conflicts,
            memory.tasks.list,
            memory.tasks.due_soon,
            memory.behavior.rules,
            partial(memory.behavior.rules, "style"),
            partial(memory.behavior.rules, scope="global"),
            partial(memory.behavior.rules, past=True),
            memory.behavior.pending,
            memory.agents.tools,
            partial(memory.agents.tools, "general"),
        )
        for listed in lists:
            whole = listed()
            assert whole, listed
            for limit, offset in ((1, 0), (2, 0), (2, 1), (3, 4), (1000, 0), (5, 1000)):
                assert listed(limit=limit, offset=offset) == whole[offset:][:limit], listed
        assert [one.due for one in memory.tasks.due_soon()] == sorted(
            one.due for one in memory.tasks.list() if one.due is not None
        )
        with pytest.raises(InvalidInput, match="limit"):
            memory.facts.conflicts(limit=0)
        for wrong in (-1, True, 1.5, "1", 10**6):
            with pytest.raises(InvalidInput, match=f"offset .* from 0 to 999999, not {wrong!r}"):
                memory.tasks.list(offset=wrong)  # type: ignore[arg-type]


def test_the_last_turns_are_the_last_that_count(tmp_path: Path) -> None:
    """However many came after them that nobody believes any more."""
    with Memory.open(tmp_path / "m.db") as memory:
        memory.remember([Message(f"Line {n}", session="talk") for n in range(3)])
        heard = [Message(f"Spam {n}", session="talk", source=Source.WEB) for n in range(20)]
        memory.remember(heard)
        memory.facts.quarantine(source="web")
        talk, some = (
            partial(memory.admin.recent, session="talk"),
            partial(memory.admin.recent, within="ta"),
        )
        for recent in (memory.admin.recent, talk, some):
            lines = recent(2)
            assert [turn.text for turn in lines] == ["Line 1", "Line 2"], recent
            earlier = recent(2, before=lines[0].number)
            assert [turn.text for turn in earlier] == ["Line 0"], recent


def test_a_session_is_found_however_its_name_was_written(tmp_path: Path) -> None:
    composed, apart = "caf\u00e9", "cafe\u0301"
    with Memory.open(tmp_path / "m.db") as memory:
        memory.remember(Message("Hello.", session=apart))
        for name in (composed, apart):
            assert (
                len(memory.admin.recent(session=name)) == len(memory.admin.recent(within=name)) == 1
            )
        assert (
            memory.admin.recent(session="x" * 10_000)
            == memory.admin.recent(within="x" * 10_000)
            == []
        )
        for wrong in ("a\0b", "", 5):
            for which in ("session", "within"):
                with pytest.raises(InvalidInput, match=which):
                    memory.admin.recent(**{which: wrong})  # type: ignore[arg-type]


def test_no_number_leads_to_what_another_user_said(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "m.db", user="ana") as memory:
        memory.remember(Message("Mine.", session="talk"))
        for other in ("tom", "mia", "kai"):
            memory.user(other).remember(Message(f"A word of {other}.", session="talk"))
        for beyond in (2**32, 2**33, 2**34 + 5, 2**40, 2**80):
            for which in ({}, {"session": "talk"}, {"within": "ta"}):
                found = memory.admin.recent(99, before=beyond, **which)
                assert [turn.text for turn in found] == ["Mine."], (beyond, which)
            assert [one.text for one in memory.admin.memories(before=beyond).items] == ["Mine."]
        for wrong in (-1, True, "1", 1.5):
            with pytest.raises(InvalidInput, match="before"):
                memory.admin.recent(before=wrong)  # type: ignore[arg-type]


def test_a_long_ago_is_read_in_parts(tmp_path: Path) -> None:
    clock = FrozenClock()
    with Memory.open(tmp_path / "m.db", clock=clock) as memory:
        foods = ("figs", "rice", "leek", "tofu", "mint")
        memory.remember([f"I am allergic to {food}." for food in foods])
        then = clock.now()
        clock.advance(days=9)
        memory.remember("I am no longer allergic to figs.")
        for known_at in (None, then):
            whole = memory.facts.at(then, known_at=known_at, subject="user").facts
            first = memory.facts.at(then, known_at=known_at, subject="user", limit=2).facts
            every = memory.facts.at(then, known_at=known_at, subject="user", limit=99).facts
            assert len(whole) == 5 and set(every) == set(whole) and first == every[:2]


def test_a_conflict_is_settled_by_either_of_its_ids(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "m.db") as memory:
        for food in ("figs", "rice"):
            memory.remember([f"I am allergic to {food}.", f"I am not allergic to {food}."])
        first, second = memory.facts.conflicts()
        assert memory.facts.resolve(first.older.id, "newer").id == first.id
        assert memory.facts.conflicts() == [second]
        with pytest.raises(NotFound):
            memory.facts.resolve(first.id, "newer")
        memory.facts.resolve(second.newer.id, "older")
        assert memory.facts.conflicts() == []
