"""Who serves language models: where, which variable holds the key, and what differs.

All but one speak OpenAI's protocol, so that one class reaches them; Anthropic's own is the other
one. A key found in a variable goes to the vendor's own address only, never to one of your own.
"""

from dataclasses import dataclass

from sharpwave.llm.dialects import AnthropicDialect, ChatDialect, OpenAIDialect, OpenAIFormat
from sharpwave.types.llm import LLMProvider


@dataclass(frozen=True, slots=True)
class Vendor:
    """One row of the table."""

    base_url: str
    key_variable: str | None = None
    """Where users of the vendor keep their key; None for servers that want none."""
    dialect: ChatDialect = OpenAIDialect()  # noqa: RUF009 - frozen
    """How to begin a conversation; what a server refuses is then left out."""
    sdk: str = "openai"
    """The package that reaches it, which is also the name of the extra."""


VENDORS = {
    LLMProvider.OPENAI: Vendor("https://api.openai.com/v1", "OPENAI_API_KEY"),
    LLMProvider.ANTHROPIC: Vendor(
        "https://api.anthropic.com", "ANTHROPIC_API_KEY", AnthropicDialect(), "anthropic"
    ),
    LLMProvider.OPENROUTER: Vendor("https://openrouter.ai/api/v1", "OPENROUTER_API_KEY"),
    LLMProvider.GROQ: Vendor("https://api.groq.com/openai/v1", "GROQ_API_KEY"),
    LLMProvider.MISTRAL: Vendor("https://api.mistral.ai/v1", "MISTRAL_API_KEY"),
    LLMProvider.DEEPSEEK: Vendor(
        "https://api.deepseek.com/v1", "DEEPSEEK_API_KEY", OpenAIDialect(OpenAIFormat.JSON)
    ),
    LLMProvider.TOGETHER: Vendor("https://api.together.xyz/v1", "TOGETHER_API_KEY"),
    LLMProvider.GEMINI: Vendor(
        "https://generativelanguage.googleapis.com/v1beta/openai/", "GEMINI_API_KEY"
    ),
    LLMProvider.XAI: Vendor("https://api.x.ai/v1", "XAI_API_KEY"),
    LLMProvider.OLLAMA: Vendor("http://localhost:11434/v1"),
    LLMProvider.VLLM: Vendor("http://localhost:8000/v1"),
    LLMProvider.LLAMACPP: Vendor("http://localhost:8080/v1"),
    LLMProvider.LMSTUDIO: Vendor("http://localhost:1234/v1"),
}
