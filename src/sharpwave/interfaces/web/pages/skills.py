"""Skills and style: how the user likes to be answered, and how that is learned."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from typing import Any

from nicegui import html, ui
from nicegui.events import GenericEventArguments, ValueChangeEventArguments

from sharpwave.interfaces.web import components, records
from sharpwave.interfaces.web.components import Bar
from sharpwave.interfaces.web.records import PagedList, Tone, count, of_list, table
from sharpwave.interfaces.web.sessions import Viewer
from sharpwave.types.skills import (
    BehaviorMetrics,
    KnownSkill,
    SkillOdds,
    Style,
    StyleDimension,
    Trajectory,
)

OVERALL = ""


def contexts(style: Style) -> dict[str, str]:
    """The contexts something was learned in, to choose from."""
    return {OVERALL: "overall", **{name: name.replace("_", ", ") for name in style.contexts}}


def label_of(name: str) -> str:
    """A dimension or skill in words.

    >>> label_of("technical_depth")
    'technical depth'
    """
    return name.replace("_", " ")


def title_of(name: str) -> str:
    """A dimension or skill in words, capitalised.

    >>> title_of("technical_depth")
    'Technical depth'
    """
    return label_of(name).capitalize()


def leaning(dimension: StyleDimension) -> str:
    """The value of a dimension, in words.

    >>> from types import SimpleNamespace as Stand
    >>> leaning(Stand(value=0.5, low="concise", high="verbose"))
    'between concise and verbose'
    >>> leaning(Stand(value=0.2, low="concise", high="verbose"))
    'rather concise'
    """
    if abs(dimension.value - 0.5) < 0.03:
        return f"between {dimension.low} and {dimension.high}"
    return f"rather {dimension.low if dimension.value < 0.5 else dimension.high}"


def basis(dimension: StyleDimension) -> str:
    """The evidence for a dimension, in words."""
    if dimension.pinned:
        return "set by you"
    if not dimension.evidence:
        return "nothing yet"
    return f"{dimension.evidence:g} {'rating' if dimension.evidence == 1 else 'ratings'}"


def odds_bars(odds: Sequence[SkillOdds]) -> list[Bar]:
    """How often each skill is liked, with the likely range.

    >>> odds_bars([SkillOdds("brainstorm", 2.0, 1.0, 0.67, 0.22, 0.97)])[0].shown
    '67 % liked, likely 22 to 97 %'
    """
    return [
        Bar(
            label_of(row.skill),
            row.mean,
            f"{row.mean * 100:.0f} % liked, likely {row.low * 100:.0f} to {row.high * 100:.0f} %",
        )
        for row in odds
    ]


def is_own(known: KnownSkill) -> bool:
    """True if the user made the skill and can change it; base skills never change."""
    return known.skill.record_id is not None


def rating_counts(known: KnownSkill) -> str:
    """The ratings of a skill, in words."""
    if not known.positive + known.negative:
        return "not rated"
    return f"{known.positive} liked, {known.negative} disliked"


def exploration_numbers(metrics: BehaviorMetrics) -> str:
    """Cost and benefit of exploration, in words."""
    if not metrics.explores:
        return "Off: what looks best is always taken."
    tries = count(metrics.explored, "try", "tries")
    brought = f"So far {metrics.explored_positive:,} of {tries} pleased."
    result = brought if metrics.explored else "Nothing was tried yet."
    return f"On: about {metrics.exploration_rate:.0%} of the answers try something else. {result}"


def rating_words(trajectory: Trajectory) -> str:
    """The rating of an answer, in words."""
    if trajectory.reward is None:
        return "not rated"
    return "liked" if trajectory.reward > 0 else "disliked" if trajectory.reward < 0 else "neither"


_AT_ONCE = 10

Do = Callable[[KnownSkill], Awaitable[None]]


async def _skills(viewer: Viewer) -> None:
    """Every skill, the most confident first: built-in skills and the user's own."""
    skills = viewer.memory.skills

    def draw(items: Sequence[KnownSkill]) -> None:
        titles, change = ["Skill", "Confidence", "Used", "Ratings"], viewer.may_write
        rows: list[list[object]] = [
            [
                partial(_name, known_skill),
                partial(_confidence, known_skill),
                known_skill.usage_count,
                rating_counts(known_skill),
                *([partial(_buttons, known_skill, acts)] if change else []),
            ]
            for known_skill in items
        ]
        table([*titles, "Change"] if change else titles, rows)

    async def done(words: str) -> None:
        components.notify_done(words)
        await listed.show(same_page=True)

    async def set_aside(skill: KnownSkill) -> None:
        await viewer.ask(skills.archive, skill.skill.id, undo=skill.archived)
        await done(f"{skill.skill.name} is {'used again' if skill.archived else 'set aside'}.")

    async def reset(skill: KnownSkill) -> None:
        words = "Its confidence and odds begin anew. The ratings stay, but count no more."
        if await components.confirm(
            f"Forget what was learned of {skill.skill.name}?", words, "Forget it"
        ):
            await viewer.ask(skills.reset, skill=skill.skill.id)
            await done("Forgotten.")

    async def edit(skill: KnownSkill) -> None:
        with components.form_on_page(f"Change {skill.skill.name}") as dialog:
            name = components.text_field("Name", skill.skill.name)
            template = components.text_field("How to answer", skill.skill.template, long=True)
            components.submit_buttons(dialog, "Save")
        agreed, new_name, words = await dialog, str(name.value), str(template.value)
        dialog.delete()
        if agreed:
            await viewer.ask(skills.edit, skill.skill.id, template=words, name=new_name)
            await done("Changed. Its earlier versions are kept.")

    async def delete(skill: KnownSkill) -> None:
        words = "It is erased with every version."
        if await components.confirm(f"Delete {skill.skill.name}?", words, "Delete it"):
            await viewer.ask(skills.delete, skill.skill.id)
            await done("Deleted.")

    acts: dict[str, Do] = {
        "Set aside": set_aside,
        "Use again": set_aside,
        "Reset": reset,
        "Edit": edit,
        "Delete": delete,
    }
    with components.card("Skills", "Ways to answer, the surest first."):
        load = of_list(partial(viewer.ask, skills.list, archived=True))
        listed = PagedList(load, draw, "There are no skills.", _AT_ONCE)
    await listed.show()


