"""How the parameters of a call are written. A name means the same in every call."""

import inspect
from collections.abc import Mapping
from functools import cache
from typing import Annotated, Any, Literal, get_origin, get_type_hints

from pydantic import (
    AwareDatetime,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    TypeAdapter,
    create_model,
)

from sharpwave.facades.remote.calls import Call
from sharpwave.types.records import Kind, Role, Source
from sharpwave.types.statements import TaskStatus
from sharpwave.types.work.experience import (
    Action,
    AdviceStage,
    FeedbackType,
    InsightType,
    PatternType,
    TaskRun,
)
from sharpwave.types.working import Purpose

_URL = r"^https?://[^\s@\x00]{1,1900}$"
_NO_NUL = r"^[^\x00]*$"
_NOT_BLANK = r"^[^\x00]*[^\x00\s][^\x00]*$"
Name = Annotated[str, Field(min_length=1, max_length=256, pattern=_NOT_BLANK)]
Text = Annotated[str, Field(min_length=1, max_length=16_000, pattern=_NOT_BLANK)]
Plain = Annotated[str, Field(max_length=16_000, pattern=_NO_NUL)]
Share = Annotated[float, Field(ge=0, le=1)]
Details = dict[str, Any]


def _whole(given: Any) -> Any:
    """In JSON 34.0 is a whole number, and neither "34" nor true is one."""
    if isinstance(given, bool | str):
        raise ValueError("a whole number is needed")
    return given


Whole = Annotated[int, Field(strict=False)]
IsWhole = BeforeValidator(_whole)
Position = Annotated[int, Field(ge=0, le=2**63 - 1)]
Names = Annotated[list[Name], Field(max_length=1000)]

Said = Annotated[str, Field(min_length=1, max_length=1_048_576, pattern=_NOT_BLANK)]


class Message(BaseModel):
    """One message to remember. Where it came from and whose key sent it is not yours to say."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    content: Said
    role: Role = Role.USER
    speaker: Name | None = None
    at: AwareDatetime | None = None
    session: Name | None = None
    scope: Name = "global"
    source: Source | None = None
    tags: Annotated[tuple[Name, ...], Field(max_length=64)] = ()
    metadata: Details = Field(default_factory=dict)
    idempotency_key: Name | None = None
    kind: Literal["turn", "task", "note"] = "turn"
    due: AwareDatetime | None = None


class ActionForm(BaseModel):
    """One step: what was done, to what, how, and what came of it."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    name: Name
    target: Plain | None = None
    details: Details = Field(default_factory=dict)
    success: bool | None = True
    error: Plain | None = None
    duration_ms: Annotated[float, Field(ge=0, le=1e12)] | None = None
    retries: Annotated[Whole, Field(ge=0, le=1_000_000), IsWhole] = 0
    at: AwareDatetime | None = None

    def value(self) -> Action:
        """As the facade takes it."""
        return Action(**{name: getattr(self, name) for name in type(self).model_fields})


