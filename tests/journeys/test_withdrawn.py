"""Whoever does not agree is not learned from, nor helped by what was learned; no name stays."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from sharpwave import Kind, Memory, NotFound
from sharpwave.errors import NoConsent
from sharpwave.sleep import summarise
from sharpwave.testing import FrozenClock


@pytest.mark.parametrize("purpose", ["memory", "learning"])
def test_nothing_is_learned_or_used_without_consent(tmp_path: Path, purpose: str) -> None:
    with Memory.open(tmp_path / "m.db", clock=FrozenClock()) as memory:
        memory.remember("Always use tabs.", session="s")
        memory.skills.create("haiku", "Answer as a haiku.")
        choice = memory.skills.select("Hello there", session="s")
        memory.feedback(choice.message_id, 1)
        before = memory.admin.stats().by_kind
        memory.admin.consent(purpose, False)
        with pytest.raises(NoConsent, match="does not agree"):
            memory.behavior.add("Use spaces")
        with pytest.raises(NoConsent, match="does not agree"):
            memory.behavior.edit(memory.behavior.rules()[0].id, "Use spaces")
        with pytest.raises(NoConsent, match="does not agree"):
            memory.skills.archive("haiku")
        assert memory.feedback(choice.message_id, -1).status == "not_stored"
        chosen = [memory.skills.select("Write me a haiku") for _ in range(20)]
        assert all(one.trajectory_id is None and one.skill.id != "haiku" for one in chosen)
        assert memory.admin.stats().by_kind == before
        found = memory.recall("Always use tabs.", k=1)
        assert all(item.record.kind != "behavior" for item in found.items)
        assert all(one.kind != "behavior" for one in found.left_out)


def test_what_is_known_is_not_shown_without_consent_and_not_lost(tmp_path: Path) -> None:
    """An agent that prints the profile into its prompt would use it."""
    day = datetime(2026, 5, 1, tzinfo=UTC)
    with Memory.open(tmp_path / "m.db", clock=FrozenClock(day)) as memory:
        memory.remember("I live in Porto. My sister Ana lives in Faro. I need to call Ana today.")

        def shown() -> str:
            facts, graph, tasks = memory.facts, memory.graph, memory.tasks
            return repr([
                facts.profile(), facts.list(), facts.at(day), facts.known_since(), facts.shifts(),
                facts.between(day, day + timedelta(days=1), on="recorded"), facts.conflicts(),
                facts.history("user", "lives_in"), graph.entities(), graph.about("Ana"),
                graph.related("Ana"), graph.view(), tasks.list(), tasks.due_soon(),
            ])  # fmt: skip

        before = shown()
        assert "Faro" in before and "Call Ana" in before
        memory.admin.consent("memory", False)
        assert "Faro" not in shown() and "Porto" not in shown() and "Call" not in shown()
        with pytest.raises(NotFound):
            memory.facts.predict("user", "lives_in", day)
        assert any("Faro" in line for line in memory.export()), "the user may always have it"
        memory.admin.consent("memory", True)
        assert shown() == before
        assert memory.admin.users() == [memory.user_id]


def test_nobody_sleeps_without_consent(tmp_path: Path) -> None:
    clock = FrozenClock()
    with Memory.open(tmp_path / "m.db", clock=clock) as memory:
        memory.remember("Ana moved to Porto.", session="s")
        memory.admin.consent("memory", False)
        clock.advance(days=2)
        report = memory.sleep(heavy=True)
        assert not report.counts and "does not agree" in report.notes[0]
        assert memory.admin.sleep_log() == []
        memory.admin.consent("memory", True)
        assert memory.sleep(heavy=True).counts["replayed"] == 1


def test_the_names_of_what_was_forgotten_stay_in_no_report_of_a_night(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock, path = FrozenClock(), tmp_path / "m.db"
    monkeypatch.setattr(summarise, "MIN_TURNS", 2)
    monkeypatch.setattr(summarise, "MIN_TOKENS", 10)
    with Memory.open(path, clock=clock) as memory:
        for day in range(30):
            if day >= 15:
                memory.remember(f"I met Zorblatt by the river, day {day}.", session="zanzibar")
            memory.remember(f"It rained a lot on day {day}.", session="weather")
            clock.advance(days=1)
        clock.advance(days=1)
        report = memory.sleep(heavy=True)
        assert "Zorblatt" in {trend.name for trend in memory.facts.trends()}
        (told,) = [entry for entry in report.entries if entry.what == "trend"]
        assert "Zorblatt" in memory.admin.texts([told.id])[told.id]
        assert report.counts["summarised"] == 2
        memory.forget(session="zanzibar")
        assert memory.facts.trends() == []
    left = b"".join(one.read_bytes() for one in tmp_path.iterdir()).lower()
    assert b"zorblatt" not in left and b"zanzibar" not in left


def test_no_note_is_taken_of_how_to_help_somebody_who_does_not_want_to_be_learned_from(
    tmp_path: Path,
) -> None:
    with Memory.open(tmp_path / "m.db", clock=FrozenClock()) as memory:
        memory.remember("Please never use emojis with me.", session="s")
        assert memory.behavior.rules(), "the control: it is learned otherwise"
        other = memory.user("bruno")
        other.admin.consent("learning", False)
        receipt = other.remember("Please never use emojis with me.", session="s")
        assert not other.behavior.notes() and not other.behavior.rules()
        assert not receipt.rules and not receipt.learned
        memory.admin.consent("learning", False)
        assert memory.context("Shall I use emojis?").section("Reflective Notes") is None
        found = memory.recall("Shall I use emojis?")
        assert {item.record.kind for item in found.items} == {Kind.TURN}
