"""Which words are names and which are not, by the lists that come with the package."""

import tomllib
from functools import cache
from importlib.resources import files

from sharpwave.reading.grammar.lexicon import lemma, words


@cache
def _common_words() -> frozenset[str]:
    """Words that several people of the training corpus write with a small letter."""
    return words((files("sharpwave") / "data" / "common_words.txt").read_text("utf-8"))


_NO_ENDINGS = ("ing", "ly", "tion", "tions", "ness", "ment", "ments", "able", "ible", "in'")


def is_common(word: str) -> bool:
    """True for a word in lower case that is no name, though a sentence may begin with it.

    >>> [is_common(word) for word in ("surgery", "chickens", "naomi", "porto")]
    [True, True, False, False]
    """
    known = _common_words()
    return (
        word in known
        or word.removesuffix("s") in known
        or lemma(word) in known
        or (len(word) > 5 and word.endswith(_NO_ENDINGS))
    )


@cache
def well_known_names(kind: str) -> frozenset[str]:
    """Given names or places that come with the package, in small letters."""
    table = tomllib.loads((files("sharpwave") / "data" / "names.toml").read_text("utf-8"))
    names = table[kind].split("," if kind == "places" else None)
    return frozenset(name.strip().lower() for name in names)
