import hashlib
import json
import math
import threading
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from sharpwave import InvalidSettings, Settings
from sharpwave.embedding import table
from sharpwave.embedding.table import Tokenizer, load_table
from sharpwave.embedding.table_embedder import TableEmbedder, TokenScorer
from sharpwave.settings.models import EmbedderSettings
from sharpwave.types.storing import Space
from sharpwave.wiring import open_resources

DIMENSION = 24
CHARACTERS = "abcdefghijklmnopqrstuvwxyz0123456789éжш漢字東京🎉▁"
PIECES = [
    *CHARACTERS,
    *"▁anna ▁live ▁lives s ing ▁in ▁basel ▁the ▁cat ▁moved ▁to ▁zürich 東京 ▁жить ▁1 20".split(),
]
PIECES = list(dict.fromkeys(PIECES))

any_text = st.text(alphabet=st.characters(), max_size=200) | st.text(
    alphabet=st.sampled_from("ab Z9.,'é漢字ก🎉\u0301\ufe0f\u200d\ud800\udfff\x00\ufdfa▁"),
    max_size=80,
)

Arrays = dict[str, NDArray[Any]]


def small_table(*, transforms: bool = True) -> Arrays:
    """The arrays of a table of arbitrary numbers: characters, and a few words that are likelier."""
    count = len(PIECES)
    arrays: Arrays = {
        "vocab": as_bytes("\n".join(PIECES)),
        "score": np.array([-9.0 if len(p) == 1 else -5.0 - len(p) / 8 for p in PIECES], np.float32),
        "table": arbitrary("table", count, DIMENSION),
        "scale": (arbitrary("scale", count) + np.float32(140)) / np.float32(25_000),
        "weight": (arbitrary("weight", count) + np.float32(140)) / np.float32(130),
        "meta": as_bytes(json.dumps({"name": "small", "version": "3", "dimension": DIMENSION})),
    }
    if transforms:
        for name in ("statement", "question"):
            arrays[name] = arbitrary(name, DIMENSION, DIMENSION) / np.float32(100)
    return arrays


def arbitrary(seed: str, *shape: int) -> NDArray[np.int8]:
    """Numbers without a pattern, the same for ever."""
    drawn = hashlib.shake_128(seed.encode()).digest(int(np.prod(shape)))
    return np.frombuffer(drawn, dtype=np.int8).reshape(shape)


def as_bytes(text: str) -> NDArray[np.uint8]:
    return np.frombuffer(text.encode(), dtype=np.uint8)


