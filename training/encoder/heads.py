"""The reader's heads: what a sentence says, from the encoder's states of its pieces.

    sentence   mean of its pieces, mean of the turn   -> fact, task, rule; mode

Labels are mixed with what a larger encoder says that did not learn from this person: people who
label leave things out, and it is not always told which sentence a label means. Where nobody can
tell, it alone is believed.

A turn is read alone, so that its vector and its reading are one pass: with what was said before in
front of it, F1 was the same (facts .73, tasks .59 instead of .62, rules .53 instead of .57).
"""

import random
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F

from training.encoder.readings import KINDS, MODES, Reading

HIDDEN = 128
LONGEST = 254
AT_ONCE = 48
"""Turns of about the same length."""
MODE_WEIGHT = 0.6
"""Of the mode beside the kinds, in the loss."""
BELIEVE = 0.5
"""The share of a larger encoder beside a label."""

Told = Mapping[str, np.ndarray]
"""Of a turn's text, chances of kinds and modes by a larger encoder: one row for each sentence."""


class Heads(torch.nn.Module):
    """Two small layers on the states of the trunk."""

    def __init__(self, size: int, hidden: int = HIDDEN) -> None:
        super().__init__()
        self.inner = torch.nn.Linear(2 * size, hidden)
        self.outer = torch.nn.Linear(hidden, len(KINDS) + len(MODES))
        self.drop = torch.nn.Dropout(0.1)

    def forward(self, given: torch.Tensor) -> torch.Tensor:
        """Logits of kinds and modes, one row for each sentence."""
        return self.outer(self.drop(F.gelu(self.inner(self.drop(given)))))


def cut(reading: Reading, pieces: Any) -> tuple[list[int], list[tuple[int, int]]]:
    """The pieces of a turn, and the places of each sentence's."""
    ids = [pieces.begin]
    places = []
    at = 0
    for label in reading.labels:
        ids += pieces.ids(reading.text[at : label.span.start])
        first = len(ids)
        ids += pieces.ids(reading.text[label.span.start : label.span.end])
        places.append((min(first, LONGEST), max(min(len(ids), LONGEST), min(first, LONGEST) + 1)))
        at = label.span.end
    ids += pieces.ids(reading.text[at:])
    return [*ids[: LONGEST + 1], pieces.end], places


def outputs(encoder: Any, heads: Heads, some: Sequence[Reading]) -> torch.Tensor:
    """One row of logits for each sentence of the readings, in order."""
    order = sorted(range(len(some)), key=lambda place: len(some[place].text))
    rows: dict[int, torch.Tensor] = {}
    for start in range(0, len(order), AT_ONCE):
        places = order[start : start + AT_ONCE]
        part = [some[place] for place in places]
        made = pooled(encoder, part).split([len(one.labels) for one in part])
        rows |= zip(places, made, strict=True)
    return heads(torch.cat([rows[place] for place in range(len(some))])).float()


def pooled(encoder: Any, some: Sequence[Reading]) -> torch.Tensor:
    """One row for each sentence of the readings, in order: its mean, and that of its turn."""
    cuts = [cut(reading, encoder.pieces) for reading in some]
    state, _ = encoder.states([ids for ids, _ in cuts], mixed=True)
    most = max(len(places) for _, places in cuts)
    pool = torch.zeros(len(cuts), most, state.shape[1])
    whole = torch.zeros(len(cuts), 1, state.shape[1])
    which = torch.zeros(len(cuts), most, dtype=torch.bool)
    for row, (ids, places) in enumerate(cuts):
        whole[row, 0, : len(ids)] = 1 / len(ids)
        for number, (start, end) in enumerate(places):
            end = min(end, len(ids))
            start = min(start, end - 1)
            pool[row, number, start:end] = 1 / (end - start)
            which[row, number] = True
    device = state.device
    means = pool.to(device, state.dtype) @ state
    turns = (whole.to(device, state.dtype) @ state).expand(-1, most, -1)
    return torch.cat([means, turns], -1)[which.to(device)]


