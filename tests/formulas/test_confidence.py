import pytest
from hypothesis import given
from hypothesis import strategies as st

from sharpwave import Source
from sharpwave.experience.learners import rows
from sharpwave.formulas.confidence import (
    BINS,
    ConfidenceTerms,
    bin_of,
    calibration_error,
    confidence,
    continuation_probability,
    damped_bayes,
    logistic,
    may_enter_profile,
    reinforced,
    vote_agreement,
)
from sharpwave.settings.weights import ConfidenceWeights
from sharpwave.types.records import Trust


def bayes(prior: float, success: bool) -> float:
    return damped_bayes(prior, success, likelihood=0.8, rate=0.1, floor=0.01, ceiling=0.99)


shares = st.floats(0, 1)


OUTCOMES = st.lists(st.tuples(st.floats(0.0, 1.0), st.booleans()), min_size=1, max_size=50)


SEED_CONFIDENCE = ConfidenceTerms(**ConfidenceWeights().model_dump())


@pytest.mark.spec("PAT-16")
@pytest.mark.parametrize(
    ("prior", "success", "expected"),
    [
        (0.5, True, 0.5 + 0.1 * 0.3),
        (0.2, True, 0.2 + 0.1 * (0.16 / 0.32 - 0.2)),
        (0.2, False, 0.2 + 0.1 * (0.04 / 0.68 - 0.2)),
        (0.98, True, 0.98 + 0.1 * (0.784 / 0.788 - 0.98)),
        (0.99, True, 0.99),
        (1.0, True, 0.99),
        (0.0, False, 0.01),
        (0.0, True, 0.01 + 0.1 * (0.008 / 0.206 - 0.01)),
    ],
)
def test_damped_bayes_by_hand(prior: float, success: bool, expected: float) -> None:
    moved = damped_bayes(prior, success, likelihood=0.8, rate=0.1, floor=0.01, ceiling=0.99)
    assert moved == pytest.approx(expected, rel=1e-9)


@pytest.mark.spec("CNF-07")
def test_one_outcome_moves_an_even_chance_a_little() -> None:
    assert (rows.LIKELIHOOD, rows.LEARNING_RATE) == (0.8, 0.1)
    assert (bayes(0.5, True), bayes(0.5, False)) == pytest.approx((0.53, 0.47))


@pytest.mark.spec("CNF-07")
@given(shares, st.booleans())
def test_confidence_moves_with_outcomes_and_never_sticks(prior: float, success: bool) -> None:
    clamped = min(0.99, max(0.01, prior))
    after = bayes(prior, success)
    assert 0.01 <= after <= 0.99
    if success:
        assert after > clamped or after == 0.99
    else:
        assert after < clamped or after == 0.01


@given(OUTCOMES)
def test_the_error_is_a_share_and_nothing_where_confidence_fits(
    outcomes: list[tuple[float, bool]],
) -> None:
    bins: dict[int, list[float]] = {}
    for stated, right in outcomes:
        one = bins.setdefault(bin_of(stated), [0, 0, 0.0])
        one[0], one[1], one[2] = one[0] + 1, one[1] + right, one[2] + stated
    assert all(0 <= one < BINS for one in bins)
    held = [(int(n), int(right), total) for n, right, total in bins.values()]
    error = calibration_error(held)
    assert error is not None and 0.0 <= error <= 1.0
    assert calibration_error([(n, right, float(right)) for n, right, _ in held]) == 0.0
    assert calibration_error([]) is None


@pytest.mark.spec("SCO-03", "SCO-04")
def test_confidence_by_hand() -> None:
    assert SEED_CONFIDENCE == (0.40, 0.20, 0.25, 0.15)
    terms = ConfidenceTerms(0.9, 0.7, 1.0, 0.95)
    assert confidence(terms, SEED_CONFIDENCE) == pytest.approx(0.36 + 0.14 + 0.25 + 0.1425)


@pytest.mark.spec("SCO-10")
def test_votes_are_observations_up_to_enough() -> None:
    assert [vote_agreement(n, enough=3) for n in (0, 1, 3, 9)] == pytest.approx([0, 1 / 3, 1, 1])


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_probability_and_its_opposite_add_up(odds: float) -> None:
    assert 0 <= logistic(odds) <= 1
    assert logistic(odds) + logistic(-odds) == pytest.approx(1)


@pytest.mark.parametrize(
    ("trust", "told_by", "may"),
    [
        (Trust.USER, [], True),
        (Trust.VERIFIED, [], True),
        (Trust.UNTRUSTED, [], False),
        (Trust.UNTRUSTED, [(Source.WEB, "a"), (Source.TOOL, "b")], True),
        (Trust.UNTRUSTED, [(Source.WEB, "a"), (Source.TOOL, "a")], False),
        (Trust.UNTRUSTED, [(Source.WEB, "a"), (Source.WEB, "b")], False),
        (Trust.UNTRUSTED, [(Source.WEB, "a"), (Source.TOOL, "b"), (Source.WEB, "c")], True),
    ],
)
def test_who_may_enter_the_profile(
    trust: Trust, told_by: list[tuple[Source, str]], may: bool
) -> None:
    assert may_enter_profile(trust, told_by, independent=2) is may


def test_a_third_source_can_be_asked_for() -> None:
    two = [(Source.WEB, "a"), (Source.TOOL, "b")]
    assert may_enter_profile(Trust.UNTRUSTED, two, independent=3) is False
    assert may_enter_profile(Trust.UNTRUSTED, [*two, (Source.SYSTEM, "c")], independent=3) is True


def test_what_is_missed_in_a_row_is_ever_less_likely_to_go_on() -> None:
    assert [continuation_probability(0.5, 0.25, misses) for misses in (0, 1, 2)] == [
        0.5,
        3 / 7,
        9 / 25,
    ]


@given(shares, shares)
def test_each_sighting_takes_its_share_of_the_doubt(confidence: float, gain: float) -> None:
    assert 1 - reinforced(confidence, gain) == pytest.approx((1 - confidence) * (1 - gain))
