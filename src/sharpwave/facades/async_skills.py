"""The twins of the methods about skills, style and feedback. Delegates to threads; no logic."""

import asyncio
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sharpwave.facades.skills import SkillMemory
from sharpwave.types.answers import Reply
from sharpwave.types.intent import ReadContext
from sharpwave.types.skills import (
    BatchReport,
    BehaviorMetrics,
    FeedbackReceipt,
    KnownSkill,
    Skill,
    SkillChoice,
    SkillHistory,
    SkillOdds,
    SkillProposal,
    Style,
    Trajectory,
    Trigger,
)


class AsyncSkills:
    """How this person likes to be answered, to be awaited."""

    _memory: SkillMemory

    async def select_skill(
        self,
        message: str,
        *,
        session: str | None = None,
        message_id: str | None = None,
        context: ReadContext | None = None,
        at: datetime | None = None,
    ) -> SkillChoice:
        """As `Memory.select_skill`."""
        return await asyncio.to_thread(
            self._memory.select_skill,
            message,
            session=session,
            message_id=message_id,
            context=context,
            at=at,
        )

    async def reply(self, message: str, context: str = "") -> Reply:
        """As `Memory.reply`."""
        return await asyncio.to_thread(self._memory.reply, message, context)

    async def feedback(
        self,
        message_id: str,
        reward: float,
        reason: str | None = None,
        free_text: str | None = None,
        skill: str | None = None,
        implicit: bool = False,
    ) -> FeedbackReceipt:
        """As `Memory.feedback`."""
        return await asyncio.to_thread(
            self._memory.feedback, message_id, reward, reason, free_text, skill, implicit
        )

    async def skills(self, *, archived: bool = False) -> list[KnownSkill]:
        """As `Memory.skills`."""
        return await asyncio.to_thread(self._memory.skills, archived=archived)

    async def skill(self, skill: str) -> KnownSkill:
        """As `Memory.skill`."""
        return await asyncio.to_thread(self._memory.skill, skill)

    async def create_skill(
        self,
        skill: str,
        template: str,
        *,
        name: str | None = None,
        trigger: Trigger | Mapping[str, Any] | None = None,
        dimensions: Mapping[str, float] | None = None,
    ) -> Skill:
        """As `Memory.create_skill`."""
        return await asyncio.to_thread(
            self._memory.create_skill,
            skill,
            template,
            name=name,
            trigger=trigger,
            dimensions=dimensions,
        )

    async def edit_skill(
        self,
        skill: str,
        *,
        template: str | None = None,
        name: str | None = None,
        trigger: Trigger | Mapping[str, Any] | None = None,
        dimensions: Mapping[str, float] | None = None,
    ) -> Skill:
        """As `Memory.edit_skill`."""
        return await asyncio.to_thread(
            self._memory.edit_skill,
            skill,
            template=template,
            name=name,
            trigger=trigger,
            dimensions=dimensions,
        )

    async def improve_skill(self, skill: str) -> SkillProposal:
        """As `Memory.improve_skill`."""
        return await asyncio.to_thread(self._memory.improve_skill, skill)

    async def archive_skill(self, skill: str, *, undo: bool = False) -> KnownSkill:
        """As `Memory.archive_skill`."""
        return await asyncio.to_thread(self._memory.archive_skill, skill, undo=undo)

    async def delete_skill(self, skill: str) -> None:
        """As `Memory.delete_skill`."""
        await asyncio.to_thread(self._memory.delete_skill, skill)

    async def style(self, context: str | None = None) -> Style:
        """As `Memory.style`."""
        return await asyncio.to_thread(self._memory.style, context)

    async def set_style(self, dimensions: Mapping[str, float], context: str | None = None) -> Style:
        """As `Memory.set_style`."""
        return await asyncio.to_thread(self._memory.set_style, dimensions, context)

    async def reset_skills(
        self, *, skill: str | None = None, context: str | None = None, dimension: str | None = None
    ) -> None:
        """As `Memory.reset_skills`."""
        await asyncio.to_thread(
            self._memory.reset_skills, skill=skill, context=context, dimension=dimension
        )

    async def trajectories(
        self, limit: int = 100, *, session: str | None = None
    ) -> list[Trajectory]:
        """As `Memory.trajectories`."""
        return await asyncio.to_thread(self._memory.trajectories, limit, session=session)

    async def learn_behavior(self, *, even_if_few: bool = False) -> BatchReport:
        """As `Memory.learn_behavior`."""
        return await asyncio.to_thread(self._memory.learn_behavior, even_if_few=even_if_few)

    async def learn_population(self) -> int:
        """As `Memory.learn_population`."""
        return await asyncio.to_thread(self._memory.learn_population)

    async def behavior_metrics(self) -> BehaviorMetrics:
        """As `Memory.behavior_metrics`."""
        return await asyncio.to_thread(self._memory.behavior_metrics)

    async def skill_odds(self, context: str) -> list[SkillOdds]:
        """As `Memory.skill_odds`."""
        return await asyncio.to_thread(self._memory.skill_odds, context)

    async def skill_history(self, limit: int = 1000) -> SkillHistory:
        """As `Memory.skill_history`."""
        return await asyncio.to_thread(self._memory.skill_history, limit)

    async def explore(self, on: bool) -> BehaviorMetrics:
        """As `Memory.explore`."""
        return await asyncio.to_thread(self._memory.explore, on)
