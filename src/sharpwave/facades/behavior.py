"""The part of the facade that is about how to help this user. Each method calls one flow."""

from __future__ import annotations

import logging
import threading
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from sharpwave import checks
from sharpwave.facades.rooms.windows import window
from sharpwave.types.answers import Forgotten, Outcome, Receipt
from sharpwave.types.storing import NewJob, Selection

if TYPE_CHECKING:
    from sharpwave.types.known import Fact, Note
    from sharpwave.types.records import Record
    from sharpwave.types.steering import (
        Behavior,
        CorrectionLearned,
        Learned,
        Preference,
        Reflection,
        ResetLearning,
        UserPreferences,
    )
    from sharpwave.workspace import Workspace

_LOG = logging.getLogger(__name__)


class ReflectionHealth:
    """How often looking back on a turn failed, in this process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.failures = 0

    def note_failure(self) -> None:
        """Count one."""
        with self._lock:
            self.failures += 1


class BehaviorMemory:
    """How the user wants to be helped: rules and preferences, learned and told."""

    _workspace: Workspace

    def __init__(self) -> None:
        super().__init__()
        self._health = ReflectionHealth()

    def reflect(
        self,
        user_message: str,
        assistant_response: str | None = None,
        previous_assistant_message: str | None = None,
        session: str | None = None,
    ) -> Reflection:
        """Learn what a user's message asks for good: corrections, preferences, style, knowledge.

        `remember` does this by itself for the user's turns. Never raises: a failure is logged,
        counted in `stats`, and told in the note. `assistant_response` is the answer to the message,
        `previous_assistant_message` the one before, which the message may be about.
        """
        from sharpwave.behavior import flow as reflecting

        del assistant_response  # what the assistant says of itself teaches nothing
        try:
            text = checks.text(
                user_message, "the message", self._workspace.settings.remember.max_text_bytes
            )
            return reflecting.reflect(self._workspace, text, previous_assistant_message, session)
        except Exception as error:  # noqa: BLE001 - looking back must never break what was asked for
            return self._failed(error)

    def behaviors(
        self,
        type: str | None = None,
        *,
        scope: str | None = None,
        everything: bool = False,
        past: bool = False,
        limit: int | None = None,
        offset: int = 0,
    ) -> list[Behavior]:
        """The rules learned from the user, the most frequent first.

        `type` is correction, preference, style or knowledge; `scope` keeps those that hold in a
        project or file, the narrower in place of the wider. With `everything` also those that were
        replaced or deleted, with `past` these alone. With a `limit` only so many after the first
        `offset`; with a `scope` all of them are compared first.
        """
        from sharpwave.behavior.rules import listing as rules
        from sharpwave.behavior.rules import section

        wanted, states = window(limit, offset), rules.states(everything, past)
        if scope is None:
            return rules.listed(self._workspace, states, type, wanted)
        found = rules.listed(self._workspace, states, type)
        return wanted.of(section.holding(found, scope))

    def pending_behaviors(self, limit: int | None = None, *, offset: int = 0) -> list[Behavior]:
        """The rules that nobody has looked at yet, the newest first.

        Those from the user's own words are used already; what an agent reports ("uncertain") only
        once it is accepted, or the user says it. With a `limit` only so many after the first
        `offset`.
        """
        from sharpwave.behavior.rules import listing as rules

        return rules.pending(self._workspace, window(limit, offset))

    def store_behavior(
        self, rule: str, type: str = "preference", *, scope: str = "global"
    ) -> Learned:
        """Store a rule, or count it once more if it is known; the opposite one yields to it."""
        from sharpwave.behavior.rules import review as reviewing
        from sharpwave.behavior.rules import settle

        signal = reviewing.told(self._workspace, rule, type)
        where = checks.name(scope, "scope", self._workspace.settings.remember.max_name_chars)
        return settle.settle(self._workspace, [replace(signal, reach=where)], None, where)[0]

    def accept_behavior(self, id: str) -> Behavior:
        """Agree to a rule: it is sure, and no longer pruned or pending."""
        from sharpwave.behavior.rules import review as reviewing

        return reviewing.accept(self._workspace, id)

    def edit_behavior(self, id: str, rule: str | None = None, scope: str | None = None) -> Behavior:
        """Say a rule in other words, or where it holds; the old one is kept as history."""
        from sharpwave.behavior.rules import review as reviewing

        return reviewing.edit(self._workspace, id, rule, scope)

    def delete_behavior(self, id: str) -> Behavior:
        """Let a rule hold no longer. `undo_behavior` brings it back, `forget` erases it."""
        from sharpwave.behavior.rules import review as reviewing

        return reviewing.delete(self._workspace, id)

    def undo_behavior(self, id: str) -> Behavior:
        """Take back what happened last to a rule: it was deleted, replaced, or replaced others."""
        from sharpwave.behavior.rules import review as reviewing

        return reviewing.undo(self._workspace, id)

    def prune_behaviors(self) -> tuple[str, ...]:
        """Erase rules that were observed once, long ago; returns their ids."""
        from sharpwave.behavior.rules import pruning

        return pruning.prune(self._workspace)

    def behaviors_section(self, role: str = "assistant", *, scope: str | None = None) -> str:
        """The section "Learned Preferences" for the prompt of a role; empty if there is nothing.

        `role` is assistant, executor, planner or replanner. It stands after the definition of the
        role and before all else; `assemble_prompt` puts it there.
        """
        from sharpwave.behavior.rules import section

        section.role_of(role)
        rules = self._rules(scope)
        return section.section(
            rules, self._workspace.settings.steering, self._workspace.settings.context.rates
        )

    def assemble_prompt(
        self,
        role: str,
        definition: str,
        rest: Sequence[str] = (),
        *,
        behaviors_section: str | None = None,
        scope: str | None = None,
    ) -> str:
        """A prompt for a role: its definition, the learned preferences, then the rest in order.

        A section of your own replaces the one made here.
        """
        from sharpwave.behavior.rules import section

        told = behaviors_section
        if told is None:
            told = self.behaviors_section(role, scope=scope)
        return section.assembled(role, definition, rest, told)

    def set_preference(
        self,
        category: str,
        key: str,
        value: object,
        *,
        source: str = "explicit",
        confidence: float = 1.0,
        scope: str = "global",
    ) -> Preference:
        """Store what the user prefers; the version before is kept as history.

        Categories with a meaning of their own are tool (a score from 0 to 1), parameter (a
        default), workflow (steps) and error_handling (strict or lenient). What is inferred never
        replaces what was said; returned is what holds now.
        """
        from sharpwave.behavior.preferences import known as preferring

        room = self._workspace
        said = preferring.given(category, key, value, source, confidence, scope, room)
        return preferring.put(room, said)

    def preferences(
        self, category: str | None = None, *, scope: str | None = None
    ) -> list[Preference]:
        """What the user prefers in a project or file, or everywhere; the narrower scope wins."""
        from sharpwave.behavior.preferences import known as preferring

        if not self._workspace.consents.may_learn:
            return []
        return preferring.held(self._workspace, category, scope)

    def user_preferences(self, *, scope: str | None = None) -> UserPreferences:
        """All that is preferred in one value: tools, defaults, workflows, corrections, rules."""
        from sharpwave.behavior.preferences import known as preferring
        from sharpwave.types import steering

        if not self._workspace.consents.may_learn:
            return steering.UserPreferences()
        return preferring.together(self._workspace, self._rules(scope), scope)

    def learn_from_correction(
        self,
        original: str,
        corrected: str,
        context: str = "",
        *,
        scope: str = "global",
        tools: Sequence[str] = (),
    ) -> CorrectionLearned:
        """Store how the user corrected an output, and learn what that shows.

        A word for another, a form, a length becomes a preference and a rule. `tools` are the names
        of your tools: where one stands for another, their scores move apart.
        """
        from sharpwave.behavior.preferences import corrected as corrected_module

        return corrected_module.learn(self._workspace, original, corrected, context, scope, tools)

    def reset_learning(self) -> ResetLearning:
        """Erase all that was learned: rules, preferences, style, patterns, tool records, insights.

        The logs of agents' work and the ratings go too, or it would be learned again. What was
        said, what is known of the world and the user, and skills that somebody made stay.
        """
        from sharpwave.behavior import forgetting as unlearning
        from sharpwave.behavior.skills import learned
        from sharpwave.experience import forgetting as erasing
        from sharpwave.types import steering

        rules, preferences = unlearning.learned_ids(self._workspace)
        room = self._workspace
        worked = erasing.learned_ids(room)
        tallies = erasing.drop_tallies(room)
        rated = learned.lessons(self._workspace)
        receipt = Forgotten(0, 0, 0, 0, traces_cleared=True)
        ids, unfinished = (*rules, *preferences, *worked, *rated), erasing.unfinished(room)
        if ids or unfinished:
            selection = Selection(ids=ids, unfinished=unfinished)
            now = self._workspace.clock.now()
            receipt = self._workspace.store.forget(selection, now)
        counts = (len(rules), len(preferences), len(worked), len(rated), tallies)
        return steering.ResetLearning(*counts, receipt)

    def _rules(self, scope: str | None) -> list[Behavior]:
        """The rules that a prompt tells."""
        from sharpwave.behavior.rules import listing as rules
        from sharpwave.behavior.rules import section

        if not self._workspace.consents.may_learn:
            return []
        found = section.holding(rules.listed(self._workspace), scope)
        return found[: self._workspace.settings.steering.max_rules]

    def _rules_and_notes(
        self, scope: str | None, profile: Sequence[Fact]
    ) -> tuple[list[Behavior], list[Note]]:
        """Rules that the profile does not tell, and the notes that do not say the same."""
        from sharpwave.behavior.rules import section
        from sharpwave.knowledge import task_lists

        told = {fact.text.casefold() for fact in profile}
        rules = [one for one in self._rules(scope) if one.rule.casefold() not in told]
        learned = self._workspace.consents.may_learn
        enough = self._workspace.settings.recall.enough_votes
        notes = task_lists.notes(self._workspace, enough) if learned else []
        return rules, section.untold(notes, rules, self._workspace.settings.steering.same_words)

    def _jobs(self, turns: Sequence[Record]) -> tuple[NewJob, ...]:
        from sharpwave.behavior import flow as reflecting

        return reflecting.jobs(turns) if self._workspace.consents.may_learn else ()

    def _looked_back_on(self, receipt: Receipt) -> Receipt:
        """The receipt with the rules that its new turns taught."""
        from sharpwave.behavior import flow as reflecting

        new = [id_ for id_ in receipt.ids if id_ not in receipt.replayed]
        if not new or not self._workspace.settings.steering.reflect:
            return receipt
        try:
            turns = self._workspace.store.find(new)
            found = reflecting.reflect_on(self._workspace, turns)
        except Exception as error:  # noqa: BLE001 - the words are stored; that must not be undone
            self._failed(error)
            return receipt
        learned = [one for reflection in found for one in reflection.learned]
        return replace(
            receipt, rules=tuple(Outcome(one.verdict, one.rule, one.id) for one in learned)
        )

    def _failed(self, error: Exception) -> Reflection:
        from sharpwave.types import steering

        _LOG.exception("looking back on a turn failed")
        self._health.note_failure()
        note = f"looking back failed: {type(error).__name__}, see the log"
        return steering.Reflection(note=note)
