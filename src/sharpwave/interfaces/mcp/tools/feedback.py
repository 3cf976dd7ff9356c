"""`ask_user`: put a question to the user. `feedback`: rate an answer."""

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import BaseModel, Field

from sharpwave.errors import NotFound
from sharpwave.interfaces.mcp import answers, rendering
from sharpwave.interfaces.mcp.context import CallContext, ToolAnswer
from sharpwave.interfaces.mcp.tools import recall
from sharpwave.rendering import escaped_hidden
from sharpwave.types.known import Contradiction
from sharpwave.types.records import State

_INTRODUCTION = "Sharpwave, your memory, asks:"
_CHANGED = "What was asked has changed meanwhile, so the answer was not taken. Ask again."
_NO_ANSWER = "The user did not answer. Go on, and do not ask again in this conversation."


class YesOrNo(BaseModel):
    """What the user says of one statement."""

    answer: Literal["yes", "no", "not sure"] = Field(description="Is it so?")


class Which(BaseModel):
    """Which of two statements the user says is right."""

    answer: Literal["first", "second", "not sure"] = Field(description="Which one is right?")


@dataclass(frozen=True, slots=True)
class UserQuestion:
    """One question for the user."""

    id: str
    kind: Literal["fact", "conflict", "rule"]
    message: str
    form: type[YesOrNo] | type[Which]


@dataclass(frozen=True, slots=True)
class UserReply:
    """The user's reply: `action` is accept, decline or cancel; `word` is set only for accept."""

    question: UserQuestion
    action: str
    word: str | None = None


Waiting = Annotated[
    str | None,
    Field(description="Of `pending_review`, or of a rule; the most important if left out."),
]


def question(caller: CallContext, id: Waiting = None) -> UserQuestion | None:
    """The next question: a contradiction, else a guess, else a rule; not an unanswered one."""
    for candidate in _open_questions(caller, id):
        if candidate.id == id or (id is None and candidate.id not in caller.passed_over):
            return candidate
    return None


def ask_user(
    caller: CallContext, id: Waiting = None, *, reply: UserReply | None
) -> ToolAnswer[answers.QuestionResult]:
    """Let the user settle one thing that memory is unsure of, in a form that the client shows.

    Use it seldom: when an answer depends on an unconfirmed item, or when the user wants to go
    through what is known. It asks one question and stores the user's answer as the user's own
    word. With the id of a rule that holds it lets the user withdraw it. If the user passes it
    over, do not insist.
    """
    question_id = id if reply is None else reply.question.id
    if reply is None:
        action, message = "nothing", "Nothing waits that can be asked."
    elif reply.word is None or reply.word == "not sure":
        caller.passed_over.add(reply.question.id)
        action, message = reply.action, _NO_ANSWER
    elif reply.question not in _open_questions(
        caller, question_id
    ):  # a form may stay open for long
        action, message = "nothing", _CHANGED
    else:
        action, message = "settled", _settle(caller, reply.question, reply.word)
    return ToolAnswer(
        message, answers.QuestionResult(id=question_id, action=action, message=message)
    )


def _open_questions(caller: CallContext, id: str | None) -> list[UserQuestion]:
    """All open questions; an active rule only if its id is given."""
    memory = caller.memory
    guesses = recall.guesses(caller, memory.facts.profile())
    rules = [rule for rule in memory.behavior.pending() if rule.state is State.UNCERTAIN]
    rules += [rule for rule in memory.behavior.rules() if rule.id == id]
    return [
        *(_conflict_question(item) for item in memory.facts.conflicts()),
        *(
            _yes_no_question("fact", item.id, f"Is it so? {rendering.shown(item.text)}")
            for item in guesses
        ),
        *(
            _yes_no_question("rule", item.id, f"From now on? {rendering.shown(item.rule)}")
            for item in rules
        ),
    ]


def _conflict_question(conflict: Contradiction) -> UserQuestion:
    older, newer = rendering.shown(conflict.older.text), rendering.shown(conflict.newer.text)
    sides = f"First: {older}. Second: {newer}."
    return UserQuestion(
        conflict.id, "conflict", f"{_INTRODUCTION} Which one is right? {sides}", Which
    )


def _yes_no_question(kind: Literal["fact", "rule"], id: str, wording: str) -> UserQuestion:
    return UserQuestion(id, kind, f"{_INTRODUCTION} {wording}.", YesOrNo)


def _settle(caller: CallContext, question: UserQuestion, word: str) -> str:
    memory = caller.memory
    if question.kind == "rule":
        rule = memory.behavior.accept if word == "yes" else memory.behavior.delete
        return f"The user said {word}: the rule is {rule(question.id).state} now."
    if question.kind == "fact":
        memory.facts.confirm(question.id, word == "yes")
        return f"The user said {word}; it is the user's own word now."
    resolved = memory.facts.resolve(question.id, "older" if word == "first" else "newer")
    right = resolved.older if word == "first" else resolved.newer
    memory.facts.confirm(right.id)
    return f"The user said: {escaped_hidden(right.text)}."


def feedback(
    caller: CallContext,
    message_id: Annotated[str, Field(description="Id of the remembered message or answer.")],
    reward: Annotated[Literal[-1, 0, 1], Field(description="1 liked, 0 indifferent, -1 disliked.")],
    reason: Annotated[str | None, Field(description="Why, in a word, such as too_verbose.")] = None,
    comment: Annotated[
        str | None, Field(max_length=300, description="What the user said about it.")
    ] = None,
    skill: Annotated[
        str | None, Field(description="The skill it was answered with; the likeliest if left out.")
    ] = None,
) -> ToolAnswer[answers.Rated]:
    """Note what the user thought of an answer, so that the next ones suit them better.

    Use it when the user praises or criticises an answer ("too long", "perfect"), or asks for
    another style. Give what the user said as `comment`. Do not rate your own work: only what the
    user expressed counts. A second rating of the same message replaces the first.
    """
    memory = caller.memory
    try:
        receipt = memory.feedback(message_id, reward, reason, comment, skill)
    except NotFound:
        if skill is not None:
            raise
        record = memory.explain(message_id).record  # NotFound, if it is not remembered
        memory.skills.select(record.text, message_id=message_id)
        receipt = memory.feedback(message_id, reward, reason, comment)
    data = answers.Rated(
        message_id=message_id,
        reward=reward,
        status=receipt.status,
        skill=receipt.skill,
        skill_updated=receipt.skill_updated,
        new_confidence=round(receipt.new_confidence, 4),
    )
    return ToolAnswer(
        f"Rating {data.status}: {data.skill} stands at {data.new_confidence:.2f}.", data
    )