def loss(encoder: Any, heads: Heads, some: Sequence[Reading], told: Told) -> torch.Tensor:
    """Of kinds and mode."""
    made = outputs(encoder, heads, some)
    labels = [label for reading in some for label in reading.labels]
    kinds, modes = [], []
    for reading in some:
        believed = told.get(reading.text, ())
        for row, label in enumerate(reading.labels):
            said = believed[row] if len(believed) == len(reading.labels) else None
            kinds.append([_mixed(one, said, place) for place, one in enumerate(label.kinds)])
            modes.append(_mode(label.mode, said))
    device = made.device
    wanted = torch.tensor(kinds, device=device)
    known = (wanted >= 0).float() * torch.tensor([[one.weight] for one in labels], device=device)
    each = F.binary_cross_entropy_with_logits(
        made[:, : len(KINDS)], wanted.clamp(min=0), reduction="none"
    )
    total = (each * known).sum() / known.sum() * len(KINDS)
    rows = [row for row, one in enumerate(modes) if one is not None]
    if rows:
        shares = torch.tensor(np.array([modes[row] for row in rows]), device=device)
        total = total + MODE_WEIGHT * F.cross_entropy(made[rows, len(KINDS) :], shares.float())
    return total


def _mixed(label: float | None, said: np.ndarray | None, place: int) -> float:
    """How likely a kind is meant to be; -1 where nobody can tell."""
    if said is None:
        return -1.0 if label is None else label
    chance = float(said[place])
    return chance if label is None else (1 - BELIEVE) * label + BELIEVE * chance


def _mode(label: int | None, said: np.ndarray | None) -> np.ndarray | None:
    if label is None:
        return None
    exact = np.eye(len(MODES))[label]
    return exact if said is None else (1 - BELIEVE) * exact + BELIEVE * said[len(KINDS) :]


def chances(encoder: Any, heads: Heads, some: Sequence[Reading]) -> dict[str, np.ndarray]:
    """What it says of each sentence, by the text of the turn; for others to learn from."""
    found = {}
    with torch.no_grad(), torch.autocast("cuda", torch.bfloat16, enabled=torch.cuda.is_available()):
        for start in range(0, len(some), 64):
            part = some[start : start + 64]
            made = outputs(encoder, heads, part)
            kinds, modes = made[:, : len(KINDS)].sigmoid(), made[:, len(KINDS) :].softmax(-1)
            rows = torch.cat([kinds, modes], -1).cpu().numpy()
            ends = np.cumsum([len(one.labels) for one in part])[:-1]
            found |= {one.text: said for one, said in zip(part, np.split(rows, ends), strict=True)}
    return found


def figures(encoder: Any, heads: Heads, some: Sequence[Reading]) -> dict[str, Any]:
    """F1 of each kind at its best threshold, calibration, accuracy of modes."""
    encoder.eval()
    heads.eval()
    some = [one for one in some if one.labels]
    said = chances(encoder, heads, some)
    made = np.concatenate([said[one.text] for one in some])
    encoder.train()
    heads.train()
    labels = [label for one in some for label in one.labels]
    report: dict[str, Any] = {}
    for number, kind in enumerate(KINDS):
        ok = np.array([label.kinds[number] is not None for label in labels])
        wanted = np.array([label.kinds[number] == 1.0 for label in labels])[ok]
        chance = made[ok, number]
        best = max((_f1(chance > at, wanted), float(at)) for at in np.arange(0.1, 0.9, 0.05))
        gap = _calibration(chance, wanted)
        report[kind] = {"f1": round(best[0], 3), "at": round(best[1], 2), "ece": round(gap, 3)}
    ok = np.array([label.mode is not None for label in labels])
    wanted = np.array([label.mode if label.mode is not None else 0 for label in labels])[ok]
    report["mode"] = round(float((made[ok, len(KINDS) :].argmax(1) == wanted).mean()), 3)
    return report


def _f1(guess: np.ndarray, wanted: np.ndarray) -> float:
    both = float((guess & wanted).sum())
    return 2 * both / max(1.0, float(guess.sum() + wanted.sum()))


def _calibration(chance: np.ndarray, wanted: np.ndarray, bins: int = 10) -> float:
    places = np.minimum((chance * bins).astype(int), bins - 1)
    gaps = [
        abs(chance[places == b].mean() - wanted[places == b].mean()) * (places == b).mean()
        for b in range(bins)
        if (places == b).any()
    ]
    return float(np.sum(gaps))


def batches(some: list[Reading], size: int, draw: random.Random) -> list[list[Reading]]:
    """All readings in a new order, so many at once."""
    draw.shuffle(some)
    return [some[start : start + size] for start in range(0, len(some), size)]
