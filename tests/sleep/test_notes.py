"""Notes and summaries of the night: what a model writes is checked, what repeats becomes one."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.sleep.living import TALK

from sharpwave import Kind, Memory, Record, Source
from sharpwave.errors import ProviderUnavailable
from sharpwave.llm.prompts import conversation, sleep
from sharpwave.sleep.summarise import invented
from sharpwave.temporal.clock import new_id
from sharpwave.testing import (
    FrozenClock,
    HashEmbedder,
    LLMCall,
    ScriptedLLM,
    resources_of,
    workspace_of,
)
from sharpwave.types.records import (
    Channel,
    Provenance,
    Stage,
    Standing,
    State,
    Statement,
    Temperature,
    Trust,
)
from sharpwave.types.storing import Change, Stated

NOON = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)
SAID = "The user lives in Porto. Ana is allergic to peanuts."


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock(NOON)


@pytest.fixture
def memory(clock: FrozenClock, tmp_path: Path) -> Iterator[Memory]:
    with Memory.open(tmp_path / "m.db", clock=clock, embedder=HashEmbedder(64)) as opened:
        yield opened


def model(says: str, learned: list[sleep.SessionNote] | None = None) -> ScriptedLLM:
    """A model that summarises so, and learns this from each session."""

    def answer(asked: LLMCall) -> object:
        forms = {
            sleep.SUMMARY: sleep.SummaryOutput(summary=says),
            sleep.NOTES: sleep.NotesOutput(notes=learned or []),
            conversation.CONVERSATION: conversation.ConversationOutput(),
            sleep.CONFLICT: sleep.ConflictOutput(why="", inconsistent=False),
        }
        return forms[asked.prompt.name]

    return ScriptedLLM(answer)  # type: ignore[arg-type]


def slept(memory: Memory, clock: FrozenClock) -> Record:
    """The summary of one session, after a night."""
    told = [{"role": role, "content": text} for role, text in TALK]
    memory.remember(told, session="s")
    clock.advance(days=2)
    memory.sleep(heavy=True)
    (made,) = stated(memory, Kind.EPISODE)
    return made


def stated(memory: Memory, kind: Kind, state: State = State.ACTIVE) -> list[Record]:
    wanted = Stated(kinds=frozenset({kind}), states=frozenset({state}))
    return workspace_of(memory).store.stated(wanted)


@pytest.mark.spec("EPI-05")
def test_a_model_writes_the_summary_and_pays_for_it(clock: FrozenClock, tmp_path: Path) -> None:
    llm = model(SAID)
    with Memory.open(tmp_path / "m.db", clock=clock, embedder=HashEmbedder(64), llm=llm) as memory:
        memory.admin.consent("egress", True)
        made = slept(memory, clock)
        assert made.text == SAID and len(made.provenance.parents) == len(TALK)
        assert "user: " in str(made.metadata["excerpt"]), "what was said stands beside it"
        asked = {one.prompt.name for one in llm.asked}
        assert asked >= {sleep.SUMMARY, sleep.NOTES} and memory.admin.sleep_log()[0].tokens > 0
        assert workspace_of(memory).store.spent(clock.now().date()).calls >= 2
        memory.forget(made.provenance.parents[0])
        assert stated(memory, Kind.EPISODE) == [], "it may hold words of what was forgotten"


@pytest.mark.parametrize("says", ["Bruno lives in Porto.", "Ana moved 3 years ago.", ""])
def test_what_the_model_made_up_is_not_kept(clock: FrozenClock, tmp_path: Path, says: str) -> None:
    with Memory.open(
        tmp_path / "m.db", clock=clock, embedder=HashEmbedder(64), llm=model(says)
    ) as memory:
        memory.admin.consent("egress", True)
        made = slept(memory, clock)
        assert made.text != says and "user: " in made.text


def test_nothing_leaves_without_consent_and_nothing_fails_without_an_answer(
    clock: FrozenClock, tmp_path: Path
) -> None:
    llm = model(SAID)
    with Memory.open(tmp_path / "m.db", clock=clock, embedder=HashEmbedder(64), llm=llm) as memory:
        memory.admin.consent("egress", False)
        assert "user: " in slept(memory, clock).text and not llm.asked
    llm.failing = ProviderUnavailable("away")
    with Memory.open(tmp_path / "n.db", clock=clock, embedder=HashEmbedder(64), llm=llm) as memory:
        memory.admin.consent("egress", True)
        assert "user: " in slept(memory, clock).text


@pytest.mark.spec("REF-03")
def test_notes_of_a_session_are_guesses_that_name_what_the_user_said(
    clock: FrozenClock, tmp_path: Path
) -> None:
    learned = [
        sleep.SessionNote(text="Offer a reminder for bookings.", about="strategy", turns=[5, 6]),
        sleep.SessionNote(text="Rests on nothing.", about="pitfall", turns=[99]),
        sleep.SessionNote(text="Rests on the assistant alone.", about="pitfall", turns=[2]),
    ]
    with Memory.open(
        tmp_path / "m.db", clock=clock, embedder=HashEmbedder(64), llm=model(SAID, learned)
    ) as memory:
        memory.admin.consent("egress", True)
        slept(memory, clock)
        (note,) = stated(memory, Kind.NOTE)
        assert note.text == "Offer a reminder for bookings."
        assert note.standing.confidence == 0.7 and note.standing.stage is Stage.EPISODIC
        memory.admin.undo_sleep(memory.admin.sleep_log()[0].run)
        assert stated(memory, Kind.NOTE) == []


@pytest.mark.spec("REF-03")
def test_only_sessions_with_something_in_them_are_reflected_on(
    clock: FrozenClock, tmp_path: Path
) -> None:
    llm = model(SAID)
    with Memory.open(tmp_path / "m.db", clock=clock, llm=llm) as memory:
        memory.admin.consent("egress", True)
        memory.remember(["Hi!", "What time is it?"], session="short")
        told = [{"role": role, "content": text} for role, text in TALK]
        memory.remember(told, session="long")
        clock.advance(days=2)
        memory.sleep(heavy=True)
        asked = [one.prompt.user for one in llm.asked if one.prompt.name == sleep.NOTES]
        assert len(asked) == 1 and "lemon trees" in asked[0] and "What time" not in asked[0]


@pytest.mark.spec("REF-04")
def test_a_session_makes_one_to_three_notes_of_three_sorts(
    clock: FrozenClock, tmp_path: Path
) -> None:
    learned = [
        sleep.SessionNote(text="Offer a reminder for bookings.", about="strategy", turns=[5]),
        sleep.SessionNote(text="Suggest places with trees.", about="preference", turns=[5]),
        sleep.SessionNote(text="Check for peanuts first.", about="pitfall", turns=[7]),
        sleep.SessionNote(text="A fourth one.", about="pitfall", turns=[7]),
    ]
    llm = model(SAID, learned)
    with Memory.open(tmp_path / "m.db", clock=clock, llm=llm) as memory:
        memory.admin.consent("egress", True)
        slept(memory, clock)
        kept = {note.text for note in memory.behavior.notes()}
        assert kept == {note.text for note in learned[:3]}
        (asked,) = [one.prompt for one in llm.asked if one.prompt.name == sleep.NOTES]
        for sort in ("strategy", "preference", "pitfall"):
            assert f"- {sort}:" in asked.system
        assert "one to 3 short notes" in asked.system
        assert all(note.origin == "llm_reflection" for note in memory.behavior.notes())


def test_notes_that_say_the_same_become_one_and_part_again(
    memory: Memory,
) -> None:
    kept = _twins(memory)
    report = memory.sleep(heavy=True)
    left, opposite = stated(memory, Kind.NOTE)
    assert opposite.text.startswith("Never")
    assert left.id == kept.id and left.standing.seen_count == 2
    assert report.counts["merged"] == 1
    memory.admin.undo_sleep(report.run)
    assert len(stated(memory, Kind.NOTE)) == 3
    _stored(memory, "Bring an umbrella.", 0.5)
    assert "merged" not in memory.sleep(heavy=True).counts, "what was taken back stays so"
    _stored(memory, kept.text, 0.4)
    assert memory.sleep(heavy=True).counts["merged"] == 2, "until there is another"


def _twins(memory: Memory) -> Record:
    """Two notes with the same words and one that says the opposite; returns the surer twin."""
    made = []
    same, opposite = "Go by the harbour.", "Never the harbour."
    for number, text in enumerate([same, same, opposite]):
        made.append(_stored(memory, text, 0.8 - number / 10))
    return made[0]


def _stored(memory: Memory, text: str, confidence: float) -> Record:
    record, embedder = _note(memory, text, confidence), resources_of(memory).embedder
    vectors, space = embedder.embed([text]), embedder.space
    change = Change("test", NOON, (record,), vectors=vectors, space=space)
    return workspace_of(memory).store.commit(change)[0].record


def _note(memory: Memory, text: str, confidence: float) -> Record:
    return Record(
        id=new_id(NOON),
        user_id=memory.user_id,
        kind=Kind.NOTE,
        text=text,
        provenance=Provenance(Source.USER_MESSAGE, Channel.LIBRARY, Trust.USER, "test"),
        standing=Standing(Stage.EPISODIC, Temperature.HOT, 0.4, confidence, 1, NOON),
        valid_from=NOON,
        recorded_at=NOON,
        statement=Statement("user", "note", text),
        slot="user|note|",
    )


def test_names_and_numbers_must_have_been_said() -> None:
    assert invented("She said Ana's train leaves at 9.", "Ana: the train at 9") == set()
    assert invented("Bruno came. They met Rui at 10.", "they met at 9") == {"Bruno", "Rui", "10"}
