"""What stands around a row, compared with the same worked out record by record."""

from collections import Counter
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.index.fake_store import row

from sharpwave.formulas.text import idf, term_weight
from sharpwave.index import postings
from sharpwave.index.columns import empty
from sharpwave.index.context import RowAttributes
from sharpwave.index.in_memory_index import IndexQuery, InMemoryIndex
from sharpwave.index.terms import TermReader
from sharpwave.types.searching import FEATURES, Filter, Gathered
from sharpwave.types.storing import IndexRow

READER = TermReader(max_terms=1000, max_word_chars=64, cached_words=1024)
WORDS = ["ash", "birch", "cedar", "elm", "fir", "oak", "pine", "yew"]
TEXTS = st.lists(st.sampled_from(WORDS), min_size=1, max_size=5).map(" ".join)
SAID = st.tuples(
    TEXTS, st.sampled_from(["a", "b", None]), st.sampled_from(["turn", "turn", "fact"])
)


@pytest.fixture(autouse=True, scope="module")
def _short_tail() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(postings, "TAIL_RECORDS", 16)
        yield


def gathered(index: InMemoryIndex, text: str, only: Filter | None = None) -> Gathered:
    found = index.search(text, None, 50, only or Filter())
    return index.gather(IndexQuery(text, None, 50), found, empty(), empty())


def column(found: Gathered, name: str) -> dict[int, float]:
    values = found.features[:, FEATURES.index(name)].tolist()
    return dict(zip(found.numbers.tolist(), values, strict=True))


@settings(deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from("ab"), st.booleans()), min_size=1, max_size=30),
    st.lists(st.integers(1, 30), max_size=10),
    st.lists(st.integers(1, 30), max_size=5),
    st.booleans(),
)
def test_neighbours_are_the_living_turns_of_the_session_in_order(
    said: list[tuple[str, bool]], gone: list[int], again: list[int], compact: bool
) -> None:
    rows = {
        n: row(n, session=session, kind="turn" if is_turn else "fact")
        for n, (session, is_turn) in enumerate(said, start=1)
    }
    context = RowAttributes()
    context.extend(list(rows.values()))
    context.bury(gone)
    for number in gone:
        rows.pop(number, None)
    for number in dict.fromkeys(again):  # changed records come again, at the end
        if number in rows:
            context.bury([number])
            context.extend([rows[number]])
    if compact:
        context.keep(context.living_rows())
    places = context.rows_of(np.array(sorted(rows), np.int64))
    around = context.windows(places, 2)
    numbers = np.append(context.numbers, 0)
    for place, window in zip(places, around, strict=True):
        own = int(context.numbers[place])
        expected = _around(rows, own, 2)
        assert numbers[window].tolist() == expected


def _around(rows: dict[int, IndexRow], own: int, reach: int) -> list[int]:
    session = rows[own].session_id
    same = sorted(n for n, one in rows.items() if one.session_id == session and one.kind == "turn")
    if own not in same:
        return [0] * reach + [own] + [0] * reach
    at = same.index(own)
    padded = [0] * reach + same + [0] * reach
    return padded[at : at + 2 * reach + 1]


@settings(deadline=None)
@given(st.lists(SAID, min_size=1, max_size=20), TEXTS)
def test_features_of_words_are_those_worked_out_by_hand(
    said: list[tuple[str, str | None, str]], query: str
) -> None:
    index = InMemoryIndex(8, READER)
    rows = {
        n: row(n, text, session=session, kind=kind)
        for n, (text, session, kind) in enumerate(said, start=1)
    }
    index.add(list(rows.values()))
    found = gathered(index, query)
    counts = {n: Counter(READER.read(one.text)) for n, one in rows.items()}
    average = sum(map(Counter.total, counts.values())) / len(counts)
    terms = [
        term for term in dict.fromkeys(READER.read(query)) if any(c[term] for c in counts.values())
    ]
    telling = {
        term: float(idf(len(rows), float(sum(term in c for c in counts.values()))))
        for term in terms
    }
    ideal = sum(telling.values())
    for name, first, last in (("bm25", 3, 4), ("bm25_window1", 2, 5), ("bm25_window3", 0, 7)):
        for number, value in column(found, name).items():
            around = [n for n in _around(rows, number, 3)[first:last] if n]
            together = Counter[str]()
            for n in around:
                together += counts[n]
            usual = average * (last - first)
            expected = sum(
                telling[term]
                * term_weight(float(together[term]), float(together.total()), usual, 1.2, 0.75)
                for term in terms
            )
            assert value == pytest.approx(expected / ideal, rel=1e-4)


def test_who_is_named_means_the_same_in_every_kind_of_chat() -> None:
    friends = InMemoryIndex(8, READER)
    friends.add(
        [
            row(1, "I have a beagle")._replace(speaker="Anna"),
            row(2, "I have a beagle too")._replace(speaker="Ben"),
        ]
    )
    asked = gathered(friends, "Which beagle does Anna have?")
    assert column(asked, "speaker_named") == {1: 1.0, 2: 0.0}
    assert column(asked, "other_named") == {1: 0.0, 2: 1.0}
    nobody = gathered(friends, "Which beagle is it?")
    assert column(nobody, "speaker_named") == {1: 0.0, 2: 0.0} == column(nobody, "other_named")


def test_what_the_assistant_said_counts_only_if_that_is_asked_for() -> None:
    model = InMemoryIndex(8, READER)
    model.add(
        [row(1, "I have a beagle"), row(2, "A beagle needs walks")._replace(role="assistant")]
    )
    for own in ("Which beagle do I have?", "beagle's name again?", "do you know my beagle"):
        assert column(gathered(model, own), "other_role") == {1: 0.0, 2: 1.0}, own
    for theirs in ("What did you say about a beagle?", "that beagle food you recommended"):
        assert column(gathered(model, theirs), "other_role") == {1: 1.0, 2: 0.0}, theirs


def test_a_turn_without_the_words_is_found_beside_one_that_has_them() -> None:
    index = InMemoryIndex(8, READER)
    index.add(
        [
            row(1, "What breed is your dog?", session="s"),
            row(2, "A corgi!", session="s"),
            row(3, "Unrelated", session="t"),
        ]
    )
    found = gathered(index, "dog breed")
    assert found.numbers.tolist() == [1, 2]
    assert found.beside.tolist() == [[0, 2], [1, 0]]
    only_users = gathered(index, "dog breed", Filter(roles=frozenset({"assistant"})))
    assert only_users.numbers.tolist() == []
