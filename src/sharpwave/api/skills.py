"""Skills, style and what was learned from feedback."""

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
"""The most trajectories that one call gives."""


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
        """Choose how to answer a message. The choice says why, and what to name in `feedback`.

        Asked again with the same `message_id`, it gives the same skill. `context` is for callers
        that have read the message already, `at` for messages of another time than now.
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
        """What the language model answers to a message, given the text of a `context`.

        Nothing is remembered by this: `remember` both, if you want that. Without a model, or where
        the user does not agree that words leave this machine, `why_not` says so.
        """
        return reply.reply(self._workspace, checks.text(message, "message"), context)

    def list(self, *, archived: bool = False) -> List[KnownSkill]:
        """Every skill, how sure we are of it for this user, and why; the surest first."""
        return editing.list_skills(self._workspace, archived)

    def get(self, skill: str) -> KnownSkill:
        """One skill, by its id; SkillNotFound if there is none."""
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
        """Add a way to answer: its id, and the instruction for the model.

        `trigger` says when it applies: intent, sentiment, time_of_day (a word or a list each) and
        topic (a text). `dimensions` is its style; without it, that is learned from feedback.
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
        """Change a skill you made; its earlier versions are kept. Base skills never change."""
        changes = {"template": template, "name": name, "trigger": trigger, "dimensions": dimensions}
        return editing.edit(self._workspace, skill, changes)

    def improve(self, skill: str) -> SkillProposal:
        """A better template for a skill, from what the user said of its answers.

        Only a proposal, by the language model of the role optimizer: `edit` takes it over.
        Raises ProviderError if the model does not answer.
        """
        return editing.propose_template(self._workspace, skill)

    def archive(self, skill: str, *, undo: bool = False) -> KnownSkill:
        """Set a skill aside for this user, so that it is not chosen; `undo` takes it up again."""
        editing.archive(self._workspace, skill, undo)
        return self.get(skill)

    def delete(self, skill: str) -> None:
        """Erase a skill you made, with every version."""
        editing.delete(self._workspace, skill)

    def style(self, context: str | None = None) -> Style:
        """How the user likes answers in a context such as "question_neutral_morning", or overall.

        Every dimension says what it rests on, how sure that is, and how to change it.
        """
        return learning.style_view(state.read(self._workspace), context)

    def set_style(self, dimensions: Mapping[str, float], context: str | None = None) -> Style:
        """Say outright how answers should be; feedback then leaves these dimensions alone."""
        values = catalog.style_values(dimensions)
        decision = {"dimensions": values, "context": context, "bucket": _bucket(context)}
        ratings.record_decision(self._workspace, learning.SET_STYLE, decision)
        return self.style(context)

    def trajectories(self, limit: int = 100, *, session: str | None = None) -> List[Trajectory]:
        """The last turns for which a skill was chosen, and how each was taken; newest first."""
        count = checks.count(limit, "limit", MAX_LISTED)
        session_id = checks.optional_name(session, "session")
        return records.list_trajectories(self._workspace, count, session_id)

    def odds(self, context: str) -> List[SkillOdds]:
        """How well each skill does in a context such as "question_neutral_morning"; best first.

        `style().contexts` has the contexts that something was learned in.
        """
        return metrics.odds_in_context(self._workspace, checks.name(context, "context"))

    def history(self, limit: int = 1000) -> SkillHistory:
        """What the last choices and ratings show: by the hour, by skill, over time."""
        return metrics.history(self._workspace, checks.count(limit, "limit", MAX_LISTED))

    def metrics(self) -> BehaviorMetrics:
        """Whether learning helps: positive rate, reward, how fast, what exploring brought."""
        return metrics.metrics(self._workspace)

    def explore(self, on: bool) -> BehaviorMetrics:
        """Let another skill be tried now and then, or always take what looks best."""
        ratings.record_decision(self._workspace, learning.EXPLORE, {"on": on})
        return self.metrics()

    def learn(self, *, even_if_few: bool = False) -> BatchReport:
        """Do now what sleep does: read comments, notice reactions, compute odds, tidy up.

        With `even_if_few` it does not wait until there are enough comments and ratings.
        """
        return batches.learn(self._workspace, even_if_few)

    def learn_population(self) -> int:
        """Add up, for everybody in this file who agreed to "population", what was liked where.

        Returns how many rates there are now; who no longer agrees no longer counts. Once a
        day is enough: it looks at every user.
        """
        return population.update_rates(self._workspace.shared)

    def reset(
        self, *, skill: str | None = None, context: str | None = None, dimension: str | None = None
    ) -> None:
        """Forget what was learned about a skill, a context or a dimension of style, or everything.

        The records it was learned from stay, but do not count any more; `forget` erases them.
        """
        if dimension is not None and dimension not in skills.ENDS:
            raise InvalidInput(f"there is no style dimension {dimension!r}")
        skill_id = None if skill is None else self.get(skill).skill.id
        decision = {"skill": skill_id, "bucket": _bucket(context), "dimension": dimension}
        ratings.record_decision(self._workspace, learning.RESET, decision)


def _bucket(context: str | None) -> int | None:
    return None if context is None else learning.bucket_of(context)
