"""Large users are searched by the database, and nobody can tell."""

import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import psycopg
import pytest
from tests.storage.postgres import server

from sharpwave import Memory, Message, Recollection, Settings
from sharpwave.errors import UnsafeStore
from sharpwave.index import large_index
from sharpwave.index.large_index import LargeIndex, LargeUserIndex
from sharpwave.index.recall_index import RecallIndex
from sharpwave.storage.postgres import catalog
from sharpwave.storage.postgres.catalog import CATALOG_SQL, CatalogReading
from sharpwave.testing import FrozenClock, HashEmbedder, resources_of
from sharpwave.types.searching import FEATURES, Catalogued, Filter

THINGS = ("a lamp", "red apples", "green pears", "a bicycle", "two chairs")
PLACES = ("Porto", "Braga", "Faro")


@pytest.fixture(scope="module")
def kept() -> Iterator[str]:
    address = server.new_database(vector=True)
    yield address
    server.drop_database(address)


@pytest.fixture
def address(kept: str, monkeypatch: pytest.MonkeyPatch) -> str:
    few_are_many(monkeypatch)
    opened(kept).close()
    server.empty_database(kept)
    return kept


def few_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    """From 50 records on a user is large, and has a graph."""
    monkeypatch.setattr(large_index, "SEARCH_ABOVE", 50)
    monkeypatch.setattr(catalog, "GRAPH_ABOVE", 50)


def opened(address: str, search: str = "database") -> Memory:
    settings = Settings.model_validate(
        {"postgres": {"url": address, "search": search}, "embedder": {"provider": "table"}}
    )  # read by rules alone: what is learned makes no difference to how it is found
    return Memory.open(
        settings=settings, user="ana", clock=FrozenClock(), embedder=HashEmbedder(32)
    )


def lived(memory: Memory) -> None:
    for day in range(12):
        where, week = PLACES[day % 3], (f"week {day // 7}",)
        told = [f"On day {day} I bought {thing} in {where}." for thing in THINGS]
        memory.remember([Message(text, session=f"day {day}", tags=week) for text in told])


def index_of(memory: Memory) -> LargeIndex:
    index = resources_of(memory).index
    assert isinstance(index, LargeIndex)
    return index


def own(memory: Memory) -> LargeUserIndex:
    return index_of(memory).for_user(resources_of(memory).store.for_user("ana"))


def catalogued(memory: Memory) -> bool:
    return own(memory).held() is not None


def answers(memory: Memory, only: dict[str, Any]) -> list[str]:
    asked = ("Where did I buy the lamp?", "bicycle on day 7", "What is in Faro?")
    return [item.text for text in asked for item in recalled(memory, text, only).items]


def recalled(memory: Memory, text: str, only: dict[str, Any]) -> Recollection:
    return memory.recall({"query": text, "k": 3, **only})


