"""Other retrievers over the same turns, in the same run, by name.

    bm25       stemmed, stop words dropped, the speaker named
    vector     cosine of our embedder, the speaker named
    chromadb, langgraph, mem0ai   see `other_stores.py`; each needs its package

A rival that is not installed is left out with a note that says how to install it.
"""

from collections.abc import Callable, Sequence

import numpy as np

from sharpwave.embedding.table_embedder import SharpwaveEmbedder
from sharpwave.errors import InvalidInput
from sharpwave.evals.recall.other_stores import Chroma, LangGraph, Mem0
from sharpwave.evals.recall.rival import DEPTH, Rank, Rival, said
from sharpwave.evals.recall.talks import Turn
from sharpwave.evals.retrievers import Dense, Keywords, Retriever, ranking


class Plain(Rival):
    """Scores of all turns, best first."""

    def __init__(self, retriever: Retriever) -> None:
        self._retriever = retriever

    def take_in(self, turns: Sequence[Turn]) -> Rank:
        """Index them, each with its speaker's name."""
        search = self._retriever.index([said(turn) for turn in turns])
        return lambda question: [
            turns[place].id for place in ranking(np.asarray(search(question)))[:DEPTH]
        ]


def named(wanted: Sequence[str] | None) -> tuple[str, ...]:
    """The names of rivals to run; the usual ones if none is named, every one for `all`."""
    if not wanted:
        return USUAL
    names = tuple(dict.fromkeys(NAMES if "all" in wanted else wanted))
    for name in names:
        if name not in _RIVALS:
            raise InvalidInput(f"there is no peer {name!r}; there are: all, {', '.join(_RIVALS)}")
    return names


def open_named(name: str) -> Rival:
    """A rival by name; NotFound says which package is missing."""
    return _RIVALS[named([name])[0]]()


_RIVALS: dict[str, Callable[[], Rival]] = {
    "bm25": lambda: Plain(Keywords()),
    "vector": lambda: Plain(Dense(SharpwaveEmbedder())),
    "chromadb": Chroma,
    "langgraph": LangGraph,
    "mem0ai": Mem0,
}
NAMES = tuple(_RIVALS)
USUAL = ("bm25", "vector")
"""Those that need nothing else."""
