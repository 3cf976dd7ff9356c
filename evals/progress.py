"""What an interrupted run had finished, so that the next one goes on from there.

One line of JSON a conversation. Each carries a mark of everything the results depend on; lines with
another mark, and a line that was cut short, count as not done.
"""

import hashlib
import json
from collections.abc import Callable, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

from evals.talks import Talk, Talks
from sharpwave import Settings, __version__

Progress = Callable[[str], None]
"""Called with what is being done now."""
Rows = list[dict[str, Any]]


def silent(text: str) -> None:
    """Report nothing."""


class ProgressFile:
    """Finished conversations by name; kept in a file only if there is a path."""

    def __init__(self, path: Path | None, mark: str) -> None:
        self._path = path
        self._mark = mark
        self._done = dict(self._read())

    def each(self, talks: Sequence[Talk], progress: Progress, work: Callable[[Talk], Rows]) -> Rows:
        """The rows of every conversation: those noted, and the work for the others."""
        rows: Rows = []
        for place, talk in enumerate(talks, start=1):
            if talk.name not in self._done:
                progress(f"{talk.name} ({place} of {len(talks)})")
                self._done[talk.name] = work(talk)
                self._note(talk.name)
            rows += self._done[talk.name]
        return rows

    def _read(self) -> list[tuple[str, Rows]]:
        if self._path is None or not self._path.exists():
            return []
        lines = []
        for line in self._path.read_text("utf-8").splitlines():
            try:
                lines.append(json.loads(line))
            except ValueError:
                continue  # cut short when the last run was interrupted
        return [(line["talk"], line["rows"]) for line in lines if line.get("mark") == self._mark]

    def _note(self, name: str) -> None:
        if self._path is not None:
            line = {"mark": self._mark, "talk": name, "rows": self._done[name]}
            with self._path.open("a", encoding="utf-8") as opened:
                opened.write(json.dumps(line) + "\n")


def fingerprint(talks: Talks, settings: Settings, *others: object) -> str:
    """Changes whenever noted results would not be those of this run."""
    shipped = files("sharpwave") / "data" / "weights.toml"
    weights = (settings.weights_file or shipped).read_bytes()
    made = (
        f"{__version__} {talks.set} {talks.digest} {weights!r} "
        f"{settings.recall!r} {settings.context!r} {others}"
    )
    return hashlib.blake2b(made.encode(), digest_size=8).hexdigest()


def remove(path: Path | None) -> None:
    """Delete the notes of a run that is finished."""
    if path is not None:
        path.unlink(missing_ok=True)
