"""Finds the words that a model quotes in the text it quotes them from."""

import unicodedata

from sharpwave.types.statements import Span

# Models write these in another way than people and their keyboards do.
_ALIKE = str.maketrans("‘’‚‛“”„‟‐‑‒–—―−", "''''\"\"\"\"-------")  # noqa: RUF001 - that is the point
_AROUND = " \t\r\n\"'…."


def find_quote(quote: str, text: str) -> Span | None:
    """Where the quote stands; letter by letter, else apart from case, white space and typography.

    >>> find_quote("lives in  Porto", "She LIVES in Porto now.")
    Span(start=4, end=18)
    >>> find_quote("lives in Lisbon", "She lives in Porto now.") is None
    True
    """
    if not quote.strip():
        return None
    at = text.find(quote)
    if at >= 0:
        return Span(at, at + len(quote))
    letters, places = _folded(text)
    wanted = _folded(quote)[0].strip(_AROUND)
    at = letters.find(wanted) if wanted else -1
    if at < 0:
        return None
    return Span(places[at], places[at + len(wanted) - 1] + 1)


def _folded(text: str) -> tuple[str, list[int]]:
    """What is left to compare, and where each of its characters stands in the text."""
    letters: list[str] = []
    places: list[int] = []
    for place, character in enumerate(text):
        if character.isspace():
            folded = "" if letters and letters[-1] == " " else " "
        elif (
            unicodedata.category(character) in ("Cf", "Mn")
            or character == "\N{REPLACEMENT CHARACTER}"
        ):
            folded = ""
        else:
            plain = unicodedata.normalize("NFKD", character)
            folded = "".join(one for one in plain if unicodedata.category(one) != "Mn")
            folded = folded.translate(_ALIKE).casefold()
        letters += folded
        places += [place] * len(folded)
    return "".join(letters), places
