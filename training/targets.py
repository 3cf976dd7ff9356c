"""What both embedding teachers say of a text, side by side: e5 of all languages, MiniLM of English.

    target = [ e5 less the mean of its language ; share * MiniLM less its mean ]

A text with a translation takes MiniLM's vector of the English one. A text without takes what a
linear map, fitted on English, makes of its e5 vector. Each half has length one on average.
"""

from dataclasses import dataclass

import torch

RIDGE = 1e-2


@dataclass
class Target:
    """The map between the teachers, and their usual lengths and means on English."""

    map: torch.Tensor
    e5_length: float
    lm_length: float
    lm_mean: torch.Tensor

    def lm(self, vectors: torch.Tensor) -> torch.Tensor:
        """MiniLM's vectors, centred, of the usual length."""
        return (vectors - self.lm_mean) / self.lm_length

    def guessed(self, e5: torch.Tensor) -> torch.Tensor:
        """What MiniLM would say, from centred e5 vectors of the usual length."""
        return e5 @ self.map


def fit(e5: torch.Tensor, lm: torch.Tensor) -> Target:
    """Fit on English: centred e5 vectors, and MiniLM's."""
    mean = lm.mean(0)
    lm_length = (lm - mean).norm(dim=1).mean().item()
    e5_length = e5.norm(dim=1).mean().item()
    x, y = (e5 / e5_length).double(), ((lm - mean) / lm_length).double()
    eye = torch.eye(x.shape[1], device=x.device, dtype=x.dtype)
    solved = torch.linalg.solve(x.T @ x + RIDGE * len(x) * eye, x.T @ y)
    return Target(solved.float(), e5_length, lm_length, mean)
