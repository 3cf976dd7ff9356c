"""Trains the reader's heads further, on the bundled encoder as it is.

    python -m training.encoder.reader_heads --ordinary TALK --rows FILE [--epochs N] [--seeds N]

The heads were trained together with the encoder (`train.py`). Sentences that were written since
teach them more without changing a vector that anybody stored: of what was read before, the heads
go on to say what they said, mixed with the labels; of the new ones, what their labels say.
`--rows` keeps the states, which take some twenty minutes on a CPU, for another run. Prints how
well sentences are read before and after, and writes `data/reader.npz`. Needs torch.
"""

import argparse
import json
import pickle
import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
import torch.nn.functional as F
from numpy.typing import NDArray

from sharpwave.embedding.reader import HEADS, SentenceReader
from training.corpus import PEOPLE, is_validation
from training.encoder import ordinary, readings
from training.encoder.heads import BELIEVE, MODE_WEIGHT, Heads
from training.encoder.readings import KINDS, MODES, Reading

TARGET = Path("src/sharpwave/data") / HEADS
RATE, AT_ONCE = 4e-4, 512
LATER = (*(f"t{letter}-" for letter in "abcdefhijklmnopqrstu"), "wa-", "wb-")
"""Moments that were written after the encoder was trained: plain sentences, other languages."""
NOT_ENGLISH = ("td-", "te-", "th-", "ti-", "tj-", "tk-", "tl-", "tm-", "tq-", "tt-", "tu-")
APART = ", kept apart"
OFTEN = {"plain": 8, "plain, not English": 5, "people, not English": 2}
"""How often sentences of a group count."""

Floats = NDArray[np.float32]


class Rows(NamedTuple):
    """Sentences of one group: their states, what they say (-1 where nobody can tell), how sure."""

    states: Floats
    kinds: Floats
    modes: NDArray[np.int64]
    weights: Floats


def groups(talk: Path) -> Iterator[tuple[str, list[Reading]]]:
    """All that is read, by where it comes from and whether it is learned from."""
    for file in sorted(PEOPLE.glob("*.json")):
        raw = json.loads(file.read_text("utf-8"))
        kept = APART if is_validation(raw["id"]) else ""
        english = "" if raw.get("language", "en") == "en" else ", not English"
        yield f"people{english}{kept}", readings.of_person(raw)
        yield f"made{kept}", readings.plain(raw, random.Random(raw["id"]))
    for kept in ("", APART):
        for one in readings.of_moments(validation=bool(kept)):
            name = "moments"
            if one.of.startswith(LATER):
                name = "plain, not English" if one.of.startswith(NOT_ENGLISH) else "plain"
            yield f"{name}{kept}", [one]
    yield "ordinary", list(ordinary.load(talk))


def rows(reader: SentenceReader, some: Sequence[Reading]) -> Rows:
    """The states of all sentences, and what is known of them."""
    states, kinds, modes, weights = [], [], [], []
    for one in some:
        found = reader.rows(one.text, [label.span for label in one.labels])
        states.append(found)
        for label in one.labels[: len(found)]:
            kinds.append([-1.0 if each is None else each for each in label.kinds])
            modes.append(-1 if label.mode is None else label.mode)
            weights.append(label.weight)
    return Rows(
        np.concatenate(states),
        np.array(kinds, np.float32).reshape(-1, len(KINDS)),
        np.array(modes, np.int64),
        np.array(weights, np.float32),
    )


def gathered(talk: Path) -> dict[str, Rows]:
    """The rows of each group."""
    reader = SentenceReader()
    found: dict[str, list[Rows]] = {}
    for name, some in groups(talk):
        if some:
            found.setdefault(name, []).append(rows(reader, some))
    return {
        name: Rows(*map(np.concatenate, zip(*each, strict=True))) for name, each in found.items()
    }


def figures(heads: Heads, some: Rows) -> dict[str, float]:
    """F1 of the three kinds at one half, and the share of modes that are right."""
    with torch.no_grad():
        made = heads(torch.tensor(some.states)).numpy()
    result = {}
    for place, kind in enumerate(KINDS):
        known = some.kinds[:, place] >= 0
        said, right = made[known, place] > 0, some.kinds[known, place] > 0.5
        result[kind] = round(2 * (said & right).sum() / max(1, said.sum() + right.sum()), 3)
        result[f"{kind} precision"] = round((said & right).sum() / max(1, said.sum()), 3)
    told = some.modes >= 0
    best = made[told, len(KINDS) :].argmax(1)
    result["mode"] = round(float((best == some.modes[told]).mean()), 3) if told.any() else 0.0
    return result


