"""From the prepared folder to tables, each run by its name: what is trained, and how wide.

    1 load       texts              -> piece numbers, and the teacher's vectors of the texts
    2 start      each piece         -> the teacher's vector of it, fewer dimensions, rare ones count
    3 distil     plenty of text     -> the sum of the pieces points where the teacher's vector does
    4 contrast   question, answer   -> the answer is nearer than what BM25 takes for it; a text is
                                       nearest to its translation; the teacher still holds
    5 check      held-out questions -> printed, as floats and as int8

Runs: `start-D`, `distil-D`, `contrast-D` (4 without 3), `both-D`, `turned-D` (both, and questions
are turned by a matrix), for D dimensions.
"""

import math
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch.nn import functional as fn

from training import table_file
from training.check import check
from training.load import Loaded, load

DISTIL_STEPS = 4000
CONTRAST_STEPS = 4000
BATCH = 4096
RANKED = 2048
PAIRS = 1024
TRANSLATIONS = 1024
DISTIL_RATE = 3e-3
CONTRAST_RATE = 1e-3
TEMPERATURE = 0.05
SIF = 1e-3
REPLACED = 0.12
DROPPED = 0.1
NAMELESS = 0.3
TEACHER_SHARE = 0.3


def train(pack: Path, out: Path, runs: list[str], small: bool, seed: int) -> None:
    """Make the table of each run, and write it to `out`."""
    device = "cuda" if torch.cuda.is_available() else "cpu"
    began = time.time()
    data = load(pack, device, small, seed)
    print(f"loaded in {time.time() - began:.0f} s on {device}", flush=True)
    out.mkdir(parents=True, exist_ok=True)
    for run in runs:
        began = time.time()
        torch.manual_seed(seed)
        np.random.seed(seed)
        kind, dimension = run.split("-")
        rows, turn = _fit(data, kind, int(dimension), 10 if small else 1)
        print(f"{run}: {time.time() - began:.0f} s", flush=True)
        check(data, rows, turn, f"{run} float")
        whole, scale, weight = table_file.quantised(rows.cpu().numpy())
        back = whole * (scale * weight)[:, None]
        check(data, torch.from_numpy(back).to(device), turn, f"{run} int8")
        command = "python -m " + " ".join(["training.embedder", *sys.argv[1:]])
        turned = None if turn is None else turn.cpu().numpy()
        file = out / f"{run}.npz"
        table_file.write(file, data.pieces, data.scores, rows.cpu().numpy(), command, turned)


def start(data: Loaded, dimension: int) -> torch.Tensor:
    """Each piece's own vector; the likelier the piece, the shorter."""
    rows = fn.normalize(data.piece_vectors @ data.axes[:, :dimension], dim=1)
    chance = torch.softmax(torch.tensor(data.scores, device=rows.device), 0)
    return rows * (SIF / (SIF + chance))[:, None]


