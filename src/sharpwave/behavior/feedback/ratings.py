"""Ratings of answers: stored and learned from at once, in one transaction [FB-05].

A message has one rating. A second rating replaces the first: then the tallies are recomputed from
the records, which gives the same as learning one by one.
"""

import logging
from collections.abc import Mapping
from dataclasses import dataclass, replace

from sharpwave import checks
from sharpwave.behavior.feedback import records
from sharpwave.behavior.skills import catalog, learning, state
from sharpwave.errors import InvalidInput, InvalidReward, NoConsent, NotFound
from sharpwave.privacy.redaction import redact, refusal
from sharpwave.tallies import Row
from sharpwave.types.records import Kind, Record, Role, State
from sharpwave.types.skills import FeedbackReceipt
from sharpwave.types.storing import SKILL_UPDATED, Change, NewEvent, NewTally, Revision, Stated
from sharpwave.workspace import Workspace

_LOG = logging.getLogger(__name__)
REASONS = ("too_verbose", "too_brief", "wrong_tone", "not_helpful", "incorrect_info")
"""The reasons that are learned from; any other short text is stored unchanged."""
MAX_COMMENT_CHARS = 300
"""Maximum length of a comment [FB-02]."""
NO_CONSENT = (
    "nothing was kept: skills are off, or this user does not agree to being remembered and learned "
    'from; consent("memory", True) and consent("learning", True) change that'
)
STORED, CHANGED, UNCHANGED, NOT_STORED = "stored", "changed", "unchanged", "not_stored"
_BYTES_PER_CHAR = 4
_TRAJECTORIES_BACK = 1000
_TURNS_BACK = 200


@dataclass(frozen=True, slots=True)
class FeedbackInput:
    """Feedback as the caller gave it."""

    message_id: str
    reward: float
    reason: str | None = None
    free_text: str | None = None
    skill: str | None = None
    implicit: bool = False


def add(workspace: Workspace, feedback: FeedbackInput) -> FeedbackReceipt:
    """Store feedback and learn from it; durable when this returns."""
    checked = _checked(workspace, feedback)
    if not state.may_learn(workspace):
        start = learning.START_CONFIDENCE
        return FeedbackReceipt(NOT_STORED, feedback.skill, False, start, start)
    receipt, row = workspace.retried(lambda fresh: _write(fresh, checked))
    _log(workspace, checked, receipt, row)
    return receipt


def record_decision(workspace: Workspace, form: str, data: Mapping[str, object]) -> None:
    """Store and apply a decision of the user: set, reset, archive, restore or explore."""
    if not state.may_learn(workspace):
        raise NoConsent(NO_CONSENT)
    now = workspace.clock.now()

    def attempt(workspace: Workspace) -> None:
        sheet = state.load(workspace)
        record = records.decision(workspace, form, data, now)
        learning.learn(record, sheet)
        workspace.store.commit(Change(form, now, (record,), tallies=sheet.new()))

    workspace.retried(attempt)


def commented(workspace: Workspace) -> list[Record]:
    """The ratings with a comment or a listed reason, without undone ones."""
    withdrawn = state.withdrawn_ids(workspace)
    return [
        record
        for record in state.lesson_records(workspace, state.FEEDBACK)
        if record.id not in withdrawn
        and (record.metadata.get("has_text") or record.metadata.get("reason") in REASONS)
    ]


def trajectory_for(workspace: Workspace, message_id: str) -> Record | None:
    """The trajectory that feedback for a message is about [resolution 14].

    The message is the one the skill was selected for, or the remembered answer to it.
    """
    store, key = workspace.store, records.key_of(message_id)
    trajectory = store.known([key]).get(key)
    if trajectory is not None:
        return trajectory
    turns = store.find([message_id])
    if not turns or turns[0].kind is not Kind.TURN:
        return None
    turn = turns[0]
    derived = store.find(store.derived([turn.id])[turn.id])
    trajectories = [record for record in derived if record.kind is Kind.TRAJECTORY]
    if trajectories:
        return trajectories[-1]
    numbers = store.slot_numbers(records.session_slot(turn.session_id), _TRAJECTORIES_BACK)
    before = [number for number in numbers if number < turn.number]
    last = store.fetch(before[:1])
    return last[0] if last and not _user_spoke_since(workspace, last[0], turn) else None


def _user_spoke_since(workspace: Workspace, trajectory: Record, turn: Record) -> bool:
    """Whether the user sent another message after a trajectory, up to and including a turn."""
    own = str(trajectory.metadata.get("user_input", "")).strip()
    latest = workspace.store.latest(turn.session_id, _TURNS_BACK)
    return any(
        record.role is Role.USER and record.text.strip() != own
        for record in {turn.id: turn, **{record.id: record for record in latest}}.values()
        if trajectory.number < record.number <= turn.number and record.session_id == turn.session_id
    )


def _checked(workspace: Workspace, feedback: FeedbackInput) -> FeedbackInput:
    reward = feedback.reward
    message_id = checks.name(feedback.message_id, "message_id")
    if feedback.implicit:
        if not isinstance(reward, int | float) or not -1.0 <= reward <= 1.0:
            raise InvalidReward(f"a reaction lies between -1 and 1, not {reward!r}")
    elif isinstance(reward, bool) or reward not in (-1, 0, 1):
        raise InvalidReward(f"a rating is -1, 0 or 1, not {reward!r}")
    reason = checks.optional_name(feedback.reason, "reason")
    text = feedback.free_text
    if text is not None:
        longest = MAX_COMMENT_CHARS
        if not isinstance(text, str) or len(text) > longest:
            raise InvalidInput(f"free_text may have at most {longest} characters; shorten it")
        blank = not text.strip()
        text = None if blank else checks.text(text, "free_text", _BYTES_PER_CHAR * longest)
    if text is not None:
        redacted = redact(text, workspace.settings.privacy.stored)
        refused = refusal(redacted)
        if refused:
            raise refused
        text = redacted.text
    return replace(feedback, message_id=message_id, reason=reason, free_text=text)


