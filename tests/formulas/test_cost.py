import pytest
from hypothesis import given
from hypothesis import strategies as st

from sharpwave.formulas.cost import backoff_s, cost, estimated_tokens, is_used_up, one_call
from sharpwave.types.working import Spending

counts = st.integers(0, 10_000_000)


prices = st.floats(0, 1000)


@pytest.mark.parametrize(
    ("failures", "first_s", "chance", "expected"),
    [(1, 1, 0, 0.5), (1, 1, 0.5, 0.75), (2, 1, 0, 1), (5, 0.5, 0.5, 6)],
)
def test_by_hand(failures: int, first_s: float, chance: float, expected: float) -> None:
    assert backoff_s(failures, first_s, chance) == pytest.approx(expected)


@given(st.integers(1, 20), st.floats(0.01, 60), st.floats(0, 1, exclude_max=True))
def test_each_wait_is_longer_and_spread_over_its_upper_half(
    failures: int, first_s: float, chance: float
) -> None:
    longest = first_s * 2 ** (failures - 1)
    wait = backoff_s(failures, first_s, chance)
    assert longest / 2 <= wait <= longest
    assert backoff_s(failures + 1, first_s, chance) == pytest.approx(2 * wait)


@pytest.mark.parametrize(
    ("sent", "answered", "input_price", "output_price", "expected"),
    [
        (1_000_000, 0, 0.15, 0.6, 0.15),
        (0, 1_000_000, 0.15, 0.6, 0.6),
        (2_000, 500, 3, 15, 0.0135),
        (9, 9, 0, 0, 0),
    ],
)
def test_cost_by_hand(
    sent: int, answered: int, input_price: float, output_price: float, expected: float
) -> None:
    assert cost(sent, answered, input_price, output_price) == pytest.approx(expected)


@given(counts, counts, counts, counts, prices, prices)
def test_two_calls_cost_as_much_as_both_in_one(
    a: int, b: int, c: int, d: int, input_price: float, output_price: float
) -> None:
    together = cost(a + c, b + d, input_price, output_price)
    apart = cost(a, b, input_price, output_price) + cost(c, d, input_price, output_price)
    assert together == pytest.approx(apart) and together >= 0


@pytest.mark.parametrize(("size", "expected"), [(0, 0), (1, 1), (4, 1), (5, 2), (400, 100)])
def test_tokens_by_hand(size: int, expected: int) -> None:
    assert estimated_tokens(size, bytes_per_token=4.0) == expected


@given(counts, st.floats(0.5, 10))
def test_an_estimate_is_never_too_short(size: int, bytes_per_token: float) -> None:
    tokens = estimated_tokens(size, bytes_per_token)
    assert size / bytes_per_token <= tokens < size / bytes_per_token + 1


@pytest.mark.parametrize(
    ("calls", "tokens", "money", "used_up"),
    [
        (4, 1001, None, False),
        (3, 1001, None, True),
        (4, 1000, None, True),
        (4, 1001, 0.51, False),
        (4, 1001, 0.5, True),
        (4, 1001, 0.0, True),
    ],
)
def test_an_allowance_is_spent_when_any_part_of_it_is(
    calls: int, tokens: int, money: float | None, used_up: bool
) -> None:
    assert is_used_up(Spending(3, 700, 300, 0.5), calls, tokens, money) is used_up


def test_one_call_is_charged_with_what_went_both_ways() -> None:
    spent = one_call(1_000_000, 500_000, input_price=3.0, output_price=8.0)
    assert spent == Spending(calls=1, input_tokens=1_000_000, output_tokens=500_000, cost=7.0)
