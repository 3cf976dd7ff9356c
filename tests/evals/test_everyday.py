"""`python -m evals everyday`, and the program that checks the corpus of the same form."""

import json
from pathlib import Path
from typing import Any

import pytest
from training.corpus import PEOPLE, quality
from typer.testing import CliRunner

from evals import people
from evals.__main__ import app

EVERYBODY = sorted(PEOPLE.glob("*.json"))


def person() -> dict[str, Any]:
    """Somebody who says three things worth keeping, one of them no longer so."""
    allergy = {
        "say": "The user is allergic to penicillin",
        "need": [["penicillin"]],
        "mode": "holds",
    }
    lives = {"say": "The user lives in Porto", "need": [["Porto"]], "mode": "holds"}
    due = {"say": "Call the vet", "need": [["vet"]], "due": "2026-05-08"}
    return {
        "id": "x1",
        "name": "Ana",
        "about": "",
        "sessions": [
            {
                "id": "s1",
                "at": "2026-05-04T10:00:00Z",
                "turns": [
                    {
                        "id": "s1t1",
                        "role": "user",
                        "text": "I am allergic to penicillin.",
                        "facts": [allergy],
                    },
                    {"id": "s1t2", "role": "assistant", "text": "How lovely."},
                    {"id": "s1t3", "role": "user", "text": "I live in Porto.", "facts": [lives]},
                    {
                        "id": "s1t4",
                        "role": "user",
                        "text": "Remind me to call the vet on Friday.",
                        "tasks": [due],
                        "wrong": [{"why": "hers", "need": [["lives"], ["vet"]]}],
                    },
                ],
            }
        ],
        "questions": [
            {
                "id": "q1",
                "at": "2026-06-01T10:00:00Z",
                "text": "Where do I live?",
                "kind": "current",
                "answer": [["Porto"]],
                "not": [["Lisbon"]],
                "evidence": ["s1t3"],
            },
            {
                "id": "q2",
                "at": "2026-06-01T10:01:00Z",
                "text": "What is my dentist's name?",
                "kind": "absent",
                "answer": [],
                "evidence": [],
            },
        ],
        "helps": [
            {
                "id": "h1",
                "at": "2026-06-01T10:02:00Z",
                "text": "What may the doctor give me for an infection?",
                "must": [{"need": [["penicillin"]], "evidence": ["s1t1"]}],
                "must_not": [{"need": [["Lisbon"]], "why": "never said"}],
            }
        ],
    }


def test_everything_about_a_person_is_counted(tmp_path: Path) -> None:
    (tmp_path / "x1.json").write_text(json.dumps(person()), "utf-8")
    given = ["everyday", "--data", str(tmp_path), "--beside", "bm25"]
    found = json.loads(CliRunner().invoke(app, [*given, "--json"]).stdout)
    shares = {name: part["share"] for name, part in found["all"].items()}
    assert found["people"] == 1
    assert shares["facts"] == shares["tasks"] == shares["due"] == 1.0
    assert shares["traps"] == 0.0
    assert shares["evidence@1"] == shares["bm25@1"] == shares["answer@1"] == 1.0
    assert shares["answers/600"] == 1.0
    assert found["all"]["needed"]["of"] == found["all"]["held back"]["of"] == 1
    assert "person by person" in CliRunner().invoke(app, [*given, "--show"]).stdout


def test_a_model_is_measured_by_its_answers_on_record(tmp_path: Path) -> None:
    (tmp_path / "x1.json").write_text(json.dumps(person()), "utf-8")
    answers = tmp_path / "answers"
    given = ["recorded", "--data", str(tmp_path), "--answers", str(answers), "--json"]
    first = CliRunner().invoke(app, given)
    (prompt,) = answers.rglob("*.prompt.txt")
    assert first.exit_code == 1 and "I live in Porto." in prompt.read_text("utf-8")
    said = {"op": "new", "kind": "rule", "turn": 1, "quote": "I am allergic to penicillin",
            "text": "Never suggest penicillin", "confidence": 0.9}  # fmt: skip
    answer = prompt.with_name(prompt.name.replace(".prompt.txt", ".json"))
    answer.write_text(json.dumps({"operations": [said]}), "utf-8")
    found = json.loads(CliRunner().invoke(app, given).stdout)
    assert (found["calls"], found["sessions"]) == (1, 1)
    shares = {name: part["share"] for name, part in found["all"].items()}
    assert shares["facts"] == shares["tasks"] == 1.0 and shares["rules labelled"] == 0.0


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda raw: raw["sessions"][0]["turns"][0]["facts"][0].update(mode="was"), "no such mode"),
        (lambda raw: raw["sessions"][0]["turns"][0]["facts"][0].update(need=[["ants"]]), "need"),
        (lambda raw: raw["sessions"][0]["turns"][3]["tasks"][0].update(due="2026-05-07"), "friday"),
        (lambda raw: raw["questions"][0].update(evidence=["s1t9"]), "no such evidence"),
        (lambda raw: raw["questions"][0].update(evidence=["s1t1"]), "not in the evidence"),
        (lambda raw: raw["questions"][1].update(answer=[["Bo"]], evidence=["s1t1"]), "unless"),
        (lambda raw: raw["questions"][0].update(at="2026-05-01T10:00:00Z"), "before the end"),
        (lambda raw: raw["helps"][0]["must"][0].update(evidence=["s1t3"]), "not in its evidence"),
        (lambda raw: raw["sessions"][0]["turns"][1].update(id="s1t1"), "stands twice"),
    ],
)
def test_a_file_that_breaks_a_rule_is_noticed(change: Any, problem: str) -> None:
    raw = person()
    assert quality.problems(raw) == []
    change(raw)
    assert problem in " ".join(quality.problems(raw))


@pytest.mark.parametrize("file", EVERYBODY, ids=lambda file: file.stem)
def test_people_of_the_corpus_hold_to_the_rules(file: Path) -> None:
    raw = json.loads(file.read_text("utf-8"))
    assert raw["id"] == file.stem
    assert quality.problems(raw) == []


def test_nothing_in_the_corpus_was_written_twice() -> None:
    assert quality.alike(quality.turns_of(EVERYBODY)) == []
    told = "my aunt in Turin sold her bakery to two brothers"
    copied = {"a": f"{told} and moved to the sea", "b": f"so {told}", "c": "my aunt in Turin"}
    assert [(pair.one, pair.other) for pair in quality.alike(copied)] == [("a", "b")]


def test_agreement_of_a_person_with_themselves_and_with_fewer_labels() -> None:
    (first,) = people.load(PEOPLE / "e1.json")
    raw = json.loads((PEOPLE / "e1.json").read_text("utf-8"))
    assert quality.agreement([first], [first]).f1 == {"facts": 1.0, "tasks": 1.0, "rules": 1.0}
    for session in raw["sessions"]:
        for turn in session["turns"]:
            turn.pop("rules", None)
    found = quality.agreement([first], [people.person(raw)])
    assert found.f1["rules"] == 0.0
    assert found.f1["facts"] == 1.0
