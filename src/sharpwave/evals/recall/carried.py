"""Whether what is shown of a turn still says what the whole turn said towards the answer.

A turn carries those words of the gold answer that it holds itself and, for a question after a time,
all of its own expressions of time ("yesterday", "two days ago"), from which the answer follows.
"""

import re
from datetime import datetime

from sharpwave.evals.recall.talks import Question
from sharpwave.index.terms import TermReader
from sharpwave.temporal.expressions import find

_WHEN = re.compile(
    r"(?:when|since when|how long|(?:in |on )?(?:what|which) (?:day|month|year|date|week))\b", re.I
)
_WORD = re.compile(r"\w+")


class Carried:
    """Compares words by their stems, without the commonest."""

    def __init__(self) -> None:
        self._reader = TermReader()

    def by(self, text: str, question: Question, at: datetime) -> frozenset[str]:
        """The words a turn of that time carries towards the answer."""
        answer = set(self._reader.read(question.answer)) & set(self._reader.read(text))
        if not _WHEN.match(question.text):
            return frozenset(answer)
        spoken = " ".join(one.text for one in find(text, at))
        return frozenset(answer) | _words(spoken)

    def in_(self, shown: str) -> frozenset[str]:
        """All words of what is shown, to compare with."""
        plain = shown.replace("\\n", " ")  # a quoted text spells its line breaks
        return frozenset(self._reader.read(plain)) | _words(plain)


def _words(text: str) -> frozenset[str]:
    return frozenset(word.casefold() for word in _WORD.findall(text))
