"""List, create, edit, archive and delete skills, and propose better templates."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from sharpwave import checks
from sharpwave.behavior.feedback import ratings
from sharpwave.behavior.skills import catalog, learning, state
from sharpwave.errors import Conflict, InvalidInput, NoConsent
from sharpwave.formulas.skills import eviction_order
from sharpwave.llm.allowed_llm import AllowedLLM
from sharpwave.llm.prompts.behavior import OptimiseOutput, render_optimise
from sharpwave.llm.prompts.transcript import TranscriptLine, new_nonce
from sharpwave.privacy.redaction import redact
from sharpwave.tallies import Row
from sharpwave.types.llm import LLMRole
from sharpwave.types.records import Kind, Record, Role, State
from sharpwave.types.skills import KnownSkill, Skill, SkillProposal, SkillType, Trigger
from sharpwave.types.storing import Change, Revision, Selection, Stated
from sharpwave.workspace import Workspace

MAX_SKILLS = 100
"""Maximum number of active skills of a user [SKL-17]."""
EVICTED = 10
"""Number of skills archived when there are more [SKL-20]."""
_BASE_BONUS = 1.5
"""Factor by which base skills are favoured in eviction [SKL-20]."""
MAX_TEMPLATE_CHARS = 4000
_MAX_NAME_CHARS = 200
_MAX_COMMENTS = 30
"""Maximum number of comments, the newest, that a template proposal is based on."""
_NEVER = datetime.min.isoformat()
_BYTES_PER_CHAR = 4


def list_skills(workspace: Workspace, archived: bool = False) -> list[KnownSkill]:
    """Every skill with its counts for this user, by confidence."""
    rows = state.read(workspace).rows(learning.SKILL)
    every = [
        _with_counts(skill, rows.get(skill.id, {})) for skill in catalog.of_user(workspace).values()
    ]
    shown = [known for known in every if archived or not known.archived]
    return sorted(shown, key=lambda known: (-known.confidence, -known.usage_count, known.skill.id))


def get(workspace: Workspace, name: str) -> KnownSkill:
    """One skill by its id, with its counts; raises SkillNotFound."""
    skill = catalog.named(name, catalog.of_user(workspace))
    return _with_counts(skill, state.read(workspace).row(learning.SKILL, skill.id))


def create(
    workspace: Workspace,
    skill_id: str,
    template: str,
    name: str | None,
    trigger: Trigger | Mapping[str, Any] | None,
    dimensions: Mapping[str, float] | None,
) -> Skill:
    """Create a skill. Without dimensions its style is learned from feedback [SKL-21]."""
    clean = checks.path_name(skill_id, "skill_id")
    skill = Skill(
        id=clean,
        name=checks.name(name or clean.replace("_", " "), "name", _MAX_NAME_CHARS),
        type=SkillType.USER_CREATED,
        template=_template(workspace, template),
        trigger=catalog.trigger_of(trigger),
        dimensions=catalog.vector_of(dimensions or {}),
        learned_dimensions=dimensions is None,
    )

    def attempt(workspace: Workspace) -> Skill:
        seen = _seen(workspace, clean)
        known = catalog.of_user(workspace).values()
        if any(clean in (existing.id, *existing.also_known_as) for existing in known):
            raise Conflict(f"there is already a skill {clean!r}; edit_skill changes one of yours")
        return _store(workspace, skill, None, seen)

    stored = workspace.retried(attempt)
    workspace = workspace.fresh()
    if state.load(workspace).row(learning.SKILL, clean):  # left by a deleted skill of that name
        ratings.record_decision(workspace, learning.RESTORE, {"skill": clean})
        ratings.record_decision(workspace, learning.RESET, {"skill": clean})
    _archive_surplus(workspace, spared=clean)
    return stored


def edit(workspace: Workspace, skill_id: str, changes: Mapping[str, Any]) -> Skill:
    """Change a skill that the user created; old versions are kept. Base skills never change."""
    values = {name: value for name, value in changes.items() if value is not None}
    if not values:
        raise InvalidInput("say what to change: template, name, trigger or dimensions")
    if "name" in values:
        values["name"] = checks.name(values["name"], "name", _MAX_NAME_CHARS)
    if "template" in values:
        values["template"] = _template(workspace, values["template"])
    if "trigger" in values:
        values["trigger"] = catalog.trigger_of(values["trigger"])
    if "dimensions" in values:
        values["dimensions"] = catalog.vector_of(values["dimensions"])
        values["learned_dimensions"] = False

    def attempt(workspace: Workspace) -> Skill:
        seen = _seen(workspace, _own(workspace, skill_id).id)
        skill = _own(workspace, skill_id)
        return _store(workspace, replace(skill, **values), skill.record_id, seen)

    return workspace.retried(attempt)


def delete(workspace: Workspace, skill_id: str) -> None:
    """Erase a skill that the user created, with every version. Style learned from it stays."""
    skill = _own(workspace, skill_id)
    query = Stated(slots=(catalog.slot(skill.id),), kinds={Kind.SKILL})
    ids = tuple(record.id for record in workspace.store.stated(query))
    workspace.store.forget(Selection(ids=ids), workspace.clock.now())


def archive(workspace: Workspace, skill_id: str, undo: bool = False) -> None:
    """Archive a skill for this user to exclude it from selection; `undo` restores it."""
    skill = catalog.named(skill_id, catalog.of_user(workspace))
    ratings.record_decision(
        workspace, learning.RESTORE if undo else learning.ARCHIVE, {"skill": skill.id}
    )


def _archive_surplus(workspace: Workspace, spared: str) -> None:
    """If there are too many skills, archive the least trusted [SKL-20].

    `spared` was just created and is not archived.
    """
    active = list_skills(workspace)
    if len(active) <= MAX_SKILLS:
        return

    def order(known: KnownSkill) -> tuple[float, str, str]:
        base = known.skill.type is SkillType.BASE
        used = known.last_used_at.isoformat() if known.last_used_at else _NEVER
        return eviction_order(known.confidence, base, _BASE_BONUS), used, known.skill.id

    least = sorted((known for known in active if known.skill.id != spared), key=order)
    for known in least[:EVICTED]:
        ratings.record_decision(workspace, learning.ARCHIVE, {"skill": known.skill.id})


def _with_counts(skill: Skill, row: Row) -> KnownSkill:
    used = row.get("last_used_at")
    return KnownSkill(
        skill=catalog.with_learned(skill, row),
        confidence=row.get("confidence", learning.START_CONFIDENCE),
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
            f"{skill.id} is a base skill and never changes; skills.create makes one of your own, "
            "skills.archive sets this one aside"
        )
    return skill


def _template(workspace: Workspace, template: str) -> str:
    limit = MAX_TEMPLATE_CHARS
    clean = checks.text(template, "template", limit * _BYTES_PER_CHAR)
    if len(clean) > limit:
        raise InvalidInput(f"a template may have at most {limit} characters; shorten it")
    return redact(clean, workspace.settings.privacy.stored).text


def _seen(workspace: Workspace, skill_id: str) -> Mapping[str, int]:
    """The position of a skill's slot; read before the skill, to detect later writes."""
    return workspace.store.slot_heads([catalog.slot(skill_id)])


