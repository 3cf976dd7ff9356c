"""The part of the facade that is about skills, style and feedback. Each method calls one flow."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any

from sharpwave import checks
from sharpwave.errors import InvalidInput
from sharpwave.facades.rooms.when_used import WhenUsed
from sharpwave.types.storing import BEHAVIOR

if TYPE_CHECKING:
    from sharpwave.behavior.skills.measures import Measures
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
    from sharpwave.workspace import Workspace

MOST_LISTED = 10_000


class SkillMemory:
    """How this person likes to be answered: skills, style, feedback."""

    _workspace: Workspace

    def __init__(self) -> None:
        super().__init__()
        self._measures = WhenUsed(_measures)

    def select_skill(
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
        from sharpwave.behavior.skills import select

        limits = self._workspace.settings.remember
        wanted = select.Wanted(
            checks.text(message, "message", limits.max_text_bytes),
            checks.optional_name(session, "session", limits.max_name_chars),
            checks.optional_name(message_id, "message_id", limits.max_name_chars),
            context,
            None if at is None else checks.moment(at, "at"),
        )
        room = self._workspace
        choice = select.select(room, wanted)
        self._measures().chosen(room, choice.milliseconds)
        return choice

    def reply(self, message: str, context: str = "") -> Reply:
        """What the language model answers to a message, told the text of a `context`.

        Nothing is remembered by this: `remember` both, if you want that. Without a model, or where
        the user does not agree that words leave this machine, `why_not` says so.
        """
        from sharpwave.behavior import replying

        said = checks.text(message, "message", self._workspace.settings.remember.max_text_bytes)
        return replying.reply(self._workspace, said, context)

    def feedback(
        self,
        message_id: str,
        reward: float,
        reason: str | None = None,
        free_text: str | None = None,
        skill: str | None = None,
        implicit: bool = False,
    ) -> FeedbackReceipt:
        """Say what the user thought of an answer: 1, 0 or -1, a reason, a short comment.

        `message_id` is that of the `SkillChoice`, or the id of the remembered message or of the
        answer to it. It is learned from at once; the comment is read in the background. A second
        rating of the same message replaces the first. `implicit` is for a mere reaction, anywhere
        from -1 to 1: it counts less, and never against a rating.
        """
        from sharpwave.behavior.feedback import live

        given = live.Given(message_id, reward, reason, free_text, skill, implicit)
        room = self._workspace
        receipt = live.give(room, given)
        self._measures().tell_if_due(room)
        return receipt

    def skills(self, *, archived: bool = False) -> list[KnownSkill]:
        """Every skill, how sure we are of it for this user, and why; the surest first."""
        from sharpwave.behavior.skills import keeping

        return keeping.every(self._workspace, archived)

    def skill(self, skill: str) -> KnownSkill:
        """One skill, by its id; SkillNotFound if there is none."""
        from sharpwave.behavior.skills import keeping

        return keeping.one(self._workspace, skill)

    def create_skill(
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
        from sharpwave.behavior.skills import keeping

        return keeping.create(self._workspace, skill, template, name, trigger, dimensions)

    def edit_skill(
        self,
        skill: str,
        *,
        template: str | None = None,
        name: str | None = None,
        trigger: Trigger | Mapping[str, Any] | None = None,
        dimensions: Mapping[str, float] | None = None,
    ) -> Skill:
        """Change a skill you made; its earlier versions are kept. Base skills never change."""
        from sharpwave.behavior.skills import keeping

        changes = {"template": template, "name": name, "trigger": trigger, "dimensions": dimensions}
        return keeping.edit(self._workspace, skill, changes)

    def improve_skill(self, skill: str) -> SkillProposal:
        """A better template for a skill, from what the user said of its answers.

        Only a proposal, by the language model of the role optimizer: `edit_skill` takes it over.
        Raises ProviderError if the model does not answer.
        """
        from sharpwave.behavior.skills import improving

        return improving.propose(self._workspace, skill)

    def archive_skill(self, skill: str, *, undo: bool = False) -> KnownSkill:
        """Set a skill aside for this user, so that it is not chosen; `undo` takes it up again."""
        from sharpwave.behavior.skills import keeping

        keeping.archive(self._workspace, skill, undo)
        return self.skill(skill)

    def delete_skill(self, skill: str) -> None:
        """Erase a skill you made, with every version."""
        from sharpwave.behavior.skills import keeping

        keeping.delete(self._workspace, skill)

    def style(self, context: str | None = None) -> Style:
        """How the user likes answers in a context such as "question_neutral_morning", or overall.

        Every dimension says what it rests on, how sure that is, and how to change it.
        """
        from sharpwave import tallies
        from sharpwave.behavior.skills import learned, styles

        workspace = self._workspace
        blank = tallies.Sheet.blank(BEHAVIOR)
        numbers = learned.known(workspace) if learned.may_learn(workspace) else blank
        return styles.view(
            numbers, context, self._bucket(context), self._workspace.settings.skills.style
        )

    def set_style(self, dimensions: Mapping[str, float], context: str | None = None) -> Style:
        """Say outright how answers should be; feedback then leaves these dimensions alone."""
        from sharpwave.behavior.feedback import live
        from sharpwave.behavior.skills import catalog, learning

        values = catalog.style_values(dimensions)
        said = {"dimensions": values, "context": context, "bucket": self._bucket(context)}
        live.decide(self._workspace, learning.SET_STYLE, said)
        return self.style(context)

    def reset_skills(
        self, *, skill: str | None = None, context: str | None = None, dimension: str | None = None
    ) -> None:
        """Forget what was learned about a skill, a context or a dimension of style, or everything.

        The records it was learned from stay, but do not count any more; `forget` erases them.
        """
        from sharpwave.behavior.feedback import live
        from sharpwave.behavior.skills import learning
        from sharpwave.types import skills

        if dimension is not None and dimension not in skills.ENDS:
            raise InvalidInput(f"there is no style dimension {dimension!r}")
        which = None if skill is None else self.skill(skill).skill.id
        said = {"skill": which, "bucket": self._bucket(context), "dimension": dimension}
        live.decide(self._workspace, learning.RESET, said)

    def trajectories(self, limit: int = 100, *, session: str | None = None) -> list[Trajectory]:
        """The last turns for which a skill was chosen, and how each was taken; newest first."""
        from sharpwave.behavior.feedback import trajectories

        count = checks.count(limit, "limit", MOST_LISTED)
        return trajectories.listed(self._workspace, count, session)

    def learn_behavior(self, *, even_if_few: bool = False) -> BatchReport:
        """Do now what sleep does: read comments, notice reactions, compute odds, tidy up.

        With `even_if_few` it does not wait until there are enough comments and ratings.
        """
        from sharpwave.behavior.feedback import batches

        return batches.learn(self._workspace, even_if_few)

    def learn_population(self) -> int:
        """Add up, for everybody in this file who agreed to "population", what was liked where.

        Returns how many rates there are now; whoever no longer agrees no longer counts. Once a
        night is enough: it looks at every user.
        """
        from sharpwave.behavior import population

        return population.add_up(self._workspace.shared)

    def behavior_metrics(self) -> BehaviorMetrics:
        """Whether learning helps: positive rate, reward, how fast, what exploring brought."""
        from sharpwave.behavior.skills import keeping

        return keeping.metrics(self._workspace)

    def skill_odds(self, context: str) -> list[SkillOdds]:
        """How well each skill does in a context such as "question_neutral_morning"; best first.

        `style().contexts` has the contexts that something was learned in.
        """
        from sharpwave.behavior.skills import history

        limit = self._workspace.settings.remember.max_name_chars
        return history.odds_of(self._workspace, checks.name(context, "context", limit))

    def skill_history(self, limit: int = 1000) -> SkillHistory:
        """What the last choices and ratings show: by the hour, by skill, over time."""
        from sharpwave.behavior.skills import history

        return history.history(self._workspace, checks.count(limit, "limit", MOST_LISTED))

    def explore(self, on: bool) -> BehaviorMetrics:
        """Let another skill be tried now and then, or always take what looks best."""
        from sharpwave.behavior.feedback import live
        from sharpwave.behavior.skills import learning

        live.decide(self._workspace, learning.EXPLORE, {"on": on})
        return self.behavior_metrics()

    def _bucket(self, context: str | None) -> int | None:
        from sharpwave.behavior.skills import learned

        return None if context is None else learned.bucket(self._workspace, context)


def _measures() -> Measures:
    from sharpwave.behavior.skills.measures import Measures

    return Measures()
