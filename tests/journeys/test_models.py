"""A language model reads what was said again, in the background; if it fails, nothing is lost."""

import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from sharpwave import Memory, ProviderError, Settings, worker
from sharpwave.conversation.operations import EXTRACTOR
from sharpwave.errors import AnswerUnfit, ProviderMisbehaved, ProviderUnavailable
from sharpwave.llm.prompts.conversation import VERSION, ConversationOutput, MemoryOperation
from sharpwave.settings.core import RememberSettings
from sharpwave.settings.models import EmbedderSettings, LLMSettings
from sharpwave.testing import FrozenClock, LLMCall, ScriptedLLM, resources_of, worker_of
from sharpwave.types.answers import Verdict
from sharpwave.types.llm import LLMRole, Prompt
from sharpwave.types.statements import Mode
from sharpwave.types.working import JobState

START = datetime(2026, 5, 1, 12, tzinfo=UTC)
PROMPT = Prompt("sky", "1", "Be short.", "What colour is the sky?", 50)
WORDS = "Guess what, the folks at Acme took me on as of this week!"


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock(START)


@pytest.fixture
def opened(tmp_path: Path, clock: FrozenClock) -> Iterator[Callable[..., Memory]]:
    memories: list[Memory] = []

    def open_(llm: ScriptedLLM | None, **llm_settings: float) -> Memory:
        settings = Settings(
            path=tmp_path / "m.db",
            remember=RememberSettings(read_after_turns=1),  # when it reads is tested elsewhere
            llm=LLMSettings(**llm_settings),
        )
        memories.append(Memory.open(settings=settings, clock=clock, llm=llm))
        return memories[-1]

    yield open_
    for memory in memories:
        memory.close()


def works_at(employer: str, quote: str = WORDS, **more: object) -> MemoryOperation:
    said = {"turn": 1, "quote": quote, "text": f"The user works at {employer}.", "confidence": 0.9}
    triple = {"subject": "user", "predicate": "works_at", "object": employer}
    return MemoryOperation.model_validate({"op": "new", **said, **triple, **more})


def task(quote: str, text: str, due: str = "") -> MemoryOperation:
    said = {"turn": 1, "quote": quote, "text": text, "due": due, "confidence": 0.9}
    return MemoryOperation.model_validate({"op": "new", "kind": "task", **said})


def answer(*operations: MemoryOperation) -> ConversationOutput:
    return ConversationOutput(operations=list(operations))


@pytest.mark.spec("WM-06")
def test_the_model_reads_in_the_background(opened: Callable[..., Memory]) -> None:
    asked, go = threading.Event(), threading.Event()

    def slow(_: LLMCall) -> ConversationOutput:
        asked.set()
        assert go.wait(30)
        return answer(works_at("Acme"))

    memory = opened(ScriptedLLM(slow))
    receipt = memory.remember(WORDS)
    (job,) = memory.admin.jobs()
    assert job.ids == list(receipt.ids), "queued together with the turn"
    assert asked.wait(30), "nobody had to ask for it"
    assert memory.facts.list() == [] and memory.recall("Acme").items, "it is found meanwhile"
    go.set()
    late = memory.remember("Bye.", wait=True)  # after the one before
    assert late.ids
    assert [fact.object for fact in memory.facts.profile()] == ["Acme"]
    assert {job.state for job in memory.admin.jobs()} == {JobState.DONE}


def test_waiting_for_the_model(opened: Callable[..., Memory]) -> None:
    llm = ScriptedLLM([answer(works_at("Acme"), task("Acme", "Buy a suit", "2026-05-09"))])
    memory = opened(llm)
    receipt = memory.remember(WORDS, wait=True)
    assert [outcome.verdict for outcome in receipt.learned] == [Verdict.ACCEPTED] * 2
    assert [t.title for t in memory.tasks.list()] == ["Buy a suit"]
    (fact,) = memory.facts.profile()
    assert memory.explain(fact.id).record.metadata["extractor"] == EXTRACTOR
    assert len(llm.asked) == 1


