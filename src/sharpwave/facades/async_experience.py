"""The twins of the methods about experience. Delegates to threads; no logic."""

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from sharpwave.experience.open_interaction import OpenInteraction
from sharpwave.facades.experience import ExperienceMemory, Progress
from sharpwave.types.experience import (
    Action,
    Advice,
    ExperienceMetrics,
    FeedbackType,
    ImportedLog,
    Insight,
    LearnedPattern,
    Logged,
    Match,
    ModelRecord,
    Run,
    ToolRecord,
)


class AsyncInteraction:
    """As `OpenInteraction`, to be awaited: every step is durable before it returns."""

    def __init__(self, opened: OpenInteraction) -> None:
        self._opened = opened

    @property
    def id(self) -> str:
        """The id that the complete interaction will have."""
        return self._opened.id

    @property
    def logged(self) -> Logged | None:
        """The receipt, once it is complete."""
        return self._opened.logged

    async def interpretation(
        self,
        interpretation: str,
        planned_actions: Sequence[str] = (),
        confidence: float | None = None,
        active_role: str | None = None,
    ) -> None:
        """As `OpenInteraction.interpretation`."""
        given = (interpretation, planned_actions, confidence, active_role)
        await asyncio.to_thread(self._opened.interpretation, *given)

    async def action(
        self, action: Action | str, target: str | None = None, **details: object
    ) -> None:
        """As `OpenInteraction.action`."""
        await asyncio.to_thread(self._opened.action, action, target, **details)

    async def complete(
        self,
        feedback: str | None = None,
        success: bool | None = None,
        tokens: int = 0,
        feedback_type: FeedbackType | str | None = None,
    ) -> Logged:
        """As `OpenInteraction.complete`."""
        given = (feedback, success, tokens, feedback_type)
        return await asyncio.to_thread(self._opened.complete, *given)

    async def __aenter__(self) -> Self:
        """Use with `async with`."""
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Complete it, if that was not done."""
        await asyncio.to_thread(self._opened.__exit__, kind, error, trace)


Which = str | OpenInteraction | AsyncInteraction


class AsyncExperience:
    """What agents did, and what was learned from it, to be awaited."""

    _memory: ExperienceMemory

    async def start_interaction(
        self,
        query: str,
        *,
        session: str | None = None,
        context: Mapping[str, object] | None = None,
        durable: bool = False,
    ) -> AsyncInteraction:
        """As `Memory.start_interaction`; use it with `async with`, or by its id."""
        opened = await asyncio.to_thread(
            self._memory.start_interaction, query, session=session, context=context, durable=durable
        )
        return AsyncInteraction(opened)

    async def log_interpretation(
        self,
        interaction: Which,
        interpretation: str,
        planned_actions: Sequence[str] = (),
        confidence: float | None = None,
        active_role: str | None = None,
    ) -> None:
        """As `Memory.log_interpretation`."""
        given = (_id(interaction), interpretation, planned_actions, confidence, active_role)
        await asyncio.to_thread(self._memory.log_interpretation, *given)

    async def log_action(
        self,
        interaction: Which,
        action: Action | str,
        target: str | None = None,
        details: Mapping[str, object] | None = None,
    ) -> None:
        """As `Memory.log_action`."""
        await asyncio.to_thread(self._memory.log_action, _id(interaction), action, target, details)

    async def complete_interaction(
        self,
        interaction: Which,
        feedback: str | None = None,
        success: bool | None = None,
        tokens: int = 0,
        feedback_type: FeedbackType | str | None = None,
    ) -> Logged:
        """As `Memory.complete_interaction`."""
        given = (_id(interaction), feedback, success, tokens, feedback_type)
        return await asyncio.to_thread(self._memory.complete_interaction, *given)

    async def log_interaction(
        self,
        action: Action | str,
        file_path: str | None = None,
        details: Mapping[str, object] | None = None,
        *,
        context_before: str | None = None,
        context_after: str | None = None,
        success: bool | None = True,
        session: str | None = None,
        idempotency_key: str | None = None,
    ) -> Logged:
        """As `Memory.log_interaction`."""
        return await asyncio.to_thread(
            self._memory.log_interaction,
            action,
            file_path,
            details,
            context_before=context_before,
            context_after=context_after,
            success=success,
            session=session,
            idempotency_key=idempotency_key,
        )

    async def observe(self, task: Run | Sequence[Run]) -> list[Logged]:
        """As `Memory.observe`."""
        return await asyncio.to_thread(self._memory.observe, task)

    async def import_log(
        self, path: str | Path, format: str | None = None, progress: Progress = None
    ) -> ImportedLog:
        """As `Memory.import_log`."""
        return await asyncio.to_thread(self._memory.import_log, path, format, progress)

    async def outcome(self, id: str, success: bool, by: str = "agent") -> Logged:
        """As `Memory.outcome`."""
        return await asyncio.to_thread(self._memory.outcome, id, success, by)

    async def advise(
        self,
        query: str,
        context: str | Mapping[str, object] | None = None,
        stage: str = "think",
    ) -> Advice:
        """As `Memory.advise`."""
        return await asyncio.to_thread(self._memory.advise, query, context, stage)

    async def patterns(self, type: str | None = None) -> list[LearnedPattern]:
        """As `Memory.patterns`."""
        return await asyncio.to_thread(self._memory.patterns, type)

    async def pattern(self, type: str, pattern: str) -> LearnedPattern:
        """As `Memory.pattern`."""
        return await asyncio.to_thread(self._memory.pattern, type, pattern)

    async def detect_patterns(self, sequence: Sequence[str]) -> list[Match]:
        """As `Memory.detect_patterns`."""
        return await asyncio.to_thread(self._memory.detect_patterns, sequence)

    async def tools(
        self,
        context: str | None = None,
        action: str | None = None,
        *,
        limit: int | None = None,
        offset: int = 0,
    ) -> list[ToolRecord]:
        """As `Memory.tools`."""
        return await asyncio.to_thread(
            self._memory.tools, context, action, limit=limit, offset=offset
        )

    async def models(self) -> list[ModelRecord]:
        """As `Memory.models`."""
        return await asyncio.to_thread(self._memory.models)

    async def experience_metrics(self) -> ExperienceMetrics:
        """As `Memory.experience_metrics`."""
        return await asyncio.to_thread(self._memory.experience_metrics)

    async def insights(self, type: str | None = None) -> list[Insight]:
        """As `Memory.insights`."""
        return await asyncio.to_thread(self._memory.insights, type)

    async def store_insight(
        self,
        insight: str,
        insight_type: str = "rule",
        applies_to: Mapping[str, object] | None = None,
        evidence: Sequence[Mapping[str, object]] = (),
        confidence: float = 0.7,
        by: str = "agent",
    ) -> Insight:
        """As `Memory.store_insight`."""
        given = (insight, insight_type, applies_to, evidence, confidence, by)
        return await asyncio.to_thread(self._memory.store_insight, *given)

    async def learn(self) -> list[Insight]:
        """As `Memory.learn`."""
        return await asyncio.to_thread(self._memory.learn)

    async def relearn(self) -> int:
        """As `Memory.relearn`."""
        return await asyncio.to_thread(self._memory.relearn)


def _id(interaction: Which) -> str:
    return interaction if isinstance(interaction, str) else interaction.id
