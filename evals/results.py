"""What was measured, in `results.json`, from which `make docs` writes the tables of figures.

An entry says what was measured, on what data, seen or unseen while developing, and with which
command. Its `from` names where the command's JSON has the figures: `python -m evals NAME --save`
runs the command and writes them with commit, machine and date. An entry without `from`, or with
`by_hand`, was entered by hand.
"""

import json
import os
import platform
import shlex
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from evals.cli import SHARED
from sharpwave import UsageError

FILE = Path(__file__).with_name("results.json")
IGNORED = {"--save", "--json"}

Entry = dict[str, Any]


def load() -> list[Entry]:
    """Every entry of the file."""
    entries: list[Entry] = json.loads(FILE.read_text("utf-8"))
    return entries


def save(arguments: Sequence[str], result: Any) -> list[str]:
    """Write the figures of a command's JSON into the entries that name it; return their names."""
    entries = load()
    chosen = measured_by(arguments, entries)
    for entry in chosen:
        entry["figures"] = {
            who: [_figure(result, path) for path in paths] for who, paths in entry["from"].items()
        }
        entry.pop("by_hand", None)
        entry |= measured_here()
    lines = ",\n".join(json.dumps(entry, ensure_ascii=False) for entry in entries)
    FILE.write_text(f"[\n{lines}\n]\n", "utf-8")
    return [entry["name"] for entry in chosen]


def measured_by(arguments: Sequence[str], entries: Sequence[Entry]) -> list[Entry]:
    """The entries whose figures this command prints."""
    wanted = _command(arguments)
    found = [
        entry
        for entry in entries
        if "from" in entry and _command(shlex.split(entry["command"])[3:]) == wanted
    ]
    if not found:
        raise UsageError(f"no entry of {FILE.name} with `from` names this command")
    return found


def measured_here() -> dict[str, str]:
    """Commit, machine and date of what is measured now. `+`: with changes not committed."""
    changed = _git("status", "--porcelain", "--", "src")
    return {
        "commit": _git("rev-parse", "--short=8", "HEAD") + ("+" if changed else ""),
        "machine": f"{platform.machine()}, {os.cpu_count()} cores",
        "date": time.strftime("%Y-%m-%d", time.gmtime()),
    }


def _git(*arguments: str) -> str:
    done = subprocess.run(
        ["git", *arguments], cwd=FILE.parent, capture_output=True, text=True, check=False
    )
    return done.stdout.strip()


def _command(arguments: Sequence[str]) -> list[str]:
    """A command's words without what changes no figure; data by its place in the shared folder.

    >>> _command(["everyday", "--data", "../shared/data/everyday_train", "--save"])
    ['everyday', '--data', 'everyday_train']
    >>> _command(["locomo", "--data", "../shared/data", "--json"])
    ['locomo']
    """
    words = [word for word in arguments if word not in IGNORED]
    if "--data" in words:
        at = words.index("--data")
        _, shared, below = words[at + 1].rstrip("/").partition("/".join(SHARED.parts[1:]))
        below = below.strip("/") if shared else Path(words[at + 1]).name
        words[at : at + 2] = ["--data", below] if below else []
    return words


def _figure(result: Any, path: str | list[str]) -> float | str:
    """The number at a path of keys with dots between them; at two paths, "this of that".

    >>> _figure({"all": [{"share": 0.71234}]}, "all.0.share")
    0.712
    >>> _figure({"right": 505, "of": 525}, ["right", "of"])
    '505 of 525'
    """
    if isinstance(path, list):
        return " of ".join(f"{_figure(result, each):,g}" for each in path)
    for key in path.split("."):
        result = result[int(key) if isinstance(result, list) else key]
    return round(float(result), 3)
