"""What is asked of a language model, and what comes back."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Generic, TypeVar

from pydantic import BaseModel

Output = TypeVar("Output", bound=BaseModel)
"""The form that a structured answer has to take."""


class LLMProvider(StrEnum):
    """Who serves the models."""

    NONE = "none"
    """Nobody: rules do the work."""
    OPENAI = "openai"
    """OpenAI, or with a `base_url` any server that speaks its protocol."""
    ANTHROPIC = "anthropic"
    OPENROUTER = "openrouter"
    GROQ = "groq"
    MISTRAL = "mistral"
    DEEPSEEK = "deepseek"
    TOGETHER = "together"
    GEMINI = "gemini"
    XAI = "xai"
    OLLAMA = "ollama"
    VLLM = "vllm"
    LLAMACPP = "llamacpp"
    LMSTUDIO = "lmstudio"


class LLMRole(StrEnum):
    """What a model is used for; the settings say which model plays which role [LLM-02]."""

    ANALYZER = "analyzer"
    """Finds patterns in what happened."""
    GENERATOR = "generator"
    """Writes texts."""
    OPTIMIZER = "optimizer"
    """Improves instructions and skills."""
    UTILITY = "utility"
    """Small frequent work: extraction, reflection, checks."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """One request to a model. `name` and `version` say which module of `prompts` wrote it."""

    name: str
    version: str
    system: str
    user: str
    max_tokens: int
    """The most tokens the answer may take; `llm.max_output_tokens` can only lower it."""


@dataclass(frozen=True, slots=True)
class Usage:
    """What a call took, all requests it needed together."""

    model: str
    input_tokens: int
    output_tokens: int
    estimated: bool
    """True if the endpoint did not say, at least once, so that the texts were counted instead."""


@dataclass(frozen=True, slots=True)
class Completion:
    """A text that a model wrote."""

    text: str
    usage: Usage


@dataclass(frozen=True, slots=True)
class Probe:
    """How one role's model did when it was tried out."""

    role: LLMRole
    model: str
    wire: bool
    """True if it answered at all."""
    structured: bool
    """True if it kept to a form."""
    form: str | None
    """How it is told the form: json_schema, json_object, tool or text; None if nobody knows."""
    seconds: float
    """Of both calls together."""
    input_tokens: int
    output_tokens: int
    estimated: bool
    """True if the tokens were not counted by the endpoint."""
    problem: str | None = None
    """What went wrong, and what to do about it."""

    @property
    def ok(self) -> bool:
        """Whether it can do what it is here for."""
        return self.wire and self.structured


@dataclass(frozen=True, slots=True)
class Structured(Generic[Output]):
    """An answer in the form that was asked for."""

    value: Output
    usage: Usage
