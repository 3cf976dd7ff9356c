"""People and things under several names: one when they are one, and how they are connected."""

import asyncio
import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from sharpwave import AsyncMemory, InvalidInput, Memory
from sharpwave.testing import FrozenClock
from sharpwave.types.statements import EntityKind

START = datetime(2026, 5, 1, 12, tzinfo=UTC)
SMALL_TALK = (
    "My sister made a wonderful dinner last night.",
    "I should call my sister this weekend.",
    "My sister and I used to live for the summers by the lake.",
    "My brother Tom lives in Berlin.",
    "I live in Madrid.",
    "My friend Carla lives in Rome.",
    "My sister lent me her car.",
    "Does anyone live in that old house?",
    "I asked my sister where she keeps the keys.",
)


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock(START)


@pytest.fixture
def memory(tmp_path: Path, clock: FrozenClock) -> Iterator[Memory]:
    with Memory.open(tmp_path / "memory.db", clock=clock) as opened:
        yield opened


def say(memory: Memory, *sentences: str) -> None:
    for sentence in sentences:
        memory.remember(sentence)


def chat(memory: Memory) -> None:
    """Much that has the words of a question, and not its answer."""
    say(memory, *SMALL_TALK)
    memory.remember([f"Today I read chapter {n} and walked to park {n}." for n in range(60)])


ASKED = [
    (("My sister is Ana.", "Ana lives in Porto."), "Where does my sister live?", "Porto"),
    (("My sister is Ana.", "Ana lives in Porto."), "where does my sister live", "Porto"),
    (("My aunt lives in Porto.", "My aunt is called Ana."), "Where does Ana live?", "Porto"),
    (("Ana is also called Nini.", "Ana lives in Porto."), "Where does Nini live?", "Porto"),
    (("My aunt is Ana Souza.", "Ana is allergic to nuts."), "What is my aunt allergic to?", "nuts"),
]


@pytest.mark.spec("KG-02", "KG-03")
@pytest.mark.parametrize(("said", "question", "answer"), ASKED)
def test_a_question_by_another_name(
    memory: Memory, said: tuple[str, str], question: str, answer: str
) -> None:
    memory.remember(said[0], session="first")
    chat(memory)
    memory.remember(said[1], session="second")
    found = memory.recall(question, k=4)
    assert found.query == question
    assert any(answer in item.text for item in found.items), [item.text for item in found.items]


@pytest.mark.spec("KG-02")
def test_facts_of_those_related_are_candidates(memory: Memory) -> None:
    memory.remember("My sister Ana works at Brightside.", session="first")
    chat(memory)
    memory.remember("Brightside works with Leeds University.", session="second")
    found = memory.recall("Which university works with the firm of Ana?", k=8)
    assert any("Leeds" in item.text for item in found.items), [item.text for item in found.items]


@pytest.mark.spec("KG-02")
def test_what_the_graph_finds_passes_the_same_filter(memory: Memory) -> None:
    memory.remember("My sister is Ana.", session="first")
    memory.remember("Ana lives in Porto.", session="second")
    everything = memory.recall("Where does my sister live?", kinds=["turn"])
    assert "Ana lives in Porto." in [item.text for item in everything.items]
    found = memory.recall("Where does my sister live?", session="first", kinds=["turn"])
    assert [item.text for item in found.items] == ["My sister is Ana."]
    assert memory.user("somebody else").recall("Where does my sister live?").items == ()


@pytest.mark.spec("KG-01", "KG-03")
def test_about_somebody_under_every_name(memory: Memory, clock: FrozenClock) -> None:
    memory.remember("My sister lives in Porto.")
    clock.advance(days=10)
    say(memory, "My sister is called Ana Souza.", "Ana goes by Nini.", "Remind me to call Nini.")
    clock.advance(days=10)
    say(memory, "Nini moved to Rome.", "Ana works at Brightside.")
    for name in ("my sister", "Ana", "Ana Souza", "nini"):
        about = memory.graph.about(name)
        assert about.name == "Ana Souza" and about.kind is EntityKind.PERSON
        assert {alias.name for alias in about.aliases} == {"Ana", "Nini", "the user's sister"}
        assert {fact.text for fact in about.facts} == {
            "Nini lives in Rome",
            "Ana works at Brightside",
        }
        assert [fact.text for fact in about.formerly] == ["The user's sister lives in Porto"]
        assert {edge.other for edge in about.relations} == {"Ana Souza", "Rome", "Brightside"}
        assert [task.title for task in about.tasks] == ["Call Nini"]
        assert about.mentions == 6 and about.last_mentioned == clock.now()
    reasons = {alias.name: alias.reason for alias in memory.graph.about("Ana").aliases}
    assert reasons["Nini"] == "Ana goes by Nini"
    then = memory.graph.about("Nini", at=START)
    assert [fact.object for fact in then.facts] == ["Porto"] and then.mentions == 1
    (current,) = memory.facts.list(subject="Ana Souza", predicate="lives_in")
    assert current.object == "Rome"
    versions = memory.facts.history("my sister", "lives_in").versions
    assert [fact.object for fact in versions] == ["Porto", "Rome"]


