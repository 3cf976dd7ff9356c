"""Read the first matching items of a long list without reading the rest."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from sharpwave.types.records import Record
from sharpwave.types.storing import Window

Item = TypeVar("Item")
_WIDER = 4
"""Factor by which the next read is larger, if too few items match."""


def part(
    read: Callable[[int | None], Sequence[Record]],
    keep: Callable[[Sequence[Record]], Sequence[Item]],
    window: Window,
) -> list[Item]:
    """The items of a window, in order.

    `read` is given how many records to read, None for all; `keep` selects the items.
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
