"""Reading: `recall`, `profile`, `pending_review`, `memory_status`."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field

from sharpwave import __version__
from sharpwave.errors import InvalidInput
from sharpwave.interfaces.mcp import answers, rendering
from sharpwave.interfaces.mcp.answers import Item
from sharpwave.interfaces.mcp.context import CallContext, ToolAnswer
from sharpwave.rendering import PREAMBLE, TITLE, escaped_hidden, quoted, rule_line
from sharpwave.types.known import Fact
from sharpwave.types.records import USER, Trust
from sharpwave.types.steering import Behavior
from sharpwave.types.times import period_of
from sharpwave.types.working import JobState, Purpose

Day = Annotated[
    str | None, Field(description="A date such as 2026-05-01, included, or a moment in ISO 8601.")
]
Budget = Annotated[
    int | None, Field(ge=100, description="Most tokens of the answer. Leave it out for a default.")
]
Kinds = Literal[
    "turn", "episode", "fact", "task", "note", "interaction", "pattern", "tool_record", "insight"
]
_RECALL_ITEMS = 8
_MOST_RULES = 15
_REVIEW_ITEMS = 20
"""Items of each list to review."""
_JOBS = 100
DEFAULT_KINDS = ("turn", "episode", "fact", "task", "note", "insight")
"""Default kinds: what people said, not what agents did."""


def recall(
    caller: CallContext,
    query: Annotated[str, Field(description="What to look for: a question or a topic.")],
    k: Annotated[int | None, Field(ge=1, le=50, description="How many memories at most.")] = None,
    kinds: Annotated[
        list[Kinds] | None,
        Field(description="Only these kinds. Leave it out for all that people said."),
    ] = None,
    session: Annotated[str | None, Field(description="Only this conversation.")] = None,
    since: Day = None,
    until: Day = None,
    max_tokens: Budget = None,
) -> ToolAnswer[answers.RecallAnswer]:
    """Search what is remembered about this user, best first, with where each item came from.

    Use this PROACTIVELY: before you answer anything that may depend on who the user is, on what
    was said in earlier conversations, or on decisions made before; and whenever the user says
    "as I told you", "again" or "like last time". Ask in plain words; one topic a call works best.
    Do not use it for general knowledge, for what is already in this conversation, or to list
    everything. Mind the decision: on "abstain" say that you do not know instead of guessing.
    """
    begin = None if since is None else _period(since, caller)[0]
    end = None if until is None else _period(until, caller)[1]
    result = caller.memory.recall(
        query,
        k=k or _RECALL_ITEMS,
        kinds=kinds or DEFAULT_KINDS,
        session=session,
        since=begin,
        until=end,
    )
    items = [rendering.of_record(item.record, item.score) for item in result.items]
    text, fit = rendering.fenced([rendering.line(item) for item in items], max_tokens)
    head = f"{result.decision.value} ({result.confidence:.2f}): {escaped_hidden(result.rationale)}"
    data = answers.RecallAnswer(
        decision=result.decision.value,
        confidence=round(result.confidence, 4),
        rationale=escaped_hidden(result.rationale),
        items=items[:fit],
        left_out=len(items) - fit,
    )
    notes = [f"Note: {note}" for note in result.notes]
    if not items:
        text = "Nothing is remembered about this."
    elif data.left_out:
        notes.append(f"Note: {data.left_out} of {len(items)} items need more than max_tokens")
    return ToolAnswer("\n".join(filter(None, [head, *notes, text])), data)


def profile(caller: CallContext, max_tokens: Budget = None) -> ToolAnswer[answers.Profile]:
    """Show what is known of the user: standing wishes, facts, rules of thumb, and open tasks.

    Use it once at the start of a conversation, or when the user asks "what do you know about me?".
    Facts come from the user or from several independent sources; "unconfirmed" is what agents
    concluded, so treat it as a guess and let the user confirm it. The learned preferences are
    what the user asked for good, so heed them. Do not use it to look for one particular thing:
    that is `recall`.
    """
    memory = caller.memory
    believed = memory.facts.profile()
    groups = {
        "facts": [rendering.of_fact(item) for item in believed],
        "notes": [rendering.of_note(item) for item in memory.behavior.notes()],
        "tasks": [rendering.of_task(item) for item in memory.tasks.list("active")],
        "unconfirmed": unconfirmed(caller, believed),
    }
    # the groups in one block, those that fit, and how many did not
    lines = [
        f"{name}: {rendering.line(item)[2:]}" for name, items in groups.items() for item in items
    ]
    text, fit = rendering.fenced(lines, max_tokens)
    may_learn = memory.admin.consents()[Purpose.LEARNING]
    rules = memory.behavior.rules(limit=_MOST_RULES) if may_learn else []
    data = answers.Profile(
        rules=[rendering.of_rule(item) for item in rules],
        **_first(groups, fit),
        left_out=len(lines) - fit,
    )
    rules_text = (
        "\n".join((f"## {TITLE}\n\n{PREAMBLE}\n", *map(_rule_line, rules))) if rules else ""
    )
    shown = "\n\n".join(part for part in (rules_text, text) if part)
    return ToolAnswer(shown or "Nothing is known of the user yet.", data)


def _rule_line(rule: Behavior) -> str:
    """A rule as a line of a prompt, with the project or file it holds in, and its id."""
    scope_note = "" if rule.scope == "global" else f" (only in {escaped_hidden(rule.scope)})"
    return f"{rule_line(rule.rule, rule.frequency)}{scope_note} [rule {rule.id}]"


def pending_review(caller: CallContext, max_tokens: Budget = None) -> ToolAnswer[answers.Pending]:
    """List what waits for the user: contradictions, guesses, newly learned rules, tasks due soon.

    Use it when the conversation has a quiet moment, when the user asks what you are unsure about,
    or when `memory_status` shows open questions. Put the questions to the user in your own words,
    one at a time, and settle them with `correct`, or in a form with `ask_user` what only the user
    may settle: rules, and what contradicts the user's own word. Never answer them for the user.
    """
    memory, limit = caller.memory, _REVIEW_ITEMS
    questions = [
        answers.ConflictItem(
            id=item.id,
            question=escaped_hidden(item.question),
            older=escaped_hidden(item.older.text),
            newer=escaped_hidden(item.newer.text),
        )
        for item in memory.facts.conflicts()[:limit]
    ]
    question_lines = [f"- ask: {quoted(item.question)} [conflict {item.id}]" for item in questions]
    groups = {
        "unconfirmed": unconfirmed(caller, memory.facts.profile())[:limit],
        "rules": [rendering.of_rule(item) for item in memory.behavior.pending()[:limit]],
        "due": [rendering.of_task(item) for item in memory.tasks.due_soon()[:limit]],
    }
    lines = [
        *question_lines,
        *(rendering.line(item) for items in groups.values() for item in items),
    ]
    text, fit = rendering.fenced(lines, max_tokens)
    fitting = _first(groups, fit - len(question_lines))
    failed = sum(job.state is JobState.FAILED for job in memory.admin.jobs(_JOBS))
    data = answers.Pending(
        questions=questions[:fit], **fitting, failed_jobs=failed, left_out=len(lines) - fit
    )
    return ToolAnswer(text or "Nothing waits for the user.", data)


def memory_status(caller: CallContext) -> ToolAnswer[answers.Status]:
    """Tell how much is remembered, what the user consented to, and what this key may do.

    Use it when the user asks whether memory works, or when another tool fails unexpectedly. It
    shows no memories: for these use `recall` or `profile`.
    """
    memory = caller.memory
    stats, jobs = memory.admin.stats(), memory.admin.jobs(_JOBS)
    data = answers.Status(
        memories=stats.memories,
        by_kind=dict(stats.by_kind),
        consents={purpose.value: is_given for purpose, is_given in memory.admin.consents().items()},
        waiting_jobs=sum(job.state is JobState.WAITING for job in jobs),
        failed_jobs=sum(job.state is JobState.FAILED for job in jobs),
        embedder=stats.embedder,
        may=sorted(caller.principal.scopes),
        version=__version__,
    )
    kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(data.by_kind.items()))
    consented = ", ".join(name for name, is_given in data.consents.items() if is_given) or "nothing"
    text = (
        f"{data.memories} memories ({kinds or 'none'}). Consents in force: {consented}. "
        f"This key may {', '.join(data.may)}. Sharpwave {data.version}, {data.embedder}."
    )
    return ToolAnswer(text, data)


def unconfirmed(caller: CallContext, believed: list[Fact]) -> list[Item]:
    """Facts about the user that the user has not confirmed."""
    return [rendering.of_fact(fact) for fact in guesses(caller, believed)]


def guesses(caller: CallContext, believed: list[Fact]) -> list[Fact]:
    """Facts about the user from neither the user nor enough sources."""
    known = {fact.id for fact in believed}
    user_facts = caller.memory.facts.list(subject=USER)
    return [fact for fact in user_facts if fact.id not in known and fact.trust < Trust.VERIFIED]


def _period(text: str, caller: CallContext) -> tuple[datetime, datetime]:
    """Begin and end of a day, or twice a moment, as an agent writes it."""
    try:
        return period_of(text, caller.settings.remember.zone)
    except ValueError as error:
        raise InvalidInput(f"{escaped_hidden(text)!r} is not a date such as 2026-05-01") from error


def _first(groups: dict[str, list[Item]], count: int) -> dict[str, list[Item]]:
    """The first `count` items over all groups, in order."""
    left, shown = max(0, count), {}
    for name, items in groups.items():
        shown[name] = items[:left]
        left -= len(shown[name])
    return shown
