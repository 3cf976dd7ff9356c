"""An interaction that is going on, as its caller holds it."""

from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Self

from sharpwave.errors import InvalidInput, NotFound
from sharpwave.types.experience import Action, FeedbackType, Logged


class OpenInteraction:
    """One interaction from query to feedback; as a context manager it is completed at the end.

    If the block raises, the interaction is completed as failed, and the error goes on. All of it
    but the id is kept by the memory: any process that knows the id may go on with it.
    """

    def __init__(self, agents: Any, id: str) -> None:
        """`agents` is that namespace of a memory: of this program, or of a server."""
        self._agents = agents
        self.id = id
        """The id that the complete interaction will have."""
        self.logged: Logged | None = None

    def interpretation(
        self,
        interpretation: str,
        planned_actions: Sequence[str] = (),
        confidence: float | None = None,
        active_role: str | None = None,
    ) -> None:
        """What was understood, and what is planned [LOG-02]."""
        self._require_open()
        given = (interpretation, planned_actions, confidence, active_role)
        self._agents.log_interpretation(self.id, *given)

    def action(self, action: Action | str, target: str | None = None, **details: object) -> None:
        """One action, as it is performed. Durable when this returns."""
        self._require_open()
        self._agents.log_action(self.id, action, target, details)

    def complete(
        self,
        feedback: str | None = None,
        success: bool | None = None,
        tokens: int = 0,
        feedback_type: FeedbackType | str | None = None,
    ) -> Logged:
        """The end: what the user said, and whether it succeeded. Durable when this returns."""
        if self.logged is None:
            given = (feedback, success, tokens, feedback_type)
            self.logged = self._agents.complete(self.id, *given)
        return self.logged

    def __enter__(self) -> Self:
        """Use as a context manager."""
        return self

    def __exit__(self, kind: type[BaseException] | None, *raised: object) -> None:
        """Complete it, if that was not done."""
        if self.logged is None:
            with suppress(NotFound):  # another caller completed it, or had it forgotten
                self.complete(success=None if kind is None else False)

    def _require_open(self) -> None:
        if self.logged is not None:
            raise InvalidInput(f"the interaction {self.id} is complete; start another")
