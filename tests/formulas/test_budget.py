import pytest
from hypothesis import given
from hypothesis import strategies as st

from sharpwave.formulas import budget
from sharpwave.formulas.budget import (
    BudgetItem,
    BudgetPart,
    _counted,
    _searched,
    bought,
    token_estimate,
)

RATES = ("WORD", "LONG_PART", "OTHER_LETTER", "DIGITS", "MARKS", "LINE_BREAK")


parts = st.lists(st.builds(BudgetPart, st.floats(0, 1), st.integers(1, 40)), min_size=1, max_size=4)


offers = st.lists(
    st.builds(
        BudgetItem,
        st.floats(0.01, 1),
        st.sampled_from(["facts", "said"]),
        st.integers(0, 3),
        st.integers(5, 20),
        st.integers(1, 5),
        parts.map(tuple),
    ),
    max_size=8,
)


def one(value: float, tokens: int, section: str = "facts") -> BudgetItem:
    return BudgetItem(value, section, value, 0, 0, (BudgetPart(1.0, tokens),))


@given(st.text(st.characters(max_codepoint=127)))
def test_splitting_ascii_text_counts_what_searching_it_finds(text: str) -> None:
    assert _counted(text) == _searched(text)


@pytest.mark.spec("PRM-01")
@pytest.mark.parametrize(
    ("part", "text", "counted"),
    [
        ("word", "my sister's été", 3),
        ("long_part", "seven77 letters eighter", 0),
        ("long_part", "eightlet", 1),
        ("long_part", "fourteenletter fifteenletterss", 1 + 2),
        ("other_letter", "été à Köln Rome", 3 + 1 + 4),
        ("digits", "1 123 1234 1234567", 1 + 1 + 2 + 3),
        ("marks", "a, b... c!? __d_e_ (f)", 1 + 1 + 1 + 3 + 2),
        ("line_break", "a\nb\n\n\nc", 2),
        ("line_break", "a b\tc", 0),
    ],
)
def test_each_part_is_counted_by_itself(
    part: str, text: str, counted: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    for rate in (1.0, 10.0):
        for name in RATES:
            monkeypatch.setattr(budget, name, rate if name == part.upper() else 0.0)
        assert token_estimate(text) == counted * rate


def test_parts_add_up_and_are_rounded_up(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, rate in zip(RATES, (1.0, 0.25, 0.5, 2.0, 4.0, 8.0), strict=True):
        monkeypatch.setattr(budget, name, rate)
    assert token_estimate("fourteenletter 12, 3\n") == 18, "1 + 0.25 + 2 · 2 + 4 + 8"
    assert token_estimate("fourteenletter 12, à\n") == 16, "1 + 0.25 + 2 + 4 + 0.5 + 8"
    assert token_estimate("") == 0


@given(offers, st.integers(0, 200), st.integers(0, 60))
def test_room_and_caps_are_kept(given_: list[BudgetItem], room: int, cap: int) -> None:
    order = bought(given_, room, 0.7, {"facts": cap})
    framed: set[object] = set()
    taken = dict.fromkeys(range(len(given_)), 0)
    spent = {"facts": 0, "said": 0}
    for place in order:
        one = given_[place]
        cost = one.parts[taken[place]].tokens
        if not taken[place]:
            cost += one.beside if one.group in framed else one.alone
            framed.add(one.group)
        taken[place] += 1
        spent[one.section] += cost
    assert sum(spent.values()) <= room and spent["facts"] <= cap
    assert order == bought(given_, room, 0.7, {"facts": cap}), "the same each time"


@given(offers)
def test_with_room_enough_all_is_shown(given_: list[BudgetItem]) -> None:
    assert len(bought(given_, 10_000, 0.7, {})) == sum(len(one.parts) for one in given_)


def test_the_most_worth_a_token_comes_first_and_what_costs_nothing_too() -> None:
    assert bought([one(1.0, 2), one(0.6, 1), one(0.55, 0)], 9, 0.7, {}) == (1, 2, 0)


def test_what_just_fits_is_shown() -> None:
    two = [one(1.0, 4), one(0.5, 3)]
    assert bought(two, 7, 0.7, {"facts": 7}) == (0, 1)
    assert bought(two, 6, 0.7, {"facts": 7}) == (0,) == bought(two, 7, 0.7, {"facts": 6})
