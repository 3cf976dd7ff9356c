"""Finding things again: by words, by meaning, by whom one asks for, by time, goal, tag and word."""

import asyncio
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pytest
from tests.cpu import seconds

from sharpwave import AsyncMemory, InvalidInput, Memory, Message, RecallQuery, Settings
from sharpwave.index.in_memory_index import RESCORE
from sharpwave.recall import choose, gather
from sharpwave.testing import FrozenClock, resources_of, workspace_of
from sharpwave.types.searching import FEATURES, Filter, Gathered

MAY = datetime(2026, 5, 18, 9, tzinfo=UTC)
"""A Monday."""
SEED = 'active = "seed"\n[presets.seed]\n'


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock(MAY)


@pytest.fixture
def memory(tmp_path: Path, clock: FrozenClock) -> Iterator[Memory]:
    with Memory.open(tmp_path / "m.db", clock=clock) as opened:
        yield opened


def texts(memory: Memory, query: object, **more: Any) -> list[str]:
    return [item.text for item in memory.recall(query, **more)]  # type: ignore[arg-type]


def crowd(memory: Memory, size: int) -> None:
    """Much that was said and has nothing to do with it."""
    told = [f"Chapter {n} tells of a walk of {n} miles along road {n % 7}." for n in range(size)]
    memory.remember(told, role="assistant")


@pytest.mark.spec("RD-01", "RD-03", "RD-08", "RD-10")
def test_words_meaning_and_the_graph_each_find_what_the_others_miss(memory: Memory) -> None:
    memory.remember("My sister is Ana.", session="a")
    crowd(memory, 60)
    memory.remember("The boiler has the number XK-4417.", session="b")
    memory.remember("Our physician told me to rest for a while.", session="c")
    memory.remember("Ana lives in Porto.", session="d")
    by_words = memory.recall("What about XK-4417?").items[0]
    assert by_words.text.endswith("XK-4417.") and by_words.terms["bm25"] > 0
    by_meaning = memory.recall("What did the doctor say?", kinds=["turn"]).items[0]
    assert "physician" in by_meaning.text and by_meaning.terms["cosine"] > 0
    assert any("Porto" in text for text in texts(memory, "Where does my sister live?", k=4))
    found = memory.recall("Which walk is told of, along which road?")
    assert len(found) == 16, "unless more or fewer are asked for"
    assert {"bm25", "cosine", "tokens_window"} <= found.items[0].terms.keys(), (
        "ranked again by words"
    )
    context = memory.context("What did the doctor say?")
    assert "physician" in context.text and by_meaning.record.id in context.ids


def test_what_was_restated_later_stands_first_unless_the_past_is_asked_for(
    memory: Memory, clock: FrozenClock
) -> None:
    memory.remember("The sunflower bread at Mühlhof is €3.60.")
    memory.remember("The rye bread at Mühlhof is €2.80.")
    clock.advance(days=60)
    memory.remember("The sunflower bread at Mühlhof is €3.95.")
    now = texts(memory, "How much is a sunflower loaf at Mühlhof?", k=1)
    assert "3.95" in now[0]
    assert any("3.60" in text for text in texts(memory, "What was the sunflower bread before?"))
    assert "2.80" in texts(memory, "How much is a rye loaf at Mühlhof?", k=1)[0]


@pytest.mark.spec("RD-09")
def test_who_does_well_everywhere_goes_before_who_is_best_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(gather, "SHORTLIST", 2)

    def table(**columns: Sequence[float]) -> Gathered:
        features = np.zeros((3, len(FEATURES)), np.float32)
        for name, values in columns.items():
            features[:, FEATURES.index(name)] = values
        return Gathered(np.array([1, 2, 3]), features, np.zeros((3, 2), np.int64), 1.0)

    ranked = {name: (0.0, 0.5, 0.4) for name in gather.RANKED_BY} | {"cosine": (0.9, 0.1, 0.2)}
    fused = gather.best(table(**ranked), k=1)
    assert fused.numbers.tolist() == [2, 3], "the first is best by one of seven only"


