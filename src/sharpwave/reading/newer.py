"""Which of several items is newer than another, and stands before it.

1 changed_first   the first behind a later one that changes it, as the comparer says
2 newest_first    each behind the newest that says nearly the same
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sharpwave.ports import Reader
from sharpwave.reading.grammar.lexicon import meaning_words
from sharpwave.reading.segments import FOREIGN, own_words
from sharpwave.types.records import Kind, Record, Role
from sharpwave.types.searching import ANSWERS
from sharpwave.types.statements import TO_DO, Effect

RESTATED_COSINE = 0.55
"""Of texts as near as this, among the first, the newer one is the answer to what is so now."""
NEAR, VERY_NEAR = 0.3, 0.42
"""How near to the first a newer one is that may change it: with a word in common, and without."""
COMPARED, ROUNDS = 2, 2
"""How many are compared with the first, and how often another one may become the first."""
CHANGED = 0.1
"""Minimum probability that it does; less than what ends a note, as both seem to answer."""
OTHER = 0.8
"""Probability from which on a newer one is about something else."""


def changed_first(
    kept: Sequence[int],
    records: Sequence[Record],
    alike: NDArray[np.float64],
    asked: set[str],
    reader: Reader | None,
) -> list[int]:
    """The places with the first behind what changes it, if one of the next does, and so on.

    It must have the numbers of the question that the older one has.
    """
    order = list(kept)
    numbers = {word for word in asked if not word.isalpha()}
    for _ in range(ROUNDS if reader and order else 0):
        first = order[0]
        named = numbers & meaning_words(records[first].text)
        later = [
            new
            for new in kept[:ANSWERS]
            if _may_change(new, first, records, alike) and named <= meaning_words(records[new].text)
        ]
        changing = [
            new
            for new in later[:COMPARED]
            if reader and _effect(records[new], records[first], reader).change >= CHANGED
        ]
        if not changing:
            break
        newest = max(changing, key=lambda new: records[new].valid_from)
        order.remove(newest)
        order.insert(0, newest)
    return order


def _may_change(new: int, old: int, records: Sequence[Record], alike: NDArray[np.float64]) -> bool:
    """True for what was said later and lies near, by words and meaning or by meaning alone."""
    later, first = records[new], records[old]
    if not _is_news(later, first) or later.id in first.provenance.parents:
        return False
    if not {later.kind, first.kind} <= _COMPARED_KINDS or alike[old, new] < NEAR:
        return False
    shared = meaning_words(later.text) & meaning_words(first.text)
    return bool(shared or alike[old, new] >= VERY_NEAR)


def _effect(new: Record, old: Record, reader: Reader) -> Effect:
    """What the user's own words in a newer record do to an older one."""
    said = " ".join(own_words(new.text).replace(FOREIGN, " ").split())
    return reader.compare([TO_DO * (old.kind is Kind.TASK) + old.text], said)[0]


_COMPARED_KINDS = frozenset({Kind.TURN, Kind.FACT, Kind.TASK})


def _is_news(new: Record, old: Record) -> bool:
    """True if the user said it later, and it is trusted as much as the older one."""
    if new.provenance.trust < old.provenance.trust:
        return False
    return new.valid_from > old.valid_from and new.role in (None, Role.USER)


def newest_first(
    kept: Sequence[int],
    records: Sequence[Record],
    alike: NDArray[np.float64],
    asked: set[str],
    reader: Reader | None,
) -> list[int]:
    """The places with each of the first behind the newest that says nearly the same later.

    It must have the words of the question that the older one has: "note 2" is no news of "note 1".
    Nothing comes first that has nothing to do with what did: others have birthdays too.
    """
    order, rest = list(kept[:ANSWERS]), kept[ANSWERS:]
    for at in range(len(order)):
        old = order[at]
        shared = asked & meaning_words(records[old].text)
        later = [
            new
            for new in order[at + 1 :]
            if alike[old, new] >= RESTATED_COSINE
            and _is_news(records[new], records[old])
            and shared <= meaning_words(records[new].text)
        ]
        newest = max(later, key=lambda new: records[new].valid_from, default=None)
        if newest is None:
            continue
        if at or reader is None or _effect(records[newest], records[old], reader).none < OTHER:
            order.remove(newest)
            order.insert(at, newest)
    return [*order, *rest]
