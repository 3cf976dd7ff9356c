"""Draw docs/architecture.svg from the code: every unit, on the level above all that it imports.

A unit is a package or module directly in `sharpwave`. An arrow goes from a unit to one that it
imports, unless another path of imports implies it. Late imports (inside a function or for types
only) are drawn where they close no cycle. With `--check` compare only; with `--figures` print size
and coupling.
"""

import ast
import gc
import sys
from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cache
from html import escape
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src" / "sharpwave"
TARGET = ROOT / "docs" / "architecture.svg"

BANDS: Mapping[str, tuple[str, str]] = {
    "interfaces": ("#b45309", "interfaces __main__"),
    "facade": ("#7c3aed", "package memory aio api client testing upkeep wiring worker"),
    "flows": ("#0f766e", "remember recall knowledge behavior experience sleep events importers"),
    "adapters": ("#1d4ed8", "storage index embedding llm"),
    "shared": ("#475569", "types errors settings ports workspace formulas temporal"),
}
REST = ("text and helpers", "#15803d")
FONT = "ui-sans-serif, system-ui, sans-serif"
WIDTH, BOX_HEIGHT, WIDEST_GAP, LEVEL_HEIGHT, MARGIN = 1180, 40, 90, 92, 28
CHAR = 7.6


@dataclass(frozen=True)
class Box:
    """A unit on the sheet."""

    unit: str
    x: float
    y: float
    width: float

    @property
    def middle(self) -> float:
        """Where its arrows begin and end."""
        return self.x + self.width / 2


def main() -> int:
    """Write the picture, or say that it is out of date."""
    if "--figures" in sys.argv:
        for name, figure in figures():
            print(f"{name:34}{figure:>10}")
        return 0
    text = "\n".join(_drawing()) + "\n"
    if "--check" not in sys.argv:
        TARGET.write_text(text, encoding="utf-8")
        return 0
    if TARGET.exists() and TARGET.read_text(encoding="utf-8") == text:
        return 0
    print("docs/architecture.svg is out of date: run `make docs`")
    return 1


# --- reading --------------------------------------------------------------------------------------


def unit_of(path: Path) -> str:
    """The unit that a file belongs to: a folder or file directly in the package."""
    first = path.relative_to(SOURCE).parts[0].removesuffix(".py")
    return "package" if first == "__init__" else first


@cache
def files() -> tuple[tuple[Path, ast.Module], ...]:
    """Every file of the package, read."""
    found = sorted(SOURCE.rglob("*.py"))
    return tuple((path, ast.parse(path.read_text(encoding="utf-8"))) for path in found)


@cache
def statements(tree: ast.AST) -> tuple[ast.AST, ...]:
    """All that a file holds but its expressions, in which there is nothing to look for."""
    parts = [node for node in ast.iter_child_nodes(tree) if not isinstance(node, ast.expr)]
    return tuple(inner for node in parts for inner in (node, *statements(node)))


@cache
def imports() -> dict[str, frozenset[str]]:
    """The units that each unit imports, leaving out late imports that would close a cycle."""
    early = _links(late=False)
    for unit, others in sorted(_links(late=True).items()):
        for other in sorted(others - early[unit]):
            if unit not in _reached(other, early):
                early[unit].add(other)
    return {unit: frozenset(others) for unit, others in early.items()}


def _links(late: bool) -> dict[str, set[str]]:
    """Imports between units: those of modules, or those inside functions and TYPE_CHECKING."""
    known = {unit_of(path) for path, _ in files()}
    links: dict[str, set[str]] = {unit: set() for unit in known}
    for path, tree in files():
        top = [node for node in tree.body if not isinstance(node, ast.If)]
        early = {node for node in top if isinstance(node, ast.Import | ast.ImportFrom)}
        names = _imported(node for node in statements(tree) if (node in early) is not late)
        links[unit_of(path)] |= {name if name in known else "package" for name in names}
    return {unit: others - {unit} for unit, others in links.items()}


def _imported(nodes: Iterable[ast.AST]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("sharpwave"):
            parts = (node.module or "").split(".")
            yield from [parts[1]] if len(parts) > 1 else (alias.name for alias in node.names)
        elif isinstance(node, ast.Import):
            for alias in node.names:
                parts = alias.name.split(".")
                if parts[0] == "sharpwave":
                    yield parts[1] if len(parts) > 1 else "package"


@cache
def reached(unit: str) -> frozenset[str]:
    """Everything that a unit needs, directly or not."""
    return frozenset(_reached(unit, imports()))


def _reached(unit: str, links: Mapping[str, AbstractSet[str]]) -> set[str]:
    reached: set[str] = set()
    waiting = list(links[unit])
    while waiting:
        other = waiting.pop()
        if other not in reached:
            reached.add(other)
            waiting += links[other]
    return reached


def cycles() -> list[str]:
    """Units that need themselves."""
    return sorted(unit for unit in imports() if unit in reached(unit))


@cache
def level(unit: str) -> int:
    """One above the highest unit that it imports."""
    return 1 + max((level(other) for other in imports()[unit]), default=-1)


def arrows() -> list[tuple[str, str]]:
    """The imports that no other path of imports implies."""
    return sorted(
        (unit, other)
        for unit, others in imports().items()
        for other in others
        if not any(other in reached(between) for between in others)
    )


# --- drawing --------------------------------------------------------------------------------------


def _drawing() -> Iterator[str]:
    if cycles():
        raise SystemExit(f"units that import each other: {', '.join(cycles())}")
    boxes, height = _placed()
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
        f'font-family="{FONT}" role="img" aria-label="The units of the package by level">'
    )
    yield f'<rect width="{WIDTH}" height="{height}" rx="12" fill="#f8fafc"/>'
    yield from (_arrow(boxes[unit], boxes[other]) for unit, other in arrows())
    for box in boxes.values():
        yield from _box(box)
    x = float(MARGIN)
    for name, colour in _legend():
        yield f'<circle cx="{x + 6:.0f}" cy="{height - 20}" r="6" fill="{colour}"/>'
        yield (
            f'<text x="{x + 18:.0f}" y="{height - 16}" font-size="13" fill="#334155">{name}</text>'
        )
        x += 42 + CHAR * len(name)
    yield "</svg>"


