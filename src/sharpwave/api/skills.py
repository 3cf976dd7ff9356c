"""Skills, style, and what was learned from feedback."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sharpwave import checks
from sharpwave.api.state import Namespace
from sharpwave.behavior import reply
from sharpwave.behavior.feedback import batches, ratings, records
from sharpwave.behavior.skills import catalog, editing, learning, metrics, population, select, state
from sharpwave.errors import InvalidInput
from sharpwave.types import skills
from sharpwave.types.answers import Reply
from sharpwave.types.intent import ReadContext
from sharpwave.types.skills import (
    BatchReport,
    BehaviorMetrics,
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

List = list  # `list` is a method here
MAX_LISTED = 10_000
"""Maximum number of trajectories per call."""


class SkillsApi(Namespace):
    """Ways to answer, chosen and learned for this user."""

    def select(
        self,
        message: str,
        *,
        session: str | None = None,
        message_id: str | None = None,
        context: ReadContext | None = None,
        at: datetime | None = None,
    ) -> SkillChoice:
        """Select a skill for answering a message. The choice has its reasons, and a `message_id`.

        Pass that id to `feedback`. Calling again with the same `message_id` returns the same skill.
        `context` is for callers that have classified the message already, `at` for past messages.
        """
        workspace = self._workspace
        request = select.SkillRequest(
            checks.text(message, "message"),
            checks.optional_name(session, "session"),
            checks.optional_name(message_id, "message_id"),
            context,
            None if at is None else checks.moment(at, "at"),
        )
        choice = select.select(workspace, request)
        self._state.process.skill_metrics().add_selection(workspace, choice.milliseconds)
        return choice

    def reply(self, message: str, context: str = "") -> Reply:
        """Answer a message with the language model, given the text of a `context`.

        Neither message nor answer is stored; call `remember` for that. Without a model, or without
        the user's consent to "egress", `why_not` says so.
        """
        return reply.reply(self._workspace, checks.text(message, "message"), context)

    def list(self, *, archived: bool = False) -> List[KnownSkill]:
        """All skills with their confidence for this user, and why; the most confident first."""
        return editing.list_skills(self._workspace, archived)

    def get(self, skill: str) -> KnownSkill:
        """A skill by its id; raises SkillNotFound if there is none."""
        return editing.get(self._workspace, skill)

    def create(
        self,
        skill: str,
        template: str,
        *,
        name: str | None = None,
        trigger: Trigger | Mapping[str, Any] | None = None,
        dimensions: Mapping[str, float] | None = None,
    ) -> Skill:
        """Add a skill: its id, and the instruction for the model.

        `trigger` says when it applies: intent, sentiment, time_of_day (a word or a list each) and
        topic (a text). `dimensions` is its style; without it, the style is learned from feedback.
        """
        return editing.create(self._workspace, skill, template, name, trigger, dimensions)

    def edit(
        self,
        skill: str,
        *,
        template: str | None = None,
        name: str | None = None,
        trigger: Trigger | Mapping[str, Any] | None = None,
        dimensions: Mapping[str, float] | None = None,
    ) -> Skill:
        """Change one of your skills; earlier versions are kept. Base skills never change."""
        changes = {"template": template, "name": name, "trigger": trigger, "dimensions": dimensions}
        return editing.edit(self._workspace, skill, changes)

    def improve(self, skill: str) -> SkillProposal:
        """A better template for a skill, from what the user said of its answers.

        Only a proposal, by the language model of the role optimizer: `edit` takes it over.
        Raises ProviderError if the model does not answer.
        """
        return editing.propose_template(self._workspace, skill)

    def archive(self, skill: str, *, undo: bool = False) -> KnownSkill:
        """Archive a skill for this user, so that it is not selected; `undo` restores it."""
        editing.archive(self._workspace, skill, undo)
        return self.get(skill)

    def delete(self, skill: str) -> None:
        """Erase one of your skills, with all versions."""
        editing.delete(self._workspace, skill)

    def style(self, context: str | None = None) -> Style:
        """The user's style in a context such as "question_neutral_morning", or overall.

        Every dimension has its evidence, its confidence, and how to change it.
        """
        return learning.style_view(state.read(self._workspace), context)

    def set_style(self, dimensions: Mapping[str, float], context: str | None = None) -> Style:
        """Set dimensions of the style explicitly; feedback no longer changes them."""
        values = catalog.style_values(dimensions)
        decision = {"dimensions": values, "context": context, "bucket": _bucket(context)}
        ratings.record_decision(self._workspace, learning.SET_STYLE, decision)
        return self.style(context)

    def trajectories(self, limit: int = 100, *, session: str | None = None) -> List[Trajectory]:
        """The last turns for which a skill was selected, with their rating; newest first."""
        count = checks.count(limit, "limit", MAX_LISTED)
        session_id = checks.optional_name(session, "session")
        return records.list_trajectories(self._workspace, count, session_id)

    def odds(self, context: str) -> List[SkillOdds]:
        """Odds of each skill in a context such as "question_neutral_morning"; best first.

        `style().contexts` lists the contexts in which something was learned.
        """
        return metrics.odds_in_context(self._workspace, checks.name(context, "context"))

    def history(self, limit: int = 1000) -> SkillHistory:
        """Statistics of the last choices and ratings: by hour, by skill, over time."""
        return metrics.history(self._workspace, checks.count(limit, "limit", MAX_LISTED))

    def metrics(self) -> BehaviorMetrics:
        """Whether learning helps: positive rate, reward, speed, result of exploration."""
        return metrics.metrics(self._workspace)

    def explore(self, on: bool) -> BehaviorMetrics:
        """Turn exploration on or off: sometimes try another skill, or always take the best."""
        ratings.record_decision(self._workspace, learning.EXPLORE, {"on": on})
        return self.metrics()

    def learn(self, *, even_if_few: bool = False) -> BatchReport:
        """Do now what sleep does: read comments, detect reactions, compute odds, clean up.

        With `even_if_few` it also runs if there are too few comments and ratings.
        """
        return batches.learn(self._workspace, even_if_few)

    def learn_population(self) -> int:
        """Compute rates of liked skills by context, over all users with consent to "population".

        Returns the number of rates; users who withdrew consent no longer count. Once a day is
        enough: it reads every user.
        """
        return population.update_rates(self._workspace.shared)

    def reset(
        self, *, skill: str | None = None, context: str | None = None, dimension: str | None = None
    ) -> None:
        """Reset what was learned about a skill, a context or a dimension of style, or everything.

        The records it was learned from stay, but no longer count; `forget` erases them.
        """
        if dimension is not None and dimension not in skills.ENDS:
            raise InvalidInput(f"there is no style dimension {dimension!r}")
        skill_id = None if skill is None else self.get(skill).skill.id
        decision = {"skill": skill_id, "bucket": _bucket(context), "dimension": dimension}
        ratings.record_decision(self._workspace, learning.RESET, decision)


def _bucket(context: str | None) -> int | None:
    return None if context is None else learning.bucket_of(context)
