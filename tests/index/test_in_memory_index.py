from collections import Counter
from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.index.fake_store import row

from sharpwave.formulas.text import idf, term_weight
from sharpwave.index import in_memory_index, postings
from sharpwave.index.in_memory_index import InMemoryIndex
from sharpwave.index.terms import TermReader
from sharpwave.types.searching import Filter, Ranking
from sharpwave.types.storing import IndexRow

READER = TermReader(max_terms=1000, max_word_chars=64, cached_words=1024)
WORDS = ["ash", "birch", "cedar", "elm", "fir", "oak", "pine", "yew"]
TEXTS = st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join)
ANY = Filter()


@pytest.fixture(autouse=True, scope="module")
def _short_tail() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(postings, "TAIL_RECORDS", 16)
        yield


def new_index() -> InMemoryIndex:
    return InMemoryIndex(8, READER)


def keywords(index: InMemoryIndex, text: str, limit: int = 50, only: Filter = ANY) -> Ranking:
    return index.search(text, None, limit, only).keyword


def brute_force(living: dict[int, IndexRow], query: str) -> list[tuple[float, int]]:
    """BM25 over the living records, computed record by record: score and number, best first."""
    documents = {number: Counter(READER.read(row.text)) for number, row in living.items()}
    average = sum(map(Counter.total, documents.values())) / max(len(documents), 1)
    scores = []
    for number, document in documents.items():
        score = np.float32(0)
        for term in dict.fromkeys(READER.read(query)):
            if count := document[term]:
                holding = sum(term in other for other in documents.values())
                arrays = np.array([[count], [document.total()]], np.float32)
                weight = term_weight(arrays[0], arrays[1], average, 1.2, 0.75)[0]
                score += weight * np.float32(idf(len(documents), float(holding)))
        if score:
            scores.append((float(score), number))
    return sorted(scores, reverse=True)


STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("add"), st.lists(TEXTS, min_size=1, max_size=25)),
        st.tuples(st.just("remove"), st.lists(st.integers(1, 60), max_size=20)),
        st.tuples(st.just("replace"), st.lists(st.integers(1, 60), max_size=5)),
    ),
    max_size=12,
)


@pytest.mark.spec("RD-11", "TIER-19")
@settings(deadline=None)
@given(STEPS, TEXTS)
def test_keyword_ranking_is_bm25_over_the_living_records(
    steps: list[tuple[str, list[object]]], query: str
) -> None:
    index, living, last = new_index(), dict[int, IndexRow](), 0
    for step, values in steps:
        if step == "remove":
            numbers = [int(str(value)) for value in values]
            index.remove(numbers)
            living = {n: row for n, row in living.items() if n not in numbers}
            continue
        if step == "add":
            rows = [row(last + 1 + i, str(text)) for i, text in enumerate(values)]
            last += len(rows)
        else:
            rows = [row(int(str(n)), f"oak pine {WORDS[int(str(n)) % 8]}") for n in values]
            rows = [replaced for replaced in rows if replaced.number in living]
        index.add(rows)
        living |= {row.number: row for row in rows}
    found = keywords(index, query, limit=1000)
    ranked = list(zip(found.scores.tolist(), found.numbers.tolist(), strict=True))
    assert ranked == brute_force(living, query)
    assert len(index) == len(living)


@pytest.mark.spec("TIER-19")
def test_adding_moves_each_posting_a_logarithmic_number_of_times() -> None:
    index = new_index()
    for number in range(1, 2001):
        index.add([row(number, "oak elm")])
    sizes = [len(segment.rows) for segment in index._postings._segments]
    assert all(large > 2 * small for large, small in pairwise(sizes))
    assert sum(sizes) >= 2 * (2000 - 16)


def test_a_common_term_is_skipped_only_beside_a_rarer_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(postings, "COMMON_TERM_FLOOR", 100)
    monkeypatch.setattr(postings, "COMMON_TERM_SHARE", 0.1)
    index = new_index()
    index.add([row(n, "oak" if n % 50 else "elm") for n in range(1, 201)])
    assert len(keywords(index, "oak elm", limit=200).numbers) == 4
    assert len(keywords(index, "oak", limit=200).numbers) == 196
    assert len(keywords(index, "oak yew", limit=200).numbers) == 196


