import hashlib
import itertools
import random
import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sharpwave import InvalidSettings
from sharpwave.embedding.hash_embedder import HashEmbedder
from sharpwave.types.storing import Space

DIMENSION = 384

any_text = st.text(alphabet=st.characters(), max_size=200) | st.text(
    alphabet=st.sampled_from("ab Z9.,'é漢字ก🎉\u0301\ufe0f\u200d\ud800\udfff\x00\ufdfa"),
    max_size=80,
)
dimensions = st.sampled_from([1, 8, 32, 64, 100, 384])


@settings(max_examples=150, deadline=None)
@given(any_text, dimensions)
def test_every_text_has_a_unit_vector(text: str, dimension: int) -> None:
    vector = HashEmbedder(dimension).embed_question(text)

    assert vector.shape == (dimension,)
    assert vector.dtype == np.float32
    assert np.linalg.norm(vector.astype(np.float64)) == pytest.approx(1, abs=1e-6)


@settings(max_examples=50, deadline=None)
@given(st.lists(any_text, max_size=6))
def test_a_batch_is_its_texts_whatever_was_embedded_before(texts: list[str]) -> None:
    used = HashEmbedder(DIMENSION)
    used.embed([*texts, "something else 🎉"])
    vectors = used.embed(texts)

    assert vectors.shape == (len(texts), DIMENSION)
    for text, vector in zip(texts, vectors, strict=True):
        assert np.array_equal(HashEmbedder(DIMENSION).embed_question(text), vector)


GOLDEN = {
    "": "ce4a19ea174e72d1",
    "I moved to Zürich in March, and I don't like it!": "c38370da5b9d3793",
    "猫が好きです 🎉": "1622e609ec8219df",
    "the the the cat": "837b339c0837ef0c",
}


@pytest.mark.parametrize(("text", "digest"), GOLDEN.items())
def test_the_space_does_not_change_silently(text: str, digest: str) -> None:
    """If this fails on purpose, the vectors are of a new space: raise VERSION."""
    vector = HashEmbedder(DIMENSION).embed_question(text)

    assert hashlib.sha256(vector.astype("<f4").tobytes()).hexdigest()[:16] == digest


def test_first_numbers_of_a_vector() -> None:
    vector = HashEmbedder(32).embed_question("Anna lives in Basel")

    assert vector[:6].tolist() == pytest.approx(
        [-0.24044976, -0.06397132, 0.03165995, 0.04260879, -0.23050654, -0.03450403], abs=1e-7
    )


def test_space() -> None:
    assert HashEmbedder(DIMENSION).space == Space("hash-ngram", "1", DIMENSION)


@pytest.mark.parametrize("dimension", [0, -8])
def test_a_vector_needs_a_dimension(dimension: int) -> None:
    with pytest.raises(InvalidSettings, match="must be positive"):
        HashEmbedder(dimension)


@pytest.mark.parametrize(
    ("text", "close", "far"),
    [
        ("restaurant", "restuarant", "photograph"),
        ("she painted a sunrise", "painting sunrises", "he repaired the old car"),
        ("My sister Anna lives in Basel", "Where does Anna live?", "The printer is out of toner"),
        ("We went camping in the mountains", "a camping trip", "Dinner with the new neighbours"),
        ("Er wohnt in München", "MÜNCHEN", "Sie kauft ein Fahrrad"),
        ("私は猫が好きです", "猫", "明日は雨が降る"),
        ("ฉันชอบแมว", "แมว", "พรุ่งนี้ฝนตก"),
        ("Она живёт в Москве", "Москва", "Новый телефон"),
        ("party tonight 🎉", "🎉", "🚗"),
        ("\ufb01ne \uff24\uff49\uff4e\uff49\uff4e\uff47", "fine dining", "coarse sand"),
        ("Who is at the door?", "a door", "Who is at the bank?"),
    ],
)
def test_like_is_closer_than_unlike(text: str, close: str, far: str) -> None:
    vectors = HashEmbedder(DIMENSION).embed([text, close, far])

    like, unlike = (vectors[1:] @ vectors[0]).tolist()
    assert like > unlike + 0.1


@pytest.mark.parametrize("same", ["I'm in PARIS!!", "i m  in\tparis", "\ud800i'm in paris\u200b"])
def test_case_and_punctuation_do_not_matter(same: str) -> None:
    embedder = HashEmbedder(DIMENSION)

    assert np.array_equal(embedder.embed_question(same), embedder.embed_question("I'm in Paris"))


