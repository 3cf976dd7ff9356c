from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from evals import embedders
from evals.embedders import ParallelPhrases
from sharpwave.types.storing import Space

LANGUAGES = "de fr es it pt nl pl ru tr ar hi zh ja ko".split()


def test_thirty_different_phrases_in_each_language() -> None:
    phrases = embedders.load_phrases()
    assert list(phrases.other_languages) == LANGUAGES
    for texts in phrases.by_language.values():
        assert len(set(texts)) == len(texts) == 30
        assert all(text == text.strip() and text for text in texts)
    assert not set(phrases.distractors) & set(phrases.by_language["en"])


class FirstLetter:
    """Two texts mean the same if they begin with the same letter."""

    space = Space("first-letter", "1", 26)

    def embed(self, statements: Sequence[str]) -> NDArray[np.float32]:
        rows = np.zeros((len(statements), 26), np.float32)
        for row, text in zip(rows, statements, strict=True):
            row[ord(text[0].lower()) - ord("a")] = 1
        return rows

    def embed_question(self, question: str) -> NDArray[np.float32]:
        raise AssertionError("a phrase is a statement")


@pytest.mark.spec("EVL-40")
def test_accuracy_by_hand() -> None:
    phrases = ParallelPhrases(
        {"en": ("apple", "bread"), "de": ("Apfel", "Brot"), "fr": ("pomme", "bread")},
        distractors=("pear",),
    )
    assert embedders.nearest_meanings(FirstLetter(), phrases) == {"de": 1.0, "fr": 0.5}


@pytest.mark.spec("EVL-40")
def test_keyword_search_is_left_out_with_a_note() -> None:
    found = embedders.compare_languages(["hash", "bm25"])
    assert (found.phrases, found.candidates) == (30, 60)
    assert [result.name for result in found.results] == ["hash"]
    assert list(found.results[0].accuracy) == LANGUAGES, "a figure for each language"
    assert found.notes == ("bm25 left out: it makes no vectors",)
