"""The parts that requests are made of: texts, numbers, messages, steps, tasks, triggers."""

from collections.abc import Callable
from typing import Annotated, Any, ClassVar, Literal

from pydantic import AliasChoices, AwareDatetime, BaseModel, BeforeValidator, ConfigDict, Field

from sharpwave.types.experience import Action, TaskRun
from sharpwave.types.intent import ReadContext
from sharpwave.types.records import Kind, Role, Source
from sharpwave.types.skills import DIMENSIONS

NO_NUL = r"^[^\x00]*$"
NOT_BLANK = r"^[^\x00]*[^\x00\s][^\x00]*$"
Name = Annotated[str, Field(min_length=1, max_length=256, pattern=NOT_BLANK)]
Text = Annotated[str, Field(min_length=1, max_length=16_000, pattern=NOT_BLANK)]
Plain = Annotated[str, Field(max_length=16_000, pattern=NO_NUL)]
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
Words = Annotated[tuple[Name, ...], Field(max_length=64)]

MessageText = Annotated[str, Field(min_length=1, max_length=1_048_576, pattern=NOT_BLANK)]
Comment = Annotated[str, Field(max_length=300, pattern=NO_NUL)]
OptionalText = Annotated[str, Field(max_length=1_048_576, pattern=NO_NUL)]
Style = Annotated[dict[str, Share], Field(max_length=len(DIMENSIONS))]


class Body(BaseModel):
    """A part of a request with fields of its own."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)
    makes: ClassVar[Callable[..., Any]] = dict

    def value(self) -> Any:
        """As the facade takes it."""
        kind = type(self)
        return kind.makes(**{name: value_of(getattr(self, name)) for name in kind.model_fields})


def value_of(given: Any) -> Any:
    """What the facade takes: a form becomes the thing it stands for, alone or in a list."""
    if isinstance(given, list | tuple):
        return type(given)(map(value_of, given))
    return given.value() if isinstance(given, Body) else given


class MessageBody(Body):
    """One message to remember. Where it came from and whose key sent it is not yours to say."""

    text: MessageText = Field(validation_alias=AliasChoices("text", "content"))
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
    corrects: Name | None = None


class QueryForm(Body):
    """What to look for, and what must be on it or in it."""

    query: Text
    k: Annotated[Whole, Field(ge=1, le=1000), IsWhole] | None = None
    kinds: tuple[Kind, ...] = ()
    session: Name | None = None
    since: AwareDatetime | None = None
    until: AwareDatetime | None = None
    goal: Text | None = None
    roles: tuple[Role, ...] = ()
    tags: Words = ()
    words: Words = ()


class ActionForm(Body):
    """One step: what was done, to what, how, and what came of it."""

    makes = Action
    name: Name
    target: Plain | None = None
    details: Details = Field(default_factory=dict)
    success: bool | None = True
    error: Plain | None = None
    duration_ms: Annotated[float, Field(ge=0, le=1e12)] | None = None
    retries: Annotated[Whole, Field(ge=0, le=1_000_000), IsWhole] = 0
    at: AwareDatetime | None = None


class TaskForm(Body):
    """One task that an agent worked on, from query to outcome."""

    makes = TaskRun
    query: Text
    steps: Annotated[tuple[ActionForm, ...], Field(max_length=500)] = ()
    plan: Annotated[tuple[Name, ...], Field(max_length=500)] = ()
    goal: Text | None = None
    context: Name | None = None
    success: bool | None = None
    task_id: Annotated[str, Field(min_length=1, max_length=200, pattern=NOT_BLANK)] | None = None
    session: Name | None = None
    at: AwareDatetime | None = None
    duration_ms: Annotated[float, Field(ge=0, le=1e12)] | None = None
    tokens: Annotated[Whole, Field(ge=0, le=2**53), IsWhole] | None = None
    model: Name | None = None
    agent: Name | None = None
    feedback: Plain | None = None


class TriggerForm(Body):
    """When a skill applies. What is left out fits everything."""

    intent: Name | Words = ()
    sentiment: Name | Words = ()
    time_of_day: Name | Words = ()
    topic: Plain = ""
    also: Name | Words = ()


class ReadContextForm(Body):
    """What a message is about and how it is meant, if you have read it already."""

    makes = ReadContext
    intent: Name
    sentiment: Name
    time_of_day: Name
    topic: None = None
    """Vectors are not sent: those of another embedder would mean nothing here."""
    entities: Words = ()
    intents: Annotated[dict[Name, Share], Field(max_length=64)] = Field(default_factory=dict)
    """How likely each intent is, if you know more than one."""
