"""Where a quote stands in a text, however a model writes it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sharpwave.llm.prompts.transcript import find_quote, masked_hidden


@pytest.mark.parametrize(
    ("quote", "text", "found"),
    [
        ("Porto", "in Porto", "Porto"),
        ("in  porto", "I live IN\n Porto.", "IN\n Porto"),
        ('"Don\'t"', "I said “don\u2019t” twice", "don\u2019t"),
        ("São Joao...", "at São João, today", "São João"),
        ("well-known", "a well\u2011known man", "well\u2011known"),
        ("a family", "👨\u200d👩 a fa\u00admily", "a fa\u00admily"),
        ("Straße", "in der STRASSE", "STRASSE"),
        ("fine", "ﬁne", "ﬁne"),
        ("Lisbon", "in Porto", None),
        ("", "in Porto", None),
        ("...", "in Porto...", "..."),
    ],
)
def test_find_quote(quote: str, text: str, found: str | None) -> None:
    span = find_quote(quote, text)
    assert (text[slice(*span)] if span else None) == found


@given(st.text(max_size=60), st.integers(0, 60), st.integers(1, 60))
def test_what_a_prompt_shows_can_be_quoted(text: str, start: int, length: int) -> None:
    """A span lies in the text, and an exact quote is always found."""
    quote = text[start : start + length]
    span = find_quote(quote, text)
    assert (span is None) == (not quote.strip())
    if span:
        assert text[slice(*span)] == quote
    shown = find_quote(masked_hidden(quote), text)
    assert shown is None or 0 <= shown.start < shown.end <= len(text)
