"""Turns what an agent did into an immutable record: validated, redacted, of bounded size."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import datetime
from typing import Any

from pydantic import TypeAdapter, ValidationError

from sharpwave import checks
from sharpwave.errors import InvalidInput, KeyReused
from sharpwave.experience.learners.task_patterns import context_of
from sharpwave.experience.lessons import SAME_AS, TEACHES
from sharpwave.experience.matching import feedback_type
from sharpwave.ports import UserStore
from sharpwave.privacy.redaction import redact, refusal
from sharpwave.settings.privacy import Policy
from sharpwave.temporal.clock import new_id
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
    Trust,
)
from sharpwave.workspace import Workspace

MAX_ACTIONS = 500
"""Most actions of one interaction."""
MAX_DETAILS_BYTES = 2048
"""Longer details of an action are cut, as JSON."""
MAX_FIELD_CHARS = 4000
"""Longer queries, errors and feedback are cut in the metadata."""
MAX_DURATION_MS = 1e12
MAX_TOKENS = 2**53
MAX_RETRIES = 1_000_000
_SHOWN_STEPS = 12
_CUT = "…"
_OWN_FIELDS = frozenset({"at", "form", "started_at", "completed_at", "feedback_type", "start_id"})
"""Fields that hold times and our own words, nothing that a person wrote."""
_WHEN = frozenset({"started_at", "completed_at", "duration_ms", "start_id", TEACHES, SAME_AS})
"""Fields that say when something was logged and beside what, and not what."""
CORRECTED = "corrected"
"""Tag of what the user corrected or rejected."""
_RUNS = TypeAdapter(TaskRun)
_WRONG = (FeedbackType.CORRECTION, FeedbackType.REJECTION)


@dataclass(slots=True)
class InteractionDraft:
    """An interaction before it is stored."""

    query: str
    session: str | None
    started_at: datetime
    context: Mapping[str, object] = field(default_factory=dict)
    id: str | None = None
    interpretation: str | None = None
    planned: tuple[str, ...] = ()
    confidence: float | None = None
    role: str | None = None
    actions: list[Action] = field(default_factory=list)
    completed_at: datetime | None = None
    tokens: int = 0
    feedback: str | None = None
    feedback_kind: FeedbackType | None = None
    success: bool | None = None
    idempotency_key: str | None = None
    start_id: str | None = None
    form: str = "interaction"


def action_at(
    action: Action | str, target: str | None, details: Mapping[str, object], now: datetime
) -> Action:
    """The action with the time at which it was logged, unless it has another."""
    if isinstance(action, str):
        rest = dict(details)
        success, error = rest.pop("success", True), rest.pop("error", None) or None
        duration, retries = rest.pop("duration_ms", None), rest.pop("retries", 0)
        if error is not None and success is True:
            success = False
        return Action(
            name=action,
            target=target,
            details=rest,
            success=None if success is None else bool(success),
            error=None if error is None else str(error),
            duration_ms=duration if isinstance(duration, (int, float)) else None,
            retries=retries if isinstance(retries, int) else 0,
            at=now,
        )
    if not isinstance(action, Action):
        raise InvalidInput(f"an action is a name or an Action, not {type(action).__name__}")
    if target is not None or details not in ({}, {"success": True}):
        raise InvalidInput(
            "an Action says its target, details and success itself; "
            "set them there, or give the action by its name"
        )
    return action if action.at is not None else replace(action, at=now)


def started(workspace: Workspace, draft: InteractionDraft) -> Record:
    """The record of an interaction that was only started."""
    content = {"form": "started", "query": draft.query, "context": dict(draft.context)}
    return _record(workspace, Kind.INTERACTION, content, draft.started_at, draft.session)


def opening(workspace: Workspace, draft: InteractionDraft) -> dict[str, Any]:
    """The query and context of an interaction, as stored until it is complete."""
    checks.text(draft.query, "the query")
    session = checks.optional_name(draft.session, "session")
    plain = cleaned(workspace, {"query": draft.query, "context": dict(draft.context)})
    return {**plain, "session": session, "started_at": draft.started_at.isoformat()}


def cleaned(workspace: Workspace, content: Mapping[str, object]) -> dict[str, Any]:
    """The content redacted and bounded, as a record would hold it."""
    return checks.metadata(_cleaned(dict(content), workspace.settings.privacy.stored))


def interaction(workspace: Workspace, draft: InteractionDraft) -> Record:
    """The record of a complete interaction."""
    kind = draft.feedback_kind or feedback_type(draft.feedback)
    completed_at = draft.completed_at or workspace.clock.now()
    content = {
        "form": draft.form,
        "start_id": draft.start_id,
        "query": draft.query,
        "context": dict(draft.context),
        "context_name": _context_name(draft.context),
        "interpretation": draft.interpretation,
        "planned": [str(step) for step in draft.planned],
        "confidence": draft.confidence,
        "role": draft.role,
        "actions": _actions(draft.actions, workspace.clock.now()),
        "started_at": draft.started_at.isoformat(),
        "completed_at": completed_at.isoformat(),
        "tokens": checks.count(draft.tokens, "tokens", MAX_TOKENS, at_least=0),
        "feedback": draft.feedback,
        "feedback_type": kind.value,
        "success": success_of(draft.success, kind),
        "duration_ms": (completed_at - draft.started_at).total_seconds() * 1000.0,
    }
    at = draft.actions[-1].at if draft.actions and draft.actions[-1].at else draft.started_at
    return _record(
        workspace,
        Kind.INTERACTION,
        content,
        checks.past(at, "at", workspace.clock.now()),
        draft.session,
        draft.idempotency_key,
        draft.id,
    )


def run_of(task: TaskRun | Mapping[str, object]) -> TaskRun:
    """A task from a mapping with its fields; names that other programs use are known too.

    >>> plan = [{"order": 2, "action": "create"}, {"order": 1, "action": "list"}]
    >>> run_of({"query": "ship", "plan": {"goal": "sent", "steps": plan}}).plan
    ('list', 'create')
    """
    if not isinstance(task, TaskRun | Mapping):
        raise InvalidInput(f"a task must be a TaskRun or a mapping, not {type(task).__name__}")
    if isinstance(task, Mapping) and isinstance(plan := task.get("plan"), Mapping):
        task = {"goal": plan.get("goal"), **task, "plan": plan.get("steps", ())}
    try:
        return _RUNS.validate_python(task)
    except ValidationError as error:
        raise checks.refused(error, "task", [field.name for field in fields(TaskRun)]) from None


def task(workspace: Workspace, run: TaskRun) -> Record:
    """The record of a finished task."""
    kind, now = feedback_type(run.feedback), workspace.clock.now()
    content = {
        "form": "task",
        "query": run.query,
        "goal": run.goal,
        "context_name": run.context or context_of([step.name for step in run.steps]),
        "planned": [str(step) for step in run.plan],
        "actions": _actions(run.steps, now),
        "tokens": checks.count(run.tokens or 0, "tokens", MAX_TOKENS, at_least=0),
        "feedback": run.feedback,
        "feedback_type": kind.value,
        "success": success_of(run.success, kind),
        "duration_ms": _duration_ms(run),
        "model": run.model,
        "agent": run.agent,
        "task_id": run.task_id,
    }
    at = now if run.at is None else checks.past(run.at, "at", now)
    return _record(workspace, Kind.OBSERVATION, content, at, run.session, run.task_id)


def outcome(workspace: Workspace, about: str, success: bool, by: str) -> Record:
    """The record of how a pattern or an insight turned out."""
    name = checks.name(about, "the id", checks.MAX_TEXT_BYTES)
    content = {"form": "outcome", "query": name, "about": name, "success": success, "role": by}
    return _record(workspace, Kind.OBSERVATION, content, workspace.clock.now())


def success_of(success: bool | None, kind: FeedbackType) -> bool | None:
    """Whether it succeeded: as given, or as the user's feedback says."""
    if success is not None:
        return bool(success)
    if kind is FeedbackType.APPROVAL:
        return True
    return False if kind in _WRONG else None


