"""What every other retriever has in common: it takes in turns, and ranks them for a question."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence

from evals.recall.talks import Turn

Rank = Callable[[str], list[str]]
"""A question to ids of turns, best first."""
DEPTH = 16
"""How many turns a rival is asked for."""


class Rival(ABC):
    """Something else that finds turns."""

    @abstractmethod
    def take_in(self, turns: Sequence[Turn]) -> Rank:
        """Remember the candidates of one talk; what it returns ranks them."""


def said(turn: Turn) -> str:
    """A turn with its speaker, as our memory sees it too."""
    return f"{turn.speaker}: {turn.text}" if turn.speaker else turn.text
