"""Public sets: where their files are, how they are read, and those that retrieval is measured on.

They are read from `--data` and never part of the repository: some may be used for evaluation only.
In LoCoMo, REALTALK and PrefEval as read here, a turn is the statement "speaker: text", and the
evidence of a question are positions of statements.
"""

import gzip
import json
import re
import tomllib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from sharpwave.errors import InvalidInput, NotFound

ADVERSARIAL = "5"
"""The LoCoMo category whose questions have no answer; left out of micro averages."""
JSON, JSON_LINES = "*.json", "*.jsonl*"
DATA = Path(__file__).with_name("data")

_SESSION = re.compile(r"session_(\d+)")
_TURN_ID = re.compile(r"D:?(\d+)[:;](\d+)")


# --- files ----------------------------------------------------------------------------------------


def files_of(name: str, data: Path, pattern: str = JSON, among: bool = False) -> list[Path]:
    """Files of a set: `data` itself, or what fits in its folder `name`, or in `data`.

    Where a set is read `among` others, a file or folder of another name may be that of another set:
    then it counts only if the pattern names the file. NotFound says what is missing.
    """
    certain = not among or not pattern.startswith("*")
    if data.is_file() and certain and (not among or fnmatch(data.name, pattern)):
        return [data]
    for folder in (data / name, data) if certain else (data / name,):
        if files := sorted(folder.glob(pattern)):
            return files
    raise NotFound(f"{name} is not there: no {data / name / pattern}; say where with --data")


def read_json(name: str, data: Path, pattern: str = JSON, among: bool = False) -> list[Any]:
    """The content of each file of a set."""
    files = files_of(name, data, pattern, among)
    with in_form(name, data):
        return [json.loads(file.read_text("utf-8")) for file in files]


def read_lines(name: str, data: Path, among: bool = False) -> Iterator[Any]:
    """The content of each line of each file of a set, packed or not."""
    for file in files_of(name, data, JSON_LINES, among):
        with in_form(name, data):
            lines = [json.loads(line) for line in unpacked(file).splitlines() if line.strip()]
        yield from lines


def unpacked(file: Path) -> bytes:
    """The bytes of a file, which may be packed with gzip."""
    content = file.read_bytes()
    return gzip.decompress(content) if content[:2] == b"\x1f\x8b" else content


def own_data(name: str) -> dict[str, Any]:
    """A file of `evals/data`, which we wrote ourselves."""
    return tomllib.loads((DATA / name).read_text("utf-8"))


@contextmanager
def in_form(name: str, data: Path) -> Iterator[None]:
    """InvalidInput for whatever goes wrong because the content is not as expected."""
    try:
        yield
    except (ValueError, KeyError, TypeError, AttributeError, OSError) as error:
        raise InvalidInput(f"{data} is not in the form of {name}: {error!r}") from error


# --- statements and questions ---------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SetQuestion:
    """A question and the positions of the statements that answer it."""

    text: str
    category: str
    evidence: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Conversation:
    """Statements, in order, and the questions about them."""

    name: str
    statements: tuple[str, ...]
    questions: tuple[SetQuestion, ...]
    skipped: int
    """Questions left out because none of their evidence is among the turns."""


@dataclass(frozen=True, slots=True)
class DataSet:
    """One public set."""

    name: str
    conversations: tuple[Conversation, ...]


def load(name: str, data: Path, among: bool = False) -> DataSet:
    """Read one set; NotFound says what is missing."""
    if name not in _LOADERS:
        raise InvalidInput(f"there is no set {name!r}; there are: {', '.join(_LOADERS)}")
    folder, pattern, read = _LOADERS[name]
    try:
        contents = read_json(folder, data, pattern, among)
    except NotFound as error:
        place = data / folder / pattern
        raise NotFound(f"{name} is not there: no {place}; say where with --data") from error
    with in_form(name, data):
        return DataSet(name, tuple(read(contents)))


def turn_ids(evidence: Iterable[str]) -> list[str]:
    """The turn ids in evidence as people wrote it, each once.

    >>> turn_ids(["D8:6; D9:17", "D30:05", "D:11:26", "D17;39", "D", "D8:6"])
    ['D8:6', 'D9:17', 'D30:5', 'D11:26', 'D17:39']
    """
    pairs = [pair for text in evidence for pair in _TURN_ID.findall(text)]
    return list(dict.fromkeys(f"D{int(session)}:{int(turn)}" for session, turn in pairs))


def _locomo(contents: Sequence[Any]) -> Iterable[Conversation]:
    for sample in (sample for content in contents for sample in content):
        turns = _turns(sample["conversation"])
        yield _conversation(sample["sample_id"], turns, "text", sample["qa"])


def _realtalk(contents: Sequence[Any]) -> Iterable[Conversation]:
    for chat in contents:
        name = " and ".join(chat["name"].values())
        yield _conversation(name, _turns(chat), "clean_text", chat["qa"])


def _prefeval(contents: Sequence[Any]) -> Iterable[Conversation]:
    pairs = [pair for content in contents for pair in content]
    questions = [
        SetQuestion(pair["question"], pair["topic"], (position,))
        for position, pair in enumerate(pairs)
    ]
    statements = tuple(pair["preference"] for pair in pairs)
    yield Conversation("preferences", statements, tuple(questions), skipped=0)


_LOADERS = {
    "locomo": ("locomo", JSON, _locomo),
    "realtalk": ("realtalk", JSON, _realtalk),
    "prefeval": ("preferences", "prefeval*.json", _prefeval),
}
NAMES = tuple(_LOADERS)


def _turns(content: Mapping[str, Any]) -> list[Any]:
    """All turns, session after session by number."""
    numbered = [(_SESSION.fullmatch(key), turns) for key, turns in content.items()]
    sessions = [(int(match[1]), turns) for match, turns in numbered if match]
    return [turn for _, turns in sorted(sessions, key=lambda pair: pair[0]) for turn in turns]


def _conversation(name: str, turns: Sequence[Any], text: str, qas: Collection[Any]) -> Conversation:
    statements = tuple(f"{turn['speaker']}: {turn[text]}" for turn in turns)
    places = {turn["dia_id"]: position for position, turn in enumerate(turns)}
    questions = []
    for qa in qas:
        known = [places[id_] for id_ in turn_ids(qa["evidence"]) if id_ in places]
        if known:
            questions.append(SetQuestion(qa["question"], str(qa["category"]), tuple(known)))
    return Conversation(name, statements, tuple(questions), len(qas) - len(questions))
