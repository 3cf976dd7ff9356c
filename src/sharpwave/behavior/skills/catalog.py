"""The skills: those that come with the package, and those a user created."""

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

from sharpwave.behavior import user_records
from sharpwave.errors import InvalidInput, ProviderError, SkillNotFound
from sharpwave.ports import Embedder, Store, UserStore
from sharpwave.types.records import Kind, Record, Stage, State, Trust
from sharpwave.types.skills import DIMENSIONS, NEUTRAL, Skill, SkillType, Trigger, Vector
from sharpwave.types.storing import Stated
from sharpwave.workspace import Workspace

_SLOT = "skill|"
_KEYS = ("intent", "sentiment", "time_of_day", "also")
_MAX_CACHED_USERS = 1024
_MAX_VERSIONS = 100_000
_CREATED: WeakKeyDictionary[Store, dict[str, tuple[tuple[int, ...], dict[str, Skill]]]] = (
    WeakKeyDictionary()
)
"""By store and user: the skills that a user created, with the record numbers they were read at."""


@lru_cache(maxsize=1)
def base() -> Mapping[str, Skill]:
    """The skills that come with the package, by id [SKL-03, SKL-04]."""
    text = (files("sharpwave") / "data" / "base_skills.toml").read_text("utf-8")
    return {
        entry["skill_id"]: Skill(
            id=entry["skill_id"],
            name=entry["skill_name"],
            type=SkillType.BASE,
            template=entry["template"].strip(),
            trigger=trigger_of(entry["trigger"]),
            dimensions=vector_of(entry["dimensions"]),
            also_known_as=tuple(entry.get("also_known_as", ())),
        )
        for entry in tomllib.loads(text)["base_skills"]
    }


def of_user(workspace: Workspace) -> dict[str, Skill]:
    """Every skill that a user has, by id; base skills first.

    A template is an instruction: only the user's own skills count, never those of other sources.
    Reading a hundred records takes longer than choosing among them, so they are cached until one is
    added or erased; a version is never revised without a new one.
    """
    store = workspace.store
    numbers = tuple(store.slot_numbers(_SLOT, _MAX_VERSIONS))
    if not numbers:
        return dict(base())
    cached = _CREATED.setdefault(workspace.shared.store, {})
    if store.user_id not in cached or cached[store.user_id][0] != numbers:
        if len(cached) >= _MAX_CACHED_USERS:
            cached.clear()
        cached[store.user_id] = (numbers, _created(store))
    return {**base(), **cached[store.user_id][1]}


def _created(store: UserStore) -> dict[str, Skill]:
    query = Stated(within=(_SLOT,), kinds={Kind.SKILL}, states={State.ACTIVE})
    records = store.stated(query)
    skills = [skill_of(record) for record in records if record.provenance.trust is Trust.USER]
    return {skill.id: skill for skill in skills}


def named(name: str, skills: Mapping[str, Skill]) -> Skill:
    """The skill with that id or other name; raises SkillNotFound."""
    if name in skills:
        return skills[name]
    for skill in skills.values():
        if name in skill.also_known_as:
            return skill
    raise SkillNotFound(f"there is no skill {name!r}; `skills()` lists those there are")


def slot(skill_id: str) -> str:
    """The slot that the versions of a skill share."""
    return _SLOT + skill_id


def record_of(workspace: Workspace, skill: Skill, now: datetime) -> Record:
    """The record of a skill that a user created."""
    trigger = {key: list(getattr(skill.trigger, key)) for key in _KEYS}
    metadata = {
        "skill_id": skill.id,
        "name": skill.name,
        "trigger": {**trigger, "topic": skill.trigger.topic},
        "dimensions": list(skill.dimensions),
        "learned_dimensions": skill.learned_dimensions,
    }
    return user_records.new_record(
        workspace, Kind.SKILL, skill.template, slot(skill.id), metadata, now, Stage.SEMANTIC, 0.5
    )


def skill_of(record: Record) -> Skill:
    """The skill that a record holds."""
    data: Mapping[str, Any] = record.metadata
    return Skill(
        id=str(data["skill_id"]),
        name=str(data["name"]),
        type=SkillType.USER_CREATED,
        template=record.text,
        trigger=trigger_of(data["trigger"]),
        dimensions=tuple(data["dimensions"]),
        learned_dimensions=bool(data.get("learned_dimensions")),
        record_id=record.id,
    )


def with_learned(skill: Skill, row: Mapping[str, Any]) -> Skill:
    """The skill with its learned style, if it has none of its own."""
    if skill.learned_dimensions and row.get("dimensions"):
        return replace(skill, dimensions=tuple(row["dimensions"]))
    return skill


def trigger_of(value: Trigger | Mapping[str, Any] | None) -> Trigger:
    """A trigger from a mapping; a word stands for a list with one item."""
    if value is None or isinstance(value, Trigger):
        return value or Trigger()
    unknown = set(value) - {*_KEYS, "topic"}
    if unknown:
        raise InvalidInput(
            f"a trigger has intent, also, sentiment, time_of_day and topic, not {sorted(unknown)}"
        )
    lists = {key: _words(value.get(key) or (), key) for key in _KEYS}
    return Trigger(**lists, topic=str(value.get("topic") or ""))


def vector_of(values: Mapping[str, float]) -> Vector:
    """All dimensions in order; those that are not named are neutral."""
    checked = style_values(values)
    return tuple(checked.get(name, NEUTRAL) for name in DIMENSIONS)


def style_values(values: Mapping[str, float]) -> dict[str, float]:
    """Values of dimensions, each from 0 to 1."""
    for name, value in values.items():
        if name not in DIMENSIONS:
            raise InvalidInput(f"there is no style dimension {name!r}; see DIMENSIONS")
        number = isinstance(value, int | float) and not isinstance(value, bool)
        if not number or not 0.0 <= value <= 1.0:
            raise InvalidInput(f"{name} must lie between 0 and 1, not {value!r}")
    return {name: float(value) for name, value in values.items()}


def topic_vectors(skills: Iterable[Skill], embedder: Embedder) -> dict[str, NDArray[np.float32]]:
    """The vectors of the topics of triggers; none if the embedder fails."""
    topics = sorted({skill.trigger.topic for skill in skills if skill.trigger.topic})
    try:
        return dict(zip(topics, embedder.embed(topics), strict=True)) if topics else {}
    except ProviderError:
        return {}


def _words(value: object, key: str) -> tuple[str, ...]:
    words = [value] if isinstance(value, str) else value
    if not isinstance(words, list | tuple) or not all(isinstance(word, str) for word in words):
        raise InvalidInput(f"{key} of a trigger is a word or a list of words, not {value!r}")
    return tuple(words)
