"""Skills and style, as charts, rows and words."""

from collections.abc import Mapping, Sequence
from typing import Any

from sharpwave.interfaces.web.shown.counts import count
from sharpwave.types.skills import (
    BehaviorMetrics,
    KnownSkill,
    SkillOdds,
    Style,
    StyleDimension,
    Trajectory,
)

OVERALL = ""
_NARROW = 420
"""Pixels: where a radar has no room for its words beside it."""
_MOST_ODDS = 12


def contexts(style: Style) -> dict[str, str]:
    """The contexts something was learned in, to choose from."""
    return {OVERALL: "overall", **{name: name.replace("_", ", ") for name in style.contexts}}


def label(name: str) -> str:
    """A dimension or skill in words.

    >>> label("technical_depth")
    'technical depth'
    """
    return name.replace("_", " ")


def title(name: str) -> str:
    """The same where it begins a line.

    >>> title("technical_depth")
    'Technical depth'
    """
    return label(name).capitalize()


def radar(style: Style) -> Mapping[str, Any]:
    """The options of a radar: each dimension from 0 in the middle to 1 at the rim."""
    return {
        "media": [{"query": {"maxWidth": _NARROW}, "option": {"radar": {"radius": "46%"}}}],
        "radar": {
            "indicator": [
                {"name": label(one.name).replace(" ", "\n"), "max": 1} for one in style.dimensions
            ],
            "axisName": {"color": "var(--soft)", "fontSize": 11, "lineHeight": 12},
            "axisNameGap": 10,
            "splitLine": {"lineStyle": {"color": "var(--line)"}},
            "axisLine": {"lineStyle": {"color": "var(--line)"}},
            "splitArea": {"show": False},
            "radius": "64%",
        },
        "series": [
            {
                "type": "radar",
                "symbolSize": 5,
                "itemStyle": {"color": "var(--accent)"},
                "lineStyle": {"color": "var(--accent)", "width": 2},
                "areaStyle": {"color": "var(--accent)", "opacity": 0.15},
                "data": [{"value": [round(one.value, 3) for one in style.dimensions]}],
            }
        ],
    }


def leaning(one: StyleDimension) -> str:
    """Where a dimension stands, in words.

    >>> from types import SimpleNamespace as Stand
    >>> leaning(Stand(value=0.5, low="concise", high="verbose"))
    'between concise and verbose'
    >>> leaning(Stand(value=0.2, low="concise", high="verbose"))
    'rather concise'
    """
    if abs(one.value - 0.5) < 0.03:
        return f"between {one.low} and {one.high}"
    return f"rather {one.low if one.value < 0.5 else one.high}"


def basis(one: StyleDimension) -> str:
    """What a dimension rests on."""
    if one.pinned:
        return "set by you"
    if not one.evidence:
        return "nothing yet"
    return f"{one.evidence:g} {'rating' if one.evidence == 1 else 'ratings'}"


def odds_chart(found: Sequence[SkillOdds]) -> Mapping[str, Any]:
    """Bars from the low to the high end of what is likely, with a dot at the mean."""
    shown = list(found[:_MOST_ODDS])[::-1]
    hidden = {"color": "transparent"}
    return {
        "grid": {"left": 8, "right": 24, "top": 8, "bottom": 8, "containLabel": True},
        "xAxis": {
            "type": "value",
            "min": 0,
            "max": 1,
            "axisLabel": {"color": "var(--soft)"},
            "splitLine": {"lineStyle": {"color": "var(--line)"}},
        },
        "yAxis": {
            "type": "category",
            "data": [label(one.skill) for one in shown],
            "axisLabel": {"color": "var(--ink)"},
            "axisLine": {"lineStyle": {"color": "var(--line)"}},
            "axisTick": {"show": False},
        },
        "series": [
            {
                "type": "bar",
                "stack": "range",
                "silent": True,
                "itemStyle": hidden,
                "data": [round(one.low, 3) for one in shown],
            },
            {
                "type": "bar",
                "stack": "range",
                "barWidth": 8,
                "itemStyle": {"color": "var(--accent-soft)", "borderRadius": 4},
                "data": [round(one.high - one.low, 3) for one in shown],
            },
            {
                "type": "scatter",
                "symbolSize": 10,
                "itemStyle": {"color": "var(--accent)"},
                "data": [[round(one.mean, 3), label(one.skill)] for one in shown],
            },
        ],
    }


def odds_words(one: SkillOdds) -> str:
    """The odds of a skill in words.

    >>> odds_words(SkillOdds("brainstorm", 2.0, 1.0, 2 / 3, 0.22, 0.97))
    'brainstorm: 67 % liked, likely 22 to 97 %'
    """
    return (
        f"{label(one.skill)}: {one.mean * 100:.0f} % liked, "
        f"likely {one.low * 100:.0f} to {one.high * 100:.0f} %"
    )


def is_own(known: KnownSkill) -> bool:
    """Whether somebody made it, who can change or delete it; base skills never change."""
    return known.skill.record_id is not None


def ratings(known: KnownSkill) -> str:
    """How a skill was taken."""
    if not known.positive + known.negative:
        return "not rated"
    return f"{known.positive} liked, {known.negative} disliked"


def exploring(found: BehaviorMetrics) -> str:
    """What trying other skills costs and brings."""
    if not found.explores:
        return "Off: what looks best is always taken."
    tries = count(found.explored, "try", "tries")
    brought = f"So far {found.explored_positive:,} of {tries} pleased."
    told = brought if found.explored else "Nothing was tried yet."
    return f"On: about {found.exploration_rate:.0%} of the answers try something else. {told}"


def taken(one: Trajectory) -> str:
    """How an answer was taken."""
    if one.reward is None:
        return "not rated"
    return "liked" if one.reward > 0 else "disliked" if one.reward < 0 else "neither"
