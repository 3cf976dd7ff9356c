"""The tools in the order in which they are listed. A tool is a function and its row here.

Name, description and schemas come from the function; the row says scope and hints.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sharpwave.interfaces.mcp.context import ToolAnswer
from sharpwave.interfaces.mcp.tools import experience, feedback, recall, remember
from sharpwave.interfaces.mcp.tools.feedback import UserQuestion
from sharpwave.types.access import Scope

Tool = Callable[..., ToolAnswer[Any]]


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """One tool as agents see it."""

    call: Tool
    title: str
    scope: Scope
    destructive: bool = False
    """It may erase or close something."""
    idempotent: bool = False
    """Calling it again with the same arguments changes nothing more."""

    may_store: bool = False
    """With some arguments it stores something, which needs the scope `write`."""

    uses: bool = True
    """It stores or uses memories, which takes the user's consent."""

    asks: Callable[..., UserQuestion | None] | None = None
    """The question for the user before it runs; listed only for clients with elicitation."""

    @property
    def name(self) -> str:
        """The name of the tool."""
        return self.call.__name__


READ, WRITE = Scope.READ, Scope.WRITE

TOOLS = (
    ToolSpec(recall.recall, "Recall memories", READ, idempotent=True),
    ToolSpec(remember.remember, "Remember something", WRITE, idempotent=True),
    ToolSpec(remember.correct, "Correct a memory", WRITE, destructive=True, idempotent=True),
    ToolSpec(remember.forget, "Forget memories", WRITE, destructive=True, uses=False),
    ToolSpec(recall.profile, "Show the user's profile", READ, idempotent=True),
    ToolSpec(experience.advise, "Ask experience", READ, idempotent=True),
    ToolSpec(experience.log_interaction, "Log an action", WRITE),
    ToolSpec(recall.pending_review, "What waits for the user", READ, idempotent=True),
    ToolSpec(recall.memory_status, "Status of memory", READ, idempotent=True, uses=False),
    ToolSpec(feedback.feedback, "Rate an answer", WRITE, idempotent=True),
)

ASKING = (ToolSpec(feedback.ask_user, "Ask the user", WRITE, asks=feedback.question),)
"""Offered in addition to clients that can show a form to their user."""

ALIASES = (
    ToolSpec(experience.query_memory, "Query experience", READ, idempotent=True),
    ToolSpec(experience.get_memory_pattern, "Show a pattern", READ, idempotent=True),
    ToolSpec(experience.store_insight, "Store a lesson", WRITE, idempotent=True),
    ToolSpec(experience.detect_pattern, "Detect patterns", READ, idempotent=True),
    ToolSpec(experience.get_context, "Assemble a context", READ, may_store=True),
)


def offered_tools(aliases: bool) -> tuple[ToolSpec, ...]:
    """The offered tools; `aliases` adds those with alternative names."""
    return TOOLS + ALIASES if aliases else TOOLS
