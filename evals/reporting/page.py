"""One HTML page of figures and tables: a single file without scripts or anything from elsewhere."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

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
