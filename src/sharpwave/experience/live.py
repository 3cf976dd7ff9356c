"""Interactions that are still going on. They live here until they are complete [LOG-05]."""

import asyncio
import threading
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from types import TracebackType
from typing import Self

from sharpwave.errors import InvalidInput, NotFound
from sharpwave.experience.drafts import Draft
from sharpwave.types.work.experience import Action, FeedbackType, Logged

_MOST_OPEN = 10_000
Finish = Callable[["OpenInteraction"], Logged]


class OpenInteraction:
    """One interaction from query to feedback; as a context manager it is completed at the end.

    If the block raises, the interaction is completed as failed, and the error goes on.
    """

    def __init__(self, draft: Draft, now: Callable[[], datetime], finish: Finish) -> None:
        self.draft = draft
        self.logged: Logged | None = None
        self._now = now
        self._finish = finish

    @property
    def id(self) -> str:
        """The id that the complete interaction will have."""
        return str(self.draft.id)

    def interpretation(
        self,
        interpretation: str,
        planned_actions: Sequence[str] = (),
        confidence: float | None = None,
        active_role: str | None = None,
    ) -> None:
        """What was understood, and what is planned [LOG-02]."""
        self._require_open()
        self.draft.interpretation = interpretation
        self.draft.planned = tuple(planned_actions)
        self.draft.confidence = confidence
        self.draft.role = active_role

    def action(self, action: Action | str, target: str | None = None, **details: object) -> None:
        """One action, as it is performed."""
        self._require_open()
        self.draft.actions.append(timed(action, target, details, self._now()))

    def complete(
        self,
        feedback: str | None = None,
        success: bool | None = None,
        tokens: int = 0,
        feedback_type: FeedbackType | str | None = None,
    ) -> Logged:
        """The end: what the user said, and whether it succeeded. Durable when this returns."""
        if self.logged is not None:
            return self.logged
        self.draft.feedback = feedback
        self.draft.success = success
        self.draft.tokens += tokens
        self.draft.feedback_kind = None if feedback_type is None else _kind(feedback_type)
        self.draft.completed_at = self._now()
        self.logged = self._finish(self)
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

    async def __aenter__(self) -> Self:
        """Use with `async with`."""
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Complete it in a thread, if that was not done."""
        await asyncio.to_thread(self.__exit__, kind, error, trace)

    def _require_open(self) -> None:
        if self.logged is not None:
            raise InvalidInput(f"the interaction {self.id} is complete; start another")


class OpenInteractions:
    """Those that are open, by id, for all threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._open: dict[tuple[str, str], OpenInteraction] = {}

    def add(self, user_id: str, interaction: OpenInteraction) -> None:
        """Keep an interaction until it is complete."""
        with self._lock:
            if len(self._open) >= _MOST_OPEN:
                raise InvalidInput(f"{_MOST_OPEN} interactions are open; complete some of them")
            self._open[user_id, interaction.id] = interaction

    def get(self, user_id: str, which: "str | OpenInteraction") -> OpenInteraction:
        """The open interaction of a user, by its id."""
        id_ = which if isinstance(which, str) else which.id
        with self._lock:
            found = self._open.get((user_id, id_))
        if found is None:
            raise NotFound(f"no open interaction {id_!r}: it is complete, or was never started")
        return found

    def drop(self, user_id: str, id_: str) -> None:
        """It is complete."""
        with self._lock:
            self._open.pop((user_id, id_), None)


def timed(
    action: Action | str, target: str | None, details: Mapping[str, object], now: datetime
) -> Action:
    """An action with the time at which it was logged, unless it says another."""
    if isinstance(action, str):
        given = dict(details)
        success, error = given.pop("success", True), given.pop("error", None)
        duration, retries = given.pop("duration_ms", None), given.pop("retries", 0)
        if error is not None and success is True:
            success = False
        return Action(
            name=action,
            target=target,
            details=given,
            success=None if success is None else bool(success),
            error=None if error is None else str(error),
            duration_ms=duration if isinstance(duration, (int, float)) else None,
            retries=retries if isinstance(retries, int) else 0,
            at=now,
        )
    if action.at is not None:
        return action
    fields = (action.name, action.target, action.details, action.success, action.error)
    return Action(*fields, action.duration_ms, action.retries, now)


def _kind(value: FeedbackType | str) -> FeedbackType:
    try:
        return FeedbackType(value)
    except ValueError:
        known = ", ".join(FeedbackType)
        raise InvalidInput(f"feedback_type must be one of {known}, not {value!r}") from None
