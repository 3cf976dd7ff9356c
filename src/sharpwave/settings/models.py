"""Embedders and language models."""

from pathlib import Path
from typing import Literal, Self

from pydantic import Field, SecretStr, model_validator

from sharpwave.settings.group import Group
from sharpwave.settings.storage import MIB
from sharpwave.types.llm import LLMProvider, LLMRole


class EmbedderSettings(Group):
    """Which embedder turns text into vectors."""

    provider: Literal[
        "sharpwave", "hash", "openai", "model2vec", "fastembed", "sentence-transformers"
    ] = Field(
        "sharpwave",
        description="sharpwave: by meaning, a table of our own. hash: spelling only, no model. "
        "openai: any OpenAI-compatible endpoint. The others: a model of that library in a folder.",
    )
    model_folder: Path | None = Field(None, description="The folder of that model [MDL-01].")
    device: Literal["cpu", "cuda", "auto"] = Field(
        "cpu", description="Where fastembed's and sentence-transformers' models run [MDL-07]."
    )
    table_file: Path | None = Field(
        None, description="A table of your own for the sharpwave embedder, not the bundled one."
    )
    hash_dimension: int = Field(384, ge=32, le=4096, multiple_of=8, description="Size of a vector.")
    model: str = Field(
        "text-embedding-3-small", description="Model name for the endpoint, or for fastembed."
    )
    base_url: str | None = Field(None, description="Address of an OpenAI-compatible endpoint.")
    api_key: SecretStr | None = Field(None, description="Key for that endpoint.")
    dimension: int | None = Field(None, ge=1, description="Vector size to ask the endpoint for.")
    timeout_s: float = Field(30.0, gt=0, description="Longest wait for one request.")
    retries: int = Field(2, ge=0, description="Further tries after a failed request.")
    max_answer_bytes: int = Field(
        32 * MIB, ge=1024, description="Longest answer of an endpoint that is read."
    )
    batch_size: int = Field(128, ge=1, description="Texts in one request.")
    cache_entries: int = Field(4096, ge=0, description="Vectors kept for texts seen lately.")


class NamesSettings(Group):
    """What finds names of people, places and things in what is said."""

    provider: Literal["rules", "gliner"] = Field(
        "rules", description="rules: our own. gliner: a model in a folder too, for other languages."
    )
    folder: Path | None = Field(None, description="The folder of a GLiNER model [MDL-03].")
    device: Literal["cpu", "cuda", "auto"] = Field("cpu", description="Where that model runs.")
    threshold: float = Field(0.5, gt=0, lt=1, description="How sure it has to be of a name.")


class LLMModels(Group):
    """Which model plays which role [LLM-02]."""

    default: str = Field("", description="Model of every role that has none of its own.")
    analyzer: str = Field("", description="Model that finds patterns in what happened.")
    generator: str = Field("", description="Model that writes texts.")
    optimizer: str = Field("", description="Model that improves instructions and skills.")
    utility: str = Field("", description="Small model for extraction, reflection and checks.")

    def of(self, role: LLMRole) -> str:
        """The model of a role; empty if none is named."""
        own: str = getattr(self, role.value)
        return own or self.default


class LLMPlace(Group):
    """Where one role is played, and at what price, if not where the others are [LLM-04]."""

    provider: LLMProvider | None = Field(None, description="Who serves this role's model.")
    base_url: str | None = Field(None, description="Address of its endpoint.")
    api_key: SecretStr | None = Field(None, description="Key for that endpoint.")
    input_price: float = Field(0.0, ge=0, description="Price of a million tokens sent there.")
    output_price: float = Field(0.0, ge=0, description="Price of a million tokens from there.")

    @model_validator(mode="after")
    def _somewhere(self) -> Self:
        """Without a provider the role would be played where the others are, in silence."""
        if self.provider is None and self != type(self).model_construct():
            raise ValueError("say the provider, too")
        return self


class LLMPlaces(Group):
    """Roles that are played elsewhere: a small model on this machine, a large one in the cloud."""

    analyzer: LLMPlace = LLMPlace()
    generator: LLMPlace = LLMPlace()
    optimizer: LLMPlace = LLMPlace()
    utility: LLMPlace = LLMPlace()


class LLMSettings(Group):
    """The language model, if there is one. Without one, rules do its work [LLM-05]."""

    provider: LLMProvider = Field(
        LLMProvider.NONE,
        description="Who serves the models; none: rules only. openai with a base_url: any server "
        "that speaks its protocol [LLM-01].",
    )
    base_url: str | None = Field(None, description="Address, if not the provider's usual one.")
    api_key: SecretStr | None = Field(
        None, description="Key for that endpoint; else the provider's usual variable."
    )
    models: LLMModels = LLMModels()
    elsewhere: LLMPlaces = LLMPlaces()
    timeout_s: float = Field(60.0, gt=0, description="Longest wait for one request.")
    deadline_s: float = Field(
        180.0, gt=0, description="Longest wait for one call, with all its further tries."
    )
    retries: int = Field(2, ge=0, le=20, description="Further tries after a failed request.")
    backoff_s: float = Field(
        0.5, gt=0, description="Wait before the first further try; then twice as long each time."
    )
    max_output_tokens: int = Field(4096, ge=1, description="Longest answer to ask for, in tokens.")
    max_answer_bytes: int = Field(
        4 * MIB, ge=1024, description="Longest answer that is read; more is refused."
    )
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
        """Whether anybody plays any role."""
        return any(self.of(role).provider is not LLMProvider.NONE for role in LLMRole)

    def of(self, role: LLMRole) -> "LLMSettings":
        """These settings as they hold for one role."""
        place: LLMPlace = getattr(self.elsewhere, role.value)
        if place.provider is None:
            return self
        return self.model_copy(update=dict(place))