def wanted(heads: Heads, name: str, some: Rows) -> tuple[torch.Tensor, torch.Tensor]:
    """What the heads learn to say: what they said, where nobody can tell; else mixed with labels.

    Of sentences that they did not learn from before, labels alone count.
    """
    believed = 0.0 if name.startswith("plain") else BELIEVE
    kinds, modes = torch.tensor(some.kinds), torch.tensor(some.modes)
    exact = F.one_hot(modes.clamp(min=0), len(MODES)).float()
    with torch.no_grad():
        said = heads(torch.tensor(some.states))
    chances = torch.sigmoid(said[:, : len(KINDS)])
    of_modes = torch.softmax(said[:, len(KINDS) :], -1)
    mixed = torch.where(kinds < 0, chances, (1 - believed) * kinds + believed * chances)
    known = (1 - believed) * exact + believed * of_modes
    return mixed, torch.where(modes[:, None] < 0, of_modes, known)


def train(taught: dict[str, Rows], seed: int, epochs: int) -> Heads:
    """One run from the bundled heads."""
    torch.manual_seed(seed)
    before, heads = bundled().eval(), bundled()
    states, kinds, modes, weights = [], [], [], []
    for name, some in taught.items():
        one, mode = wanted(before, name, some)
        for _ in range(OFTEN.get(name, 1)):
            states.append(torch.tensor(some.states))
            kinds.append(one)
            modes.append(mode)
            weights.append(torch.tensor(some.weights))
    given, kind, mode, weight = map(torch.cat, (states, kinds, modes, weights))
    learner = torch.optim.AdamW(heads.parameters(), lr=RATE, weight_decay=0.01)
    steps = epochs * (len(given) // AT_ONCE + 1)
    schedule = torch.optim.lr_scheduler.LambdaLR(learner, lambda step: max(0.0, 1 - step / steps))
    heads.train()
    for _ in range(epochs):
        for some in torch.randperm(len(given)).split(AT_ONCE):
            made = heads(given[some])
            known = (kind[some] >= 0).float() * weight[some, None]
            each = F.binary_cross_entropy_with_logits(
                made[:, : len(KINDS)], kind[some].clamp(min=0), reduction="none"
            )
            loss = (each * known).sum() / known.sum() * len(KINDS)
            told = mode[some].sum(-1) > 0
            apart = F.cross_entropy(made[told, len(KINDS) :], mode[some][told])
            learner.zero_grad()
            (loss + MODE_WEIGHT * apart).backward()
            learner.step()
            schedule.step()
    return heads.eval()


def bundled() -> Heads:
    """The heads as they are in the package."""
    held = np.load(TARGET)
    heads = Heads(held["inner.weight"].shape[1] // 2)
    heads.load_state_dict({name: torch.tensor(held[name].astype(np.float32)) for name in held})
    return heads


def main() -> None:
    """Train, say how well sentences are read before and after, and write the file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ordinary", type=Path, required=True)
    parser.add_argument("--rows", type=Path, required=True)
    parser.add_argument("--epochs", type=int, default=8)
    parser.add_argument("--seeds", type=int, default=3)
    options = parser.parse_args()
    if not options.rows.exists():
        options.rows.write_bytes(pickle.dumps(gathered(options.ordinary)))
    found: dict[str, Rows] = pickle.loads(options.rows.read_bytes())
    kept = {name: some for name, some in found.items() if name.endswith(APART)}
    taught = {name: some for name, some in found.items() if name not in kept}
    torch.set_num_threads(2)
    runs = [train(taught, seed, options.epochs) for seed in range(options.seeds)]
    mean = bundled().eval()
    for name, some in kept.items():
        print(f"{name}, before: {figures(mean, some)}")
    parts = [one.state_dict() for one in runs]
    mean.load_state_dict(
        {name: torch.stack([part[name] for part in parts]).mean(0) for name in parts[0]}
    )
    for name, some in kept.items():
        print(f"{name}, after: {figures(mean, some)}")
    numbers = {name: one.numpy().astype(np.float16) for name, one in mean.state_dict().items()}
    np.savez_compressed(TARGET, **numbers)  # type: ignore[arg-type]


if __name__ == "__main__":
    main()
