"""Draws docs/architecture.svg from the code: every room, on the floor above all that it imports.

An arrow goes from a room to one that it imports, unless it gets there through another one as well.
With `--check` it only compares; with `--figures` it prints how large and how tangled the code is.
"""

import ast
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from html import escape
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src" / "sharpwave"
TARGET = ROOT / "docs" / "architecture.svg"

BANDS: Mapping[str, tuple[str, str]] = {
    "doors": ("#b45309", "interfaces __main__"),
    "facade": ("#7c3aed", "surface memory aio facades testing upkeep wiring worker"),
    "flows": ("#0f766e", "remember recall review behavior experience sleep bus"),
    "adapters": ("#1d4ed8", "storage index providers"),
    "leaves": ("#475569", "types errors settings tunables weights ports formulas temporal"),
}
REST = ("parts of the flows", "#15803d")
FONT = "ui-sans-serif, system-ui, sans-serif"
WIDTH, BOX_HEIGHT, WIDEST_GAP, FLOOR_HEIGHT, MARGIN = 1180, 40, 90, 92, 28
CHAR = 7.6


@dataclass(frozen=True)
class Box:
    """A room on the sheet."""

    room: str
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


def room_of(path: Path) -> str:
    """The room that a file belongs to: a folder or file directly in the package."""
    first = path.relative_to(SOURCE).parts[0].removesuffix(".py")
    return "surface" if first == "__init__" else first


@cache
def files() -> tuple[tuple[Path, ast.Module], ...]:
    """Every file of the package, read."""
    found = sorted(SOURCE.rglob("*.py"))
    return tuple((path, ast.parse(path.read_text(encoding="utf-8"))) for path in found)


@cache
def imports() -> dict[str, frozenset[str]]:
    """For every room the rooms that it imports."""
    known = {room_of(path) for path, _ in files()}
    found: dict[str, set[str]] = {room: set() for room in known}
    for path, tree in files():
        found[room_of(path)] |= {one if one in known else "surface" for one in _imported(tree)}
    return {room: frozenset(others - {room}) for room, others in found.items()}


def _imported(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("sharpwave"):
            parts = (node.module or "").split(".")
            yield from [parts[1]] if len(parts) > 1 else (alias.name for alias in node.names)
        elif isinstance(node, ast.Import):
            for alias in node.names:
                parts = alias.name.split(".")
                if parts[0] == "sharpwave":
                    yield parts[1] if len(parts) > 1 else "surface"


@cache
def reached(room: str) -> frozenset[str]:
    """Everything that a room needs, directly or not."""
    found: set[str] = set()
    waiting = list(imports()[room])
    while waiting:
        one = waiting.pop()
        if one not in found:
            found.add(one)
            waiting += imports()[one]
    return frozenset(found)


def circles() -> list[str]:
    """Rooms that need themselves."""
    return sorted(room for room in imports() if room in reached(room))


@cache
def floor(room: str) -> int:
    """One above the highest room that it imports."""
    return 1 + max((floor(other) for other in imports()[room]), default=-1)


def arrows() -> list[tuple[str, str]]:
    """The imports that no other path of imports implies."""
    return sorted(
        (room, other)
        for room, others in imports().items()
        for other in others
        if not any(other in reached(between) for between in others)
    )


# --- drawing --------------------------------------------------------------------------------------


def _drawing() -> Iterator[str]:
    if circles():
        raise SystemExit(f"rooms that import each other in a circle: {', '.join(circles())}")
    boxes, height = _placed()
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
        f'font-family="{FONT}" role="img" aria-label="The rooms of the package by floors">'
    )
    yield f'<rect width="{WIDTH}" height="{height}" rx="12" fill="#f8fafc"/>'
    yield from (_arrow(boxes[room], boxes[other]) for room, other in arrows())
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
    """Every room in the middle of its floor, near to what it is connected with."""
    floors: dict[int, list[str]] = {}
    for room in sorted(imports()):
        floors.setdefault(floor(room), []).append(room)
    boxes: dict[str, Box] = {}
    highest = max(floors)
    for level in sorted(floors):
        y = MARGIN + (highest - level) * FLOOR_HEIGHT
        ordered = sorted(floors[level], key=lambda room: (_pull(room, boxes), room))
        widths = [CHAR * len(room) + 26 for room in ordered]
        free = WIDTH - 2 * MARGIN - sum(widths)
        gap = min(WIDEST_GAP, free / len(widths))
        left = (WIDTH - sum(widths) - gap * (len(widths) - 1)) / 2
        for room, width in zip(ordered, widths, strict=True):
            boxes[room] = Box(room, left, y, width)
            left += width + gap
    return boxes, MARGIN + (highest + 1) * FLOOR_HEIGHT + 10


def _pull(room: str, boxes: Mapping[str, Box]) -> float:
    below = [boxes[other].middle for one, other in arrows() if one == room and other in boxes]
    return sum(below) / len(below) if below else WIDTH / 2


def _arrow(upper: Box, lower: Box) -> str:
    top, bottom = upper.y + BOX_HEIGHT, lower.y
    bend = (bottom - top) / 2
    return (
        f'<path d="M{upper.middle:.0f} {top:.0f} C{upper.middle:.0f} {top + bend:.0f} '
        f'{lower.middle:.0f} {bottom - bend:.0f} {lower.middle:.0f} {bottom:.0f}" '
        f'fill="none" stroke="{_colour(upper.room)}" stroke-opacity=".45" stroke-width="1.4"/>'
    )


def _box(box: Box) -> Iterator[str]:
    told = f"{box.room} imports {', '.join(sorted(imports()[box.room])) or 'nothing of ours'}"
    yield f"<g><title>{escape(told)}</title>"
    yield (
        f'<rect x="{box.x:.1f}" y="{box.y:.0f}" width="{box.width:.1f}" height="{BOX_HEIGHT}" '
        f'rx="8" fill="#ffffff" stroke="{_colour(box.room)}" stroke-width="2"/>'
    )
    yield (
        f'<text x="{box.middle:.1f}" y="{box.y + 25:.0f}" font-size="14" text-anchor="middle" '
        f'fill="#0f172a">{escape(box.room)}</text></g>'
    )


def _colour(room: str) -> str:
    return next((colour for colour, rooms in BANDS.values() if room in rooms.split()), REST[1])


def _legend() -> list[tuple[str, str]]:
    named = [(name, colour) for name, (colour, _) in BANDS.items()]
    return [*named[:3], REST, *named[3:]]


# --- figures --------------------------------------------------------------------------------------


def figures() -> Iterator[tuple[str, str]]:
    """How large and how tangled the code is."""
    sizes = sorted(len(path.read_text(encoding="utf-8").splitlines()) for path, _ in files())
    lines, functions = sum(sizes), list(_functions())
    broad = sum(_is_broad(node) for _, tree in files() for node in ast.walk(tree))
    yield "rooms", str(len(imports()))
    yield "floors", str(1 + max(map(floor, imports())))
    yield "rooms in a circle", str(len(circles()))
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
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                given = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
                own = [one for one in given if one.arg not in ("self", "cls")]
                yield (node.end_lineno or node.lineno) - node.lineno + 1, len(own)


def _is_broad(node: ast.AST) -> bool:
    if not isinstance(node, ast.ExceptHandler):
        return False
    caught = node.type.elts if isinstance(node.type, ast.Tuple) else [node.type]
    names = {one.id for one in caught if isinstance(one, ast.Name)}
    return node.type is None or bool(names & {"Exception", "BaseException"})


if __name__ == "__main__":
    sys.exit(main())
