"""`temporal` on a file of our own: every rule of what counts as right."""

import json
import sys
from datetime import UTC, datetime
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from evals import temporal
from evals.__main__ import main
from evals.temporal import Count
from sharpwave import InvalidInput, NotFound

SAID = "2024-05-15T10:30:00"


def case(text: str, *expected: tuple[str, str, dict[str, str]]) -> dict[str, Any]:
    results = [
        {
            "Text": words.lower(),
            "Start": text.index(words),
            "End": text.index(words) + len(words) - 1,
            "TypeName": f"datetimeV2.{kind}",
            "Resolution": {"values": [{"type": kind, **value}]},
        }
        for words, kind, value in expected
    ]
    return {"Input": text, "Context": {"ReferenceDateTime": SAID}, "Results": results}


RIGHT = [
    case("We met yesterday.", ("yesterday", "date", {"value": "2024-05-14"})),
    case("Up to Friday: until Friday", ("until Friday", "daterange", {"end": "2024-05-17"})),
    case("after May 3, 2023", ("after May 3, 2023", "daterange", {"start": "2023-05-03"})),
    case(
        "from Monday to Friday",
        ("from Monday to Friday", "daterange", {"start": "2024-05-13", "end": "2024-05-17"}),
    ),
    case(
        "last night",
        (
            "last night",
            "datetimerange",
            {"start": "2024-05-14 20:00:00", "end": "2024-05-14 23:59:59"},
        ),
    ),
    case("at 3pm", ("3pm", "time", {"value": "15:00:00"})),
    case("for three hours", ("three hours", "duration", {"value": "10800"})),
    case("weekly", ("weekly", "set", {"timex": "P1W", "value": "not resolved"})),
]
WRONG = [
    case("We met yesterday.", ("yesterday", "date", {"value": "2024-05-13"})),
    case("We met yesterday.", ("yesterday", "daterange", {"start": "2024-05-14"})),
    case("weekly", ("weekly", "set", {"timex": "P2W", "value": "not resolved"})),
]
EMPTY = [case("You may not!"), case("I was there yesterday")]


def written(folder: Path, cases: list[dict[str, Any]]) -> Path:
    file = folder / "temporal" / "cases.json"
    file.parent.mkdir()
    file.write_text(json.dumps(cases), "utf-8")
    return folder


def test_what_counts_as_right(tmp_path: Path) -> None:
    ours = temporal.compare(written(tmp_path, RIGHT + WRONG + EMPTY)).results[0]
    assert ours.overall == Count(len(RIGHT), len(RIGHT) + len(WRONG))
    assert ours.types["date"] == Count(1, 2)
    assert ours.types["daterange"] == Count(3, 4)
    assert ours.targeted == Count(5, 7)
    assert ours.found_in_error == Count(1, 2)


def test_what_is_missed_is_listed(tmp_path: Path) -> None:
    missed = temporal.compare(written(tmp_path, WRONG)).missed
    assert len(missed) == len(WRONG)
    assert missed[0].startswith("date: 'yesterday' in 'We met yesterday.'")


def test_a_peer_that_is_missing_is_a_note(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(temporal, "find_spec", lambda name: None)
    found = temporal.compare(written(tmp_path, RIGHT))
    assert len(found.results) == 1
    assert "dateparser left out" in found.notes[0]


def test_a_peer_is_measured_on_the_same_cases(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    peer = ModuleType("dateparser.search")

    def search_dates(text: str, **_: Any) -> list[tuple[str, datetime]] | None:
        return [("yesterday", datetime(2024, 5, 14))] if "yesterday" in text else None

    vars(peer)["search_dates"] = search_dates
    monkeypatch.setattr(temporal, "find_spec", lambda name: object())
    monkeypatch.setattr(temporal, "import_module", lambda name: peer)
    _, theirs = temporal.compare(written(tmp_path, RIGHT + EMPTY)).results
    assert theirs.name == temporal.PEER
    assert theirs.overall == Count(1, len(RIGHT))
    assert theirs.found_in_error == Count(1, 2)


def test_cases_are_read_in_utc(tmp_path: Path) -> None:
    (one,) = temporal.load(written(tmp_path, RIGHT[:1]))
    assert one.at == datetime(2024, 5, 15, 10, 30, tzinfo=UTC)
    assert one.text[one.expressions[0].span.start : one.expressions[0].span.end] == "yesterday"


def test_a_file_that_is_missing_or_broken(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="--data"):
        temporal.load(tmp_path)
    with pytest.raises(InvalidInput, match="not in the form of temporal"):
        temporal.load(written(tmp_path, [{"Results": []}]))


def test_the_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(temporal, "find_spec", lambda name: None)
    given = ["evals", "temporal", "--data", str(written(tmp_path, RIGHT + WRONG))]
    for extra in (["--missed"], ["--json"]):
        monkeypatch.setattr(sys, "argv", given + extra)
        with pytest.raises(SystemExit) as left:
            main()
            sys.exit(0)
        assert not left.value.code
        printed = capsys.readouterr().out
        if extra == ["--json"]:
            assert json.loads(printed)["results"][0]["overall"] == {"right": 8, "of": 11}
        else:
            assert "72.7 %" in printed
            assert "date: 'yesterday'" in printed
