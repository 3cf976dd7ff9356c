"""Types of the fields of requests: texts, numbers, messages, queries, triggers."""

from collections.abc import Callable
from typing import Annotated, Any, ClassVar, Literal

from pydantic import AliasChoices, AwareDatetime, BaseModel, ConfigDict, Field

from sharpwave.types.intent import ReadContext
from sharpwave.types.numbers import IsWhole, Whole
from sharpwave.types.records import Kind, Role, Source
from sharpwave.types.skills import DIMENSIONS

NO_NUL = r"^[^\x00]*$"
NOT_BLANK = r"^[^\x00]*[^\x00\s][^\x00]*$"
Name = Annotated[str, Field(min_length=1, max_length=256, pattern=NOT_BLANK)]
Text = Annotated[str, Field(min_length=1, max_length=16_000, pattern=NOT_BLANK)]
Plain = Annotated[str, Field(max_length=16_000, pattern=NO_NUL)]
Share = Annotated[float, Field(ge=0, le=1)]
Details = dict[str, Any]
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
        """The value as the facade expects it."""
        kind = type(self)
        return kind.makes(**{name: value_of(getattr(self, name)) for name in kind.model_fields})


def value_of(value: Any) -> Any:
    """The value as the facade expects it: forms are converted, alone or in a list."""
    if isinstance(value, list | tuple):
        return type(value)(map(value_of, value))
    return value.value() if isinstance(value, Body) else value


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
