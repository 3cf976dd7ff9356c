"""Experience: `advise`, `log_interaction`, and their aliases."""

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from pydantic import Field

from sharpwave.errors import Forbidden
from sharpwave.interfaces.mcp import answers, rendering
from sharpwave.interfaces.mcp.context import CallContext, ToolAnswer
from sharpwave.interfaces.mcp.tools.recall import Budget
from sharpwave.rendering import escaped_hidden, quoted
from sharpwave.types.access import Scope
from sharpwave.types.experience import Advice, Advised, LearnedPattern

Limit = Annotated[int, Field(ge=1, le=50, description="How many of each sort.")]
_SECTIONS = ("warnings", "plans", "next_steps", "tools", "patterns", "insights", "preferences")


def advise(
    caller: CallContext,
    query: Annotated[str, Field(description="The task at hand, in a sentence.")],
    stage: Annotated[
        Literal["think", "plan", "act"] | None,
        Field(description="What you are about to do; leave it out for everything."),
    ] = None,
    context: Annotated[
        str | None, Field(description="The kind of work, such as deploy, or the project.")
    ] = None,
    done: Annotated[list[str] | None, Field(description="Steps done so far, in order.")] = None,
    given: Annotated[
        dict[str, Any] | None,
        Field(description='What holds here, such as {"env": "prod"}, and tools, agent.'),
    ] = None,
    limit: Limit = 5,
    max_tokens: Budget = None,
) -> ToolAnswer[answers.AdviceAnswer]:
    """Ask experience before a task: what worked, which tools fail, what to mind, what comes next.

    Use it before you plan or run anything with several steps or tools, and again after a failure.
    It learns from `log_interaction` and from imported logs, so it is silent at first. Advice is
    evidence from earlier runs, not an order; the user's words come first. For facts about the
    user use `recall`.
    """
    fields = {**(given or {}), "context": context, "done": done or []}
    advice = caller.memory.agents.advise(query, fields, stage, limit)
    chance = advice.success_chance
    head = "" if chance is None else f"An estimated {chance:.0%} of such tasks succeed.\n"
    return _advice_answer(advice, _SECTIONS, head, max_tokens)


def log_interaction(
    caller: CallContext,
    action: Annotated[str, Field(description="What was done: the tool or command, in short.")],
    file_path: Annotated[str | None, Field(description="The file it was done to.")] = None,
    details: Annotated[
        dict[str, Any] | None,
        Field(description="Parameters; also session, error, duration_ms, retries."),
    ] = None,
    context_before: Annotated[str | None, Field(description="The situation before.")] = None,
    context_after: Annotated[str | None, Field(description="The situation after.")] = None,
    success: Annotated[bool, Field(description="Whether it worked.")] = True,
    idempotency_key: Annotated[
        str | None, Field(description="The same key is never counted twice; use the call's id.")
    ] = None,
) -> ToolAnswer[answers.LogAnswer]:
    """Log one action that you performed, so that `advise` can learn from it.

    Use it after a step whose outcome is known, failures above all: give `details` such as
    {"session": "...", "error": "..."}. Do not log what you only thought about, nor every reading
    of a file. Without an `idempotency_key` each call counts as an action of its own.
    """
    parameters = dict(details or {})
    session = parameters.pop("session", None)
    logged = caller.memory.agents.log(
        action,
        file_path,
        parameters,
        context_before=context_before,
        context_after=context_after,
        success=success,
        session=None if session is None else str(session),
        idempotency_key=idempotency_key,
    )
    names = [escaped_hidden(pattern.name) for pattern in logged.detected_patterns]
    data = answers.LogAnswer(
        interaction_id=logged.interaction_id, status=logged.status, detected_patterns=names
    )
    lines, _ = rendering.fenced([f"- {quoted(name)}" for name in names])
    head = f"{logged.status} as {logged.interaction_id}."
    return ToolAnswer(f"{head} It fits known patterns:\n{lines}" if lines else head, data)


def query_memory(
    caller: CallContext,
    query: Annotated[str, Field(description="What to look for.")],
    memory_types: Annotated[
        list[Literal["patterns", "tool_memory", "insights", "preferences"]] | None,
        Field(description="Only these. Leave it out for all four."),
    ] = None,
    context: Annotated[str | None, Field(description="The kind of work.")] = None,
    limit: Limit = 5,
) -> ToolAnswer[answers.AdviceAnswer]:
    """Look up patterns, tool records, insights and preferences for a task; `advise` by other name.

    Use it before planning, as `advise`, when you want only some kinds of experience.
    """
    section_of = {"tool_memory": "tools"}
    names = [section_of.get(memory_type, memory_type) for memory_type in memory_types or ()]
    sections = names or ["patterns", "tools", "insights", "preferences"]
    advice = caller.memory.agents.advise(query, {"context": context}, limit=limit)
    return _advice_answer(advice, sections)


def get_memory_pattern(
    caller: CallContext,
    pattern_type: Annotated[str, Field(description="Such as workflow or tool_sequence.")],
    pattern: Annotated[str, Field(description="Its name, id or steps joined by ' → '.")],
) -> ToolAnswer[answers.Patterns]:
    """Show one learned pattern in full: its steps, how often it was seen and how it ended.

    Use it when `advise` or `detect_pattern` named a pattern and you want its details.
    """
    return _patterns_answer([of_pattern(caller.memory.agents.pattern(pattern_type, pattern))])