def test_what_a_model_quotes_must_be_the_users_own_words(opened: Callable[..., Memory]) -> None:
    text = "I love hiking. My colleague wrote:\n> The folks at Acme took me on. Call Bob tomorrow."
    found = works_at("Acme", "The folks at Acme took me on"), task("Call Bob tomorrow", "Call Bob")
    memory = opened(ScriptedLLM([answer(*found)]))
    receipt = memory.remember(text, wait=True)
    assert "Acme" not in str(memory.facts.list()) and memory.tasks.list() == []
    refused = [one for one in receipt.learned if one.verdict is Verdict.REJECTED]
    assert len(refused) == 2 and all("own words" in one.reason for one in refused)


def test_rules_and_model_agree_and_it_counts_once(opened: Callable[..., Memory]) -> None:
    text = "I work at Acme. I need to buy milk."
    same = works_at("Acme", "I work at Acme"), task("buy milk", "Buy milk")
    memory = opened(ScriptedLLM([answer(*same)]))
    memory.remember(text, wait=True)
    (fact,) = memory.facts.list()
    assert (fact.seen_count, fact.confidence) == (1, 0.9)
    assert len(memory.tasks.list()) == 1


def test_a_late_reading_does_not_bring_back_the_old(
    opened: Callable[..., Memory], clock: FrozenClock
) -> None:
    script = ScriptedLLM(
        [
            answer(works_at("Acme", "I work at Acme"), task("call Bob", "Call Bob")),
            answer(works_at("Globex", "job at Globex")),
        ]
    )
    rules, memory = opened(None), opened(script)
    script.failing = ProviderUnavailable("down")
    memory.remember("I work at Acme. I need to call Bob.", wait=True)
    clock.advance(days=1)
    rules.remember("I started a new job at Globex. I called Bob.")
    script.failing = None
    assert memory.admin.work() >= 1
    assert [f.object for f in memory.facts.list(predicate="works_at")] == ["Globex"]
    assert [f.object for f in memory.facts.history("user", "works_at").versions] == [
        "Acme",
        "Globex",
    ]
    assert memory.tasks.list() == []


@pytest.mark.parametrize("kind", [ProviderUnavailable, ProviderMisbehaved])
def test_a_model_that_is_away_is_waited_for_however_long_it_takes(
    opened: Callable[..., Memory], clock: FrozenClock, kind: type[ProviderError]
) -> None:
    llm = ScriptedLLM([answer(works_at("Acme"))])
    llm.failing = kind("nobody answers")
    memory = opened(llm)
    receipt = memory.remember(WORDS, wait=True)
    assert "not read this yet" in receipt.notes[0] and "nobody answers" in receipt.notes[0]
    (job,) = memory.admin.jobs()
    assert (job.state, job.attempts) == (JobState.WAITING, 1)
    assert job.not_before > clock.now() and "nobody answers" in str(job.error)
    assert memory.admin.work() == 0, "not due yet"
    waits = []
    for _ in range(40):
        clock.advance(hours=2)
        assert memory.admin.work() == 1
        waits.append(memory.admin.jobs()[0].not_before - clock.now())
    assert waits[0] < waits[2] < waits[-1] == timedelta(hours=1), "longer each time, up to an hour"
    assert memory.recall("Acme").items[0].record.id == receipt.ids[0], "the words are there"
    llm.failing = None
    clock.advance(hours=2)
    assert memory.admin.work() == 1 and [fact.object for fact in memory.facts.profile()] == ["Acme"]


def test_it_comes_back_in_time(opened: Callable[..., Memory], clock: FrozenClock) -> None:
    llm = ScriptedLLM([answer(works_at("Acme"))])
    llm.failing = ProviderUnavailable("busy")
    memory = opened(llm)
    memory.remember(WORDS, wait=True)
    llm.failing = None
    clock.advance(hours=1)
    assert memory.admin.work() == 1
    assert [fact.object for fact in memory.facts.profile()] == ["Acme"]
    assert memory.admin.jobs()[0].error is None


def test_a_model_that_talks_nonsense_is_not_asked_again(opened: Callable[..., Memory]) -> None:
    memory = opened(ScriptedLLM(["not JSON"]))
    receipt = memory.remember(WORDS, wait=True)
    (job,) = memory.admin.jobs()
    assert job.state is JobState.FAILED and job.error and receipt.ids
    assert job.error.startswith(AnswerUnfit.code)


