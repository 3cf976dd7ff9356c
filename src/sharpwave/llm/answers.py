"""Structured answers: a strict JSON schema that every vendor accepts, and reading of answers."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

from pydantic import BaseModel, ConfigDict, NonNegativeInt, ValidationError

from sharpwave.llm.endpoint import Unusable

_SURPLUS = ("default", "title")  # vendors refuse "default"; "title" only repeats the names


@dataclass(frozen=True, slots=True)
class OutputSchema:
    """A name for the form, and its schema."""

    name: str
    schema: dict[str, Any]

    @classmethod
    def of(cls, name: str, output: type[BaseModel]) -> "OutputSchema":
        """The schema of a pydantic model."""
        schema = output.model_json_schema()
        return cls(name, _strict(schema, schema.get("$defs", {})))

    @property
    def instruction(self) -> str:
        """The instruction for a model that takes no schema."""
        schema = json.dumps(self.schema, ensure_ascii=False, separators=(",", ":"))
        return (
            "Answer with one JSON object and nothing else: no explanation, no code fence. "
            f"It must follow this JSON schema:\n{schema}"
        )


def _strict(node: Any, defs: Mapping[str, Any]) -> Any:
    """The schema with all properties required, none added, and references without siblings."""
    if isinstance(node, list):
        return [_strict(part, defs) for part in node]
    if not isinstance(node, Mapping):
        return node
    if "$ref" in node and len(node) > 1:
        definition = defs[node["$ref"].rpartition("/")[2]]
        return _strict({**definition, **{key: node[key] for key in node if key != "$ref"}}, defs)
    strict = {key: _part(key, part, defs) for key, part in node.items() if key not in _SURPLUS}
    if "properties" in strict:
        strict |= {"required": list(strict["properties"]), "additionalProperties": False}
    return strict


def _part(key: str, part: Any, defs: Mapping[str, Any]) -> Any:
    if key in ("properties", "$defs"):  # there, keys are names and no keywords
        return {name: _strict(inner, defs) for name, inner in part.items()}
    return _strict(part, defs)


_THINK, _THOUGHT = "<think>", "</think>"
_FENCE = "```"
_MOST_PROBLEMS = 5
_PROBLEM_CHARS = 600
REFUSAL = "a refusal instead of an answer"

Output = TypeVar("Output", bound=BaseModel)


class TokenCount(NamedTuple):
    """Input and output tokens of a call."""

    input: int
    output: int


class ChatAnswer(NamedTuple):
    """What a model wrote, without its thinking."""

    text: str
    tokens: TokenCount | None
    """None if the endpoint does not say, or says nonsense."""
    written_bytes: int
    """How much it wrote, thinking included."""
    cut: bool
    """True if the answer reached the token limit."""
    instead: str | None = None
    """What came in place of text, such as a refusal; it costs tokens too."""


class Malformed(Exception):
    """An answer is not in the form it should have; the message says where, to the model."""


def read_openai(body: bytes) -> ChatAnswer:
    """The first choice of a chat completion."""
    try:
        completion = _Completion.model_validate_json(body)
    except ValidationError:
        raise Unusable("something else than a chat completion") from None
    if not completion.choices:
        raise Unusable("a completion without a choice")
    choice = completion.choices[0]
    written = choice.message.content or ""
    return ChatAnswer(
        cleaned(written),
        _tokens(completion.usage),
        len(written.encode()),
        cut=choice.finish_reason == "length",
        instead=_missing_text_reason(choice),
    )


def _missing_text_reason(choice: "_Choice") -> str | None:
    if choice.message.content is not None:
        return None
    refused = choice.message.refusal or choice.finish_reason == "content_filter"
    return REFUSAL if refused else "a choice without text"


def cleaned(text: str) -> str:
    """The text of an answer, without the model's thinking and the fence around it."""
    return without_fence(without_thinking(text))


def without_thinking(text: str) -> str:
    """The text without the thinking before it.

    >>> without_thinking("<think>Two and two...</think> Four.")
    'Four.'
    >>> without_thinking("Two and two... </think> Four.")  # the server swallowed the opening tag
    'Four.'
    """
    rest = text.strip()
    opened = not rest.startswith(("{", _FENCE)) and _THOUGHT in rest
    at = 0
    while opened or rest.startswith(_THINK, at):
        end = rest.find(_THOUGHT, at)
        at = len(rest) if end < 0 else end + len(_THOUGHT)
        while at < len(rest) and rest[at].isspace():
            at += 1
        opened = False
    return rest[at:]


def without_fence(text: str) -> str:
    r"""The content of a code fence, if the whole text is one.

    >>> without_fence('```json\n{"a": 1}\n```')
    '{"a": 1}'
    """
    first, _, rest = text.partition("\n")
    if not first.startswith(_FENCE) or not rest.endswith(_FENCE) or rest.count(_FENCE) > 1:
        return text
    return rest.removesuffix(_FENCE).strip()


def read_form(text: str, output: type[Output]) -> Output:
    """The answer as `output`, even if the model wrote something around the JSON."""
    json = text[text.find("{") : text.rfind("}") + 1]
    for candidate in (text, json):
        try:
            return output.model_validate_json(candidate)
        except ValidationError as error:
            problem = _explained(error)
            if error.errors(include_url=False)[0]["type"] != "json_invalid":
                break
    raise Malformed(problem)


class _Message(BaseModel):
    model_config = ConfigDict(strict=True)

    content: str | None = None
    refusal: str | None = None


class _Choice(BaseModel):
    message: _Message
    finish_reason: Any = None


class _Completion(BaseModel):
    choices: list[_Choice]
    usage: Any = None


class _Usage(BaseModel):
    prompt_tokens: NonNegativeInt
    completion_tokens: NonNegativeInt


def _tokens(usage: object) -> TokenCount | None:
    """The usage, if complete; some servers send none or only parts of it."""
    try:
        counts = _Usage.model_validate(usage)
    except ValidationError:
        return None
    return TokenCount(counts.prompt_tokens, counts.completion_tokens)


def _explained(error: ValidationError) -> str:
    """What is wrong and where; without the values, which may be private."""
    problems = error.errors(include_url=False, include_input=False, include_context=False)
    lines = [
        f"{'.'.join(str(part) for part in problem['loc']) or 'answer'}: {problem['msg']}"
        for problem in problems[:_MOST_PROBLEMS]
    ]
    return "; ".join(lines)[:_PROBLEM_CHARS]
