"""The recall harness on a conversation that we wrote, in the forms of the public sets."""

import gzip
import json
from pathlib import Path

import pytest

from sharpwave.errors import InvalidInput, NotFound
from sharpwave.evals.recall import abstention, contexts, report, talks
from sharpwave.evals.recall.measure import Plan, measure
from sharpwave.settings import Settings

SAID = [
    ("Anna", "Hi Ben! I adopted a beagle yesterday."),
    ("Ben", "Lovely! I am learning the accordion."),
    ("Anna", "What made you pick that?"),
    ("Ben", "My grandfather played it in Graz."),
]
QUESTIONS = [
    ("Which dog did Anna adopt?", ["D1:1"], 4),
    ("Where did Ben's grandfather play?", ["D1:4; D1:2"], 1),
    ("Which dog did Ben adopt?", ["D1:1"], 5),
    ("Who knows?", ["D9:9"], 4),
]


def chat() -> dict[str, object]:
    turns = [
        {"speaker": who, "dia_id": f"D1:{place}", "text": text, "clean_text": text}
        for place, (who, text) in enumerate(SAID, start=1)
    ]
    return {"session_1": turns, "session_1_date_time": "1:56 pm on 8 May, 2023"}


def asked() -> list[dict[str, object]]:
    return [
        {"question": text, "evidence": evidence, "category": category}
        for text, evidence, category in QUESTIONS
    ]


@pytest.fixture
def locomo(tmp_path: Path) -> Path:
    file = tmp_path / "own.json"
    file.write_text(json.dumps([{"sample_id": "own", "conversation": chat(), "qa": asked()}]))
    return file


@pytest.fixture
def longmemeval(tmp_path: Path) -> Path:
    session = [
        {"role": "user", "content": "I bought a kayak.", "has_answer": True},
        {"role": "assistant", "content": "A kayak is fun on lakes."},
    ]
    lines = [
        {
            "question_id": f"{name}",
            "question_type": "single-session-user",
            "question": "Which kayak did I buy?",
            "question_date": "2023/05/30 (Tue) 23:02",
            "haystack_dates": ["2023/05/20 (Sat) 05:13", "2023/05/19 (Fri) 05:13"],
            "haystack_sessions": [session, [{"role": "user", "content": "Hello there."}]],
        }
        for name in ("b", "a", "c_abs")
    ]
    file = tmp_path / "own.jsonl.gz"
    file.write_bytes(gzip.compress("\n".join(map(json.dumps, lines)).encode()))
    return file


def test_a_set_is_a_file_a_folder_or_a_folder_of_all(locomo: Path, tmp_path: Path) -> None:
    once = talks.load("locomo", locomo)
    folder = tmp_path / "sets" / "locomo"
    folder.mkdir(parents=True)
    (folder / "x.json").write_bytes(locomo.read_bytes())
    assert talks.load("locomo", folder) == once == talks.load("locomo", tmp_path / "sets")
    with pytest.raises(NotFound, match="--data"):
        talks.load("realtalk", tmp_path / "nowhere")
    locomo.write_text("nonsense")
    with pytest.raises(InvalidInput, match="form of locomo"):
        talks.load("locomo", locomo)


def test_questions_without_known_evidence_are_left_out(locomo: Path) -> None:
    (talk,) = talks.load("locomo", locomo).talks
    assert [(one.evidence, one.answerable) for one in talk.questions] == [
        (("D1:1",), True),
        (("D1:4", "D1:2"), True),
        (("D1:1",), False),
    ]
    assert [turn.speaker for turn in talk.turns] == ["Anna", "Ben", "Anna", "Ben"]


def test_longmemeval_ranks_turns_of_the_user_in_order_of_time(longmemeval: Path) -> None:
    found = talks.load("longmemeval", longmemeval).talks
    assert [turn.text for turn in found[0].turns] == [
        "Hello there.", "I bought a kayak.", "A kayak is fun on lakes."
    ]  # fmt: skip
    assert [turn.candidate for turn in found[0].turns] == [True, True, False]
    assert [one.questions[0].held_out for one in found] == [False, True, True]
    assert [one.questions[0].answerable for one in found] == [True, True, False]


@pytest.mark.spec("EVL-01")
def test_a_run_goes_on_where_it_was_interrupted(longmemeval: Path, tmp_path: Path) -> None:
    data = talks.load("longmemeval", longmemeval)
    plan = Plan(peers=("bm25",), progress=tmp_path / "progress")
    told: list[str] = []
    measure(data, Plan(("bm25",), limit=1, progress=plan.progress), told.append)
    run = measure(data, plan, told.append)
    assert told == [f"longmemeval: {name} ({place} of {of})"
                    for name, place, of in (("b", 1, 1), ("a", 2, 3), ("c_abs", 3, 3))]  # fmt: skip
    assert all(one.ranked[0] == "1:0" == one.peers["bm25"][0] for one in run.answered)
    assert all("1:1" not in one.ranked for one in run.answered), "assistants are not ranked"


def test_the_report_has_its_public_form(locomo: Path) -> None:
    run = measure(talks.load("locomo", locomo), Plan(peers=("bm25", "vector")))
    result = report.as_json(run)
    assert {"macro", "categories", "peers", "questions"} <= result.keys()
    assert {"ndcg@10", "recall@5", "recall@10"} <= result["macro"].keys()
    assert set(result["categories"]) == {"1", "4", "5"}
    assert {"id", "category", "evidence", "ranked", "decision", "confidence"} <= (
        result["questions"][0].keys()
    )
    assert result["macro"]["recall@5"] == 1.0, "four turns, five places"
    judged = abstention.judge([run])
    assert judged["sets"][0]["questions"] == 3
    assert 0 <= judged["sets"][0]["brier"] <= 1


def test_measures_by_hand() -> None:
    assert abstention.auroc([0.9, 0.9], [True, True]) is None
    assert abstention.auroc([0.5, 0.5], [True, False]) == 0.5
    points = abstention.risk_coverage([0.9, 0.8, 0.1, 0.2], [True, True, False, False])
    assert points[4] == {"coverage": 0.5, "risk": 0.0} and points[-1]["risk"] == 0.5
    assert report.numbers(["a", "b"], ["b", "z"])["recall_all@10"] == 0.0


def test_the_evidence_is_looked_for_in_the_assembled_context(locomo: Path) -> None:
    found = contexts.measure(talks.load("locomo", locomo), Settings(), None)
    assert found.questions == 2, "the one without an answer and the one without evidence are out"
    assert set(found.ours) == set(found.bm25) == {400, 800, 1600}
    assert found.ours[1600] == 1.0 >= found.bm25[400] > 0
    assert all(tokens <= budget for budget, tokens in found.ours_tokens.items())
