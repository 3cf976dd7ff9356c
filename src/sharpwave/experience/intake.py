"""What an agent did becomes an immutable record: checked, redacted, of bounded size."""

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from sharpwave import checks
from sharpwave.errors import InvalidInput, SensitiveContent
from sharpwave.experience.drafts import Draft, Rules
from sharpwave.experience.lessons import TEACHES
from sharpwave.experience.matching.words import feedback_type
from sharpwave.privacy.redaction import redact, refusal
from sharpwave.settings.experience import LoggingSettings
from sharpwave.settings.privacy import Policy
from sharpwave.settings.tree import Settings
from sharpwave.temporal.ids import new_id
from sharpwave.types.experience import Action, FeedbackType, TaskRun
from sharpwave.types.records import (
    INITIAL_IMPORTANCE,
    Channel,
    Kind,
    Provenance,
    Record,
    Source,
    Stage,
    Standing,
    Temperature,
    Trust,
)

_SHOWN_STEPS = 12
_CUT = "…"
_OURS = frozenset({"at", "form", "started_at", "completed_at", "feedback_type", "start_id"})
"""Fields that hold times and words of our own, and nothing that anybody said."""


def started(draft: Draft, rules: Rules) -> Record:
    """The record of an interaction that was only started."""
    said = {"form": "started", "query": draft.query, "context": dict(draft.context)}
    return _record(Kind.INTERACTION, said, draft.started_at, (draft.session, None), rules)


def asked(draft: Draft, rules: Rules) -> dict[str, Any]:
    """What is kept of a query before the interaction is complete."""
    checks.text(draft.query, "the query", rules.remember.max_text_bytes)
    session = checks.optional_name(draft.session, "session")
    said = {"query": draft.query, "context": dict(draft.context)}
    clean = _clean(said, rules.policy, rules.logging.max_field_chars)
    plain = checks.metadata(clean)
    return {**plain, "session": session, "started_at": draft.started_at.isoformat()}


def cleaned(said: Mapping[str, object], settings: Settings) -> dict[str, Any]:
    """One step as it is kept before the interaction is complete: redacted and bounded as after."""
    most = settings.experience.logging.max_field_chars
    clean = _clean(dict(said), settings.privacy.stored, most)
    return checks.metadata(clean)


def interaction(draft: Draft, rules: Rules) -> Record:
    """The record of a complete interaction."""
    kind = draft.feedback_kind or feedback_type(draft.feedback)
    said = {
        "form": draft.form,
        "start_id": draft.start_id,
        "query": draft.query,
        "context": dict(draft.context),
        "context_name": _context_name(draft.context),
        "interpretation": draft.interpretation,
        "planned": [str(each) for each in draft.planned],
        "confidence": draft.confidence,
        "role": draft.role,
        "actions": _actions(draft.actions, rules.logging),
        "started_at": draft.started_at.isoformat(),
        "completed_at": (draft.completed_at or rules.now).isoformat(),
        "tokens": draft.tokens,
        "feedback": draft.feedback,
        "feedback_type": kind.value,
        "success": success_of(draft.success, kind),
        "duration_ms": _span_ms(draft, rules),
    }
    at = draft.actions[-1].at if draft.actions and draft.actions[-1].at else draft.started_at
    where = (draft.session, draft.idempotency_key)
    return _record(Kind.INTERACTION, said, checks.moment(at, "at"), where, rules, draft.id)


def task(run: TaskRun, context: str, rules: Rules) -> Record:
    """The record of an observed task."""
    kind = feedback_type(run.feedback)
    said = {
        "form": "task",
        "query": run.query,
        "goal": run.goal,
        "context_name": run.context or context,
        "planned": [str(each) for each in run.plan],
        "actions": _actions(run.steps, rules.logging),
        "tokens": run.tokens or 0,
        "feedback": run.feedback,
        "feedback_type": kind.value,
        "success": success_of(run.success, kind),
        "duration_ms": _duration_ms(run),
        "model": run.model,
        "agent": run.agent,
        "task_id": run.task_id,
    }
    at = rules.now if run.at is None else checks.moment(run.at, "at")
    return _record(Kind.OBSERVATION, said, at, (run.session, run.task_id), rules)


def outcome(about: str, success: bool, by: str, rules: Rules) -> Record:
    """The record of how a pattern or an insight turned out."""
    name = checks.name(about, "the id", rules.remember.max_text_bytes)
    said = {"form": "outcome", "query": name, "about": name, "success": success, "role": by}
    return _record(Kind.OBSERVATION, said, rules.now, (None, None), rules)


def success_of(success: bool | None, kind: FeedbackType) -> bool | None:
    """Whether it succeeded: as told, or as the user took it."""
    if success is not None:
        return bool(success)
    if kind is FeedbackType.APPROVAL:
        return True
    return False if kind in (FeedbackType.CORRECTION, FeedbackType.REJECTION) else None


def _record(
    kind: Kind,
    said: dict[str, Any],
    at: datetime,
    where: tuple[str | None, str | None],
    rules: Rules,
    id_: str | None = None,
) -> Record:
    session, key = where
    checks.text(said["query"], "the query", rules.remember.max_text_bytes)
    clean: dict[str, Any] = _clean(said, rules.policy, rules.logging.max_field_chars)
    clean = {name: value for name, value in clean.items() if value not in (None, [], {}, "")}
    if not rules.teaches:
        clean[TEACHES] = False
    metadata = checks.metadata(_fitted(clean))
    text = checks.text(_told(metadata), "the query", rules.remember.max_text_bytes)
    return Record(
        id=id_ or new_id(rules.now),
        user_id=rules.user_id,
        kind=kind,
        text=text,
        provenance=Provenance(
            source=Source.TOOL,
            channel=Channel.LIBRARY,
            trust=Trust.INFERRED,
            author=rules.user_id,
            idempotency_key=checks.optional_name(key, "idempotency_key"),
        ),
        standing=Standing(
            stage=Stage.ACTIVE,
            temperature=Temperature.HOT,
            importance=INITIAL_IMPORTANCE,
            confidence=1.0,
            seen_count=1,
            last_seen_at=at,
        ),
        valid_from=at,
        recorded_at=rules.now,
        session_id=checks.optional_name(session, "session"),
        metadata=metadata,
    )


