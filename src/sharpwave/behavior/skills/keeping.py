"""Skills to look at, to make, to change and to set aside."""

import json
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from statistics import fmean
from typing import Any

from sharpwave import checks
from sharpwave.behavior.feedback import live
from sharpwave.behavior.skills import catalog, learned, learning, rows
from sharpwave.errors import Conflict, InvalidInput
from sharpwave.formulas.behavior.exploration_rate import exploration_rate
from sharpwave.formulas.behavior.skill_score import eviction_order
from sharpwave.formulas.experience.running import Running, variance
from sharpwave.privacy.redaction import redact
from sharpwave.tallies.sheet import Row
from sharpwave.types.records import Kind, Record, State
from sharpwave.types.skills import BehaviorMetrics, KnownSkill, Skill, SkillType, Trigger
from sharpwave.types.storing import Change, Revision, Selection, Stated
from sharpwave.workspace import Workspace

_NEVER = datetime.min.isoformat()
_BYTES_PER_CHAR = 4
_NAME_CHARS = 200


def every(workspace: Workspace, archived: bool = False) -> list[KnownSkill]:
    """Every skill with how it has done for this person, the surest first."""
    counts = learned.known(workspace).rows(rows.SKILL) if learned.may_learn(workspace) else {}
    found = [
        _known(skill, counts.get(skill.id, {}), workspace)
        for skill in catalog.of_user(workspace).values()
    ]
    wanted = [one for one in found if archived or not one.archived]
    return sorted(wanted, key=lambda one: (-one.confidence, -one.usage_count, one.skill.id))


def one(workspace: Workspace, name: str) -> KnownSkill:
    """One skill, by its id."""
    skill = catalog.named(name, catalog.of_user(workspace))
    row = learned.known(workspace).row(rows.SKILL, skill.id) if learned.may_learn(workspace) else {}
    return _known(skill, row, workspace)


def create(
    workspace: Workspace,
    skill_id: str,
    template: str,
    name: str | None,
    trigger: Trigger | Mapping[str, Any] | None,
    dimensions: Mapping[str, float] | None,
) -> Skill:
    """Make a skill. Without dimensions its style is learned from feedback [SKL-21]."""
    clean = checks.name(skill_id, "skill_id")
    skill = Skill(
        id=clean,
        name=checks.name(name or clean.replace("_", " "), "name", _NAME_CHARS),
        type=SkillType.USER_CREATED,
        template=_template(workspace, template),
        trigger=catalog.trigger_of(trigger),
        dimensions=catalog.vector_of(dimensions or {}),
        learned_dimensions=dimensions is None,
    )

    def attempt() -> Skill:
        seen = _seen(workspace, clean)
        if any(clean in (one.skill.id, *one.skill.also_known_as) for one in every(workspace, True)):
            raise Conflict(f"there is already a skill {clean!r}; edit_skill changes one of yours")
        return _store(workspace, skill, None, seen)

    stored = learned.again(workspace, attempt)
    if learned.known(workspace).row(rows.SKILL, clean):  # of one by that name that was deleted
        live.decide(workspace, learning.RESTORE, {"skill": clean})
        live.decide(workspace, learning.RESET, {"skill": clean})
    make_room(workspace, spared=clean)
    return stored


def edit(workspace: Workspace, skill_id: str, changes: Mapping[str, Any]) -> Skill:
    """Change a skill that the person made; the version before is kept. Base skills never change."""
    given = {name: value for name, value in changes.items() if value is not None}
    if not given:
        raise InvalidInput("say what to change: template, name, trigger or dimensions")
    if "name" in given:
        given["name"] = checks.name(given["name"], "name", _NAME_CHARS)
    if "template" in given:
        given["template"] = _template(workspace, given["template"])
    if "trigger" in given:
        given["trigger"] = catalog.trigger_of(given["trigger"])
    if "dimensions" in given:
        given["dimensions"] = catalog.vector_of(given["dimensions"])
        given["learned_dimensions"] = False

    def attempt() -> Skill:
        seen = _seen(workspace, _own(workspace, skill_id).id)
        skill = _own(workspace, skill_id)
        return _store(workspace, replace(skill, **given), skill.record_id, seen)

    return learned.again(workspace, attempt)


def delete(workspace: Workspace, skill_id: str) -> None:
    """Erase a skill that the person made, with every version. What it taught about style stays."""
    skill = _own(workspace, skill_id)
    wanted = Stated(slots=(catalog.slot(skill.id),), kinds=frozenset({Kind.SKILL}))
    ids = tuple(record.id for record in workspace.store.stated(wanted))
    workspace.store.forget(Selection(ids=ids), workspace.clock.now())


def archive(workspace: Workspace, skill_id: str, undo: bool = False) -> None:
    """Set a skill aside for this person, or take it up again."""
    skill = catalog.named(skill_id, catalog.of_user(workspace))
    live.decide(workspace, learning.RESTORE if undo else learning.ARCHIVE, {"skill": skill.id})


