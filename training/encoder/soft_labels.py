"""How a larger encoder sees turns and questions: labels with shades.

Each teacher is trained on all folds but one and reads the people of that one, so it never tells
what it was told:

    python -m training.encoder.train --model MPNET --out TEACHER0 --fold 0 --read 0 --share 0 …
    python -m training.encoder.train --model MINILM --out RUN1 --soft TEACHER0 TEACHER1 …

A file holds the teacher's vector of every turn and query of its fold, so that it ranks the turns of
several people together too, and the cosine at which it takes a question to be about nothing that
was said.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch

from training.encoder.tasks import PersonTasks

FILE = "soft.npz"


class Teacher:
    """What one teacher says of the texts of its fold."""

    def __init__(self, file: Path, device: str) -> None:
        held = np.load(file)
        self.fold = int(held["fold"])
        self._nothing = float(held["nothing"])
        self._place = {str(text): place for place, text in enumerate(held["texts"])}
        self._vectors = torch.tensor(held["vectors"], dtype=torch.float32, device=device)

    def cosines(self, queries: Sequence[str], turns: Sequence[str]) -> torch.Tensor:
        """Of each query with every turn, and last that of "nothing"."""
        asked = self._vectors[[self._place[text] for text in queries]]
        told = self._vectors[[self._place[text] for text in turns]]
        return torch.nn.functional.pad(asked @ told.T, (0, 1), value=self._nothing)


def load(folders: Iterable[Path], device: str) -> dict[int, Teacher]:
    """The teachers, by the fold that each may speak of."""
    teachers = [Teacher(folder / FILE, device) for folder in folders]
    return {teacher.fold: teacher for teacher in teachers}


def write(encoder: Any, people: Sequence[PersonTasks], fold: int, out: Path) -> None:
    """What the encoder makes of these people's turns and queries."""
    texts = sorted(
        {text for one in people for text in (*one.turns, *(query.text for query in one.queries))}
    )
    with torch.no_grad():
        vectors = encoder(texts).half().cpu().numpy()
    out.mkdir(parents=True, exist_ok=True)
    nothing = float(encoder.nothing.detach())
    np.savez(out / FILE, fold=fold, nothing=nothing, texts=np.array(texts), vectors=vectors)
