"""A handle for an interaction in progress."""

from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Self

from sharpwave.errors import InvalidInput, NotFound
from sharpwave.types.experience import Action, FeedbackType, Logged


class OpenInteraction:
    """One interaction from query to feedback; as a context manager it is completed at the end.

    If the block raises, the interaction is completed as failed, and the error propagates. All state
    but the id is in the store: any process that knows the id can continue it.
    """

    def __init__(self, agents: Any, id: str) -> None:
        """`agents` is the namespace of a memory, local or on a server."""
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
        """Log how the query was understood, and the planned actions [LOG-02]."""
        self._require_open()
        given = (interpretation, planned_actions, confidence, active_role)
        self._agents.log_interpretation(self.id, *given)

    def action(self, action: Action | str, target: str | None = None, **details: object) -> None:
        """Log an action as it is performed. Durable when this returns."""
        self._require_open()
        self._agents.log_action(self.id, action, target, details)

    def complete(
        self,
        feedback: str | None = None,
        success: bool | None = None,
        tokens: int = 0,
        feedback_type: FeedbackType | str | None = None,
    ) -> Logged:
        """Complete it: the user's feedback, and whether it succeeded. Durable when this returns."""
        if self.logged is None:
            given = (feedback, success, tokens, feedback_type)
            self.logged = self._agents.complete(self.id, *given)
        return self.logged

    def __enter__(self) -> Self:
        """Use as a context manager."""
        return self

    def __exit__(self, kind: type[BaseException] | None, *raised: object) -> None:
        """Complete it, if not done yet."""
        if self.logged is None:
            with suppress(NotFound):  # another caller completed it, or had it forgotten
                self.complete(success=None if kind is None else False)

    def _require_open(self) -> None:
        if self.logged is not None:
            raise InvalidInput(f"the interaction {self.id} is complete; start another")