def make_room(workspace: Workspace, spared: str) -> list[str]:
    """If there are too many skills, set the least trusted aside [SKL-20]; returns which.

    One that was made just now is spared: it had no chance yet.
    """
    active = every(workspace)
    if len(active) <= workspace.settings.skills.max_skills:
        return []
    bonus = workspace.settings.skills.base_bonus

    def first(known: KnownSkill) -> tuple[float, str, str]:
        base = known.skill.type is SkillType.BASE
        used = known.last_used_at.isoformat() if known.last_used_at else _NEVER
        return eviction_order(known.confidence, base, bonus), used, known.skill.id

    least = sorted((known for known in active if known.skill.id != spared), key=first)
    gone = [known.skill.id for known in least[: workspace.settings.skills.evicted]]
    for skill_id in gone:
        live.decide(workspace, learning.ARCHIVE, {"skill": skill_id})
    return gone


def metrics(workspace: Workspace) -> BehaviorMetrics:
    """Whether learning helps [MET-03, MET-05, MET-07]."""
    numbers = learned.known(workspace)
    counts = numbers.row(rows.PERSON, rows.COUNTS)
    skills = numbers.rows(rows.SKILL).values()
    ratings = counts.get("feedback", 0)
    explored, liked = (_sum(skills, name) for name in ("explored", "explored_positive"))
    positive, negative = _sum(skills, "positive"), _sum(skills, "negative")
    rest = positive + negative - _sum(skills, "explored_rated")
    explore = workspace.settings.skills.exploration
    stored = [tally.value for tally in learned.stored_rows(workspace).values()]
    spreads = [variance(Running(*row["spread"])) for row in skills if "spread" in row]
    return BehaviorMetrics(
        ratings=ratings,
        positive_rate=counts.get("positive", 0) / ratings if ratings else 0.0,
        mean_reward=counts.get("rewards", 0.0) / ratings if ratings else 0.0,
        interactions_to_target=counts.get("reached_after"),
        exploration_rate=exploration_rate(ratings, explore.start, explore.floor, explore.decay),
        explored=explored,
        explored_positive=liked,
        exploited_positive_rate=(positive - liked) / rest if rest > 0 else 0.0,
        storage_bytes=sum(len(json.dumps(value)) for value in stored),
        confidence_variance=fmean(spreads) if spreads else 0.0,
        explores=explore.enabled and learning.explores(numbers),
    )


def _known(skill: Skill, row: Row, workspace: Workspace) -> KnownSkill:
    used = row.get("last_used_at")
    return KnownSkill(
        skill=catalog.with_learned(skill, row),
        confidence=row.get("confidence", workspace.settings.skills.confidence.start),
        usage_count=row.get("usage", 0),
        positive=row.get("positive", 0),
        negative=row.get("negative", 0),
        implicit=row.get("implicit", 0),
        explored=row.get("explored", 0),
        explored_positive=row.get("explored_positive", 0),
        last_used_at=datetime.fromisoformat(used) if used else None,
        archived=bool(row.get("archived")),
    )


def _own(workspace: Workspace, skill_id: str) -> Skill:
    skill = catalog.named(skill_id, catalog.of_user(workspace))
    if skill.type is SkillType.BASE:
        raise InvalidInput(
            f"{skill.id} is a base skill and never changes; create_skill makes one of your own, "
            "archive_skill sets this one aside"
        )
    return skill


def _template(workspace: Workspace, template: str) -> str:
    limit = workspace.settings.skills.max_template_chars
    clean = checks.text(template, "template", limit * _BYTES_PER_CHAR)
    if len(clean) > limit:
        raise InvalidInput(f"a template may have at most {limit} characters; shorten it")
    return redact(clean, workspace.settings.privacy.stored).text


def _seen(workspace: Workspace, skill_id: str) -> Mapping[str, int]:
    """How far the skill of that name had come when it was looked at."""
    return workspace.store.slot_heads([catalog.slot(skill_id)])


def _store(
    workspace: Workspace, skill: Skill, replaces: str | None, seen: Mapping[str, int]
) -> Skill:
    if not learned.may_learn(workspace):
        raise InvalidInput(live.NOT_AGREED)
    store, now = workspace.store, workspace.clock.now()
    record = catalog.record_of(skill, workspace.user_id, now)
    found = store.find([replaces]) if replaces else []
    revisions = tuple(_superseded(old, record.id, now) for old in found)
    store.commit(Change("skill", now, (record,), revisions=revisions, seen=seen))
    return replace(skill, record_id=record.id)


def _superseded(old: Record, by: str, now: datetime) -> Revision:
    standing = replace(old.standing, state=State.SUPERSEDED, superseded_by=by)
    return Revision(old.id, standing, now)


def _sum(skills: Any, name: str) -> int:
    return sum(int(row.get(name, 0)) for row in skills)
