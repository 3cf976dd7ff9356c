"""Which names mean the same: an equivalence, careful with people, undone with its evidence."""

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.storage.reference.store import InMemoryStore

from sharpwave import Memory
from sharpwave.knowledge.names import Look, linked_names
from sharpwave.knowledge.predicates import normal_name
from sharpwave.ports import Store
from sharpwave.testing import in_memory
from sharpwave.types.records import USER

NAMES = ("Ana", "Ana Souza", "Ana Lima", "Nini", "Bob", "Bob Stone", "Rui")
KEYS = (*map(normal_name, NAMES), "user's sister", "user's boss", USER)
SENTENCES = (
    "{one} is also called {other}.",
    "{one} and {other} are not the same person.",
    "My sister is {one}.",
    "My boss is {one}.",
    "My friend is {one}.",
    "My name is {one}.",
    "{one} lives in Porto.",
    "{one} was born in Porto.",
    "{one} was born in Rome.",
)
said = st.builds(
    lambda form, one, other: form.format(one=one, other=other),
    st.sampled_from(SENTENCES),
    st.sampled_from(NAMES),
    st.sampled_from(NAMES),
)


def of(store: Store, name: str, user: str = "user") -> frozenset[str]:
    own = store.for_user(user)
    look = Look(own.stated, own.entities)
    return linked_names(name, look).keys


def told(*sentences: str) -> tuple[Memory, Store]:
    store = InMemoryStore()
    memory = in_memory(store=store)
    for sentence in sentences:
        memory.remember(sentence)
    return memory, store


@pytest.mark.spec("KG-03")
@given(st.lists(said, max_size=7))
def test_an_equivalence_relation(sentences: list[str]) -> None:
    memory, store = told(*sentences)
    groups = {key: of(store, key, memory.user_id) for key in KEYS}
    for key, group in groups.items():
        assert key in group
        for other in group:
            assert of(store, other, memory.user_id) == group, (key, other, sentences)


@pytest.mark.spec("KG-03")
@given(st.lists(said, max_size=5), st.sampled_from(NAMES), st.sampled_from(NAMES))
def test_forgetting_the_evidence_undoes_it(sentences: list[str], one: str, other: str) -> None:
    memory, store = told(*sentences)
    before = [of(store, key, memory.user_id) for key in KEYS]
    receipt = memory.remember(f"{one} goes by {other}.")
    memory.forget(*receipt.ids)
    assert [of(store, key, memory.user_id) for key in KEYS] == before


@pytest.mark.spec("KG-03")
@given(st.lists(said, max_size=5))
def test_who_is_said_to_be_two_is_never_one(sentences: list[str]) -> None:
    memory, store = told(*sentences, "Ana Souza and Ana Lima are not the same person.")
    denied = [fact for fact in memory.facts.list() if fact.predicate == "called" and fact.negated]
    if denied:  # and not in doubt, because the opposite was said too
        assert not {"ana souza", "ana lima"} <= of(store, "Ana", memory.user_id)
        assert "ana lima" not in of(store, "Ana Souza", memory.user_id)


ONE = [
    (("My sister is Ana.", "Ana lives in Porto."), {"ana", "user's sister"}),
    (("My sister lives in Porto.", "My sister is called Ana."), {"ana", "user's sister"}),
    (("My sister Ana goes by Nini.",), {"ana", "nini", "user's sister"}),
    (("My sister Ana Souza is a cook.", "Ana is 30."), {"ana", "ana souza", "user's sister"}),
    (("My name is Ana.", "I go by Nini."), {"ana", "nini", USER}),
    (("My sister is Ana.", "My boss is Ana."), {"ana", "user's sister", "user's boss"}),
]


@pytest.mark.spec("KG-03")
@pytest.mark.parametrize(("sentences", "names"), ONE)
def test_names_of_one_person_are_one_entity(sentences: tuple[str, ...], names: set[str]) -> None:
    memory, store = told(*sentences)
    assert of(store, "Ana", memory.user_id) == names


TWO = [
    ("My sister Ana is a cook.", "My friend Ana Souza is a nurse."),
    ("My friend Ana Souza is a cook.", "My friend Ana Lima is a nurse.", "Ana is 30."),
    ("Ana Souza was born in Porto.", "Ana was born in Rome."),
    ("I like Ana.", "Ana and Ana Souza are not the same person.", "Ana Souza is a cook."),
]


@pytest.mark.spec("KG-03")
@pytest.mark.parametrize("sentences", TWO)
def test_two(sentences: tuple[str, ...]) -> None:
    memory, store = told(*sentences)
    names = [name for name in NAMES if any(name in sentence for sentence in sentences)]
    for one, other in combinations([n for n in names if n.startswith("Ana")], 2):
        assert normal_name(other) not in of(store, one, memory.user_id)


def test_a_place_is_not_a_person() -> None:
    memory, store = told("I live in York.", "York Miller is my friend.", "York Miller is a cook.")
    assert "york miller" not in of(store, "York", memory.user_id)


def test_two_sisters_are_not_one() -> None:
    memory, store = told("My sister likes tea.", "My sister is Ana.", "My sister is Eva.")
    assert of(store, "Ana", memory.user_id) == {"ana"}
    assert of(store, "user's sister", memory.user_id) == {"user's sister"}


def test_only_the_user_can_say_so() -> None:
    memory, store = told()
    memory.remember("Ana is also called Nini.", role="assistant")
    assert of(store, "Ana", memory.user_id) == {"ana"}
