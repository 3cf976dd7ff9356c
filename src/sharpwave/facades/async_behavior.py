"""The twins of the methods about behavior. Delegates to threads; no logic."""

import asyncio
from collections.abc import Sequence

from sharpwave.facades.behavior import BehaviorMemory
from sharpwave.types.steering import (
    Behavior,
    CorrectionLearned,
    Learned,
    Preference,
    Reflection,
    ResetLearning,
    UserPreferences,
)


class AsyncBehavior:
    """How the user wants to be helped, to be awaited."""

    _memory: BehaviorMemory

    async def reflect(
        self,
        user_message: str,
        assistant_response: str | None = None,
        previous_assistant_message: str | None = None,
        session: str | None = None,
    ) -> Reflection:
        """As `Memory.reflect`."""
        return await asyncio.to_thread(
            self._memory.reflect,
            user_message,
            assistant_response,
            previous_assistant_message,
            session,
        )

    async def behaviors(
        self,
        type: str | None = None,
        *,
        scope: str | None = None,
        everything: bool = False,
        past: bool = False,
        limit: int | None = None,
        offset: int = 0,
    ) -> list[Behavior]:
        """As `Memory.behaviors`."""
        return await asyncio.to_thread(
            self._memory.behaviors,
            type,
            scope=scope,
            everything=everything,
            past=past,
            limit=limit,
            offset=offset,
        )

    async def pending_behaviors(
        self, limit: int | None = None, *, offset: int = 0
    ) -> list[Behavior]:
        """As `Memory.pending_behaviors`."""
        return await asyncio.to_thread(self._memory.pending_behaviors, limit, offset=offset)

    async def store_behavior(
        self, rule: str, type: str = "preference", *, scope: str = "global"
    ) -> Learned:
        """As `Memory.store_behavior`."""
        return await asyncio.to_thread(self._memory.store_behavior, rule, type, scope=scope)

    async def accept_behavior(self, id: str) -> Behavior:
        """As `Memory.accept_behavior`."""
        return await asyncio.to_thread(self._memory.accept_behavior, id)

    async def edit_behavior(
        self, id: str, rule: str | None = None, scope: str | None = None
    ) -> Behavior:
        """As `Memory.edit_behavior`."""
        return await asyncio.to_thread(self._memory.edit_behavior, id, rule, scope)

    async def delete_behavior(self, id: str) -> Behavior:
        """As `Memory.delete_behavior`."""
        return await asyncio.to_thread(self._memory.delete_behavior, id)

    async def undo_behavior(self, id: str) -> Behavior:
        """As `Memory.undo_behavior`."""
        return await asyncio.to_thread(self._memory.undo_behavior, id)

    async def prune_behaviors(self) -> tuple[str, ...]:
        """As `Memory.prune_behaviors`."""
        return await asyncio.to_thread(self._memory.prune_behaviors)

    async def behaviors_section(self, role: str = "assistant", *, scope: str | None = None) -> str:
        """As `Memory.behaviors_section`."""
        return await asyncio.to_thread(self._memory.behaviors_section, role, scope=scope)

    async def assemble_prompt(
        self,
        role: str,
        definition: str,
        rest: Sequence[str] = (),
        *,
        behaviors_section: str | None = None,
        scope: str | None = None,
    ) -> str:
        """As `Memory.assemble_prompt`."""
        return await asyncio.to_thread(
            self._memory.assemble_prompt,
            role,
            definition,
            rest,
            behaviors_section=behaviors_section,
            scope=scope,
        )

    async def set_preference(
        self,
        category: str,
        key: str,
        value: object,
        *,
        source: str = "explicit",
        confidence: float = 1.0,
        scope: str = "global",
    ) -> Preference:
        """As `Memory.set_preference`."""
        return await asyncio.to_thread(
            self._memory.set_preference,
            category,
            key,
            value,
            source=source,
            confidence=confidence,
            scope=scope,
        )

    async def preferences(
        self, category: str | None = None, *, scope: str | None = None
    ) -> list[Preference]:
        """As `Memory.preferences`."""
        return await asyncio.to_thread(self._memory.preferences, category, scope=scope)

    async def user_preferences(self, *, scope: str | None = None) -> UserPreferences:
        """As `Memory.user_preferences`."""
        return await asyncio.to_thread(self._memory.user_preferences, scope=scope)

    async def learn_from_correction(
        self,
        original: str,
        corrected: str,
        context: str = "",
        *,
        scope: str = "global",
        tools: Sequence[str] = (),
    ) -> CorrectionLearned:
        """As `Memory.learn_from_correction`."""
        return await asyncio.to_thread(
            self._memory.learn_from_correction,
            original,
            corrected,
            context,
            scope=scope,
            tools=tools,
        )

    async def reset_learning(self) -> ResetLearning:
        """As `Memory.reset_learning`."""
        return await asyncio.to_thread(self._memory.reset_learning)