@pytest.mark.spec("KG-03")
def test_an_alias_goes_with_its_evidence(memory: Memory) -> None:
    say(memory, "My sister Ana lives in Porto.", "Nini works at Acme.")
    said = memory.remember("Ana is also called Nini.")
    assert [fact.object for fact in memory.graph.about("Ana").facts] == ["Porto", "Acme"]
    memory.forget(*said.ids)
    assert [fact.object for fact in memory.graph.about("Ana").facts] == ["Porto"]
    said = memory.remember("Ana is also called Nini.")
    memory.remember("Ana is not the same person as Nini.")
    assert [fact.object for fact in memory.graph.about("Ana").facts] == ["Porto"]
    assert [one.newer.predicate for one in memory.graph.about("Ana").conflicts] == ["called"]


@pytest.mark.spec("KG-03")
def test_two_people_with_one_first_name_stay_two(memory: Memory) -> None:
    say(memory, "My sister Ana lives in Porto.", "My friend Ana Lima lives in Rome.")
    assert [fact.object for fact in memory.graph.about("Ana").facts] == ["Porto"]
    assert [fact.object for fact in memory.graph.about("Ana Lima").facts] == ["Rome"]
    assert [fact.object for fact in memory.graph.about("my sister").facts] == ["Porto"]


@pytest.mark.spec("KG-01")
def test_the_user_by_name(memory: Memory) -> None:
    say(memory, "My name is Maria.", "I live in Porto.", "You can call me Mia.")
    about = memory.graph.about("Mia")
    assert (
        about
        == memory.graph.about("me")
        == memory.graph.about("user")
        == memory.graph.about("Maria")
    )
    assert [fact.text for fact in about.facts] == ["The user lives in Porto"]
    assert [alias.name for alias in about.aliases] == ["Maria", "Mia"]


@pytest.mark.spec("KG-04")
def test_how_two_names_are_connected(memory: Memory, clock: FrozenClock) -> None:
    say(memory, "My sister Ana works at Brightside.", "My friend Rui works at Brightside.")
    say(memory, "Ana is also called Nini.", "Rui lives in Porto.")
    ways = memory.graph.paths("Nini", "Rui")
    assert [way.names for way in ways[:2]] == [
        ("Ana", "user", "Rui"),
        ("Ana", "Brightside", "Rui"),
    ]
    assert [edge.fact.text for edge in ways[1].relations] == [
        "Ana works at Brightside",
        "Rui works at Brightside",
    ]
    assert all(len(way.relations) <= 3 for way in ways)
    assert memory.graph.paths("Nini", "Porto", hops=1) == [] == memory.graph.paths("Nini", "nobody")
    assert {edge.other for edge in memory.graph.related("Nini")} == {"Ana", "Brightside"}
    clock.advance(days=5)
    memory.remember("My sister Ana no longer works at Brightside.")
    assert [way.names for way in memory.graph.paths("Ana", "Brightside", hops=3)] == [
        ("Ana", "user", "Rui", "Brightside")
    ]
    assert memory.graph.paths("Ana", "Brightside", at=START)[0].names == ("Ana", "Brightside")


@pytest.mark.spec("KG-03")
def test_names_of_one_count_together(memory: Memory) -> None:
    say(memory, "My sister Ana Souza lives in Porto.", "Ana likes Porto.", "Ana goes by Nini.")
    ana = next(one for one in memory.graph.entities() if one.name == "Ana Souza")
    assert set(ana.aliases) == {"Ana", "Nini", "the user's sister"}
    assert ana.kind is EntityKind.PERSON and ana.records >= 5


def test_a_name_is_needed(memory: Memory) -> None:
    with pytest.raises(InvalidInput):
        memory.graph.about(" ")
    with pytest.raises(InvalidInput):
        memory.graph.paths("Ana", "Rui", hops=9)
    nobody = memory.graph.about("Nobody Known")
    assert (nobody.name, nobody.facts, nobody.mentions) == ("Nobody Known", (), 0)


def test_the_same_to_be_awaited(tmp_path: Path) -> None:
    async def journey() -> None:
        async with await AsyncMemory.open(tmp_path / "memory.db") as memory:
            await memory.remember("My sister Ana lives in Porto.")
            assert (await memory.graph.about("my sister")).name == "Ana"
            assert (await memory.graph.paths("user", "Porto"))[0].names == ("user", "Ana", "Porto")
            assert (await memory.graph.related("my sister"))[0].other == "Ana"
            assert "Ana" in [entity.name for entity in await memory.graph.entities()]

    asyncio.run(journey())