def _store(
    workspace: Workspace, skill: Skill, replaces: str | None, seen: Mapping[str, int]
) -> Skill:
    if not state.may_learn(workspace):
        raise NoConsent(ratings.NO_CONSENT)
    store, now = workspace.store, workspace.clock.now()
    record = catalog.record_of(workspace, skill, now)
    before = store.find([replaces]) if replaces else []
    revisions = tuple(Revision.closing(old, State.SUPERSEDED, now, record.id) for old in before)
    store.commit(Change("skill", now, (record,), revisions=revisions, seen=seen))
    return replace(skill, record_id=record.id)


def propose_template(workspace: Workspace, name: str) -> SkillProposal:
    """A better template for a skill, written by a model from the newest comments on its answers.

    Only a proposal: templates are changed by their owner alone [TS-08].
    """
    skill = catalog.named(name, catalog.of_user(workspace))
    rated = ratings.commented(workspace) if state.may_learn(workspace) else []
    of_skill = [record for record in rated if record.metadata.get("skill") == skill.id]
    comments = of_skill[-_MAX_COMMENTS:]
    if not comments:
        return SkillProposal(skill.id, None, "nobody said anything about its answers yet")
    llm = AllowedLLM(workspace)
    lines = [
        TranscriptLine(Role.USER, llm.redacted(_comment(comment)), comment.valid_from)
        for comment in comments
    ]
    template = TranscriptLine(Role.SYSTEM, llm.redacted(skill.template), workspace.clock.now())
    request = render_optimise(template, lines, new_nonce())
    answer = llm.ask(request, OptimiseOutput, LLMRole.OPTIMIZER)
    if answer is None:
        return SkillProposal(skill.id, None, "there is no language model that may be asked")
    new = answer.value.instruction.strip()
    is_better = new and new not in (skill.template, template.text)
    why = " ".join(answer.value.why.split())
    ids = tuple(comment.id for comment in comments)
    return SkillProposal(skill.id, new if is_better else None, why, ids)


def _comment(rating: Record) -> str:
    reason = str(rating.metadata.get("reason") or "").replace("_", " ")
    text = rating.text if rating.metadata.get("has_text") else ""
    return ": ".join(part for part in (reason, text) if part)
