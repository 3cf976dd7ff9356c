"""What a structured answer has to look like, as every vendor takes it: a strict JSON schema."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

_SURPLUS = ("default", "title")  # vendors refuse the one, and the other only repeats the names


@dataclass(frozen=True, slots=True)
class Form:
    """A name for the form, and its schema."""

    name: str
    schema: dict[str, Any]

    @classmethod
    def of(cls, name: str, output: type[BaseModel]) -> "Form":
        """The form of a model of ours."""
        schema = output.model_json_schema()
        return cls(name, _strict(schema, schema.get("$defs", {})))

    @property
    def instruction(self) -> str:
        """The same in words."""
        schema = json.dumps(self.schema, ensure_ascii=False, separators=(",", ":"))
        return (
            "Answer with one JSON object and nothing else: no explanation, no code fence. "
            f"It must follow this JSON schema:\n{schema}"
        )


def _strict(node: Any, defs: Mapping[str, Any]) -> Any:
    """Every property is required, none may be added, and a reference stands alone."""
    if isinstance(node, list):
        return [_strict(part, defs) for part in node]
    if not isinstance(node, Mapping):
        return node
    if "$ref" in node and len(node) > 1:
        meant = defs[node["$ref"].rpartition("/")[2]]
        return _strict({**meant, **{key: node[key] for key in node if key != "$ref"}}, defs)
    made = {key: _part(key, part, defs) for key, part in node.items() if key not in _SURPLUS}
    if "properties" in made:
        made |= {"required": list(made["properties"]), "additionalProperties": False}
    return made


def _part(key: str, part: Any, defs: Mapping[str, Any]) -> Any:
    if key in ("properties", "$defs"):  # there, keys are names and no keywords
        return {name: _strict(inner, defs) for name, inner in part.items()}
    return _strict(part, defs)
