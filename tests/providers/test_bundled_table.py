"""The table that comes with the package: always the same vectors, and near what means the same."""

import hashlib

import numpy as np
import pytest

from sharpwave.providers.sharpwave_embedder.embedder import SharpwaveEmbedder
from sharpwave.types.storing import Space

TEXTS = ["Maya: I finally adopted a dog!", "Wohin ziehen sie um?", "東京タワーに行きました 🎉", ""]


@pytest.fixture(scope="module")
def embedder() -> SharpwaveEmbedder:
    return SharpwaveEmbedder()


def test_its_space_is_pinned(embedder: SharpwaveEmbedder) -> None:
    """A change here is a new space: give it a new version, or stored vectors no longer fit."""
    assert embedder.space == Space("sharpwave-static", "1", 256)
    questions = np.stack([embedder.embed_question(text) for text in TEXTS])
    assert _digest(embedder.embed(TEXTS)) == "73247047f440dc42"
    assert _digest(questions) == "b5f3eb748960eb48"


@pytest.mark.parametrize(
    ("question", "right", "wrong"),
    [
        ("Where is her sibling's home?", "My sister lives in Porto", "What does she do?"),
        ("What is her profession?", "I started a new job as a hydrologist", "I read on the tram"),
        ("Wie heißt der Hund?", "My dog's name is Pixel", "My bank is closed on Mondays"),
        ("¿Dónde vive mi hermana?", "My sister lives in Porto", "I like short answers"),
    ],
)
def test_meaning_is_nearer_than_chance(
    embedder: SharpwaveEmbedder, question: str, right: str, wrong: str
) -> None:
    near, far = embedder.embed([right, wrong]) @ embedder.embed_question(question)
    assert near > far


def _digest(vectors: np.ndarray[tuple[int, ...], np.dtype[np.float32]]) -> str:
    return hashlib.blake2b(vectors.astype("<f4").tobytes(), digest_size=8).hexdigest()
