"""The recall harness on a conversation that we wrote, in the forms of the public sets."""

import gzip
import json
import sys
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.storage.postgres import server

from evals import abstention, context, metrics, recall, stores, talks, update
from evals.recall import Plan, measure
from sharpwave import InvalidInput, Memory, NotFound

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


def test_a_run_goes_on_where_it_was_interrupted(longmemeval: Path, tmp_path: Path) -> None:
    data = talks.load("longmemeval", longmemeval)
    plan = Plan(peers=("bm25",), resume=tmp_path / "progress")
    told: list[str] = []
    measure(data, Plan(("bm25",), limit=1, resume=plan.resume), told.append)
    run = measure(data, plan, told.append)
    assert told == [f"longmemeval: {name} ({place} of {of})"
                    for name, place, of in (("b", 1, 1), ("a", 2, 3), ("c_abs", 3, 3))]  # fmt: skip
    assert all(one.ranked[0] == "1:0" == one.peers["bm25"][0] for one in run.answered)
    assert all("1:1" not in one.ranked for one in run.answered), "assistants are not ranked"


@pytest.mark.spec("CNF-04")
def test_how_well_confidence_is_calibrated_is_measured(locomo: Path) -> None:
    sure, right = [0.9] * 10 + [0.1] * 10, [True] * 9 + [False] + [False] * 9 + [True]
    assert metrics.ece(sure, right, bins=10) == pytest.approx(0.0)
    assert metrics.brier(sure, right) == pytest.approx(0.09)
    boasting = [1.0] * 20
    assert metrics.ece(boasting, right, bins=10) == pytest.approx(0.5)
    assert metrics.brier(boasting, right) == pytest.approx(0.5)
    run = measure(talks.load("locomo", locomo), Plan(peers=()))
    judged = abstention.judge([run])
    told, counted = judged["sets"][0], judged["questions"]
    stated, hit = [one["confidence"] for one in counted], [one["right"] for one in counted]
    assert told["ece"] == metrics.ece(stated, hit, abstention.BINS)
    assert told["brier"] == metrics.brier(stated, hit)
    assert all(0 <= one["confidence"] <= 1 for one in recall.result_of(run)["questions"])


def test_the_report_has_its_public_form(locomo: Path) -> None:
    run = measure(talks.load("locomo", locomo), Plan(peers=("bm25", "vector")))
    result = recall.result_of(run)
    assert {"macro", "categories", "peers", "questions"} <= result.keys()
    measured = {"ndcg@10", "recall@5", "recall@10"}
    assert result["macro"].keys() == measured
    assert set(result["categories"]) == {"1", "4", "5"}
    assert result["peers"].keys() == {"bm25", "vector"}
    for part in (result, *result["peers"].values()):
        for numbers in (part["macro"], *part["categories"].values()):
            assert numbers.keys() == measured
            assert all(0 <= number <= 1 for number in numbers.values())
    assert {"id", "category", "evidence", "ranked", "decision", "confidence"} <= (
        result["questions"][0].keys()
    )
    assert result["macro"]["recall@5"] == 1.0, "four turns, five places"
    judged = abstention.judge([run])
    assert judged["sets"][0]["questions"] == 3
    assert 0 <= judged["sets"][0]["brier"] <= 1


def test_longmemeval_also_tells_whether_all_evidence_was_found(longmemeval: Path) -> None:
    run = measure(talks.load("longmemeval", longmemeval), Plan(peers=("bm25",)))
    result = recall.result_of(run)
    kind = result["categories"]["single-session-user"]
    assert kind.keys() == {"recall_all@5", "recall_all@10", "ndcg@10", "recall@5", "recall@10"}
    assert kind["recall_all@5"] == 1.0
    assert result["held_out"]["bm25"]["questions"] == 2