@pytest.mark.spec("RD-02", "RD-06")
def test_only_the_best_candidates_are_ever_looked_at(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, read = type(workspace_of(memory).store), Counter[str]()
    for name in ("fetch", "vectors"):
        whole = getattr(store, name)

        def counted(self: Any, numbers: Any, *more: Any, _of: Any = whole, _as: str = name) -> Any:
            read[_as] += len(numbers)
            return _of(self, numbers, *more)

        monkeypatch.setattr(store, name, counted)
    settings, most = (
        resources_of(memory).settings.recall,
        RESCORE,
    )
    for _ in range(2):
        crowd(memory, 300)
        read.clear()
        memory.recall("Which walk is told of in chapter 12?", kinds=["turn"])
        assert read["vectors"] <= most and read["fetch"] <= settings.k + choose.SPARE
    assert memory.admin.stats().memories > most, "far more is known than is read"
    vector = resources_of(memory).embedder.embed_question("road")
    found = workspace_of(memory).index.search("road", vector, gather.CANDIDATES, Filter())
    assert len(found.vector.numbers) == len(found.keyword.numbers) == 50


@pytest.mark.spec("RD-05")
def test_what_must_be_on_it_and_in_it(memory: Memory) -> None:
    memory.remember(Message("The spare key hangs behind the mirror.", tags=("home", "keys")))
    memory.remember(Message("The spare key of the shop lies in the safe.", tags=("shop", "keys")))
    memory.remember("Shipping a key takes a day.")
    crowd(memory, 80)
    ask = "Where is the spare key?"
    assert texts(memory, {"query": ask, "tags": ["shop"]}) == [
        "The spare key of the shop lies in the safe."
    ]
    assert set(texts(memory, {"query": ask, "tags": ["keys"]}, kinds=["turn"])) == {
        "The spare key hangs behind the mirror.",
        "The spare key of the shop lies in the safe.",
    }
    assert texts(memory, RecallQuery(ask, words=("safe", "SHOP"))) == [
        "The spare key of the shop lies in the safe."
    ]
    assert texts(memory, {"query": ask, "words": ["ships"]}) == ["Shipping a key takes a day."]
    assert texts(memory, {"query": ask, "words": ["safe"], "tags": ["home"]}) == []
    assert texts(memory, {"query": ask, "words": ["never said"]}) == []
    for empty in ("the", "!!!"):
        with pytest.raises(InvalidInput, match="nothing is found by"):
            memory.recall({"query": ask, "words": ["safe", empty]})
    shown = memory.context({"query": ask, "tags": ["home"]})
    assert "mirror" in shown.text and "safe" not in shown.text
    (facts,) = {item.record.kind for item in memory.recall({"query": ask}, kinds=["fact"])}
    assert facts == "fact", "the arguments fill in what the question leaves open"
    for wrong in ({"tags": ["home"]}, {"query": ask, "colour": "red"}, {"query": ask, "tags": "x"}):
        with pytest.raises(InvalidInput):
            memory.recall(wrong)


@pytest.mark.spec("RD-05")
@mock.patch("sharpwave.index.recall_index.SNAPSHOT_MIN_RECORDS", 10)
def test_tags_survive_a_restart_a_snapshot_and_forgetting(tmp_path: Path) -> None:
    asked = {"query": "Where is the key?", "tags": ["home"]}
    with Memory.open(tmp_path / "m.db") as memory:
        crowd(memory, 20)
        first = memory.remember(Message("The key hangs behind the mirror.", tags=("home",))).ids
        memory.remember(Message("The key lies in the blue pot.", tags=("home", 'ga"r,den')))
        assert len(texts(memory, asked, kinds=["turn"])) == 2
    with Memory.open(tmp_path / "m.db") as memory:
        assert len(texts(memory, asked, kinds=["turn"])) == 2
        memory.forget(*first)
        assert texts(memory, asked, kinds=["turn"]) == ["The key lies in the blue pot."]
        assert texts(memory, {**asked, "tags": ['ga"r,den']}) != []


@pytest.mark.spec("TSK-04")
def test_what_one_is_after_counts_beside_the_question(memory: Memory, tmp_path: Path) -> None:
    memory.remember("The hotel by the harbour has a desk and fast internet.")
    memory.remember("The hotel by the park has a pool and toys for children.")
    ask = "Which hotel did we look at?"
    plain = {item.text: item.score for item in memory.recall(ask, kinds=["turn"])}
    for goal, word in (("a holiday with the kids", "toys"), ("write a report", "internet")):
        found = memory.recall(ask, kinds=["turn"], goal=goal)
        gained = {item.text: item.score - plain[item.text] for item in found}
        assert word in max(gained, key=lambda text: gained[text]), goal
        assert all(item.terms["goal"] == pytest.approx(gained[item.text]) for item in found)
    (tmp_path / "seed.toml").write_text(SEED)
    settings = Settings(weights_file=tmp_path / "seed.toml")
    with Memory.open(tmp_path / "m.db", settings=settings) as seeded:
        found = seeded.recall(ask, kinds=["turn"], goal="a holiday with the kids")
        nearest = max(found, key=lambda item: item.terms["goal"])
        assert "toys" in nearest.text and 0 < nearest.terms["goal"] <= 1


@pytest.mark.spec("TMP-02")
def test_when_it_was_counts(memory: Memory, clock: FrozenClock, tmp_path: Path) -> None:
    for days, place in ((40, "Faro"), (6, "Braga"), (0, "Evora")):
        memory.remember(Message(f"We met the team in {place}.", at=MAY - timedelta(days=days)))
    for when, place in (("last week", "Braga"), ("on April 8", "Faro"), ("today", "Evora")):
        found = memory.recall(f"Where did we meet the team {when}?", kinds=["turn"])
        boosted = [item.text for item in found if item.terms["dated"] > 0]
        assert len(boosted) == 1 and place in boosted[0], when
    (tmp_path / "seed.toml").write_text(SEED)
    settings = Settings(weights_file=tmp_path / "seed.toml")
    with Memory.open(tmp_path / "m.db", settings=settings, clock=clock) as seeded:
        found = seeded.recall("Where did we meet the team?", kinds=["turn"])
        fresh = {item.text: item.terms["recency"] for item in found}
        order = sorted(fresh, key=lambda text: -fresh[text])
        assert [text.split()[-1] for text in order] == ["Evora.", "Braga.", "Faro."]


@pytest.mark.spec("EVL-02")
def test_what_is_said_in_passing_is_found_in_a_later_talk(
    memory: Memory, clock: FrozenClock
) -> None:
    talk = [f"Step {n} of the shelf: I cut board {n} to size and sanded it." for n in range(30)]
    talk[7] += " By the way, my niece Clara started to learn the oboe."
    talk[19] = "The spare fuses are in the biscuit tin, before I forget."
    for text in talk:
        memory.remember(text, session="shelf")
        clock.advance(minutes=2)
    clock.advance(days=12)
    memory.remember("Let us plan the weekend.", session="weekend")
    for question, answer in (
        ("Which instrument does Clara play?", "oboe"),
        ("Where are the spare fuses?", "biscuit tin"),
    ):
        assert answer in memory.recall(question).items[0].text
        assert answer in memory.context(question).text


@pytest.mark.spec("SCO-11")
def test_the_mood_of_a_question_counts_in_the_formulas(tmp_path: Path) -> None:
    (tmp_path / "seed.toml").write_text(SEED)
    settings = Settings(weights_file=tmp_path / "seed.toml")
    with Memory.open(tmp_path / "m.db", settings=settings) as memory:
        memory.remember("The trip to Faro was awful, I was so sad.")
        memory.remember("The trip to Braga was wonderful, I love that town.")
        memory.remember("The trip to Evora took an hour.")
        for question, place in (
            ("Which trip was awful?", "Faro"),
            ("Which trip was wonderful?", "Braga"),
        ):
            found = memory.recall(question, kinds=["turn"])
            moods = {item.text.split()[3]: item.terms["emotion"] for item in found}
            assert moods.pop(place) == 1.0 and set(moods.values()) == {0.0}
        assert {item.terms["emotion"] for item in memory.recall("Which trip?")} == {0.0}


@pytest.mark.spec("RD-16")
def test_memory_patterns_and_advice_are_asked_for_at_once(tmp_path: Path) -> None:
    async def journey() -> None:
        async with await AsyncMemory.open(tmp_path / "m.db") as memory:
            await memory.remember("I deploy the shop with a script.")
            for number in range(3):
                steps = [{"tool": "run_tests"}, {"tool": "build"}, {"tool": "push"}]
                await memory.agents.observe(
                    {"query": f"deploy {number}", "steps": steps, "success": True}
                )
            found, matches, advice = await asyncio.gather(
                memory.recall("How do I deploy the shop?"),
                memory.agents.detect_patterns(["run_tests", "build", "push"]),
                memory.agents.advise("deploy 7"),
            )
            assert "script" in found.items[0].text
            assert matches[0].match_type == "exact" and advice.plans

    asyncio.run(journey())


@pytest.mark.spec("RD-23", "WM-03")
def test_a_context_costs_less_than_fifty_milliseconds(memory: Memory) -> None:
    """Limits of the documents; what is usual is far below, and in docs/internals/benchmarks.md."""
    crowd(memory, 500)
    memory.remember("My sister Ana lives in Porto.")
    memory.context("Where does Ana live?")
    assert seconds(lambda: memory.context("Where does my sister live?"), 0.05) < 0.05
    assert seconds(lambda: memory.admin.recent(20), 0.01) < 0.01


def test_what_an_agent_understood_of_a_turn_is_found_by_its_own_words(memory: Memory) -> None:
    memory.remember("Dougie is throwing me a leaving do.", session="a")
    memory.remember("Took the money. Tuesday was my last chopper home.", session="a")
    understood = "Bryn, the user's collie, died on Monday 2026-03-30."
    fact = {"text": understood, "quote": "Bryn went on Monday"}
    memory.remember("Bryn went on Monday. That's that.", session="a", facts=[fact])
    assert texts(memory, "When did I lose the dog?", k=1) == [understood]
