"""Import of another program's export, from start to end.

    1 find      the file            -> its format, by FORMATS
    2 read      its values          -> messages, and what is damaged    a reader for each format
    3 remember  batches of messages -> stored, or known already         the caller's function

Each batch is durable before the next is read, and every message has a key of its own: an import
that was interrupted is simply run again.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from sharpwave.errors import InvalidInput, KeyReused, WrongFormat
from sharpwave.importers import files
from sharpwave.importers.chatgpt import ChatGPTReader
from sharpwave.importers.claude import ClaudeReader
from sharpwave.importers.files import Value
from sharpwave.importers.items import Damaged, ExportReader, ImportedMessage, Item, batches
from sharpwave.importers.jsonl import JsonlReader
from sharpwave.importers.letta import LettaReader
from sharpwave.importers.memory_stores import McpMemoryReader, Mem0Reader, mem0_history
from sharpwave.types.answers import ImportedChats, ImportProblem, Receipt
from sharpwave.types.message import Message

MAX_PROBLEMS = 100
"""Maximum number of problems reported with their place; the others are only counted."""

Remember = Callable[[Sequence[Message]], Receipt]
Progress = Callable[[int], None] | None


def take_in(
    path: Path,
    format_name: str | None,
    own: bool,
    remember: Remember,
    batch_records: int,
    progress: Progress,
) -> ImportedChats:
    """Hand every message of an export to `remember`, in batches, and count what became of it."""
    export = find_export(path, format_name)
    tally = ImportTally()
    for batch in batches(export.items(own), batch_records):
        tally.leave_out(batch)
        tally.store([item for item in batch if isinstance(item, ImportedMessage)], remember)
        if progress:
            progress(tally.done)
    return tally.result(export.format.name)


class ImportTally:
    """What became of the messages so far."""

    def __init__(self) -> None:
        self.done = 0
        self._added = self._known = self._skipped = 0
        self._problems: list[ImportProblem] = []
        self._left_out: Counter[str] = Counter()
        self._sessions: set[str] = set()

    def leave_out(self, batch: Sequence[Item]) -> None:
        """Count what will not be stored."""
        for item in batch:
            if isinstance(item, ImportProblem):
                self._skip(item)
            elif not isinstance(item, ImportedMessage):
                self._left_out[item.reason] += 1

    def store(self, batch: Sequence[ImportedMessage], remember: Remember) -> None:
        """Store a batch; if one message stands in the way of the others, find it by halving."""
        if not batch:
            return
        try:
            receipt = remember([message.said for message in batch])
        except (KeyReused, InvalidInput) as error:
            if len(batch) > 1:
                middle = len(batch) // 2
                self.store(batch[:middle], remember)
                self.store(batch[middle:], remember)
            elif isinstance(error, KeyReused):  # the same words of the same message, filed anew
                self._count(batch, known=1)
            else:
                self._skip(ImportProblem(batch[0].place, str(error)))
            return
        self._count(batch, known=len(receipt.replayed))

    def result(self, format_name: str) -> ImportedChats:
        """The answer to the caller."""
        return ImportedChats(
            format=format_name,
            added=self._added,
            already_there=self._known,
            conversations=len(self._sessions),
            skipped=self._skipped,
            problems=tuple(self._problems),
            left_out=dict(self._left_out),
        )

    def _count(self, batch: Sequence[ImportedMessage], known: int) -> None:
        self.done += len(batch)
        self._known += known
        self._added += len(batch) - known
        self._sessions.update(message.said.session for message in batch if message.said.session)

    def _skip(self, problem: ImportProblem) -> None:
        self.done += 1
        self._skipped += 1
        if len(self._problems) < MAX_PROBLEMS:
            self._problems.append(problem)


FORMATS: dict[str, type[ExportReader]] = {
    each.name: each
    for each in (ChatGPTReader, ClaudeReader, LettaReader, McpMemoryReader, Mem0Reader, JsonlReader)
}
"""In the order in which they are tried: the plainest last."""
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
    """The export at a path; its format is looked for if not named, and checked if it is."""
    if name is not None and name not in FORMATS:
        known = ", ".join(FORMATS)
        raise InvalidInput(f"there is no format {name!r} to import; there are: {known}")
    parts = files.export_files(path)
    samples = list(islice(_values(path, parts), _SAMPLES))
    whole = [sample.value for sample in samples if isinstance(sample, Value)]
    ours = f"{OURS}-export"
    if any(isinstance(value, dict) and value.get("format") == ours for value in whole):
        raise WrongFormat(f"{path} is an export of Sharpwave itself; take it in with `import_`")
    fitting = next((each for each in FORMATS.values() if any(map(each.fits, whole))), None)
    if name is None:
        if fitting is None:
            raise WrongFormat(_unknown(path, samples))
        return Export(path, fitting, parts)
    wanted = FORMATS[name]
    if samples and not any(map(wanted.fits, whole)):
        looks = f"; it looks like {fitting.name}" if fitting else f". {_why_not(samples)}"
        raise WrongFormat(f"{path} is not of the format {name}: expected {wanted.expected}{looks}")
    return Export(path, wanted, parts)


def _unknown(path: Path, samples: list[Value | ImportProblem]) -> str:
    expected = "; ".join(f"{each.name}: {each.expected}" for each in FORMATS.values())
    return (
        f"{path} has no format that can be imported. {_why_not(samples)}Expected one of: {expected}"
    )


def _why_not(samples: list[Value | ImportProblem]) -> str:
    if not samples:
        return "There is nothing in it. "
    problem = next((one for one in samples if isinstance(one, ImportProblem)), None)
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