def _record(
    workspace: Workspace,
    kind: Kind,
    content: dict[str, Any],
    at: datetime,
    session: str | None = None,
    idempotency_key: str | None = None,
    id_: str | None = None,
) -> Record:
    now = workspace.clock.now()
    checks.text(content["query"], "the query")
    clean = _cleaned(content, workspace.settings.privacy.stored)
    clean = {name: value for name, value in clean.items() if value not in (None, [], {}, "")}
    if not workspace.consents.may_learn:
        clean[TEACHES] = False
    metadata: dict[str, Any] = checks.metadata(_fitted(clean))
    return Record(
        id=id_ or new_id(now),
        user_id=workspace.user_id,
        kind=kind,
        text=checks.text(_text(metadata), "the query"),
        provenance=Provenance(
            source=Source.TOOL,
            channel=Channel.LIBRARY,
            trust=Trust.INFERRED,
            author=workspace.user_id,
            idempotency_key=checks.optional_name(idempotency_key, "idempotency_key"),
        ),
        standing=Standing.new(Stage.ACTIVE, INITIAL_IMPORTANCE, 1.0, at),
        valid_from=at,
        recorded_at=now,
        session_id=checks.optional_name(session, "session"),
        metadata=metadata,
        tags=(CORRECTED,) if clean.get("feedback_type") in _WRONG and "feedback" in clean else (),
    )