def written(path: Path, arrays: Arrays) -> Path:
    np.savez(path, allow_pickle=True, **arrays)
    return path


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(tmp_path_factory.mktemp("table") / "small.npz", small_table())


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table without transforms."""
    arrays = small_table(transforms=False)
    return written(tmp_path_factory.mktemp("plain") / "plain.npz", arrays)


@pytest.fixture
def embedder(file: Path) -> TableEmbedder:
    return TableEmbedder(file)


def test_a_long_word_is_cut_like_words(embedder: TableEmbedder) -> None:
    limit = table.MAX_WORD_CHARS
    apart = " ".join(["a" * limit, "a" * limit, "aaa"])

    together = embedder.embed_question("a" * (2 * limit + 3))
    assert np.array_equal(together, embedder.embed_question(apart))


def test_the_word_cache_is_bounded(monkeypatch: pytest.MonkeyPatch, file: Path) -> None:
    texts = [f"word{number} and 東京{number}" for number in range(200)]
    expected = TableEmbedder(file).embed(texts)
    monkeypatch.setattr(table, "CACHE_BYTES", 3000)
    cut = Tokenizer({piece: row for row, piece in enumerate(PIECES)}, [-1.0] * len(PIECES))
    for text in texts:
        cut.ids(text)

    assert 0 < len(cut._known) <= 3000 // table.ENTRY_BYTES
    assert np.array_equal(TableEmbedder(file).embed(texts), expected)


@settings(max_examples=200, deadline=None)
@given(text=any_text)
def test_every_text_has_a_unit_vector(file: Path, plain: Path, text: str) -> None:
    for made in (TableEmbedder(file), TableEmbedder(plain)):
        for vector in (made.embed_question(text), made.embed([text])[0]):
            assert vector.shape == (DIMENSION,)
            assert vector.dtype == np.float32
            assert np.linalg.norm(vector.astype(np.float64)) == pytest.approx(1, abs=1e-6)


@settings(max_examples=100, deadline=None)
@given(texts=st.lists(any_text, max_size=6))
def test_a_batch_is_its_texts_whatever_was_embedded_before(file: Path, texts: list[str]) -> None:
    used = TableEmbedder(file)
    used.embed([*texts, "something else 🎉"])
    vectors = used.embed(texts)

    assert vectors.shape == (len(texts), DIMENSION)
    for text, vector in zip(texts, vectors, strict=True):
        assert np.array_equal(TableEmbedder(file).embed([text])[0], vector)


def test_blocks_change_nothing(monkeypatch: pytest.MonkeyPatch, file: Path) -> None:
    texts = ["Anna lives in Basel", "", "the cat moved to Zürich, and the cat lives", "東京🎉"] * 3
    expected = TableEmbedder(file).embed(texts)
    monkeypatch.setattr("sharpwave.embedding.table_embedder.BLOCK_TEXTS", 2)
    monkeypatch.setattr("sharpwave.embedding.table_embedder.BLOCK_PIECES", 3)

    assert np.array_equal(TableEmbedder(file).embed(texts), expected)


def test_the_vector_is_the_formula(file: Path) -> None:
    """In plain floating point; the whole numbers inside differ by their rounding only."""
    arrays = small_table()
    rows = [PIECES.index(piece) for piece in ("▁anna", "▁lives", "▁in", "▁basel", "▁in")]
    factor = (arrays["weight"] * arrays["scale"])[rows].astype(np.float64)
    total = factor @ arrays["table"][rows].astype(np.float64)
    made = TableEmbedder(file)

    for transform, vector in [
        (arrays["statement"], made.embed(["Anna lives in Basel in"])[0]),
        (arrays["question"], made.embed_question("Anna lives in Basel in")),
    ]:
        expected = transform.astype(np.float64) @ total
        assert vector == pytest.approx(expected / np.linalg.norm(expected), abs=1e-5)


def test_whole_numbers_give_the_same_bits_in_any_order(file: Path) -> None:
    """The numbers of NumPy and BLAS are those of Python, added one by one."""
    text = "Anna lives in Basel; the cat moved to 20 東京 and Zürich in 1"
    made = TableEmbedder(file)
    rows = made._table.tokenizer.ids(text)
    transform = made._table.question
    assert transform is not None

    table = made._table.vectors.tolist()
    factors = [int(factor) for factor in made._table.factors.tolist()]
    total = [sum(factors[row] * table[row][at] for row in rows) for at in range(DIMENSION)]
    turned = [
        sum(int(factor) * number for factor, number in zip(line, _whole(total), strict=True))
        for line in transform.tolist()
    ]
    scaled = _whole(turned)
    length = math.sqrt(sum(number * number for number in scaled))
    expected = np.array([number / length for number in scaled], dtype=np.float32)

    assert max(map(abs, factors)) == 2**22
    assert np.array_equal(made.embed_question(text), expected)


def _whole(numbers: list[int]) -> list[int]:
    factor = 2.0**20 / max(map(abs, numbers))
    return [round(number * factor) for number in numbers]


def test_without_transforms_questions_are_embedded_like_statements(plain: Path) -> None:
    made = TableEmbedder(plain)

    assert np.array_equal(made.embed(["the cat"])[0], made.embed_question("the cat"))


GOLDEN = {
    "": "7e775b1e89c4deae",
    "I moved to Zürich in March, and I don't like it!": "b4df3f7ffbafc78d",
    "東京に住む 🎉": "845803cdca4c983d",
    "the the the cat": "05182762fad1b2de",
}


@pytest.mark.parametrize(("text", "digest"), GOLDEN.items())
def test_a_table_always_gives_the_same_vectors(file: Path, text: str, digest: str) -> None:
    """If this fails on purpose, a stored vector no longer fits: the table needs a new version."""
    made = TableEmbedder(file)
    both = np.stack([made.embed_question(text), made.embed([text])[0]])

    assert hashlib.sha256(both.astype("<f4").tobytes()).hexdigest()[:16] == digest


@pytest.mark.parametrize("unknown", ["", "   ", "?!…", "\x00", "\udc80", "\ufe0f", "—「」", "ឌឍ"])
def test_text_without_known_words_points_in_one_fixed_direction(
    embedder: TableEmbedder, unknown: str
) -> None:
    nowhere = embedder.embed_question("")

    assert np.array_equal(embedder.embed_question(unknown), nowhere)
    assert np.array_equal(embedder.embed([unknown, "cat"])[0], nowhere)
    nowhere[:] = 0
    assert embedder.embed_question(unknown).any(), "a caller cannot spoil it"


def test_pieces_that_cancel_out_point_in_that_direction(tmp_path: Path) -> None:
    arrays = small_table()
    arrays["weight"][:] = 0
    made = TableEmbedder(written(tmp_path / "zero.npz", arrays))

    assert np.array_equal(made.embed_question("the cat"), made.embed_question(""))


def test_space(embedder: TableEmbedder) -> None:
    assert embedder.space == Space("small", "3", DIMENSION)


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
def test_a_megabyte_is_embedded(embedder: TableEmbedder, text: str) -> None:
    assert np.linalg.norm(embedder.embed_question(text)) == pytest.approx(1, abs=1e-5)


def test_threads_share_it(monkeypatch: pytest.MonkeyPatch, file: Path) -> None:
    texts = [f"Anna {number} lives in Basel{number} 東京" for number in range(100)]
    expected = TableEmbedder(file).embed(texts)
    monkeypatch.setattr(table, "CACHE_BYTES", 5000)
    shared = TableEmbedder(file)
    right: list[bool] = []

    def embed() -> None:
        right.append(np.array_equal(shared.embed(texts), expected))

    threads = [threading.Thread(target=embed) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert right == [True] * 4


def test_settings_choose_it(tmp_path: Path) -> None:
    chosen = EmbedderSettings(provider="table")
    opened = open_resources(Settings(path=tmp_path / "memory.db", embedder=chosen))
    opened.store.close()

    assert opened.embedder.space == TableEmbedder().space
    assert isinstance(opened.tokens, TokenScorer)


# --- broken tables --------------------------------------------------------------------------------


def _replaced(**changed: NDArray[Any] | None) -> Callable[[], Arrays]:
    kept = small_table() | changed
    return lambda: {name: array for name, array in kept.items() if array is not None}


COUNT = len(PIECES)


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        (_replaced(table=None), "table"),
        (_replaced(meta=None), "meta"),
        (_replaced(vocab=None), "vocab"),
        (_replaced(weight=None), "weight"),
        (_replaced(table=np.zeros((COUNT, DIMENSION), np.float32)), "int8"),
        (_replaced(table=np.zeros(COUNT, np.int8)), "int8"),
        (_replaced(table=np.zeros((0, DIMENSION), np.int8)), "int8"),
        (_replaced(table=np.zeros((COUNT, 5), np.int8)), "dimension 24"),
        (_replaced(scale=np.zeros(COUNT + 1, np.float32)), "scale"),
        (_replaced(weight=np.zeros(COUNT, np.float64)), "weight"),
        (_replaced(score=np.full(COUNT, np.nan, np.float32)), "NaN"),
        (_replaced(question=np.full((DIMENSION, DIMENSION), np.inf, np.float32)), "infinity"),
        (_replaced(query_weight=np.zeros(3, np.float32)), "query_weight"),
        (_replaced(query_turn=np.zeros((3, 3), np.float32)), "query_turn"),
        (_replaced(text_weight=np.full(COUNT, np.nan, np.float32)), "NaN"),
        (_replaced(text_prior=np.zeros(3, np.float32)), "text_prior"),
        (_replaced(vocab=as_bytes("a\nb")), "2 pieces"),
        (_replaced(vocab=as_bytes("\n".join(["a"] * COUNT))), "twice"),
        (_replaced(vocab=as_bytes("\n".join(["", *PIECES[1:]]))), "characters"),
        (_replaced(vocab=as_bytes("\n".join(["x" * 65, *PIECES[1:]]))), "characters"),
        (_replaced(vocab=np.frombuffer(b"\xff\xfe", np.uint8)), "utf-8"),
        (_replaced(meta=as_bytes("{")), "property name"),
        (_replaced(meta=as_bytes("[]")), "meta"),
        (_replaced(meta=as_bytes('{"name": "x"}')), "version"),
        (_replaced(meta=as_bytes('{"name": 1, "version": "1", "dimension": 24}')), "as text"),
        (_replaced(meta=as_bytes('{"name": "x", "version": "1", "dimension": 8}')), "dimension 8"),
        (_replaced(table=np.array([[{}]], dtype=object)), "(?i)object"),
    ],
)
def test_a_wrong_table_is_refused(
    tmp_path: Path, arrays: Callable[[], Arrays], message: str
) -> None:
    file = written(tmp_path / "wrong.npz", arrays())

    with pytest.raises(InvalidSettings, match=message) as raised:
        TableEmbedder(file)
    assert str(file) in str(raised.value)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidSettings, match=r"cannot read .*nothing\.npz"):
        TableEmbedder(tmp_path / "nothing.npz")
    with pytest.raises(InvalidSettings, match="cannot read"):
        TableEmbedder(tmp_path)


@pytest.mark.parametrize("content", [b"", b"not an archive", b"PK\x03\x04", b"\x93NUMPY\x01\x00"])
def test_another_file_is_refused(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "other.npz"
    file.write_bytes(content)

    with pytest.raises(InvalidSettings, match=r"other\.npz"):
        TableEmbedder(file)


def test_an_archive_of_something_else_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "other.npz"
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("table.npy", "no array")

    with pytest.raises(InvalidSettings, match=r"other\.npz"):
        TableEmbedder(file)


@settings(max_examples=300, deadline=None)
@given(place=st.floats(0, 1, exclude_max=True), bit=st.integers(0, 7), cut=st.booleans())
def test_a_damaged_file_is_refused_or_harmless(
    tmp_path_factory: pytest.TempPathFactory, file: Path, place: float, bit: int, cut: bool
) -> None:
    content = bytearray(file.read_bytes())
    at = int(place * len(content))
    if cut:
        del content[at:]
    else:
        content[at] ^= 1 << bit
    damaged = tmp_path_factory.mktemp("damaged") / "damaged.npz"
    damaged.write_bytes(content)

    try:
        vector = TableEmbedder(damaged).embed_question("Anna lives in Basel")
    except InvalidSettings as error:
        assert "damaged.npz" in str(error)
    else:
        assert np.array_equal(vector, TableEmbedder(file).embed_question("Anna lives in Basel"))


# --- the token scorer -----------------------------------------------------------------------------


def test_the_score_is_the_formula(file: Path) -> None:
    arrays = small_table()
    units = arrays["table"].astype(np.float64)
    lengths = np.linalg.norm(units, axis=1)
    units /= lengths[:, None]
    weight = (arrays["weight"] * arrays["scale"]).astype(np.float64) * lengths
    asked = [PIECES.index(piece) for piece in ("▁anna", "▁live", "▁anna")]

    def expected(*pieces: str) -> float:
        found = units[[PIECES.index(piece) for piece in pieces]]
        return float(weight[asked] @ (units[asked] @ found.T).max(axis=1) / weight[asked].sum())

    scores = TokenScorer(file).score("Anna, live, Anna?", ["the cat", "", "Anna lives in Basel"])

    assert scores.dtype == np.float32
    assert scores == pytest.approx(
        [expected("▁the", "▁cat"), 0, expected("▁anna", "▁lives", "▁in", "▁basel")], abs=1e-5
    )


def test_learned_weights_say_what_counts(tmp_path: Path) -> None:
    arrays = small_table()
    arrays["query_weight"] = np.zeros(COUNT, np.float32)
    arrays["query_weight"][PIECES.index("▁cat")] = 2
    scorer = TokenScorer(written(tmp_path / "learned.npz", arrays))

    scores = scorer.score("the cat", ["the", "a cat", "zürich"])
    assert scores[1] == pytest.approx(1, abs=1e-5)
    assert max(scores[0], scores[2]) < 0.9
    assert not scorer.score("the", ["the", "a cat"]).any()


def test_what_was_learned_is_the_formula(tmp_path: Path) -> None:
    arrays = small_table()
    arrays["query_turn"] = arbitrary("turn", DIMENSION, DIMENSION) / np.float32(50)
    arrays["text_weight"] = (arbitrary("worth", COUNT) + np.float32(140)) / np.float32(130)
    arrays["text_prior"] = arbitrary("prior", COUNT) / np.float32(500)
    units = arrays["table"].astype(np.float64)
    lengths = np.linalg.norm(units, axis=1)
    units /= lengths[:, None]
    weight = (arrays["weight"] * arrays["scale"]).astype(np.float64) * lengths
    asked = [PIECES.index(piece) for piece in ("▁the", "▁cat")]
    sought = units[asked] @ arrays["query_turn"].T
    sought /= np.linalg.norm(sought, axis=1)[:, None]
    text = [PIECES.index(piece) for piece in ("▁anna", "▁in", "▁basel", "▁in")]
    best = (sought @ units[text].T * arrays["text_weight"][text]).max(axis=1)
    expected = weight[asked] @ best / weight[asked].sum() + arrays["text_prior"][text].mean()

    scorer = TokenScorer(written(tmp_path / "learned.npz", arrays))
    for _ in range(2):
        scores = scorer.score("the cat", ["", "Anna in Basel in", "", "Anna in Basel in", ""])
        assert scores == pytest.approx([0, expected, 0, expected, 0], abs=1e-5)


@settings(max_examples=100, deadline=None)
@given(query=any_text, texts=st.lists(any_text, max_size=6))
def test_every_score_is_finite_and_its_own(file: Path, query: str, texts: list[str]) -> None:
    scorer = TokenScorer(file)
    scores = scorer.score(query, texts)

    assert scores.shape == (len(texts),)
    assert np.isfinite(scores).all()
    assert (np.abs(scores) <= 1.00001).all()
    for text, score in zip(texts, scores, strict=True):
        assert scorer.score(query, [text])[0] == pytest.approx(score, abs=1e-5)


def test_a_text_that_holds_the_question_is_met_in_full(file: Path) -> None:
    score = TokenScorer(file).score("Anna lives in Basel?", ["the cat, and Basel: Anna in lives"])

    assert score == pytest.approx([1], abs=1e-5)


def test_a_loaded_table_is_shared(file: Path) -> None:
    table = load_table(file)

    assert np.array_equal(
        TableEmbedder(table).embed_question("cat"),
        TableEmbedder(file).embed_question("cat"),
    )
    assert TokenScorer(table)._table.vectors is table.vectors


def test_long_questions_and_texts_are_cut(file: Path) -> None:
    scorer = TokenScorer(file)

    assert np.isfinite(scorer.score("Anna 12 " * 5000, ["the cat " * 50_000, "漢" * 2**20])).all()