def detect_pattern(
    caller: CallContext,
    sequence: Annotated[list[str], Field(description="Actions in the order they were done.")],
) -> ToolAnswer[answers.Patterns]:
    """Tell which known workflows a sequence of actions fits, the most similar first.

    Use it in the middle of a task to see what usually comes next.
    """
    found = caller.memory.agents.detect_patterns(sequence)
    return _patterns_answer([of_pattern(pattern.pattern, pattern.similarity) for pattern in found])


def get_context(
    caller: CallContext,
    query: Annotated[str, Field(description="What the conversation is about.")],
    max_tokens: Budget = None,
    skill: Annotated[
        bool, Field(description="Also choose how to answer, which needs a key that may write.")
    ] = False,
) -> ToolAnswer[answers.Assembled]:
    """Assemble a prompt's worth of memory: profile, goals, notes, and what bears on the query.

    Use it once at the start of a task when you want everything in one block. For one question
    `recall` is shorter. With `skill` it says how this user likes such answers, and `message_id`
    is what to name in `feedback` when the user reacts to yours.
    """
    if skill and not caller.principal.may(Scope.WRITE):
        raise Forbidden("choosing a skill stores the choice, and this key may not write")
    budget = min(max_tokens or rendering.ANSWER_TOKENS, rendering.ANSWER_TOKENS)
    assembled = caller.memory.context(query, budget=budget, skill=skill)
    data = answers.Assembled(
        skill=assembled.choice and assembled.choice.skill.id,
        message_id=assembled.choice and assembled.choice.message_id,
        text=assembled.text,
        tokens=assembled.tokens,
        decision=assembled.decision,
        confidence=round(assembled.confidence, 4),
        ids=list(assembled.ids),
    )
    rate = f"\n\nRate the answer as {data.message_id}." if data.message_id else ""
    return ToolAnswer(assembled.text + rate, data)


def store_insight(
    caller: CallContext,
    insight: Annotated[str, Field(description="The lesson, in one sentence.")],
    insight_type: Annotated[
        Literal["rule", "optimization", "warning", "pattern", "best_practice"],
        Field(description="What it is good for."),
    ] = "rule",
    applies_to: Annotated[
        dict[str, Any] | None, Field(description="agents, contexts and conditions it applies to.")
    ] = None,
    evidence: Annotated[
        list[dict[str, Any]] | None, Field(description="What it rests on: task_id, description.")
    ] = None,
    confidence: Annotated[float, Field(ge=0, le=1, description="How sure you are.")] = 0.7,
) -> ToolAnswer[answers.InsightAnswer]:
    """Store a lesson about how to do tasks; the same words again make no second one.

    Use it after a task taught you something that `advise` should tell next time. For facts about
    the user use `remember`.
    """
    stored = caller.memory.agents.add_insight(
        insight, insight_type, applies_to, evidence or (), confidence, caller.principal.key_name
    )
    data = answers.InsightAnswer(
        id=stored.id, text=escaped_hidden(stored.text), confidence=stored.confidence
    )
    return ToolAnswer(f"Stored as {stored.id}.", data)


def of_pattern(pattern: LearnedPattern, similarity: float | None = None) -> answers.Pattern:
    """A pattern as data."""
    return answers.Pattern(
        id=pattern.id,
        type=pattern.type.value,
        name=escaped_hidden(pattern.name),
        description=escaped_hidden(pattern.description),
        steps=[escaped_hidden(step) for step in pattern.steps],
        support=pattern.support,
        success_rate=pattern.success_rate,
        confidence=pattern.confidence,
        similarity=similarity,
    )


def _patterns_answer(patterns: list[answers.Pattern]) -> ToolAnswer[answers.Patterns]:
    lines = [
        f"- {quoted(pattern.name)}: {quoted(' → '.join(pattern.steps))} "
        f"[{pattern.type}, seen {pattern.support} times]"
        for pattern in patterns
    ]
    text, fit = rendering.fenced(lines)
    return ToolAnswer(text or "No known pattern fits.", answers.Patterns(patterns=patterns[:fit]))


def _advice_answer(
    advice: Advice, sections: Sequence[str], head: str = "", max_tokens: int | None = None
) -> ToolAnswer[answers.AdviceAnswer]:
    advised: list[Advised] = [item for name in sections for item in getattr(advice, name)]
    items = [
        answers.AdviceItem(
            kind=item.kind,
            text=rendering.shown(item.text),
            why=rendering.shown(item.why),
            score=round(item.score, 4),
        )
        for item in advised
    ]
    lines = [f"- {item.kind}: {quoted(item.text)} because {quoted(item.why)}" for item in items]
    text, fit = rendering.fenced(lines, max_tokens)
    data = answers.AdviceAnswer(
        success_chance=advice.success_chance, items=items[:fit], left_out=len(items) - fit
    )
    return ToolAnswer(head + (text or "Experience has nothing to say about this yet."), data)
