"""From the prepared folder to tables, each run by its name: what is trained, and how wide.

    1 load       texts              -> piece numbers, and what the teachers say of the texts
    2 start      each piece         -> the teachers' vector of it, fewer dimensions, rare ones count
    3 distil     plenty of text     -> the sum of the pieces points where the teachers' vectors do
    4 contrast   question, answer   -> the answer is nearer than what BM25 takes for it; candidates
                                       are ranked as the teachers rank them; a text is nearest to
                                       its translation; the teachers still hold
    5 check      held-out questions -> printed, as floats and as int8
    6 scorer     lists              -> what the token scorer needs, beside the rows

A run is `KIND-DIMENSIONS`, and `-SEED` if not the first. KIND: `start`, `distil`, `contrast` (4
without 3), `both`, `turned` (both, and questions are turned by a matrix). After a `+` what is left
out of `turned`, or changed: `turned+nolm` (e5 alone), `+nolists` (no cross-encoder), `+norequests`.
"""

import math
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch.nn import functional as fn

from training import scorer, table_file
from training.check import check
from training.load import Loaded, load

DISTIL_STEPS = 3000
CONTRAST_STEPS = 3000
BATCH = 4096
RANKED = 2048
PAIRS = 1024
TRANSLATIONS = 1024
LISTS = 512
REQUESTS = 512
DISTIL_RATE = 3e-3
CONTRAST_RATE = 1e-3
TEMPERATURE = 0.05
SIF = 1e-3
REPLACED = 0.12
DROPPED = 0.1
NAMELESS = 0.3
TEACHER_SHARE = 0.3
LM_SHARE = 1.0
JUDGE_TEMPERATURE = 2.0
LIST_WEIGHT = 0.5
REQUEST_WEIGHT = 0.5
TASTE_WEIGHT = 0.2


@dataclass
class Run:
    """What one run trains on."""

    data: Loaded
    kind: str
    dimension: int
    lm_share: float
    lists: float
    requests: float
    tastes: float

    def __post_init__(self) -> None:
        joined = self._joined(self.data.e5[::7], self.data.lm[::7])
        some = fn.normalize(joined, dim=1)
        _, found = torch.linalg.eigh((some.T @ some).double())
        self.axes = found.flip(1)[:, : self.dimension].float()

    def _joined(self, e5: torch.Tensor, lm: torch.Tensor) -> torch.Tensor:
        return torch.cat([e5, self.lm_share * lm], dim=1).float()

    def target(self, chosen: torch.Tensor) -> torch.Tensor:
        """Where texts should point."""
        both = self._joined(self.data.e5[chosen], self.data.lm[chosen])
        return fn.normalize(both @ self.axes, dim=1)

    def start(self) -> torch.Tensor:
        """Each piece's own vector; the likelier the piece, the shorter."""
        rows = self._joined(self.data.pieces_e5, self.data.pieces_lm) @ self.axes
        chance = torch.softmax(torch.tensor(self.data.scores, device=rows.device), 0)
        return fn.normalize(rows, dim=1) * (SIF / (SIF + chance))[:, None]

    def believed(self, asked: str, one: torch.Tensor, told: str, two: torch.Tensor) -> torch.Tensor:
        """How alike the teachers think questions and statements are, in [-1, 1]."""
        a, b = self.data.believed[asked], self.data.believed[told]
        share = self.lm_share**2 / (1 + self.lm_share**2)
        return (1 - share) * (a[0][one] @ b[0][two].T) + share * (a[1][one] @ b[1][two].T)


def train(pack: Path, out: Path, runs: list[str], small: bool, seed: int) -> None:
    """Make the table of each run, and write it to `out`."""
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.set_float32_matmul_precision("high")
    began = time.time()
    kept = out / "loaded.pt"
    out.mkdir(parents=True, exist_ok=True)
    if kept.exists():
        data = torch.load(kept, map_location=device, weights_only=False)
    else:
        data = load(pack, device, small, seed)
        if device == "cuda":
            torch.save(data, kept)
    print(f"loaded in {time.time() - began:.0f} s on {device}", flush=True)
    for name in filter(None, runs):
        _one(data, name, out, 10 if small else 1, seed)


