"""What a text is made of, and what each part costs; both ways to count agree."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sharpwave.formulas.token_estimate import _counted, _searched, token_estimate
from sharpwave.types.tokens import TokenRates

NOTHING = TokenRates(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 7)


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
def test_each_part_is_counted_by_itself(part: str, text: str, counted: int) -> None:
    for rate in (1, 10):
        assert token_estimate(text, NOTHING._replace(**{part: rate})) == counted * rate


def test_parts_add_up_and_are_rounded_up() -> None:
    rates = TokenRates(1.0, 0.25, 0.5, 2.0, 4.0, 8.0, 7)
    assert token_estimate("fourteenletter 12, 3\n", rates) == 18, "1 + 0.25 + 2 · 2 + 4 + 8"
    assert token_estimate("fourteenletter 12, à\n", rates) == 16, "1 + 0.25 + 2 + 4 + 0.5 + 8"
    assert token_estimate("", rates) == 0
