"""The LangGraph store, beside LangGraph's own, and in a graph."""

import asyncio
import math
from pathlib import Path
from typing import Any, TypedDict

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langgraph.graph import START, StateGraph
from langgraph.store.base import (
    BaseStore,
    GetOp,
    InvalidNamespaceError,
    ListNamespacesOp,
    MatchCondition,
    PutOp,
    SearchOp,
)
from langgraph.store.memory import InMemoryStore

from sharpwave import InvalidInput, Memory
from sharpwave.interfaces.adapters.core import NamedRecords
from sharpwave.interfaces.adapters.langgraph import SharpwaveStore
from sharpwave.testing import in_memory

ANA, BEN = ("memories", "ana"), ("memories", "ben")

labels = st.sampled_from(["a", "b", "a/b", "é", "%2F", "*"])
namespaces = st.lists(labels, min_size=1, max_size=3).map(tuple)
prefixes = st.lists(labels, max_size=2).map(tuple)
keys = st.sampled_from(["k", "k ", "K", "é", "x/y"])
plain = st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from(["", "tea", "2"])
values = st.dictionaries(
    st.sampled_from(["n", "text", "deep"]),
    plain | st.lists(plain, max_size=2) | st.dictionaries(st.sampled_from("xy"), plain),
    max_size=3,
)
signs = st.sampled_from(["$eq", "$ne"])
filters = st.none() | st.dictionaries(
    st.sampled_from(["n", "text", "deep"]), plain | st.dictionaries(signs, plain, min_size=1)
)
matches = st.builds(
    MatchCondition, match_type=st.sampled_from(["prefix", "suffix"]), path=namespaces
)
operations = st.one_of(
    st.builds(PutOp, namespaces, keys, st.none() | values, st.sampled_from([None, False])),
    st.builds(PutOp, namespaces, keys, values, st.none()),
    st.builds(GetOp, namespaces, keys, st.just(False)),
    st.builds(SearchOp, prefixes, filters, st.just(100), st.just(0), st.none(), st.just(False)),
)
listings = st.builds(
    ListNamespacesOp,
    st.none() | st.lists(matches, max_size=2).map(tuple),
    st.none() | st.integers(1, 3),
    st.just(100),
    st.just(0),
)
rounds = st.lists(st.lists(operations, min_size=1, max_size=6), min_size=1, max_size=5)


def told(answer: Any) -> Any:
    """An answer without times, and where there is no order, without one."""
    if isinstance(answer, list):
        return sorted(map(repr, map(told, answer)))
    return (answer.namespace, answer.key, answer.value) if hasattr(answer, "key") else answer


def without_empty(own: InMemoryStore) -> InMemoryStore:
    """LangGraph's own store goes on listing a namespace after its last item is deleted."""
    copy = InMemoryStore()
    for item in own.search((), limit=1000):
        copy.put(item.namespace, item.key, item.value)
    return copy


@settings(max_examples=25)
@given(rounds, listings)
def test_it_answers_as_langgraphs_own_store(
    batches: list[list[Any]], listing: ListNamespacesOp
) -> None:
    own, store = InMemoryStore(), SharpwaveStore(in_memory())
    for batch in batches:
        for op, one, other in zip(batch, store.batch(batch), own.batch(batch), strict=True):
            assert told(one) == told(other), op
    assert store.batch([listing]) == without_empty(own).batch([listing])


def test_listing_namespaces(memory: Memory) -> None:
    store = SharpwaveStore(memory)
    for namespace in (("a", "b", "c"), ("a", "b", "d"), ("a", "x"), ("z", "b", "c")):
        store.put(namespace, "k", {"n": 1})
    assert store.list_namespaces(prefix=("a",), max_depth=2) == [("a", "b"), ("a", "x")]
    assert store.list_namespaces(suffix=("b", "c")) == [("a", "b", "c"), ("z", "b", "c")]
    assert store.list_namespaces(prefix=("*", "b"), limit=1, offset=1) == [("a", "b", "d")]
    for namespace in (("a", "b", "c"), ("a", "b", "d")):
        store.delete(namespace, "k")
    assert store.list_namespaces() == [("a", "x"), ("z", "b", "c")]


def test_a_search_ranks_and_filters(memory: Memory) -> None:
    store = SharpwaveStore(memory)
    store.put(ANA, "tea", {"text": "Ana drinks green tea every morning", "n": 1})
    store.put(ANA, "deploy", {"text": "The deploy of the web shop is on Friday", "n": 2})
    store.put(ANA, "secret", {"text": "The deploy password lies in the safe", "n": 3}, index=False)
    store.put(ANA, "part", {"text": "About bees", "why": "the deploy"}, index=["text"])
    found = store.search(ANA, query="When is the deploy of the web shop?")
    assert found[0].key == "deploy" and found[0].score and 0 < found[0].score <= 1
    assert {item.key: item.score for item in found}["secret"] is None, "it was not to be searched"
    assert [item.key for item in store.search(ANA, query="deploy", filter={"n": {"$lt": 2}})] == [
        "tea"
    ]
    assert len(store.search(ANA, query="deploy", limit=1, offset=1)) == 1
    assert [one.key for one in store.search(ANA, filter={"n": {"$gte": 2}})] == ["deploy", "secret"]
    assert store.search(ANA, filter={"text": {"$gt": 2}}) == []
    with pytest.raises(InvalidInput, match=r"\$in"):
        store.search(ANA, filter={"n": {"$in": [1]}})


