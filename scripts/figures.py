"""Write what was measured and shown into the documentation; with `--check` compare only.

- what docs/figures.md and README.md have between marks from `evals/results.json`,
- those of docs/internals/faults.md from `tests/faults/checks.toml` and the ledger beside it.
"""

import ast
import json
import re
import sys
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
FAULTS = ROOT / "tests" / "faults"
PAGES = (
    "README.md",
    "docs/figures.md",
    "docs/internals/embedder.md",
    "docs/internals/faults.md",
)
PART = re.compile(r"(<!-- generated: (?P<name>[^>]+) -->).*?(<!-- end -->)", re.DOTALL)


def main() -> int:
    """Write the pages, or say which are out of date."""
    pages = {page: with_tables((ROOT / page).read_text("utf-8")) for page in PAGES}
    old = 0
    for page, text in pages.items():
        file = ROOT / page
        if "--check" not in sys.argv:
            file.write_text(text, "utf-8")
        elif not file.exists() or file.read_text("utf-8") != text:
            print(f"{page} is out of date: run `make docs`")
            old = 1
    return old


def with_tables(text: str) -> str:
    """The text of a page with its generated parts written anew."""

    def table(part: re.Match[str]) -> str:
        name, _, who = part["name"].partition(", ")
        if who:  # figures of one entry, within a line
            found = (each["figures"][who] for each in results() if each["name"] == name)
            return part[1] + written(next(found)) + part[3]
        write: Callable[[], Iterator[str]] = OTHER.get(name, lambda: figures(name))
        return part[1] + "\n".join(["", "", *write(), "", ""]) + part[3]

    return PART.sub(table, text)


# ---- figures


def results() -> list[dict[str, Any]]:
    """Every entry of evals/results.json."""
    entries: list[dict[str, Any]] = json.loads((ROOT / "evals/results.json").read_text("utf-8"))
    return entries


def figures(section: str) -> Iterator[str]:
    """The table of one section."""
    yield "| what | data | Sharpwave | beside it | command | measured |\n|---|---|---|---|---|---|"
    for entry in (each for each in results() if each["section"] == section):
        command = f"`{entry['command']}`" if entry["command"] else ""
        measured = f"{entry['date']}, {entry['commit']}{'¹' if entry.get('by_hand') else ''}"
        yield row(entry["what"], entry["data"], *compared(entry), command, measured)


def front() -> Iterator[str]:
    """The table of the README."""
    yield "| what | on | Sharpwave | beside it |\n|---|---|---|---|"
    for entry in (each for each in results() if each.get("readme")):
        yield row(entry["what"], entry["data"], *compared(entry))


def compared(entry: dict[str, Any]) -> tuple[str, str]:
    """Our figures, and those of others with their names."""
    shown = {who: written(figures) for who, figures in entry["figures"].items()}
    own = shown.pop("Sharpwave", "")
    return own, "; ".join(f"{who} {figures}" for who, figures in shown.items())


def written(figures: str | list[float | str]) -> str:
    """Figures as a page shows them.

    >>> written([0.5, 1, "505 of 525"]), written("two")
    ('.500 / 1 / 505 of 525', 'two')
    """
    if isinstance(figures, str):
        return figures
    return " / ".join(
        f"{each:.3f}".lstrip("0")
        if isinstance(each, float) and each % 1
        else str(each).removesuffix(".0")
        for each in figures
    )


def row(*cells: str) -> str:
    r"""A row of a table.

    >>> row("a|b", "")
    '| a\\|b |  |'
    """
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


# ---- faults


def checks() -> Iterator[str]:
    """Every check of the acceptance list, and how it is shown."""
    yield "| check | what is broken on purpose, and must hold | command | tests | missing |"
    yield "|---|---|---|---|---|"
    commands = {id_: module.stem for module in modules() for id_ in ids_of(module)}
    for rows in tomllib.loads((FAULTS / "checks.toml").read_text("utf-8")).values():
        for id_, check in rows.items():
            command = f"`{commands[id_]}`" if id_ in commands else ""
            tests = ", ".join(f"`{test}`" for test in check.get("tests", ()))
            yield row(id_, check["broken"], command, tests, check.get("missing", ""))


def modules() -> list[Path]:
    """The modules that are checks."""
    return [
        path for path in sorted(FAULTS.glob("*.py")) if re.fullmatch(r"[a-z]\d+_\w+", path.stem)
    ]


def ids_of(module: Path) -> list[str]:
    """The checks that the docstring of a module begins with."""
    doc = ast.get_docstring(ast.parse(module.read_text("utf-8"))) or ""
    return re.findall(r"[A-Z]\d+", doc.partition(":")[0])


def ledger() -> Iterator[str]:
    """The last run of each check in each form."""
    yield "| check | form, seed | done | found | control found | measured |"
    yield "|---|---|---|---|---|---|"
    lines = map(json.loads, (FAULTS / "ledger.jsonl").read_text("utf-8").splitlines())
    last = {(line["check"], line["long"]): line for line in lines}
    for module in modules():
        for long in (False, True):
            if line := last.get((module.stem, long)):
                yield ledger_row(line)


def ledger_row(line: dict[str, Any]) -> str:
    """A run: what was done, what was found, and what the control shows."""
    bad = counts({name: count for name, count in line["found"].items() if count})
    found = f"**{bad}**" if bad else "0 " + ", ".join(line["found"]).replace("_", " ")
    control = "no control" if line["control"] is None else counts(line["control"]) or "not stated"
    if not line["passed"]:
        found = f"**failed** {found}"
    return row(
        f"`{line['check']}`",
        f"{'long' if line['long'] else 'short'}, {line['seed']}",
        counts(line["rounds"]),
        found if line["found"] else "not stated",
        control,
        f"{line['date']}, {line['commit']}",
    )


def counts(figures: dict[str, Any]) -> str:
    """Numbers with their names.

    >>> counts({"kills": 3000, "ready_s_max": 0.25, "ran": ["limit"]})
    'kills 3,000, ready s max 0.25'
    """
    numbers = {name: value for name, value in figures.items() if isinstance(value, int | float)}
    return ", ".join(f"{name.replace('_', ' ')} {value:,}" for name, value in numbers.items())


OTHER: dict[str, Callable[[], Iterator[str]]] = {
    "front": front,
    "checks": checks,
    "ledger": ledger,
}


if __name__ == "__main__":
    sys.exit(main())
