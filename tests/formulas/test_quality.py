"""How sure odds are, and how far confidence is from what turned out right."""

from hypothesis import given
from hypothesis import strategies as st

from sharpwave.formulas.behavior.beta_odds import Odds
from sharpwave.formulas.behavior.credible_range import credible_range
from sharpwave.formulas.ranking.calibration_error import BINS, bin_of, calibration_error

COUNT = st.floats(1.0, 500.0)
OUTCOMES = st.lists(st.tuples(st.floats(0.0, 1.0), st.booleans()), min_size=1, max_size=50)


@given(COUNT, COUNT)
def test_the_range_lies_around_the_mean_and_narrows_with_what_is_known(a: float, b: float) -> None:
    odds = Odds(a, b)
    low, high = credible_range(odds, 0.9)
    assert 0.0 < low <= odds.mean <= high < 1.0
    wide_low, wide_high = credible_range(odds, 0.99)
    assert wide_low <= low and high <= wide_high
    sure_low, sure_high = credible_range(Odds(10 * a, 10 * b), 0.9)
    assert sure_high - sure_low <= high - low


def test_the_whole_range_goes_from_the_first_step_to_the_last() -> None:
    assert credible_range(Odds(1.0, 1.0), 1.0) == (0.5 / 2_000, 1 - 0.5 / 2_000)


@given(OUTCOMES)
def test_the_error_is_a_share_and_nothing_where_confidence_fits(
    outcomes: list[tuple[float, bool]],
) -> None:
    bins: dict[int, list[float]] = {}
    for confidence, right in outcomes:
        one = bins.setdefault(bin_of(confidence), [0, 0, 0.0])
        one[0], one[1], one[2] = one[0] + 1, one[1] + right, one[2] + confidence
    assert all(0 <= one < BINS for one in bins)
    held = [(int(n), int(right), total) for n, right, total in bins.values()]
    error = calibration_error(held)
    assert error is not None and 0.0 <= error <= 1.0
    assert calibration_error([(n, right, float(right)) for n, right, _ in held]) == 0.0
    assert calibration_error([]) is None