def _fit(
    data: Loaded, kind: str, dimension: int, fewer: int
) -> tuple[torch.Tensor, torch.Tensor | None]:
    first = start(data, dimension)
    table = torch.cat([first, torch.zeros_like(first[:1])]).requires_grad_()
    turn = torch.eye(dimension, device=first.device).requires_grad_() if kind == "turned" else None
    if kind in ("distil", "both", "turned"):
        _steps(DISTIL_STEPS // fewer, DISTIL_RATE, [table], lambda: distil(data, table))
    if kind in ("contrast", "both", "turned"):
        learned = [table] if turn is None else [table, turn]
        held = 0.0 if kind == "contrast" else 1.0
        _steps(
            CONTRAST_STEPS // fewer,
            CONTRAST_RATE,
            learned,
            lambda: contrast(data, table, turn) + (held * distil(data, table) if held else 0.0),
        )
    return table.detach()[:-1], None if turn is None else turn.detach()


def _steps(count: int, rate: float, learned: list[torch.Tensor], loss_of: Any) -> None:
    optimiser = torch.optim.Adam(learned, lr=rate)
    for step in range(count):
        warm = min(1.0, (step + 1) / 100)
        optimiser.param_groups[0]["lr"] = (
            rate * warm * (0.02 + 0.98 * 0.5 * (1 + math.cos(math.pi * step / count)))
        )
        loss = loss_of()
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        optimiser.step()
        if step % 500 == 0 or step == count - 1:
            print(f"  step {step} loss {loss.item():.4f}", flush=True)


def distil(data: Loaded, table: torch.Tensor) -> torch.Tensor:
    """Point where the teacher does, and rank a batch by itself as the teacher does."""
    chosen = data.draw(BATCH)
    ours = fn.normalize(_sum(table, data.texts[chosen]), dim=1)
    theirs = fn.normalize(data.vectors[chosen] @ data.axes[:, : table.shape[1]], dim=1)
    apart = (1 - (ours * theirs).sum(1)).mean()
    same = torch.eye(RANKED, device=ours.device, dtype=torch.bool)
    a = (theirs[:RANKED] @ theirs[:RANKED].T / TEMPERATURE).masked_fill(same, -1e4)
    b = (ours[:RANKED] @ ours[:RANKED].T / TEMPERATURE).masked_fill(same, -1e4)
    ranked = fn.kl_div(b.log_softmax(1), a.log_softmax(1), log_target=True, reduction="batchmean")
    return apart + 0.3 * ranked


def contrast(data: Loaded, table: torch.Tensor, turn: torch.Tensor | None) -> torch.Tensor:
    """The statement a question was made from first; a text's translation first."""
    device = table.device
    chosen = data.draw_pairs(PAIRS)
    right = data.pair_statement[chosen]
    others = data.pair_hard[chosen].reshape(-1)
    offered = torch.cat([right, others])
    names = data.names[torch.randint(len(data.names), (int(torch.randint(2, 6, ())),))]
    said = torch.randint(len(names), (len(offered),), device=device)
    questions = _sum(table, _varied(data, data.questions[chosen]))
    statements = _sum(table, data.statements[offered])
    if torch.rand(()) > NAMELESS:
        named = _sum(table, names)
        questions = questions + named[said[:PAIRS]]
        statements = statements + named[said]
    ours = fn.normalize(questions if turn is None else questions @ turn.T, dim=1)
    answers = fn.normalize(statements, dim=1)
    scores = ours @ answers.T / TEMPERATURE
    truth = offered[None, :] == right[:, None]
    truth[torch.arange(PAIRS), torch.arange(PAIRS)] = False
    scores = scores.masked_fill(truth, -1e4)  # the same statement a second time is no mistake
    wanted = torch.arange(PAIRS, device=device)
    hard = fn.cross_entropy(scores, wanted)
    believed = data.question_vectors[chosen] @ data.statement_vectors[offered].T / TEMPERATURE
    soft = -(believed.masked_fill(truth, -1e4).softmax(1) * scores.log_softmax(1)).sum(1).mean()
    loss = (1 - TEACHER_SHARE) * hard + TEACHER_SHARE * soft
    return loss + 0.5 * _translated(data, table) + 0.1 * _real(data, table, turn)


def _translated(data: Loaded, table: torch.Tensor) -> torch.Tensor:
    chosen = torch.randint(len(data.parallel), (TRANSLATIONS,), device=table.device)
    one, other = data.parallel[chosen].T
    a = fn.normalize(_sum(table, data.texts[one]), dim=1)
    b = fn.normalize(_sum(table, data.texts[other]), dim=1)
    scores = a @ b.T / TEMPERATURE
    same = data.meaning[one][:, None] == data.meaning[one][None, :]
    same.fill_diagonal_(False)
    scores = scores.masked_fill(same, -1e4)
    wanted = torch.arange(len(a), device=table.device)
    return (fn.cross_entropy(scores, wanted) + fn.cross_entropy(scores.T, wanted)) / 2


def _real(data: Loaded, table: torch.Tensor, turn: torch.Tensor | None) -> torch.Tensor:
    """A few questions that people wrote, each among the turns of its own haystack."""
    total = torch.zeros((), device=table.device)
    for number in torch.randint(len(data.real_seen), (4,)).tolist():
        question, turns, right = data.real_seen[number]
        asked = _sum(table, question[None])[0]
        asked = fn.normalize(asked if turn is None else turn @ asked, dim=0)
        scores = fn.normalize(_sum(table, turns), dim=1) @ asked / TEMPERATURE
        total = total - (scores.log_softmax(0)[right]).mean()
    return total / 4


def _sum(table: torch.Tensor, ids: torch.Tensor) -> torch.Tensor:
    return fn.embedding_bag(ids, table, mode="sum", padding_idx=len(table) - 1)


def _varied(data: Loaded, ids: torch.Tensor) -> torch.Tensor:
    """Some pieces left out, some replaced by one of nearly the same meaning."""
    chance = torch.rand(ids.shape, device=ids.device)
    pick = torch.randint(data.near.shape[1], ids.shape, device=ids.device)
    ids = torch.where(chance < REPLACED, data.near[ids, pick], ids)
    return torch.where(chance > 1 - DROPPED, data.padding, ids)
