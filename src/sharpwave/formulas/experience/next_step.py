"""Which step comes next, from what followed before [AGT-08]."""

from collections.abc import Mapping


def next_share(counts: Mapping[str, float], step: str, shorter: float) -> float:
    """The share of a step among what followed a context, with the shorter context behind it.

        share = (n(step) + kinds·shorter) / (n + kinds)        kinds: how many followed it

    A context that was followed by many different steps leaves more to the shorter one
    (Witten-Bell).

    >>> next_share({"edit": 3, "test": 1}, "edit", shorter=0.5)
    0.6666666666666666
    >>> next_share({}, "edit", shorter=0.2)
    0.2
    """
    kinds = len(counts)
    total = sum(counts.values())
    return (counts.get(step, 0.0) + kinds * shorter) / (total + kinds) if kinds else shorter
