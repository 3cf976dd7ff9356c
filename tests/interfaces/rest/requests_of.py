"""Requests for every route of the document, from its own examples."""

from collections.abc import Iterator
from typing import Any, NamedTuple


class Asking(NamedTuple):
    """One request that the document says is possible."""

    verb: str
    path: str
    """With parameters filled in."""
    route: str
    query: dict[str, Any]
    body: Any
    scope: str | None
    """None for what anybody may see."""

    def options(self) -> dict[str, Any]:
        if isinstance(self.body, bytes):
            return {"params": self.query, "content": self.body}
        return {"params": self.query, **({} if self.body is None else {"json": self.body})}


BODIES: dict[str, Any] = {
    "/v1/import": b'{"format": "sharpwave-export", "version": 2, "user_id": "x", "at": "2026"}\n',
    "/v1/import/chats": b'{"role": "user", "content": "I sail."}\n',
    "/v1/import/log": b'{"messages": []}\n',
    "/v1/webhooks": {"url": "http://127.0.0.1:9/hook"},
    "/memory/retrieve": {"query": "Where does Ana live?"},
    "/memory/write": {"facts": ["I live in Porto."], "tasks": ["Call Ben"]},
    "/memory/profile/version": {"fact_id": "nope", "valid_to": "2026-05-01T00:00:00Z"},
    "/memory/compact": {},
    "/api/v1/memory/feedback": {"message_id": "m1", "skill_id": "concise_response", "reward": 1},
}


def every_request(document: dict[str, Any]) -> Iterator[Asking]:
    """One request for every operation."""
    for route, operations in document["paths"].items():
        for verb, operation in operations.items():
            yield _asking(document, verb.upper(), route, operation)


def _asking(document: dict[str, Any], verb: str, route: str, operation: dict[str, Any]) -> Asking:
    path, query = route, {}
    for parameter in operation.get("parameters", ()):
        examples = parameter.get("examples") or parameter["schema"].get("examples") or [None]
        if parameter["in"] == "path":
            path = path.replace(f"{{{parameter['name']}}}", str(examples[0]))
        elif parameter["in"] == "query" and parameter.get("required"):
            query[parameter["name"]] = examples[0]
    scope = operation.get("x-scope") or ("admin" if "security" in operation else None)
    return Asking(verb, path, route, query, _body(document, route, operation), scope)


def _body(document: dict[str, Any], route: str, operation: dict[str, Any]) -> Any:
    if "requestBody" not in operation:
        return None
    if route in BODIES:
        return BODIES[route]
    schema = operation["requestBody"]["content"]["application/json"]["schema"]
    named = document["components"]["schemas"][schema["$ref"].rsplit("/", 1)[1]]
    return named.get("examples", [{}])[0]
