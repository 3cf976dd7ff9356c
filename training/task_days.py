"""Fit which of the days that a turn names is the day of a task.

    python -m training.task_days

On the labelled tasks of people of the corpus: the softmax over the days of a turn, and none of
them. Prints the weights for `sharpwave/reading/task_days.py`, and how often the day is right on
people left out, and on those kept for validation. Needs SciPy.
"""

import json
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from sharpwave.reading.segments import own_words
from sharpwave.reading.sentences import sentences
from sharpwave.reading.task_days import featured
from sharpwave.remember.extract import times_of
from training.corpus import PEOPLE, is_validation
from training.encoder.readings import Label, said_in

PULL = 0.003
FOLDS = 4

Floats = NDArray[np.float64]


class Task(NamedTuple):
    """A labelled task: its days with names and values of their features, the right one."""

    person: str
    names: list[str]
    features: Floats
    days: list[str]
    due: str | None


def tasks() -> Iterator[Task]:
    """Of all English people."""
    for file in sorted(PEOPLE.glob("*.json")):
        raw = json.loads(file.read_text("utf-8"))
        if raw.get("language", "en") != "en":
            continue
        for session in raw["sessions"]:
            at = datetime.fromisoformat(session["at"])
            for turn in session["turns"]:
                labels = turn.get("tasks", ()) if turn["role"] == "user" else ()
                for task in labels if sentences(own_words(turn["text"])) else ():
                    yield _task(raw["id"], turn["text"], task, at.replace(tzinfo=at.tzinfo or UTC))


def _task(person: str, text: str, task: dict[str, str], at: datetime) -> Task:
    own = own_words(text)
    spans = sentences(own)
    place, _ = said_in(task, text, [Label(span) for span in spans])
    found = list(featured(own, spans, place, times_of(own, at), at))
    rows = np.array([list(each.values()) for _, each in found], np.float64)
    names = list(found[0][1]) if found else []
    due = task["due"][:10] if task.get("due") else None
    return Task(person, names, rows, [f"{one.day:%Y-%m-%d}" for one, _ in found], due)


def fitted(some: Sequence[Task]) -> Floats:
    """The weights of the features, and last that of none."""
    given = []
    for task in some:
        if task.days:
            right = np.array([day == task.due for day in task.days], np.float64)
            given.append((task.features, np.append(right, float(not right.any()))))

    def loss(w: Floats) -> tuple[float, Floats]:
        value, slope = 0.0, np.zeros_like(w)
        for features, right in given:
            scores = np.append(features @ w[:-1], w[-1])
            chances = np.exp(scores - scores.max())
            chances /= chances.sum()
            hit = chances * right
            value -= float(np.log(hit.sum() + 1e-12))
            apart = chances - hit / (hit.sum() + 1e-12)
            slope += np.append(features.T @ apart[:-1], apart[-1])
        return value / len(given) + PULL * float(w @ w), slope / len(given) + 2 * PULL * w

    found: Floats = minimize(
        loss, np.zeros(1 + given[0][0].shape[1]), jac=True, method="L-BFGS-B"
    ).x
    return found


def right(some: Sequence[Task], w: Floats) -> list[tuple[bool, str | None]]:
    """Of each task whether its day is found, and which one is."""
    made = []
    for task in some:
        scores = task.features @ w[:-1] if task.days else np.zeros(0)
        best = int(scores.argmax()) if len(scores) and scores.max() > w[-1] else None
        day = None if best is None else task.days[best]
        made.append((day == task.due, day))
    return made


def main() -> None:
    """Fit, and print the weights and how often the day is right."""
    every = list(tasks())
    taught = [one for one in every if not is_validation(one.person)]
    kept = [one for one in every if is_validation(one.person)]
    people = sorted({one.person for one in taught})
    left_out: list[tuple[bool, str | None]] = []
    order: list[Task] = []
    for fold in range(FOLDS):
        out = {person for number, person in enumerate(people) if number % FOLDS == fold}
        w = fitted([one for one in taught if one.person not in out])
        some = [one for one in taught if one.person in out]
        order, left_out = [*order, *some], [*left_out, *right(some, w)]
    w = fitted(taught)
    for name, some, made in (
        ("left out", order, left_out),
        ("validation", kept, right(kept, w)),
    ):
        dated = [hit for task, (hit, _) in zip(some, made, strict=True) if task.due]
        others = [day for task, (_, day) in zip(some, made, strict=True) if not task.due]
        reached = np.mean([task.due in task.days for task in some if task.due])
        print(
            f"{name}: right {np.mean(dated):.3f} of {len(dated)}, at best {reached:.3f}; ", end=""
        )
        print(f"{sum(day is not None for day in others)} of {len(others)} without one have one")
    names = next(one.names for one in taught if one.days)
    print({name: round(float(each), 2) for name, each in zip([*names, "none"], w, strict=True)})


if __name__ == "__main__":
    main()
