"""An interaction that is going on at a server."""

from collections.abc import Sequence
from types import TracebackType
from typing import Any, Self

from sharpwave.errors import InvalidInput
from sharpwave.types.work.experience import Action, FeedbackType, Logged


class RemoteInteraction:
    """As an open interaction of `Memory`, by its id."""

    def __init__(self, memory: Any, id: str) -> None:
        self._memory = memory
        self.id = id
        self.logged: Logged | None = None

    def interpretation(
        self,
        interpretation: str,
        planned_actions: Sequence[str] = (),
        confidence: float | None = None,
        active_role: str | None = None,
    ) -> None:
        """What was understood, and what is planned."""
        self._require_open()
        self._memory.log_interpretation(
            self.id, interpretation, planned_actions, confidence, active_role
        )

    def action(self, action: Action | str, target: str | None = None, **details: object) -> None:
        """One action, as it is performed."""
        self._require_open()
        self._memory.log_action(self.id, action, target, details)

    def complete(
        self,
        feedback: str | None = None,
        success: bool | None = None,
        tokens: int = 0,
        feedback_type: FeedbackType | str | None = None,
    ) -> Logged:
        """The end: what the user said, and whether it succeeded."""
        if self.logged is None:
            self.logged = self._memory.complete_interaction(
                self.id, feedback, success, tokens, feedback_type
            )
        return self.logged

    def __enter__(self) -> Self:
        """Use as a context manager."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Complete it, if that was not done."""
        if self.logged is None:
            self.complete(success=None if kind is None else False)

    def _require_open(self) -> None:
        if self.logged is not None:
            raise InvalidInput(f"the interaction {self.id} is complete; start another")
