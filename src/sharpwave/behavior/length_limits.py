"""Rules that limit the length of answers by a count: "at most 50 words", "in two sentences"."""

import re

from sharpwave.behavior import meaning
from sharpwave.temporal.words import DIGITS, HOURS, TENS

MOST_OF_SHORT = {"word": 120, "sentence": 6, "line": 12, "paragraph": 2, "bullet": 7, "point": 7}
"""Maximum count per unit of a short answer."""
_NUMBERS = {word: DIGITS[word] for word in HOURS} | TENS | {"a": 1, "couple": 2, "few": 3}
_COUNTED = re.compile(
    r"\b(?P<count>\d+|[a-z]+)(?: of)? (?:short |brief )?(?:bullet (?=point))?"
    rf"(?P<unit>{'|'.join(MOST_OF_SHORT)})s?\b"
)
_LIMITS_NEXT = re.compile(
    r"(?:\b(?:at most|max(?:imum)?(?: of)?|up to|under|below|within|in|to)"
    r"|\b(?:fewer|less|shorter) than"
    r"|(?:\b(?:no|not|never)|n't)\b.*\b(?:more|longer|over)(?: than)?)"
    r"(?: (?:just|only|about|a))*\s*$"
)
_LIMITS_BEFORE = re.compile(r"\W*(?:max(?:imum)?|tops|at most|or (?:less|fewer|under))\b")
_PER_ANSWER = re.compile(r"\b(?:per|each|should|have|no|stick|limit)\b")


def wants_short(rule: str) -> bool:
    """Whether a rule limits answers as a whole to a short length.

    >>> wants_short("Answer in at most 50 words"), wants_short("Answer in at most 2000 words")
    (True, False)
    >>> wants_short("Commit messages have at most ten words")
    False
    """
    low = rule.lower()
    for found in _COUNTED.finditer(low):
        before, after = low[: found.start()], low[found.end() :]
        ahead, behind = _LIMITS_NEXT.search(before), _LIMITS_BEFORE.match(after)
        amount = found["count"]
        count = int(amount) if amount.isdigit() else _NUMBERS.get(amount)
        if not (ahead or behind) or count is None or count > MOST_OF_SHORT[found["unit"]]:
            continue
        remainder = (
            before[: ahead.start() if ahead else None] + after[behind.end() if behind else 0 :]
        )
        # The stance leaves its verb out: with a verb in front, every remaining word counts.
        if meaning.is_of_answers(meaning.stance("answer " + _PER_ANSWER.sub("", remainder))):
            return True
    return False
