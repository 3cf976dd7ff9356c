"""Select a skill for a message: read the message, score the skills, store the choice."""

import hashlib
import logging
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

import numpy as np

from sharpwave.behavior.feedback import records
from sharpwave.behavior.intent import read_context
from sharpwave.behavior.skills import catalog, learning, population, scoring, state
from sharpwave.errors import KeyReused
from sharpwave.formulas.bandit import Odds, context_key, odds
from sharpwave.privacy.redaction import redact
from sharpwave.tallies import Sheet
from sharpwave.temporal.clock import new_id
from sharpwave.types.intent import ReadContext
from sharpwave.types.records import Record, Role
from sharpwave.types.skills import Skill, SkillChoice
from sharpwave.types.storing import Change
from sharpwave.workspace import Workspace

_LOG = logging.getLogger(__name__)
SEED: int | None = None
"""None: choices differ between processes. Tests and evaluations set a number."""
_RIVALS_SHOWN = 2


@dataclass(frozen=True, slots=True)
class SkillRequest:
    """A message that needs a skill."""

    message: str
    session: str | None = None
    message_id: str | None = None
    context: ReadContext | None = None
    """If the caller has read the message already."""
    at: datetime | None = None


def select(workspace: Workspace, request: SkillRequest) -> SkillChoice:
    """The skill for a message; repeated calls with the same `message_id` return the same."""
    started = time.perf_counter()
    now = workspace.clock.now()
    learns = state.may_learn(workspace)
    before = _earlier_record(workspace, request.message_id) if learns else None
    if before is not None:
        earlier = _earlier_choice(workspace, before)
        if earlier is not None:
            return earlier
    stores = learns and before is None and workspace.settings.skills.log_trajectories
    context = request.context or read_context(
        request.message, request.at or now, workspace.embedder, workspace.shared.intent_model
    )
    read_ms = _milliseconds_since(started)

    def attempt(workspace: Workspace) -> SkillChoice:
        sheet = state.read(workspace)
        choice = _choice(workspace, request, context, sheet, now)
        if stores:
            timed = replace(choice, milliseconds=_milliseconds_since(started))
            return _stored(workspace, request, timed, sheet, now)
        return choice

    try:
        choice = workspace.retried(attempt)
    except KeyReused:  # another process has just chosen for the same message
        return select(workspace, request)
    choice = replace(choice, milliseconds=_milliseconds_since(started))
    _log(workspace, choice, read_ms)
    return choice


def odds_by_skill(
    workspace: Workspace, skills: Sequence[Skill], bucket: int, sheet: Sheet
) -> Mapping[str, Odds]:
    """How well each skill does in a context: the prior and the counts."""
    priors = population.priors(workspace, bucket)
    counted = sheet.rows(learning.odds_topic(bucket))
    return {
        skill.id: odds(
            counted.get(skill.id, {}).get("won", 0.0),
            counted.get(skill.id, {}).get("lost", 0.0),
            priors.get(skill.id, learning.PRIOR),
        )
        for skill in skills
    }


def _milliseconds_since(started: float) -> float:
    return (time.perf_counter() - started) * 1000


def _choice(
    workspace: Workspace, request: SkillRequest, context: ReadContext, sheet: Sheet, now: datetime
) -> SkillChoice:
    key = context_key(context.intent, context.sentiment, context.time_of_day)
    bucket = learning.bucket_of(key)
    skills = _usable(workspace, sheet)
    known = scoring.ContextState(
        style=learning.effective_style(sheet, bucket),
        odds=odds_by_skill(workspace, skills, bucket, sheet),
        confidence={skill.id: learning.confidence_of(sheet, skill.id) for skill in skills},
        ratings=sheet.row(learning.PERSON, learning.COUNTS).get("feedback", 0),
        style_evidence=learning.style_evidence(sheet, bucket),
        used=frozenset(sheet.rows(learning.SKILL)),
        explores=learning.explores(sheet),
    )
    topics = catalog.topic_vectors(skills, workspace.embedder)
    rng = _generator(workspace, sheet)
    selected = scoring.choose(skills, context, topics, known, workspace.settings.skills, rng)
    return SkillChoice(
        skill=selected.skill,
        message_id=request.message_id or new_id(now),
        context=key,
        bucket=bucket,
        is_exploration=selected.is_exploration,
        epsilon=selected.epsilon,
        candidates=selected.candidates,
        reason=_reason(selected, key),
        ask=_question(selected.skill) if selected.is_exploration else None,
    )


def _usable(workspace: Workspace, sheet: Sheet) -> Sequence[Skill]:
    """The skills to choose from: not archived, and allowed by the user's rules."""
    if not state.may_learn(workspace):
        return list(catalog.base().values())
    rows = sheet.rows(learning.SKILL)
    skills = [
        catalog.with_learned(skill, rows.get(skill.id, {}))
        for skill in catalog.of_user(workspace).values()
        if not rows.get(skill.id, {}).get("archived")
    ]
    skills = skills or list(catalog.base().values())
    return scoring.compatible(skills, scoring.rules_in_force(workspace))


