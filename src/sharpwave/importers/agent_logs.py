"""An import of an agent's log, from start to end.

    1 find      the files          -> their format
    2 read      their values       -> runs, and what is damaged          one file per format
    3 observe   batches of runs    -> stored and learned from, or known  the caller's function

Every run has its own id, so an import that was interrupted can simply be repeated.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path

from sharpwave.errors import InvalidInput, SharpwaveError, WrongFormat
from sharpwave.importers.agent_transcripts import ClaudeCodeReader, LogReader, OpenAIToolsReader
from sharpwave.importers.files import Value, values
from sharpwave.importers.items import Damaged, batches, store_in_halves
from sharpwave.types.answers import ImportProblem
from sharpwave.types.experience import ImportedLog, Logged, TaskRun

MAX_PROBLEMS = 100
_SAMPLES = 50
_ENDS = (".json", ".jsonl", ".ndjson")
_FORMATS: dict[str, type[LogReader]] = {
    reader.name: reader for reader in (ClaudeCodeReader, OpenAIToolsReader)
}
"""In the order in which they are tried: the most general last."""
Observe = Callable[[Sequence[TaskRun]], list[Logged]]
Progress = Callable[[int], None] | None
Placed = tuple[TaskRun, str]
"""A run, and where in the log it ends."""


def take_in(
    path: Path, format_name: str | None, observe: Observe, batch: int, progress: Progress
) -> ImportedLog:
    """Pass every run of a log to `observe`, in batches, and count the results."""
    files = _files(path)
    log_format = _format_of(files, format_name)
    problems: list[ImportProblem] = []
    added = known = actions = 0
    runs = (run for file in files for run in _runs(file, log_format(), problems))

    def store(placed: Sequence[Placed]) -> None:
        nonlocal added, known, actions
        logged = observe([run for run, _ in placed])
        added += sum(outcome.status == "logged" for outcome in logged)
        known += sum(outcome.status == "replayed" for outcome in logged)
        actions += sum(len(run.steps) for run, _ in placed)

    def refused(placed: Placed, error: SharpwaveError) -> None:
        problems.append(ImportProblem(placed[1], str(error)))

    for run_batch in batches(runs, batch):
        store_in_halves(run_batch, store, refused)
        if progress:
            progress(added + known)
    return ImportedLog(
        log_format.name, added, known, actions, len(problems), tuple(problems[:MAX_PROBLEMS])
    )


def _files(path: Path) -> list[Path]:
    try:
        if path.is_file():
            return [path]
        if not path.is_dir():
            raise InvalidInput(f"cannot read {path}: there is no such file")
        logs = sorted(file for file in path.rglob("*") if file.suffix in _ENDS and file.is_file())
    except OSError as error:
        raise InvalidInput(f"cannot read {path}: {error.strerror or error}") from error
    if not logs:
        raise InvalidInput(f"{path} holds no JSON file")
    return logs


def _format_of(files: Sequence[Path], name: str | None) -> type[LogReader]:
    """The format of the first recognised file; if `name` is given, only that format is tried."""
    if name is not None and name not in _FORMATS:
        raise InvalidInput(f"there is no log format {name!r}; there are: {', '.join(_FORMATS)}")
    for file in files:
        samples = [
            value.value for value in islice(_values(file), _SAMPLES) if isinstance(value, Value)
        ]
        for reader in _FORMATS.values():
            if name in (None, reader.name) and any(map(reader.fits, samples)):
                return reader
    expected = "; ".join(f"{reader.name}: {reader.expected}" for reader in _FORMATS.values())
    complaint = f"is not of the format {name}" if name else "has no format of an agent's log"
    more = f" (nor has any of {len(files) - 1} more)" if len(files) > 1 else ""
    raise WrongFormat(f"{files[0]} {complaint}{more}. Expected one of: {expected}")


def _runs(file: Path, reader: LogReader, problems: list[ImportProblem]) -> Iterator[Placed]:
    for value in _values(file):
        if isinstance(value, ImportProblem):
            problems.append(value)
            continue
        try:
            yield from ((run, value.place) for run in reader.runs(value.value) if run)
        except Damaged as error:
            problems.append(ImportProblem(value.place, str(error)))
    yield from ((run, file.name) for run in reader.rest() if run)


def _values(file: Path) -> Iterator[Value | ImportProblem]:
    try:
        with file.open("rb") as opened:
            yield from values(opened, file.name)
    except OSError as error:
        raise InvalidInput(f"cannot read {file}: {error.strerror or error}") from error
