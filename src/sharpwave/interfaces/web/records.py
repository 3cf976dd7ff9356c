"""Display of records, lists, times and counts."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import UTC, date, datetime, time
from enum import StrEnum
from functools import partial
from typing import Any, Generic, TypeVar

from nicegui import html, ui
from nicegui.events import GenericEventArguments

from sharpwave.interfaces.web.components import (
    Bar,
    Nothing,
    bars,
    details,
    draw_nothing,
    icon_button,
    line_button,
)
from sharpwave.types.answers import Decision
from sharpwave.types.contexts import Context
from sharpwave.types.records import Kind, Record, State, Trust


def count(number: int, singular: str, plural: str = "") -> str:
    """A number and what it counts; `plural` is needed if it is not formed with an s.

    >>> count(1, "memory", "memories"), count(12_345, "memory", "memories"), count(0, "message")
    ('1 memory', '12,345 memories', '0 messages')
    """
    return f"{number:,} {noun(number, singular, plural)}"


def noun(number: int, singular: str, plural: str = "") -> str:
    """Singular or plural for a number, without the number."""
    return singular if number == 1 else plural or f"{singular}s"


def signed(value: float) -> str:
    """A number with its sign, with a typographic minus.

    >>> signed(2.714)
    '+2.71'
    """
    return f"{value:+.2f}".replace("-", "\N{MINUS SIGN}")


def times(number: int) -> str:
    """How often, in words.

    >>> times(0), times(1), times(1200)
    ('never', 'once', '1,200 times')
    """
    return {0: "never", 1: "once"}.get(number, f"{number:,} times")


_MIDNIGHT = time()
"""A time at midnight is shown as a day only."""


def moment(when: datetime, *, day_only: bool = False) -> ui.element:
    """A time element; the full time is in its `datetime` attribute."""
    day_only = day_only or when.time() == _MIDNIGHT
    when = when if day_only else when.astimezone(UTC)
    pattern = "%-d %b %Y" if day_only else "%-d %b %Y, %H:%M UTC"
    element = _time(format(when, pattern), when)
    if not day_only:
        element.props["data-local"] = "yes"
    return element


def happened(words: str, when: datetime, *, day_only: bool = False) -> None:
    """A small text with a time."""
    with html.span().classes("sw-soft sw-small"):
        html.span(f"{words} ")
        moment(when, day_only=day_only)


def since(when: datetime) -> ui.element:
    """Since which day."""
    return _time(f"since {day(when)}", when)


def _time(words: str, when: datetime) -> ui.element:
    element: ui.element = html.time(words, datetime=when.isoformat())
    return element.classes("sw-time")


def day(when: date) -> str:
    """A day in words, for sentences."""
    return f"{when.day} {when:%b %Y}"


class Tone(StrEnum):
    """Colour of a badge."""

    PLAIN = ""
    ACCENT = "accent"
    GOOD = "good"
    WARN = "warn"
    BAD = "bad"


_STATES = {
    State.ACTIVE: Tone.GOOD,
    State.UNCERTAIN: Tone.WARN,
    State.STALE: Tone.WARN,
    State.QUARANTINED: Tone.BAD,
    State.INVALIDATED: Tone.BAD,
}
_TRUSTS = {
    Trust.USER: ("said by you", Tone.GOOD),
    Trust.VERIFIED: ("verified", Tone.GOOD),
    Trust.INFERRED: ("inferred", Tone.WARN),
    Trust.UNTRUSTED: ("untrusted", Tone.BAD),
}
DECISIONS = {
    Decision.ASSERT: ("can be said outright", Tone.GOOD),
    Decision.HEDGE: ("say it with a hedge", Tone.ACCENT),
    Decision.CLARIFY: ("ask back", Tone.WARN),
    Decision.VERIFY: ("check it first", Tone.WARN),
    Decision.ABSTAIN: ("not known", Tone.BAD),
}


def badge(words: str, tone: Tone = Tone.PLAIN) -> None:
    """A badge."""
    html.span(words).classes(f"sw-badge {tone.value}")


def state_badge(state: State) -> None:
    """The state of a record as a badge."""
    badge(state.value, _STATES.get(state, Tone.PLAIN))


def trust_badge(trust: Trust) -> None:
    """The trust in a record as a badge."""
    badge(*_TRUSTS[trust])


KINDS: Mapping[Kind, str] = {
    Kind.TURN: "said",
    Kind.FACT: "fact",
    Kind.TASK: "task",
    Kind.NOTE: "note",
    Kind.EPISODE: "summary",
    Kind.BEHAVIOR: "rule",
    Kind.SKILL: "skill",
    Kind.PATTERN: "pattern",
    Kind.TOOL_RECORD: "tool record",
    Kind.INSIGHT: "insight",
    Kind.INTERACTION: "interaction",
    Kind.OBSERVATION: "observed task",
    Kind.TRAJECTORY: "chosen skill",
    Kind.FEEDBACK: "rating",
}
"""Display name of each kind."""


def record_list(found: Sequence[Record], show: Callable[[Record], Any] | None = None) -> None:
    """A list of records: text, badges, and a button that opens the record."""
    with html.div().classes("sw-list"):
        for record in found:
            with html.div().classes("sw-record"):
                with html.div().classes("sw-record-words"):
                    html.div(record.text).classes("sw-words sw-clamp")
                    record_badges(record)
                if show is not None:
                    line_button("Open", partial(show, record), record.text)


def record_badges(record: Record) -> None:
    """Badges of a record: kind, trust, state, and time."""
    with html.div().classes("sw-row sw-small sw-soft"):
        badge(KINDS[record.kind], Tone.ACCENT)
        if record.provenance.trust is not Trust.USER:
            trust_badge(record.provenance.trust)
        if record.standing.state is not State.ACTIVE:
            state_badge(record.standing.state)
        if record.kind is Kind.TURN:
            html.span(record.speaker or (record.role or ""))
        moment(record.valid_from if record.kind is Kind.TURN else record.recorded_at)


Item = TypeVar("Item")
Load = Callable[[Any, int], Awaitable[tuple[Sequence[Item], Any]]]
"""(start of a page, or None for the first; page size) → (its items; start of the next page, or None
at the end)."""


_SHOWN = "(event) => emit(Number(event.currentTarget.dataset.page))"
"""Sends the page number shown at the click, so that a double click turns only one page."""


class PagedList(Generic[Item]):
    """A list with paging buttons. Create it at its place on the page, then `await show()`."""

    def __init__(
        self, load: Load[Item], draw: Callable[[Sequence[Item]], None], nothing: Nothing, size: int
    ) -> None:
        """`draw` draws the items of a page; `nothing` is shown if there are none."""
        self._load, self._draw, self._nothing, self._size = load, draw, nothing, size
        self._page_starts: list[Any] = [None]
        self._after: Any = None
        self._latest_request: object = None
        self._place = html.div().classes("sw-column")
        with html.div().classes("sw-pager") as self._pager:
            self._label = html.span()
            with html.div():
                self._back_button = icon_button("chevron_left", "Page before")
                self._next_button = icon_button("chevron_right", "Next page")
        self._back_button.on("click", self._turn_back, js_handler=_SHOWN)
        self._next_button.on("click", self._turn_on, js_handler=_SHOWN)

    async def show(self, *, same_page: bool = False) -> None:
        """Draw the first page; with `same_page` redraw the current page."""
        if not same_page:
            self._page_starts = [None]
        self._latest_request = request = object()
        items, after = await self._load(self._page_starts[-1], self._size)
        if self._latest_request is not request:  # another page was requested meanwhile
            return
        self._after = after
        if not items and len(self._page_starts) > 1:
            await self._turn(self._page_starts[:-1])
            return
        self._place.clear()
        with self._place:
            self._draw(items) if items else draw_nothing(self._nothing)
        self._pager.set_visibility(bool(self._after is not None or len(self._page_starts) > 1))
        self._label._text = f"Page {len(self._page_starts)}"
        self._label.update()
        for button in (self._back_button, self._next_button):
            button.props["data-page"] = len(self._page_starts)
        self._back_button.set_enabled(len(self._page_starts) > 1)
        self._next_button.set_enabled(self._after is not None)

    async def _turn_on(self, clicked: GenericEventArguments) -> None:
        if clicked.args == len(self._page_starts) and self._after is not None:
            await self._turn([*self._page_starts, self._after])

    async def _turn_back(self, clicked: GenericEventArguments) -> None:
        if clicked.args == len(self._page_starts) > 1:
            await self._turn(self._page_starts[:-1])

    async def _turn(self, starts: list[Any]) -> None:
        """Show another page; stay on this one if that fails."""
        previous = self._page_starts, self._after
        self._page_starts, self._after = starts, None
        try:
            await self.show(same_page=True)
        except BaseException:  # raised again and shown on the page
            if self._page_starts is starts:
                self._page_starts, self._after = previous
            raise


def of_call(ask: Callable[..., Awaitable[Sequence[Item]]]) -> Load[Item]:
    """Pages of a call with `limit` and `offset`; one extra item is read to detect the end."""

    async def load(begin: Any, size: int) -> tuple[Sequence[Item], Any]:
        start = begin or 0
        items = await ask(limit=size + 1, offset=start)
        return items[:size], start + size if len(items) > size else None

    return load


def of_list(ask: Callable[[], Awaitable[Sequence[Item]]]) -> Load[Item]:
    """Pages of a call that returns a short list completely."""

    async def load(begin: Any, size: int) -> tuple[Sequence[Item], Any]:
        return page_of(await ask(), begin, size)

    return load


def page_of(
    items: Sequence[Item], begin: int | None, size: int
) -> tuple[Sequence[Item], int | None]:
    """A page of a list, and where the next one begins.

    >>> page_of("abcde", None, 2), page_of("abcde", 4, 2)
    (('ab', 2), ('e', None))
    """
    start = begin or 0
    end = start + size
    return items[start:end], end if end < len(items) else None


def table(titles: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """A table of words; a cell may also be a function that draws it."""
    with html.div().classes("sw-scroll"), html.table().classes("sw-table"):
        with html.thead(), html.tr():
            for title in titles:
                html.th(title, scope="col")
        with html.tbody():
            for row in rows:
                with html.tr():
                    for title, cell in zip(titles, row, strict=True):
                        # on narrow screens, without columns, each cell shows its title
                        with html.td(**{"data-title": title}):
                            if callable(cell):
                                cell()
                            else:
                                html.span(str(cell))


def assembled_prompt(context: Context, budget: int) -> None:
    """The text of a context with its token counts."""
    scale = max(budget, context.tokens, 1)
    bars([Bar("tokens", context.tokens / scale, f"{context.tokens:,} of {budget:,}")])
    with details("Tokens by section"):
        bars(
            Bar(
                section.title,
                section.tokens / scale,
                f"{section.tokens:,}" + (f", {section.cut} left out" if section.cut else ""),
                "soft",
            )
            for section in context.sections
        )
    html.pre(context.text, tabindex="0", **{"aria-label": "The text of the prompt"}).classes(
        "sw-prompt"
    )
