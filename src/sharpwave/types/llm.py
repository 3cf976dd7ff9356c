"""Language models: vendors, roles, prompts and answers."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Generic, Self, TypeVar

from pydantic import BaseModel

Output = TypeVar("Output", bound=BaseModel)
"""The form that a structured answer has to take."""


class LLMProvider(StrEnum):
    """The vendors of language models. A new one is a row here, and nothing else.

    All but Anthropic speak OpenAI's protocol. A key found in `key_variable` is sent to the vendor's
    own address only, never to a `base_url` of the settings.
    """

    base_url: str
    key_variable: str | None
    """The environment variable in which users of the vendor keep their key; None: no key."""
    sdk: str
    """The package that reaches it, which is also the name of the extra."""
    first_format: str
    """How the form of an answer is first described; what a server refuses is then left out."""

    def __new__(
        cls,
        name: str,
        base_url: str = "",
        key_variable: str | None = None,
        sdk: str = "openai",
        first_format: str = "json_schema",
    ) -> Self:
        """One row of the table."""
        row = str.__new__(cls, name)
        row._value_ = name
        row.base_url, row.key_variable = base_url, key_variable
        row.sdk, row.first_format = sdk, first_format
        return row

    NONE = "none"
    """No model: rules do the work."""
    OPENAI = "openai", "https://api.openai.com/v1", "OPENAI_API_KEY"
    """OpenAI, or with a `base_url` any server that speaks its protocol."""
    ANTHROPIC = "anthropic", "https://api.anthropic.com", "ANTHROPIC_API_KEY", "anthropic"
    OPENROUTER = "openrouter", "https://openrouter.ai/api/v1", "OPENROUTER_API_KEY"
    GROQ = "groq", "https://api.groq.com/openai/v1", "GROQ_API_KEY"
    MISTRAL = "mistral", "https://api.mistral.ai/v1", "MISTRAL_API_KEY"
    DEEPSEEK = (
        "deepseek",
        "https://api.deepseek.com/v1",
        "DEEPSEEK_API_KEY",
        "openai",
        "json_object",
    )
    TOGETHER = "together", "https://api.together.xyz/v1", "TOGETHER_API_KEY"
    GEMINI = (
        "gemini",
        "https://generativelanguage.googleapis.com/v1beta/openai/",
        "GEMINI_API_KEY",
    )
    XAI = "xai", "https://api.x.ai/v1", "XAI_API_KEY"
    OLLAMA = "ollama", "http://localhost:11434/v1"
    VLLM = "vllm", "http://localhost:8000/v1"
    LLAMACPP = "llamacpp", "http://localhost:8080/v1"
    LMSTUDIO = "lmstudio", "http://localhost:1234/v1"


class LLMRole(StrEnum):
    """What a model is used for; `llm.models` names the model of each role [LLM-02]."""

    ANALYZER = "analyzer"
    """Finds patterns in what happened."""
    GENERATOR = "generator"
    OPTIMIZER = "optimizer"
    """Improves instructions and skills."""
    UTILITY = "utility"
    """Small frequent tasks: extraction, reflection, checks."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """One request to a model. `name` and `version` say which prompt of `llm.prompts` it is."""

    name: str
    version: str
    system: str
    user: str
    max_tokens: int

    def __str__(self) -> str:
        """The whole prompt as text, to be read or recorded."""
        head = f"{self.name} {self.version}, at most {self.max_tokens} tokens"
        return f"{head}\n\n=== system ===\n{self.system}\n\n=== user ===\n{self.user}\n"


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of a call, all its requests together."""

    model: str
    input_tokens: int
    output_tokens: int
    estimated: bool
    """True if the endpoint did not report the tokens of every request, so texts were counted."""


@dataclass(frozen=True, slots=True)
class Completion:
    """A text that a model wrote."""

    text: str
    usage: Usage


@dataclass(frozen=True, slots=True)
class Probe:
    """Result of a test of one role's model."""

    role: LLMRole
    model: str
    wire: bool
    """True if it answered at all."""
    structured: bool
    """True if it kept to a form."""
    form: str | None
    """How the form is described to it: json_schema, json_object, tool or text; None: unknown."""
    seconds: float
    """Duration of both calls together."""
    input_tokens: int
    output_tokens: int
    estimated: bool
    """True if the tokens were not counted by the endpoint."""
    problem: str | None = None
    """What went wrong, and what to do about it."""

    @property
    def ok(self) -> bool:
        """Whether the model can be used."""
        return self.wire and self.structured


@dataclass(frozen=True, slots=True)
class Structured(Generic[Output]):
    """An answer in the requested form."""

    value: Output
    usage: Usage
