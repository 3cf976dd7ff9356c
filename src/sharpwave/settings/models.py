"""Settings of embedders, rerankers, name finders and language models."""

from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from pydantic import Field, SecretStr

from sharpwave.settings.core import Group
from sharpwave.types.llm import LLMProvider, LLMRole


class EmbedderSettings(Group):
    """The embedder that converts text to vectors."""

    provider: Literal[
        "sharpwave", "table", "hash", "openai", "model2vec", "fastembed", "sentence-transformers"
    ] = Field(
        "sharpwave",
        description="sharpwave: semantic, the bundled encoder and table. table: only the table, "
        "a hundred times cheaper. hash: spelling only, no model. openai: any OpenAI-compatible "
        "endpoint. The others: a local model of that library.",
    )
    model_folder: Path | None = Field(None, description="Folder of that local model [MDL-01].")
    device: Literal["cpu", "cuda", "auto"] = Field(
        "cpu", description="Device for models of fastembed and sentence-transformers [MDL-07]."
    )
    model: str = Field(
        "text-embedding-3-small", description="Model name for the endpoint, or for fastembed."
    )
    base_url: str | None = Field(None, description="Base URL of an OpenAI-compatible endpoint.")
    api_key: SecretStr | None = Field(None, description="API key for that endpoint.")
    dimension: int | None = Field(
        None, ge=1, description="Number of dimensions to request from the endpoint."
    )


class RerankerSettings(Group):
    """A model that reranks the best candidates, in addition to the bundled table."""

    folder: Path | None = Field(
        None,
        description="Folder with model.onnx and tokenizer.json of a cross-encoder; it takes about "
        "ten milliseconds per text. Default: none.",
    )


class NamesSettings(Group):
    """A model that finds names of people, places and things, in addition to the built-in rules."""

    folder: Path | None = Field(
        None,
        description="Folder of a GLiNER model, for other languages; default: none [MDL-03].",
    )


class LLMPlace(Group):
    """A different vendor for one role, with its prices [LLM-04]."""

    provider: LLMProvider = Field(description="Vendor of this role's model.")
    base_url: str | None = Field(None, description="Base URL of its endpoint.")
    api_key: SecretStr | None = Field(None, description="API key for that endpoint.")
    input_price: float = Field(0.0, ge=0, description="Price of a million input tokens.")
    output_price: float = Field(0.0, ge=0, description="Price of a million output tokens.")


class LLMSettings(Group):
    """The language model, if any. Without one, rules are used instead [LLM-05]."""

    provider: LLMProvider = Field(
        LLMProvider.NONE,
        description="Vendor of the models; none: rules only. openai with a base_url: any "
        "OpenAI-compatible server [LLM-01].",
    )
    base_url: str | None = Field(
        None, description="Base URL, if different from the provider's default."
    )
    api_key: SecretStr | None = Field(
        None,
        description="API key for that endpoint; default: the provider's usual environment "
        "variable.",
    )
    models: Mapping[LLMRole | Literal["default"], str] = Field(
        {},
        description="Model of each role: analyzer (finds patterns), generator (writes texts), "
        "optimizer (improves instructions and skills), utility (extraction, reflection and "
        "checks), or default for all other roles [LLM-02].",
    )
    elsewhere: Mapping[LLMRole, LLMPlace] = Field(
        {}, description="Roles with a different vendor: provider, base_url, api_key, prices."
    )
    timeout_s: float = Field(60.0, gt=0, description="Timeout of a request in seconds.")
    input_price: float = Field(
        0.0, ge=0, description="Price of a million input tokens of the most expensive model used."
    )
    output_price: float = Field(
        0.0, ge=0, description="Price of a million output tokens of the most expensive model used."
    )
    daily_calls: int = Field(2000, ge=0, description="Maximum number of calls per user and day.")
    daily_tokens: int = Field(
        2_000_000,
        ge=0,
        description="Maximum number of tokens per user and day, input and output together.",
    )
    daily_cost: float | None = Field(
        None, ge=0, description="Maximum cost per user and day, in the currency of the prices."
    )

    @property
    def named(self) -> bool:
        """Whether any role has a vendor."""
        return any(self.of(role).provider is not LLMProvider.NONE for role in LLMRole)

    def model_of(self, role: LLMRole) -> str:
        """The model of a role; empty if none is set."""
        return self.models.get(role) or self.models.get("default", "")

    def of(self, role: LLMRole) -> "LLMSettings":
        """These settings as they apply to one role."""
        place = self.elsewhere.get(role)
        return self if place is None else self.model_copy(update=dict(place))
