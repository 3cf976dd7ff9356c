"""How the user wants to be helped: rules, preferences and notes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sharpwave import checks
from sharpwave.api import verbs
from sharpwave.api.state import Namespace
from sharpwave.api.windows import window
from sharpwave.behavior import listing, rules
from sharpwave.knowledge import tasks
from sharpwave.types.answers import Forgotten
from sharpwave.types.known import Note
from sharpwave.types.steering import (
    Behavior,
    CorrectionLearned,
    Learned,
    Preference,
    PromptRole,
    Reflection,
    ResetLearning,
    SessionReview,
    UserPreferences,
)
from sharpwave.types.storing import Selection


class BehaviorApi(Namespace):
    """Rules and preferences learned from the user, or set outright."""

    def reflect(
        self,
        user_message: str,
        assistant_response: str | None = None,
        previous_assistant_message: str | None = None,
        session: str | None = None,
    ) -> Reflection:
        """Learn what a user's message asks for good: corrections, preferences, style, knowledge.

        `remember` does this by itself for the user's turns. Never raises: a failure is logged,
        counted in `stats`, and noted in the result. `assistant_response` is the answer to the
        message, `previous_assistant_message` the one before, which the message may be about.
        """
        from sharpwave.behavior import flow as reflecting

        del assistant_response  # what the assistant says of itself teaches nothing
        try:
            text = checks.text(user_message, "the message")
            return reflecting.reflect(self._workspace, text, previous_assistant_message, session)
        except Exception as error:  # noqa: BLE001 - looking back must never break what was asked for
            return verbs.reflection_failed(error, self._state)

    def end_session(self, session: str) -> SessionReview:
        """Look back on a session that ended: its summary, open loops, and notes worth keeping.

        Without a model; sleep goes over it again, with one if there is one, and what was said last
        is read in the background now. Calling it again after more was said brings the summary up to
        date.
        """
        from sharpwave.remember import flow as write_path
        from sharpwave.sleep import session_end

        workspace, name = self._workspace, checks.name(session, "session")
        if workspace.llm is not None:
            write_path.read_now(name, workspace)
            self._state.process.worker.wake()
        return session_end.end_session(workspace, name)

    def rules(
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
        workspace = self._workspace
        part, states = window(limit, offset), listing.states(everything, past)
        if scope is None:
            return listing.list_rules(workspace, states, type, part)
        return part.of(listing.in_scope(listing.list_rules(workspace, states, type), scope))

    def pending(self, limit: int | None = None, *, offset: int = 0) -> list[Behavior]:
        """The rules that were not reviewed yet, the newest first.

        Those from the user's own words are used already; what an agent reports ("uncertain") only
        once it is accepted, or the user says it. With a `limit` only so many after the first
        `offset`.
        """
        return listing.pending(self._workspace, window(limit, offset))

    def add(self, rule: str, type: str = "preference", *, scope: str = "global") -> Learned:
        """Store a rule, or count it once more if it is known; the opposite one yields to it."""
        from sharpwave.behavior import review

        workspace = self._workspace
        signal = review.explicit_signal(workspace, rule, type)
        where = checks.name(scope, "scope")
        return rules.learn(workspace, [replace(signal, reach=where)], None, where)[0]

    def accept(self, id: str) -> Behavior:
        """Agree to a rule: it is sure, and no longer pruned or pending."""
        from sharpwave.behavior import review

        return self._workspace.retried(lambda fresh: review.accept(fresh, id))

    def edit(self, id: str, rule: str | None = None, scope: str | None = None) -> Behavior:
        """Say a rule in other words, or where it holds; the old one is kept as history."""
        from sharpwave.behavior import review

        return self._workspace.retried(lambda fresh: review.edit(fresh, id, rule, scope))

    def delete(self, id: str) -> Behavior:
        """Let a rule hold no longer. `undo` brings it back, `forget` erases it."""
        from sharpwave.behavior import review

        return self._workspace.retried(lambda fresh: review.delete(fresh, id))

    def undo(self, id: str) -> Behavior:
        """Take back what happened last to a rule: it was deleted, replaced, or replaced others."""
        from sharpwave.behavior import review

        return self._workspace.retried(lambda fresh: review.undo(fresh, id))

    def prune(self) -> tuple[str, ...]:
        """Erase rules that were observed once, long ago; returns their ids."""
        from sharpwave.behavior import review

        return review.prune(self._workspace)

    def prompt_section(self, role: str = "assistant", *, scope: str | None = None) -> str:
        """The section "Learned Preferences" for the prompt of a role; empty if there is nothing.

        `role` is assistant, executor, planner or replanner. It stands after the definition of the
        role and before all else; `assemble_prompt` puts it there.
        """
        checks.choice(PromptRole, role, "role")
        return listing.section(listing.for_prompt(self._workspace, scope))

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
        if behaviors_section is None:
            behaviors_section = self.prompt_section(role, scope=scope)
        return listing.assembled_prompt(role, definition, rest, behaviors_section)

    def preferences(
        self, category: str | None = None, *, scope: str | None = None
    ) -> list[Preference]:
        """What the user prefers in a project or file, or everywhere; the narrower scope wins."""
        from sharpwave.behavior import preferences

        workspace = self._workspace
        if not workspace.consents.may_learn:
            return []
        return preferences.current(workspace, category, scope)

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
        from sharpwave.behavior import preferences

        workspace = self._workspace
        preference = preferences.validated(
            workspace, category, key, value, source, confidence, scope
        )
        return preferences.put(workspace, preference)

    def all_preferences(self, *, scope: str | None = None) -> UserPreferences:
        """All that is preferred in one value: tools, defaults, workflows, corrections, rules."""
        from sharpwave.behavior import preferences

        workspace = self._workspace
        if not workspace.consents.may_learn:
            return UserPreferences()
        return preferences.summary(workspace, listing.for_prompt(workspace, scope), scope)

    def correct(
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
        from sharpwave.behavior import corrections

        return corrections.learn(self._workspace, original, corrected, context, scope, tools)

    def notes(self) -> list[Note]:
        """Rules of thumb for helping this user: what was agreed on before guesses of ours."""
        return tasks.notes(self._workspace)

    def reset(self) -> ResetLearning:
        """Erase all that was learned: rules, preferences, style, patterns, tool records, insights.

        The logs of agents' work and the ratings go too, or it would be learned again. What was
        said, what is known of the world and the user, and skills that a user made stay.
        """
        from sharpwave.behavior import preferences
        from sharpwave.behavior.skills import state
        from sharpwave.experience import forgetting as erasing

        workspace = self._workspace
        own_rules, own_preferences = preferences.learned_ids(workspace)
        experience_ids = erasing.learned_ids(workspace)
        tallies = erasing.drop_tallies(workspace)
        lesson_ids = state.lesson_ids(workspace)
        receipt = Forgotten(0, 0, 0, 0, traces_cleared=True)
        ids = (*own_rules, *own_preferences, *experience_ids, *lesson_ids)
        unfinished = erasing.unfinished(workspace)
        if ids or unfinished:
            selection = Selection(ids=ids, unfinished=unfinished)
            receipt = workspace.store.forget(selection, workspace.clock.now())
        counts = (
            len(own_rules),
            len(own_preferences),
            len(experience_ids),
            len(lesson_ids),
            tallies,
        )
        return ResetLearning(*counts, receipt)
