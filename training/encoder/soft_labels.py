"""How a larger encoder ranks a person's turns for each question: labels with shades.

Each teacher is trained on the people of all folds but one and ranks the turns of that one, so it
never tells what it was told:

    python -m training.encoder.train --model MPNET --out TEACHER0 --fold 0 --read 0 --share 0 …
    python -m training.encoder.train --model MINILM --out RUN1 --soft TEACHER0 TEACHER1

A file holds, for each person and query, the teacher's cosine with every turn, and last the cosine
at which it takes the question to be about nothing that was said.
"""

import gzip
import json
import zlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import torch

from training.encoder.tasks import PersonTasks

FOLDS = 2
FILE = "soft.json.gz"

SoftLabels = dict[str, dict[str, list[float]]]


def fold_of(person_id: str) -> int:
    """Which fold a person is in: the same for good."""
    return zlib.crc32(person_id.encode()) % FOLDS


def write(encoder: Any, people: Sequence[PersonTasks], out: Path) -> None:
    """What the encoder makes of the queries about these people."""
    made: SoftLabels = {}
    nothing = round(float(encoder.nothing.detach()), 3)
    with torch.no_grad():
        for person in people:
            texts = [query.text for query in person.queries]
            vectors = encoder([*person.turns, *texts]).float()
            turns, queries = vectors[: len(person.turns)], vectors[len(person.turns) :]
            rows = (queries @ turns.T).cpu().tolist()
            made[person.id] = {
                text: [*(round(cosine, 3) for cosine in row), nothing]
                for text, row in zip(texts, rows, strict=True)
            }
    out.mkdir(parents=True, exist_ok=True)
    with gzip.open(out / FILE, "wt", encoding="utf-8") as file:
        json.dump(made, file)


def load(folders: Iterable[Path]) -> SoftLabels:
    """What several teachers say, each of its own people."""
    made: SoftLabels = {}
    for folder in folders:
        with gzip.open(folder / FILE, "rt", encoding="utf-8") as file:
            made |= json.load(file)
    return made
