"""Who is believed, how sure it makes us, and what is worth keeping: by hand."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sharpwave.formulas.corroboration import may_enter_profile
from sharpwave.formulas.llm_cost import is_used_up, one_call
from sharpwave.formulas.neighbours import with_neighbours
from sharpwave.formulas.note_priority import note_priority
from sharpwave.formulas.reinforcement import reinforced
from sharpwave.types.records import Source, Trust
from sharpwave.types.working import Spending

shares = st.floats(0, 1)


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


@given(shares, shares)
def test_each_sighting_takes_its_share_of_the_doubt(confidence: float, gain: float) -> None:
    assert 1 - reinforced(confidence, gain) == pytest.approx((1 - confidence) * (1 - gain))


@pytest.mark.spec("REF-07")
def test_a_note_is_worth_its_importance_times_its_sureness_and_fades() -> None:
    assert note_priority(0.5, 0.8, age_days=0.0, tau_days=30.0) == 0.4
    assert note_priority(0.5, 0.8, age_days=-9.0, tau_days=30.0) == 0.4, "the future is now"
    assert note_priority(0.5, 0.8, age_days=60.0, tau_days=30.0) == pytest.approx(0.4 / math.e**2)


def test_a_turn_gains_by_the_better_of_its_neighbours() -> None:
    scores = {1: 0.5, 2: 0.25, 3: 0.125, 5: 1.0}
    found = with_neighbours(scores, [1, 2, 3, 5], share=0.5)
    assert found == [0.5 + 0.125, 0.25 + 0.25, 0.125 + 0.125, 1.0]


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
