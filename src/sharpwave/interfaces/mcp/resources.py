"""Resources that a client can attach."""

import json
from collections.abc import Callable
from typing import Any

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ResourceNotFoundError

from sharpwave.errors import SharpwaveError
from sharpwave.interfaces.mcp import rendering
from sharpwave.interfaces.mcp.context import CallContext
from sharpwave.interfaces.mcp.tools import experience
from sharpwave.rendering import escaped_hidden, quoted

_RECENT_TURNS = 20
SCHEME = "sharpwave://"
Current = Callable[[], CallContext]
Rows = list[dict[str, Any]]
Shape = Callable[[Rows], str]


def patterns(caller: CallContext) -> Rows:
    """Workflows and other regularities in what agents did."""
    found = caller.memory.agents.patterns()
    return [experience.of_pattern(pattern).model_dump(mode="json") for pattern in found]


def preferences(caller: CallContext) -> Rows:
    """What the user likes, refuses and wants done in a certain way."""
    preference_facts = [fact for fact in caller.memory.facts.profile() if fact.type == "preference"]
    items = [rendering.of_fact(fact) for fact in preference_facts]
    behavior = caller.memory.behavior
    rules = {rule.rule: rule for rule in behavior.rules()}
    notes = [note for note in behavior.notes() if note.text not in rules]
    items += [rendering.of_rule(rule) for rule in rules.values()]
    items += [rendering.of_preference(preference) for preference in behavior.preferences()]
    items += [rendering.of_note(note) for note in notes]
    return [item.model_dump(mode="json") for item in items]


def recent(caller: CallContext) -> Rows:
    """The latest turns of all conversations, oldest first."""
    turns = caller.memory.admin.recent(_RECENT_TURNS)
    return [rendering.of_record(turn).model_dump(mode="json") for turn in turns]


def insights(caller: CallContext) -> Rows:
    """Lessons drawn from what agents did."""
    return [
        {
            "id": insight.id,
            "kind": insight.type.value,
            "text": rendering.shown(insight.text),
            "confidence": insight.confidence,
            "validated": insight.validated,
        }
        for insight in caller.memory.agents.insights()
    ]


RESOURCES: dict[str, tuple[str, Callable[[CallContext], Rows]]] = {
    "patterns": ("Learned Patterns", patterns),
    "preferences": ("Preferences", preferences),
    "context/recent": ("Recent Context", recent),
    "insights": ("Insights", insights),
}
"""Each as JSON at sharpwave://NAME, and as text at sharpwave://text/NAME [MCP-02…05]."""


def add(server: MCPServer[Any], current: Current) -> None:
    """Offer resources on a server; `current` returns the context of the request."""
    _add_memory(server, current)
    for name, (title, rows) in RESOURCES.items():
        for uri, mime, shape in (
            (f"{SCHEME}{name}", "application/json", _as_json),
            (f"{SCHEME}text/{name}", "text/plain", _as_text),
        ):
            form = "as JSON" if shape is _as_json else "to read"
            options: dict[str, Any] = {
                "title": title,
                "description": rows.__doc__,
                "mime_type": mime,
            }
            server.resource(uri, name=f"{title}, {form}", **options)(_reading(shape, rows, current))


def _reading(
    shape: Shape, rows: Callable[[CallContext], Rows], current: Current
) -> Callable[[], str]:
    """A function without parameters that reads a resource."""

    def read() -> str:
        return shape(rows(current()))

    return read


def _as_json(rows: Rows) -> str:
    return json.dumps(rows, ensure_ascii=False, indent=1)


def _as_text(rows: Rows) -> str:
    return rendering.fenced([_line(row) for row in rows])[0] or "Nothing yet."


def _add_memory(server: MCPServer[Any], current: Current) -> None:
    @server.resource(
        f"{SCHEME}memory/{{id}}",
        name="One memory",
        description="A memory in full, with the records it rests on and those that rest on it.",
        mime_type="application/json",
    )
    def memory(id: str) -> str:
        caller = current()
        try:
            explanation = caller.memory.explain(id)
        except SharpwaveError as error:
            raise ResourceNotFoundError(error.public) from error
        data = rendering.of_record(explanation.record).model_dump(mode="json")
        data["text"] = escaped_hidden(explanation.record.text)
        for name in ("rests_on", "supports"):
            related = getattr(explanation, name)
            data[name] = [rendering.of_record(record).model_dump() for record in related]
        return json.dumps(data, ensure_ascii=False)


def _line(row: dict[str, Any]) -> str:
    text = row.get("text") or " → ".join(row["steps"]) or row["description"]
    origin = f", {row['source']}, {row['trust']}" if "source" in row else ""
    return f"- {quoted(text)} [{row.get('kind') or row.get('type')} {row['id']}{origin}]"
