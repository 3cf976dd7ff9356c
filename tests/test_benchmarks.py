"""The benchmarks, in a tiny form: that their figures are there, and tell good from bad."""

from pathlib import Path

import numpy as np
import pytest
from benchmarks import data
from benchmarks.contenders.sharpwave import Sharpwave
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
