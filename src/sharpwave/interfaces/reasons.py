"""Why something was recalled or left out, in words that all interfaces use."""

from collections.abc import Mapping

from sharpwave.types.answers import WhyNot

_GROUPS = {
    "its words": {"bm25", "cover", "tokens"},
    "its meaning": {"cosine"},
    "what stands around it": {
        "bm25_before", "bm25_after", "bm25_window1", "bm25_window3", "bm25_session",
        "cover_window1", "cosine_before", "cosine_window3", "tokens_window",
    },
    "who said it": {"speaker_named", "other_named", "other_role", "own"},
    "numbers and times": {"numbers", "counted", "dated", "recency"},
    "how much it says": {"length"},
    "a second look": {"second_look"},
}  # fmt: skip
"""What the terms of a score look at."""
WHY_NOT = {
    WhyNot.BELOW_FLOOR: "not about this",
    WhyNot.RESTATEMENT: "says the same as",
    WhyNot.SUPERSEDED: "no longer so; now",
    WhyNot.OVER: "its time has passed",
    WhyNot.TOO_ALIKE: "too much like",
    WhyNot.BEYOND_K: "others were better",
}
"""Why a candidate was left out; the item that stands for it may follow."""


def grouped(terms: Mapping[str, float]) -> dict[str, float]:
    """The terms of a score by what they look at; terms without a group stay as they are.

    >>> grouped({"bm25": 0.5, "cover": 0.25, "priority": 1.0})
    {'its words': 0.75, 'priority': 1.0}
    """
    sums: dict[str, float] = {}
    for name, value in terms.items():
        group = next((group for group, names in _GROUPS.items() if name in names), name)
        sums[group] = sums.get(group, 0.0) + value
    return sums