def _one(data: Loaded, name: str, out: Path, fewer: int, seed: int) -> None:
    began = time.time()
    parts = name.split("-")
    kind, _, less = parts[0].partition("+")
    torch.manual_seed(int(parts[2]) if len(parts) > 2 else seed)
    run = Run(
        data, kind, int(parts[1]),
        lm_share=0.0 if less == "nolm" else float(less[2:]) if less[:2] == "lm" else LM_SHARE,
        lists=0.0 if less == "nolists" else LIST_WEIGHT,
        requests=0.0 if less == "norequests" else REQUEST_WEIGHT,
        tastes=0.0 if less == "norequests" else TASTE_WEIGHT,
    )  # fmt: skip
    rows, turn = _fit(run, fewer)
    print(f"{name}: {time.time() - began:.0f} s", flush=True)
    check(data, rows, turn, f"{name} float")
    whole, scale, weight = table_file.quantised(rows.cpu().numpy())
    back = torch.from_numpy(whole * (scale * weight)[:, None]).to(rows.device)
    check(data, back, turn, f"{name} int8")
    learned = scorer.fit(data, back, f"{name} scorer", fewer) if kind == "turned" else {}
    command = "python -m " + " ".join(["training.embedder", *sys.argv[1:]])
    if turn is not None:
        learned["question"] = turn.cpu().numpy()
    file = out / f"{name}.npz"
    table_file.write(file, data.pieces, data.scores, rows.cpu().numpy(), command, learned)


