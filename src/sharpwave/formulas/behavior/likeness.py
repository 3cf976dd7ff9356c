"""How alike two sets of words are [BEH-08]."""

from collections.abc import Set as AbstractSet


def likeness(one: AbstractSet[str], other: AbstractSet[str]) -> float:
    """Dice's coefficient: twice what both have, over what each has.

        likeness = 2 |A ∩ B| / (|A| + |B|),    0 if both are empty

    >>> likeness({"bullet", "point"}, {"bullet", "point", "summary"})
    0.8
    """
    total = len(one) + len(other)
    return 2 * len(one & other) / total if total else 0.0
