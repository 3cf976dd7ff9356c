"""The public sets that retrieval is measured on: LoCoMo, REALTALK and PrefEval.

They are read from a folder and never part of the package: some may be used for evaluation only.
A turn is the statement "speaker: text"; the evidence of a question are positions of statements.
"""

import json
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sharpwave.errors import InvalidInput, NotFound

ADVERSARIAL = "5"
"""The LoCoMo category whose questions have no answer; left out of micro averages."""

_SESSION = re.compile(r"session_(\d+)")
_TURN_ID = re.compile(r"D:?(\d+)[:;](\d+)")


@dataclass(frozen=True, slots=True)
class SetQuestion:
    """A question and the positions of the statements that answer it."""

    text: str
    category: str
    evidence: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Conversation:
    """Statements, in order, and what is asked about them."""

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


def load(name: str, folder: Path) -> DataSet:
    """Read one set; NotFound says what is missing."""
    if name not in _LOADERS:
        raise InvalidInput(f"there is no set {name!r}; there are: {', '.join(_LOADERS)}")
    place, read = _LOADERS[name]
    files = sorted(folder.glob(place))
    if not files:
        raise NotFound(f"{name} is not there: no {folder / place}; say where with --data")
    try:
        return DataSet(name, tuple(read([json.loads(file.read_text("utf-8")) for file in files])))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise InvalidInput(f"{folder / place} is not in the form of {name}: {error!r}") from error


def turn_ids(evidence: Iterable[str]) -> list[str]:
    """The turn ids in evidence as people wrote it, each once.

    >>> turn_ids(["D8:6; D9:17", "D30:05", "D:11:26", "D17;39", "D", "D8:6"])
    ['D8:6', 'D9:17', 'D30:5', 'D11:26', 'D17:39']
    """
    found = [pair for text in evidence for pair in _TURN_ID.findall(text)]
    return list(dict.fromkeys(f"D{int(session)}:{int(turn)}" for session, turn in found))


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
    "locomo": ("locomo/*.json", _locomo),
    "realtalk": ("realtalk/*.json", _realtalk),
    "prefeval": ("preferences/prefeval*.json", _prefeval),
}
NAMES = tuple(_LOADERS)


def _turns(content: Mapping[str, Any]) -> list[Any]:
    """All turns, session after session by number."""
    numbered = [(_SESSION.fullmatch(key), turns) for key, turns in content.items()]
    sessions = [(int(match[1]), turns) for match, turns in numbered if match]
    return [turn for _, turns in sorted(sessions, key=lambda one: one[0]) for turn in turns]


def _conversation(
    name: str, turns: Sequence[Any], text: str, asked: Collection[Any]
) -> Conversation:
    statements = tuple(f"{turn['speaker']}: {turn[text]}" for turn in turns)
    places = {turn["dia_id"]: position for position, turn in enumerate(turns)}
    questions = []
    for qa in asked:
        known = [places[one] for one in turn_ids(qa["evidence"]) if one in places]
        if known:
            questions.append(SetQuestion(qa["question"], str(qa["category"]), tuple(known)))
    return Conversation(name, statements, tuple(questions), len(asked) - len(questions))
