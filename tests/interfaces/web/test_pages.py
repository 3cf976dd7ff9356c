"""What pages show, worked out from answers of the facade; nothing is drawn here."""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from tests.interfaces.web.living import live

from sharpwave import Entity, Forgotten, Memory, Report
from sharpwave.interfaces.web.components import Bar
from sharpwave.interfaces.web.pages import experience, graph, privacy, profile, quality, sleep
from sharpwave.settings.core import RetentionSettings
from sharpwave.sleep import cycle
from sharpwave.testing import FrozenClock, HashEmbedder
from sharpwave.types.known import Graph
from sharpwave.types.quality import ConfidenceBin, FactCalibration, Performance
from sharpwave.types.sleep import Phase, ReportEntry, SleepStatus
from sharpwave.types.statements import EntityKind

NOW = datetime(2026, 5, 1, tzinfo=UTC)


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory.open(tmp_path / "m.db", clock=FrozenClock(), embedder=HashEmbedder(64)) as opened:
        live(opened)
        yield opened


def keys_of(options: object) -> Iterator[str]:
    """Every key, however deep."""
    if isinstance(options, Mapping):
        for key, value in options.items():
            yield str(key)
            yield from keys_of(value)
    elif isinstance(options, list | tuple):
        for value in options:
            yield from keys_of(value)


def test_no_word_of_a_user_is_a_key_of_a_chart(memory: Memory) -> None:
    """NiceGUI runs what stands under a key that begins with a colon."""
    name = ":formatter"
    node = Entity(name, EntityKind.PERSON, 3)
    charts: list[Mapping[str, Any]] = [
        graph.drawing(Graph(NOW, (node,), (), True)),
    ]
    assert all(not key.startswith(":") for one in charts for key in keys_of(one))


def test_a_drawing_has_a_line_between_two_names_and_the_list_says_the_same(memory: Memory) -> None:
    found = memory.graph.view(graph.MOST)
    drawn = graph.drawing(found)
    (series,), (narrow,) = drawn["series"], drawn["media"]
    (closer,) = narrow["option"]["series"]
    assert closer["force"]["repulsion"] < series["force"]["repulsion"], "or it does not fit"
    named = {node["id"] for node in series["data"]}
    assert {"user", "Ana", "Porto"} <= named
    assert all({edge["source"], edge["target"]} <= named for edge in series["edges"])
    lines = {line.entity.name: line for line in graph.entity_lines(found)}
    assert graph.shown_name(lines["user"].entity.name) == "You"
    assert "Ana lives in Porto" in lines["Porto"].relations
    assert "everything" in graph.extent_words(found, None)
    assert "Search" in graph.extent_words(Graph(NOW, found.entities, (), False), None)


@pytest.mark.spec("MET-07")
def test_quality_shows_what_was_measured_and_nothing_where_nothing_was(memory: Memory) -> None:
    nothing = Performance(None)
    assert not quality.operation_rows(nothing) and not quality.decision_bars(nothing)
    names = [row[0] for row in quality.operation_rows(memory.admin.performance())]
    assert names == ["recall", "remember"]
    told = dict(
        (words, value)
        for value, words in quality.learning_numbers(
            memory.skills.metrics(), memory.skills.history()
        )
    )
    assert told["answers liked"] == "75%"
    (hour,) = quality.hour_bars(memory.skills.history())
    assert (hour.share, hour.shown) == (0.75, "9 of 12")
    half = FactCalibration(4, (ConfidenceBin(0.9, 1.0, 4, 2, 0.95),), 0.45, 0.4)
    assert quality.calibration_bars(half) == [Bar("0.9 to 1.0 sure", 0.5, "2 of 4 right")]


def test_a_night_tells_what_it_did_and_whether_it_can_be_taken_back() -> None:
    entries = (ReportEntry("kept", "a", "twice"), ReportEntry("dropped", "gone", ""))
    night = Report("run", "maya", NOW, NOW, False, {"kept": 1, "dropped": 1}, entries)
    assert sleep.report_lines(night, {"a": "Ana lives in Porto"}) == [
        ("kept", "Ana lives in Porto", "twice")
    ]
    assert sleep.can_undo(night)
    nothing = Report("run", "maya", NOW, NOW, False, {}, ())
    assert not sleep.can_undo(nothing)


def test_every_phase_of_sleep_has_words() -> None:
    assert list(sleep.PHASES) == [work.phase for work in cycle.PHASES]
    shares = [sleep.progress_words(_asleep(phase))[0] for phase in sleep.PHASES]
    assert shares == sorted(set(shares)) and shares[-1] < 1


def test_a_phase_without_words_is_named_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sleep.PHASES, Phase.FADE)
    assert sleep.progress_words(_asleep(Phase.FADE))[1] == "fade"


def _asleep(phase: Phase) -> SleepStatus:
    return SleepStatus(3, None, None, "run", phase, 0.0)


def test_a_timeline_has_only_versions_of_its_fact(memory: Memory) -> None:
    ada = memory.user("ada")
    ada.remember(["I am allergic to tea.", "I am allergic to figs.", "I live in Steyr."])
    for said, right in (("figs", "I am allergic to plums."), ("Steyr", "I live in Wels.")):
        (wrong,) = [one for one in ada.facts.list() if said in one.text]
        ada.facts.correct(wrong.id, right)

    def timeline(part: str) -> list[str]:
        (fact,) = [one for one in ada.facts.list() if part in one.text]
        history = ada.facts.history(fact.subject, fact.predicate)
        return [one.object for one in profile.versions_of(fact, history)]

    assert [timeline(part) for part in ("tea", "plums", "Wels")] == [
        ["tea"],
        ["figs", "plums"],
        ["Steyr", "Wels"],
    ]


def test_a_receipt_says_what_is_left(memory: Memory) -> None:
    cleared = privacy.receipt_lines(Forgotten(3, 2, 1, 1, traces_cleared=True))
    assert cleared["Memories erased"] == "3" and "no byte" in str(cleared["Traces"])
    left = privacy.receipt_lines(Forgotten(3, 2, 1, 1, False, copies=2))
    assert "until it is scrubbed" in str(left["Traces"])
    assert left["Old copies of the file erased"] == "2"


def test_times_of_keeping_are_told_in_days() -> None:
    kept = {
        setting: how_long
        for _, how_long, setting in privacy.retention_rows(RetentionSettings(trajectories_days=2.5))
    }
    assert kept["retention.turns_days"] == "for good"
    assert kept["retention.trajectories_days"] == "2.5 days"


def test_tools_tell_their_errors(memory: Memory) -> None:
    tools = {tool.name: tool for tool in memory.agents.tools()}
    assert tools["build"].success_rate == 1.0 and not tools["build"].errors
    assert "timeouterror" in experience.tool_notes(tools["test"])[0].lower()
