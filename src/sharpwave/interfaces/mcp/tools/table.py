"""The tools in the order in which they are listed: what each needs, and what clients may assume."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sharpwave.interfaces.mcp.tools import asking, rating, recalling, remembering, working
from sharpwave.interfaces.mcp.tools.asking import Asked
from sharpwave.interfaces.mcp.visit import Answer
from sharpwave.types.access import Scope

Tool = Callable[..., Answer[Any]]


@dataclass(frozen=True, slots=True)
class Listed:
    """One tool as agents see it."""

    call: Tool
    title: str
    scope: Scope
    destructive: bool = False
    """It may erase or close something."""
    idempotent: bool = False
    """Calling it again with the same arguments changes nothing more."""

    may_store: bool = False
    """Some argument lets it store something, for which it asks a key that may write."""

    uses: bool = True
    """It stores or uses memories, which takes the user's consent."""

    asks: Callable[..., Asked | None] | None = None
    """What it asks the user before it runs; only clients that can ask are offered it."""

    @property
    def name(self) -> str:
        """What agents call it by."""
        return self.call.__name__


READ, WRITE = Scope.READ, Scope.WRITE

TOOLS = (
    Listed(recalling.recall, "Recall memories", READ, idempotent=True),
    Listed(remembering.remember, "Remember something", WRITE, idempotent=True),
    Listed(remembering.correct, "Correct a memory", WRITE, destructive=True, idempotent=True),
    Listed(remembering.forget, "Forget memories", WRITE, destructive=True, uses=False),
    Listed(recalling.profile, "Show the user's profile", READ, idempotent=True),
    Listed(working.advise, "Ask experience", READ, idempotent=True),
    Listed(working.log_interaction, "Log an action", WRITE),
    Listed(recalling.pending_review, "What waits for the user", READ, idempotent=True),
    Listed(recalling.memory_status, "Status of memory", READ, idempotent=True, uses=False),
    Listed(rating.feedback, "Rate an answer", WRITE, idempotent=True),
)

ASKING = (Listed(asking.ask_user, "Ask the user", WRITE, asks=asking.question),)
"""Offered besides to clients that can show their user a form."""

ALIASES = (
    Listed(working.query_memory, "Query experience", READ, idempotent=True),
    Listed(working.get_memory_pattern, "Show a pattern", READ, idempotent=True),
    Listed(working.store_insight, "Store a lesson", WRITE, idempotent=True),
    Listed(working.detect_pattern, "Detect patterns", READ, idempotent=True),
    Listed(working.get_context, "Assemble a context", READ, may_store=True),
)


def listed(aliases: bool) -> tuple[Listed, ...]:
    """The tools that are offered; `aliases` adds those of other names."""
    return TOOLS + ALIASES if aliases else TOOLS
