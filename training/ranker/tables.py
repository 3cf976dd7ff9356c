"""Questions into tables: what recall knows of each shortlisted record, and whether it is evidence.

The steps of the read path make the tables, on a memory opened as users open it, so that what is
fitted is what runs. A learned fact counts as the turns it was learned from.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from numpy.typing import NDArray

from evals.talks import Talk
from sharpwave import Memory, Message, RecallQuery
from sharpwave.recall import cue, gather, named
from sharpwave.testing import FrozenClock, workspace_of
from sharpwave.types.searching import Gathered

BATCH = 500


@dataclass(frozen=True)
class Row:
    """One question: its shortlist, and which of it is evidence."""

    talk: str
    category: str
    listed: Gathered
    right: NDArray[np.bool_]
    turns: tuple[str, ...]
    """The turn that each record is, or was learned from."""
    evidence: int
    """How many turns of evidence there are, found or not."""
    answerable: bool
    held_out: bool


def rows_of(talks: Iterable[Talk]) -> list[Row]:
    """The tables of all questions of some conversations."""
    return [row for talk in talks for row in _talk(talk)]


def _talk(talk: Talk) -> list[Row]:
    clock = FrozenClock(max(one.asked_at for one in talk.questions))
    with TemporaryDirectory() as folder, Memory.open(Path(folder) / "m.db", clock=clock) as memory:
        names: dict[str, str] = {}
        for start in range(0, len(talk.turns), BATCH):
            some = talk.turns[start : start + BATCH]
            said = [Message(one.text, one.role, one.speaker, one.at, one.session) for one in some]
            names |= zip(memory.remember(said).ids, (one.id for one in some), strict=True)
        workspace = workspace_of(memory)
        rows = []
        for asked in talk.questions:
            question = cue.understand(
                RecallQuery(asked.text), asked.asked_at, workspace.settings.recall
            )
            question, also = named.known(question, workspace)
            found, _ = gather.candidates(question, workspace, also)
            listed = gather.read(question, gather.best(found.gathered, question.k), workspace)
            records = {one.number: one for one in workspace.store.fetch(listed.numbers.tolist())}
            sources = [
                [names[id_] for id_ in (one.id, *one.provenance.parents) if id_ in names]
                for one in (records[number] for number in listed.numbers.tolist())
            ]
            right = np.array([bool(set(one) & set(asked.evidence)) for one in sources], np.bool_)
            rows.append(
                Row(
                    talk.name,
                    asked.category,
                    listed,
                    right,
                    tuple(one[0] if one else "" for one in sources),
                    len(asked.evidence),
                    asked.answerable,
                    asked.held_out,
                )
            )
        return rows
