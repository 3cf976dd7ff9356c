"""Structured memories: what a caller understood of messages, handed to `remember` with them.

The one home of their form. The facade validates by these models, and the schemas of REST and MCP
are made of them.
"""

import unicodedata
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Annotated, Literal, NamedTuple, Self

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from sharpwave.types.times import period_of

MAX_ITEMS = 100
"""Most facts, tasks or rules of one call."""
MAX_TEXT_CHARS = 300
"""Longest subject, object, text or title: more is no statement."""
MAX_QUOTE_CHARS = 1000
SURE = 0.9
"""Confidence where none is given."""


def _one_line(text: str) -> str:
    return unicodedata.normalize("NFC", " ".join(text.split()))


def _as_written(given: object) -> object:
    """Dates of Python as text; a moment must name its zone."""
    if isinstance(given, datetime) and given.tzinfo is None:
        raise ValueError("has no timezone; use for example datetime.now(timezone.utc)")
    return given.isoformat() if isinstance(given, date) else given


def _is_date(text: str) -> str:
    if not 1 < period_of(text, None)[0].year < 9999:
        raise ValueError(f"no date: {text!r}")
    return text


def _is_due_date(text: str) -> str:
    if not 1900 <= period_of(text, None)[0].year <= 2999:
        raise ValueError("lies beyond the years 1900 to 2999; leave it out if it is not known")
    return text


Line = Annotated[
    str,
    Field(min_length=1, max_length=MAX_TEXT_CHARS, pattern=r"^[^\x00]*[^\x00\s][^\x00]*$"),
    AfterValidator(_one_line),
]
When = Annotated[str, BeforeValidator(_as_written), Field(max_length=40), AfterValidator(_is_date)]
DueDate = Annotated[When, AfterValidator(_is_due_date)]
FactMode = Literal["holds", "ended", "planned", "negated", "event"]


class _Item(BaseModel):
    model_config = ConfigDict(
        extra="forbid", frozen=True, strict=True, hide_input_in_errors=True, defer_build=True
    )

    quote: Annotated[str, Field(max_length=MAX_QUOTE_CHARS)] | None = Field(
        None,
        description="The user's exact words that say it; without, it counts as yours.",
    )
    confidence: float = Field(SURE, ge=0, le=1, description="How sure you are, 0 to 1.")


class FactInput(_Item):
    """One statement: `text`, or `subject`, `predicate` and `object`, or all four."""

    text: Line | None = Field(
        None, description='One plain sentence in the third person: "The user\'s dog is 11".'
    )
    subject: Line | None = Field(
        None, description='"user", a name, or a relation such as "user\'s sister".'
    )
    predicate: Line | None = Field(
        None, description="lives_in, works_at, likes, allergic_to, sister …, in snake_case."
    )
    object: Line | None = Field(None, description="The value, as short as possible.")
    mode: FactMode = Field(
        "holds",
        description="ended and negated close what is known: give it as `recall` shows it.",
    )
    valid_from: When | None = Field(None, description="YYYY, YYYY-MM, YYYY-MM-DD or a moment.")
    valid_to: When | None = Field(None, description="Likewise, the last day included.")
    about: Line | None = Field(None, description="Whom a `text` is about, if not the user.")

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        parts = [self.subject, self.predicate, self.object]
        if any(parts) and not all(parts):
            raise ValueError("subject, predicate and object go together: give all three or none")
        if self.text is None and not all(parts):
            raise ValueError("give `text`, or subject, predicate and object")
        if self.valid_from and self.valid_to:
            if period_of(self.valid_to, None)[1] <= period_of(self.valid_from, None)[0]:
                raise ValueError("valid_to lies before valid_from")
        return self


class TaskInput(_Item):
    """Something the user has to do, or has done."""

    title: Line = Field(description='What is to be done: "Renew the passport".')
    due: DueDate | None = Field(None, description="YYYY-MM-DD, or a moment.")
    status: Literal["active", "done", "stalled", "dropped"] = "active"


class RuleInput(_Item):
    """What the user wants of the assistant from now on."""

    text: Annotated[Line, Field(max_length=200)] = Field(
        description='The instruction: "Answer in bullet points".'
    )
    scope: Line | None = Field(
        None, description="The project or file it holds in; everywhere if left out."
    )


GivenFacts = Sequence[FactInput | Mapping[str, object]]
GivenTasks = Sequence[TaskInput | Mapping[str, object]]
GivenRules = Sequence[RuleInput | Mapping[str, object]]


class Structure(NamedTuple):
    """All that was understood of the messages of one call."""

    facts: tuple[FactInput, ...] = ()
    tasks: tuple[TaskInput, ...] = ()
    rules: tuple[RuleInput, ...] = ()


NOTHING = Structure()
