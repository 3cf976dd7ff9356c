"""An interaction that is going on, as its caller holds it."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Protocol, Self

from sharpwave.errors import InvalidInput, NotFound
from sharpwave.types.experience import Action, FeedbackType, Logged


class InteractionLog(Protocol):
    """A memory that keeps interactions: of this program, or of a server."""

    def log_interpretation(
        self,
        interaction: str,
        interpretation: str,
        planned_actions: Sequence[str] = (),
        confidence: float | None = None,
        active_role: str | None = None,
    ) -> None:
        """Say what was understood, and what is planned."""

    def log_action(
        self,
        interaction: str,
        action: Action | str,
        target: str | None = None,
        details: Mapping[str, object] | None = None,
    ) -> None:
        """Log an action as it is performed."""

    def complete(
        self,
        interaction: str,
        feedback: str | None = None,
        success: bool | None = None,
        tokens: int = 0,
        feedback_type: FeedbackType | str | None = None,
    ) -> Logged:
        """End an interaction."""


class OpenInteraction:
    """One interaction from query to feedback; as a context manager it is completed at the end.

    If the block raises, the interaction is completed as failed, and the error goes on. All of it
    but the id is kept by the memory: any process that knows the id may go on with it.
    """

    def __init__(self, memory: InteractionLog, id: str) -> None:
        self._memory = memory
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
        self._memory.log_interpretation(self.id, *given)

    def action(self, action: Action | str, target: str | None = None, **details: object) -> None:
        """One action, as it is performed. Durable when this returns."""
        self._require_open()
        self._memory.log_action(self.id, action, target, details)

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
            self.logged = self._memory.complete(self.id, *given)
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