def _actions(actions: Sequence[Action], settings: LoggingSettings) -> list[dict[str, Any]]:
    if len(actions) > settings.max_actions:
        raise too_many(len(actions), settings)
    return [told(action, settings) for action in actions]


def too_many(actions: int, settings: LoggingSettings) -> InvalidInput:
    """More actions than one interaction may have."""
    return InvalidInput(
        f"{actions} actions in one interaction; at most {settings.max_actions} fit. "
        "Complete it and start another."
    )


def told(action: Action, settings: LoggingSettings) -> dict[str, Any]:
    """One action as plain values, its details cut."""
    name = checks.name(action.name, "the name of an action", settings.max_field_chars)
    said: dict[str, Any] = {"name": name, "target": action.target, "error": action.error}
    if action.details:
        said["details"] = _cut_details(action.details, settings.max_details_bytes)
    if action.success is not True:
        said["success"] = action.success
    if action.duration_ms is not None:
        said["duration_ms"] = float(action.duration_ms)
    if action.retries:
        said["retries"] = int(action.retries)
    if action.at is not None:
        said["at"] = checks.moment(action.at, "at").isoformat()
    return {name: value for name, value in said.items() if value is not None or name == "success"}


def _cut_details(details: Mapping[str, object], most: int) -> dict[str, Any]:
    """The details as JSON; what is too large is cut, value by value, and never refused."""
    kept: dict[str, Any] = {}
    room = most
    for name, value in details.items():
        encoded = json.dumps(value, ensure_ascii=False, default=str, allow_nan=True)
        if len(encoded) <= room:
            kept[str(name)] = json.loads(encoded, parse_constant=str)
        elif room > len(_CUT):
            kept[str(name)] = encoded[: room - len(_CUT)].strip('"') + _CUT
        room -= min(room, len(encoded) + len(str(name)))
    return kept


def _fitted(said: dict[str, Any]) -> dict[str, Any]:
    """Without what can be missed until all of it fits: its steps were accepted one by one."""
    size, trimmed = _size({**said, "trimmed": 9999}), 0
    for name, inside in _can_be_missed(said):
        if size <= checks.MAX_METADATA_BYTES:
            break
        size -= _size({name: inside.pop(name)})
        trimmed += 1
    return {**said, "trimmed": trimmed} if trimmed else said


def _can_be_missed(said: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Fields and where they stand, in turn the longest first; the names of actions stay."""
    inside = (*said.get("actions", ()), said)
    for names in (("details",), ("context", "planned"), ("error", "target"), ("at",)):
        holding = [(name, each) for each in inside for name in names if name in each]
        yield from sorted(holding, key=lambda one: _size(one[1][one[0]]), reverse=True)


def _size(value: object) -> int:
    return len(json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass"))


def _clean(value: Any, policy: Policy, most: int, ours: bool = True) -> Any:
    """Strings redacted by the policy and of bounded length, everywhere inside.

    What stands in a context or in details is never ours, whatever it is called.
    """
    if isinstance(value, str):
        redacted = redact(value.replace("\0", ""), policy)
        refused: SensitiveContent | None = refusal(redacted)
        if refused is not None:
            raise refused
        return redacted.text if len(redacted.text) <= most else redacted.text[:most] + _CUT
    if isinstance(value, dict):
        return {
            str(name) if ours else _clean(str(name), policy, most): each
            if ours and name in _OURS
            else _clean(each, policy, most, ours and name == "actions")
            for name, each in value.items()
        }
    if isinstance(value, (list, tuple)):
        return [_clean(each, policy, most, ours) for each in value]
    return value


def _told(said: Mapping[str, Any]) -> str:
    """The record in words: what was asked, what was done, how it ended."""
    if said["form"] == "outcome":
        return f"{said['about']} {'worked' if said['success'] else 'did not work'}."
    parts = [str(said["query"])]
    names = [_named(action) for action in said.get("actions", ())]
    if names:
        shown = " → ".join(names[:_SHOWN_STEPS])
        rest = f" and {len(names) - _SHOWN_STEPS} more" if len(names) > _SHOWN_STEPS else ""
        parts.append(f"Done: {shown}{rest}")
    if said.get("success") is not None:
        parts.append("It succeeded." if said["success"] else "It failed.")
    if said.get("feedback"):
        parts.append(f"Answer: {said['feedback']}")
    return "\n".join(parts)


def _named(action: Mapping[str, Any]) -> str:
    failed = " (failed)" if action.get("success", True) is False else ""
    target = f" {action['target']}" if action.get("target") else ""
    return f"{action['name']}{target}{failed}"


def _context_name(context: Mapping[str, object]) -> str | None:
    found = context.get("context") or context.get("name")
    return found if isinstance(found, str) else None


def _span_ms(draft: Draft, rules: Rules) -> float:
    return ((draft.completed_at or rules.now) - draft.started_at).total_seconds() * 1000.0


def _duration_ms(run: TaskRun) -> float | None:
    if run.duration_ms is not None:
        return float(run.duration_ms)
    known = [step.duration_ms for step in run.steps if step.duration_ms is not None]
    return float(sum(known)) if known else None
