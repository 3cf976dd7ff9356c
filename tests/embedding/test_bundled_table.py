"""The table that comes with the package: always the same vectors, and near what means the same."""

import hashlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from sharpwave import Memory, wiring
from sharpwave.embedding.table import Table, load_table
from sharpwave.embedding.table_embedder import TableEmbedder, TokenScorer
from sharpwave.testing import resources_of
from sharpwave.types.storing import Space

TEXTS = ["Maya: I finally adopted a dog!", "Wohin ziehen sie um?", "東京タワーに行きました 🎉", ""]


@pytest.fixture(scope="module")
def embedder() -> TableEmbedder:
    return TableEmbedder()


def test_its_space_is_pinned(embedder: TableEmbedder) -> None:
    """A change here is a new space: give it a new version, or stored vectors no longer fit."""
    assert embedder.space == Space("sharpwave-static", "3", 256)
    questions = np.stack([embedder.embed_question(text) for text in TEXTS])
    assert _digest(embedder.embed(TEXTS)) == "7108467a89a124c5"
    assert _digest(questions) == "1eceb185a478023a"


class Before:
    """Stands for the table that came with the first release."""

    space = Space("sharpwave-static", "1", 256)

    def embed(self, statements: Sequence[str]) -> NDArray[np.float32]:
        return np.stack([self.embed_question(one) for one in statements])

    def embed_question(self, question: str) -> NDArray[np.float32]:
        return np.roll(np.eye(1, 256, dtype=np.float32)[0], len(question))


def test_a_store_of_the_table_before_is_moved_by_reembed(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    with Memory.open(path, embedder=Before()) as memory:
        memory.remember(["Maya adopted a beagle", "Tom moved to Porto"])
    with Memory.open(path) as memory:
        everything = memory.admin.stats().memories
        assert memory.admin.stats().awaiting_reembed == everything
        assert memory.recall("beagle").items[0].terms["cosine"] == 0
        assert memory.admin.reembed() == everything and memory.admin.reembed() == 0
        assert memory.admin.stats().awaiting_reembed == 0
        assert memory.recall("beagle").items[0].terms["cosine"] > 0


def test_the_token_scorer_knows_what_a_question_looks_for() -> None:
    scores = TokenScorer().score(
        "When did Anna buy the camera?",
        ["Anna: I bought the camera last Tuesday", "Anna: the camera is heavy", "Tom: nice, wow!"],
    )
    assert scores[0] > scores[1] > scores[2]


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
    embedder: TableEmbedder, question: str, right: str, wrong: str
) -> None:
    near, far = embedder.embed([right, wrong]) @ embedder.embed_question(question)
    assert near > far


def _digest(vectors: np.ndarray[tuple[int, ...], np.dtype[np.float32]]) -> str:
    return hashlib.blake2b(vectors.astype("<f4").tobytes(), digest_size=8).hexdigest()


@pytest.mark.spec("MDL-08")
def test_the_table_is_loaded_once_and_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    loaded: list[Path | None] = []

    def counted(file: Path | None) -> Table:
        loaded.append(file)
        return load_table(file)

    monkeypatch.setattr(wiring, "load_table", counted)
    with Memory.open(tmp_path / "m.db") as memory:
        table = resources_of(memory).tokens
        for n in range(3):
            memory.remember(f"Parcel {n} came.")
            memory.recall(f"Where is parcel {n}?")
            memory.user(f"person {n}").recall("Anything?")
            assert resources_of(memory.user(f"person {n}")).tokens is table
    assert len(loaded) == 1, "by the embedder and the token scorer, for every user"


@pytest.mark.spec("MDL-08")
def test_memories_of_one_process_share_the_table_and_no_words() -> None:
    mine, theirs = load_table(None), load_table(None)
    assert mine.vectors is theirs.vectors
    kept = mine.tokenizer.pieces("zwetschgenkuchen")
    assert mine.tokenizer._known and not theirs.tokenizer._known
    assert theirs.tokenizer.pieces("zwetschgenkuchen") == kept
