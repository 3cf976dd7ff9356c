import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st
from Stemmer import Stemmer
from tests.cpu import seconds

from sharpwave.formulas import text as text_formulas
from sharpwave.index.terms import TermReader

READER = TermReader(max_terms=16_384, max_word_chars=64, cached_words=1024)


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("I was running in the parks", ["run", "park"]),
        ("Anna's CAT isn't here, it's Bob\u2019s", ["anna", "cat", "bob"]),
        ("max_tokens=4096", ["max", "token", "4096"]),
        ("Café naïve ÜBER", ["cafe", "naiv", "uber"]),
        ("\uff46\uff55ll \ufb01ne", ["full", "fine"]),
        ("l'avion", ["l", "avion"]),
        ("हिन्दी भाषा", ["हिन्दी", "भाषा"]),
        ("黒猫です", ["黒猫", "猫で", "です", "黒", "猫"]),
        ("猫", ["猫"]),
        ("학교에 iPhone을", ["학교", "교에", "iphon", "을"]),
        ("ไทย", ["ไท", "ทย"]),
        ("yes 🎉🎉 👍🏽", ["🎉", "🎉", "👍"]),
        ("", []),
        (" \t\n…!?", []),
        ("\ud800 lone \udfff", ["lone"]),
    ],
)
def test_terms(text: str, terms: list[str]) -> None:
    assert READER.read(text) == terms


@given(st.text(alphabet=st.characters(codec=None, max_codepoint=sys.maxunicode)))
def test_any_text_gives_terms_that_can_be_saved(text: str) -> None:
    for term in READER.read(text):
        assert term.encode() and len(term) <= 64 and not any(map(str.isspace, term))


def test_a_query_meets_the_text_in_another_form() -> None:
    assert set(READER.read("Allergies?")) & set(READER.read("I am allergic; my ALLERGY is bad"))


def test_long_words_and_long_texts_are_cut() -> None:
    reader = TermReader(max_terms=5, max_word_chars=8, cached_words=16)
    assert reader.read("ä" * 100) == ["a" * 8]
    assert reader.read("猫" * 100) == ["猫猫"] * 5
    assert len(reader.read("word " * 100)) == 5


@pytest.mark.parametrize("piece", ["word ", "a'b", "x", "猫", "\ufdfa", "é'", "़", "🇩", "\ud800"])
def test_a_megabyte_is_read_in_linear_time(piece: str) -> None:
    text = piece * (2**20 // len(piece.encode("utf-8", "surrogatepass")))
    assert seconds(lambda: READER.read(text), 3) < 3


class OneAtATime:
    """A stemmer that notices two who use it at once: the real one is not made for that."""

    def __init__(self, *language: object) -> None:
        self._stemmer = Stemmer(*language)
        self._in_use = threading.Lock()

    def stemWord(self, word: str) -> str:
        assert self._in_use.acquire(blocking=False), "two at once"
        try:
            time.sleep(0.0005)  # long enough for another thread to come
            return str(self._stemmer.stemWord(word))
        finally:
            self._in_use.release()


def test_threads_may_share_a_reader(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_formulas, "_STEMMER", OneAtATime("english", 0))
    reader = TermReader(max_terms=1000, max_word_chars=64, cached_words=2)
    texts = [" ".join(f"walking{c}ing jumped{c}s" for c in "abcdefgh"[i:]) for i in range(8)]
    expected = [reader.read(text) for text in texts]
    with ThreadPoolExecutor(8) as threads:
        for _ in range(3):
            assert list(threads.map(reader.read, texts)) == expected
