import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sharpwave.formulas.ranking.confidence import ConfidenceTerms, confidence, vote_agreement
from sharpwave.formulas.ranking.frequency import frequency
from sharpwave.formulas.ranking.logistic import logistic
from sharpwave.formulas.ranking.mmr import mmr
from sharpwave.formulas.ranking.priority import priority
from sharpwave.formulas.ranking.recency import recency
from sharpwave.formulas.ranking.relevance import RelevanceTerms, relevance
from sharpwave.formulas.ranking.standard import standardised
from sharpwave.formulas.softmax import softmax
from sharpwave.knowledge.views import RELIABILITY
from sharpwave.settings.weights import ConfidenceWeights, RelevanceWeights
from sharpwave.types.records import Source

UNIT = st.floats(0, 1)
SEED_RELEVANCE = RelevanceTerms(**RelevanceWeights().model_dump())
SEED_CONFIDENCE = ConfidenceTerms(**ConfidenceWeights().model_dump())


@pytest.mark.spec("SCO-01", "SCO-02")
def test_relevance_by_hand() -> None:
    assert SEED_RELEVANCE == (0.45, 0.15, 0.10, 0.10, 0.10, 0.10)
    terms = RelevanceTerms(0.8, 0.4, 0.5, 0.3, 0.6, 0.9)
    assert relevance(terms, SEED_RELEVANCE) == pytest.approx(
        0.36 + 0.06 + 0.05 + 0.03 + 0.06 + 0.09
    )


@given(st.tuples(UNIT, UNIT, UNIT, UNIT, UNIT, UNIT))
def test_relevance_stays_within_bounds(terms: tuple[float, ...]) -> None:
    assert 0 <= relevance(RelevanceTerms(*terms), SEED_RELEVANCE) <= 1 + 1e-9


@pytest.mark.spec("SCO-03", "SCO-04")
def test_confidence_by_hand() -> None:
    assert SEED_CONFIDENCE == (0.40, 0.20, 0.25, 0.15)
    terms = ConfidenceTerms(0.9, 0.7, 1.0, 0.95)
    assert confidence(terms, SEED_CONFIDENCE) == pytest.approx(0.36 + 0.14 + 0.25 + 0.1425)


@pytest.mark.spec("SCO-10")
def test_votes_are_observations_up_to_enough() -> None:
    assert [vote_agreement(n, enough=3) for n in (0, 1, 3, 9)] == pytest.approx([0, 1 / 3, 1, 1])


@pytest.mark.spec("SCO-05")
@given(UNIT, UNIT)
def test_priority_is_the_product(one: float, other: float) -> None:
    assert priority(one, other) == one * other <= min(one, other)


def test_recency_by_hand() -> None:
    assert recency(0.0, 7.0) == 1.0 == recency(-3.0, 7.0)
    assert recency(30.0, 30.0) == pytest.approx(0.36788, abs=1e-5)


@given(st.floats(0, 1e4), st.floats(0.1, 1e3), st.floats(0.1, 100))
def test_older_is_never_fresher(age: float, tau: float, more: float) -> None:
    assert 0 <= recency(age + more, tau) <= recency(age, tau) <= 1


@pytest.mark.spec("SCO-07")
def test_frequency_by_hand() -> None:
    assert [frequency(n, 3.0) for n in (0, 3, 6)] == pytest.approx([0, 0.63212, 0.86466], abs=1e-5)


@pytest.mark.spec("SCO-09")
def test_sources_are_as_reliable_as_the_table_says() -> None:
    named = (Source.USER_MESSAGE, Source.SYSTEM, Source.INFERRED, Source.WEB)
    assert [RELIABILITY[source] for source in named] == [0.95, 0.8, 0.7, 0.6]
    assert 0.9 <= RELIABILITY[Source.TOOL] <= 0.98
    assert RELIABILITY.keys() == set(Source)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_probability_and_its_opposite_add_up(odds: float) -> None:
    assert 0 <= logistic(odds) <= 1
    assert logistic(odds) + logistic(-odds) == pytest.approx(1)


@given(st.lists(st.lists(st.floats(-1e3, 1e3), min_size=3, max_size=3), max_size=20))
def test_standardised_columns_have_no_mean_and_one_spread(rows: list[list[float]]) -> None:
    table = standardised(np.array(rows).reshape(-1, 3))
    assert table.shape == (len(rows), 3)
    for column in table.T if len(rows) else ():
        assert abs(column.mean()) < 1e-6
        assert column.std() == pytest.approx(1, abs=1e-6) or not column.any()


@pytest.mark.spec("RD-07")
@given(st.lists(UNIT, max_size=12), st.integers(0, 15), UNIT)
def test_mmr_picks_k_different_ones(scores: list[float], k: int, balance: float) -> None:
    size = len(scores)
    alike = np.abs(np.subtract.outer(np.arange(size), np.arange(size)) < 2).astype(float)
    chosen = mmr(np.array(scores), alike, balance, k)
    assert len(chosen) == len(set(chosen)) == min(k, size)
    if balance == 1 and chosen:
        assert min(scores[place] for place in chosen) >= max(
            (scores[place] for place in range(size) if place not in chosen), default=0.0
        )


def test_mmr_weighs_what_is_new_against_what_is_good() -> None:
    """0.6 · 0.5 = 0.3 beats 0.6 · 0.9 - 0.4 · 0.8 = 0.22, and not 0.6 · 0.9 - 0.4 · 0.5 = 0.34."""
    scores = np.array([1.0, 0.9, 0.5])
    alike = np.array([[1, 0.8, 0], [0.8, 1, 0], [0, 0, 1.0]])
    assert mmr(scores, alike, balance=0.6, k=3) == [0, 2, 1]
    assert mmr(scores, np.where(alike == 0.8, 0.5, alike), balance=0.6, k=3) == [0, 1, 2]
    assert mmr(scores, alike, balance=1.0, k=3) == [0, 1, 2]
    assert mmr(np.array([0.5, 0.5]), np.eye(2), balance=0.6, k=1) == [0], "of equals the earlier"


def test_shares_of_belief_do_not_overflow() -> None:
    assert softmax(np.array([1000.0, 0.0]), 1.0).tolist() == [1.0, 0.0]
    assert softmax(np.log(np.array([1.0, 2.0, 5.0])) - 2000, 1.0) == pytest.approx(
        [0.125, 0.25, 0.625]
    )


def test_a_column_that_hardly_differs_says_nothing() -> None:
    """Up to a spread of a millionth it is rounding; any more is a difference."""
    table = np.array([[0.0, 0.0, 0.0], [1e-6, 2e-6, 3e-6]])
    assert standardised(table) == pytest.approx(np.array([[0, 0, -1], [0, 0, 1]]))
