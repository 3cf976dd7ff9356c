"""The benchmarks, in a tiny form: that their figures are there, and tell good from bad."""

import copy
import json
from pathlib import Path

import numpy as np
import pytest
from benchmarks import data
from benchmarks.contenders.sharpwave import Sharpwave
from benchmarks.peers import page, stores
from benchmarks.peers.worker import Worker
from benchmarks.scenarios import one_user
from benchmarks.timing import Stopwatch


@pytest.mark.spec("EVL-09")
def test_latency_index_size_and_how_exact_it_is(tmp_path: Path) -> None:
    made = data.make(data.Plan(users=1, per_user=120, questions=8), tmp_path / "data")
    questions = made.questions()
    contender = Sharpwave(tmp_path)
    try:
        contender.load(made.batches(100))
        watch = Stopwatch()
        for question in questions:
            with watch.lap():
                assert contender.search(question, 10)
        figures = watch.figures()
        assert figures["p95_ms"] >= figures["p50_ms"] > 0 and figures["cpu_ms"] > 0
        assert 100 < contender.index_bytes() / 120 < 10_000
        assert one_user.recall(contender, questions) >= 0.99
        nowhere = [one._replace(vector=np.roll(one.vector, 7)) for one in questions]
        assert one_user.recall(contender, nowhere) < 0.5, "the control"
    finally:
        contender.close()


def test_a_worker_of_the_comparison_with_peers_answers_its_calls(tmp_path: Path) -> None:
    worker = Worker("Sharpwave", tmp_path / "no model")
    worker.open({"folder": str(tmp_path / "store"), "dimension": 384})
    texts = ["I sold the kayak in May.", "My sister Nora lives in Lyon.", "The oven is broken."]
    assert worker.load({"items": [[str(n), text] for n, text in enumerate(texts)]})["cpu_s"] > 0
    added = worker.add({"items": [["3", "We painted the kitchen green."]]})
    assert added["cpu_s"][0] > 0 and added["wall_s"][0] > 0
    assert isinstance(worker.store, stores.Sharpwave)
    assert "kitchen green" in worker.store.context("What colour is the kitchen?")
    found = worker.search({"questions": ["Where does Nora live?"], "limit": 3})["found"]
    assert 1 <= len(found[0]) <= 3
    assert len(worker.context({"questions": ["What about the oven?"]})["cpu_s"]) == 1
    size = worker.size({})
    assert size["bytes"] > 10_000 and size["peak_mib"] > 10
    worker.store.close()


def test_the_page_about_peers_follows_its_results() -> None:
    result = json.loads(page.RESULTS.read_text("utf-8"))
    made = page.files(result)
    assert {file: file.read_text("utf-8") for file in made} == made
    changed = copy.deepcopy(result)
    changed["quality"]["chromadb"]["minilm"]["everyday"]["@5"] = 0.123
    other = page.files(changed)
    assert " / .123 / " in other[page.PAGE], "the control"
    assert {file.name for file in made if made[file] != other[file]} == {"peers.md", "quality.svg"}
