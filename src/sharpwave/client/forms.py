"""Encoding of the parameters of a call: by a table of names, else by their types."""

import inspect
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime
from functools import cache
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from pydantic import AwareDatetime, ConfigDict, Field, TypeAdapter, create_model

from sharpwave.api.admin import AdminApi
from sharpwave.api.agents import AgentsApi
from sharpwave.api.behavior import BehaviorApi
from sharpwave.api.facts import FactsApi
from sharpwave.api.graph import GraphApi
from sharpwave.api.keys import Keys
from sharpwave.api.skills import SkillsApi
from sharpwave.api.tasks import TasksApi
from sharpwave.client import bodies
from sharpwave.client.calls import Call
from sharpwave.memory import Memory
from sharpwave.types import contexts, known, skills, sleep
from sharpwave.types.access import Scope
from sharpwave.types.experience import (
    Action,
    AdviceStage,
    FeedbackType,
    InsightType,
    PatternType,
    TaskRun,
)
from sharpwave.types.numbers import IsWhole, Whole
from sharpwave.types.records import Kind, Role, Source, Stage, Trust
from sharpwave.types.skills import SkillChoice
from sharpwave.types.statements import TaskStatus
from sharpwave.types.steering import PreferenceSource, PromptRole, SteeringType
from sharpwave.types.structured import MAX_ITEMS, FactInput, RuleInput, TaskInput
from sharpwave.types.working import Purpose

_URL = r"^https?://[^\s@\x00]{1,1900}$"
_SteeringWord = SteeringType | Literal["correction", "preference", "style", "knowledge"]

_NAMES_BY_FORM: tuple[tuple[Any, str], ...] = (
    (bodies.Text, "corrected interpretation message original query rule template"),
    (bodies.Plain, "definition system"),
    (bodies.Plain | None, "behaviors_section context_after context_before feedback"),
    (bodies.OptionalText | None, "assistant_response previous_assistant_message"),
)
FORMS: Mapping[str, Any] = {
    **{name: form for form, names in _NAMES_BY_FORM for name in names.split()},
    "action": bodies.Name | Action,
    "after": bodies.Position,
    "before": bodies.Position | None,
    "budget": Annotated[Whole, Field(ge=1, le=1_000_000), IsWhole] | None,
    "confidence": bodies.Share,
    "days": Annotated[float, Field(ge=0, le=36_500)],
    "dimensions": bodies.Style | None,
    "evidence": Annotated[list[bodies.Details], Field(max_length=100)],
    "feedback_type": FeedbackType | None,
    "free_text": bodies.Comment | None,
    "goal": bodies.Text | None,
    "hops": Annotated[int, Field(ge=1, le=5)],
    "ids": bodies.Names,
    "insight": Annotated[str, Field(min_length=1, max_length=2500, pattern=bodies.NOT_BLANK)],
    "insight_type": InsightType,
    "interaction": bodies.Name,
    "k": Annotated[Whole, Field(ge=1, le=1000), IsWhole] | None,
    "kinds": list[Kind],
    "limit": Annotated[int, Field(ge=1, le=1000)],
    "on": Literal["valid", "recorded"],
    "offset": Annotated[int, Field(ge=0, le=999_999)],
    "purpose": Purpose,
    "rest": Annotated[list[bodies.Plain], Field(max_length=100)],
    "role": PromptRole,
    "roles": list[Role],
    "source": Source | None,
    "sources": list[Source],
    "stage": AdviceStage | None,
    "stages": list[Stage],
    "status": TaskStatus | None,
    "tokens": Annotated[Whole, Field(ge=0, le=2**53), IsWhole],
    "trigger": bodies.TriggerForm | None,
    "trusts": list[Trust],
    "type": PatternType | None,
    "url": Annotated[str, Field(pattern=_URL, max_length=2000)],
    "user_message": bodies.MessageText,
    "value": Any,
}
_METHOD_FORMS: Mapping[tuple[str, str], Any] = {
    ("admin.keys.create", "name"): Annotated[bodies.Name, Field(max_length=64)],
    ("admin.keys.create", "scopes"): Annotated[list[Scope], Field(min_length=1)],
    ("agents.advise", "context"): bodies.Plain | bodies.Details | None,
    ("behavior.rules", "type"): _SteeringWord | None,
    ("context", "query"): bodies.Text | bodies.QueryForm,
    ("context", "skill"): bool | SkillChoice,
    ("behavior.edit", "rule"): bodies.Text | None,
    ("skills.edit", "template"): bodies.Text | None,
    ("skills.explore", "on"): bool,
    ("agents.insights", "type"): InsightType | None,
    ("behavior.correct", "context"): bodies.Plain,
    ("agents.log_interpretation", "confidence"): bodies.Share | None,
    ("agents.observe", "task"): TaskRun
    | Annotated[list[TaskRun], Field(min_length=1, max_length=1000)],
    ("agents.pattern", "type"): PatternType,
    ("recall", "query"): bodies.Text | bodies.QueryForm,
    ("remember", "role"): Role,
    ("remember", "facts"): Annotated[list[FactInput], Field(max_length=MAX_ITEMS)],
    ("remember", "tasks"): Annotated[list[TaskInput], Field(max_length=MAX_ITEMS)],
    ("remember", "rules"): Annotated[list[RuleInput], Field(max_length=MAX_ITEMS)],
    ("remember", "messages"): bodies.MessageText
    | bodies.MessageBody
    | Annotated[list[bodies.MessageBody], Field(min_length=1)],
    ("skills.reply", "context"): bodies.Plain,
    ("skills.select", "context"): bodies.ReadContextForm | None,
    ("behavior.set_preference", "source"): PreferenceSource,
    ("skills.set_style", "dimensions"): bodies.Style,
    ("tasks.set_status", "status"): TaskStatus,
    ("admin.spending_by_day", "days"): Annotated[int, Field(ge=1, le=366)],
    ("behavior.add", "type"): _SteeringWord,
    ("agents.tools", "action"): bodies.Name | None,
}


