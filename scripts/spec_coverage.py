"""Which items of the specification have a test, and which are argued instead.

A test says what it shows with `@pytest.mark.spec("RD-02", ...)`, on a function, a class, a
parameter set or a whole module (`pytestmark`). This reads the tests without running them, counts
per capability of `docs/internals/spec.toml`, and fails when a test names an item that does not
exist. Every item is either shown by a test or argued in a row of `docs/internals/spec-notes.md`,
never both.

    python scripts/spec_coverage.py [--missing]
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
ITEM = re.compile(r"\b[A-Z]+-\d{2}\b")


@dataclass(frozen=True, slots=True)
class Capability:
    code: str
    title: str
    items: int

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


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Which items of the specification have a test.")
    parser.add_argument("--missing", action="store_true", help="list the items without a test")
    options = parser.parse_args(arguments)
    capabilities = read_capabilities(ROOT / "docs" / "internals" / "spec.toml")
    claims = list(claims_below(ROOT / "tests"))
    shown = {claim.item for claim in claims if claim.item is not None}
    print(table(capabilities, shown))
    if options.missing:
        print("\n".join(["", *missing(capabilities, shown)]))
    notes = (ROOT / "docs" / "internals" / "spec-notes.md").read_text(encoding="utf-8")
    wrong = complaints(capabilities, claims) + disagreements(capabilities, shown, argued(notes))
    print("".join(f"{line}\n" for line in wrong), file=sys.stderr, end="")
    return 1 if wrong else 0


def read_capabilities(path: Path) -> list[Capability]:
    rows = tomllib.loads(path.read_text(encoding="utf-8"))["capabilities"]
    return [Capability(code, row["title"], row["items"]) for code, row in rows.items()]


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
    >>> [(claim.item, claim.where) for claim in claims_in(source, "t.py")]
    [('WM-01', 't.py:2'), ('WM-02', 't.py:3'), ('WM-03', 't.py:3'), (None, 't.py:5')]
    """
    marks = [node for node in ast.walk(ast.parse(source, name)) if is_mark(node)]
    for mark in sorted(marks, key=lambda node: node.lineno):
        for argument in mark.args:
            yield Claim(plain_string(argument), f"{name}:{mark.lineno}")


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


if __name__ == "__main__":
    sys.exit(main())
