"""The conversations of a user can be listed."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from sharpwave import Memory
from sharpwave.sleep import summarise
from sharpwave.testing import FrozenClock

MONDAY = datetime(2026, 3, 2, 12, tzinfo=UTC)


def test_sessions_have_a_beginning_an_end_and_a_summary(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = FrozenClock(MONDAY)
    monkeypatch.setattr(summarise, "SHARE", 1.0)
    monkeypatch.setattr(summarise, "MIN_TOKENS", 10)
    with Memory.open(tmp_path / "m.db", clock=clock) as memory:
        said = [
            "The ferry to Porto leaves at noon from the old pier.",
            "My brother Rui has a new job at the library near the river.",
            "On Sunday there is a concert of the choir in the old chapel.",
        ]
        memory.remember(said, session="travel")
        clock.advance(hours=1)
        memory.remember("We booked two cabins on the upper deck.", session="travel")
        memory.remember("Said in no session at all.")
        clock.advance(hours=1)
        memory.remember("The oven needs a new door.", session="kitchen")
        kitchen, travel = memory.admin.sessions()
        assert (kitchen.id, kitchen.turns, kitchen.summary) == ("kitchen", 1, None)
        assert (travel.id, travel.turns) == ("travel", 4)
        assert (travel.ended_at - travel.started_at).seconds == 3600
        assert memory.admin.sessions(1) == [kitchen] and memory.user("bob").admin.sessions() == []
        clock.advance(days=2)
        memory.sleep()
        (summary,) = [one.summary for one in memory.admin.sessions() if one.id == "travel"]
        assert summary is not None and "ferry" in summary
        memory.forget(session="travel")
        assert [one.id for one in memory.admin.sessions()] == ["kitchen"]
        memory.admin.consent("memory", False)
        assert memory.admin.sessions() == []
