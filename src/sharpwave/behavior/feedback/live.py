"""Feedback as it comes: stored, and learned from at once, in one transaction [FB-05].

A message has one rating. A second one replaces the first as if that had never been: then what was
learned is computed anew from the records, which is the same as learning it one by one.
"""

import logging
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from sharpwave import checks
from sharpwave.behavior.feedback import records
from sharpwave.behavior.skills import catalog, learned, learning, rows
from sharpwave.behavior.skills.learned import FEEDBACK
from sharpwave.errors import InvalidInput, InvalidReward, NotFound
from sharpwave.privacy.redaction import redact, refusal
from sharpwave.tallies.sheet import Row, Sheet
from sharpwave.types.records import Kind, Record, Role, State
from sharpwave.types.skills import FeedbackReceipt, Skill
from sharpwave.types.storing import SKILL_UPDATED, Change, NewEvent, NewTally, Revision, Stated
from sharpwave.workspace import Workspace

_LOG = logging.getLogger(__name__)
REASONS = ("too_verbose", "too_brief", "wrong_tone", "not_helpful", "incorrect_info")
"""What the list of reasons offers; any other short word is kept as it is."""
NOT_AGREED = (
    "nothing was kept: skills are off, or this user does not agree to being remembered and learned "
    'from; consent("memory", True) and consent("learning", True) change that'
)
STORED, CHANGED, UNCHANGED, NOT_STORED = "stored", "changed", "unchanged", "not_stored"


@dataclass(frozen=True, slots=True)
class Given:
    """Feedback as the caller gave it."""

    message_id: str
    reward: float
    reason: str | None = None
    free_text: str | None = None
    skill: str | None = None
    implicit: bool = False


def give(workspace: Workspace, given: Given) -> FeedbackReceipt:
    """Take in feedback. When this returns, it survives a power cut."""
    checked = _checked(given, workspace)
    if not learned.may_learn(workspace):
        start = workspace.settings.skills.confidence.start
        return FeedbackReceipt(NOT_STORED, given.skill, False, start, start)
    receipt, row = learned.again(workspace, lambda: _write(workspace, checked))
    if workspace.settings.skills.log.ratings:
        _log(workspace, checked, receipt, row)
    return receipt


def answered(workspace: Workspace, message_id: str) -> Record | None:
    """The turn that feedback for a message is about [resolution 14].

    The message is the one the skill was chosen for, or the answer to it that was remembered.
    """
    store, key = workspace.store, records.key_of(message_id)
    found = store.known([key]).get(key)
    if found is not None:
        return found
    turns = store.find([message_id])
    if not turns or turns[0].kind is not Kind.TURN:
        return None
    said = turns[0]
    chosen = store.find(store.derived([said.id])[said.id])
    for_it = [one for one in chosen if one.kind is Kind.TRAJECTORY]
    if for_it:
        return for_it[-1]
    within = records.session_slot(said.session_id)
    numbers = store.slot_numbers(within, _LOOKED_BACK)
    before = [number for number in numbers if number < said.number]
    earlier = store.fetch(before[:1])
    return earlier[0] if earlier and not _asked_since(workspace, earlier[0], said) else None


_LOOKED_BACK = 1000
_AROUND = 200


def _asked_since(workspace: Workspace, chosen: Record, said: Record) -> bool:
    """Whether the person said something else between a choice and a turn, or in that turn."""
    own = str(chosen.metadata.get("user_input", "")).strip()
    turns = workspace.store.latest(said.session_id, _AROUND)
    return any(
        turn.role is Role.USER and turn.text.strip() != own
        for turn in {said.id: said, **{turn.id: turn for turn in turns}}.values()
        if chosen.number < turn.number <= said.number and turn.session_id == said.session_id
    )


def _checked(given: Given, workspace: Workspace) -> Given:
    message_id = checks.name(given.message_id, "message_id")
    if given.implicit:
        if not isinstance(given.reward, int | float) or not -1.0 <= given.reward <= 1.0:
            raise InvalidReward(f"a reaction lies between -1 and 1, not {given.reward!r}")
    elif isinstance(given.reward, bool) or given.reward not in (-1, 0, 1):
        raise InvalidReward(f"a rating is -1, 0 or 1, not {given.reward!r}")
    reason = checks.optional_name(given.reason, "reason")
    text = given.free_text
    if text is not None:
        longest = workspace.settings.skills.feedback.max_text_chars
        if not isinstance(text, str) or len(text) > longest:
            raise InvalidInput(f"free_text may have at most {longest} characters; shorten it")
        text = checks.text(text, "free_text", 4 * longest) if text.strip() else None
    if text is not None:
        clean = redact(text, workspace.settings.privacy.stored)
        refused = refusal(clean)
        if refused:
            raise refused
        text = clean.text
    return replace(given, message_id=message_id, reason=reason, free_text=text)


