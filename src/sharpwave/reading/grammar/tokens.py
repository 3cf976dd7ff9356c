"""Words and marks of a text, each with its place; contractions are taken apart.

"I'm" is two words, `i` and `am`, that share a place. What is quoted, code or a link is one mark
that no rule looks into.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

MASKED = "\x00"
"""Stands for a stretch that is not the speaker's own words: speech in quotes, code, a link."""


class Token(NamedTuple):
    """A word in lower case, or a mark, and where it stands."""

    low: str
    start: int
    end: int
    capital: bool
    """The word begins with a capital letter."""


def tokenize(text: str) -> list[Token]:
    """The words and marks of a text in order."""
    tokens: list[Token] = []
    for match in _TOKEN.finditer(text):
        word, (start, end), group = match[0], match.span(), match.lastgroup
        low = word.lower()
        if group is not None:
            speech = group == "masked" or _is_speech(word)
            tokens.append(Token(MASKED if speech else low, start, end, not speech))
        elif "'" in low or "\u2019" in low or low in _SPOKEN:
            capital = word[0].isupper()
            parts = list(_taken_apart(low.replace("\u2019", "'"), start, end, capital))
            if parts[-1].low == "'s" and _IS_AFTER.match(text, end):
                parts[-1] = parts[-1]._replace(low="is")
            tokens.extend(parts)
        else:
            tokens.append(Token(low, start, end, word[0].isupper()))
    return tokens


# The commonest first: what a position cannot begin with costs nearly nothing.
_TOKEN = re.compile(
    r"""
      \d{1,3} (?: ,\d{3} ){1,6} (?!\d)
    | (?! https?:// ) [^\W_]+ (?: [.'\u2019&+#@_/:-] [^\W_]+ ){0,40} [+#]{0,2}
    | (?P<quote> "[^"\n]{1,300}" | \u201c[^\u201d\n]{1,300}\u201d
        | (?<!\w)'[A-Z][^'\n]{1,80}'(?!\w) )
    | (?P<masked> ```.{0,20000}?``` | `[^`\n]{1,300}` | https?://\S{1,2000} | ^>[^\n]{0,5000}
        | ^//[^\n]{0,5000} | [\u2669-\u266c\U0001f3b5\U0001f3b6][^\n]{0,5000} )
    | \$ \d{1,12} (?: [.,]\d{1,12} ){0,6} [kKmM]?
    | \n\s{0,200}
    | \.{2,100}
    | [^\w\s]
    """,
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)

_ENDINGS = {
    "'m": "am",
    "'re": "are",
    "'ve": "have",
    "'ll": "will",
    "'d": "would",
    "n't": "not",
}
_SPOKEN = {
    "gonna": ("going", "to"),
    "wanna": ("want", "to"),
    "gotta": ("have", "to"),
    "im": ("i", "am"),
    "ive": ("i", "have"),
    "dont": ("do", "not"),
    "doesnt": ("does", "not"),
    "didnt": ("did", "not"),
    "cant": ("can", "not"),
    "cannot": ("can", "not"),
    "isnt": ("is", "not"),
    "wasnt": ("was", "not"),
    "wont": ("will", "not"),
    "can't": ("can", "not"),
    "won't": ("will", "not"),
    "ain't": ("am", "not"),
    "let's": ("let", "us"),
    "'cause": ("because",),
    "cuz": ("because",),
}
_BEFORE_IS = frozenset(
    "he she it that this there here what who where when how everything name there's".split()
)
_IS_AFTER = re.compile(r" (?:an?|the|called|named|not|allergic|also|currently)\b", re.IGNORECASE)
"""What follows "my husband's", if it is short for "my husband is"."""
_FIRST_PERSON = re.compile(r"\b(?:i|i'm|i've|my|me|we|you|your|our)\b", re.IGNORECASE)


def _taken_apart(low: str, start: int, end: int, capital: bool) -> Iterator[Token]:
    if low in _SPOKEN:
        words: tuple[str, ...] = _SPOKEN[low]
    else:
        words = _parts(low)
    at = start
    for place, word in enumerate(words):
        last = place == len(words) - 1
        stop = end if last else min(end, at + len(word))
        yield Token(word, at, stop, capital and place == 0)
        at = stop


def _parts(low: str) -> tuple[str, ...]:
    for ending, word in _ENDINGS.items():
        if low.endswith(ending) and len(low) > len(ending):
            return (low[: -len(ending)], word)
    if low.endswith("'s") and low[:-2] in _BEFORE_IS:
        return (low[:-2], "is")
    if low.endswith("'s"):
        return (low[:-2], "'s")
    return (low,)


def _is_speech(quote: str) -> bool:
    """True for quoted speech; a title such as "I Want to Break Free" is a name like another."""
    inner = quote[1:-1]
    words = inner.split()
    if len(words) < 2 or not _FIRST_PERSON.search(inner):
        return False
    small = sum(word[:1].islower() and len(word) > 3 for word in words)
    return small > 0 or inner.endswith((".", "!", "?", ","))