@pytest.mark.parametrize("graph_above", [50, 10**6])
def test_the_answers_are_those_of_the_index_in_memory(
    address: str, graph_above: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(catalog, "GRAPH_ABOVE", graph_above)
    filters: list[dict[str, Any]] = [
        {},
        {"session": "day 4"},
        {"kinds": ["turn"]},
        {"roles": ["user"], "tags": ["week 1"]},
        {"words": ["bicycle"]},
    ]
    with opened(address) as memory:
        lived(memory)
        before = [answers(memory, only) for only in filters]
        searched = [recalled(memory, "lamp", only).searched for only in filters]
        own(memory).tidy()
        assert catalogued(memory) and index_of(memory).size_bytes == 0
        after = [answers(memory, only) for only in filters]
        same = [len(set(a) & set(b)) / len(set(a)) for a, b in zip(before, after, strict=True)]
        assert min(same) >= 0.7 and np.mean(same) > 0.85, same  # their cosines are not estimates
        assert [recalled(memory, "lamp", only).searched for only in filters] == searched
        assert index_of(memory).size_bytes == 0, "nothing of the user is held in memory"


def test_a_night_without_time_leaves_the_rest_to_the_next(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(large_index, "LOAD_BATCH", 25)
    monkeypatch.setattr(large_index, "CATALOG_MINUTES", 0)
    with opened(address) as memory:
        lived(memory)
        nights: list[Catalogued] = []
        while not (nights and nights[-1].ready):
            assert "lamp" in memory.recall("Where did I buy the lamp?").items[0].text
            own(memory).tidy()
            held = own(memory).held()
            assert held is not None
            nights.append(held)
        followed = [night.followed for night in nights]
        assert followed == sorted(set(followed)) and len(nights) >= 3
        assert followed[-1] == nights[-1].seq
        assert "lamp" in memory.recall("Where did I buy the lamp?").items[0].text


def test_every_feature_is_the_same(address: str) -> None:
    with opened(address) as memory:
        lived(memory)
        index, embedder = index_of(memory), resources_of(memory).embedder
        store = resources_of(memory).store.for_user("ana")
        for text in ("Where did I buy the lamp?", "chairs in Faro on day 5", "unheard-of words"):
            asked = (text, embedder.embed_question(text), 20, Filter())
            small = index.inner.for_user(store).search(*asked)
            own(memory).tidy()
            large = index.for_user(store).search(*asked)
            assert np.array_equal(small.keyword.numbers, large.keyword.numbers)
            assert np.allclose(small.keyword.scores, large.keyword.scores, atol=1e-4)
            assert small.gathered.known == pytest.approx(large.gathered.known)
            shared, here, there = np.intersect1d(
                small.gathered.numbers, large.gathered.numbers, return_indices=True
            )
            assert len(shared) > 10
            assert np.array_equal(small.gathered.beside[here], large.gathered.beside[there])
            exact = [place for place, name in enumerate(FEATURES) if "cosine" not in name]
            ours, theirs = small.gathered.features[here], large.gathered.features[there]
            assert np.allclose(ours[:, exact], theirs[:, exact], atol=1e-4)
            near = FEATURES.index("cosine")
            assert np.abs(ours[:, near] - theirs[:, near]).max() < 0.2, "an estimate of codes"
            index.catalog.drop("ana")
            index.inner.release("ana")


def test_what_anybody_writes_or_forgets_is_followed(address: str) -> None:
    with opened(address) as memory, opened(address) as other:
        lived(memory)
        own(memory).tidy()
        (new, *_) = other.remember("The marigold key hangs behind the door.").ids
        assert "marigold" in memory.recall("Where is the marigold key?").items[0].text
        other.forget(new)
        assert "marigold" not in repr(memory.recall("Where is the marigold key?").items)
        with psycopg.connect(address) as db:
            db.execute("SELECT set_config('sharpwave.everyone', 'on', false)")
            assert not db.execute(
                "SELECT 1 FROM catalog_words WHERE term = 'marigold'"
                " UNION ALL SELECT 1 FROM catalog_terms WHERE term = 'marigold'"
            ).fetchall(), "words go with the record, in its transaction"
        bob = memory.user("bob")
        bob.remember("The code of the safe is tulip.")
        assert "tulip" not in repr(memory.recall("What is the code of the safe?").items)
        memory.forget(everything=True)
        assert memory.recall("Where did I buy the lamp?").items == ()
        assert rows_left(address) == 0


def rows_left(address: str) -> int:
    tables = ("", "_sessions", "_entries", "_terms", "_words", "_vectors")
    with psycopg.connect(address) as db:
        db.execute("SELECT set_config('sharpwave.everyone', 'on', false)")
        counts = [db.execute(f"SELECT count(*) FROM catalog{one}").fetchall() for one in tables]
        graphs = db.execute("SELECT count(*) FROM pg_indexes WHERE indexname ^@ 'catalog_near_'")
        return sum(count for ((count,),) in [*counts, graphs.fetchall()])


def test_statistics_are_those_of_the_records(address: str) -> None:
    with opened(address) as memory:
        lived(memory)
        own(memory).tidy()
        memory.forget(session="day 3")
        memory.remember("One more lamp.", session="day 4")
        memory.recall("lamp")
        with psycopg.connect(address) as db:
            db.execute("SELECT set_config('sharpwave.everyone', 'on', false)")
            kept = db.execute("SELECT entries, records, length FROM catalog").fetchone()
            real = db.execute(
                "SELECT count(*), count(*) FILTER (WHERE counted),"
                " sum(length) FILTER (WHERE counted) FROM catalog_entries"
            ).fetchone()
            assert kept == real
            terms: dict[str, int] = dict(
                db.execute("SELECT term, records FROM catalog_terms").fetchall()
            )
            counted = db.execute(
                "SELECT term, count(*) FILTER (WHERE counted) FROM catalog_words GROUP BY 1"
            )
            assert terms == dict(counted.fetchall())
            off = db.execute(
                "SELECT s.session_no FROM catalog_sessions s WHERE s.length <> ("
                "SELECT coalesce(sum(e.length), 0) FROM catalog_entries e"
                " WHERE e.session_no = s.session_no AND e.counted)"
            ).fetchall()
            assert off == []


def test_the_graph_is_used_behind_row_level_security(address: str) -> None:
    with opened(address) as memory:
        lived(memory)
        own(memory).tidy()
        with index_of(memory).catalog.ask("ana", Filter(kinds=frozenset({"turn"})), []) as reading:
            assert isinstance(reading, CatalogReading)
            for setting in ("enable_seqscan", "enable_sort", "enable_bitmapscan"):
                reading._db.ask(f"SET LOCAL {setting} = off", {})
            bindings = {"user_no": reading._user_no, "vector": str([0.5] * 32), "limit": 5}
            for name in ("nearest", "nearest_allowed"):
                statement = "EXPLAIN " + CATALOG_SQL[name].replace("$dimension", "32")
                plan = str(reading._db.ask(statement, reading._filter | bindings).fetchall())
                assert f"catalog_near_{reading._user_no}" in plan, plan


def test_a_user_who_becomes_small_again_comes_back_into_memory(address: str) -> None:
    with opened(address) as memory:
        lived(memory)
        own(memory).tidy()
        for day in range(9):
            memory.forget(session=f"day {day}")
        own(memory).tidy()
        assert not catalogued(memory) and rows_left(address) == 0
        assert "day 11" in memory.recall("lamp on day 11").items[0].text


def test_without_pgvector_memory_answers_or_says_what_is_missing() -> None:
    address = server.new_database()
    try:
        with opened(address, search="auto") as memory:
            assert isinstance(resources_of(memory).index, RecallIndex)
        with pytest.raises(UnsafeStore, match="CREATE EXTENSION vector"):
            opened(address)
    finally:
        server.drop_database(address)


def test_a_pgvector_that_lets_others_read_is_refused(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """D15: as it would be with a version before the floor."""
    monkeypatch.setattr(catalog, "OLDEST", (99, 0, 0))
    with pytest.raises(UnsafeStore, match=r"99\.0\.0 or newer"):
        opened(address)


def test_every_statement_of_the_catalog_names_the_user() -> None:
    without = {name for name, text in CATALOG_SQL.items() if "%(user_no)s" not in text}
    assert without == {"whole_catalog", "ask_catalog"}, "which read no table"
    for text in CATALOG_SQL.values():
        for alias in re.findall(r"(?:FROM|JOIN) catalog\w* (\w)\b", text):
            assert re.search(rf"\b{alias}\.user_no\b", text), text