def _write(workspace: Workspace, given: Given) -> tuple[FeedbackReceipt, Row]:
    store, now = workspace.store, workspace.clock.now()
    turn = answered(workspace, given.message_id)
    said = _said(workspace, given, turn)
    slot = f"{FEEDBACK}{said['about']}"
    seen = store.slot_heads([slot])
    before = _active(workspace, slot)
    numbers = learned.known(workspace)
    old = _confidence(numbers, str(said["skill"]), workspace)
    if before is not None and (given.implicit or _same(before, given, said)):
        return _receipt(UNCHANGED, said, (old, old), before.id), {}
    text = given.free_text or f"rated {given.reward:g}"
    record = records.rating(workspace.user_id, text, turn, said, now)
    if before is None:
        learning.learn(record, numbers, workspace.settings.skills)
        tallies: tuple[NewTally, ...] = numbers.new()
        revisions: tuple[Revision, ...] = ()
    else:
        rest = [one for one in learned.teaching(workspace) if one.id != before.id]
        numbers = learned.folded(workspace, [*rest, record])
        tallies = numbers.instead_of(learned.stored_rows(workspace))
        replaced = replace(before.standing, state=State.SUPERSEDED, superseded_by=record.id)
        revisions = (Revision(before.id, replaced, now),)
    needs = (turn.id,) if turn else ()
    new = _confidence(numbers, str(said["skill"]), workspace)
    moved = NewEvent(SKILL_UPDATED, {"skill": said["skill"], "confidence": new})
    store.commit(
        Change(
            "feedback",
            now,
            (record,),
            revisions=revisions,
            events=(moved,) if new != old else (),
            tallies=tallies,
            seen=seen,
            needs=needs,
        )
    )
    status = STORED if before is None else CHANGED
    row = numbers.row(rows.SKILL, str(said["skill"]))
    return _receipt(status, said, (old, new), record.id), row


def _receipt(
    status: str, said: Mapping[str, object], moved: tuple[float, float], id_: str
) -> FeedbackReceipt:
    old, new = moved
    context = str(said["context"]) if "context" in said else None
    return FeedbackReceipt(status, str(said["skill"]), new != old, old, new, context, id_)


def _said(workspace: Workspace, given: Given, turn: Record | None) -> dict[str, object]:
    """What the record says: which skill in which context, resolved through the turn."""
    skill = _named(workspace, given.skill)
    said: dict[str, object] = {
        "form": learning.REACTION if given.implicit else learning.RATING,
        "reward": given.reward,
        "reason": given.reason,
        "message_id": given.message_id,
        "has_text": given.free_text is not None,
        "about": turn.id if turn else given.message_id,
    }
    if turn is not None and (skill is None or skill.id == turn.metadata["skill"]):
        kept = ("skill", "context", "bucket", "is_exploration", "dimensions", "learned_dimensions")
        return said | {name: turn.metadata[name] for name in kept if name in turn.metadata}
    if skill is None:
        raise NotFound(
            f"no skill was chosen for the message {given.message_id!r}; name the skill, or give "
            "the message_id of its SkillChoice"
        )
    where = {name: turn.metadata[name] for name in ("context", "bucket")} if turn else {}
    return said | {"skill": skill.id, **where, **records.style_of(skill)}


def _named(workspace: Workspace, name: str | None) -> Skill | None:
    """The skill that the caller named, if one was."""
    if name is None:
        return None
    return catalog.named(name, catalog.of_user(workspace))


def _active(workspace: Workspace, slot: str) -> Record | None:
    """The rating that holds now."""
    states = frozenset({State.ACTIVE})
    wanted = Stated(slots=(slot,), kinds=frozenset({Kind.FEEDBACK}), states=states)
    found = workspace.store.stated(wanted)
    return found[-1] if found else None


def _same(before: Record, given: Given, said: Mapping[str, object]) -> bool:
    known = before.metadata
    text = before.text if known.get("has_text") else None
    fields = ("form", "reward", "reason", "skill")
    return text == given.free_text and all(known.get(name) == said.get(name) for name in fields)


def _confidence(numbers: Sheet, skill: str, workspace: Workspace) -> float:
    row = numbers.row(rows.SKILL, skill)
    return float(row.get("confidence", workspace.settings.skills.confidence.start))


def _log(workspace: Workspace, given: Given, receipt: FeedbackReceipt, row: Row) -> None:
    """Numbers and names, never words of the person [MET-02]."""
    uses = max(1, row.get("usage", 0))
    known_reason = given.reason if given.reason in REASONS else bool(given.reason)
    told = {
        "metric_type": "behavioral_memory_feedback",
        "user_id": workspace.user_id,
        "skill_id": receipt.skill,
        "reward": given.reward,
        "implicit": given.implicit,
        "reason": known_reason,
        "total_usage": row.get("usage", 0),
        "positive_rate": row.get("positive", 0) / uses,
        "negative_rate": row.get("negative", 0) / uses,
        "has_free_text": given.free_text is not None,
    }
    if workspace.settings.skills.log.confidence:
        told |= {
            "old_confidence": receipt.old_confidence,
            "new_confidence": receipt.new_confidence,
            "confidence_delta": receipt.new_confidence - receipt.old_confidence,
        }
    _LOG.info("skill feedback received: %s", receipt.skill, extra=told)


def decide(
    workspace: Workspace, form: str, said: Mapping[str, object], now: datetime | None = None
) -> None:
    """Keep something that the person set, reset or set aside, and learn it at once."""
    if not learned.may_learn(workspace):
        raise InvalidInput(NOT_AGREED)
    at = now or workspace.clock.now()

    def attempt() -> None:
        numbers = learned.known(workspace)
        record = records.decision(workspace.user_id, form, said, at)
        learning.learn(record, numbers, workspace.settings.skills)
        change = Change(form, at, (record,), tallies=numbers.new())
        workspace.store.commit(change)

    learned.again(workspace, attempt)
