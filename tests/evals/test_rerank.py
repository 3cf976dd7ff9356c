from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.evals.sets_of_our_own import write_all

from evals import rerank, retrievers, sets
from evals.metrics import Scores
from evals.parts import TokenScorer
from evals.rerank import RerankPlan
from sharpwave import InvalidInput

ASKED = RerankPlan("hash", ["backwards"], "sure", ["locomo"], share=1.0)


class Backwards:
    """The last shall be first."""

    def score(self, query: str, texts: Sequence[str]) -> NDArray[np.float32]:
        return np.arange(len(texts), dtype=np.float32)


class Sure:
    """Knows that bees and Porto are what is asked about."""

    def score(self, query: str, texts: Sequence[str]) -> NDArray[np.float32]:
        word = "bees" if "bees" in query else "Porto"
        return np.array([word in text for text in texts], np.float32)


@pytest.fixture(autouse=True)
def own_rerankers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rerank, "RERANKERS", {"backwards": Backwards, "sure": Sure})


def test_each_reranker_orders_the_same_candidates(tmp_path: Path) -> None:
    found = rerank.compare(ASKED, write_all(tmp_path))
    (on,) = found.sets
    none, backwards, sure = on.results
    assert [each.name for each in on.results] == ["none", "backwards", "sure"]
    assert none.alone.micro == sure.alone.micro == Scores(1, 0.75, 1, 1, 1)
    assert backwards.alone.micro.mrr < 0.6
    assert found.teacher == "sure"
    assert on.gain_kept == {}, "there was nothing to gain"


def test_gain_kept_by_hand(tmp_path: Path) -> None:
    (on,) = rerank.compare(ASKED, write_all(tmp_path)).sets
    ndcg = {"none": 0.5, "backwards": 0.55, "sure": 0.6}
    results = [
        replace(each, alone=replace(each.alone, micro=Scores(ndcg[each.name], 0, 0, 0, 0)))
        for each in on.results
    ]
    assert rerank.gain_kept(results, "sure") == {"backwards": pytest.approx(0.5)}
    assert rerank.gain_kept(results, None) == {}


def test_the_token_scorer_is_measured_with_neighbours_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rerank, "RERANKERS", {"tokens": TokenScorer, "sure": Sure})
    (on,) = rerank.compare(replace(ASKED, rerankers=["tokens"]), write_all(tmp_path)).sets
    none, tokens, sure = on.results
    assert none.around is None and sure.around is None
    assert tokens.around is not None and tokens.around.questions == tokens.alone.questions
    results = [
        replace(each, alone=replace(each.alone, micro=Scores(ndcg, 0, 0, 0, 0)))
        for each, ndcg in zip(on.results, (0.0, 0.5, 1.0), strict=True)
    ]
    kept = rerank.gain_kept(results, "sure")
    assert kept == {"tokens": 0.5, "tokens, around": tokens.around.micro.ndcg_at_10}


def test_a_share_of_the_questions_is_the_same_each_time(tmp_path: Path) -> None:
    data = sets.load("locomo", write_all(tmp_path))
    embedder = retrievers.open_named("hash").retriever
    some = [rerank.gather(data, embedder, share=0.5) for _ in range(2)]
    assert len(some[0]) == 2
    assert [each.question for each in some[0]] == [each.question for each in some[1]]


def test_a_reranker_that_is_missing_is_a_note(tmp_path: Path) -> None:
    folder = str(tmp_path / "none such")
    found = rerank.compare(replace(ASKED, teacher=folder), write_all(tmp_path))
    assert found.teacher is None
    assert "left out" in found.notes[0]


@pytest.mark.parametrize("share", [0.0, -1.0, 1.5])
def test_a_share_out_of_bounds_is_refused(tmp_path: Path, share: float) -> None:
    with pytest.raises(InvalidInput, match="share of questions"):
        rerank.compare(replace(ASKED, share=share), write_all(tmp_path))
