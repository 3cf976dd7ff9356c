import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sharpwave.embedding.table import MARKER, Tokenizer, marked, normalised, words

any_text = st.text(alphabet=st.characters(), max_size=200) | st.text(
    alphabet=st.sampled_from("ab Z9.,'é漢字ก🎉\u0301\ufe0f\u200d\ud800\udfff\x00\ufdfa▁"),
    max_size=80,
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("I don't — really!", ["i", "don", "t", "really"]),
        ("I don\u2019t — really!", ["i", "don", "t", "really"]),
        ("\uff21nna_B 3.5km", ["anna", "b", "3", "5km"]),
        ("Straße ΟΔΟΣ İzmir", ["strasse", "οδοσ", "izmir"]),
        ("co\u00adoperate", ["cooperate"]),
        ("مَدْرَسَة", ["مدرسة"]),
        ("क्\u200dष हिन्दी।", ["क्ष", "हिन्दी"]),
        ("私は東京に住む。次", ["私は東京に住む", "次"]),
        ("ok🎉🎉 €5", ["ok", "🎉🎉", "5"]),
        ("서울에서 산다", ["서울에서", "산다"]),
        ("▁spoof\ud800ed\x00!", ["spoof", "ed"]),
    ],
)
def test_words(text: str, expected: list[str]) -> None:
    assert words(text) == expected


@given(st.text(alphabet=st.characters(max_codepoint=127), max_size=60))
def test_plain_text_has_the_same_words_on_its_fast_way(text: str) -> None:
    assert words(text) == words(text + " é")[:-1]


@settings(max_examples=300)
@given(any_text)
def test_words_have_no_marker_and_folding_comes_to_an_end(text: str) -> None:
    """Once more is not always enough: a mark may be composed when a joiner before it is gone."""
    for word in words(text):
        assert word
        assert MARKER not in word
    assert words(normalised(text)) == words(normalised(normalised(text)))


VOCABULARY = {"▁": -4.0, "▁live": -6.0, "▁lives": -6.5, "s": -3.0, "l": -8.0, "i": -8.0, "ve": -7.0}
VOCABULARY |= {"e": -8.0, "v": -8.0, "東": -5.0, "京": -5.0, "東京": -7.0}


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("lives", "▁lives"),  # -6.5 is above -6.0 - 3.0
        ("live", "▁live"),
        ("livess", "▁lives s"),
        ("sve", "▁ s ve"),
        ("slive", "▁ s l i ve"),  # `▁live` only starts a word
        ("live東京s東", "▁live 東京 ▁ s 東"),
        ("lixve", "▁ l i ve"),  # what no piece covers is skipped
        ("xyz", "▁"),
        ("鳥", ""),
    ],
)
def test_pieces_are_the_likeliest(text: str, pieces: str) -> None:
    cut = Tokenizer({piece: row for row, piece in enumerate(VOCABULARY)}, [*VOCABULARY.values()])

    names = list(VOCABULARY)
    assert [names[row] for row in cut.ids(text)] == pieces.split()
    assert [names[row] for row in cut.ids(text)] == pieces.split(), "the same from the cache"


@settings(max_examples=100, deadline=None)
@given(st.text(alphabet="lives", min_size=1, max_size=9))
def test_no_other_way_to_cut_a_word_is_likelier(word: str) -> None:
    names, scores = list(VOCABULARY), list(VOCABULARY.values())
    cut = Tokenizer({piece: row for row, piece in enumerate(names)}, scores)

    def best(rest: str) -> float:
        starts = [piece for piece in names if rest.startswith(piece)]
        return max((VOCABULARY[one] + best(rest[len(one) :]) for one in starts), default=0.0)

    assert sum(scores[row] for row in cut.ids(word)) == pytest.approx(best("▁" + word))


def test_a_table_without_pieces_cuts_to_nothing() -> None:
    assert Tokenizer({}, []).ids("anything 東京") == []


def _likeliest(word: str, scores: dict[str, float], unknown: float) -> float:
    """The score of the best way to cut a word, by trying all."""
    best = [0.0]
    for end in range(1, len(word) + 1):
        ways = [best[start] + scores[word[start:end]] for start in range(end)
                if word[start:end] in scores]  # fmt: skip
        best.append(max([best[end - 1] + unknown, *ways]))
    return best[-1]


@settings(max_examples=300)
@given(
    word=st.text(alphabet="abc東", min_size=1, max_size=8),
    scores=st.dictionaries(
        st.text(alphabet=f"abc東{MARKER}", min_size=1, max_size=4), st.floats(-12, 0.5), max_size=30
    ),
    whole=st.none() | st.floats(-12, 0),
)
def test_the_short_way_finds_the_likeliest_cut(
    word: str, scores: dict[str, float], whole: float | None
) -> None:
    if whole is not None:
        scores[marked(word)] = whole
    pieces = list(scores)
    cut = Tokenizer({piece: row for row, piece in enumerate(pieces)}, list(scores.values()))
    rows = cut.pieces(word)
    unknown = min(scores.values(), default=0.0) - 10.0
    skipped = len(marked(word)) - sum(len(pieces[row]) for row in rows)
    found = sum(scores[pieces[row]] for row in rows) + skipped * unknown

    assert found == pytest.approx(_likeliest(marked(word), scores, unknown), abs=1e-9)
