"""The first of a long list that count, without reading the rest."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from sharpwave.types.records import Record
from sharpwave.types.storing import Window

Item = TypeVar("Item")
_WIDER = 4
"""How much more is read where much of it does not count."""


def part(
    read: Callable[[int | None], Sequence[Record]],
    keep: Callable[[Sequence[Record]], Sequence[Item]],
    window: Window,
) -> list[Item]:
    """Of what counts among the records, in order, the part that is wanted.

    `read` is given how many records to read, None for all; `keep` makes of them what counts.
    """
    if window.end is None:
        return window.of(keep(read(None)))
    limit = window.end
    while True:
        found = read(limit)
        kept = keep(found)
        if len(kept) >= window.end or len(found) < limit:
            return window.of(kept)
        limit *= _WIDER
