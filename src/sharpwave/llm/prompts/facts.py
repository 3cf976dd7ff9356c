"""From turns to facts, tasks and notes [WR-02]."""

from collections.abc import Collection, Sequence

from pydantic import BaseModel, Field

from sharpwave.llm.prompts.transcript import RULE, Line, block
from sharpwave.types.llm import Prompt
from sharpwave.types.records import USER
from sharpwave.types.statements import Mode, TaskStatus

NAME = "facts"
VERSION = "1"
MAX_TOKENS = 4000


class Fact(BaseModel):
    """One statement that a turn makes."""

    turn: int = Field(description="Number of the turn that says it.")
    quote: str = Field(description="The exact words of that turn that say it.")
    subject: str = Field(description="Who or what it is about.")
    predicate: str = Field(description="How subject and object are related, in snake_case.")
    object: str = Field(description="The value, as short as possible.")
    text: str = Field(description="The statement as one plain sentence in the third person.")
    mode: Mode = Field(Mode.HOLDS, description="holds, ended or denied.")
    instead_of: str | None = Field(None, description="The earlier value that this one corrects.")
    valid_from: str | None = Field(None, description="Since when: YYYY, YYYY-MM or YYYY-MM-DD.")
    valid_to: str | None = Field(None, description="Until when: YYYY, YYYY-MM or YYYY-MM-DD.")
    confidence: float = Field(description="How sure it is that the turn says this, 0 to 1.")


class Task(BaseModel):
    """An objective that a turn sets, changes or completes."""

    turn: int = Field(description="Number of the turn that says it.")
    quote: str = Field(description="The exact words of that turn that say it.")
    text: str = Field(description="What is to be done, as one plain sentence.")
    status: TaskStatus = Field(TaskStatus.ACTIVE, description="active, done or stalled.")
    due: str | None = Field(None, description="By when: YYYY-MM-DD.")
    confidence: float = Field(description="How sure it is that the turn says this, 0 to 1.")


class Note(BaseModel):
    """Something to keep in mind when helping this person."""

    turn: int = Field(description="Number of the turn it follows from.")
    quote: str = Field(description="The exact words of that turn it follows from.")
    text: str = Field(description="The note as one plain sentence.")
    confidence: float = Field(description="How sure it is that it follows, 0 to 1.")


class Output(BaseModel):
    """All that the turns say."""

    facts: list[Fact] = Field([], description="Statements worth remembering.")
    tasks: list[Task] = Field([], description="Objectives and open loops.")
    notes: list[Note] = Field([], description="How to help this person better.")


def render(turns: Sequence[Line], predicates: Collection[str], nonce: str) -> Prompt:
    """The prompt; `predicates` are those of the registry, and `nonce` is new every time."""
    system = _SYSTEM.format(rule=RULE, predicates=", ".join(predicates), user=USER)
    asked = f"{block(turns, nonce)}\n\nWhat do these turns say?"
    return Prompt(NAME, VERSION, system, asked, MAX_TOKENS)


_SYSTEM = """\
You read a conversation and write down what it says that is worth remembering for months.

{rule}

facts: lasting statements about people, places, things and their relations.
- subject: "{user}" for whoever speaks in the turns of role {user}; for all others a name, or a
  relation such as "{user}'s sister".
- predicate: one of these where it fits, else a short one of your own in snake_case: {predicates}.
- mode: "holds" if it is true; "ended" if it was and is no more; "denied" if it is not true.
- valid_from, valid_to: only if the turn says so. Work out "last summer" from the date of the turn.
tasks: what someone wants to do or get done, with its status.
notes: at most two, on how to help this person better.

For each of them:
- turn and quote: the number of the turn, and the exact words that say it, copied letter by letter
  from its text. What cannot be quoted must be left out.
- confidence: 0.9 or more if it is said plainly, about 0.6 if it is hedged ("maybe", "I think").

Leave out questions, hypotheses, jokes, quotations of others, small talk and what only the assistant
suggested. One statement each: split what is joined. Empty lists are a good answer."""
