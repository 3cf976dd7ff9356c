"""How a larger encoder sees turns and questions: labels with shades.

Each teacher is trained on all folds but one and reads the people of that one, so it never tells
what it was told:

    python -m training.encoder.train --model MPNET --out TEACHER0 --fold 0 --share 0 …
    python -m training.encoder.train --model MINILM --out RUN1 --soft TEACHER0 TEACHER1 …

A file holds the teacher's vector of every turn and query of its fold, so that it ranks the turns of
several people together too, the cosine at which it takes a question to be about nothing that was
said, and what it reads in each sentence.
"""

from collections.abc import Iterable, Mapping, Sequence
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
        said = np.split(held["said"].astype(np.float32), np.cumsum(held["sentences"])[:-1])
        self.read = {str(text): rows for text, rows in zip(held["turns"], said, strict=True)}
        """Of a turn's text, chances of kinds and modes: one row for each sentence."""

    def cosines(self, queries: Sequence[str], turns: Sequence[str]) -> torch.Tensor:
        """Of each query with every turn, and last that of "nothing"."""
        asked = self._vectors[[self._place[text] for text in queries]]
        told = self._vectors[[self._place[text] for text in turns]]
        return torch.nn.functional.pad(asked @ told.T, (0, 1), value=self._nothing)


def load(folders: Iterable[Path], device: str) -> dict[int, Teacher]:
    """The teachers, by the fold that each may speak of."""
    teachers = [Teacher(folder / FILE, device) for folder in folders]
    return {teacher.fold: teacher for teacher in teachers}


def write(
    encoder: Any,
    people: Sequence[PersonTasks],
    said: Mapping[str, np.ndarray],
    fold: int,
    out: Path,
) -> None:
    """What the encoder makes of these people's turns and queries, and says of each sentence."""
    texts = sorted(
        {text for one in people for text in (*one.turns, *(query.text for query in one.queries))}
    )
    with torch.no_grad():
        vectors = encoder(texts).half().cpu().numpy()
    out.mkdir(parents=True, exist_ok=True)
    np.savez(
        out / FILE,
        fold=fold,
        nothing=float(encoder.nothing.detach()),
        texts=np.array(texts),
        vectors=vectors,
        turns=np.array(list(said)),
        sentences=np.array([len(rows) for rows in said.values()]),
        said=np.concatenate(list(said.values())).astype(np.float16),
    )