def test_what_one_model_cannot_do_another_may(opened: Callable[..., Memory]) -> None:
    opened(ScriptedLLM(["not JSON"])).remember(WORDS, wait=True)
    better = opened(ScriptedLLM([answer(works_at("Acme"))]))
    assert better.admin.work() == 0 and better.admin.retry_jobs() == 1
    assert better.admin.work() == 1 and [fact.object for fact in better.facts.profile()] == ["Acme"]
    assert better.admin.retry_jobs() == 0


@pytest.mark.parametrize(
    "cap",
    [
        {"daily_calls": 1},
        {"daily_tokens": 10},
        {"daily_cost": 0.0001, "input_price": 1000.0, "output_price": 1000.0},
    ],
)
def test_a_day_has_its_caps(
    opened: Callable[..., Memory], clock: FrozenClock, cap: dict[str, float]
) -> None:
    llm = ScriptedLLM(lambda _: answer())
    memory = opened(llm, **cap)
    memory.remember(WORDS, wait=True)
    spent = memory.admin.spending()
    assert spent.calls == 1 and spent.input_tokens == llm.usage.input_tokens > 10
    assert (spent.cost > 0) is ("daily_cost" in cap)
    receipt = memory.remember("I met an old friend.", wait=True)
    assert len(llm.asked) == 1 and receipt.ids
    (job, _) = memory.admin.jobs()
    assert job.state is JobState.WAITING and "goes on tomorrow" in str(job.error)
    assert job.not_before == datetime(2026, 5, 2, tzinfo=UTC)
    bob = memory.user("bob")
    bob.remember(WORDS, wait=True)
    assert len(llm.asked) == 2, "each user has an allowance"
    clock.advance(days=1)
    assert memory.admin.work() == 1 and len(llm.asked) == 3
    assert memory.admin.spending(START.date()) == spent


