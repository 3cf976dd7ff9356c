"""Questions into tables: what recall knows of each shortlisted turn, and whether it is evidence.

The steps of the read path make the tables, so that what is fitted is what runs.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evals.talks import Talk
from sharpwave import Message, RecallQuery, Settings
from sharpwave.embedding.sharpwave_embedder import SharpwaveEmbedder
from sharpwave.embedding.table import load_table
from sharpwave.embedding.table_embedder import TokenScorer
from sharpwave.recall import cue, gather, named
from sharpwave.testing import FrozenClock, in_memory, workspace_of
from sharpwave.types.searching import Shortlist

BATCH = 500


@dataclass(frozen=True)
class Row:
    """One question: its shortlist, and which of it is evidence."""

    talk: str
    category: str
    listed: Shortlist
    right: NDArray[np.bool_]
    evidence: int
    """How many turns of evidence there are, found or not."""
    answerable: bool
    held_out: bool


class Reader:
    """Makes tables; loads the embedder once."""

    def __init__(self) -> None:
        table = load_table(None)
        self._embedder = SharpwaveEmbedder(table)
        self._tokens = TokenScorer(table)
        self._settings = Settings().recall

    def rows(self, talks: Iterable[Talk]) -> list[Row]:
        """The tables of all questions of some conversations."""
        return [row for talk in talks for row in self._talk(talk)]

    def _talk(self, talk: Talk) -> list[Row]:
        clock = FrozenClock(max(one.asked_at for one in talk.questions))
        memory = in_memory(embedder=self._embedder, tokens=self._tokens, clock=clock)
        names: dict[str, str] = {}
        for start in range(0, len(talk.turns), BATCH):
            some = talk.turns[start : start + BATCH]
            said = [Message(one.text, one.role, one.speaker, one.at, one.session) for one in some]
            names |= zip(memory.remember(said).ids, (one.id for one in some), strict=True)
        workspace = workspace_of(memory)
        roles = {one.role for one in talk.turns if one.candidate}
        numbers = {one.number: one.id for one in workspace.store.find(list(names))}
        rows = []
        for asked in talk.questions:
            wanted = RecallQuery(asked.text, kinds=["turn"], roles=sorted(roles))
            question = cue.understand(wanted, asked.asked_at, self._settings)
            question, also = named.known(question, workspace)
            found, _ = gather.candidates(question, workspace, also)
            listed = gather.best(found.gathered, question.k)
            listed = gather.read(question, listed, workspace)
            ids = [names[numbers[number]] for number in listed.numbers.tolist()]
            right = np.array([one in asked.evidence for one in ids], np.bool_)
            rows.append(
                Row(
                    talk.name,
                    asked.category,
                    listed,
                    right,
                    len(asked.evidence),
                    asked.answerable,
                    asked.held_out,
                )
            )
        return rows
