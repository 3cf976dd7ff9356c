"""The two ways to count the parts of a text agree wherever both can be used."""

from hypothesis import given
from hypothesis import strategies as st

from sharpwave.formulas.token_estimate import _counted, _searched


@given(st.text(st.characters(max_codepoint=127)))
def test_splitting_ascii_text_counts_what_searching_it_finds(text: str) -> None:
    assert _counted(text) == _searched(text)
