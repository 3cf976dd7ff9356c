"""Step 2: candidates from the recall index, by vector and by keywords, with their features."""

from collections.abc import Sequence

import numpy as np

from sharpwave.errors import ProviderError
from sharpwave.types.asking import Question
from sharpwave.types.searching import Found
from sharpwave.workspace import Workspace


def candidates(
    question: Question, workspace: Workspace, limit: int, also: Sequence[int] = ()
) -> tuple[Found, tuple[str, ...]]:
    """The best of each retriever, and `also`; if the embedder fails, keywords alone and a note."""
    notes: tuple[str, ...] = ()
    try:
        vector = workspace.embedder.embed_question(question.text)
    except ProviderError as error:
        vector = np.zeros(workspace.embedder.space.dimension, dtype=np.float32)  # matches nothing
        notes = (f"searched by keywords only: {error}",)
    wanted = max(limit, question.k)
    found = workspace.index.search(question.text, vector, wanted, question.only, also)
    return found, notes
