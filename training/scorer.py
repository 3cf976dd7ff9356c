"""The token scorer, distilled from the cross-encoder: what it needs beside the rows of a table.

    score = Σ_q w(q) · max_t ( cos(M q, t) · g(t) )  /  Σ_q w(q)   +   Σ_t b(t) / pieces

    w    how much a piece of a question counts          `query_weight`
    M    what a piece of a question looks for            `query_turn`   ("when" looks for dates)
    g    how much a match with a piece is worth          `text_weight`
    b    how much a piece makes a text an answer         `text_prior`   (a greeting is none)

Learned from lists of sixteen candidates, so that the order is the cross-encoder's; the rows are
those of the finished table, in int8, and stay as they are.
"""

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn import functional as fn

from training.load import Loaded

STEPS = 2500
LISTS = 192
RATE = 2e-3
SHARPNESS = 25.0
JUDGE_TEMPERATURE = 1.5
DECAY = 1e-4
TOP = 30


class Scorer(torch.nn.Module):
    """The formula above, for batches of lists."""

    def __init__(self, rows: torch.Tensor, parts: str) -> None:
        super().__init__()
        count, dimension = rows.shape
        padded = torch.cat([rows, torch.zeros_like(rows[:1])])
        self._type = torch.bfloat16 if rows.is_cuda else torch.float32
        self.rows = padded
        self.units = fn.normalize(padded, dim=1).to(self._type)
        lengths = padded.norm(dim=1).clamp(min=1e-6)
        self.start = lengths.log()
        device = rows.device
        self.w = torch.nn.Parameter(torch.zeros(count + 1, device=device))
        self.g = torch.nn.Parameter(torch.zeros(count + 1, device=device))
        self.b = torch.nn.Parameter(torch.zeros(count + 1, device=device))
        self.m = torch.nn.Parameter(torch.eye(dimension, device=device))
        self.sharp = torch.nn.Parameter(torch.tensor(np.log(SHARPNESS), device=device).float())
        self.parts = parts

    def weight(self) -> torch.Tensor:
        """Of every piece of a question."""
        return (self.start + self.w).exp()

    def forward(self, questions: torch.Tensor, texts: torch.Tensor) -> torch.Tensor:
        """(b, q) and (b, k, t) piece numbers into (b, k) scores."""
        none = len(self.units) - 1
        asked = self.units[questions].float()
        if "m" in self.parts:
            asked = fn.normalize(asked @ self.m.T, dim=2)
        flat = texts.flatten(1)
        alike = torch.bmm(asked.to(self._type), self.units[flat].transpose(1, 2)).float()
        if "g" in self.parts:
            alike = alike * self.g[flat].exp()[:, None, :]
        alike = alike.masked_fill((flat == none)[:, None, :], -1e4)
        best = alike.view(*questions.shape, *texts.shape[1:]).amax(3).clamp(min=-1)
        weight = self.weight()[questions] * (questions != none)
        score = torch.einsum("bq,bqk->bk", weight, best) / weight.sum(1, keepdim=True).clamp(1e-6)
        if "b" in self.parts:
            real = texts != none
            score = score + (self.b[texts] * real).sum(2) / real.sum(2).clamp(min=1)
        return score

    def arrays(self) -> dict[str, NDArray[Any]]:
        """What the table's file holds."""
        found = {"query_weight": self.weight()}
        found |= {"query_turn": self.m} if "m" in self.parts else {}
        found |= {"text_weight": self.g.exp()} if "g" in self.parts else {}
        found |= {"text_prior": self.b} if "b" in self.parts else {}
        return {
            name: (one if name == "query_turn" else one[:-1]).detach().cpu().numpy()
            for name, one in found.items()
        }


def fit(
    data: Loaded, rows: torch.Tensor, name: str, fewer: int, parts: str = "wmgb"
) -> dict[str, Any]:
    """Learn the parts, print what they are worth on what was held out, and return them."""
    torch.manual_seed(1)
    model = Scorer(rows.float(), parts)
    _told(data, model, f"{name} {parts} before")
    learned = [one for part, one in model.named_parameters() if part in parts or part == "sharp"]
    optimiser = torch.optim.Adam(learned, lr=RATE)
    seen = (~data.lists.held).nonzero()[:, 0]
    steps = STEPS // fewer
    for step in range(steps):
        for group in optimiser.param_groups:
            group["lr"] = RATE * min(1.0, (step + 1) / 100) * (1 - step / steps)
        chosen = seen[torch.randint(len(seen), (LISTS,), device=seen.device)]
        loss = _loss(data, model, chosen)
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        optimiser.step()
        if step % 1000 == 0 or step == steps - 1:
            print(f"  scorer step {step} loss {loss.item():.4f}", flush=True)
    _told(data, model, f"{name} {parts} after")
    return model.arrays()


def _loss(data: Loaded, model: Scorer, chosen: torch.Tensor) -> torch.Tensor:
    lists = data.lists
    ours = model(lists.questions[chosen], lists.candidates[chosen].long()) * model.sharp.exp()
    theirs = lists.scores[chosen] / JUDGE_TEMPERATURE
    apart = fn.kl_div(
        ours.log_softmax(1), theirs.log_softmax(1), log_target=True, reduction="batchmean"
    )
    small = sum((one**2).sum() for one in (model.w, model.g, model.b))
    return apart + DECAY * small


@torch.no_grad()
def _told(data: Loaded, model: Scorer, name: str) -> None:
    """Agreement with the cross-encoder on held-out lists; NDCG@10 of held-out real questions."""
    lists = data.lists
    held = lists.held.nonzero()[:, 0]
    ours = torch.cat(
        [model(lists.questions[p], lists.candidates[p].long()) for p in held.split(LISTS)]
    )
    theirs = lists.scores[held]
    agreed = []
    for kind in range(4):
        which = lists.kinds[held] == kind
        if which.any():
            a, b = (one[which].argsort(1).argsort(1).float() for one in (ours, theirs))
            a, b = (fn.normalize(one - one.mean(1, keepdim=True), dim=1) for one in (a, b))
            first = (ours[which].argmax(1) == theirs[which].argmax(1)).float().mean().item()
            agreed.append(f"{(a * b).sum(1).mean().item():.3f}/{first:.3f}")
    gains: list[list[float]] = [[], [], []]
    for (question, turns, right), judged in zip(data.real_held, data.real_held_scores, strict=True):
        dense = fn.normalize(model.rows[turns].sum(1), dim=1) @ model.rows[question].sum(0)
        scored = model(question[None], turns[None])[0]
        best = dense.topk(min(TOP, len(dense))).indices
        for at, one in enumerate((dense, scored, judged)):
            gains[at].append(_ndcg(best[one[best].argsort(descending=True)], right))
    means = [sum(one) / len(one) for one in gains]
    print(
        f"{name}: rank correlation / same first, made wanted answered real: {' '.join(agreed)}; "
        f"LongMemEval held-out NDCG@10 of 30: dense {means[0]:.3f}, scorer {means[1]:.3f}, "
        f"cross-encoder {means[2]:.3f}",
        flush=True,
    )


def _ndcg(order: torch.Tensor, right: torch.Tensor) -> float:
    worth = 1 / torch.log2(torch.arange(2, 12, device=order.device).float())
    first = right[order[:10]].float()
    best = worth[: int(right.sum().clamp(max=10))].sum()
    return ((first * worth[: len(first)]).sum() / best).item()
