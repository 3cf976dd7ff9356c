"""The sentences of a message: as a careful reader cuts them, for any text, in linear work."""

import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sharpwave.reading import sentences as module
from sharpwave.reading.segments import FOREIGN, own_words
from sharpwave.reading.sentences import itemised, sentences
from sharpwave.reading.to_do import wording

DATA = Path(__file__).parent / "data" / "sentences.toml"
CASES = tomllib.loads(DATA.read_text("utf-8"))["message"]

PIECES = st.sampled_from(
    ("I moved to Porto", "and", "but", "which", "so", ".", "...", "!", "?", ";", ",", " ", "\n",
     "\r\n", " - ", "\u2014", "\U0001f389", "\u200d", FOREIGN, "Dr.", "e.g.", "1.", ")", '"',
     "\u201d", "'", "*", "\t", "\u2028", "\u3002", "\u0085", "\ud800")
)  # fmt: skip
TEXTS = st.text(max_size=200) | st.lists(PIECES | st.text(max_size=4), max_size=60).map("".join)


def cut(text: str) -> list[str]:
    return [text[start:end] for start, end in sentences(text)]


@pytest.mark.parametrize("case", CASES, ids=[case["text"].strip()[:30] for case in CASES])
def test_messages_are_cut_as_a_careful_reader_would(
    case: dict[str, Any], request: pytest.FixtureRequest
) -> None:
    if reason := case.get("left"):
        request.applymarker(pytest.mark.xfail(reason=reason, strict=True))
    assert cut(case["text"]) == case["cut"]


@given(TEXTS)
def test_spans_are_in_order_apart_and_inside_the_text(text: str) -> None:
    end = 0
    for span in sentences(text):
        assert end <= span.start < span.end <= len(text)
        end = span.end


@given(TEXTS)
def test_no_sentence_holds_a_blanked_character(text: str) -> None:
    for blanked in (text, own_words(text)):
        assert not any(FOREIGN in one for one in cut(blanked))


@given(TEXTS)
def test_a_sentence_has_words_and_no_space_around_it(text: str) -> None:
    for one in cut(text):
        assert one == one.strip()
        assert any(character.isalnum() for character in one)


@given(st.lists(st.sampled_from(["we went home", "it rained", "Ana rang"]), max_size=8))
def test_every_word_without_marks_is_in_one_sentence(said: list[str]) -> None:
    assert " ".join(cut(". ".join(said))).replace(".", "") == " ".join(said)


@pytest.mark.parametrize(
    "piece",
    ["word, ", "word and ", "a and b, ", "which because, so ", "Dr. ", "a. ", "so so ", "1, 2, "],
)
def test_words_are_counted_a_few_times_at_most(piece: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in proportion to the text: each character is looked at a bounded number of times."""
    looked_at = 0
    count = module._words

    def counting(text: str, start: int, end: int) -> int:
        nonlocal looked_at
        looked_at += end - start
        return count(text, start, end)

    monkeypatch.setattr(module, "_words", counting)
    text = piece * 2_000
    sentences(text)
    assert looked_at <= 10 * len(text)


@pytest.mark.parametrize("piece", [" ", "\n", "\t", "- ", ".", "!", '."', FOREIGN, "\U0001f389"])
def test_a_megabyte_of_marks_has_no_sentences(piece: str) -> None:
    """Quadratic work would never end here."""
    assert sentences(piece * (1_000_000 // len(piece))) == []


def test_a_long_gap_parts_no_sentence() -> None:
    gap = " " * 1_000_000
    assert cut(f"We moved{gap}to Porto. Ana{gap}\n{gap}rang.") == [
        f"We moved{gap}to Porto.",
        "Ana",
        "rang.",
    ]


def test_a_megabyte_of_lists_is_cut_in_linear_work() -> None:
    text = "1) water the plants 2) feed the cat\n" * 30_000
    assert itemised(text).count("\n") == 90_000


@pytest.mark.parametrize("piece", ["please ", ", ", " "])
def test_a_long_sentence_asks_for_nothing(piece: str) -> None:
    """Quadratic work would never end here."""
    assert wording(f"a{piece * (200_000 // len(piece))}b") is None