def _placed() -> tuple[dict[str, Box], int]:
    """Every unit in the middle of its floor, near to what it is connected with."""
    levels: dict[int, list[str]] = {}
    for unit in sorted(imports()):
        levels.setdefault(level(unit), []).append(unit)
    boxes: dict[str, Box] = {}
    highest = max(levels)
    for height in sorted(levels):
        y = MARGIN + (highest - height) * LEVEL_HEIGHT
        ordered = sorted(levels[height], key=lambda unit: (_pull(unit, boxes), unit))
        widths = [CHAR * len(unit) + 26 for unit in ordered]
        free = WIDTH - 2 * MARGIN - sum(widths)
        gap = min(WIDEST_GAP, free / len(widths))
        left = (WIDTH - sum(widths) - gap * (len(widths) - 1)) / 2
        for unit, width in zip(ordered, widths, strict=True):
            boxes[unit] = Box(unit, left, y, width)
            left += width + gap
    return boxes, MARGIN + (highest + 1) * LEVEL_HEIGHT + 10


def _pull(unit: str, boxes: Mapping[str, Box]) -> float:
    below = [boxes[other].middle for upper, other in arrows() if upper == unit and other in boxes]
    return sum(below) / len(below) if below else WIDTH / 2


def _arrow(upper: Box, lower: Box) -> str:
    top, bottom = upper.y + BOX_HEIGHT, lower.y
    bend = (bottom - top) / 2
    return (
        f'<path d="M{upper.middle:.0f} {top:.0f} C{upper.middle:.0f} {top + bend:.0f} '
        f'{lower.middle:.0f} {bottom - bend:.0f} {lower.middle:.0f} {bottom:.0f}" '
        f'fill="none" stroke="{_colour(upper.unit)}" stroke-opacity=".45" stroke-width="1.4"/>'
    )


def _box(box: Box) -> Iterator[str]:
    title = f"{box.unit} imports {', '.join(sorted(imports()[box.unit])) or 'nothing of ours'}"
    yield f"<g><title>{escape(title)}</title>"
    yield (
        f'<rect x="{box.x:.1f}" y="{box.y:.0f}" width="{box.width:.1f}" height="{BOX_HEIGHT}" '
        f'rx="8" fill="#ffffff" stroke="{_colour(box.unit)}" stroke-width="2"/>'
    )
    yield (
        f'<text x="{box.middle:.1f}" y="{box.y + 25:.0f}" font-size="14" text-anchor="middle" '
        f'fill="#0f172a">{escape(box.unit)}</text></g>'
    )


def _colour(unit: str) -> str:
    return next((colour for colour, units in BANDS.values() if unit in units.split()), REST[1])


def _legend() -> list[tuple[str, str]]:
    named = [(name, colour) for name, (colour, _) in BANDS.items()]
    return [*named[:3], REST, *named[3:]]


# --- figures --------------------------------------------------------------------------------------


def figures() -> Iterator[tuple[str, str]]:
    """How large and how tangled the code is."""
    sizes = sorted(len(path.read_text(encoding="utf-8").splitlines()) for path, _ in files())
    lines, functions = sum(sizes), list(_functions())
    broad = sum(_is_broad(node) for _, tree in files() for node in statements(tree))
    yield "units", str(len(imports()))
    yield "levels", str(1 + max(map(level, imports())))
    yield "units in a cycle", str(len(cycles()))
    yield "files", f"{len(sizes):,}"
    yield "lines", f"{lines:,}"
    yield "lines of a file, median", str(sizes[len(sizes) // 2])
    yield "lines of a file, p90", str(sizes[int(0.9 * len(sizes))])
    yield "files over 300 lines", str(sum(size > 300 for size in sizes))
    yield "functions over 50 lines", str(sum(long > 50 for long, _ in functions))
    yield "functions over 6 parameters", str(sum(many > 6 for _, many in functions))
    yield "broad excepts", str(broad)
    yield "broad excepts per 1,000 lines", f"{1000 * broad / lines:.2f}"


def _functions() -> Iterator[tuple[int, int]]:
    """Lines and parameters of every function."""
    for _, tree in files():
        for node in statements(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                arguments = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
                own = [each for each in arguments if each.arg not in ("self", "cls")]
                yield (node.end_lineno or node.lineno) - node.lineno + 1, len(own)


def _is_broad(node: ast.AST) -> bool:
    if not isinstance(node, ast.ExceptHandler):
        return False
    caught = node.type.elts if isinstance(node.type, ast.Tuple) else [node.type]
    names = {each.id for each in caught if isinstance(each, ast.Name)}
    return node.type is None or bool(names & {"Exception", "BaseException"})


if __name__ == "__main__":
    gc.disable()  # it would walk through all those trees again and again
    sys.exit(main())