class TaskForm(BaseModel):
    """One task that an agent worked on, from query to outcome."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    query: Text
    steps: Annotated[tuple[ActionForm, ...], Field(max_length=500)] = ()
    plan: Annotated[tuple[Name, ...], Field(max_length=500)] = ()
    goal: Text | None = None
    context: Name | None = None
    success: bool | None = None
    task_id: Annotated[str, Field(min_length=1, max_length=200, pattern=_NOT_BLANK)] | None = None
    session: Name | None = None
    at: AwareDatetime | None = None
    duration_ms: Annotated[float, Field(ge=0, le=1e12)] | None = None
    tokens: Annotated[Whole, Field(ge=0, le=2**53), IsWhole] | None = None
    model: Name | None = None
    agent: Name | None = None
    feedback: Plain | None = None

    def value(self) -> TaskRun:
        """As the facade takes it."""
        fields = {name: getattr(self, name) for name in type(self).model_fields}
        return TaskRun(**{**fields, "steps": tuple(step.value() for step in self.steps)})


FORMS: Mapping[str, Any] = {
    "action": Name | ActionForm,
    "active_role": Name | None,
    "after": Position,
    "applies_to": Details | None,
    "at": AwareDatetime | None,
    "author": Name | None,
    "budget": Annotated[Whole, Field(ge=1, le=1_000_000), IsWhole] | None,
    "by": Name,
    "confidence": Share,
    "conflict": Name,
    "context": Plain | Details | None,
    "context_after": Plain | None,
    "context_before": Plain | None,
    "details": Details | None,
    "end": AwareDatetime,
    "evidence": Annotated[list[Details], Field(max_length=100)],
    "feedback": Plain | None,
    "feedback_type": FeedbackType | None,
    "file_path": Name | None,
    "goal": Text | None,
    "hops": Annotated[int, Field(ge=1, le=5)],
    "id": Name,
    "idempotency_key": Name | None,
    "ids": Names,
    "insight": Annotated[str, Field(min_length=1, max_length=2500, pattern=_NOT_BLANK)],
    "insight_type": InsightType,
    "interaction": Name,
    "interpretation": Text,
    "k": Annotated[Whole, Field(ge=1, le=1000), IsWhole] | None,
    "keep": Name,
    "kinds": list[Kind],
    "known_at": AwareDatetime | None,
    "limit": Annotated[int, Field(ge=1, le=1000)],
    "moment": AwareDatetime,
    "name": Name,
    "on": Literal["valid", "recorded"],
    "pattern": Name,
    "planned_actions": Names,
    "predicate": Name | None,
    "purpose": Purpose,
    "query": Text,
    "roles": list[Role],
    "sequence": Names,
    "session": Name | None,
    "since": AwareDatetime | None,
    "source": Source | None,
    "stage": AdviceStage,
    "start": AwareDatetime,
    "status": TaskStatus | None,
    "subject": Name | None,
    "system": Plain,
    "target": Name | None,
    "task": Name,
    "tokens": Annotated[Whole, Field(ge=0, le=2**53), IsWhole],
    "topics": Names,
    "type": PatternType | None,
    "until": AwareDatetime | None,
    "url": Annotated[str, Field(pattern=_URL, max_length=2000)],
}
_OTHERWISE: Mapping[tuple[str, str], Any] = {
    ("advise", "context"): Plain | Details | None,
    ("end_fact", "at"): AwareDatetime | None,
    ("history", "predicate"): Name,
    ("history", "subject"): Name,
    ("insights", "type"): InsightType | None,
    ("log_interpretation", "confidence"): Share | None,
    ("observe", "task"): TaskForm | Annotated[list[TaskForm], Field(min_length=1, max_length=1000)],
    ("pattern", "type"): PatternType,
    ("remember", "role"): Role,
    ("remember", "said"): Said | Message | Annotated[list[Message], Field(min_length=1)],
    ("remember", "speaker"): Name | None,
    ("set_task", "status"): TaskStatus,
    ("start_interaction", "context"): Details | None,
    ("tools", "action"): Name | None,
    ("tools", "context"): Name | None,
}


def _one_of(*choices: tuple[str, Mapping[str, Any]]) -> dict[str, Any]:
    return {"anyOf": [{"required": [name], "properties": {name: kind}} for name, kind in choices]}


_TEXT = {"type": "string"}
_AT_LEAST: Mapping[str, dict[str, Any]] = {
    "forget": _one_of(
        ("ids", {"minItems": 1}), ("session", _TEXT), ("everything", {"const": True})
    ),
    "quarantine": _one_of(
        ("source", _TEXT), ("author", _TEXT), ("session", _TEXT), ("since", _TEXT)
    ),
}
"""Which parameters must not all be missing, for the document; the facade checks it itself."""
_LEFT_OUT = {"self", "cls", "progress", "lines", "path", "to", "stopped"}
"""What belongs to this process, or is the body itself."""


class Form:
    """The parameters of one call: those in its path, and a model of the others."""

    def __init__(self, call: Call, facade: type) -> None:
        method = getattr(facade, call.method)
        hints = get_type_hints(method)
        self.call = call
        self.answer: Any = hints["return"]
        self.signature = inspect.signature(method)
        self.in_path: dict[str, Any] = {}
        fields: dict[str, Any] = {}
        for name, parameter in self.signature.parameters.items():
            if name in _LEFT_OUT or name in call.fixed:
                continue
            kind = _OTHERWISE.get((call.method, name), FORMS.get(name, hints[name]))
            default = parameter.default
            if parameter.kind is inspect.Parameter.VAR_POSITIONAL:
                default = ()
            if f"{{{name}}}" in call.path:
                self.in_path[name] = kind
            else:
                fields[name] = (kind, ... if default is inspect.Parameter.empty else default)
        words = f"{call.method}_request".split("_")
        self.model = create_model(
            "".join(word.capitalize() for word in words),
            __config__=ConfigDict(
                extra="forbid", strict=True, json_schema_extra=self._example(fields)
            ),
            **fields,
        )
        self.empty = not fields

    @property
    def listed(self) -> bool:
        """Whether the answer is a list; it is sent as `items`."""
        return get_origin(self.answer) is list

    @property
    def paged(self) -> bool:
        """Whether the list comes in pages; one with a limit of its own does not."""
        whole = "limit" in self.model.model_fields or self.call.in_body
        return self.listed and not whole

    def _example(self, fields: Mapping[str, Any]) -> dict[str, Any] | None:
        shown = {name: value for name, value in self.call.example.items() if name in fields}
        examples = {"examples": [shown]} if shown and self.call.in_body else {}
        return {**examples, **_AT_LEAST.get(self.call.method, {})} or None


@cache
def form(call: Call, facade: type) -> Form:
    """The form of a call, made once."""
    return Form(call, facade)


@cache
def answers(kind: Any) -> TypeAdapter[Any]:
    """How answers of a kind are written and read."""
    return TypeAdapter(kind)
