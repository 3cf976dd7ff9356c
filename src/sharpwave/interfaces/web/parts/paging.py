"""Lists of which one page is drawn at a time, so that no page holds everything."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Generic, TypeVar

from nicegui import html

from sharpwave.interfaces.web.parts.actions import icon_button

Item = TypeVar("Item")
Load = Callable[[Any, int], Awaitable[tuple[Sequence[Item], Any]]]
"""From where a page begins (None: at the beginning) and its size to its items and where the next
one begins (None: there is none)."""


class Paged(Generic[Item]):
    """A list with buttons to turn over. Make it where it has to stand, then `await show()`."""

    def __init__(
        self,
        load: Load[Item],
        draw: Callable[[Sequence[Item]], None],
        nothing: Callable[[], object],
        size: int,
    ) -> None:
        """`draw` is given the items of a page; `nothing` says that there are none."""
        self._load, self._draw, self._nothing, self._size = load, draw, nothing, size
        self._begins: list[Any] = [None]
        self._after: Any = None
        self._place = html.div().classes("sw-column")
        with html.div().classes("sw-pager") as self._pager:
            self._told = html.span()
            with html.div():
                self._back = icon_button("chevron_left", "Page before", self._turn_back)
                self._on = icon_button("chevron_right", "Next page", self._turn_on)

    async def show(self, *, again: bool = False) -> None:
        """Draw the first page; with `again` the page that is shown, as it is now."""
        if not again:
            self._begins = [None]
        items, self._after = await self._load(self._begins[-1], self._size)
        if not items and len(self._begins) > 1:
            await self._turn_back()
            return
        self._place.clear()
        with self._place:
            self._draw(items) if items else self._nothing()
        self._pager.set_visibility(bool(self._after is not None or len(self._begins) > 1))
        self._told._text = f"Page {len(self._begins)}"
        self._told.update()
        self._back.set_enabled(len(self._begins) > 1)
        self._on.set_enabled(self._after is not None)

    async def _turn_on(self) -> None:
        self._begins.append(self._after)
        await self.show(again=True)

    async def _turn_back(self) -> None:
        self._begins.pop()
        await self.show(again=True)


def of_call(ask: Callable[..., Awaitable[Sequence[Item]]]) -> Load[Item]:
    """Pages of a call that takes `limit` and `offset`: one more is read, to know that there is."""

    async def load(begin: Any, size: int) -> tuple[Sequence[Item], Any]:
        start = begin or 0
        found = await ask(limit=size + 1, offset=start)
        return found[:size], start + size if len(found) > size else None

    return load


def of_list(ask: Callable[[], Awaitable[Sequence[Item]]]) -> Load[Item]:
    """Pages of a call that gives a short list as a whole; what keeps it short, the call says."""

    async def load(begin: Any, size: int) -> tuple[Sequence[Item], Any]:
        return cut(await ask(), begin, size)

    return load


def cut(found: Sequence[Item], begin: int | None, size: int) -> tuple[Sequence[Item], int | None]:
    """A page of a list, and where the next one begins.

    >>> cut("abcde", None, 2), cut("abcde", 4, 2)
    (('ab', 2), ('e', None))
    """
    start = begin or 0
    end = start + size
    return found[start:end], end if end < len(found) else None


def table(titles: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """A table of words; a cell may also be a function that draws it."""
    with html.div().classes("sw-scroll"), html.table().classes("sw-table"):
        with html.thead(), html.tr():
            for title in titles:
                html.th(title, scope="col")
        with html.tbody():
            for one in rows:
                with html.tr():
                    for title, cell in zip(titles, one, strict=True):
                        _cell(title, cell)


def _cell(title: str, cell: object) -> None:
    """Where there is no room for columns, each cell says its title itself."""
    with html.td(**{"data-title": title}):
        if callable(cell):
            cell()
        else:
            html.span(str(cell))