def _name(skill: KnownSkill) -> None:
    with components.row():
        html.span(skill.skill.name).classes("sw-strong")
        if is_own(skill):
            records.badge("yours", Tone.ACCENT)
        if skill.archived:
            records.badge("set aside", Tone.WARN)
    with components.details("Why, and how it answers"):
        html.p(skill.why).classes("sw-small")
        html.p(skill.skill.template).classes("sw-small sw-soft sw-words")


def _confidence(skill: KnownSkill) -> None:
    html.span(f"{skill.confidence:.0%}").classes("sw-small")
    components.meter(skill.confidence, f"Confidence in {skill.skill.name}")


def _buttons(skill: KnownSkill, acts: Mapping[str, Do]) -> None:
    own = ["Edit", "Delete"] if is_own(skill) else []
    with components.row():
        for words in ("Use again" if skill.archived else "Set aside", "Reset", *own):
            components.line_button(words, partial(acts[words], skill), skill.skill.name)


_APPLIED = 10


async def show(viewer: Viewer) -> None:
    """Draw the page."""
    await _StylePart(viewer).build()
    await _exploration(viewer)
    await _skills(viewer)
    await _applied(viewer)


class _StylePart:
    """The style in the selected context, and the odds of skills there."""

    def __init__(self, viewer: Viewer) -> None:
        self._viewer, self._context = viewer, OVERALL
        about = "Each dimension goes from 0 to 1; two of the sixteen are kept free."
        with components.card("Style", about):
            self._choice = components.choice("In", {"": "overall"}, "", self._choose)
            self._choice.classes("sw-choice")
            self._place = html.ul().classes("sw-two")
        with components.card("Odds of each skill", "How often it is likely to be liked."):
            self._odds = html.div().classes("sw-column")

    async def build(self) -> None:
        """Draw the current state."""
        viewer, context = self._viewer, self._context or None
        overall = await viewer.ask(viewer.memory.skills.style)
        self._choice.set_options(contexts(overall), value=self._context)
        style = await viewer.ask(viewer.memory.skills.style, context) if context else overall
        odds = await viewer.ask(viewer.memory.skills.odds, context) if context else []
        if context != (self._context or None):
            return  # another context was selected meanwhile
        for place in (self._place, self._odds):
            place.clear()
        with self._place:
            for dimension in style.dimensions:
                self._dimension(dimension)
        with self._odds:
            _odds(odds, bool(overall.contexts))

    def _dimension(self, dimension: StyleDimension) -> None:
        name = label_of(dimension.name)
        with html.li().classes("sw-dimension"):
            html.span(title_of(dimension.name)).classes("sw-strong")
            html.span(f"{leaning(dimension)} · {basis(dimension)}").classes("sw-soft sw-small")
            if not self._viewer.may_write:
                components.meter(dimension.value, name)
                return
            slider = ui.slider(min=0, max=1, step=0.05, value=round(dimension.value, 2))
            slider.props["aria-label"] = f"{name}: {dimension.low} to {dimension.high}"
            slider.on("change", partial(self._set, dimension.name))

    async def _set(self, name: str, event: GenericEventArguments) -> None:
        value = float(event.args)
        await self._viewer.ask(
            self._viewer.memory.skills.set_style, {name: value}, self._context or None
        )
        components.notify_done(f"Set: {label_of(name)} stays at {value:.2f} until you change it.")
        await self.build()

    async def _choose(self, event: ValueChangeEventArguments[Any]) -> None:
        if event.value != self._context:
            self._context = event.value or OVERALL
            await self.build()


def _odds(odds: Sequence[SkillOdds], has_learned: bool) -> None:
    if odds:
        components.bars(odds_bars(odds))
    elif has_learned:
        words = "Choose a context above: skills do better in some than in others."
        html.p(words).classes("sw-soft")
    else:
        components.empty(
            "casino",
            "No odds yet",
            "Every rating moves the odds of the skill that was used, in the context it was used "
            "in, such as a question asked in the morning.",
        )


async def _exploration(viewer: Viewer) -> None:
    metrics = await viewer.ask(viewer.memory.skills.metrics)
    with components.card("Trying other skills"), components.row():
        line = html.p(exploration_numbers(metrics)).classes("sw-grow")

        async def turn(on: bool) -> None:
            line._text = exploration_numbers(await viewer.ask(viewer.memory.skills.explore, on))
            line.update()

        label = "Try other skills now and then"
        components.switch(label, metrics.explores, turn, enabled=viewer.may_write)


async def _applied(viewer: Viewer) -> None:
    trajectories = await viewer.ask(viewer.memory.skills.trajectories, _APPLIED)
    with components.card("Lately applied", "Which skill was used, where, and how it was taken."):
        if not trajectories:
            components.empty(
                "history",
                "No skill was applied yet",
                "Chat, or call `skills.select`, and every choice is listed here.",
            )
            return
        rows = [
            (
                partial(records.moment, trajectory.at),
                title_of(trajectory.skill) + (" (a try)" if trajectory.is_exploration else ""),
                trajectory.context.replace("_", ", "),
                rating_words(trajectory),
            )
            for trajectory in trajectories
        ]
        table(("When", "Skill", "Context", "Taken"), rows)