def test_every_call_leaves_a_line_of_numbers(
    opened: Callable[..., Memory], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", logger="sharpwave.llm")
    llm = ScriptedLLM(lambda _: answer())
    memory = opened(llm, input_price=1.0)
    memory.remember(WORDS, wait=True)
    llm.failing = ProviderMisbehaved("no JSON")
    llm.failing.input_tokens = 70
    memory.remember("I met an old friend.", wait=True)
    told = [record.getMessage() for record in caplog.records]
    sent = llm.usage.input_tokens
    assert told[0].startswith(f"asked utility conversation {VERSION}: {sent} tokens sent,")
    assert f"cost {sent / 1_000_000:.6f}, failure none" in told[0]
    assert "70 tokens sent, 0 answered" in told[1] and "provider_misbehaved" in told[1]
    assert not any("Acme" in line or "friend" in line for line in told), "never words"


def test_failed_calls_count_too(opened: Callable[..., Memory]) -> None:
    llm = ScriptedLLM()
    llm.failing = ProviderMisbehaved("no JSON")
    llm.failing.input_tokens, llm.failing.output_tokens = 70, 5
    memory = opened(llm)
    memory.remember(WORDS, wait=True)
    spent = memory.admin.spending()
    assert (spent.calls, spent.input_tokens, spent.output_tokens) == (1, 70, 5)


@pytest.mark.parametrize("purpose", ["egress", "memory"])
def test_without_consent_nothing_is_sent(
    opened: Callable[..., Memory], clock: FrozenClock, purpose: str
) -> None:
    llm = ScriptedLLM()
    llm.failing = ProviderUnavailable("later")
    memory = opened(llm)
    memory.remember(WORDS, wait=True)
    asked = len(llm.asked)
    memory.admin.consent(purpose, granted=False)
    clock.advance(days=1)
    assert memory.admin.work() == 1, "what was queued before is dropped unread"
    memory.remember(WORDS, wait=True)
    assert len(llm.asked) == asked
    assert {job.state for job in memory.admin.jobs()} == {JobState.DONE}


@pytest.mark.spec("SEC-10")
def test_secrets_do_not_leave(opened: Callable[..., Memory]) -> None:
    llm = ScriptedLLM(lambda _: answer())
    memory = opened(llm)
    memory.admin.consent("sensitive", granted=True)
    secrets = ["4111 1111 1111 1111", "ana@example.com", "sk-proj-abcdefghijklmnopqrstuvwx12345678"]
    memory.remember(
        f"My card is {secrets[0]}, my mail {secrets[1]}, my key {secrets[2]}.",
        speaker="ana.silva@example.com",
        wait=True,
    )
    (asked,) = llm.asked
    sent = asked.prompt.system + asked.prompt.user
    for secret in [*secrets, "ana.silva@example.com"]:
        assert secret not in sent
    assert "My card is" in sent


def test_what_cannot_be_quoted_is_dropped_with_a_reason(opened: Callable[..., Memory]) -> None:
    memory = opened(
        ScriptedLLM(
            [
                answer(
                    works_at("Acme"),
                    works_at("Globex", "I adore Globex"),
                    works_at("Initech", turn=7),
                    works_at("Hooli", confidence=0.2),
                )
            ]
        )
    )
    receipt = memory.remember(WORDS, wait=True)
    reasons = [outcome.reason for outcome in receipt.with_verdict(Verdict.REJECTED)]
    assert any("quote" in reason for reason in reasons)
    assert any("no new turn 7" in reason for reason in reasons)
    assert any("too unsure" in reason for reason in reasons)
    assert [fact.object for fact in memory.facts.list()] == ["Acme"]


def test_what_is_forgotten_meanwhile_does_not_come_back(opened: Callable[..., Memory]) -> None:
    memory: Memory

    def forgetful(_: LLMCall) -> ConversationOutput:
        memory.forget(everything=True)
        return answer(works_at("Acme"))

    memory = opened(ScriptedLLM(forgetful))
    memory.remember(WORDS, wait=True)
    assert memory.facts.list() == [] and memory.admin.stats().memories == 0


def test_what_is_quarantined_is_not_read(opened: Callable[..., Memory], clock: FrozenClock) -> None:
    llm = ScriptedLLM()
    llm.failing = ProviderUnavailable("later")
    memory = opened(llm)
    memory.remember(WORDS, session="bad", wait=True)
    memory.facts.quarantine(session="bad")
    llm.failing = None
    clock.advance(days=1)
    assert memory.admin.work() == 1 and len(llm.asked) == 1 and memory.facts.list() == []


def test_the_worker_ends_with_its_memory(opened: Callable[..., Memory]) -> None:
    before = threading.active_count()
    asked = threading.Event()

    def note(_: LLMCall) -> ConversationOutput:
        asked.set()
        return answer()

    memory = opened(ScriptedLLM(note))
    memory.remember(WORDS)
    assert asked.wait(30)
    memory.close()
    assert not [t for t in threading.enumerate() if t.name == "sharpwave-worker"]
    assert threading.active_count() <= before
    memory.close()


def test_a_close_does_not_wait_for_a_model_that_hangs(
    opened: Callable[..., Memory],
    clock: FrozenClock,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked, let_go = threading.Event(), threading.Event()

    def hang(_: LLMCall) -> ConversationOutput:
        asked.set()
        assert let_go.wait(60)
        return answer(works_at("Acme"))

    monkeypatch.setattr(worker, "CLOSE_S", 0.05)
    at_once = Settings(path=tmp_path / "m.db", remember=RememberSettings(read_after_turns=1))
    memory = Memory.open(settings=at_once, clock=clock, llm=ScriptedLLM(hang))
    memory.remember(WORDS)
    assert asked.wait(30)
    (thread,) = [one for one in threading.enumerate() if one.name == "sharpwave-worker"]
    memory.close()
    assert thread.is_alive() and "a job was left" in caplog.text
    let_go.set()
    thread.join(30)
    assert not thread.is_alive(), "it ends by itself, though the store is closed"
    again = opened(ScriptedLLM([answer(works_at("Acme"))]))
    clock.advance(minutes=11)
    assert again.admin.work() == 1
    assert [fact.object for fact in again.facts.profile()] == ["Acme"]


def test_a_worker_that_dies_is_replaced(opened: Callable[..., Memory], clock: FrozenClock) -> None:

    class Killed(ScriptedLLM):
        def structured(self, *_: object) -> None:  # type: ignore[override]
            raise KeyboardInterrupt  # as if the process ended here

    first = opened(Killed())
    with pytest.raises(KeyboardInterrupt):
        first.remember(WORDS, wait=True)
    (job,) = first.admin.jobs()
    assert job.state is JobState.RUNNING
    llm = ScriptedLLM([answer(works_at("Acme"))])
    second = opened(llm)
    assert second.admin.work() == 0, "somebody may still be at it"
    clock.advance(minutes=11)
    assert second.admin.work() == 1
    (job,) = second.admin.jobs()
    assert (job.state, job.attempts) == (JobState.DONE, 2)
    assert [fact.object for fact in second.facts.profile()] == ["Acme"]


def test_who_has_no_model_leaves_the_work_to_others(
    opened: Callable[..., Memory], clock: FrozenClock
) -> None:
    llm = ScriptedLLM([answer(works_at("Acme"))])
    llm.failing = ProviderUnavailable("later")
    opened(llm).remember(WORDS, wait=True)
    clock.advance(days=1)
    without = opened(None)
    assert without.admin.work() == 0 and without.admin.jobs()[0].state is JobState.WAITING
    llm.failing = None
    assert opened(llm).admin.work() == 1


def test_what_the_model_says_of_the_past_is_history(
    opened: Callable[..., Memory], clock: FrozenClock
) -> None:
    past = works_at("Initech", mode=Mode.ENDED, since="2010", until="2012")
    memory = opened(ScriptedLLM([answer(past, works_at("Acme"))]))
    memory.remember(WORDS, wait=True)
    old = memory.facts.at(datetime(2011, 6, 1, tzinfo=UTC)).facts
    assert [fact.object for fact in old] == ["Initech"]
    assert [fact.object for fact in memory.facts.profile()] == ["Acme"]
    assert memory.facts.at(START + timedelta(days=1)).facts[0].object == "Acme"


def test_others_wait_while_a_model_is_away(
    opened: Callable[..., Memory], clock: FrozenClock
) -> None:
    llm = ScriptedLLM(lambda _: answer())
    llm.failing = ProviderUnavailable("nobody answers")
    memory = opened(llm)
    for name in ("ana", "ben", "cleo"):
        memory.user(name).remember(WORDS, wait=True)
    clock.advance(hours=2)
    asked = len(llm.asked)

    assert memory.admin.work() == 1 and len(llm.asked) == asked + 1, "one finds out for all"

    waiting = [memory.user(name).admin.jobs()[0].attempts for name in ("ana", "ben", "cleo")]
    assert sorted(waiting) == [1, 1, 2]
    llm.failing = None
    assert memory.admin.work() == 2, "who waited is still due"


def test_the_background_asks_a_model_that_is_away_once_in_a_while(
    opened: Callable[..., Memory],
) -> None:
    once, again = threading.Event(), threading.Event()

    def away(_: LLMCall) -> ConversationOutput:
        (again if once.is_set() else once).set()
        raise ProviderUnavailable("nobody answers")

    memory = opened(ScriptedLLM(away))
    for name in ("ana", "ben", "cleo"):
        memory.user(name).remember(WORDS)
    assert once.wait(30)
    assert not again.wait(0.5), "the others wait"
    memory.close()
    assert not again.is_set(), "and it ends at once"


def test_a_day_that_is_spent_keeps_nobody_else_waiting(opened: Callable[..., Memory]) -> None:
    llm = ScriptedLLM(lambda _: answer())
    memory = opened(llm, daily_calls=1)
    memory.user("ana").remember(WORDS, wait=True)
    with worker_of(memory).paused():
        memory.user("ana").remember("I met an old friend.")
        memory.user("ben").remember(WORDS)
        assert memory.admin.work() == 2
    assert len(llm.asked) == 2


def test_connections_of_its_own_end_with_the_memory(tmp_path: Path) -> None:
    chosen = {"provider": "vllm", "models": {"default": "m"}}
    embedder = EmbedderSettings(provider="openai", base_url="http://localhost:9", dimension=8)
    llm = LLMSettings.model_validate(chosen)
    with Memory.open(settings=Settings(path=tmp_path / "m.db", llm=llm, embedder=embedder)) as own:
        model, vectors = resources_of(own).llm, resources_of(own).embedder
    assert model is not None
    with pytest.raises(RuntimeError, match="closed"):
        model.complete(PROMPT, LLMRole.UTILITY)
    with pytest.raises(ProviderError, match="closed"):
        vectors.embed(["one"])
    given = ScriptedLLM(["Yours."])
    Memory.open(tmp_path / "n.db", llm=given).close()
    assert given.complete(PROMPT, LLMRole.UTILITY).text == "Yours."