def _any_of(*choices: tuple[str, Mapping[str, Any]]) -> dict[str, Any]:
    return {"anyOf": [{"required": [name], "properties": {name: kind}} for name, kind in choices]}


_TEXT = {"type": "string"}
_NEEDED_PARAMETERS: Mapping[str, dict[str, Any]] = {
    "forget": _any_of(
        ("ids", {"minItems": 1}), ("session", _TEXT), ("everything", {"const": True})
    ),
    "behavior.edit": _any_of(("rule", _TEXT), ("scope", _TEXT)),
    "facts.quarantine": _any_of(
        ("source", _TEXT), ("author", _TEXT), ("session", _TEXT), ("since", _TEXT)
    ),
}
"""Groups of which one parameter is required, for the document; the facade checks it too."""
NAMESPACES: Mapping[str, type] = {
    "facts": FactsApi,
    "tasks": TasksApi,
    "behavior": BehaviorApi,
    "skills": SkillsApi,
    "agents": AgentsApi,
    "graph": GraphApi,
    "admin": AdminApi,
}
OWNERS: Mapping[str, type] = {**NAMESPACES, "admin.keys": Keys}
"""Classes with methods that are served, in addition to `Memory` itself."""


def function_of(method: str) -> Callable[..., Any]:
    """The function of a method such as `recall` or `facts.history`."""
    namespace, _, name = method.rpartition(".")
    found: Callable[..., Any] = getattr(OWNERS[namespace] if namespace else Memory, name)
    return found


_TYPES = {
    "SkillChoice": SkillChoice,
    **vars(contexts),
    **vars(known),
    **vars(skills),
    **vars(sleep),
}
"""Types that `Memory` imports for the type checker only."""
_LEFT_OUT = {"self", "cls", "progress", "lines", "path", "to", "stop", "stopped", "tell"}
"""Parameters that are local to the process, or are the body itself."""


_KINDS: Mapping[Any, Any] = {
    str: bodies.Name,
    datetime: AwareDatetime,
    Sequence[str]: bodies.Names,
    Collection[str]: bodies.Names,
    Mapping[str, object]: bodies.Details,
}


def _kind(hint: Any) -> Any:
    """The encoding of a parameter that no table names, by its type in the method."""
    if get_origin(hint) in (Union, UnionType):
        return Union[tuple(_KINDS.get(part, part) for part in get_args(hint))]  # noqa: UP007
    return _KINDS.get(hint, hint)


def method_of(call: Callable[..., Any]) -> str:
    """The name of a bound method of a memory, such as `recall` or `facts.history`."""
    owner = type(getattr(call, "__self__", None))
    prefixes = (f"{name}." for name, kind in OWNERS.items() if issubclass(owner, kind))
    return next(prefixes, "") + call.__name__


class Form:
    """The parameters of one call: those in its path, and a model of the rest."""

    def __init__(self, call: Call) -> None:
        method = function_of(call.method)
        hints = get_type_hints(method, localns=_TYPES)
        self.call = call
        self.answer: Any = hints["return"]
        _, *parameters = inspect.signature(method).parameters.values()
        self.signature = inspect.Signature(parameters)
        self.in_path: dict[str, Any] = {}
        fields: dict[str, Any] = {}
        for name, parameter in self.signature.parameters.items():
            if name in _LEFT_OUT or name in call.fixed:
                continue
            kind = _METHOD_FORMS.get((call.method, name), FORMS.get(name) or _kind(hints[name]))
            default = parameter.default
            if parameter.kind is inspect.Parameter.VAR_POSITIONAL:
                default = ()
            if f"{{{name}}}" in call.path:
                self.in_path[name] = kind
            else:
                fields[name] = (kind, ... if default is inspect.Parameter.empty else default)
        words = re.split(r"[._]", f"{call.method}_request")
        self.model = create_model(
            "".join(word.capitalize() for word in words),
            __config__=ConfigDict(
                extra="forbid", strict=True, json_schema_extra=self._example(fields)
            ),
            **fields,
        )

    @property
    def listed(self) -> bool:
        """Whether the answer is a list or tuple, which is sent as `items`."""
        return get_origin(self.answer) in (list, tuple)

    @property
    def paged(self) -> bool:
        """Whether the list is paged; one with a limit but no offset is not."""
        fields = self.model.model_fields
        is_unpaged = ("limit" in fields and "offset" not in fields) or self.call.in_body
        return self.listed and not is_unpaged

    def _example(self, fields: Mapping[str, Any]) -> dict[str, Any] | None:
        shown = {name: value for name, value in self.call.example.items() if name in fields}
        examples = {"examples": [shown]} if shown and self.call.in_body else {}
        return {**examples, **_NEEDED_PARAMETERS.get(self.call.method, {})} or None


@cache
def form(call: Call) -> Form:
    """The form of a call, cached."""
    return Form(call)


@cache
def answers(kind: Any) -> TypeAdapter[Any]:
    """The type adapter for answers of a kind, cached."""
    return TypeAdapter(kind)
