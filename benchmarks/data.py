"""Made-up memories and questions: clustered unit vectors, and text whose words follow Zipf's law.

The most frequent words are English function words, as in real text, so that a store which drops
stop words and one which does not both meet what they would meet in life. Everything follows from
the plan and its seed. The data lie in a folder, so that each contender's process can read them
without holding what it does not need.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]

DIMENSION = 384
NEAREST = 10
"""How many exact neighbours each question knows; recall@10 is measured against them."""
VOCABULARY = 50_000
WORDS_PER_TEXT = (10, 28)
MEMBER_SPREAD = 1.0
"""Length of a member's offset from its cluster's centre, which has length 1."""
QUESTION_SPREAD = 0.5
"""Length of a question's offset from the member it asks for."""
FUNCTION_WORDS = (
    "the to and of a in is it you that i was for on are with as he they be at one have this from "
    "or had by not but what some we can out other were all there when your how an which she do"
).split()
_SYLLABLES = [a + b for a in "bdfgklmnprstvz" for b in "aeiou"]


class Plan(NamedTuple):
    """How much data to make."""

    users: int
    per_user: int
    questions: int
    seed: int = 1

    @property
    def memories(self) -> int:
        """How many there are in all."""
        return self.users * self.per_user


class Batch(NamedTuple):
    """Some memories of one user, in order."""

    user: str
    texts: list[str]
    vectors: Vectors


class Question(NamedTuple):
    """What to ask, of whom, and the exact nearest texts, best first."""

    user: str
    text: str
    vector: Vectors
    nearest: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Dataset:
    """Data made earlier."""

    folder: Path
    plan: Plan

    def batches(self, size: int) -> Iterator[Batch]:
        """All memories, user by user, at most `size` at a time."""
        vectors = np.load(self.folder / "vectors.npy", mmap_mode="r")
        texts = self.texts()
        per_user = self.plan.per_user
        for user in range(self.plan.users):
            first = user * per_user
            for start in range(first, first + per_user, size):
                rows = slice(start, min(start + size, first + per_user))
                yield Batch(name_of(user), texts[rows], np.array(vectors[rows]))

    def texts(self) -> list[str]:
        """All texts, in order."""
        return (self.folder / "texts.txt").read_text().splitlines()

    def questions(self) -> list[Question]:
        """The questions, each with its exact answers."""
        vectors = np.load(self.folder / "questions.npy")
        asked = json.loads((self.folder / "questions.json").read_text())
        return [
            Question(one["user"], one["text"], vector, tuple(one["nearest"]))
            for one, vector in zip(asked, vectors, strict=True)
        ]


def make(plan: Plan, folder: Path) -> Dataset:
    """Make the data of a plan in a new folder."""
    folder.mkdir(parents=True)
    random = np.random.default_rng(plan.seed)
    vectors = _members(plan.memories, random)
    texts = _texts(plan.memories, random)
    np.save(folder / "vectors.npy", vectors)
    (folder / "texts.txt").write_text("\n".join(texts))
    _make_questions(plan, vectors, texts, random, folder)
    return Dataset(folder, plan)


def name_of(user: int) -> str:
    """The name of the n-th user."""
    return f"user-{user}"


def _members(count: int, random: np.random.Generator) -> Vectors:
    """Members of about sqrt(n) clusters of about sqrt(n) each.

    Inside a cluster they spread evenly in all dimensions, so the tenth neighbour is hardly nearer
    than the hundredth: harder to rank by codes than the vectors of a language model are.
    """
    centres = _units(random, max(16, round(count**0.5)))
    members = np.empty((count, DIMENSION), np.float32)
    for start in range(0, count, 50_000):
        block = members[start : start + 50_000]
        block[:] = centres[random.integers(len(centres), size=len(block))]
        block += MEMBER_SPREAD * _units(random, len(block))
        block /= np.linalg.norm(block, axis=1, keepdims=True)
    return members


def _units(random: np.random.Generator, count: int) -> Vectors:
    vectors = random.standard_normal((count, DIMENSION), np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors


def _texts(count: int, random: np.random.Generator) -> list[str]:
    words = _vocabulary()
    shares = np.cumsum(1.0 / np.arange(1, VOCABULARY + 1))
    low, high = WORDS_PER_TEXT
    texts: list[str] = []
    for start in range(0, count, 50_000):
        lengths = random.integers(low, high + 1, size=min(50_000, count - start))
        drawn = np.searchsorted(shares, random.random(int(lengths.sum())) * shares[-1]).tolist()
        ends = np.cumsum(lengths).tolist()
        for begin, end in zip([0, *ends], ends, strict=False):
            texts.append(" ".join([words[word] for word in drawn[begin:end]]))
    return texts


def _vocabulary() -> list[str]:
    base = len(_SYLLABLES)
    invented = (
        _SYLLABLES[n % base]
        + _SYLLABLES[n // base % base]
        + _SYLLABLES[(n * 7 + 3) % base]
        + (_SYLLABLES[n // base**2] if n >= base**2 else "")
        for n in range(VOCABULARY - len(FUNCTION_WORDS))
    )
    return [*FUNCTION_WORDS, *invented]


def _make_questions(
    plan: Plan, vectors: Vectors, texts: list[str], random: np.random.Generator, folder: Path
) -> None:
    """Questions near random members, in some of their words and some common ones."""
    users = random.choice(plan.users, plan.questions, replace=plan.questions > plan.users)
    rows = users * plan.per_user + random.integers(plan.per_user, size=plan.questions)
    asked = vectors[rows] + QUESTION_SPREAD * _units(random, plan.questions)
    asked /= np.linalg.norm(asked, axis=1, keepdims=True)
    nearest = _exact(plan, vectors, users, asked)
    found = [
        {
            "user": name_of(int(user)),
            "text": _question(texts[row], random),
            "nearest": [texts[near] for near in best],
        }
        for user, row, best in zip(users, rows, nearest, strict=True)
    ]
    np.save(folder / "questions.npy", asked)
    (folder / "questions.json").write_text(json.dumps(found))


def _question(text: str, random: np.random.Generator) -> str:
    """Two to four content words of a text, and one to four common words: three to eight."""
    content = [word for word in text.split() if word not in FUNCTION_WORDS] or text.split()
    chosen = random.choice(content, min(len(content), int(random.integers(2, 5))), replace=False)
    common = random.choice(FUNCTION_WORDS, int(random.integers(1, 5)))
    return " ".join([*common, *chosen])


def _exact(
    plan: Plan, vectors: Vectors, users: NDArray[np.int64], asked: Vectors
) -> list[NDArray[np.int64]]:
    """Rows of the exact nearest neighbours among the asked user's own, best first."""
    if plan.users == 1:
        scores = np.concatenate(
            [vectors[at : at + 50_000] @ asked.T for at in range(0, len(vectors), 50_000)]
        )
        return [np.argsort(-column, kind="stable")[:NEAREST] for column in scores.T]
    found = []
    for user, vector in zip(users, asked, strict=True):
        first = user * plan.per_user
        own = vectors[first : first + plan.per_user] @ vector
        found.append(first + np.argsort(-own, kind="stable")[:NEAREST])
    return found
