"""The reader's heads: what a sentence says, from the encoder's states of its pieces.

    sentence   mean of its pieces, mean of the turn   -> fact, task, rule; mode; a change
    pair       older [SEP] newer, mean of all pieces  -> same, update, contradiction, unrelated

A turn is read alone, so that its vector and its reading are one pass: with what was said before in
front of it, F1 was the same (facts .73, tasks .59 instead of .62, rules .53 instead of .57).
"""

import random
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F

from training.encoder.readings import KINDS, MODES, Reading

RELATIONS = ("same", "update", "contradiction", "unrelated")
_MERGED = {"same": 0, "update": 1, "contradiction": 1, "unrelated": 2}
"""An update and a contradiction both put the older statement out of force."""
HIDDEN = 128
LONGEST = 254
WEIGHTS = (1.0, 0.6, 1.0)
"""Of kinds, mode and change, in the loss."""


class Heads(torch.nn.Module):
    """Two small layers on the states of the trunk."""

    def __init__(self, size: int, hidden: int = HIDDEN) -> None:
        super().__init__()
        self.inner = torch.nn.Linear(2 * size, hidden)
        self.outer = torch.nn.Linear(hidden, len(KINDS) + len(MODES) + 1)
        self.pair_inner = torch.nn.Linear(size, hidden)
        self.pair_outer = torch.nn.Linear(hidden, len(RELATIONS))
        self.drop = torch.nn.Dropout(0.1)

    def forward(self, given: torch.Tensor) -> torch.Tensor:
        """Logits of kinds, modes and of a change, one row for each sentence."""
        return self.outer(self.drop(F.gelu(self.inner(self.drop(given)))))

    def pair(self, given: torch.Tensor) -> torch.Tensor:
        """Logits of relations, one row for each pair."""
        return self.pair_outer(self.drop(F.gelu(self.pair_inner(self.drop(given)))))


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
    return heads(pooled(encoder, some)).float()


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


def loss(encoder: Any, heads: Heads, some: Sequence[Reading]) -> torch.Tensor:
    """Of kinds, mode and change."""
    made = outputs(encoder, heads, some)
    labels = [label for reading in some for label in reading.labels]
    device = made.device
    kinds = torch.tensor(
        [[-1.0 if one is None else one for one in label.kinds] for label in labels], device=device
    )
    weights = torch.tensor([[label.weight] for label in labels], device=device)
    known = (kinds >= 0).float() * weights
    each = F.binary_cross_entropy_with_logits(made[:, :3], kinds.clamp(min=0), reduction="none")
    total = WEIGHTS[0] * (each * known).sum() / known.sum() * 3
    mode = torch.tensor([-100 if label.mode is None else label.mode for label in labels])
    if (mode >= 0).any():
        total = total + WEIGHTS[1] * F.cross_entropy(made[:, 3:10], mode.to(device))
    rows = [row for row, label in enumerate(labels) if label.change is not None]
    if rows:
        changed = torch.tensor([labels[row].change for row in rows], device=device)
        lost = F.binary_cross_entropy_with_logits(made[rows, 10], changed)
        total = total + WEIGHTS[2] * lost
    return total


def pair_outputs(encoder: Any, heads: Heads, some: Sequence[tuple[str, str, str]]) -> torch.Tensor:
    """One row for each pair."""
    pieces = encoder.pieces
    ids = [
        [
            pieces.begin,
            *pieces.ids(older)[:100],
            pieces.end,
            *pieces.ids(newer)[:100],
            pieces.end,
        ]
        for older, newer, _ in some
    ]
    state, mask = encoder.states(ids, mixed=True)
    counted = mask.unsqueeze(-1).to(state.dtype)
    return heads.pair((state * counted).sum(1) / counted.sum(1)).float()


def pair_loss(encoder: Any, heads: Heads, some: Sequence[tuple[str, str, str]]) -> torch.Tensor:
    """Of relations."""
    made = pair_outputs(encoder, heads, some)
    wanted = torch.tensor([RELATIONS.index(one[2]) for one in some], device=made.device)
    return F.cross_entropy(made, wanted)


def figures(
    encoder: Any,
    heads: Heads,
    some: Sequence[Reading],
    pairs: Sequence[tuple[str, str, str]],
) -> dict[str, Any]:
    """F1 of each kind at its best threshold, accuracy of modes, and so on."""
    encoder.eval()
    heads.eval()
    rows = []
    with torch.no_grad(), torch.autocast("cuda", torch.bfloat16, enabled=torch.cuda.is_available()):
        for start in range(0, len(some), 64):
            part = [one for one in some[start : start + 64] if one.labels]
            if part:
                rows.append(outputs(encoder, heads, part).cpu())
        made = torch.cat(rows).numpy()
        guess = (
            np.concatenate(
                [
                    pair_outputs(encoder, heads, pairs[s : s + 64]).cpu().numpy()
                    for s in range(0, len(pairs), 64)
                ]
            ).argmax(1)
            if pairs
            else np.zeros(0)
        )
    encoder.train()
    heads.train()
    labels = [label for one in some if one.labels for label in one.labels]
    report: dict[str, Any] = {}
    for number, kind in enumerate(KINDS):
        ok = np.array([label.kinds[number] is not None for label in labels])
        wanted = np.array([label.kinds[number] == 1.0 for label in labels])[ok]
        chance = 1 / (1 + np.exp(-made[ok, number]))
        best = max((_f1(chance > at, wanted), float(at)) for at in np.arange(0.1, 0.9, 0.05))
        gap = _calibration(chance, wanted)
        report[kind] = {"f1": round(best[0], 3), "at": round(best[1], 2), "ece": round(gap, 3)}
    ok = np.array([label.mode is not None for label in labels])
    wanted = np.array([label.mode if label.mode is not None else 0 for label in labels])[ok]
    report["mode"] = round(float((made[ok, 3:10].argmax(1) == wanted).mean()), 3)
    rows_of = [row for row, label in enumerate(labels) if label.change is not None]
    if rows_of:
        wanted = np.array([labels[row].change == 1.0 for row in rows_of])
        chance = 1 / (1 + np.exp(-made[rows_of, 10]))
        best = max((_f1(chance > at, wanted), float(at)) for at in np.arange(0.1, 0.9, 0.05))
        gap = _calibration(chance, wanted)
        report["change"] = {"f1": round(best[0], 3), "at": round(best[1], 2), "ece": round(gap, 3)}
    right = [RELATIONS[g] == one[2] for g, one in zip(guess, pairs, strict=True)]
    report["pair"] = round(float(np.mean(right)), 3) if right else None
    merged = [_MERGED[RELATIONS[g]] == _MERGED[one[2]] for g, one in zip(guess, pairs, strict=True)]
    report["pair, three"] = round(float(np.mean(merged)), 3) if merged else None
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
