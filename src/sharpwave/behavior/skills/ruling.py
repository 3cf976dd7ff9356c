"""Which skills the user's rules leave: one that somebody agreed to wins over any skill."""

import re
from collections.abc import Sequence

from sharpwave.behavior.rules import meaning, records
from sharpwave.formulas.rules import holds_in
from sharpwave.ports import UserStore
from sharpwave.types.records import Kind, Stage, State
from sharpwave.types.skills import DIMENSIONS, NEUTRAL, Skill, SkillType
from sharpwave.types.storing import Stated

_AXES = {
    "length": ("verbosity", 1),
    "formality": ("formality", 1),
    "difficulty": ("technical_depth", 1),
    "firmness": ("directness", -1),
}
"""The dimension of style that each axis of rules is about, and which way it runs."""
_SENTENCE = re.compile(r"(?<=[.!?\n;])\s+")


def agreed(store: UserStore) -> list[str]:
    """The rules that hold everywhere and that somebody has agreed to."""
    active = frozenset({State.ACTIVE})
    wanted = Stated(slots=(records.SLOT,), kinds=frozenset({Kind.BEHAVIOR}), states=active)
    found = store.stated(wanted)
    sure = (one for one in found if one.standing.stage is Stage.SEMANTIC)
    return [one.text for one in sure if holds_in(one.scope, None)]


def allowed(skills: Sequence[Skill], rules: Sequence[str], margin: float) -> list[Skill]:
    """The skills that no rule speaks against; all of them if none is left."""
    left = [one for one in skills if not any(contradicts(one, rule, margin) for rule in rules)]
    return left or list(skills)


def contradicts(skill: Skill, rule: str, margin: float) -> bool:
    """Whether a way to answer is not what a rule asks for, by its style or by its template."""
    stance = meaning.stance(rule)
    for axis, side in stance.sides.items() if meaning.is_of_answers(stance) else ():
        dimension, way = _AXES[axis]
        lean = (skill.dimensions[DIMENSIONS.index(dimension)] - NEUTRAL) * side * way
        if lean <= -margin:
            return True
    if stance.tail or skill.type is not SkillType.USER_CREATED:
        return False  # the rule is about some occasions only, or there is no template to read
    return any(meaning.opposed(rule, told) for told in _SENTENCE.split(skill.template))
