"""`extraction` on a conversation that we wrote."""

import gzip
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from evals import changed_facts, extraction
from evals.__main__ import main
from evals.observations import locomo_talks
from sharpwave import InvalidInput, NotFound

TURNS = [
    ("Ana", "D1:1", "Hey Rui! Where do you live these days?"),
    ("Rui", "D1:2", "I moved to Porto in March. My sister Eva lives in Faro."),
    ("Ana", "D1:3", "Nice! I adopted a puppy named Max."),
    ("Rui", "D1:4", "Do you like it?"),
]
OBSERVED = {
    "Rui": [["Rui lives in Porto.", "D1:2"], ["Rui runs marathons and bakes.", ["D1:2"]]],
    "Ana": [["Ana has a pet named Max.", "D1:3"]],
}


def write_sets(folder: Path) -> Path:
    talk = {
        "sample_id": "talk",
        "qa": [],
        "conversation": {
            "speaker_a": "Ana",
            "speaker_b": "Rui",
            "session_1_date_time": "1:56 pm on 8 May, 2023",
            "session_1": [
                dict(zip(("speaker", "dia_id", "text"), turn, strict=True)) for turn in TURNS
            ],
        },
        "observation": {"session_1_observation": OBSERVED},
    }
    _write(folder / "locomo" / "locomo_dev.json", json.dumps([talk]))
    asked = {
        "question_id": "q1",
        "question_type": "knowledge-update",
        "question": "How many engineers do I lead?",
        "answer": "five",
        "haystack_dates": ["2023/10/24 (Tue) 13:53", "2023/05/11 (Thu) 02:02"],
        "haystack_sessions": [
            [{"role": "user", "content": "I lead a team of five engineers.", "has_answer": True}],
            [{"role": "user", "content": "I lead a team of 4 engineers.", "has_answer": True}],
        ],
    }
    place = folder / "longmemeval" / "dev.jsonl.gz"
    place.parent.mkdir(parents=True)
    place.write_bytes(gzip.compress(json.dumps(asked).encode()))
    return folder


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True)
    path.write_text(text, "utf-8")


def test_coverage_noise_and_sample(tmp_path: Path) -> None:
    found = extraction.measure(write_sets(tmp_path))
    assert found.turns == 4
    assert found.rules.observations == 3
    assert found.rules.shares["50%"] == pytest.approx(2 / 3)
    assert found.raw.words_per_turn > found.rules.words_per_turn
    assert found.noise_per_100_asking_turns == 0
    # "a puppy" makes Max "a dog", a word that the clause does not have.
    assert sum(one.checked for one in found.sample) == len(found.sample) - 1
    assert not any(one.judged for one in found.sample)


def test_verdicts_are_ids_and_marks(tmp_path: Path) -> None:
    data = write_sets(tmp_path)
    first, second = (one.id for one in extraction.measure(data).sample[:2])
    file = tmp_path / "verdicts.csv"
    rows = f"{first},family,right\n{second},family,wrong\nmended#1,work,wrong\n"
    file.write_text(f"id,family,verdict\n{rows}", "utf-8")
    verdicts = extraction.read_verdicts(file)
    families = extraction.precision_by_family(verdicts.values())
    assert families == {"family": (1, 0, 2), "work": (0, 0, 1)}
    assert sum(one.judged for one in extraction.measure(data, verdicts).sample) == 2
    assert extraction.read_verdicts(tmp_path / "none.csv") == {}


def test_older_and_newer_statement(tmp_path: Path) -> None:
    (pair,) = changed_facts.update_pairs(write_sets(tmp_path))
    assert pair.same_predicate
    assert pair.older is not None and pair.newer is not None
    assert pair.older.text == "The user leads a team of 4 engineers"
    assert pair.newer.text == "The user leads a team of five engineers"


def test_our_sentences_are_all_right() -> None:
    found = extraction.measure_cases()
    assert (found.exact, found.false) == (found.said, 0)
    assert found.said > 100


def test_what_is_missing_is_said(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="locomo"):
        locomo_talks(tmp_path)
    with pytest.raises(NotFound, match="longmemeval"):
        changed_facts.update_pairs(tmp_path)
    _write(tmp_path / "locomo" / "locomo_dev.json", '[{"conversation": {}}]')
    with pytest.raises(InvalidInput, match="form"):
        locomo_talks(tmp_path)


def test_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    given = ["evals", "extraction", "--data", str(write_sets(tmp_path))]

    def run(*more: str) -> str:
        monkeypatch.setattr(sys, "argv", [*given, *more])
        with pytest.raises(SystemExit) as left:
            main()
            sys.exit(0)
        assert not left.value.code
        return capsys.readouterr().out

    assert "facts" in run()
    found: Any = json.loads(run("--json"))
    assert found["locomo"]["turns"] == 4
    assert found["updates"][0]["same_predicate"]
