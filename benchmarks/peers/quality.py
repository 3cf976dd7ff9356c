"""Whether what answers a question is found: Everyday and a part of LoCoMo, the same turns for all.

Ours is what `python -m evals` measures: the memory in its default form, through its public calls.
A peer takes in the turns that are ranked (of Everyday those of the person, as the baselines of
`evals everyday`; of LoCoMo all, with their speakers) and returns its best ten.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean
from typing import Any

import numpy as np

from benchmarks.peers.process import Process
from evals import everyday, people, recall, talks
from evals.stores import with_speaker
from sharpwave import Settings

LIMIT = 10
CONVERSATIONS = 2
"""Of LoCoMo's, the first ones."""
DEPTHS = (1, 5, 10)

Say = Callable[[str], None]
Figures = dict[str, float]


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with the ids that answer it."""

    text: str
    right: tuple[str, ...]
    category: str = ""


@dataclass(frozen=True, slots=True)
class Case:
    """A store to fill, and what is asked of it."""

    set: str
    name: str
    items: tuple[tuple[str, str], ...]
    asked: tuple[Asked, ...]


def cases(data: Path) -> list[Case]:
    """Every person, and the first conversations."""
    return [*_people(data), *_talks(data)]


def _people(data: Path) -> Iterator[Case]:
    for person in people.load(data):
        own = [turn for turn in person.turns if turn.role == everyday.USER]
        asked = [
            Asked(question.text, question.evidence)
            for question in person.questions
            if question.kind != "absent"
        ]
        items = tuple((turn.id, turn.text) for turn in own)
        yield Case("everyday", person.id, items, tuple(asked))


def _talks(data: Path) -> Iterator[Case]:
    for talk in talks.load("locomo", data).talks[:CONVERSATIONS]:
        items = tuple((turn.id, with_speaker(turn)) for turn in talk.turns if turn.candidate)
        asked = tuple(Asked(each.text, each.evidence, each.category) for each in talk.questions)
        yield Case("locomo", talk.name, items, asked)


def ours(data: Path, say: Say) -> dict[str, Figures]:
    """The memory itself, by `evals`, on the same people and conversations."""
    counts = {f"evidence@{depth}": [0, 0] for depth in DEPTHS}
    for person in people.load(data):
        say(f"Sharpwave: {person.id}")
        counted = everyday.run(person, Settings(), {}).counts
        for key, pair in counts.items():
            pair[0] += counted[key]
            pair[1] += counted[f"{key}:of"]
    plan = recall.Plan(peers=(), limit=CONVERSATIONS)
    result = recall.result_of(recall.measure(talks.load("locomo", data), plan, say))
    shares = {f"@{depth}": counts[f"evidence@{depth}"] for depth in DEPTHS}
    return {
        "everyday": {key: right / of for key, (right, of) in shares.items()},
        "locomo": {key: result["macro"][key] for key in ("ndcg@10", "recall@10")},
    }


def peer(
    process: Process, given: Sequence[Case], dimension: int, vectors: Sequence[Path], folder: Path
) -> dict[str, Figures]:
    """A peer with its own embedder, or with the vectors in files."""
    found: defaultdict[str, list[tuple[Asked, list[str]]]] = defaultdict(list)
    for case in given:
        process.do("open", folder=str(folder / f"{case.set}-{case.name}"), dimension=dimension)
        for file in vectors:
            process.do("know", file=str(file))
        process.do("load", items=case.items)
        questions = [each.text for each in case.asked]
        ranked = process.do("search", questions=questions, limit=LIMIT)["found"]
        found[case.set] += zip(case.asked, ranked, strict=True)
    return {"everyday": _hits(found["everyday"]), "locomo": _macro(found["locomo"])}


def texts_of(given: Sequence[Case]) -> tuple[list[str], list[str]]:
    """Everything that is embedded: memories, questions."""
    memories = {text for case in given for _, text in case.items}
    questions = {asked.text for case in given for asked in case.asked}
    return sorted(memories), sorted(questions)


def dimension_of(file: Path) -> int:
    """Of the vectors in a file."""
    with np.load(file) as held:
        return int(held["vectors"].shape[1])


def counts(given: Sequence[Case]) -> Mapping[str, Any]:
    """How much was asked of how many."""
    return {
        name: {
            "stores": sum(case.set == name for case in given),
            "memories": sum(len(case.items) for case in given if case.set == name),
            "questions": sum(len(case.asked) for case in given if case.set == name),
        }
        for name in ("everyday", "locomo")
    }


def _hits(found: Sequence[tuple[Asked, list[str]]]) -> Figures:
    return {
        f"@{depth}": mean(
            not set(asked.right).isdisjoint(ranked[:depth]) for asked, ranked in found
        )
        for depth in DEPTHS
    }


def _macro(found: Sequence[tuple[Asked, list[str]]]) -> Figures:
    """Means over the categories, as `evals locomo` takes them."""
    by_category: defaultdict[str, list[recall.Numbers]] = defaultdict(list)
    for asked, ranked in found:
        by_category[asked.category].append(recall.numbers(ranked, asked.right))
    return {
        key: mean(mean(each[key] for each in some) for some in by_category.values())
        for key in ("ndcg@10", "recall@10")
    }