@pytest.mark.parametrize("empty", ["", "   ", "?!…", "\x00", "\udc80", "\ufe0f", "—「」"])
def test_text_without_words_points_in_one_fixed_direction(empty: str) -> None:
    embedder = HashEmbedder(DIMENSION)

    nowhere = embedder.embed_question("")
    assert np.array_equal(embedder.embed_question(empty), nowhere)
    assert abs(float(embedder.embed_question("Anna lives in Basel") @ nowhere)) < 0.2


def test_repetition_is_damped() -> None:
    embedder = HashEmbedder(DIMENSION)
    once, often = embedder.embed(["Anna likes tea", "Anna likes tea tea tea tea"])

    assert 0.8 < float(once @ often) < 0.999


@pytest.mark.parametrize(
    "text",
    [
        "a" * 2**20,
        "word " * 200_000,
        "a" + "\u0301\u0327" * 250_000,
        " ".join(map(str, range(150_000))),
        "".join(map(chr, range(0x4E00, 0x9FFF))) * 16,
    ],
    ids=["one word", "one word repeated", "combining marks", "distinct words", "no spaces"],
)
def test_a_megabyte_is_embedded(text: str) -> None:
    vector, nowhere = map(HashEmbedder(DIMENSION).embed_question, (text, ""))

    assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-5)
    assert abs(float(vector @ nowhere)) < 0.2


def test_a_full_word_cache_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [f"word{number} and word{number + 1}" for number in range(40)]
    expected = HashEmbedder(DIMENSION).embed(texts)
    monkeypatch.setattr("sharpwave.embedding.hash_embedder.CACHE_BYTES", 5000)
    monkeypatch.setattr("sharpwave.embedding.hash_embedder.BLOCK_CELLS", 2 * DIMENSION)

    assert np.array_equal(HashEmbedder(DIMENSION).embed(texts), expected)


def test_threads_share_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sharpwave.embedding.hash_embedder.CACHE_BYTES", 20_000)
    texts = _sentences(100, seed=3)
    expected = HashEmbedder(DIMENSION).embed(texts)
    shared = HashEmbedder(DIMENSION)
    right: list[bool] = []

    def embed() -> None:
        right.append(np.array_equal(shared.embed(texts), expected))

    threads = [threading.Thread(target=embed) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert right == [True] * 4


def test_sign_bits_keep_the_neighbours() -> None:
    embedder = HashEmbedder(DIMENSION)
    statements = embedder.embed(_sentences(2000, seed=1))
    questions = embedder.embed(_sentences(100, seed=2))
    cosines = questions @ statements.T
    differing = (questions > 0)[:, None, :] != (statements > 0)[None, :, :]
    candidates = np.argsort(differing.sum(axis=2), axis=1, kind="stable")[:, :100]

    kept = []
    for row, among in zip(cosines, candidates, strict=True):
        exact = set(np.argsort(-row, kind="stable")[:10].tolist())
        found = set(among[np.argsort(-row[among], kind="stable")[:10]].tolist())
        kept.append(len(exact & found) / 10)
    assert np.mean(kept) >= 0.95


def test_no_dimension_is_biased() -> None:
    """Each sign bit splits the sentences, so that each carries information."""
    vectors = HashEmbedder(DIMENSION).embed(_sentences(1000, seed=4))

    share = (vectors > 0).mean(axis=0)
    assert 0.4 < share.mean() < 0.6
    assert ((share > 0.05) & (share < 0.95)).mean() > 0.98


WORDS = [
    "Anna Bruno Clara David Elena Felix Greta Hugo Irene Jonas Klara Leon Marta Nils Olga Pablo",
    "visited painted repaired bought forgot cooked photographed cancelled planned remembered sold",
    "garden bicycle kitchen violin mountain cathedral notebook telescope sandwich hammock carpet "
    "museum festival apartment aquarium lantern orchard passport recipe sailboat umbrella vineyard",
    "Basel Lisbon Kyoto Toronto Nairobi Oslo Lima Dublin Prague Hanoi Quito Riga Sofia Tunis",
    "yesterday tomorrow Monday Wednesday Saturday January April August October winter summer",
    "cheerfully reluctantly suddenly quietly twice together alone finally carefully hurriedly",
]


def _sentences(count: int, seed: int) -> list[str]:
    """Sentences that no two of them share by accident alone."""
    chosen = random.Random(seed)
    slots = [words.split() for words in WORDS]
    made = []
    for _ in itertools.repeat(None, count):
        who, did, what, where, when, how = (chosen.choice(slot) for slot in slots)
        other = chosen.choice(slots[2])
        made.append(f"{who} {how} {did} the {what} and a {other} in {where} {when}")
    return made
