"""What a stretch of a conversation changes: facts, tasks and rules [WR-02, BEH-06].

The same turns among the same known items give exactly the same prompt: the code around the block is
a digest of its content, so no text inside can contain it. An answer that was recorded for a prompt
can therefore be reused.
"""

import hashlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Literal

from pydantic import BaseModel, Field

from sharpwave.llm.prompts.transcript import (
    RULE,
    TranscriptLine,
    as_data,
    at_most,
    data_block,
    masked_hidden,
)
from sharpwave.types.llm import Prompt
from sharpwave.types.records import USER, Kind
from sharpwave.types.statements import Mode

CONVERSATION = "conversation"
VERSION = "4"
MAX_TOKENS = 4000
MOST_OPERATIONS = 60
_KINDS = {Kind.FACT: "fact", Kind.TASK: "task", Kind.BEHAVIOR: "rule"}


class MemoryOperation(BaseModel):
    """One change of what is known. Strings may be left empty where they do not apply."""

    op: Literal["new", "same", "update", "end", "nothing"]
    kind: Literal["", "fact", "task", "rule"] = Field(
        "", description="What a new item is, or a known one if it was noted as something else."
    )
    id: str = Field("", description="Of the known item: for same, update and end.")
    turn: int = Field(0, description="Number of the new turn that says it.")
    quote: str = Field("", description="The exact words of that turn that say it.")
    text: str = Field("", description="The fact, task or rule as one plain sentence.")
    subject: str = Field("", description="Fact: who or what it is about.")
    predicate: str = Field("", description="Fact: one of the list, or empty.")
    object: str = Field("", description="Fact with a predicate: the value, as short as possible.")
    mode: Mode = Field(Mode.HOLDS, description="Fact: holds, ended or denied.")
    since: str = Field("", description="Fact: since when. YYYY, YYYY-MM or YYYY-MM-DD.")
    until: str = Field("", description="Fact: until when.")
    due: str = Field("", description="Task: by when. YYYY-MM-DD.")
    reach: Literal["global", "project", "file"] = Field("global", description="Rule: where.")
    confidence: float = Field(0.8, description="How sure it is that the turn says this, 0 to 1.")


class ConversationOutput(BaseModel):
    """All that the new turns change."""

    operations: Annotated[list[MemoryOperation], at_most(MOST_OPERATIONS)] = []


@dataclass(frozen=True, slots=True)
class KnownLine:
    """A known fact, task or rule, as a prompt shows it."""

    id: str
    """A short id, valid in this prompt only."""
    kind: Kind
    text: str
    since: datetime
    due: datetime | None = None
    of_turn: int | None = None
    """Number of the new turn that it was read from, by the built-in reader."""


def render(
    known: Sequence[KnownLine],
    before: Sequence[TranscriptLine],
    new: Sequence[TranscriptLine],
    predicates: Collection[str],
) -> Prompt:
    """The prompt for one stretch; `new` turns are numbered from 1, those `before` are not."""
    lines: list[Mapping[str, object]] = [
        *map(_known, known),
        *({"earlier": True, **as_data(line)} for line in before),
        *({"turn": number, **as_data(line)} for number, line in enumerate(new, 1)),
    ]
    digest = hashlib.blake2b(repr(lines).encode("utf-8", "surrogatepass"), digest_size=8)
    question = f"{data_block(lines, digest.hexdigest())}\n\nWhat do the new turns change?"
    system = _SYSTEM.format(rule=RULE, predicates=", ".join(predicates), user=USER)
    return Prompt(CONVERSATION, VERSION, system, question, MAX_TOKENS)


def _known(line: KnownLine) -> Mapping[str, object]:
    shown = {"known": line.id, "kind": _KINDS[line.kind], "text": masked_hidden(line.text)}
    due = {"due": f"{line.due:%Y-%m-%d}"} if line.due else {}
    turn = {"of_turn": line.of_turn} if line.of_turn else {}
    return {**shown, "since": f"{line.since:%Y-%m-%d}", **due, **turn}


_SYSTEM = """\
You keep the memory of an assistant: what one person says that will still matter in weeks.

{rule}

The block has one JSON object a line: known items with their ids, earlier turns, and the new turns
with their numbers. Say what the new turns of role {user} change. Everything else is there only to
understand them: "the 9th now" may answer a question, or change a known item.

op:
- new: something that no known item says.
- same: the person says again what a known item says.
- update: a known item has changed, or was noted wrongly; write it whole, as it is now, and give its
  kind if that was wrong too.
- end: a known item is over, done, cancelled or not wanted any more.
Go through all known items: what the new turns make untrue or settle, even without a word about it,
is an update or an end. A new job ends the old one, what has happened is no longer a plan.
No operation at all is often right: for questions, requests of the moment, jokes, stories, what is
supposed or quoted, what others claim and the person rejects, and what only the assistant says. Of
what the person corrects in the same breath, only what is right is written, without the slip.
Items with of_turn were noted from that new turn by a simple program, which often errs. Name every
one of them once: same if it is right and clear by itself; update if it can be made so; end if it is
nothing that will matter, or said by another operation. Never say it as new.

kind:
- fact: what is so in the person's life, with who, where, since when, how many and why as far as the
  turns say it; events and plans with their dates; one statement each, but not torn apart. News of
  the people around them count too. Of a message that is only passed on, quote what the person says
  about it.
- task: what the person has to do or wants to be reminded of.
- rule: how the assistant should work or answer from now on, or what it should always do, put in or
  leave out when something comes up; an instruction of at most 15 words.

For each operation:
- turn, quote: a new turn of role {user}, and its exact words, copied letter by letter.
- text: one sentence that is clear by itself, months later: names instead of "she", dates instead
  of "tomorrow", worked out from the date of the turn. For facts in the third person ("The user …").
- subject: "{user}" for the person, else a name, or a relation such as "{user}'s sister".
- predicate and object: only if one of these fits, beside the text: {predicates}.
- since, until: only if the turn says from or until when it holds.
- confidence: 0.9 if it is said or clearly meant, 0.75 if it follows from what is said, 0.5 if it is
  a guess: better left out."""
