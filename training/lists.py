"""Questions with sixteen candidates each, scored by the cross-encoder: what a ranker learns from.

    1 made      questions our program made   x  their statement, BM25's and the nearest ones
    2 wanted    requests out of chats        x  the nearest statements of users
    3 answered  requests out of chats        x  the nearest sentences of assistants
    4 real      LongMemEval questions (seen) x  turns of their own haystack

Half of 2 to 4 and all of 1 name two people, who are said to have spoken. The nearest are found by
the sum of both embedding teachers. Needs no labels: the cross-encoder gives every pair a number.
"""

import random
import re
from dataclasses import dataclass
from typing import Any

import torch

SIZE = 16
MADE = 30_000
WANTED = 24_000
ANSWERED = 14_000
REAL_TIMES = 8
NEAREST = 11
HELD = 20
"""Every so many lists are held out."""


@dataclass
class Lists:
    """Piece numbers of questions and candidates, and the teacher's scores."""

    questions: torch.Tensor
    candidates: torch.Tensor
    scores: torch.Tensor
    kinds: torch.Tensor
    held: torch.Tensor


def texts(content: Any, near: Any, draw: random.Random, fewer: int = 1) -> list[Any]:
    """(kind, question, candidates) as text; `near` gives the best places for vectors."""
    found = [*_made(content, near, draw, MADE // fewer)]
    found += _wanted(content, near, draw, WANTED // fewer)
    found += _answered(content, near, draw, ANSWERED // fewer)
    found += _real(content, near, draw)
    draw.shuffle(found)
    return found


def _two(content: Any, draw: random.Random) -> list[str]:
    return draw.sample(content["names"], 2)


def _filled(chosen: list[int], first: list[int], among: int, draw: random.Random) -> list[int]:
    kept = list(dict.fromkeys([*first, *chosen]))[:SIZE]
    while len(kept) < SIZE:
        one = draw.randrange(among)
        if one not in kept:
            kept.append(one)
    return kept


def _made(content: Any, near: Any, draw: random.Random, count: int) -> Any:
    pairs, statements = content["pairs"], content["statements"]
    chosen = draw.sample(range(len(pairs)), min(count, len(pairs)))
    best = near("made", chosen, "statements", NEAREST + 1)
    for number, places in zip(chosen, best, strict=True):
        question, right, hard = pairs[number]
        names = _two(content, draw)
        listed = _filled([p for p in places if p != right], [right, *hard], len(statements), draw)
        said = [
            f"{names[0] if one == right else draw.choice(names)}: {statements[one]}"
            for one in listed
        ]
        yield "made", question.replace("{n}", names[0]), said


def _wanted(content: Any, near: Any, draw: random.Random, count: int) -> Any:
    requests, statements = content["wanted"], content["statements"]
    chosen = draw.sample(range(len(requests)), min(count, len(requests)))
    best = near("wanted", chosen, "statements", NEAREST + 6)
    for number, places in zip(chosen, best, strict=True):
        own = requests[number].split(". ")[-1][-40:]
        kept = [p for p in places if own not in statements[p]][:NEAREST]
        said = [statements[one] for one in _filled(kept, [], len(statements), draw)]
        if draw.random() < 0.5:
            names = _two(content, draw)
            said = [f"{draw.choice(names)}: {one}" for one in said]
        yield "wanted", requests[number], said


def _answered(content: Any, near: Any, draw: random.Random, count: int) -> Any:
    requests, english = content["wanted"], content["english"]
    chosen = draw.sample(range(len(requests)), min(count, len(requests)))
    best = near("wanted", chosen, "english", NEAREST)
    for number, places in zip(chosen, best, strict=True):
        said = [english[one] for one in _filled(list(places), [], len(english), draw)]
        yield "answered", requests[number], said


def _real(content: Any, near: Any, draw: random.Random) -> Any:
    for one in content["real"]:
        if one["held"]:
            continue
        turns = [text for text, _ in one["turns"]]
        right = [at for at, (_, answer) in enumerate(one["turns"]) if answer]
        (places,) = near.of(one["question"], turns, 40)
        for time in range(REAL_TIMES):
            some = draw.sample(places, min(len(places), NEAREST))
            listed = _filled(some, right[:3], len(turns), draw)
            name, other = _two(content, draw)
            if time % 2:
                yield "real", one["question"], [turns[at] for at in listed]
            else:
                said = [f"{draw.choice((name, name, other))}: {turns[at]}" for at in listed]
                yield "real", named(one["question"], name), said


def named(question: str, name: str) -> str:
    """Ask about somebody by name instead of about oneself.

    >>> named("When did I buy my camera?", "Anna")
    "When did Anna buy Anna's camera?"
    """
    question = re.sub(r"\b(do|am|was|did|have) I\b", rf"\1 {name}", question)
    question = re.sub(r"\bI('m|'ve)?\b", name, question)
    question = question.replace(" do " + name, " does " + name)
    return re.sub(r"\b[Mm]y\b", f"{name}'s", question)
