"""Small plots as SVG text, readable on light and dark pages."""

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from itertools import pairwise
from math import ceil, floor, log10
from typing import NamedTuple

OURS = "Sharpwave"
ACCENT, OTHERS = "#0b7285", "#a3b1bf"
LINES = ("#0b7285", "#e8590c", "#862e9c", "#2b8a3e", "#c92a2a", "#5f3dc4", "#846358")
PANEL, ROW, NAMES, NUMBERS = 440, 24, 164, 60
"""Width of a panel, height of a row, room for names and numbers beside the bars, in pixels."""
PLOT_HEIGHT, MARGIN = 250, 52

Point = tuple[float, float]


class Bars(NamedTuple):
    """A panel of bars: names with a value, and how the value is written."""

    title: str
    values: Mapping[str, float]
    written: str = "{:.0f}"


class Lines(NamedTuple):
    """A panel of lines over logarithmic axes."""

    title: str
    across: str
    series: Mapping[str, Sequence[Point]]


def bars(label: str, panels: Sequence[Bars]) -> str:
    """Panels side by side, the longest bar as wide as there is room."""
    rows = max(len(panel.values) for panel in panels)
    drawn = [part for place, panel in enumerate(panels) for part in _bars(panel, PANEL * place)]
    return _svg(label, PANEL * len(panels), 44 + ROW * rows, drawn)


def lines(label: str, panels: Sequence[Lines]) -> str:
    """Panels side by side, with one legend under them."""
    names = list(dict.fromkeys(name for panel in panels for name in panel.series))
    drawn = [
        part for place, panel in enumerate(panels) for part in _lines(panel, PANEL * place, names)
    ]
    top = 34 + PLOT_HEIGHT + 50
    drawn += _legend(names, top, PANEL * len(panels))
    return _svg(label, PANEL * len(panels), top + 30, drawn)


def _bars(panel: Bars, left: float) -> Iterator[str]:
    yield _text(left + 12, 22, panel.title, "start", bold=True)
    most = max(panel.values.values())
    room = PANEL - NAMES - NUMBERS - 12
    for place, (name, value) in enumerate(panel.values.items()):
        y = 36 + ROW * place
        own = name == OURS
        width = max(1.5, room * value / most)
        yield _text(left + NAMES, y + 15, name, "end", bold=own)
        yield (
            f'<rect x="{left + NAMES + 8:.1f}" y="{y + 3}" width="{width:.1f}" '
            f'height="{ROW - 7}" rx="2" fill="{ACCENT if own else OTHERS}"/>'
        )
        end = left + NAMES + 14 + width
        yield _text(end, y + 15, panel.written.format(value), "start", bold=own)


def _lines(panel: Lines, left: float, names: Sequence[str]) -> Iterator[str]:
    points = [point for series in panel.series.values() for point in series]
    xs = sorted({x for x, _ in points})
    low, high = floor(log10(min(y for _, y in points))), ceil(log10(max(y for _, y in points)))
    right, top, bottom = left + PANEL - 32, 40, 34 + PLOT_HEIGHT
    start, end = log10(xs[0]), log10(xs[-1])

    def place(x: float, y: float) -> Point:
        across = (log10(x) - start) / (end - start or 1)
        up = (log10(y) - low) / (high - low or 1)
        return left + MARGIN + across * (right - left - MARGIN), bottom - up * (bottom - top)

    yield _text(left + 12, 22, panel.title, "start", bold=True)
    for power in range(low, high + 1):
        _, y = place(xs[0], 10.0**power)
        yield _line((left + MARGIN, y), (right, y), "#8a94a0", 0.4)
        yield _text(left + MARGIN - 6, y + 4, f"{10.0**power:g}", "end")
    for x in xs:
        yield _text(place(x, 10.0**low)[0], bottom + 18, f"{x:,.0f}", "middle")
    yield _text((left + MARGIN + right) / 2, bottom + 36, panel.across, "middle")
    for name, series in panel.series.items():
        color, width = LINES[names.index(name) % len(LINES)], 3.0 if name == OURS else 1.8
        spots = [place(*point) for point in series]
        for one, other in pairwise(spots):
            yield _line(one, other, color, width)
        for (x, y), (size, value) in zip(spots, series, strict=True):
            title = escape(f"{name}, {size:,.0f}: {value:.3g}")
            yield (
                f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{width + 1.2}" fill="{color}">'
                f"<title>{title}</title></circle>"
            )


def _legend(names: Sequence[str], y: float, width: float) -> Iterator[str]:
    each = width / len(names)
    for place, name in enumerate(names):
        x = 12 + each * place
        color = LINES[place % len(LINES)]
        yield f'<rect x="{x:.1f}" y="{y}" width="12" height="12" rx="2" fill="{color}"/>'
        yield _text(x + 17, y + 11, name, "start", bold=name == OURS)


def _line(one: Point, other: Point, color: str, width: float) -> str:
    return (
        f'<line x1="{one[0]:.1f}" y1="{one[1]:.1f}" x2="{other[0]:.1f}" y2="{other[1]:.1f}" '
        f'stroke="{color}" stroke-width="{width}"/>'
    )


def _text(x: float, y: float, text: str, anchor: str, bold: bool = False) -> str:
    weight = ' font-weight="600"' if bold else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{weight}>{escape(text)}</text>'


def _svg(label: str, width: float, height: float, parts: Sequence[str]) -> str:
    inside = "\n".join(parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" '
        f'width="{width:.0f}" role="img" aria-label="{escape(label)}" '
        f'font-family="system-ui, sans-serif" font-size="13" fill="#1f2933">\n'
        f'<rect width="100%" height="100%" fill="#ffffff"/>\n{inside}\n</svg>\n'
    )