def test_nothing_crosses_from_one_namespace_to_another(memory: Memory) -> None:
    store = SharpwaveStore(memory)
    memory.remember("I live in Porto.")
    store.put(ANA, "home", {"text": "The user lives in Lisbon"})
    store.put(BEN, "home", {"text": "The user lives in Oslo"})
    store.put(("memories", "ana/x"), "home", {"text": "The user lives in Rome"})
    store.put(("memories.ana".replace(".", "/"),), "home", {"text": "The user lives in Bonn"})
    (found,) = store.search(ANA, query="Where does the user live?")
    assert found.value == {"text": "The user lives in Lisbon"}
    assert store.get(BEN, "home") != store.get(ANA, "home")
    assert [fact.object for fact in memory.facts.list()] == ["Porto"], (
        "nor into the user's own memory"
    )
    known = {
        user: [fact.object for fact in memory.user(user).facts.list()]
        for user in memory.admin.users()
    }
    assert sorted(map(tuple, known.values())) == [
        ("Bonn",),
        ("Lisbon",),
        ("Oslo",),
        ("Porto",),
        ("Rome",),
    ]
    store.delete(ANA, "home")
    assert store.search(ANA) == [] and len(store.search(BEN)) == 1
    other = SharpwaveStore(memory.user("another"))
    assert other.list_namespaces() == [] and other.get(BEN, "home") is None


def test_the_best_of_all_namespaces_comes_first(memory: Memory) -> None:
    store = SharpwaveStore(memory)
    store.put(ANA, "a", {"text": "It rained all day"})
    store.put(BEN, "b", {"text": "The deploy of the web shop is on Friday"})
    store.put(BEN, "c", {"text": "The cat is called Tom"})
    found = store.search(("memories",), query="When is the deploy of the web shop?")
    assert found[0].key == "b" and len(found) == 3


def test_a_search_looks_no_further_than_it_must(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = SharpwaveStore(memory)
    for day in ("Monday", "Tuesday", "Friday"):
        store.put(ANA, day, {"text": f"The deploy of the web shop was on {day}"})
    store.put(ANA, "tea", {"text": "Ana drinks green tea"})
    asked = "When was the deploy of the web shop?"
    whole = store.search(ANA, query=asked)
    pages = [store.search(ANA, query=asked, limit=1, offset=n) for n in range(4)]
    assert [(item.key, item.score) for page in pages for item in page] == [
        (item.key, item.score) for item in whole
    ]
    with monkeypatch.context() as only_the_best:
        only_the_best.setattr(
            NamedRecords, "everything", lambda _: pytest.fail("all were looked at")
        )
        best = store.search(ANA, query=asked, limit=2)
    assert best == whole[:2]


def test_users_with_odd_names_have_stores_of_their_own(memory: Memory) -> None:
    store = SharpwaveStore(memory.user("a"))
    SharpwaveStore(memory.user("a/langgraph/b")).put(("c",), "k", {"text": "of another"})
    memory.user("a/langgraph/b").remember("I live in Porto.")
    assert store.search(()) == [] and store.list_namespaces() == []
    store.put(("b",), "k", {"text": "The user lives in Rome"})
    assert memory.user("a/langgraph/b").admin.recent(9)[0].text == "I live in Porto."
    assert len(memory.user("a/langgraph/b").admin.recent(9)) == 1


def test_what_cannot_be_kept_is_refused(memory: Memory) -> None:
    store = SharpwaveStore(memory)
    with pytest.raises(InvalidInput, match="NaN"):
        store.put(ANA, "a", {"n": math.nan})
    with pytest.raises(InvalidInput, match="bytes"):
        store.put(ANA, "a", {"text": "x" * 100_000})
    with pytest.raises(InvalidNamespaceError):
        store.put((), "a", {"n": 1})
    with pytest.raises(InvalidInput, match="namespace"):
        store.batch([PutOp((), "a", {"n": 1})])
    with pytest.raises(NotImplementedError):
        store.put(ANA, "a", {"n": 1}, ttl=5)
    assert store.search(()) == []


def test_async_and_after_opening_again(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "m.db") as memory:

        async def write() -> None:
            store = SharpwaveStore(memory)
            await asyncio.gather(*(store.aput(ANA, f"{n}", {"n": n}) for n in range(5)))
            await store.adelete(ANA, "4")
            assert len(await store.asearch(ANA, filter={"n": {"$lt": 3}})) == 3

        asyncio.run(write())
    with Memory.open(tmp_path / "m.db") as memory:
        item = SharpwaveStore(memory).get(ANA, "3")
        assert item and item.value == {"n": 3} and item.namespace == ANA
        assert item.created_at.tzinfo is not None


class Talk(TypedDict):
    said: str
    heard: list[str]


def test_as_the_store_of_a_graph(memory: Memory) -> None:
    def listen(state: Talk, *, store: BaseStore) -> dict[str, list[str]]:
        store.put(ANA, str(len(state["said"])), {"text": state["said"]})
        found = store.search(ANA, query="Where is the key?")
        return {"heard": [item.value["text"] for item in found if item.score]}

    async def listen_later(state: Talk, *, store: BaseStore) -> dict[str, list[str]]:
        return {"heard": [item.value["text"] for item in await store.asearch(ANA)]}

    graph = StateGraph(Talk).add_node("listen", listen).add_edge(START, "listen")
    said = "The key is under the mat."
    compiled = graph.compile(store=SharpwaveStore(memory))
    assert compiled.invoke({"said": said, "heard": []})["heard"] == [said]
    later = StateGraph(Talk).add_node("listen", listen_later).add_edge(START, "listen")
    done = asyncio.run(
        later.compile(store=SharpwaveStore(memory)).ainvoke({"said": "", "heard": []})
    )
    assert done["heard"] == [said]
