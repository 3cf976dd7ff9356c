"""Fit the ranking weights and the calibration, and write them to the weights file.

    python -m training.ranker --longmemeval ../shared/data/longmemeval

Fitted on the people of the corpus whom the encoder never saw, on conversations with a model that a
program of ours makes, and on the LongMemEval development questions at odd places by id (MIT);
a part of each is held out. Nothing else is read. An hour on two cores; needs SciPy.
"""

import argparse
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np

from evals import talks as public
from evals.metrics import auroc, brier, ece
from evals.recall import numbers
from evals.talks import Talk
from sharpwave.formulas.confidence import logistic
from sharpwave.settings.weights import Weights
from training.ranker import chats, everyday, fit
from training.ranker.tables import Row, rows_of

CHATS, SEED = 90, 7
HELD_CHATS, HELD_SEED = 24, 1234
PULL = 0.01
CALIBRATION_PULL = 0.01
WEIGHTS = Path("src/sharpwave/data/weights.toml")


def main() -> None:
    """Make the tables, fit, tell how it does on what was held out, and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--longmemeval", type=Path, required=True)
    parser.add_argument("--out", type=Path, default=WEIGHTS)
    given = parser.parse_args()
    made = rows_of(_with_model(chats.talks(CHATS, SEED)))
    held = rows_of(_with_model(chats.talks(HELD_CHATS, HELD_SEED)))
    asked = rows_of(
        talk
        for talk in public.load("longmemeval", given.longmemeval).talks
        if talk.questions[0].evidence or not talk.questions[0].answerable
    )
    learn(made, held, asked, rows_of(everyday.talks()), given.out)


def _with_model(talks: Iterable[Talk]) -> Iterator[Talk]:
    """Of the made conversations those of a user and a model."""
    return (talk for talk in talks if int(talk.name.split("-")[1]) % 3 == 2)


def learn(
    made: Sequence[Row], held: Sequence[Row], asked: Sequence[Row], people: Sequence[Row], out: Path
) -> None:
    """Fit on what may be fitted on, say how it does on what was held out, and write."""
    seen, unseen = _halves(asked)
    known, kept_apart = _halves(people)
    first = [row for row in known if row.category != everyday.FURTHER]
    further = [row for row in known if row.category == everyday.FURTHER]
    rows = [*made, *seen, *first, *further]
    shares = shares_of(made, seen, first, further)
    before = _present(out)
    learned = before.model_copy(update={"features": fit.weights(rows, shares, PULL)})
    pairs = [fit.signs(row, learned) for row in rows if len(row.right)]
    kept = [share for row, share in zip(rows, shares, strict=True) if len(row.right)]
    bias, weights = fit.calibration(pairs, kept, CALIBRATION_PULL)
    for name, some in (("made", held), ("LongMemEval", unseen), ("people", kept_apart)):
        _tell(f"{name}, held out", some, learned, bias, weights)
    _write(out, learned, bias, weights)


def _present(file: Path) -> Weights:
    """The preset as it is.

    What it holds for questions that name one of several speakers stays: it was fitted on made
    conversations of friends, when vectors were the table's alone. Fitted anew, it ranked other
    conversations no better (evals/LOG.md).
    """
    presets = tomllib.loads(file.read_text("utf-8"))["presets"]
    return Weights.model_validate(presets["learned"])


def _halves(rows: Sequence[Row]) -> tuple[list[Row], list[Row]]:
    """What may be fitted on, and what is held out."""
    return [row for row in rows if not row.held_out], [row for row in rows if row.held_out]


def shares_of(*groups: Sequence[Row]) -> list[float]:
    """How much each question counts: made chats, LongMemEval, people first and further."""
    parts = zip(groups, (0.3, 0.3, 0.5, 0.5), strict=True)
    return [share / len(part) for part, share in parts for _ in part]


def _tell(
    name: str,
    rows: Sequence[Row],
    learned: Weights,
    bias: float,
    weights: dict[str, float],
) -> None:
    scored = []
    for row in rows:
        if row.evidence:
            best = fit.ranked(row, learned).best
            ranked = [str(one.number) for one in best]
            right = [str(number) for number in row.listed.numbers[row.right]]
            missing = [f"missing {n}" for n in range(row.evidence - len(right))]
            scored.append(numbers(ranked, [*right, *missing]))
    means = {key: round(float(np.mean([one[key] for one in scored])), 3) for key in scored[0]}
    pairs = [fit.signs(row, learned) for row in rows if len(row.right)]
    able = [row.answerable for row in rows if len(row.right)]
    sure = [
        logistic(bias + sum(weights[key] * given.get(key, 0.0) for key in weights))
        for given, _ in pairs
    ]
    hits = [hit for _, hit in pairs]
    print(f"{name}: {len(rows)} questions, {means}")
    print(f"   AUROC {auroc(sure, able)}, ECE {ece(sure, hits, 10):.3f}", end=", ")
    print(f"Brier {brier(sure, hits):.3f}")


def _write(path: Path, learned: Weights, bias: float, weights: dict[str, float]) -> None:
    """Put the learned preset into the file, and leave the rest of it as it is."""
    lines = ["[presets.learned.features]"]
    lines += [f"{name} = {weight}" for name, weight in learned.features.items()]
    lines += ["", "[presets.learned.calibration]", f"bias = {bias}"]
    lines += ["", "[presets.learned.calibration.weights]"]
    lines += [f"{name} = {weight}" for name, weight in weights.items()]
    text = path.read_text("utf-8")
    first, last = "[presets.learned.features]", "[presets.learned.among_speakers]"
    written = "\n".join(lines) + "\n\n"
    path.write_text(text[: text.index(first)] + written + text[text.index(last) :], "utf-8")
    print(f"written to {path}")


if __name__ == "__main__":
    main()