def _actions(actions: Sequence[Action], now: datetime) -> list[dict[str, Any]]:
    require_few(len(actions))
    return [plain_action(action, now) for action in actions]


def require_few(actions: int) -> None:
    """Refuse more actions than one interaction may have."""
    if actions > MAX_ACTIONS:
        raise InvalidInput(
            f"{actions} actions in one interaction; at most {MAX_ACTIONS} fit. "
            "Complete it and start another."
        )


def plain_action(action: Action, now: datetime) -> dict[str, Any]:
    """One action as plain values, its details cut."""
    name = checks.name(action.name, "the name of an action", MAX_FIELD_CHARS)
    fields: dict[str, Any] = {"name": name, "target": action.target, "error": action.error}
    if action.details:
        fields["details"] = _cut_details(action.details)
    if action.success is not True:
        fields["success"] = action.success
    if action.duration_ms is not None:
        fields["duration_ms"] = _milliseconds(action.duration_ms)
    if action.retries:
        fields["retries"] = checks.count(action.retries, "retries", MAX_RETRIES, at_least=0)
    if action.at is not None:
        fields["at"] = checks.past(action.at, "at", now).isoformat()
    return {name: value for name, value in fields.items() if value is not None or name == "success"}


def _cut_details(details: Mapping[str, object]) -> dict[str, Any]:
    """The details as JSON; what is too large is cut, value by value, and never refused."""
    kept: dict[str, Any] = {}
    left = MAX_DETAILS_BYTES
    for name, value in details.items():
        try:
            encoded = json.dumps(value, ensure_ascii=False, default=str, allow_nan=True)
        except (RecursionError, ValueError) as error:
            raise InvalidInput(f"details are nested too deep: {error}") from None
        if len(encoded) <= left:
            kept[str(name)] = json.loads(encoded, parse_constant=str)
        elif left > len(_CUT):
            kept[str(name)] = encoded[: left - len(_CUT)].strip('"') + _CUT
        left -= min(left, len(encoded) + len(str(name)))
    return kept


def _fitted(content: dict[str, Any]) -> dict[str, Any]:
    """The content, without its largest dispensable fields if it is too large for a record."""
    size, trimmed = _size({**content, "trimmed": 9999}), 0
    for name, inside in _dispensable(content):
        if size <= checks.MAX_METADATA_BYTES:
            break
        size -= _size({name: inside.pop(name)})
        trimmed += 1
    return {**content, "trimmed": trimmed} if trimmed else content


