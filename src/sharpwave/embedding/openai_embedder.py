"""Embeddings from any endpoint that speaks OpenAI's `/v1/embeddings`, hosted or on this machine.

Answers are checked, never trusted.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, ValidationError

from sharpwave.llm.endpoint import SdkEndpoint, Timing, TooLate, Unusable, sendable
from sharpwave.settings.models import EmbedderSettings
from sharpwave.types.storing import Space

# The vectors depend on the model; raise this if texts or answers are ever treated differently.
VERSION = "1"
OPENAI_URL = "https://api.openai.com/v1"
TIMEOUT_S = 30.0
"""Maximum wait for one request, in seconds."""
RETRIES = 2
"""Retries after a failed request."""
BATCH_SIZE = 128
"""Maximum number of texts in one request."""
MAX_ANSWER_BYTES = 32 * 2**20
"""Maximum size of an answer, in bytes; a longer one is refused."""

_ADVICE = {
    401: "set embedder.api_key to a valid key",
    403: "use an embedder.api_key that may use this model",
    404: "check embedder.base_url and embedder.model",
    413: "send less text at once",
    None: "check embedder.model, embedder.dimension and the length of the texts",
}


class OpenAIEmbedder:
    """Embeds texts with the model of an OpenAI-compatible endpoint.

    Nothing is sent before the first use. If `embedder.dimension` is not set and no vector space
    that is `known` already belongs to the model, the first use finds out how long its vectors are.
    """

    def __init__(self, settings: EmbedderSettings, known: Sequence[Space] = ()) -> None:
        url = settings.base_url or OPENAI_URL
        self._endpoint = SdkEndpoint("embedder", "embedding", url, settings.api_key, _ADVICE)
        self._settings = settings
        self._name = f"openai:{settings.model}"
        sizes = [space.dimension for space in known if space[:2] == (self._name, VERSION)]
        self._dimension = settings.dimension or (sizes[0] if len(sizes) == 1 else None)
        self._client = self._endpoint.client(
            timeout_s=TIMEOUT_S, retries=RETRIES, max_bytes=MAX_ANSWER_BYTES, timing=Timing()
        )

    @property
    def space(self) -> Space:
        """Name, version and dimension; asks the endpoint once if the dimension is not known."""
        dimension = self._dimension or self.embed_question("dimension").size
        return Space(self._name, VERSION, dimension)

    def embed(self, statements: Sequence[str]) -> NDArray[np.float32]:
        """One unit vector a statement, shape (n, dimension), in requests of `BATCH_SIZE` texts."""
        if not statements:
            return np.empty((0, self.space.dimension), dtype=np.float32)
        batches = range(0, len(statements), BATCH_SIZE)
        return np.concatenate([self._batch(statements[at : at + BATCH_SIZE]) for at in batches])

    def embed_question(self, question: str) -> NDArray[np.float32]:
        """Return the unit vector to search with."""
        vector: NDArray[np.float32] = self._batch([question])[0]
        return vector

    def close(self) -> None:
        """Close the connections to the endpoint."""
        self._client.close()

    def _batch(self, texts: Sequence[str]) -> NDArray[np.float32]:
        vectors = self._checked(self._ask([sendable(text) for text in texts]), len(texts))
        if self._dimension is None:
            self._dimension = vectors.shape[1]
        if vectors.shape[1] != self._dimension:
            raise self._endpoint.misbehaved(
                f"vectors of {vectors.shape[1]} numbers instead of {self._dimension}; "
                "check embedder.dimension and embedder.model"
            )
        return vectors

    def _ask(self, texts: list[str]) -> bytes:
        wanted = self._settings.dimension
        try:
            response = self._client.embeddings.with_raw_response.create(
                model=self._settings.model,
                input=texts,
                encoding_format="float",
                extra_body={"dimensions": wanted} if wanted else None,
            )
        # The SDK's errors carry the request, and with it the key: they are not chained.
        except self._endpoint.sdk.APIError as error:
            raise self._endpoint.failure(error, TIMEOUT_S).error from None
        except TooLate:
            raise self._endpoint.unreachable(TIMEOUT_S).error from None
        except Unusable as error:
            raise self._endpoint.misbehaved(f"{error}; check embedder.base_url") from None
        return bytes(response.content)

    def _checked(self, answer: bytes, expected: int) -> NDArray[np.float32]:
        try:
            return _unit(_matrix(_EmbeddingsAnswer.model_validate_json(answer).data, expected))
        except ValidationError:
            problem = "something else than embeddings"
        except _Unusable as error:
            problem = str(error)
        raise self._endpoint.misbehaved(f"{problem}; check embedder.base_url and embedder.model")


class _Vector(BaseModel):
    model_config = ConfigDict(strict=True, allow_inf_nan=False)

    index: int
    embedding: list[float]


class _EmbeddingsAnswer(BaseModel):
    data: list[_Vector]


class _Unusable(Exception):
    """Well-formed embeddings that do not belong to what was asked."""


def _matrix(items: list[_Vector], expected: int) -> NDArray[np.float64]:
    """Bring the vectors into the order of the texts they belong to."""
    if len(items) != expected:
        raise _Unusable(f"{len(items)} vectors for {expected} texts")
    ordered = sorted(items, key=lambda item: item.index)
    if [item.index for item in ordered] != list(range(expected)):
        raise _Unusable("vectors without a place in the batch")
    if len({len(item.embedding) for item in items}) != 1:
        raise _Unusable("vectors of different lengths")
    return np.array([item.embedding for item in ordered], dtype=np.float64)


def _unit(vectors: NDArray[np.float64]) -> NDArray[np.float32]:
    peaks = np.abs(vectors).max(axis=1, keepdims=True, initial=0.0)
    if not peaks.all():
        raise _Unusable("a vector of zeros")
    scaled = vectors / peaks  # so that no square overflows or vanishes
    unit: NDArray[np.float32] = (scaled / np.linalg.norm(scaled, axis=1, keepdims=True)).astype(
        np.float32
    )
    return unit
