"""Which items of the specification have a test, and which are argued instead.

A test says what it shows with `@pytest.mark.spec("RD-02", ...)`, on a function, a class, a
parameter set or a whole module (`pytestmark`). This reads the tests without running them, counts
per capability of `docs/internals/spec.toml`, and fails when a test names an item that does not
exist. Every item is either shown by a test or argued in a row of `docs/internals/spec-notes.md`,
never both.

    python scripts/spec_coverage.py [--missing]
    python scripts/spec_coverage.py --write | --check   docs/internals/requirements.md
"""

import argparse
import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeGuard

ROOT = Path(__file__).resolve().parent.parent
MARKS = ("pytest.mark.spec", "mark.spec")
DEFINITIONS = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
PAGE = ROOT / "docs" / "internals" / "requirements.md"
PIPE = "\\|"
ITEM = re.compile(r"\b[A-Z]+-\d{2}\b")


@dataclass(frozen=True, slots=True)
class Capability:
    code: str
    title: str
    items: int
    asks: tuple[str, ...] = ()
    """What each item asks for."""

    def ids(self) -> list[str]:
        """
        >>> Capability("KG", "Knowledge graph", 3).ids()
        ['KG-01', 'KG-02', 'KG-03']
        """
        return [f"{self.code}-{number:02d}" for number in range(1, self.items + 1)]


@dataclass(frozen=True, slots=True)
class Claim:
    """A test names an item; `item` is None where the mark is not a plain string."""

    item: str | None
    where: str
    test: str = ""
    """Function or class that has the mark; empty for a mark on a whole module."""


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Which items of the specification have a test.")
    parser.add_argument("--missing", action="store_true", help="list the items without a test")
    parser.add_argument("--write", action="store_true", help="write the page of requirements")
    parser.add_argument("--check", action="store_true", help="whether that page is current")
    options = parser.parse_args(arguments)
    capabilities = read_capabilities(ROOT / "docs" / "internals" / "spec.toml")
    claims = list(claims_below(ROOT / "tests"))
    notes = (ROOT / "docs" / "internals" / "spec-notes.md").read_text(encoding="utf-8")
    if options.write or options.check:
        text = "\n".join(requirements(capabilities, claims, notes)) + "\n"
        return write(PAGE, text, check=options.check)
    shown = {claim.item for claim in claims if claim.item is not None}
    print(table(capabilities, shown))
    if options.missing:
        print("\n".join(["", *missing(capabilities, shown)]))
    wrong = complaints(capabilities, claims) + disagreements(capabilities, shown, argued(notes))
    print("".join(f"{line}\n" for line in wrong), file=sys.stderr, end="")
    return 1 if wrong else 0


def read_capabilities(path: Path) -> list[Capability]:
    rows = tomllib.loads(path.read_text(encoding="utf-8"))["capabilities"]
    return [
        Capability(code, row["title"], len(row["items"]), tuple(row["items"]))
        for code, row in rows.items()
    ]


def claims_below(folder: Path) -> Iterator[Claim]:
    for path in sorted(folder.rglob("test_*.py")):
        name = path.relative_to(folder.parent).as_posix()
        yield from claims_in(path.read_text(encoding="utf-8"), name)


def claims_in(source: str, name: str) -> Iterator[Claim]:
    """Every item named in a spec mark of this source.

    >>> source = '''
    ... pytestmark = [pytest.mark.spec("WM-01")]
    ... @pytest.mark.spec("WM-02", "WM-03")
    ... def test_it(): ...
    ... @pytest.mark.spec(SOME_NAME)
    ... class TestThem: ...
    ... '''
    >>> claims = list(claims_in(source, "t.py"))
    >>> [(claim.item, claim.where) for claim in claims]
    [('WM-01', 't.py:2'), ('WM-02', 't.py:3'), ('WM-03', 't.py:3'), (None, 't.py:5')]
    >>> [claim.test for claim in claims]
    ['', 'test_it', 'test_it', 'TestThem']
    """
    marks: dict[ast.Call, str] = {}
    for node in ast.walk(ast.parse(source, name)):  # outer nodes come first, inner ones overrule
        test = node.name if isinstance(node, DEFINITIONS) else None
        for mark in filter(is_mark, ast.walk(node) if test else [node]):
            marks[mark] = test or marks.get(mark, "")
    for mark in sorted(marks, key=lambda node: node.lineno):
        for argument in mark.args:
            yield Claim(plain_string(argument), f"{name}:{mark.lineno}", marks[mark])


def plain_string(node: ast.expr) -> str | None:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    return None


def is_mark(node: ast.AST) -> TypeGuard[ast.Call]:
    return isinstance(node, ast.Call) and ast.unparse(node.func) in MARKS


