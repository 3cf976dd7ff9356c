"""Embedders, rerankers, finders of names, and language models."""

from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from pydantic import Field, SecretStr

from sharpwave.settings.core import Group
from sharpwave.types.llm import LLMProvider, LLMRole


class EmbedderSettings(Group):
    """Which embedder turns text into vectors."""

    provider: Literal[
        "sharpwave", "table", "hash", "openai", "model2vec", "fastembed", "sentence-transformers"
    ] = Field(
        "sharpwave",
        description="sharpwave: by meaning, the bundled encoder and table. table: the table alone, "
        "a hundred times cheaper. hash: spelling only, no model. openai: any OpenAI-compatible "
        "endpoint. The others: a model of that library in a folder.",
    )
    model_folder: Path | None = Field(None, description="The folder of that model [MDL-01].")
    device: Literal["cpu", "cuda", "auto"] = Field(
        "cpu", description="Where fastembed's and sentence-transformers' models run [MDL-07]."
    )
    model: str = Field(
        "text-embedding-3-small", description="Model name for the endpoint, or for fastembed."
    )
    base_url: str | None = Field(None, description="Address of an OpenAI-compatible endpoint.")
    api_key: SecretStr | None = Field(None, description="Key for that endpoint.")
    dimension: int | None = Field(None, ge=1, description="Vector size to ask the endpoint for.")


class RerankerSettings(Group):
    """A model that takes another look at the best candidates, besides the bundled table."""

    folder: Path | None = Field(
        None,
        description="Where a cross-encoder's model.onnx and tokenizer.json are; it takes some ten "
        "milliseconds a text. Default: none.",
    )


class NamesSettings(Group):
    """A model that finds names of people, places and things, besides our rules."""

    folder: Path | None = Field(
        None,
        description="Folder of a GLiNER model, for other languages; default: none [MDL-03].",
    )


class LLMPlace(Group):
    """Another vendor for one role, with its prices [LLM-04]."""

    provider: LLMProvider = Field(description="Vendor of this role's model.")
    base_url: str | None = Field(None, description="Address of its endpoint.")
    api_key: SecretStr | None = Field(None, description="Key for that endpoint.")
    input_price: float = Field(0.0, ge=0, description="Price of a million tokens sent there.")
    output_price: float = Field(0.0, ge=0, description="Price of a million tokens from there.")


class LLMSettings(Group):
    """The language model, if any. Without one, rules are used instead [LLM-05]."""

    provider: LLMProvider = Field(
        LLMProvider.NONE,
        description="Vendor of the models; none: rules only. openai with a base_url: any server "
        "that speaks its protocol [LLM-01].",
    )
    base_url: str | None = Field(None, description="Address, if not the provider's usual one.")
    api_key: SecretStr | None = Field(
        None, description="Key for that endpoint; else the provider's usual variable."
    )
    models: Mapping[LLMRole | Literal["default"], str] = Field(
        {},
        description="Model of each role: analyzer (finds patterns), generator (writes texts), "
        "optimizer (improves instructions and skills), utility (extraction, reflection and "
        "checks), or default for every role that has none [LLM-02].",
    )
    elsewhere: Mapping[LLMRole, LLMPlace] = Field(
        {}, description="Roles with a vendor of their own: provider, base_url, api_key, prices."
    )
    timeout_s: float = Field(60.0, gt=0, description="Longest wait for one request.")
    input_price: float = Field(
        0.0, ge=0, description="Price of a million tokens sent, of the dearest model in use."
    )
    output_price: float = Field(
        0.0, ge=0, description="Price of a million tokens answered, of the dearest model in use."
    )
    daily_calls: int = Field(2000, ge=0, description="Most calls a user and day.")
    daily_tokens: int = Field(
        2_000_000, ge=0, description="Most tokens a user and day, sent and answered together."
    )
    daily_cost: float | None = Field(
        None, ge=0, description="Most money a user and day, in the currency of the prices."
    )

    @property
    def named(self) -> bool:
        """Whether any role has a vendor."""
        return any(self.of(role).provider is not LLMProvider.NONE for role in LLMRole)

    def model_of(self, role: LLMRole) -> str:
        """The model of a role; empty if none is named."""
        return self.models.get(role) or self.models.get("default", "")

    def of(self, role: LLMRole) -> "LLMSettings":
        """These settings as they apply to one role."""
        place = self.elsewhere.get(role)
        return self if place is None else self.model_copy(update=dict(place))
