import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sharpwave.formulas.bandit import (
    Odds,
    changed_mind,
    context_bucket,
    context_key,
    counted,
    credible_range,
    exploration_rate,
    odds,
    population_prior,
    position,
)

shares = st.floats(0, 1)


def changed(ratings: list[int]) -> bool:
    return changed_mind(ratings, window=4, dislikes=3, before=8, fewest=4, liked=0.6)


COUNT = st.floats(1.0, 500.0)


@pytest.mark.spec("EXP-02", "EXP-03", "EXP-07")
@given(st.integers(0, 500))
def test_exploration_decays_to_its_floor(ratings: int) -> None:
    now, later = (exploration_rate(n, 0.1, 0.05, 0.95) for n in (ratings, ratings + 1))
    assert 0.05 <= later <= now <= 0.1
    assert (now == 0.05) is (ratings >= 14)


@pytest.mark.spec("TS-01", "TS-04", "PV-12")
@given(st.floats(0, 100), st.floats(0, 100), st.floats(-1, 1), shares, st.floats(0, 20))
def test_odds(won: float, lost: float, reward: float, rate: float, weight: float) -> None:
    more = counted(won, lost, reward)
    assert more[0] - won == pytest.approx(max(0.0, reward))
    assert more[1] - lost == pytest.approx(max(0.0, -reward))
    prior = population_prior(Odds(1.0, 1.0), rate, weight)
    assert prior.alpha + prior.beta == pytest.approx(2.0 + weight)
    known = odds(won, lost, prior)
    assert known.alpha >= prior.alpha and known.beta >= prior.beta
    assert 0.0 < known.mean < 1.0


@pytest.mark.spec("TS-03")
@given(st.text(max_size=20), st.integers(1, 1000))
def test_a_bucket_is_a_number_below_the_limit(key: str, buckets: int) -> None:
    assert 0 <= context_bucket(key, buckets) < buckets


@pytest.mark.spec("TS-03")
def test_a_bucket_is_the_same_in_every_process() -> None:
    code = (
        "from sharpwave.formulas.bandit import context_bucket as b\n"
        "print(b('chat_positive_evening', 100))"
    )
    seen = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
        for seed in ("1", "2")
    }
    assert seen == {str(context_bucket(context_key("chat", "positive", "evening"), 100))}


@given(st.lists(st.sampled_from([0, 1]), max_size=14))
def test_a_change_of_mind_needs_likes_before_and_dislikes_now(ratings: list[int]) -> None:
    before, now = ratings[:-4][-8:], ratings[-4:]
    liked = len(before) >= 4 and sum(before) >= 0.6 * len(before)
    assert changed(ratings) is (liked and now.count(0) >= 3)


@pytest.mark.parametrize(
    ("ratings", "expected"),
    [
        ([1, 1, 1, 1, 0, 0, 0, 1], True),
        ([1, 1, 1, 0, 0, 0, 1], False),
        ([1, 1, 1, 0, 0, 0, 0, 0, 1], True),
        ([1, 1, 0, 0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 0], False),
    ],
)
def test_the_edges_of_a_change_of_mind(ratings: list[int], expected: bool) -> None:
    """Four before are enough, three of five are mostly, and only eight are looked at."""
    assert changed(ratings) is expected


@given(st.text(), st.text())
def test_a_place_is_fixed_and_in_range(user_id: str, test: str) -> None:
    assert 0.0 <= position(user_id, test) < 1.0
    assert position(user_id, test) == position(user_id, test)


def test_the_same_on_every_machine() -> None:
    assert f"{position('alice', 'fusion'):.12f}" == "0.982049919169"


def test_users_spread_evenly_and_anew_for_each_test() -> None:
    places = [position(f"user-{number}", "a") for number in range(2000)]
    assert 0.45 < sum(place < 0.5 for place in places) / 2000 < 0.55
    others = [position(f"user-{number}", "b") for number in range(2000)]
    both = sum(a < 0.5 and b < 0.5 for a, b in zip(places, others, strict=True))
    assert 0.2 < both / 2000 < 0.3, "one test says nothing about the next"


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