def table(capabilities: list[Capability], shown: set[str]) -> str:
    """One line per capability, and the total.

    >>> print(table([Capability("KG", "Knowledge graph", 3)], {"KG-02"}))
    code  capability                                with test  without
    KG    Knowledge graph                                   1        2
    ----
          total of 3                                        1        2
    """
    lines = [f"{'code':<6}{'capability':<42}{'with test':>9}{'without':>9}"]
    tested = 0
    for capability in capabilities:
        count = len(shown.intersection(capability.ids()))
        tested += count
        without = capability.items - count
        lines.append(f"{capability.code:<6}{capability.title:<42}{count:>9}{without:>9}")
    total = sum(capability.items for capability in capabilities)
    lines.append("----")
    lines.append(f"{'':<6}{f'total of {total}':<42}{tested:>9}{total - tested:>9}")
    return "\n".join(lines)


def missing(capabilities: list[Capability], shown: set[str]) -> list[str]:
    """The items without a test, one line per capability that has some.

    >>> missing([Capability("KG", "Graph", 3), Capability("WM", "Day", 1)], {"KG-02", "WM-01"})
    ['KG-01 KG-03']
    """
    rows = [[item for item in capability.ids() if item not in shown] for capability in capabilities]
    return [" ".join(row) for row in rows if row]


def complaints(capabilities: list[Capability], claims: list[Claim]) -> list[str]:
    """What is wrong with the marks, each with its place.

    >>> known = [Capability("KG", "Knowledge graph", 3)]
    >>> made = [Claim("KG-03", "t.py:1"), Claim("KG-04", "t.py:2"), Claim(None, "t.py:3")]
    >>> complaints(known, made)
    ['t.py:2: there is no item KG-04', 't.py:3: a spec mark takes ids as plain strings']
    """
    known = {item for capability in capabilities for item in capability.ids()}
    lines = []
    for claim in claims:
        if claim.item is None:
            lines.append(f"{claim.where}: a spec mark takes ids as plain strings")
        elif claim.item not in known:
            lines.append(f"{claim.where}: there is no item {claim.item}")
    return lines


def argued(notes: str) -> set[str]:
    """The items in the first column of the notes' table.

    >>> sorted(argued("| id | why |\\n|---|---|\\n| KG-01, KG-02 | as KG-03 |\\nKG-04"))
    ['KG-01', 'KG-02']
    """
    rows = (line.split("|")[1] for line in notes.splitlines() if line.startswith("|"))
    return {item for first in rows for item in ITEM.findall(first)}


def disagreements(capabilities: list[Capability], shown: set[str], argued: set[str]) -> list[str]:
    """Items that tests and notes disagree about, one line each.

    >>> known = [Capability("KG", "Knowledge graph", 3)]
    >>> disagreements(known, {"KG-01", "KG-02"}, {"KG-02", "KG-04"})
    ['KG-02 has a test and a row in the notes', 'KG-03 has neither', 'KG-04 is in the notes only']
    """
    known = {item for capability in capabilities for item in capability.ids()}
    lines = {item: "has a test and a row in the notes" for item in shown & argued}
    lines |= {item: "has neither" for item in known - shown - argued}
    lines |= {item: "is in the notes only" for item in argued - known}
    return [f"{item} {lines[item]}" for item in sorted(lines)]


def write(page: Path, text: str, *, check: bool) -> int:
    if not check:
        page.write_text(text, encoding="utf-8")
    elif not page.exists() or page.read_text(encoding="utf-8") != text:
        print(f"{page.relative_to(ROOT)} is out of date: run `make docs`")
        return 1
    return 0


def requirements(capabilities: list[Capability], claims: list[Claim], notes: str) -> Iterator[str]:
    """The lines of a page: what each item asks for, and the tests or what there is instead."""
    shown: dict[str | None, dict[str, None]] = {}
    for claim in claims:
        file = claim.where.rpartition(":")[0].removeprefix("tests/")
        shown.setdefault(claim.item, {})[f"`{file}` {claim.test.removeprefix('test_')}".strip()] = (
            None
        )
    instead = reasons(notes)
    yield (
        "# Requirements\n\n<!-- Generated by `make docs`. -->\n\n"
        "Every item of the specification with the tests that show it (file and name, without\n"
        "`test_`) or, after *not:*, what there is instead ([deviations](spec-notes.md))."
    )
    for capability in capabilities:
        yield f"\n## {capability.title}\n\n| id | asks for | shown by |\n|---|---|---|"
        for item, asks in zip(capability.ids(), capability.asks, strict=True):
            by = ", ".join(shown.get(item, ())) or f"*not:* {instead.get(item, 'nothing')}"
            yield f"| {item} | {asks.replace('|', PIPE)} | {by} |"


def reasons(notes: str) -> dict[str, str]:
    """The last column of the notes' table by item.

    >>> reasons("| KG-01, KG-02 | a | b |")
    {'KG-01': 'b', 'KG-02': 'b'}
    """
    rows = [line.split(" | ") for line in notes.splitlines() if line.startswith("| ")]
    return {item: cells[-1].removesuffix(" |") for cells in rows for item in ITEM.findall(cells[0])}


if __name__ == "__main__":
    sys.exit(main())
