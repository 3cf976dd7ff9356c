"""Rules, preferences and notes about how to help the user."""

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
    """Rules and preferences, learned from the user or set explicitly."""

    def reflect(
        self,
        user_message: str,
        assistant_response: str | None = None,
        previous_assistant_message: str | None = None,
        session: str | None = None,
    ) -> Reflection:
        """Learn standing instructions from a user's message.

        They are corrections, preferences, style or knowledge. `remember` does this automatically
        for the user's turns. Never raises: a failure is logged, counted in `stats`, and noted in
        the result. `assistant_response` is the answer to the message, `previous_assistant_message`
        the one before it, which the message may refer to.
        """
        from sharpwave.behavior import flow as reflecting

        del assistant_response  # what the assistant says of itself teaches nothing
        try:
            text = checks.text(user_message, "the message")
            return reflecting.reflect(self._workspace, text, previous_assistant_message, session)
        except Exception as error:  # noqa: BLE001 - looking back must never break what was asked for
            return verbs.reflection_failed(error, self._state)

    def end_session(self, session: str) -> SessionReview:
        """Review a finished session: returns its summary, open tasks, and new notes.

        No language model is called; if there is one, it reads the last turns in the background now.
        Sleep reviews the session again, with a model if there is one. Call this again after more
        turns to update the summary.
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

        `type` is correction, preference, style or knowledge; `scope` selects the rules that apply
        to a project or file, where a narrower rule replaces a wider one. `everything` includes
        replaced and deleted rules, `past` returns only these. `limit` and `offset` select a page;
        with a `scope` all rules are compared first.
        """
        workspace = self._workspace
        part, states = window(limit, offset), listing.states(everything, past)
        if scope is None:
            return listing.list_rules(workspace, states, type, part)
        return part.of(listing.in_scope(listing.list_rules(workspace, states, type), scope))

    def pending(self, limit: int | None = None, *, offset: int = 0) -> list[Behavior]:
        """The rules that were not reviewed yet, newest first.

        Rules in the user's own words are already used; rules that an agent reports ("uncertain")
        only once they are accepted, or the user says them. `limit` and `offset` select a page.
        """
        return listing.pending(self._workspace, window(limit, offset))

    def add(self, rule: str, type: str = "preference", *, scope: str = "global") -> Learned:
        """Store a rule, or raise its count if it is known; it supersedes the opposite rule."""
        from sharpwave.behavior import review

        workspace = self._workspace
        signal = review.explicit_signal(workspace, rule, type)
        where = checks.name(scope, "scope")
        return rules.learn(workspace, [replace(signal, reach=where)], None, where)[0]

    def accept(self, id: str) -> Behavior:
        """Accept a rule: it becomes certain, and is no longer pending or pruned."""
        from sharpwave.behavior import review

        return self._workspace.retried(lambda fresh: review.accept(fresh, id))

    def edit(self, id: str, rule: str | None = None, scope: str | None = None) -> Behavior:
        """Change the text or scope of a rule; the old version is kept as history."""
        from sharpwave.behavior import review

        return self._workspace.retried(lambda fresh: review.edit(fresh, id, rule, scope))

    def delete(self, id: str) -> Behavior:
        """Deactivate a rule. `undo` restores it, `forget` erases it."""
        from sharpwave.behavior import review

        return self._workspace.retried(lambda fresh: review.delete(fresh, id))

    def undo(self, id: str) -> Behavior:
        """Undo the last change of a rule: it was deleted, was replaced, or replaced others."""
        from sharpwave.behavior import review

        return self._workspace.retried(lambda fresh: review.undo(fresh, id))

    def prune(self) -> tuple[str, ...]:
        """Erase old rules that were observed only once; returns their ids."""
        from sharpwave.behavior import review

        return review.prune(self._workspace)

    def prompt_section(self, role: str = "assistant", *, scope: str | None = None) -> str:
        """The section "Learned Preferences" for the prompt of a role; empty if there is nothing.

        `role` is assistant, executor, planner or replanner. Put it after the definition of the
        role and before everything else, as `assemble_prompt` does.
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
        """Assemble a prompt for a role: its definition, the learned preferences, then the rest.

        `behaviors_section` is your own section to use instead of `prompt_section`.
        """
        if behaviors_section is None:
            behaviors_section = self.prompt_section(role, scope=scope)
        return listing.assembled_prompt(role, definition, rest, behaviors_section)

    def preferences(
        self, category: str | None = None, *, scope: str | None = None
    ) -> list[Preference]:
        """The user's preferences in a project or file, or everywhere; the narrower scope wins."""
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
        """Store a preference; the previous version is kept as history.

        Categories with a special meaning are tool (a score from 0 to 1), parameter (a default),
        workflow (steps) and error_handling (strict or lenient). An inferred preference never
        replaces an explicit one; returns the current preference.
        """
        from sharpwave.behavior import preferences

        workspace = self._workspace
        preference = preferences.validated(
            workspace, category, key, value, source, confidence, scope
        )
        return preferences.put(workspace, preference)

    def all_preferences(self, *, scope: str | None = None) -> UserPreferences:
        """All preferences in one object: tools, defaults, workflows, corrections, rules."""
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
        """Store how the user corrected an output, and learn from it.

        A replaced word, a changed format or a changed length becomes a preference and a rule.
        `tools` are the names of your tools: if one was replaced by another, the scores of both are
        updated.
        """
        from sharpwave.behavior import corrections

        return corrections.learn(self._workspace, original, corrected, context, scope, tools)

    def notes(self) -> list[Note]:
        """Rules of thumb for helping this user: agreed ones before guesses."""
        return tasks.notes(self._workspace)

    def reset(self) -> ResetLearning:
        """Erase all learning: rules, preferences, style, patterns, tool records, insights.

        The logs of agents' work and the ratings are erased too, otherwise the same would be learned
        again. Messages, facts and the user's own skills are kept.
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
