"""The formats that can be imported, and their detection."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from sharpwave.errors import InvalidInput, WrongFormat
from sharpwave.importers import files
from sharpwave.importers.chatgpt import ChatGPTReader
from sharpwave.importers.claude import ClaudeReader
from sharpwave.importers.files import Value
from sharpwave.importers.items import Damaged, ExportReader, Item
from sharpwave.importers.jsonl import JsonlReader
from sharpwave.importers.letta import LettaReader
from sharpwave.importers.memory_stores import McpMemoryReader, Mem0Reader, mem0_history
from sharpwave.types.answers import ImportProblem

FORMATS: dict[str, type[ExportReader]] = {
    reader.name: reader
    for reader in (
        ChatGPTReader,
        ClaudeReader,
        LettaReader,
        McpMemoryReader,
        Mem0Reader,
        JsonlReader,
    )
}
"""In the order in which they are tried: the most general last."""
OURS = "sharpwave"
_SAMPLES = 20
_SQLITE = b"SQLite format 3\0"


@dataclass(frozen=True, slots=True)
class Export:
    """An export whose format is known."""

    path: Path
    format: type[ExportReader]
    parts: list[files.ExportFile]

    def items(self, own: bool) -> Iterator[Item]:
        """Every message of the export; `own` says that the user's words in it are the user's."""
        reader = self.format(own)
        for value in _values(self.path, self.parts):
            if isinstance(value, ImportProblem):
                yield value
                continue
            try:
                yield from reader.items(value.value, value.place)
            except Damaged as error:
                yield ImportProblem(value.place, str(error))


def find_export(path: Path, name: str | None) -> Export:
    """The export at a path; its format is detected, or checked if `name` is given."""
    if name is not None and name not in FORMATS:
        known = ", ".join(FORMATS)
        raise InvalidInput(f"there is no format {name!r} to import; there are: {known}")
    parts = files.export_files(path)
    samples = list(islice(_values(path, parts), _SAMPLES))
    values = [sample.value for sample in samples if isinstance(sample, Value)]
    own_format = f"{OURS}-export"
    if any(isinstance(value, dict) and value.get("format") == own_format for value in values):
        raise WrongFormat(f"{path} is an export of Sharpwave itself; take it in with `import_`")
    matching = next((reader for reader in FORMATS.values() if any(map(reader.fits, values))), None)
    if name is None:
        if matching is None:
            raise WrongFormat(_unknown(path, samples))
        return Export(path, matching, parts)
    expected_format = FORMATS[name]
    if samples and not any(map(expected_format.fits, values)):
        looks = f"; it looks like {matching.name}" if matching else f". {_why_not(samples)}"
        raise WrongFormat(
            f"{path} is not of the format {name}: expected {expected_format.expected}{looks}"
        )
    return Export(path, expected_format, parts)


def _unknown(path: Path, samples: list[Value | ImportProblem]) -> str:
    expected = "; ".join(f"{reader.name}: {reader.expected}" for reader in FORMATS.values())
    return (
        f"{path} has no format that can be imported. {_why_not(samples)}Expected one of: {expected}"
    )


def _why_not(samples: list[Value | ImportProblem]) -> str:
    if not samples:
        return "There is nothing in it. "
    problem = next((sample for sample in samples if isinstance(sample, ImportProblem)), None)
    return f"{problem.place}: {problem.reason}. " if problem else ""


def _values(path: Path, parts: list[files.ExportFile]) -> Iterator[Value | ImportProblem]:
    try:
        for part in parts:
            with part.open() as file:
                if part.path and file.read(len(_SQLITE)) == _SQLITE:
                    yield from mem0_history(part.path)
                    continue
                file.seek(0)
                yield from files.values(file, part.name)
    except OSError as error:
        raise InvalidInput(f"cannot read {path}: {error.strerror or error}") from error
