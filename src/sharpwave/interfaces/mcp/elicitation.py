"""Asking the user through the client, before a tool runs: the SDK's way, for every era of MCP."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any

from sharpwave.errors import SharpwaveError
from sharpwave.interfaces.mcp.tools.asking import Reply, YesOrNo
from sharpwave.interfaces.mcp.tools.table import Listed
from sharpwave.interfaces.mcp.visit import Visit

if TYPE_CHECKING:
    from mcp.server.elicitation import ElicitationResult
    from mcp.types import ClientCapabilities

REPLY = "reply"
"""The parameter of a tool that takes what the user said."""


def can_ask(capabilities: "ClientCapabilities | None") -> bool:
    """True if a client shows forms to its user."""
    asks = capabilities.elicitation if capabilities else None
    return asks is not None and (asks.form is not None or asks.url is None)


def annotation(tool: Listed, current: Callable[[], Visit], may: Callable[[Visit], bool]) -> Any:
    """The annotation of the parameter: the SDK fills it with the user's answer."""
    from mcp.server.elicitation import ElicitationResult  # noqa: PLC0415
    from mcp.server.mcpserver import Context  # noqa: PLC0415
    from mcp.server.mcpserver.resolve import Elicit, Resolve  # noqa: PLC0415

    def ask(ctx: Context, id: str | None) -> Any:
        visit = current()
        if tool.asks is None or not (can_ask(ctx.client_capabilities) and may(visit)):
            return None
        try:
            question = tool.asks(visit, id)
        except SharpwaveError:
            return None  # the tool itself meets the same and explains it
        if question is None:
            return None
        visit.asked[:] = [question]
        return Elicit(question.message, question.form)

    return Annotated[ElicitationResult[YesOrNo], Resolve(ask)]


def reply(visit: Visit, outcome: "ElicitationResult[Any]") -> Reply | None:
    """What the user said to the question of this call; None if none was asked."""
    if not visit.asked:
        return None
    (asked,) = visit.asked
    word = outcome.data.answer if outcome.action == "accept" else None
    return Reply(asked, outcome.action, word)