def _fit(run: Run, fewer: int) -> tuple[torch.Tensor, torch.Tensor | None]:
    kind, data = run.kind, run.data
    first = run.start()
    table = torch.cat([first, torch.zeros_like(first[:1])]).requires_grad_()
    turn = None
    if kind == "turned":
        turn = torch.eye(run.dimension, device=first.device).requires_grad_()
    if kind in ("distil", "both", "turned"):
        _steps(DISTIL_STEPS // fewer, DISTIL_RATE, [table], lambda: distil(run, table))
    if kind in ("contrast", "both", "turned"):
        learned = [table] if turn is None else [table, turn]
        held = 0.0 if kind == "contrast" else 1.0

        def loss() -> torch.Tensor:
            total = contrast(run, table, turn) + 0.5 * _translated(data, table)
            total = total + 0.1 * _real(data, table, turn)
            for weight, part in (
                (run.lists, ranked), (run.requests, requested), (run.tastes, tasted),
            ):  # fmt: skip
                if weight:
                    total = total + weight * part(run, table, turn)
            return total + distil(run, table) if held else total

        _steps(CONTRAST_STEPS // fewer, CONTRAST_RATE, learned, loss)
    return table.detach()[:-1], None if turn is None else turn.detach()


def _steps(count: int, rate: float, learned: list[torch.Tensor], loss_of: Any) -> None:
    optimiser = torch.optim.Adam(learned, lr=rate, fused=learned[0].is_cuda)
    for step in range(count):
        warm = min(1.0, (step + 1) / 100)
        optimiser.param_groups[0]["lr"] = (
            rate * warm * (0.02 + 0.98 * 0.5 * (1 + math.cos(math.pi * step / count)))
        )
        loss = loss_of()
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        optimiser.step()
        if step % 1000 == 0 or step == count - 1:
            print(f"  step {step} loss {loss.item():.4f}", flush=True)


def distil(run: Run, table: torch.Tensor) -> torch.Tensor:
    """Point where the teachers do, and rank a batch by itself as the teachers do."""
    chosen = run.data.draw(BATCH)
    ours = fn.normalize(_sum(table, run.data.texts[chosen]), dim=1)
    theirs = run.target(chosen)
    apart = (1 - (ours * theirs).sum(1)).mean()
    same = torch.eye(RANKED, device=ours.device, dtype=torch.bool)
    a = (theirs[:RANKED] @ theirs[:RANKED].T / TEMPERATURE).masked_fill(same, -1e4)
    b = (ours[:RANKED] @ ours[:RANKED].T / TEMPERATURE).masked_fill(same, -1e4)
    ranks = fn.kl_div(b.log_softmax(1), a.log_softmax(1), log_target=True, reduction="batchmean")
    return apart + 0.3 * ranks


def contrast(run: Run, table: torch.Tensor, turn: torch.Tensor | None) -> torch.Tensor:
    """The statement a question was made from first."""
    data, device = run.data, table.device
    chosen = data.draw_pairs(PAIRS)
    right = data.pair_statement[chosen]
    others = data.pair_hard[chosen].reshape(-1)
    offered = torch.cat([right, others])
    names = data.names[torch.randint(len(data.names), (int(torch.randint(2, 6, ())),))]
    said = torch.randint(len(names), (len(offered),), device=device)
    questions = _sum(table, _varied(data, data.questions[chosen]))
    statements = _sum(table, data.statements[offered])
    if torch.rand(()) > NAMELESS:
        called = _sum(table, names)
        questions = questions + called[said[:PAIRS]]
        statements = statements + called[said]
    scores = _asked(questions, turn) @ fn.normalize(statements, dim=1).T / TEMPERATURE
    truth = offered[None, :] == right[:, None]
    truth[torch.arange(PAIRS), torch.arange(PAIRS)] = False
    scores = scores.masked_fill(truth, -1e4)  # the same statement a second time is no mistake
    hard = fn.cross_entropy(scores, torch.arange(PAIRS, device=device))
    believed = run.believed("made", chosen, "statements", offered) / TEMPERATURE
    soft = -(believed.masked_fill(truth, -1e4).softmax(1) * scores.log_softmax(1)).sum(1).mean()
    return (1 - TEACHER_SHARE) * hard + TEACHER_SHARE * soft


def ranked(run: Run, table: torch.Tensor, turn: torch.Tensor | None) -> torch.Tensor:
    """Candidates as the cross-encoder ranks them."""
    lists = run.data.lists
    chosen = torch.randint(len(lists.questions), (LISTS,), device=table.device)
    chosen = chosen[~lists.held[chosen]]
    asked = _asked(_sum(table, lists.questions[chosen]), turn)
    offered = lists.candidates[chosen]
    told = fn.normalize(_sum(table, offered.flatten(0, 1).long()), dim=1).view(
        *offered.shape[:2], -1
    )
    ours = torch.einsum("bd,bkd->bk", asked, told) / TEMPERATURE
    theirs = lists.scores[chosen] / JUDGE_TEMPERATURE
    return fn.kl_div(
        ours.log_softmax(1), theirs.log_softmax(1), log_target=True, reduction="batchmean"
    )


def requested(run: Run, table: torch.Tensor, turn: torch.Tensor | None) -> torch.Tensor:
    """Statements as the embedding teachers rank them for a request, the near ones among many."""
    data = run.data
    chosen = torch.randint(len(data.wanted), (REQUESTS,), device=table.device)
    pick = torch.randint(data.wanted_near.shape[1], (REQUESTS, 4), device=table.device)
    offered = data.wanted_near[chosen].gather(1, pick).reshape(-1).unique()
    asked = _asked(_sum(table, data.wanted[chosen]), turn)
    told = fn.normalize(_sum(table, data.statements[offered]), dim=1)
    theirs = run.believed("wanted", chosen, "statements", offered) / TEMPERATURE
    ours = asked @ told.T / TEMPERATURE
    return fn.kl_div(
        ours.log_softmax(1), theirs.log_softmax(1), log_target=True, reduction="batchmean"
    )


def tasted(run: Run, table: torch.Tensor, turn: torch.Tensor | None) -> torch.Tensor:
    """The taste that bears on a request first; half of the target is the teachers' ranking."""
    data = run.data
    last = len(data.tastes) - len(data.tastes) // 20
    chosen = torch.randint(last, (REQUESTS,), device=table.device)
    asked = _asked(_sum(table, data.tastes[chosen, 0]), turn)
    told = fn.normalize(_sum(table, data.tastes[chosen, 1]), dim=1)
    ours = asked @ told.T / TEMPERATURE
    hard = fn.cross_entropy(ours, torch.arange(REQUESTS, device=table.device))
    theirs = run.believed("requests", chosen, "tastes", chosen) / TEMPERATURE
    soft = -(theirs.softmax(1) * ours.log_softmax(1)).sum(1).mean()
    return 0.5 * hard + 0.5 * soft


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
        asked = _asked(_sum(table, question[None]), turn)[0]
        scores = fn.normalize(_sum(table, turns), dim=1) @ asked / TEMPERATURE
        total = total - (scores.log_softmax(0)[right]).mean()
    return total / 4


def _asked(sums: torch.Tensor, turn: torch.Tensor | None) -> torch.Tensor:
    return fn.normalize(sums if turn is None else sums @ turn.T, dim=1)


def _sum(table: torch.Tensor, ids: torch.Tensor) -> torch.Tensor:
    return fn.embedding_bag(ids, table, mode="sum", padding_idx=len(table) - 1)


def _varied(data: Loaded, ids: torch.Tensor) -> torch.Tensor:
    """Some pieces left out, some replaced by one of nearly the same meaning."""
    chance = torch.rand(ids.shape, device=ids.device)
    pick = torch.randint(data.near.shape[1], ids.shape, device=ids.device)
    ids = torch.where(chance < REPLACED, data.near[ids, pick], ids)
    return torch.where(chance > 1 - DROPPED, data.padding, ids)
