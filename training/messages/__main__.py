"""Fit the model of first messages, and write it.

    python -m training.messages

Needed after a change of the messages, cue words, features or the built-in embedder.
`intents.tsv` has messages as people write them, many from `training/corpus`, but none by the people
whom the corpus keeps apart; `feelings.tsv` has sentences with and without feeling. Sentiment is
learned from both: requests for work are neutral.
`tones.tsv` has formal, casual and plain sentences.
A line break in a message is written as backslash and n.
"""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sharpwave.behavior.message_model import (
    BUNDLED,
    WORD_SHARE,
    Layer,
    MessageModel,
    ends,
    features,
    space_name,
    word_row,
)
from sharpwave.embedding.sharpwave_embedder import SharpwaveEmbedder
from training.model_files import write_messages

FOLDER = Path(__file__).parent
OUT = Path("src/sharpwave/data") / BUNDLED
MIN_MESSAGES = 3
"""Messages that a word or a pair of words must occur in."""
RIDGE = 1e-4
STEPS = 300
BALANCE = 0.6
"""0: every message counts the same. 1: every class does."""
NEUTRAL = frozenset(
    """code_review coding technical summary technical_summary question explanation how_to writing
    request other""".split()
)
Floats = NDArray[np.float64]


def read(name: str) -> tuple[list[str], list[str]]:
    """Labels and texts of a file."""
    rows = [line.split("\t") for line in (FOLDER / name).read_text("utf-8").splitlines()]
    return [label for label, _ in rows], [text.replace("\\n", "\n") for _, text in rows]


def main() -> None:
    """Fit both heads, write them, and print the share of messages told rightly when left out."""
    intents, messages = read("intents.tsv")
    feelings, sentences = read("feelings.tsv")
    embedder = SharpwaveEmbedder()
    tones, written = read("tones.tsv")
    every = [*messages, *sentences, *written]
    counts = Counter(name for text in every for name in features(text))
    names = sorted(name for name, count in counts.items() if count >= MIN_MESSAGES)
    words = {name: place for place, name in enumerate(names)}
    plain = [text for label, text in zip(intents, messages, strict=True) if label in NEUTRAL]
    sad = [t for label, t in zip(intents, messages, strict=True) if label == "emotional_support"]
    moods = [*feelings, *("neutral" for _ in plain), *("negative" for _ in sad)]
    layers = {
        "intent": _layer(intents, messages, words, embedder),
        "sentiment": _layer(moods, [*sentences, *plain, *sad], words, embedder),
        "tone": _layer(tones, written, words, embedder),
    }
    write_messages(OUT, MessageModel(words, space_name(embedder.space), layers))
    print(f"{OUT}: {OUT.stat().st_size / 1e3:.0f} kB, {len(words)} words, share {WORD_SHARE}")


def _layer(
    labels: Sequence[str], texts: Sequence[str], words: dict[str, int], embedder: SharpwaveEmbedder
) -> Layer:
    classes = tuple(sorted(set(labels)))
    targets = np.array([classes.index(label) for label in labels])
    rows = np.array([word_row(text, words) for text in texts], dtype=np.float64)
    vectors = embedder.embed([ends(text) for text in texts]).astype(np.float64)
    both = np.hstack([vectors, rows])
    _report(classes, both, rows, targets)
    weights, start = fit(both, targets, len(classes))
    by_vector, by_word = np.split(weights, [vectors.shape[1]])
    alone, alone_start = fit(rows, targets, len(classes))
    parts = (by_vector, by_word, start, alone, alone_start)
    return Layer(classes, *(part.astype(np.float32) for part in parts))


def fit(features: Floats, targets: NDArray[np.int64], classes: int) -> tuple[Floats, Floats]:
    """Weights and start of a logistic regression with a ridge; rare classes count more."""
    wanted = np.eye(classes)[targets]
    importance = np.bincount(targets, minlength=classes)[targets] ** -BALANCE
    importance /= importance.sum()
    steepest = _largest(features * np.sqrt(importance)[:, None])
    step = 1.0 / ((steepest + 1.0) / 2 + 2 * RIDGE)
    weights, start = np.zeros((features.shape[1], classes)), np.zeros(classes)
    ahead, ahead_start, momentum = weights, start, 1.0
    for _ in range(STEPS):  # Nesterov's accelerated gradient
        scores = features @ ahead + ahead_start
        likely = np.exp(scores - scores.max(axis=1, keepdims=True))
        likely /= likely.sum(axis=1, keepdims=True)
        off = (likely - wanted) * importance[:, None]
        moved = ahead - step * (features.T @ off + 2 * RIDGE * ahead)
        moved_start = ahead_start - step * off.sum(axis=0)
        faster = (1 + np.sqrt(1 + 4 * momentum**2)) / 2
        ahead = moved + (momentum - 1) / faster * (moved - weights)
        ahead_start = moved_start + (momentum - 1) / faster * (moved_start - start)
        weights, start, momentum = moved, moved_start, faster
    return weights, start


def _largest(rows: Floats) -> float:
    """The square of the largest singular value, by power iteration, and a little more."""
    towards = np.ones(rows.shape[1])
    for _ in range(30):
        towards = rows.T @ (rows @ (towards / np.linalg.norm(towards)))
    return 1.05 * float(np.linalg.norm(towards))


def _report(classes: Sequence[str], both: Floats, rows: Floats, targets: NDArray[np.int64]) -> None:
    """Print the accuracy over five folds, with and without the vector."""
    folds = np.random.default_rng(0).integers(0, 5, len(targets))
    for name, inputs in (("vector and words", both), ("words", rows)):
        right = 0
        for fold in range(5):
            inside = folds != fold
            weights, start = fit(inputs[inside], targets[inside], len(classes))
            guessed = (inputs[~inside] @ weights + start).argmax(axis=1)
            right += int((guessed == targets[~inside]).sum())
        print(f"{len(classes)} classes, {name}: {right / len(targets):.3f} of {len(targets)}")


if __name__ == "__main__":
    main()
