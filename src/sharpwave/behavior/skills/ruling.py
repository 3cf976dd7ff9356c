"""Which skills the user's rules leave: one that somebody agreed to wins over any skill."""

import re
from collections.abc import Sequence

from sharpwave.behavior.rules import meaning, records
from sharpwave.formulas.behavior.scope import holds_in
from sharpwave.ports import Store
from sharpwave.types.behavior.skills import DIMENSIONS, NEUTRAL, Skill, SkillType
from sharpwave.types.records import Kind, Stage, State
from sharpwave.types.storing import Stated

_AXES = {
    "length": ("verbosity", 1),
    "formality": ("formality", 1),
    "difficulty": ("technical_depth", 1),
    "firmness": ("directness", -1),
}
"""The dimension of style that each axis of rules is about, and which way it runs."""
_SENTENCE = re.compile(r"(?<=[.!?\n;])\s+")


def agreed(user_id: str, store: Store) -> list[str]:
    """The rules that hold everywhere and that somebody has agreed to."""
    active = frozenset({State.ACTIVE})
    wanted = Stated(slots=(records.SLOT,), kinds=frozenset({Kind.BEHAVIOR}), states=active)
    found = store.stated(user_id, wanted)
    sure = (one for one in found if one.standing.stage is Stage.SEMANTIC)
    return [one.text for one in sure if holds_in(one.scope, None)]


def allowed(skills: Sequence[Skill], rules: Sequence[str], margin: float) -> list[Skill]:
    """The skills that no rule speaks against; all of them if none is left."""
    left = [one for one in skills if not any(contradicts(one, rule, margin) for rule in rules)]
    return left or list(skills)


def contradicts(skill: Skill, rule: str, margin: float) -> bool:
    """Whether a way to answer is not what a rule asks for, by its style or by its template."""
    stance = meaning.stance(rule)
    if stance.tail:
        return False  # the rule is about some occasions only
    for axis, side in stance.sides.items():
        dimension, way = _AXES[axis]
        lean = (skill.dimensions[DIMENSIONS.index(dimension)] - NEUTRAL) * side * way
        if lean <= -margin:
            return True
    told = _SENTENCE.split(skill.template) if skill.type is SkillType.USER_CREATED else ()
    return any(meaning.opposed(rule, sentence) for sentence in told)