def _write(workspace: Workspace, feedback: FeedbackInput) -> tuple[FeedbackReceipt, Row]:
    store, now = workspace.store, workspace.clock.now()
    trajectory = trajectory_for(workspace, feedback.message_id)
    data = _metadata(workspace, feedback, trajectory)
    skill = str(data["skill"])
    slot = f"{state.FEEDBACK}{data['about']}"
    seen = store.slot_heads([slot])
    before = _active(workspace, slot)
    sheet = state.load(workspace)
    old = learning.confidence_of(sheet, skill)
    if before is not None and (feedback.implicit or _is_same(before, feedback, data)):
        return _receipt(UNCHANGED, data, (old, old), before.id), {}
    text = feedback.free_text or f"rated {feedback.reward:g}"
    record = records.rating(workspace, text, trajectory, data, now)
    tallies: tuple[NewTally, ...]
    revisions: tuple[Revision, ...] = ()
    if before is None:
        learning.learn(record, sheet)
        tallies = sheet.new()
    else:
        remaining = [lesson for lesson in state.lesson_records(workspace) if lesson.id != before.id]
        sheet = state.computed_from([*remaining, record])
        tallies = sheet.instead_of(state.stored_rows(workspace))
        revisions = (Revision.closing(before, State.SUPERSEDED, now, record.id),)
    new = learning.confidence_of(sheet, skill)
    event = NewEvent(SKILL_UPDATED, {"skill": skill, "confidence": new})
    store.commit(
        Change(
            "feedback",
            now,
            (record,),
            revisions=revisions,
            events=(event,) if new != old else (),
            tallies=tallies,
            seen=seen,
        )
    )
    status = STORED if before is None else CHANGED
    return _receipt(status, data, (old, new), record.id), sheet.row(learning.SKILL, skill)


def _receipt(
    status: str, data: Mapping[str, object], moved: tuple[float, float], id_: str
) -> FeedbackReceipt:
    old, new = moved
    context = str(data["context"]) if "context" in data else None
    return FeedbackReceipt(status, str(data["skill"]), new != old, old, new, context, id_)


def _metadata(
    workspace: Workspace, feedback: FeedbackInput, trajectory: Record | None
) -> dict[str, object]:
    """The data of the record, with skill and context taken from the trajectory."""
    skill = None
    if feedback.skill is not None:
        skill = catalog.named(feedback.skill, catalog.of_user(workspace))
    data: dict[str, object] = {
        "form": learning.REACTION if feedback.implicit else learning.RATING,
        "reward": feedback.reward,
        "reason": feedback.reason,
        "message_id": feedback.message_id,
        "has_text": feedback.free_text is not None,
        "about": trajectory.id if trajectory else feedback.message_id,
    }
    if trajectory is not None and (skill is None or skill.id == trajectory.metadata["skill"]):
        kept = ("skill", "context", "bucket", "is_exploration", "dimensions", "learned_dimensions")
        return data | records.selected(trajectory, *kept)
    if skill is None:
        raise NotFound(
            f"no skill was chosen for the message {feedback.message_id!r}; name the skill, or give "
            "the message_id of its SkillChoice"
        )
    where = records.selected(trajectory, "context", "bucket") if trajectory else {}
    return data | {"skill": skill.id, **where, **records.style_of(skill)}


def _active(workspace: Workspace, slot: str) -> Record | None:
    """The rating in force for a slot."""
    query = Stated(slots=(slot,), kinds={Kind.FEEDBACK}, states={State.ACTIVE})
    active = workspace.store.stated(query)
    return active[-1] if active else None


def _is_same(before: Record, feedback: FeedbackInput, data: Mapping[str, object]) -> bool:
    known = before.metadata
    text = before.text if known.get("has_text") else None
    fields = ("form", "reward", "reason", "skill")
    return text == feedback.free_text and all(known.get(name) == data.get(name) for name in fields)


def _log(workspace: Workspace, feedback: FeedbackInput, receipt: FeedbackReceipt, row: Row) -> None:
    """Log numbers and names, never the user's text [MET-02, CFG-06]."""
    positive, negative = row.get("positive", 0), row.get("negative", 0)
    rated = max(1, positive + negative)
    fields = {
        "metric_type": "behavioral_memory_feedback",
        "user_id": workspace.user_id,
        "skill_id": receipt.skill,
        "reward": feedback.reward,
        "implicit": feedback.implicit,
        "reason": feedback.reason if feedback.reason in REASONS else bool(feedback.reason),
        "total_usage": row.get("usage", 0),
        "positive_rate": positive / rated,
        "negative_rate": negative / rated,
        "has_free_text": feedback.free_text is not None,
        "old_confidence": receipt.old_confidence,
        "new_confidence": receipt.new_confidence,
        "confidence_delta": receipt.new_confidence - receipt.old_confidence,
    }
    _LOG.info("skill feedback received: %s", receipt.skill, extra=fields)