def test_a_common_term_counts_where_the_filter_leaves_no_rarer_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(postings, "COMMON_TERM_FLOOR", 100)
    monkeypatch.setattr(postings, "COMMON_TERM_SHARE", 0.1)
    index = new_index()
    index.add([row(n, "oak" if n % 50 else "elm", session=f"s{n % 2}") for n in range(1, 201)])
    assert len(keywords(index, "oak elm", 200, Filter(session="s1")).numbers) == 100


def test_a_filter_is_applied_before_the_best_are_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(in_memory_index, "RESCORE", 10)
    random = np.random.default_rng(0)
    vectors = random.standard_normal((4000, 8))
    index = new_index()
    index.add(
        [
            row(n, "oak " * (1 + n % 7), vectors[n - 1], session=str(n % 100), kind="fact", at=n)
            for n in range(1, 4001)
        ]
    )
    query = vectors[0].astype(np.float32)
    rare = index.search("oak", query, 20, Filter(session="50"))
    assert (rare.searched, len(rare.near), len(rare.keyword.numbers)) == (40, 40, 20)
    assert {n % 100 for n in [*rare.near.tolist(), *rare.keyword.numbers.tolist()]} == {50}
    window = index.search("oak", query, 20, Filter(frozenset({"fact"}), None, 100, 130))
    assert (window.searched, len(window.near), len(window.keyword.numbers)) == (30, 30, 20)
    assert all(100 <= n < 130 for n in window.near)
    for nothing in (Filter(frozenset({"task"})), Filter(session="?"), Filter(since_us=5000)):
        found = index.search("oak", query, 20, nothing)
        assert found.searched == len(found.near) == len(found.keyword.numbers) == 0
    for only in (ANY, Filter(session="50"), Filter(since_us=100), Filter(session="?")):
        found = index.search("oak", query, 20, only)
        near, keyword = index.rank("oak", query, 20, only)
        assert near.tolist() == found.near.tolist(), "also without looking at anything else"
        assert keyword.numbers.tolist() == found.keyword.numbers.tolist()


def test_equal_scores_rank_the_newest_first() -> None:
    index = new_index()
    index.add([row(n, "oak") for n in range(1, 101)])
    assert keywords(index, "oak", limit=3).numbers.tolist() == [100, 99, 98]


@pytest.mark.parametrize("query", ["", "   ", "the of", "…", "\ud800"])
def test_a_query_without_terms_finds_nothing(query: str) -> None:
    index = new_index()
    index.add([row(1, "the oak"), row(2, ""), row(3, "\ud800")])
    assert keywords(index, query).numbers.tolist() == []


def test_many_removals_give_the_memory_back() -> None:
    index = new_index()
    vector = np.ones(8)
    index.add([row(n, f"word{n} oak", vector) for n in range(1, 1001)])
    full = index.size_bytes
    index.remove(range(1, 991))
    assert index.size_bytes < full / 20
    assert index.search("word995", vector.astype(np.float32), 50, ANY).near.tolist() == [
        *range(991, 1001)
    ]


def test_summaries_change_no_score_of_what_they_repeat() -> None:
    texts = ("bees on the roof", "a roof of slate", "honey from the bees in June")
    index = new_index()
    index.add([row(number, text, session="s") for number, text in enumerate(texts, 1)])
    turns = Filter(kinds=frozenset({"turn"}))
    before = keywords(index, "bees roof", only=turns)
    index.add([row(9, ". ".join([*texts, "bees", "bees"]), kind="episode", session="s")])
    for each in (index, InMemoryIndex.from_bytes(index.to_bytes(), 8, READER)):
        assert each is not None
        after = keywords(each, "bees roof", only=turns)
        assert before.numbers.tolist() == after.numbers.tolist()
        assert before.scores.tolist() == after.scores.tolist()
        assert 9 in keywords(each, "bees roof").numbers, "but it is found itself"