def test_a_peer_that_is_not_installed_is_left_out_with_a_note(
    locomo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "chromadb", None)
    run = measure(talks.load("locomo", locomo), Plan(peers=("bm25", "chromadb")))
    assert run.peers == ("bm25",)
    assert "pip install chromadb" in run.notes[0]
    assert stores.named(["all"]) == stores.NAMES
    with pytest.raises(InvalidInput, match="no peer 'nobody'"):
        stores.named(["nobody"])


@pytest.mark.parametrize("name", ["chromadb", "langgraph", "mem0ai"])
def test_other_stores_rank_the_turns_too(name: str, locomo: Path) -> None:
    pytest.importorskip({"mem0ai": "mem0"}.get(name, name))
    run = measure(talks.load("locomo", locomo), Plan(peers=(name,)))
    assert all(len(one.peers[name]) == 4 for one in run.answered)
    assert run.answered[0].peers[name][0] == "D1:1"


@pytest.mark.spec("EVL-08")
def test_measures_by_hand() -> None:
    assert metrics.auroc([0.9, 0.9], [True, True]) is None
    assert metrics.auroc([0.5, 0.5], [True, False]) == 0.5
    points = metrics.risk_coverage([0.9, 0.8, 0.1, 0.2], [True, True, False, False])
    assert points[4] == {"coverage": 0.5, "risk": 0.0} and points[-1]["risk"] == 0.5
    assert recall.numbers(["a", "b"], ["b", "z"])["recall_all@10"] == 0.0
    knows, boasts = [0.9, 0.9, 0.1, 0.1], [0.9, 0.9, 0.9, 0.9]
    right = [True, True, False, False]
    calibration = [metrics.ece(told, right, 10) for told in (knows, boasts)]
    assert calibration == pytest.approx([0.1, 0.4])
    assert [metrics.brier(told, right) for told in (knows, boasts)] == pytest.approx([0.01, 0.41])


@pytest.mark.spec("EVL-09")
def test_the_evidence_is_looked_for_in_the_assembled_context(locomo: Path, tmp_path: Path) -> None:
    plan = Plan(resume=tmp_path / "progress")
    told: list[str] = []
    found = context.measure(talks.load("locomo", locomo), plan, told.append)
    assert len(found["questions"]) == 2, "without answer, or without evidence: left out"
    assert found["inside"].keys() == {"sharpwave", "bm25", "vector"}
    assert found["inside"]["sharpwave"]["1600"] == 1.0 >= found["inside"]["bm25"]["400"] > 0
    assert all(tokens <= int(budget) for budget, tokens in found["tokens"].items())
    assert found["carried"] == found["inside"]["sharpwave"], "whole turns carry all they have"
    assert context.measure(talks.load("locomo", locomo), plan, told.append) == found
    assert told == ["locomo: own (1 of 1)"], "the second time it is only read"


def test_a_turn_is_carried_only_with_its_words_of_the_answer() -> None:
    at = datetime(2026, 3, 2, tzinfo=UTC)
    asked = talks.Question("q", "Where did Ana go?", "4", ("t",), at, answer="to Porto by train")
    turn = "Hi Ben! Yesterday I took the train. Porto was lovely."
    needs = context.words_needed(turn, asked, at)
    assert needs <= context.words_shown('- "… Yesterday I took the train. Porto was lovely."')
    assert not needs <= context.words_shown('- "Hi Ben! … Porto was lovely."')
    when = replace(asked, text="When did Ana go to Porto?", answer="1 March 2026")
    assert context.words_needed(turn, when, at) == {"yesterday"}


def test_a_database_answers_as_files_do_and_keeps_nothing(locomo: Path) -> None:
    data, address = talks.load("locomo", locomo), server.new_database()
    try:
        runs = [measure(data, Plan((), database=place)) for place in (None, address)]
        first, second = ([one.ranked for one in run.answered] for run in runs)
        assert first == second
        with Memory.open(address) as memory:
            assert list(memory.admin.users()) == []
    finally:
        server.drop_database(address)


