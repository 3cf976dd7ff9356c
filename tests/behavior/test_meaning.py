"""Which rules are the same, which are opposed, and what a correction shows."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sharpwave.behavior.differences import differences
from sharpwave.behavior.meaning import opposed, same
from sharpwave.formulas.rules import holds_in, is_stale, width
from sharpwave.formulas.text import likeness
from sharpwave.testing import HashEmbedder

EMBEDDER = HashEmbedder(64)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Use tabs instead of spaces", "Use spaces instead of tabs"),
        ("Use tabs instead of spaces", "Use spaces"),
        ("Do not use emojis", "Use emojis"),
        ("Always use tables", "Never use a table"),
        ("Write stories", "Never write a story"),
        ("Be more concise", "Give more detail"),
        ("Be less formal", "Be more formal"),
        ("Answer in German", "Answer in English"),
        ("Answer in French, not in English", "Answer in English"),
        ("Keep answers under 100 words", "Keep answers under 200 words"),
        ("Use pytest for tests", "Use unittest for tests"),
        ("Call the user Sam", "Call the user Samuel"),
        ("Fiscal year starts April 1", "Fiscal year starts July 1"),
    ],
)
def test_opposed(one: str, other: str) -> None:
    assert opposed(one, other) and opposed(other, one)
    assert not same(one, other, 1.0, same_cosine=0.7, same_words=0.6)


@pytest.mark.parametrize(
    ("one", "other", "cosine"),
    [
        ("Use bullet points", "Always use bullet points", 0.5),
        ("Be more concise", "Keep answers short", 0.1),
        ("Do not use emojis", "Avoid emojis", 0.84),
        ("Show the diff before committing", "Always show the diff before commits", 0.75),
    ],
)
def test_the_same_in_other_words(one: str, other: str, cosine: float) -> None:
    assert same(one, other, cosine, same_cosine=0.7, same_words=0.6) and not opposed(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Use single quotes", "Use snake_case"),
        ("Use tabs in Makefiles", "Do not use tabs in Python"),
        ("Use bullet points for summaries", "Use headings for summaries"),
        ("Always cite page numbers", "Always run the linter"),
    ],
)
def test_rules_that_have_nothing_to_do_with_each_other(one: str, other: str) -> None:
    assert not opposed(one, other)
    assert not same(one, other, 0.6, same_cosine=0.7, same_words=0.6)


@pytest.mark.spec("UPR-04")
@pytest.mark.parametrize(
    ("original", "corrected", "key", "value"),
    [
        ("We utilise the cache.", "We use the cache.", "utilise", "use"),
        ("one, two and so on", "- one\n- two\n- so on", "bullets", True),
        ("Done \U0001f389 now", "Done now", "emojis", False),
        ("Release Notes For May", "release notes for may", "case", "lower"),
        (
            " ".join(f"w{n}" for n in range(40)),
            " ".join(f"w{n}" for n in range(9)),
            "length",
            "short",
        ),
    ],
)
def test_what_a_correction_shows(original: str, corrected: str, key: str, value: object) -> None:
    found = differences(original, corrected, EMBEDDER)
    assert (key, value) in [(one.key, one.value) for one in found]


@pytest.mark.parametrize(
    ("original", "corrected"),
    [("same", "same"), ("It costs 40 euros.", "It costs 50 euros."), ("a", ""), ("I am", "we are")],
)
def test_other_content_shows_nothing(original: str, corrected: str) -> None:
    assert differences(original, corrected, EMBEDDER) == []


@given(st.text(max_size=80), st.text(max_size=80))
def test_opposition_is_mutual(one: str, other: str) -> None:
    assert opposed(one, other) == opposed(other, one)
    assert not (one == other and opposed(one, other) and same(one, other, 0, 0.7, 0.6) is False)
    differences(one, other, EMBEDDER)


@given(st.sets(st.text(max_size=3)), st.sets(st.text(max_size=3)))
def test_likeness(one: set[str], other: set[str]) -> None:
    assert 0 <= likeness(one, other) == likeness(other, one) <= 1
    assert likeness(one, one) == (1 if one else 0)


@given(st.text("ab/", min_size=1, max_size=6), st.text("ab/", min_size=1, max_size=6))
def test_what_holds_somewhere_is_not_narrower(scope: str, place: str) -> None:
    assert holds_in("global", place)
    if holds_in(scope, place):
        assert width(scope) <= width(place) or scope in ("project", "file")


@pytest.mark.spec("BEH-11")
@given(st.integers(1, 9), st.floats(0, 1000))
def test_only_what_was_seen_once_gets_stale(frequency: int, age: float) -> None:
    assert is_stale(frequency, age, 90.0) == (frequency == 1 and age > 90.0)
