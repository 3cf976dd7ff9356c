"""How often a worker that dies is started anew, and how soon."""

from sharpwave import SharpwaveError

PAUSES_S = (0.0, 0.5, 1.0, 2.0, 4.0, 8.0)
"""Before each try in a row; after them it is given up."""
SETTLED_S = 60.0
"""Whoever served so long had begun well: what ended it is no reason to wait."""


class Tries:
    """The tries in a row to keep one worker alive."""

    def __init__(self) -> None:
        self._made = 0

    def pause_s(self, lived_s: float) -> float:
        """How long to wait before the next try; an error once there were too many."""
        if lived_s >= SETTLED_S:
            self._made = 0
        if self._made == len(PAUSES_S):
            raise SharpwaveError(
                f"a worker died {self._made + 1} times soon after its start, and is not started "
                "again; what it said stands above. `sharpwave doctor` looks at the file."
            )
        self._made += 1
        return PAUSES_S[self._made - 1]
