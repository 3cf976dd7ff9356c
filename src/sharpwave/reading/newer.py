"""Order results: a newer record that changes or restates an older one comes before it.

1 changed_first   before the first: a newer one that changes it, as the comparer says
2 newest_first    before each: the newest that says nearly the same
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
"""Minimum cosine of two texts among the first results for the newer one to replace the older."""
NEAR, VERY_NEAR = 0.3, 0.42
"""Minimum cosine of a newer record that may change the first: with a shared word, and without."""
COMPARED, ROUNDS = 2, 2
"""Maximum number compared with the first, and of rounds in which the first may be replaced."""
CHANGED = 0.1
"""Minimum probability of a change; lower than to end a note, as both seem to answer."""
OTHER = 0.8
"""Minimum probability that a newer record is about something else."""


def changed_first(
    indexes: Sequence[int],
    records: Sequence[Record],
    similarity: NDArray[np.float64],
    question_words: set[str],
    reader: Reader | None,
) -> list[int]:
    """Return the indexes with a newer record that changes the first moved before it, repeatedly.

    The newer record must have the numbers of the question that the older one has.
    """
    order = list(indexes)
    numbers = {word for word in question_words if not word.isalpha()}
    for _ in range(ROUNDS if reader and order else 0):
        first = order[0]
        shared = numbers & meaning_words(records[first].text)
        newer = [
            new
            for new in indexes[:ANSWERS]
            if _may_change(new, first, records, similarity)
            and shared <= meaning_words(records[new].text)
        ]
        changing = [
            new
            for new in newer[:COMPARED]
            if reader and _effect(records[new], records[first], reader).change >= CHANGED
        ]
        if not changing:
            break
        newest = max(changing, key=lambda new: records[new].valid_from)
        order.remove(newest)
        order.insert(0, newest)
    return order


def _may_change(
    new: int, old: int, records: Sequence[Record], similarity: NDArray[np.float64]
) -> bool:
    """True for a newer record that is similar, by words and meaning or by meaning alone."""
    newer, older = records[new], records[old]
    if not _is_news(newer, older) or newer.id in older.provenance.parents:
        return False
    if not {newer.kind, older.kind} <= _COMPARED_KINDS or similarity[old, new] < NEAR:
        return False
    shared = meaning_words(newer.text) & meaning_words(older.text)
    return bool(shared or similarity[old, new] >= VERY_NEAR)


def _effect(new: Record, old: Record, reader: Reader) -> Effect:
    """The effect of the user's own words in a newer record on an older one."""
    text = " ".join(own_words(new.text).replace(FOREIGN, " ").split())
    return reader.compare([TO_DO * (old.kind is Kind.TASK) + old.text], text)[0]


_COMPARED_KINDS = frozenset({Kind.TURN, Kind.FACT, Kind.TASK})


def _is_news(new: Record, old: Record) -> bool:
    """True if the user said it later, and it is trusted at least as much as the older one."""
    if new.provenance.trust < old.provenance.trust:
        return False
    return new.valid_from > old.valid_from and new.role in (None, Role.USER)


def newest_first(
    indexes: Sequence[int],
    records: Sequence[Record],
    similarity: NDArray[np.float64],
    question_words: set[str],
    reader: Reader | None,
) -> list[int]:
    """Return the indexes with the newest restatement of each of the first moved before it.

    It must have the words of the question that the older one has: "note 2" does not update
    "note 1". An unrelated record never becomes the first: other people have birthdays too.
    """
    order, rest = list(indexes[:ANSWERS]), indexes[ANSWERS:]
    for position in range(len(order)):
        old = order[position]
        shared = question_words & meaning_words(records[old].text)
        newer = [
            new
            for new in order[position + 1 :]
            if similarity[old, new] >= RESTATED_COSINE
            and _is_news(records[new], records[old])
            and shared <= meaning_words(records[new].text)
        ]
        newest = max(newer, key=lambda new: records[new].valid_from, default=None)
        if newest is None:
            continue
        if (
            position
            or reader is None
            or _effect(records[newest], records[old], reader).none < OTHER
        ):
            order.remove(newest)
            order.insert(position, newest)
    return [*order, *rest]
