import pytest
from hypothesis import given
from hypothesis import strategies as st

from sharpwave.formulas.llm_cost import cost, estimated_tokens

counts = st.integers(0, 10_000_000)
prices = st.floats(0, 1000)


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
