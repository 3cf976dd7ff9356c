"""Choosing a skill: read the message, weigh the skills, keep what was chosen."""

import hashlib
import logging
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime

import numpy as np

from sharpwave.behavior import population
from sharpwave.behavior.feedback import records
from sharpwave.behavior.intent.context import read_context
from sharpwave.behavior.skills import catalog, choose, learned, learning, rows, ruling, styles
from sharpwave.errors import KeyReused
from sharpwave.formulas.bandit import Odds, context_key, odds
from sharpwave.privacy.redaction import redact
from sharpwave.tallies import Sheet
from sharpwave.temporal.clock import new_id
from sharpwave.types.intent import ReadContext
from sharpwave.types.records import Record, Role
from sharpwave.types.skills import Skill, SkillChoice
from sharpwave.types.storing import BEHAVIOR, Change
from sharpwave.workspace import Workspace

_LOG = logging.getLogger(__name__)
_SHOWN = 2


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a skill is wanted for."""

    message: str
    session: str | None = None
    message_id: str | None = None
    context: ReadContext | None = None
    """If the caller has read the message already."""
    at: datetime | None = None


def select(workspace: Workspace, wanted: Wanted) -> SkillChoice:
    """The skill for a message; the same again if it is asked for the same message again."""
    started = time.perf_counter()
    now = workspace.clock.now()
    learns = learned.may_learn(workspace)
    before = _record(workspace, wanted.message_id) if learns else None
    if before is not None:
        known = _known(workspace, before)
        if known is not None:
            return known
    keeps = learns and before is None and workspace.settings.skills.feedback.log_trajectories
    context = wanted.context or read_context(wanted.message, wanted.at or now, workspace.embedder)
    read = time.perf_counter()

    def attempt() -> SkillChoice:
        numbers = learned.known(workspace) if learns else Sheet.blank(BEHAVIOR)
        choice = _choice(workspace, wanted, context, numbers, now)
        if keeps:
            spent = (time.perf_counter() - started) * 1000
            return _kept(workspace, wanted, replace(choice, milliseconds=spent), numbers, now)
        return choice

    try:
        choice = learned.again(workspace, attempt)
    except KeyReused:  # somebody else has just chosen for the same message
        return select(workspace, wanted)
    spent = (time.perf_counter() - started) * 1000
    if workspace.settings.skills.log.selections:
        _log(workspace, choice, spent, (read - started) * 1000)
    return replace(choice, milliseconds=spent)


def _choice(
    workspace: Workspace, wanted: Wanted, context: ReadContext, numbers: Sheet, now: datetime
) -> SkillChoice:
    settings = workspace.settings.skills
    key = context_key(context.intent, context.sentiment, context.time_of_day)
    bucket = learned.bucket(workspace, key)
    counts = numbers.rows(rows.SKILL)
    skills = [
        catalog.with_learned(skill, counts.get(skill.id, {}))
        for skill in _usable(workspace)
        if not counts.get(skill.id, {}).get("archived")
    ] or list(catalog.base().values())
    if learned.may_learn(workspace):
        rules = ruling.agreed(workspace.store)
        skills = ruling.allowed(skills, rules, settings.match.rule_margin)
    standing = choose.Standing(
        style=styles.effective(numbers, bucket, settings.style),
        odds=odds_in(workspace, skills, bucket, numbers),
        confidence={
            skill.id: counts.get(skill.id, {}).get("confidence", settings.confidence.start)
            for skill in skills
        },
        ratings=numbers.row(rows.PERSON, rows.COUNTS).get("feedback", 0),
        explores=learning.explores(numbers),
    )
    topics = catalog.topic_vectors(skills, workspace.embedder)
    dice = _dice(workspace, numbers)
    chosen = choose.choose(skills, context, topics, standing, settings, dice)
    message_id = wanted.message_id or new_id(now)
    return SkillChoice(
        skill=chosen.skill,
        message_id=message_id,
        context=key,
        bucket=bucket,
        is_exploration=chosen.is_exploration,
        epsilon=chosen.epsilon,
        candidates=chosen.candidates,
        reason=_reason(chosen, key, workspace),
        ask=_question(chosen.skill) if chosen.is_exploration else None,
    )


def _usable(workspace: Workspace) -> list[Skill]:
    """The base skills, and those of the person if they may be used."""
    if not learned.may_learn(workspace):
        return list(catalog.base().values())
    return list(catalog.of_user(workspace).values())


def odds_in(
    workspace: Workspace, skills: list[Skill], bucket: int, numbers: Sheet
) -> Mapping[str, Odds]:
    """How well each skill does in a context, as far as that is known: the prior and what came."""
    bandit = workspace.settings.skills.bandit
    own = Odds(bandit.prior_alpha, bandit.prior_beta)
    others = population.priors(
        workspace.shared.store, bucket, bandit, workspace.settings.skills.population
    )
    counted = numbers.rows(rows.odds_of(bucket))
    return {
        skill.id: odds(
            counted.get(skill.id, {}).get("won", 0.0),
            counted.get(skill.id, {}).get("lost", 0.0),
            others.get(skill.id, own),
        )
        for skill in skills
    }


def _dice(workspace: Workspace, numbers: Sheet) -> np.random.Generator:
    """Fresh luck; with a seed the same for the same person after as many uses."""
    seed = workspace.settings.skills.seed
    if seed is None:
        return np.random.default_rng()
    who = hashlib.blake2b(
        workspace.user_id.encode("utf-8", "surrogatepass"), digest_size=8
    ).digest()
    uses = numbers.row(rows.PERSON, rows.COUNTS).get("uses", 0)
    return np.random.default_rng([seed, int.from_bytes(who, "big"), uses])


def _kept(
    workspace: Workspace, wanted: Wanted, choice: SkillChoice, numbers: Sheet, now: datetime
) -> SkillChoice:
    """The choice, once it is durable together with what it changes."""
    turn, first = _turn(workspace, wanted), choice.candidates[0]
    said: dict[str, object] = {
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
        "turn_number": _turn_number(workspace, wanted.session),
        **records.style_of(choice.skill),
    }
    if turn is None:
        said["user_input"] = redact(wanted.message, workspace.settings.privacy.stored).text
    parents = () if turn is None else (turn.id,)
    record = records.trajectory(workspace.user_id, wanted.session, parents, said, now)
    learning.learn(record, numbers, workspace.settings.skills)
    change = Change("select_skill", now, (record,), tallies=numbers.new(), needs=parents)
    workspace.store.commit(change)
    return replace(choice, trajectory_id=record.id)


def _turn(workspace: Workspace, wanted: Wanted) -> Record | None:
    """The stored turn that is answered, so that its words need not be kept twice."""
    store = workspace.store
    found = store.find([wanted.message_id]) if wanted.message_id else []
    if not found and wanted.session is not None:
        found = store.latest(wanted.session, 1)
    same = wanted.message.strip()
    return next((one for one in found if one.role is Role.USER and one.text.strip() == same), None)


def _turn_number(workspace: Workspace, session: str | None) -> int:
    store = workspace.store
    before = store.slot_numbers(records.session_slot(session), 1)
    last = store.fetch(before) if before else []
    return int(str(last[0].metadata.get("turn_number", 0))) + 1 if last else 1


def _record(workspace: Workspace, message_id: str | None) -> Record | None:
    """The record of what was chosen for this message before."""
    if message_id is None:
        return None
    key = records.key_of(message_id)
    return workspace.store.known([key]).get(key)


def _known(workspace: Workspace, record: Record) -> SkillChoice | None:
    """What was chosen before; None if the skill is gone."""
    said = record.metadata
    skills = catalog.of_user(workspace)
    skill = skills.get(str(said["skill"]))
    if skill is None:
        return None
    tried = bool(said["is_exploration"])
    return SkillChoice(
        skill=skill,
        message_id=str(said["message_id"]),
        context=str(said["context"]),
        bucket=int(str(said["bucket"])),
        is_exploration=tried,
        epsilon=float(str(said["epsilon"])),
        candidates=(),
        reason=str(said["reason"]),
        trajectory_id=record.id,
        ask=_question(skill) if tried else None,
    )


def _reason(chosen: choose.Chosen, context: str, workspace: Workspace) -> str:
    """Why this one, in words and numbers."""
    match = workspace.settings.skills.match
    first, *others = chosen.candidates
    terms = (
        f"trigger {first.trigger:.2f} * {match.trigger_weight:g} + experience {first.sampled:.2f} "
        f"* {match.sampled_weight:g} + style {first.aligned:.2f} * {match.alignment_weight:g} "
        f"= {first.score:.2f}"
    )
    if not chosen.applicable:
        start = f"No skill applies to {context}, so the nearest was taken: "
    elif chosen.is_exploration:
        start = f"A try (one in {1 / chosen.epsilon:.0f}) to learn more about {context}: "
    else:
        start = f"Best of {chosen.applicable} that apply to {context}: "
    rivals = ", ".join(f"{one.skill} {one.score:.2f}" for one in others[:_SHOWN])
    return f"{start}{first.skill}, {terms}" + (f"; then {rivals}" if rivals else "")


def _question(skill: Skill) -> str:
    return f"I answered in another way this time ({skill.name.lower()}). Did that suit you?"


def _log(workspace: Workspace, choice: SkillChoice, spent: float, reading: float) -> None:
    """Numbers and names, never words of the person [TS-09, MET-04]."""
    first = choice.candidates[0]
    told = {
        "metric_type": "behavioral_memory_selection",
        "user_id": workspace.user_id,
        "skill_id": choice.skill.id,
        "context_bucket": choice.bucket,
        "sampled_score": first.sampled,
        "confidence_score": first.confidence,
        "preference_alignment": first.alignment,
        "selection_time_ms": spent,
        "context_extraction_time_ms": reading,
        "total_candidates": len(choice.candidates),
        "exploration_mode": choice.is_exploration,
    }
    _LOG.info("skill selected: %s", choice.skill.id, extra=told)