def _generator(workspace: Workspace, sheet: Sheet) -> np.random.Generator:
    """Random generator; with a seed, the same for the same user and number of uses."""
    if SEED is None:
        return np.random.default_rng()
    name = workspace.user_id.encode("utf-8", "surrogatepass")
    digest = hashlib.blake2b(name, digest_size=8).digest()
    uses = sheet.row(learning.PERSON, learning.COUNTS).get("uses", 0)
    return np.random.default_rng([SEED, int.from_bytes(digest, "big"), uses])


def _stored(
    workspace: Workspace, request: SkillRequest, choice: SkillChoice, sheet: Sheet, now: datetime
) -> SkillChoice:
    """The choice, committed with the tallies it changes."""
    turn, first = _turn(workspace, request), choice.candidates[0]
    data: dict[str, object] = {
        "message_id": choice.message_id,
        "skill": choice.skill.id,
        "context": choice.context,
        "bucket": choice.bucket,
        "is_exploration": choice.is_exploration,
        "epsilon": choice.epsilon,
        "confidence": first.confidence,
        "alignment": first.alignment,
        "selection_ms": round(choice.milliseconds, 3),
        "reason": choice.reason,
        "turn_number": _turn_number(workspace, request.session),
        **records.style_of(choice.skill),
    }
    if turn is None:
        data["user_input"] = redact(request.message, workspace.settings.privacy.stored).text
    parents = () if turn is None else (turn.id,)
    record = records.trajectory(workspace, request.session, parents, data, now)
    learning.learn(record, sheet)
    workspace.store.commit(Change("select_skill", now, (record,), tallies=sheet.new()))
    return replace(choice, trajectory_id=record.id)


def _turn(workspace: Workspace, request: SkillRequest) -> Record | None:
    """The stored turn of the message, to avoid storing its text twice."""
    store = workspace.store
    turns = store.find([request.message_id]) if request.message_id else []
    if not turns and request.session is not None:
        turns = store.latest(request.session, 1)
    text = request.message.strip()
    return next(
        (turn for turn in turns if turn.role is Role.USER and turn.text.strip() == text), None
    )


def _turn_number(workspace: Workspace, session: str | None) -> int:
    store = workspace.store
    last = store.fetch(store.slot_numbers(records.session_slot(session), 1))
    return int(str(last[0].metadata.get("turn_number", 0))) + 1 if last else 1


def _earlier_record(workspace: Workspace, message_id: str | None) -> Record | None:
    """The record of an earlier choice for this message."""
    if message_id is None:
        return None
    key = records.key_of(message_id)
    return workspace.store.known([key]).get(key)


def _earlier_choice(workspace: Workspace, record: Record) -> SkillChoice | None:
    """The choice that a record holds; None if the skill was deleted."""
    data = record.metadata
    skill = catalog.of_user(workspace).get(str(data["skill"]))
    if skill is None:
        return None
    explored = bool(data["is_exploration"])
    return SkillChoice(
        skill=skill,
        message_id=str(data["message_id"]),
        context=str(data["context"]),
        bucket=int(str(data["bucket"])),
        is_exploration=explored,
        epsilon=float(str(data["epsilon"])),
        candidates=(),
        reason=str(data["reason"]),
        trajectory_id=record.id,
        ask=_question(skill) if explored else None,
    )


def _reason(selected: scoring.Selected, context: str) -> str:
    """Why this skill, in words and numbers."""
    trigger, sampled, aligned = scoring.SCORE_WEIGHTS
    first, *runners_up = selected.candidates
    terms = (
        f"trigger {first.trigger:.2f} * {trigger:g} + experience {first.sampled:.2f} "
        f"* {sampled:g} + style {first.aligned:.2f} * {aligned:g} = {first.score:.2f}"
    )
    if not selected.applicable:
        start = f"No skill applies to {context}, so the nearest was taken: "
    elif selected.is_exploration:
        start = f"A try (one in {1 / selected.epsilon:.0f}) to learn more about {context}: "
    else:
        start = f"Best of {selected.applicable} that apply to {context}: "
    rivals = ", ".join(
        f"{candidate.skill} {candidate.score:.2f}" for candidate in runners_up[:_RIVALS_SHOWN]
    )
    return f"{start}{first.skill}, {terms}" + (f"; then {rivals}" if rivals else "")


def _question(skill: Skill) -> str:
    return f"I answered in another way this time ({skill.name.lower()}). Did that suit you?"


def _log(workspace: Workspace, choice: SkillChoice, read_ms: float) -> None:
    """Log numbers and names, never the user's text [TS-09, MET-04, CFG-06]."""
    first = choice.candidates[0]
    fields = {
        "metric_type": "behavioral_memory_selection",
        "user_id": workspace.user_id,
        "skill_id": choice.skill.id,
        "context_bucket": choice.bucket,
        "sampled_score": first.sampled,
        "confidence_score": first.confidence,
        "preference_alignment": first.alignment,
        "selection_time_ms": choice.milliseconds,
        "context_extraction_time_ms": read_ms,
        "total_candidates": len(choice.candidates),
        "exploration_mode": choice.is_exploration,
    }
    _LOG.info("skill selected: %s", choice.skill.id, extra=fields)
