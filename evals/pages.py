"""Charts as SVG, and one HTML page of them: a single file, without scripts or links.

Every number stands between 0 and 1 on the upward axis. The first series is ours and stands out;
classes `s0`, `s1` … are coloured by the style of the page.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise
from textwrap import wrap

from sharpwave import __version__

WIDTH, HEIGHT = 760, 330
LEFT, RIGHT, TOP, BOTTOM = 52, 16, 40, 46
PLOT_WIDTH, PLOT_HEIGHT = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM
TICKS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
CHARACTER = 7
"""Rough width of a character."""

Point = tuple[float, float]


def bars(title: str, groups: Sequence[str], series: Mapping[str, Sequence[float]]) -> str:
    """One group of bars a category, one bar a series; the first series shows its numbers."""
    step = PLOT_WIDTH / max(1, len(groups))
    width = min(30.0, step * 0.8 / max(1, len(series)))
    drawn = []
    for place, group in enumerate(groups):
        middle = LEFT + step * (place + 0.5)
        for row, part in enumerate(wrap(group, int(step / CHARACTER), break_long_words=False)):
            drawn.append(_text(middle, HEIGHT - BOTTOM + 17 + 14 * row, part, "middle"))
        start = middle - width * len(series) / 2
        for number, (name, values) in enumerate(series.items()):
            x, y = start + width * number, _y(values[place])
            label = escape(f"{name}, {group}: {values[place]:.3f}")
            drawn.append(
                f'<rect class="s{number}" x="{x + 1:.1f}" y="{y:.1f}" width="{width - 2:.1f}" '
                f'height="{TOP + PLOT_HEIGHT - y:.1f}" rx="1.5"><title>{label}</title></rect>'
            )
            if number == 0:
                drawn.append(_text(x + width / 2, y - 4, _short(values[place]), "middle", "value"))
    return _svg(title, [*_grid(), *drawn, *_legend(list(series))])


def lines(
    title: str, series: Mapping[str, Sequence[Point]], across: str, upward: str, unit: str = ""
) -> str:
    """One line a series, with a dot a point; x is spread over what there is."""
    xs = sorted({x for points in series.values() for x, _ in points})
    drawn = [_text(_spread(x, xs), HEIGHT - BOTTOM + 18, f"{x:g}{unit}", "middle") for x in xs]
    for number, (name, points) in enumerate(series.items()):
        spots = [(_spread(x, xs), _y(y)) for x, y in points]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in spots)
        drawn.append(f'<polyline class="l{number}" points="{path}"/>')
        for (x, y), (at, value) in zip(spots, points, strict=True):
            label = escape(f"{name} at {at:g}{unit}: {value:.3f}")
            drawn.append(_dot(x, y, 3.5, number, label))
    return _svg(title, [*_grid(upward), *drawn, _across(across), *_legend(list(series))])


def reliability(title: str, bins: Sequence[Mapping[str, float]]) -> str:
    """Stated against observed; on the diagonal a probability means what it says."""
    most = max((bin_["questions"] for bin_ in bins), default=1)
    drawn = [_text(_x(tick), HEIGHT - BOTTOM + 18, f"{tick:g}", "middle") for tick in TICKS]
    drawn.append(
        f'<line class="ideal" x1="{_x(0):.1f}" y1="{_y(0):.1f}" x2="{_x(1):.1f}" y2="{_y(1):.1f}"/>'
    )
    spots = [(_x(bin_["confidence"]), _y(bin_["observed"])) for bin_ in bins]
    for (x, y), (other_x, other_y) in pairwise(spots):
        drawn.append(
            f'<line class="l0" x1="{x:.1f}" y1="{y:.1f}" x2="{other_x:.1f}" y2="{other_y:.1f}"/>'
        )
    for (x, y), bin_ in zip(spots, bins, strict=True):
        radius = 3 + 9 * (bin_["questions"] / most) ** 0.5
        label = (
            f"stated {bin_['confidence']:.2f}, observed {bin_['observed']:.2f}, "
            f"{bin_['questions']:g} questions"
        )
        drawn.append(_dot(x, y, radius, 0, label))
    return _svg(title, [*_grid("observed"), *drawn, _across("stated confidence")])


def _svg(title: str, parts: Sequence[str]) -> str:
    inside = "\n".join(parts)
    return (
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(title)}" '
        f'xmlns="http://www.w3.org/2000/svg">\n{inside}\n</svg>'
    )


def _grid(upward: str = "") -> Iterator[str]:
    for tick in TICKS:
        y = _y(tick)
        yield f'<line class="grid" x1="{LEFT}" y1="{y:.1f}" x2="{WIDTH - RIGHT}" y2="{y:.1f}"/>'
        yield _text(LEFT - 8, y + 4, f"{tick:g}", "end")
    if upward:
        yield _text(LEFT - 40, TOP - 16, upward, "start")


def _legend(names: Sequence[str]) -> Iterator[str]:
    """At the top right, in one row."""
    widths = [34 + CHARACTER * len(name) for name in names]
    x = float(WIDTH - RIGHT - sum(widths))
    for number, (name, width) in enumerate(zip(names, widths, strict=True)):
        yield f'<rect class="s{number}" x="{x:.1f}" y="8" width="12" height="12" rx="2"/>'
        yield _text(x + 17, 18, name, "start")
        x += width


def _across(text: str) -> str:
    return _text(LEFT + PLOT_WIDTH / 2, HEIGHT - 8, text, "middle")


def _dot(x: float, y: float, radius: float, number: int, label: str) -> str:
    return (
        f'<circle class="s{number}" cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}">'
        f"<title>{label}</title></circle>"
    )


def _text(x: float, y: float, text: str, anchor: str, kind: str = "") -> str:
    named = f' class="{kind}"' if kind else ""
    return f'<text{named} x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'


def _short(value: float) -> str:
    """A share in two or three characters: .57, or 1."""
    return f"{value:.2f}".removeprefix("0") if value < 0.995 else "1"


def _x(share: float) -> float:
    return LEFT + PLOT_WIDTH * share


def _spread(x: float, xs: Sequence[float]) -> float:
    """Where x stands if the least is at the left edge and the most at the right, with a margin."""
    span = xs[-1] - xs[0]
    return _x(0.04 + 0.92 * (x - xs[0]) / span) if span else _x(0.5)


def _y(share: float) -> float:
    return TOP + PLOT_HEIGHT * (1 - min(max(share, 0.0), 1.0))


FOOT = f"Sharpwave {__version__}; all of it measured in the same run."

STYLE = """
:root { color-scheme: light dark; --ink: #1c2330; --soft: #667085; --line: #e3e7ee;
  --paper: #fff; --c0: #0f6fae; --c1: #e2933d; --c2: #7a9a4d; --c3: #b06a9c; --c4: #8a8f9c;
  --c5: #52a3a3; }
@media (prefers-color-scheme: dark) { :root { --ink: #e7eaf0; --soft: #9aa4b5; --line: #2c3442;
  --paper: #12161e; --c0: #4aa8e6; } }
body { font: 16px/1.55 system-ui, sans-serif; color: var(--ink); background: var(--paper);
  max-width: 800px; margin: 2.5rem auto; padding: 0 1.25rem; }
h1 { font-size: 1.7rem; margin: 0 0 .25rem; } h2 { font-size: 1.15rem; margin: 2.2rem 0 .4rem; }
p { margin: .3rem 0 .8rem; } .lead, figcaption, footer { color: var(--soft); }
figure { margin: .8rem 0 1.6rem; } figcaption { font-size: .86rem; }
svg { width: 100%; height: auto; display: block; }
svg text { fill: var(--soft); font: 12px system-ui, sans-serif; }
svg text.value { fill: var(--ink); font-size: 11px; font-weight: 600; }
polyline { fill: none; } polyline, .l0 { stroke-width: 2.2; }
.grid { stroke: var(--line); } .ideal { stroke: var(--soft); stroke-dasharray: 4 4; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums;
  font-size: .92rem; margin: .6rem 0 1.4rem; }
th, td { text-align: right; padding: .32rem .6rem; border-bottom: 1px solid var(--line); }
th:first-child, td:first-child { text-align: left; } th { color: var(--soft); font-weight: 500; }
td.best { font-weight: 700; }
""" + "".join(
    f".s{n} {{ fill: var(--c{n}); }} .l{n} {{ stroke: var(--c{n}); }}\n" for n in range(6)
)


@dataclass(frozen=True, slots=True)
class Part:
    """A heading, a sentence, a figure and a table; any but the heading may be missing."""

    heading: str
    text: str = ""
    figure: str = ""
    caption: str = ""
    table: str = ""


def page(title: str, lead: str, parts: Sequence[Part], foot: str) -> str:
    """The whole page."""
    inside = "\n".join(map(_part, parts))
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{STYLE}</style></head>\n<body>\n"
        f'<h1>{escape(title)}</h1>\n<p class="lead">{escape(lead)}</p>\n{inside}\n'
        f"<footer><p>{escape(foot)}</p></footer>\n</body></html>\n"
    )


def table(heads: Sequence[str], rows: Mapping[str, Sequence[float | str]]) -> str:
    """Rows by name; of each column's numbers the highest is bold."""
    columns = list(zip(*rows.values(), strict=True))
    best = [max((n for n in column if isinstance(n, float)), default=None) for column in columns]
    lines = ["<table><thead><tr>", *(f"<th>{escape(head)}</th>" for head in heads), "</tr></thead>"]
    for name, values in rows.items():
        cells = "".join(_cell(n, n == top) for n, top in zip(values, best, strict=True))
        lines.append(f"<tr><td>{escape(name)}</td>{cells}</tr>")
    return "\n".join([*lines, "</table>"])


def _cell(value: float | str, is_best: bool) -> str:
    kind = ' class="best"' if is_best else ""
    text = f"{value:.3f}" if isinstance(value, float) else escape(value)
    return f"<td{kind}>{text}</td>"


def _part(part: Part) -> str:
    lines = [f"<h2>{escape(part.heading)}</h2>"]
    if part.text:
        lines.append(f"<p>{escape(part.text)}</p>")
    if part.figure:
        caption = f"<figcaption>{escape(part.caption)}</figcaption>" if part.caption else ""
        lines.append(f"<figure>{part.figure}{caption}</figure>")
    return "\n".join([*lines, part.table])
