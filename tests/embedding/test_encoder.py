"""The bundled sentence encoder, and the word pieces it reads."""

import json
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sharpwave import InvalidSettings, Memory, Settings
from sharpwave.embedding import encoder
from sharpwave.embedding.encoder import FIRST, MODEL, VOCABULARY, WINDOW, SentenceEncoder
from sharpwave.embedding.sharpwave_embedder import SharpwaveEmbedder
from sharpwave.embedding.table_embedder import TableEmbedder
from sharpwave.embedding.word_pieces import WordPieces

DATA = Path(__file__).parent / "data" / "word_pieces.jsonl"
BUNDLED = Path(sys.modules["sharpwave"].__file__ or "").parent / "data"


@pytest.fixture(scope="module")
def pieces() -> WordPieces:
    return WordPieces((BUNDLED / VOCABULARY).read_text("utf-8").splitlines())


def test_pieces_are_those_of_the_library_the_model_was_trained_with(pieces: WordPieces) -> None:
    """The file was written by `tokenizers`, from turns of people and from odd texts."""
    for line in DATA.read_text("utf-8").splitlines():
        expected = json.loads(line)
        assert pieces.ids(expected["text"]) == expected["ids"], expected["text"]


@given(st.text(max_size=300))
def test_any_text_has_pieces(text: str) -> None:
    pieces = WordPieces(["[UNK]", "[CLS]", "[SEP]", "a", "##b"])
    assert all(0 <= id_ < 5 for id_ in pieces.ids(text))


def test_meaning_is_found_without_common_words() -> None:
    encoder = SentenceEncoder()
    said = encoder.embed(
        [
            "We adopted a greyhound from the shelter.",
            "My landlord raised the rent again.",
            "I start at the new office on Monday.",
        ]
    )
    asked = ("What pet do I have?", "How expensive is my flat?", "When does my job begin?")
    for place, question in enumerate(asked):
        assert int(np.argmax(said @ encoder.embed_question(question))) == place


def test_a_vector_is_the_same_to_the_last_bit_alone_and_in_a_batch() -> None:
    encoder = SentenceEncoder()
    texts = ["short", "a much longer sentence about boats and the sea", "ok " * 90]
    together = encoder.embed(texts)
    for text, vector in zip(texts, together, strict=True):
        assert encoder.embed([text])[0].tobytes() == vector.tobytes()
        assert encoder.embed_question(text).tobytes() == vector.tobytes()


def test_every_processor_reads_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With signed weights, and as those are multiplied where they would saturate."""
    texts = ["We moved to Leeds in May, the cat too.", "Sulfa drugs are out, I carry a card"]
    for name in (FIRST, MODEL, VOCABULARY):
        (tmp_path / name).symlink_to(str(files("sharpwave") / "data" / name))
    here = SentenceEncoder().embed(texts)
    monkeypatch.setattr(encoder, "_saturates", lambda: True)
    assert np.array_equal(SentenceEncoder(tmp_path).embed(texts), here)


def test_a_capital_letter_makes_no_other_vector() -> None:
    lower, upper = SentenceEncoder().embed(["vinter left the team", "Vinter left the team"])
    assert np.array_equal(lower, upper)


def test_the_end_of_a_long_text_counts() -> None:
    encoder = SentenceEncoder()
    start = "The weather was dull. " * WINDOW
    vectors = encoder.embed([start, f"{start[: 4 * WINDOW]} My cat is called Basil. " * 2])
    question = encoder.embed_question("What is the cat called?")
    assert vectors[1] @ question > vectors[0] @ question


def test_both_parts_of_the_built_in_embedder_count() -> None:
    both, encoder, table = SharpwaveEmbedder(), SentenceEncoder(), TableEmbedder()
    said, asked = "My sister lives in Porto.", "Where does my sister live?"
    mean = 0.6 * (encoder.embed([said])[0] @ encoder.embed_question(asked)) + 0.4 * (
        table.embed([said])[0] @ table.embed_question(asked)
    )
    assert both.embed([said])[0] @ both.embed_question(asked) == pytest.approx(mean, abs=1e-5)
    assert both.space.dimension == encoder.space.dimension + table.space.dimension


@pytest.mark.parametrize(
    "said",
    [
        "Meine Schwester wohnt seit März in Porto.",
        "Mijn zus woont sinds maart in Porto.",
        "मेरी बहन पोर्टो में रहती है",
        "我姐姐住在波尔图",
    ],
)
def test_the_table_counts_more_in_other_languages(said: str) -> None:
    embedder = SharpwaveEmbedder()
    assert embedder.table_share("My sister has lived in Porto since March.") == 0.4
    assert embedder.table_share(said) > 0.6
    assert np.linalg.norm(embedder.embed([said])[0]) == pytest.approx(1, abs=1e-5)


def test_a_folder_without_a_model_is_named() -> None:
    with pytest.raises(InvalidSettings, match="nowhere"):
        SentenceEncoder(Path("/nowhere")).embed(["hello"])


def test_nothing_is_loaded_before_a_text_is_embedded(tmp_path: Path) -> None:
    program = (
        "import sys; from sharpwave import Memory\n"
        f"memory = Memory.open({str(tmp_path / 'm.db')!r})\n"
        "assert 'onnxruntime' not in sys.modules\n"
        "memory.remember('I live in Porto.')\n"
        "assert 'onnxruntime' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_a_memory_of_the_table_alone_needs_no_runtime(tmp_path: Path) -> None:
    settings = Settings.model_validate({"embedder": {"provider": "table"}})
    with Memory.open(tmp_path / "m.db", settings=settings) as memory:
        memory.remember("I live in Porto.")
        assert memory.recall("Where do I live?").items
