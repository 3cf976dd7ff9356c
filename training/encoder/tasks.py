"""What the encoder learns from the corpus: which of a person's turns a question means.

A task is one query of a person and the turns that answer it; all other turns of the person are
wrong, and those are the hard ones: same voice, same life. Queries are

    questions   asked later, mostly in other words; answered by their evidence
    helps       requests; what they need to know is their evidence
    says        what a label says of a turn, in plain words; the turn that it stands on
    absent      questions about what was never mentioned; answered by nothing
"""

import json
import random
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from training.corpus import MOMENTS, PEOPLE, is_validation, more_questions

WEIGHTS = {"question": 1.0, "absent": 1.0, "help": 0.5, "say": 0.3}
"""How much a query of each kind counts."""
FOLDS = 4


@dataclass(frozen=True, slots=True)
class Query:
    """A text, the places of the turns that answer it, and how much it counts."""

    kind: str
    text: str
    right: tuple[int, ...]


@dataclass(slots=True)
class PersonTasks:
    """A person's turns, and the queries about them."""

    id: str
    language: str
    fold: int
    turns: list[str]
    queries: list[Query] = field(default_factory=list)


def fold_of(id_: str) -> int:
    """Which fold a person or a moment is in: the same for good."""
    return zlib.crc32(id_.encode()) % FOLDS


def load(folder: Path = PEOPLE) -> list[PersonTasks]:
    """Everybody's tasks."""
    raws = [json.loads(file.read_text("utf-8")) for file in sorted(folder.glob("*.json"))]
    return [_tasks(raw) for raw in raws]


def split(everybody: Sequence[PersonTasks]) -> tuple[list[PersonTasks], list[PersonTasks]]:
    """Those trained on, and those kept for validation."""
    kept = [person for person in everybody if is_validation(person.id)]
    return [person for person in everybody if not is_validation(person.id)], kept


def moments(seed: int, size: int = 60) -> list[PersonTasks]:
    """Exchanges of the corpus in groups, as if each were a person: what a label says finds it."""
    lines = [
        json.loads(line)
        for file in sorted(MOMENTS.glob("*.jsonl"))
        for line in file.read_text("utf-8").splitlines()
    ]
    lines = [line for line in lines if not is_validation(line["id"])]
    random.Random(seed).shuffle(lines)
    told = [line for line in lines if line.get("turns") and _says(line["labels"])]
    asked = [line for line in lines if "questions" in line]
    made = []
    for fold, group in _groups(told, size):
        person = PersonTasks(group[0]["id"], "en", fold, [_last(line) for line in group])
        for place, line in enumerate(group):
            person.queries += [Query("say", say, (place,)) for say in _says(line["labels"])]
        made.append(person)
    return made + [_asked_of(group, fold) for fold, group in _groups(asked, size // 2)]


def _groups(
    lines: Sequence[dict[str, Any]], size: int
) -> Iterator[tuple[int, Sequence[dict[str, Any]]]]:
    for fold in range(FOLDS):
        some = [line for line in lines if fold_of(line["id"]) == fold]
        for start in range(0, len(some), size):
            yield fold, some[start : start + size]


def _asked_of(lines: Sequence[dict[str, Any]], fold: int) -> PersonTasks:
    """Questions, each with a turn that answers it and one that nearly does."""
    turns = [line[which] for line in lines for which in ("answers", "near")]
    queries = [
        Query("question", text, (2 * number,))
        for number, line in enumerate(lines)
        for text in line["questions"]
    ]
    return PersonTasks(lines[0]["id"], "en", fold, turns, queries)


def _says(labels: dict[str, Any]) -> list[str]:
    return [each["say"] for kind in ("facts", "tasks", "rules") for each in labels.get(kind, ())]


def _last(line: dict[str, Any]) -> str:
    return str([turn["text"] for turn in line["turns"] if turn["role"] == "user"][-1])


def _tasks(raw: dict[str, Any]) -> PersonTasks:
    turns = [turn for session in raw["sessions"] for turn in session["turns"]]
    own = [turn for turn in turns if turn["role"] == "user"]
    place = {turn["id"]: number for number, turn in enumerate(own)}
    person = PersonTasks(
        raw["id"], raw.get("language", "en"), fold_of(raw["id"]), [turn["text"] for turn in own]
    )
    asked = [("question", each["text"], each["evidence"]) for each in raw["questions"]]
    asked += [
        ("help", each["text"], [id_ for must in each["must"] for id_ in must["evidence"]])
        for each in raw["helps"]
    ]
    asked += [
        ("say", label["say"], [turn["id"]])
        for turn in own
        for kind in ("facts", "tasks", "rules")
        for label in turn.get(kind, ())
    ]
    more = more_questions(raw["id"])
    asked += [("question", line["q"], line["evidence"]) for line in more if "q" in line]
    asked += [("help", line["help"], line["evidence"]) for line in more if "help" in line]
    for kind, text, evidence in asked:
        right = tuple(sorted({place[id_] for id_ in evidence if id_ in place}))
        if right:
            person.queries.append(Query(kind, text, right))
        elif kind == "question" and not evidence:
            person.queries.append(Query("absent", text, ()))
    return person