@pytest.mark.spec("KG-01")
def test_links_survive_export_and_import(
    memory: Memory, clock: FrozenClock, tmp_path: Path
) -> None:
    say(memory, "My sister Ana lives in Porto.", "Ana goes by Nini.", "Nini works at Acme.")
    lines = list(memory.export())
    assert json.loads(lines[0])["format"] == "sharpwave-export"
    with Memory.open(tmp_path / "other.db", clock=clock) as other:
        other.admin.import_(lines, own=True)
        assert other.graph.about("Ana").facts == memory.graph.about("Ana").facts


def test_a_role_that_changed_hands_means_whoever_has_it_now(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "m.db") as memory:
        memory.remember("My boss is Rui. Rui lives in Braga.")
        memory.remember("My boss is now Sara. Sara lives in Faro.")
        found = memory.graph.about("my boss")
        assert found.name == "Sara" and [fact.object for fact in found.facts] == ["Faro"]
        assert memory.graph.about("Rui").name == "Rui"


def test_the_graph_shows_people_with_their_relations(memory: Memory) -> None:
    say(
        memory,
        "My cousin Elif's husband Okan fixed the boiler on Tuesday.",
        "Okan drives a truck, and he sings.",
        "My mother climbs the hill every Wednesday. Surgery is on Fridays.",
        "He said 'Receives' is the right word.",
    )
    memory.remember("Try the Grand Hotel with Marlene Dietrich.", role="assistant")
    graph = memory.graph.view()
    assert {each.name: each.kind for each in graph.entities} == {
        "user": EntityKind.PERSON,
        "Elif": EntityKind.PERSON,
        "Okan": EntityKind.PERSON,
        "user's mother": EntityKind.PERSON,
    }
    assert {(each.one, each.predicate, each.other) for each in graph.relations} == {
        ("user", "cousin", "Elif"),
        ("Elif", "husband", "Okan"),
    }
    assert memory.user("another").graph.view().entities == ()


def test_a_kind_once_learned_is_kept(memory: Memory) -> None:
    say(memory, "My paralegal is Dolores.", "A letter for Dolores.", "Give that to Dolores.")
    (entity,) = [each for each in memory.graph.view().entities if each.name == "Dolores"]
    assert entity.kind is EntityKind.PERSON


def test_words_about_a_person_without_a_name(memory: Memory) -> None:
    memory.remember("My nephew is with us till Easter. He's colour-blind, so no red pens please.")
    memory.remember("I need a new lamp for the office.")
    about = memory.graph.about("my nephew")
    assert about.kind is EntityKind.PERSON
    assert ["colour-blind" in fact.text for fact in about.facts] == [True]


def test_a_known_name_written_small(memory: Memory) -> None:
    say(memory, "My brother Enzo is loud.", "ok so enzo walked by and clapped")
    assert memory.graph.about("Enzo").mentions == 2
    memory.user("another").remember("ok so enzo walked by and clapped")
    assert memory.user("another").graph.entities() == []


def test_an_assistant_has_no_family(memory: Memory) -> None:
    memory.remember("Coach Rudy would agree, and so would my brother Tom.", role="assistant")
    assert memory.graph.view().relations == ()


def test_a_name_has_one_kind_in_every_view(memory: Memory) -> None:
    memory.remember("Birgitte lives in Odense.")
    memory.remember("Is Birgitte too warm in wool?")
    listed = {one.name: one.kind for one in memory.graph.entities()}
    assert listed["Birgitte"] is memory.graph.about("Birgitte").kind is EntityKind.PERSON


@pytest.mark.parametrize("said", ["I live with Ana.", "My cousin lives with Ana."])
def test_who_is_lived_with_is_a_person(memory: Memory, said: str) -> None:
    say(memory, said, "Ana works at Acme.", "Ana Souza is allergic to nuts.")
    kinds = {one.name: one.kind for one in memory.graph.entities()}
    assert kinds["Ana Souza"] is EntityKind.PERSON
    assert "Ana" not in kinds, "one person under two names"


@pytest.mark.parametrize("name", ["my sister", "user's sister", "ana souza"])
def test_what_may_change_is_told_under_any_name(memory: Memory, name: str) -> None:
    say(memory, "My sister Ana Souza lives in Porto.")
    (version,) = memory.facts.history(name, "lives_in").versions
    told = memory.facts.predict(name, "lives_in", START)
    assert told.fact.text == version.text == "Ana Souza lives in Porto"
