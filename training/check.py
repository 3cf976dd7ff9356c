"""What a table is worth on held-out text, while training: nothing here is tuned on LoCoMo."""

import torch
from torch.nn import functional as fn

from training.load import HELD_PAIRS, Loaded


def check(data: Loaded, rows: torch.Tensor, turn: torch.Tensor | None, name: str) -> None:
    """Print NDCG@10 of held-out questions, recall of made ones, and translations found."""
    table = torch.cat([rows.float(), torch.zeros_like(rows[:1]).float()])
    print(
        f"{name}: LongMemEval held-out NDCG@10 {_real(data, table, turn):.3f}, "
        f"made questions R@10 {_made(data, table, turn):.3f}, "
        f"tastes R@10 {_tastes(data, table, turn):.3f}, "
        f"rank correlation with the cross-encoder {_lists(data, table, turn)}, "
        f"translations {_translated(data, table)}",
        flush=True,
    )


def _turned(asked: torch.Tensor, turn: torch.Tensor | None) -> torch.Tensor:
    return asked if turn is None else asked @ turn.T


def _real(data: Loaded, table: torch.Tensor, turn: torch.Tensor | None) -> float:
    gains = []
    for question, turns, right in data.real_held:
        asked = fn.normalize(_turned(table[question].sum(0), turn), dim=0)
        scores = fn.normalize(table[turns].sum(1), dim=1) @ asked
        first = right[scores.topk(10).indices].float()
        worth = 1 / torch.log2(torch.arange(2, 12, device=table.device).float())
        best = worth[: int(right.sum().clamp(max=10))].sum()
        gains.append(((first * worth).sum() / best).item())
    return sum(gains) / len(gains)


def _made(data: Loaded, table: torch.Tensor, turn: torch.Tensor | None) -> float:
    asked = fn.normalize(_turned(table[data.questions[-HELD_PAIRS:]].sum(1), turn), dim=1)
    told = fn.normalize(table[data.statements].sum(1), dim=1)
    first = (asked @ told.T).topk(10, dim=1).indices
    return (first == data.pair_statement[-HELD_PAIRS:, None]).any(1).float().mean().item()


def _tastes(data: Loaded, table: torch.Tensor, turn: torch.Tensor | None) -> float:
    held = data.tastes[-(len(data.tastes) // 20) :]
    asked = fn.normalize(_turned(table[held[:, 0]].sum(1), turn), dim=1)
    told = fn.normalize(table[held[:, 1]].sum(1), dim=1)
    first = (asked @ told.T).topk(10, dim=1).indices
    right = torch.arange(len(held), device=table.device)
    return (first == right[:, None]).any(1).float().mean().item()


def _lists(data: Loaded, table: torch.Tensor, turn: torch.Tensor | None) -> str:
    """Of held-out lists, by kind: made, wanted, answered, real."""
    lists = data.lists
    found = []
    for kind in range(4):
        chosen = (lists.held & (lists.kinds == kind)).nonzero()[:, 0]
        if not len(chosen):
            continue
        asked = fn.normalize(_turned(table[lists.questions[chosen]].sum(1), turn), dim=1)
        told = torch.stack(
            [fn.normalize(table[lists.candidates[one].long()].sum(1), dim=1) for one in chosen]
        )
        ours = torch.einsum("bd,bkd->bk", asked, told)
        a, b = (one.argsort(1).argsort(1).float() for one in (ours, lists.scores[chosen]))
        a, b = (fn.normalize(one - one.mean(1, keepdim=True), dim=1) for one in (a, b))
        found.append(f"{(a * b).sum(1).mean().item():.3f}")
    return " ".join(found)


def _translated(data: Loaded, table: torch.Tensor) -> str:
    """Share of held-out texts nearest to their English meaning, by language."""
    english = torch.tensor([g["en"] for g in data.held_groups], device=table.device)
    meant = fn.normalize(table[data.texts[english]].sum(1), dim=1)
    found = []
    for language in sorted({one for g in data.held_groups for one in g if one != "en"}):
        at = [(n, g[language]) for n, g in enumerate(data.held_groups) if language in g]
        right = torch.tensor([n for n, _ in at], device=table.device)
        which = torch.tensor([t for _, t in at], device=table.device)
        nearest = (fn.normalize(table[data.texts[which]].sum(1), dim=1) @ meant.T).argmax(1)
        found.append(f"{language} {(nearest == right).float().mean().item():.2f}")
    return " ".join(found)
