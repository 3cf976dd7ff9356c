"""Work of agents, and what was learned from it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from sharpwave import checks
from sharpwave.api.state import Namespace
from sharpwave.api.windows import window
from sharpwave.behavior import listing
from sharpwave.behavior import preferences as preferring
from sharpwave.errors import NoConsent, NotFound
from sharpwave.experience import (
    advice,
    insights,
    intake,
    live,
    patterns,
    publish,
    rebuild,
)
from sharpwave.experience import flow as experiencing
from sharpwave.experience.learners import progress, task_patterns, tools
from sharpwave.experience.open_interaction import OpenInteraction
from sharpwave.importers import agent_logs as logs
from sharpwave.importers import items
from sharpwave.knowledge import facts
from sharpwave.tallies import Sheet
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
    TaskRun,
    ToolRecord,
)
from sharpwave.types.records import USER, Record
from sharpwave.types.storing import EXPERIENCE
from sharpwave.workspace import Workspace

Run = TaskRun | Mapping[str, object]
Progress = Callable[[int], None] | None
IMPORT_BATCH = 50
"""Number of tasks stored in one batch when a log is imported."""


class AgentsApi(Namespace):
    """Interactions, tasks, tools, patterns, insights and advice."""

    def start(
        self,
        query: str,
        *,
        session: str | None = None,
        context: Mapping[str, object] | None = None,
        durable: bool = False,
    ) -> OpenInteraction:
        """Start an interaction with the user's query. Use it with `with`, or by its id.

        Each step is stored, so any process can continue the interaction by its id; it becomes a
        record when it is complete. With `durable` its start is already a record that can be
        recalled.
        """
        id_ = self._workspace.retried(
            lambda fresh: live.start(fresh, query, session, context or {}, durable)
        )
        return OpenInteraction(self, id_)

    def log_interpretation(
        self,
        interaction: str | OpenInteraction,
        interpretation: str,
        planned_actions: Sequence[str] = (),
        confidence: float | None = None,
        active_role: str | None = None,
    ) -> None:
        """Log how the query was understood, and the planned actions."""
        fields: dict[str, object] = {
            "interpretation": interpretation,
            "planned": [str(action) for action in planned_actions],
            "confidence": confidence,
            "role": active_role,
        }
        live.interpret(self._workspace, _id(interaction), fields)

    def log_action(
        self,
        interaction: str | OpenInteraction,
        action: Action | str,
        target: str | None = None,
        details: Mapping[str, object] | None = None,
    ) -> None:
        """Log an action as it is performed; it is durable when this returns.

        `details` are its parameters; the keys success, error, duration_ms and retries are its
        result.
        """
        workspace = self._workspace
        performed = intake.action_at(action, target, details or {}, workspace.clock.now())
        live.act(workspace, _id(interaction), performed)

    def complete(
        self,
        interaction: str | OpenInteraction,
        feedback: str | None = None,
        success: bool | None = None,
        tokens: int = 0,
        feedback_type: FeedbackType | str | None = None,
    ) -> Logged:
        """Complete an interaction. When this returns, it survives a power cut.

        The type of the feedback is read from its text, unless `feedback_type` is given.
        """
        ending = live.Ending(feedback, success, tokens, feedback_type)
        return live.finish(self._workspace, _id(interaction), ending)

    def log(
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
        """Log a single action without an interaction; returns the patterns that it completes."""
        workspace = self._workspace
        now = workspace.clock.now()
        performed = intake.action_at(
            action, file_path, {"success": success, **(details or {})}, now
        )
        surroundings = {"context_before": context_before, "context_after": context_after}
        draft = intake.InteractionDraft(
            performed.name, session, performed.at or now, actions=[performed]
        )
        draft.context = {name: text for name, text in surroundings.items() if text}
        draft.success, draft.form = performed.success, "action"
        draft.idempotency_key = idempotency_key
        return self._logged(intake.interaction(workspace, draft))

    def observe(self, task: Run | Sequence[Run]) -> list[Logged]:
        """Learn from finished tasks: the query, the steps, and the outcome.

        A task is a `TaskRun`, or a mapping with its fields. A `task_id` that was observed before
        is not counted again.
        """
        runs = list(task) if isinstance(task, Sequence) else [task]
        return experiencing.observe(self._workspace, [intake.run_of(run) for run in runs])

    def import_log(
        self, path: str | Path, format: str | None = None, progress: Progress = None
    ) -> ImportedLog:
        """Import the log of an agent: a file, or a folder of them.

        `format` is openai-tools or claude-code; detected if not given. If it is interrupted, call
        it again: nothing is learned twice.
        """
        now = self._state.resources.clock.now()

        def observe(runs: Sequence[TaskRun]) -> list[Logged]:
            return self.observe([items.timed_run(run, now) for run in runs])

        return logs.take_in(checks.path(path, "path"), format, observe, IMPORT_BATCH, progress)

    def rate(self, id: str, success: bool, by: str = "agent") -> Logged:
        """Record whether a pattern or an insight was right when used; updates its confidence."""
        return self._logged(intake.outcome(self._workspace, id, success, by))

    def advise(
        self,
        query: str,
        context: str | Mapping[str, object] | None = None,
        stage: str | None = None,
        limit: int = advice.ADVICE_LIMIT,
    ) -> Advice:
        """Advice from past work before a task: what worked, what to avoid, what comes next.

        `stage` is think (patterns, insights), plan (tools, plans, patterns, insights) or act
        (warnings, next steps, insights); without it all of them. The user's preferences are always
        included. `limit` is the maximum number of each kind, at most 50.

        `context` is the kind of work, or the project, whose rules are included; or a mapping with
        `context`, `done` (the steps so far), `tools` (the available ones), `agent` and any other
        key that conditions of insights refer to.
        """
        workspace = self._workspace
        if not workspace.consents.may_learn:
            return advice.withheld(advice.situation(query, context, stage, limit))
        user_facts = facts.current(workspace, USER)
        preference_texts = [fact.text for fact in user_facts if fact.type == "preference"]
        situation = advice.situation(query, context, stage, limit, preference_texts)
        stated_preferences = preferring.as_lines(workspace, situation.tools)
        scope_rules = listing.rules_of(workspace, situation.context)
        situation = replace(
            situation, preferences=(*scope_rules, *stated_preferences, *situation.preferences)
        )
        return advice.advise(workspace, situation, self._sheet())

    def patterns(self, type: str | None = None) -> list[LearnedPattern]:
        """All patterns that recur more often than by chance, or those of one type.

        Only the most frequent patterns of each type are kept.
        """
        found = patterns.every(self._sheet())
        return [pattern for pattern in found if type in (None, pattern.type)]

    def pattern(self, type: str, pattern: str) -> LearnedPattern:
        """One pattern, by its type and its name, id or text; NotFound if there is none."""
        for found in self.patterns(type):
            if pattern in (found.name, found.id, " → ".join(found.steps)):
                return found
        raise NotFound(f"no pattern {pattern!r} of type {type}")

    def detect_patterns(self, sequence: Sequence[str]) -> list[Match]:
        """Known patterns that match a sequence of actions, the most similar first."""
        found = [pattern for pattern in self.patterns() if pattern.type in patterns.SEQUENTIAL]
        return patterns.matches(sequence, found, self._workspace.clock.now())

    def tools(
        self,
        context: str | None = None,
        action: str | None = None,
        *,
        limit: int | None = None,
        offset: int = 0,
    ) -> list[ToolRecord]:
        """Track records of tools, the most used first; with a `context`, the best there first.

        Tools that were never used in the context come last. `action` keeps the tools whose name
        contains it. `limit` and `offset` select a page; only its errors and parameters are read,
        or with a context those of all tools.
        """
        sheet, part = self._sheet(), window(limit, offset)
        names = [
            name
            for name in tools.names_by_use(sheet)
            if action is None or action.lower() in name.lower()
        ]
        if context is None:
            return tools.records(sheet, part.of(names))
        found = tools.records(sheet, names)
        return part.of(sorted(found, key=lambda tool: tools.place_in_context(tool, context)))

    def models(self) -> list[ModelRecord]:
        """Outcomes of tasks by language model, the best first."""
        return task_patterns.models(self._sheet())

    def insights(self, type: str | None = None) -> list[Insight]:
        """The current insights, the best first; at most the 500 most confident."""
        workspace = self._workspace
        if not workspace.consents.may_learn:
            return []
        found = insights.current(workspace)
        return [insight for insight in found if type in (None, insight.type)]

    def add_insight(
        self,
        insight: str,
        insight_type: str = "rule",
        applies_to: Mapping[str, object] | None = None,
        evidence: Sequence[Mapping[str, object]] = (),
        confidence: float = 0.7,
        by: str = "agent",
    ) -> Insight:
        """Store your own insight; the same text is not stored twice.

        `applies_to` may have agents, contexts and conditions; `evidence` is a list of mappings
        with `task_id` and `description`.
        """
        workspace = self._workspace
        if not workspace.consents.may_learn:
            raise NoConsent(advice.WITHDRAWN)
        lesson = (insight, insight_type, applies_to, evidence, confidence, by)
        return workspace.retried(lambda fresh: insights.add(fresh, *lesson))

    def metrics(self) -> ExperienceMetrics:
        """Whether experience helps: reuse of patterns, predicted steps, change of error rate."""
        confidences = [insight.confidence for insight in self.insights()]
        return progress.view(self._sheet(), confidences)

    def generate_insights(self) -> list[Insight]:
        """Publish patterns and tool records, and generate and check insights, now."""
        workspace = self._workspace
        if not workspace.consents.may_learn:
            return []
        return workspace.retried(_lessons)

    def rebuild(self) -> int:
        """Recompute everything learned from the logs; returns the number of records used."""
        workspace = self._workspace
        if not workspace.consents.may_learn:
            return 0
        return workspace.retried(rebuild.anew)

    def _sheet(self) -> Sheet:

        workspace = self._workspace
        if not workspace.consents.may_learn:
            return Sheet.blank(EXPERIENCE)
        return rebuild.up_to_date(workspace, Sheet.of(workspace.store, EXPERIENCE))

    def _logged(self, record: Record) -> Logged:
        (logged,) = experiencing.log(self._workspace, [record])
        return logged


def _lessons(workspace: Workspace) -> list[Insight]:
    rebuild.up_to_date(workspace, Sheet.of(workspace.store, EXPERIENCE))
    publish.publish(workspace)
    return insights.learn(workspace)


def _id(interaction: str | OpenInteraction) -> str:
    return interaction if isinstance(interaction, str) else interaction.id