def test_a_memory_may_sleep_before_it_is_asked(locomo: Path, tmp_path: Path) -> None:
    awake = Plan(peers=(), resume=tmp_path / "progress")
    asleep = Plan(peers=(), resume=tmp_path / "progress", sleep=True)
    data = talks.load("locomo", locomo)
    told: list[str] = []
    runs = [measure(data, plan, told.append) for plan in (awake, asleep)]
    assert len(told) == 2 * len(data.talks), "noted results of the other are not taken for its own"
    first, second = ([one.ranked for one in run.answered] for run in runs)
    assert first == second, "nothing that was said is lost by it"
    assert context.measure(data, asleep)["inside"][recall.OURS]["1600"] > 0


def updated(folder: Path) -> Path:
    def session(text: str) -> list[dict[str, object]]:
        return [{"role": "user", "content": text, "has_answer": True}]

    line = {
        "question_id": "u",
        "question_type": "knowledge-update",
        "question": "Where do I live?",
        "question_date": "2023/05/30 (Tue) 23:02",
        "haystack_dates": ["2023/05/20 (Sat) 05:13", "2023/05/19 (Fri) 05:13"],
        "haystack_sessions": [session("I live in Oslo now."), session("I live in Lisbon.")],
    }
    file = folder / "own.jsonl"
    file.write_text(json.dumps(line))
    return file


@pytest.mark.spec("EVL-07")
def test_after_a_change_the_new_value_comes_first(tmp_path: Path) -> None:
    public = talks.load("longmemeval", updated(tmp_path))
    found = update.measure(public, Plan(limit=1, resume=tmp_path / "progress"))
    plain, public_ones = found["categories"].values()
    assert plain["context"]["questions"] == len(update.THINGS)
    assert plain["recall"]["new_first"] > plain["bm25"]["new_first"]
    assert plain["bm25"]["old_shown"] == 1.0 > plain["context"]["old_shown"]
    assert public_ones["recall"]["new_first"] == public_ones["context"]["new_first"] == 1.0
    assert public_ones["context"]["old_shown"] == 0.0 < public_ones["vector"]["old_shown"]
    assert "profile" not in public_ones


def planted(folder: Path, asked: str) -> Path:
    """The same is told in three weeks, a word apart; one of them is meant."""
    weeks = ["2023/05/02 (Tue) 09:00", "2023/05/09 (Tue) 09:00", "2023/05/16 (Tue) 09:00"]
    seeds = ("basil", "leeks", "beets")
    sessions = [
        [{"role": "user", "content": f"Today I planted {seed}.", "has_answer": seed == "leeks"}]
        for seed in seeds
    ]
    line = {
        "question_id": "t",
        "question_type": "temporal-reasoning",
        "question": asked,
        "question_date": "2023/05/18 (Thu) 09:00",
        "haystack_dates": weeks,
        "haystack_sessions": sessions,
    }
    file = folder / "own.jsonl"
    file.write_text(json.dumps(line))
    return file


@pytest.mark.spec("EVL-06")
def test_questions_with_a_date_are_measured_apart(tmp_path: Path) -> None:
    data = talks.load("longmemeval", planted(tmp_path, "What did I plant nine days ago?"))
    run = measure(data, Plan(peers=("bm25",)))
    (one,) = run.answered
    assert list(one.evidence) == ["1:0"] == one.ranked[:1], "asked on the 18th, planted on the 9th"
    told = recall.result_of(run)
    assert told["categories"]["temporal-reasoning"]["ndcg@10"] == 1.0
    by_words = told["peers"]["bm25"]["categories"]["temporal-reasoning"]
    assert by_words["ndcg@10"] < 1.0, "the control: it knows no dates"


def test_conversations_in_which_values_change_are_always_the_same() -> None:
    once, asked = update.changing_talks()
    assert once == update.changing_talks()[0]
    assert len(asked) == 2 * len(update.TIMES) * len(update.THINGS)
    for talk in once.talks:
        for question in talk.questions:
            one = asked[question.id]
            told = [turn for turn in talk.turns if turn.id in question.evidence]
            assert len(told) == 1 and one.now in told[0].text
            assert one.now not in one.before