def _dispensable(content: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Fields and the object that holds each, the longest first; the names of actions stay."""
    inside = (*content.get("actions", ()), content)
    for names in (("details",), ("context", "planned"), ("error", "target"), ("at",)):
        fields = [(name, holder) for holder in inside for name in names if name in holder]
        yield from sorted(fields, key=lambda field: _size(field[1][field[0]]), reverse=True)


def _size(value: object) -> int:
    return len(json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass"))


def _cleaned(content: dict[str, Any], policy: Policy) -> dict[str, Any]:
    try:
        clean: dict[str, Any] = _clean(content, policy)
    except RecursionError:
        raise InvalidInput("context and details are nested too deep; flatten them") from None
    return clean


def _clean(value: Any, policy: Policy, is_own: bool = True) -> Any:
    """Strings redacted by the policy and of bounded length, everywhere inside.

    What is inside a context or details is never our own field, whatever it is called.
    """
    if isinstance(value, str):
        redacted = redact(value.replace("\0", ""), policy)
        if refused := refusal(redacted):
            raise refused
        text = redacted.text
        return text if len(text) <= MAX_FIELD_CHARS else text[:MAX_FIELD_CHARS] + _CUT
    if isinstance(value, dict):
        return {
            str(name) if is_own else _clean(str(name), policy): inner
            if is_own and name in _OWN_FIELDS
            else _clean(inner, policy, is_own and name == "actions")
            for name, inner in value.items()
        }
    if isinstance(value, (list, tuple)):
        return [_clean(item, policy, is_own) for item in value]
    return value


def _text(content: Mapping[str, Any]) -> str:
    """The record in words: what was asked, what was done, how it ended."""
    if content["form"] == "outcome":
        return f"{content['about']} {'worked' if content['success'] else 'did not work'}."
    parts = [str(content["query"])]
    names = [_named(action) for action in content.get("actions", ())]
    if names:
        shown = " → ".join(names[:_SHOWN_STEPS])
        rest = f" and {len(names) - _SHOWN_STEPS} more" if len(names) > _SHOWN_STEPS else ""
        parts.append(f"Done: {shown}{rest}")
    if content.get("success") is not None:
        parts.append("It succeeded." if content["success"] else "It failed.")
    if content.get("feedback"):
        parts.append(f"Feedback: {content['feedback']}")
    return "\n".join(parts)


def _named(action: Mapping[str, Any]) -> str:
    failed = " (failed)" if action.get("success", True) is False else ""
    target = f" {action['target']}" if action.get("target") else ""
    return f"{action['name']}{target}{failed}"


def _context_name(context: Mapping[str, object]) -> str | None:
    name = context.get("context") or context.get("name")
    return name if isinstance(name, str) else None


def _duration_ms(run: TaskRun) -> float | None:
    if run.duration_ms is not None:
        return _milliseconds(run.duration_ms)
    known = [step.duration_ms for step in run.steps if step.duration_ms is not None]
    return _milliseconds(sum(known)) if known else None


def _milliseconds(value: float) -> float:
    return float(checks.number(value, "duration_ms", MAX_DURATION_MS))


def already_logged(store: UserStore, records: Sequence[Record]) -> dict[str, Record]:
    """Earlier records with the same idempotency keys, by key; KeyReused if the content differs."""
    by_key = {key: record for record in records if (key := record.provenance.idempotency_key)}
    earlier = store.known(list(by_key)) if by_key else {}
    for key, before in earlier.items():
        if not _is_same(before, by_key[key]):
            raise KeyReused(
                f"idempotency key {key!r} already belongs to {before.id}, which says something "
                "else; use a new key for new content"
            )
    return earlier


def _is_same(before: Record, record: Record) -> bool:
    """A task is identified by its id alone: its log may have grown since."""
    if before.kind is Kind.OBSERVATION is record.kind:
        return True
    return _content(before) == _content(record)


def _content(record: Record) -> tuple[object, ...]:
    content = {name: value for name, value in record.metadata.items() if name not in _WHEN}
    actions: Any = content.pop("actions", ())
    done = [{name: value for name, value in act.items() if name != "at"} for act in actions]
    return record.kind, record.text, record.session_id, content, done
