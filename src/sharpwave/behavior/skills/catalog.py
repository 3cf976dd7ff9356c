"""Which skills there are: those that come with the package, and those a person made."""

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime
from functools import lru_cache
from importlib.resources import files
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from sharpwave.errors import InvalidInput, ProviderError, SkillNotFound
from sharpwave.ports import Embedder, Store, UserStore
from sharpwave.temporal.clock import new_id
from sharpwave.types.records import (
    Channel,
    Kind,
    Provenance,
    Record,
    Source,
    Stage,
    Standing,
    State,
    Temperature,
    Trust,
)
from sharpwave.types.skills import DIMENSIONS, NEUTRAL, Skill, SkillType, Trigger, Vector
from sharpwave.types.storing import Space, Stated
from sharpwave.workspace import Workspace

_SLOT = "skill|"
_KEYS = ("intent", "sentiment", "time_of_day")
_TOPICS_KEPT = 1024
_USERS_KEPT = 1024
_MOST_VERSIONS = 100_000
_READ: WeakKeyDictionary[Store, dict[str, tuple[tuple[int, ...], dict[str, Skill]]]] = (
    WeakKeyDictionary()
)
"""What each person made, as it was read last, with the numbers of the records."""


@lru_cache(maxsize=1)
def base() -> Mapping[str, Skill]:
    """The skills that come with the package, by id [SKL-03, SKL-04]."""
    text = (files("sharpwave") / "data" / "base_skills.toml").read_text("utf-8")
    return {
        one["skill_id"]: Skill(
            id=one["skill_id"],
            name=one["skill_name"],
            type=SkillType.BASE,
            template=one["template"].strip(),
            trigger=trigger_of(one["trigger"]),
            dimensions=vector_of(one["dimensions"]),
            also_known_as=tuple(one.get("also_known_as", ())),
        )
        for one in tomllib.loads(text)["base_skills"]
    }


def of_user(workspace: Workspace) -> dict[str, Skill]:
    """Every skill that a person has, by id; base skills first.

    A template is an instruction: only what the user made counts, never what came from elsewhere.
    Reading a hundred records takes longer than choosing among them, so they are kept until one is
    added or erased; no version is ever revised without a new one.
    """
    store = workspace.store
    numbers = tuple(store.slot_numbers(_SLOT, _MOST_VERSIONS))
    if not numbers:
        return dict(base())
    shelf = _READ.setdefault(workspace.shared.store, {})
    if store.user_id not in shelf or shelf[store.user_id][0] != numbers:
        if len(shelf) >= _USERS_KEPT:
            shelf.clear()
        shelf[store.user_id] = (numbers, _made(store))
    return {**base(), **shelf[store.user_id][1]}


def _made(store: UserStore) -> dict[str, Skill]:
    states = frozenset({State.ACTIVE})
    wanted = Stated(within=(_SLOT,), kinds=frozenset({Kind.SKILL}), states=states)
    found = store.stated(wanted)
    made = [skill_of(record) for record in found if record.provenance.trust is Trust.USER]
    return {skill.id: skill for skill in made}


def named(name: str, skills: Mapping[str, Skill]) -> Skill:
    """The skill of that id, or that is also known by it."""
    if name in skills:
        return skills[name]
    for skill in skills.values():
        if name in skill.also_known_as:
            return skill
    raise SkillNotFound(f"there is no skill {name!r}; `skills()` lists those there are")


def slot(skill_id: str) -> str:
    """What the versions of a skill compete for."""
    return _SLOT + skill_id


def record_of(skill: Skill, user_id: str, now: datetime) -> Record:
    """The record of a skill that a person made."""
    trigger = {key: list(getattr(skill.trigger, key)) for key in _KEYS}
    return Record(
        id=new_id(now),
        user_id=user_id,
        kind=Kind.SKILL,
        text=skill.template,
        provenance=Provenance(Source.USER_MESSAGE, Channel.LIBRARY, Trust.USER, user_id),
        standing=Standing(Stage.SEMANTIC, Temperature.HOT, 0.5, 1.0, 1, now),
        valid_from=now,
        recorded_at=now,
        metadata={
            "skill_id": skill.id,
            "name": skill.name,
            "trigger": {**trigger, "topic": skill.trigger.topic},
            "dimensions": list(skill.dimensions),
            "learned_dimensions": skill.learned_dimensions,
        },
        slot=slot(skill.id),
    )


def skill_of(record: Record) -> Skill:
    """The skill that a record holds."""
    said: Mapping[str, Any] = record.metadata
    return Skill(
        id=str(said["skill_id"]),
        name=str(said["name"]),
        type=SkillType.USER_CREATED,
        template=record.text,
        trigger=trigger_of(said["trigger"]),
        dimensions=tuple(said["dimensions"]),
        learned_dimensions=bool(said.get("learned_dimensions")),
        record_id=record.id,
    )


def with_learned(skill: Skill, row: Mapping[str, Any]) -> Skill:
    """The skill with the style that was learned for it, if it has none of its own."""
    if skill.learned_dimensions and row.get("dimensions"):
        return replace(skill, dimensions=tuple(row["dimensions"]))
    return skill


def trigger_of(given: Trigger | Mapping[str, Any] | None) -> Trigger:
    """A trigger from a mapping; one word stands for a list of one."""
    if given is None or isinstance(given, Trigger):
        return given or Trigger()
    unknown = set(given) - {*_KEYS, "topic"}
    if unknown:
        raise InvalidInput(
            f"a trigger has intent, sentiment, time_of_day and topic, not {sorted(unknown)}"
        )
    lists = {key: _words(given.get(key) or (), key) for key in _KEYS}
    return Trigger(**lists, topic=str(given.get("topic") or ""))


def vector_of(given: Mapping[str, float]) -> Vector:
    """All dimensions in order; those that are not named are neutral."""
    checked = style_values(given)
    return tuple(checked.get(name, NEUTRAL) for name in DIMENSIONS)


def style_values(given: Mapping[str, float]) -> dict[str, float]:
    """Values of dimensions, each from 0 to 1."""
    for name, value in given.items():
        if name not in DIMENSIONS:
            raise InvalidInput(f"there is no style dimension {name!r}; see DIMENSIONS")
        number = isinstance(value, int | float) and not isinstance(value, bool)
        if not number or not 0.0 <= value <= 1.0:
            raise InvalidInput(f"{name} must lie between 0 and 1, not {value!r}")
    return {name: float(value) for name, value in given.items()}


def topic_vectors(
    skills: Iterable[Skill], embedder: Embedder
) -> dict[str, NDArray[np.float32] | None]:
    """What the topics of triggers mean; each is embedded once."""
    wanted = {skill.trigger.topic for skill in skills if skill.trigger.topic}
    return {topic: _vector(embedder, topic) for topic in wanted}


def _vector(embedder: Embedder, topic: str) -> NDArray[np.float32] | None:
    key = (embedder.space, topic)
    if key not in _MEANT:
        if len(_MEANT) >= _TOPICS_KEPT:
            _MEANT.clear()
        try:
            _MEANT[key] = embedder.embed([topic])[0]
        except ProviderError:
            return None
    return _MEANT.get(key)


_MEANT: dict[tuple[Space, str], NDArray[np.float32]] = {}
"""What topics mean; there are few."""


def _words(given: object, key: str) -> tuple[str, ...]:
    listed = [given] if isinstance(given, str) else given
    if not isinstance(listed, list | tuple) or not all(isinstance(one, str) for one in listed):
        raise InvalidInput(f"{key} of a trigger is a word or a list of words, not {given!r}")
    return tuple(listed)
