"""What the reader keeps of everyday messages, through the public surface on a file."""

import tomllib
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from tests.reading.reader_messages import DATA, SAID, kept, messages, score

from sharpwave import Fact, Memory, Message, Settings
from sharpwave.llm.prompts.conversation import ConversationOutput, MemoryOperation
from sharpwave.remember import reconcile
from sharpwave.testing import FrozenClock, ScriptedLLM
from sharpwave.types.records import Source

HOSTILE = tomllib.loads((DATA / "reader_hostile.toml").read_text("utf-8"))["message"]
KAYAK = "Sold the kayak after the storm because the roof rack was bent out of shape."


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock(SAID)


@pytest.fixture
def memory(tmp_path: Path, clock: FrozenClock) -> Iterator[Memory]:
    with Memory.open(tmp_path / "m.db", clock=clock) as opened:
        yield opened


def noted(memory: Memory) -> list[Fact]:
    return memory.facts.list(predicate="noted")


@pytest.mark.parametrize(
    ("file", "least"),
    [("reader_messages.toml", 0.8), ("reader_messages_unseen.toml", 0.84)],
)
def test_most_of_what_matters_is_kept_and_little_else(
    memory: Memory, file: str, least: float
) -> None:
    """Measured: 13 and 14 of 16, and all six messages without anything left alone."""
    made = score(memory, messages(file))
    assert made.found / made.wanted >= least, made.wrong
    assert made.left_alone / made.empty >= 0.8, made.wrong


@pytest.mark.parametrize("case", HOSTILE, ids=[case["never"][0] for case in HOSTILE])
def test_words_of_others_are_in_nothing_learned(memory: Memory, case: dict[str, str]) -> None:
    memory.remember(case["text"])
    leaked = [one for one in kept(memory) for word in case["never"] if word in one.text]
    assert leaked == []


@pytest.mark.parametrize(
    "before",
    [
        Message("> Did you know that the vicar keeps two parrots?"),
        Message('Is this polite?\n\n"Are you aware that the vicar keeps two parrots?"'),
        Message("Does the vicar keep two parrots?", role="tool"),
        Message("Does the vicar keep two parrots?", source=Source.WEB),
    ],
    ids=["quoted", "pasted", "tool", "web"],
)
@pytest.mark.parametrize("together", [False, True])
def test_words_of_others_are_no_question_before_an_answer(
    memory: Memory, before: Message, together: bool
) -> None:
    said = [before, Message("keys gone since the tram")]
    for one in [said] if together else said:
        memory.remember(one)
    (learned,) = kept(memory)
    assert learned.text.casefold() == "keys gone since the tram"


def test_an_own_question_is_not_answered_by_the_next_message(memory: Memory) -> None:
    memory.remember("How do I cook porridge?", session="s")
    memory.remember("mum's hip op went fine", session="s")
    (one,) = noted(memory)
    assert "porridge" not in one.text and "hip op" in one.text


@pytest.mark.parametrize(
    ("session", "days"), [("another", 0), ("same", 30)], ids=["another session", "long ago"]
)
def test_a_question_of_another_talk_is_not_answered(
    memory: Memory, clock: FrozenClock, session: str, days: int
) -> None:
    memory.remember("How old are your kids, and which sports?", role="assistant", session="same")
    clock.advance(days=days)
    memory.remember("8 and 11. swim team both", session=None if session == "another" else session)
    (one,) = noted(memory)
    assert one.object == "8 and 11. swim team both"


def test_a_question_that_is_forgotten_while_it_is_answered_is_in_no_statement(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = memory.remember("How old are your kids, and which sports?", role="assistant")
    decide = reconcile.decide

    def forgotten_first(*given: Any) -> Any:
        monkeypatch.setattr(reconcile, "decide", decide)
        memory.forget(*asked.ids)
        return decide(*given)

    monkeypatch.setattr(reconcile, "decide", forgotten_first)
    memory.remember("8 and 11. swim team both")
    (one,) = noted(memory)
    assert one.object == "8 and 11. swim team both"
    assert not [line for line in memory.export() if "which sports" in line]


def test_a_forgotten_question_is_in_no_statement(memory: Memory) -> None:
    asked = memory.remember("How old are your kids, and which sports?", role="assistant")
    memory.remember("8 and 11. swim team both")
    memory.forget(*asked.ids)
    assert not [line for line in memory.export() if "which sports" in line]


@pytest.mark.parametrize("role", ["assistant", "tool", "system"])
def test_only_the_user_makes_open_statements(memory: Memory, role: str) -> None:
    memory.remember(KAYAK, role=role)
    memory.remember("I have to ring the vet on Friday. Never use tables from now on.", role=role)
    assert noted(memory) == []
    assert memory.behavior.rules() == memory.behavior.pending() == []
    assert not [one for one in memory.facts.list() if one.subject == "user"]


def test_another_speaker_makes_no_open_statement(memory: Memory) -> None:
    memory.remember(KAYAK, speaker="Ana")
    assert noted(memory) == []


def test_web_text_makes_no_open_statement(memory: Memory) -> None:
    memory.remember(Message(KAYAK, source=Source.WEB))
    assert kept(memory) == []


def test_forgetting_a_turn_erases_its_statements(memory: Memory) -> None:
    receipt = memory.remember(KAYAK)
    assert [one.object for one in noted(memory)] == [KAYAK]
    memory.forget(*receipt.ids)
    assert kept(memory) == []
    assert not [line for line in memory.export() if "kayak" in line]
    assert memory.recall("What happened to the kayak?").items == ()


def test_a_statement_said_again_is_one(memory: Memory, clock: FrozenClock) -> None:
    memory.remember(KAYAK)
    for again in (KAYAK, KAYAK.lower(), KAYAK.rstrip("."), f"  {KAYAK}\n"):
        clock.advance(days=1)
        memory.remember(again)
    (one,) = noted(memory)
    assert one.seen_count == 5


@pytest.mark.parametrize(
    "question", ["Anything else?", "Shall I look up the lost property office of the tram company?"]
)
def test_a_statement_said_again_after_a_question_is_one(memory: Memory, question: str) -> None:
    memory.remember("keys gone since the tram", session="s")
    memory.remember(f"Sorry to hear that. {question}", role="assistant", session="s")
    memory.remember("Keys gone since the tram!", session="s")
    (one,) = noted(memory)
    assert (one.seen_count, question in one.text) == (2, False)


def test_a_statement_said_twice_in_one_message_is_one(memory: Memory) -> None:
    memory.remember(f"{KAYAK} Anyway. {KAYAK}")
    assert len(noted(memory)) == 1


def test_tasks_and_rules_said_again_are_one(memory: Memory, clock: FrozenClock) -> None:
    for _ in range(3):
        memory.remember("tomorrow I've got to ring the bank about that weird charge")
        memory.remember("When you write Python for me, leave the docstrings out.")
        clock.advance(minutes=5)
    assert sorted(one.kind for one in kept(memory) if one.kind != "fact") == ["rule", "task"]


def test_the_same_key_learns_nothing_twice(memory: Memory) -> None:
    for _ in range(2):
        memory.remember(KAYAK, idempotency_key="once")
    (one,) = noted(memory)
    assert one.seen_count == 1


def test_an_export_brings_statements_back(memory: Memory, tmp_path: Path) -> None:
    for said in (KAYAK, "The boiler gets its service every October from Wim, cash, no invoice."):
        memory.remember(said)
    before = noted(memory)
    assert len(before) == 2
    with Memory.open(tmp_path / "other.db", clock=FrozenClock(SAID)) as other:
        other.admin.import_(list(memory.export()), own=True)
        assert noted(other) == before
        found = other.recall("What happened to the kayak?").items
        assert "kayak" in found[0].text
        other.remember(KAYAK)
        assert len(noted(other)) == 2


def test_an_import_that_is_not_trusted_makes_no_statement(memory: Memory, tmp_path: Path) -> None:
    memory.remember(KAYAK)
    with Memory.open(tmp_path / "other.db", clock=FrozenClock(SAID)) as other:
        other.admin.import_(list(memory.export()))
        assert kept(other) == []


def test_a_statement_says_where_it_comes_from(memory: Memory) -> None:
    receipt = memory.remember(KAYAK)
    (one,) = noted(memory)
    explained = memory.explain(one.id)
    assert explained.record.id == one.id
    assert [record.id for record in explained.rests_on] == list(receipt.ids)
    assert explained.record.metadata["span"] == [0, len(KAYAK)]
    assert one.id in [record.id for record in memory.explain(receipt.ids[0]).supports]


def test_a_statement_and_its_turn_are_recalled_once(memory: Memory) -> None:
    memory.remember([KAYAK, "We planted two apple trees behind the shed last autumn."])
    found = memory.recall("What happened to the kayak?").items
    assert len([one for one in found if "kayak" in one.text]) == 1


def test_a_question_for_days_alone_finds_what_was_said_then(
    memory: Memory, clock: FrozenClock
) -> None:
    memory.remember("We planted two apple trees behind the shed.")
    clock.advance(days=30)
    memory.remember(KAYAK)
    clock.advance(days=7)
    found = memory.recall("What did I do last week?").items
    assert "kayak" in found[0].text


def test_a_memory_of_the_table_makes_no_open_statement(tmp_path: Path) -> None:
    settings = Settings.model_validate({"embedder": {"provider": "table"}})
    with Memory.open(tmp_path / "t.db", settings=settings) as memory:
        memory.remember(KAYAK)
        assert noted(memory) == []
        assert "kayak" in memory.recall("What happened to the kayak?").items[0].text


@pytest.mark.parametrize("text", ["🎉" * 500, "x" * 20_000, "a, " * 20_000, "I moved. " * 3_000])
def test_odd_messages_are_stored(memory: Memory, text: str) -> None:
    receipt = memory.remember(text)
    assert len(receipt.ids) == 1
    assert receipt.notes == ()


def reading(*quotes: str) -> ConversationOutput:
    """A language model's answer: one fact for each quote."""
    return ConversationOutput(
        operations=[
            MemoryOperation(
                op="new",
                turn=1,
                quote=quote,
                text=f"The user owns thing {number}.",
                subject="user",
                predicate="owns",
                object=f"thing {number}",
                confidence=0.9,
            )
            for number, quote in enumerate(quotes)
        ]
    )


@pytest.mark.parametrize(
    ("quotes", "is_kept"),
    [
        ([KAYAK], False),
        (["Sold the kayak after the storm", "the roof rack was bent out of shape"], False),
        (["Sold the kayak"], True),
        (["Sold the kayak", "Sold the kayak", "the kayak", "Sold the kayak"], True),
        ([], True),
    ],
)
def test_a_later_reading_replaces_what_it_quotes(
    tmp_path: Path, quotes: list[str], is_kept: bool
) -> None:
    llm = ScriptedLLM([reading(*quotes)])
    with Memory.open(tmp_path / "m.db", clock=FrozenClock(SAID), llm=llm) as memory:
        memory.remember(KAYAK, wait=True)
        assert [one.object for one in noted(memory)] == [KAYAK] * is_kept
        assert len(memory.facts.list(predicate="owns")) == len(quotes)


def test_other_news_is_no_other_job(memory: Memory) -> None:
    memory.remember("I work as a nurse.")
    memory.remember("plumber cancelled on us, thursday now")
    works = [fact.object for fact in memory.facts.list() if fact.predicate == "works_as"]
    assert works == ["a nurse"]


def test_a_rule_leaves_the_fact_before_it(memory: Memory) -> None:
    memory.remember("we moved to Ghent in May. metric units please, always")
    rules = [behavior.rule for behavior in memory.behavior.rules()]
    assert any("metric" in rule for rule in rules)
    assert not any("Ghent" in rule for rule in rules)


def test_two_rules_beside_each_other_are_two(memory: Memory) -> None:
    memory.remember("Stop with the menu at the end. Do the thing and stop talking.")
    assert {behavior.rule for behavior in memory.behavior.rules()} == {
        "Stop with the menu at the end.",
        "Do the thing and stop talking.",
    }


def test_a_rule_is_told_with_what_stands_beside_it(memory: Memory) -> None:
    rule = (
        "You are thinking in another man's currency. Cedis come first, dollars may sit behind in a "
        "bracket like a visitor."
    )
    memory.remember(f"{rule} Always.")
    assert [behavior.rule for behavior in memory.behavior.rules()] == [rule]


@pytest.mark.parametrize(
    ("question", "reply", "wanted"),
    [
        (
            "Sorted. How old are your kids, and which sports?",
            "8 and 11. swim team both",
            "(How old are your kids, and which sports?) 8 and 11. swim team both",
        ),
        (
            "The card is 4111 1111 1111 1111. And 4111 1111 1111 1111 is blocked?",
            KAYAK,
            "Sold the kayak",
        ),
        ("Shall I look up a therapist for the hip?", KAYAK, "Sold the kayak"),
    ],
    ids=["asked", "secret", "offered"],
)
def test_a_reply_is_kept_with_the_question_that_it_answers(
    memory: Memory, question: str, reply: str, wanted: str
) -> None:
    memory.remember(question, role="assistant", session="s")
    memory.remember(reply, session="s")
    (one,) = noted(memory)
    assert one.object.startswith(wanted)


@pytest.mark.parametrize(
    "text",
    [
        "Ha, 4111 1111 1111 1111 it was. Cedis come first, dollars may sit behind in a bracket.",
        "Cedis come first, dollars may sit behind in a bracket. Mine is 4111 1111 1111 1111, ha.",
        'Anna wrote "cc Bob on everything". Cedis come first, dollars may sit behind in a bracket.',
    ],
)
def test_secrets_and_words_of_others_are_no_part_of_a_rule(memory: Memory, text: str) -> None:
    memory.remember(text)
    rules = [behavior.rule for behavior in memory.behavior.rules()]
    assert rules == ["Cedis come first, dollars may sit behind in a bracket."]


@pytest.mark.parametrize(
    ("said", "text", "day"),
    [
        ("2026-08-14", "9 September, 13.40, I get one in the right ear too. Then I'm stereo. "
         "Shirin wants that I bring a list of sounds which hurt. So far: cutlery, Göran.",
         "2026-09-09"),
        ("2026-03-22", "House is on the net, 4.1 million. First showing next Sunday at 13, the "
         "29th. Before that the windows shall be washed and all bras down from the radiators.",
         "2026-03-29"),
        ("2026-02-26", "They want the test file by Sunday the 8th. Do not let me be an artist "
         "about it.", "2026-03-08"),
    ],
)  # fmt: skip
def test_the_day_of_a_task_is_that_of_what_it_is_for(
    memory: Memory, clock: FrozenClock, said: str, text: str, day: str
) -> None:
    clock.advance(seconds=(datetime.fromisoformat(f"{said}T09:00Z") - SAID).total_seconds())
    memory.remember(text)
    assert [f"{one.due:%Y-%m-%d}" for one in memory.tasks.list()] == [day]


LAST_OF_MAY = datetime(2024, 5, 31, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "due"),
    [
        ("I need to pay the rent by the end of the month.", datetime(2024, 5, 31, tzinfo=UTC)),
        ("I need to pay the rent before the end of the month.", datetime(2024, 5, 31, tzinfo=UTC)),
        ("I need to pay the rent by midnight.", datetime(2024, 5, 31, tzinfo=UTC)),
        ("I have to register her name at the church office. They want it by the 15th of July.",
         datetime(2024, 7, 15, tzinfo=UTC)),
        ("I need to send the form to Zwolle. Has to be with them by 4 September.",
         datetime(2024, 9, 4, tzinfo=UTC)),
        ("I have to pay the rent. My sister comes on the 15th of July.", None),
        ("Remind me every month to pay the rent.", None),
        ("Remind me every Monday to pay the rent.", datetime(2024, 6, 3, tzinfo=UTC)),
    ],
)  # fmt: skip
def test_the_due_date_of_a_task(memory: Memory, text: str, due: datetime | None) -> None:
    memory.remember(text, at=LAST_OF_MAY)
    assert [one.due for one in memory.tasks.list()] == [due]


def test_a_moment_beyond_the_calendar_does_not_keep_the_rest_from_being_read(
    memory: Memory,
) -> None:
    """Ten in the evening west of Greenwich on the last day of all is the year 10000 in UTC."""
    west = LAST_OF_MAY.astimezone(timezone(timedelta(hours=-5)))
    memory.remember("The job runs until 9999-12-31T22:00:00 and I live in Rome.", at=west)
    assert "The user lives in Rome" in [one.text for one in memory.facts.list()]


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("Todo: am Dienstag Paket abholen", "Paket abholen"),
        ("Todo: pagar el alquiler el próximo martes", "Pagar el alquiler"),
    ],
)
def test_a_task_is_due_on_the_weekday_named_in_another_language(
    memory: Memory, text: str, title: str
) -> None:
    memory.remember(text, at=LAST_OF_MAY)
    due = datetime(2024, 6, 4, tzinfo=UTC)
    assert [(one.title, one.due) for one in memory.tasks.list()] == [(title, due)]


def test_nobody_answers_a_question_of_their_own(memory: Memory) -> None:
    """Where only the user's messages are stored, "Yes" answers words that are not there."""
    for text in ("Are you allergic to nuts?", "Yes."):
        memory.remember(text, session="s")
    assert memory.facts.list() == []
    memory.remember("Are you allergic to nuts?", role="assistant", session="s")
    memory.remember("Yes.", session="s")
    assert [one.text for one in memory.facts.list()] == ["The user is allergic to nuts"]


def test_a_day_named_before_what_is_promised_leaves_its_words_whole(memory: Memory) -> None:
    memory.remember("I promised Ana on Monday that I would call her on Friday.", at=LAST_OF_MAY)
    assert [one.title for one in memory.tasks.list()] == ["Call her (promised Ana on Monday)"]


def test_what_the_assistant_says_of_itself_is_not_put_right_as_the_users(memory: Memory) -> None:
    memory.remember("My name is Claude.", role="assistant", session="s")
    memory.remember("No, Gemini", session="s")
    assert [one for one in memory.facts.list() if one.subject == "user"] == []
    memory.remember("So your name is Bob.", role="assistant", session="s")
    memory.remember("No, Tom", session="s")
    names = [one.object for one in memory.facts.list() if one.subject == "user"]
    assert names == ["Tom"]


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("We finally adopted a dog! Her name is Pixel.", "The user has a pet, Pixel"),
        ("My sister lives in Rome. Her name is Ilse.", "The user's sister is Ilse"),
        ("My boss is great, he's called Kim.", "The user's boss is Kim"),
        ("My neighbour has a parrot. It is called Polly.", "The user's neighbor has a pet, Polly"),
    ],
)
def test_a_name_that_a_later_sentence_gives(memory: Memory, text: str, fact: str) -> None:
    assert fact in [one.text for one in memory.remember(text).learned]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("My friend uses a new tool. It's called Linear.", "Linear"),
        ("My teacher was strict. Yesterday I met an actress at a party. Her name is Zoe.", "Zoe"),
        ("I don't have a dog. His name is Rex.", "Rex"),
        ("My boss rang. He's called Tom twice.", "Tom"),
        ("My sister called. His name is Bob, the plumber.", "Bob"),
    ],
)
def test_a_name_of_something_else_is_given_to_nobody(memory: Memory, text: str, name: str) -> None:
    memory.remember(text)
    slots = [fact for fact in memory.facts.list() if fact.predicate != "noted"]
    assert name not in {fact.object for fact in slots}


@pytest.mark.parametrize(
    "text",
    [
        "I have to send the invoice. I was paid by Acme on March 2.",
        "I have to call the bank. By the way, I was born on May 4.",
        "I need to fix the roof. It rained on Monday.",
        "I need to buy milk. Friday is my birthday.",
    ],
)
def test_a_day_of_something_else_is_no_due_date(memory: Memory, text: str) -> None:
    memory.remember(text, at=LAST_OF_MAY)
    assert [one.due for one in memory.tasks.list()] == [None]


@pytest.mark.parametrize(
    "text",
    [
        "I have two exams. My first is on Monday.",
        "My cat Max has, sadly, just recently died.",
        "I will only — and I mean only — fly economy.",
        "I also only... never mind",
        "I believe in...",
        "I turned \u00b2.",
    ],
)
def test_words_that_break_off_are_read_to_their_end(memory: Memory, text: str) -> None:
    receipt = memory.remember(f"I live in Porto.\n{text}")
    assert receipt.notes == ()
    assert "The user lives in Porto" in [one.text for one in receipt.learned]


@pytest.mark.parametrize(
    ("text", "known"),
    [
        ("I live in Porto. I'm not really into football.", "The user lives in Porto"),
        ("I water the plants every 3 days.", "every 3 days"),
        ("Don\u2019t forget that I live in Porto.", "The user lives in Porto"),
    ],
)
def test_small_words_do_not_hide_a_fact(memory: Memory, text: str, known: str) -> None:
    memory.remember(text)
    assert any(known in fact.text for fact in memory.facts.list())


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("I turned 90 degrees.", "years old"),
        ("I turned 1100 pages.", "years old"),
        ("I live in Mars. Not really!", "The user lives"),
    ],
)
def test_what_only_looks_like_a_fact_is_none(memory: Memory, text: str, wrong: str) -> None:
    memory.remember(text)
    assert not any(wrong in fact.text for fact in memory.facts.list())


def test_care_is_no_task(memory: Memory) -> None:
    memory.remember("I should be really careful with money.")
    assert memory.tasks.list() == []


def test_a_curly_apostrophe_says_no_too(memory: Memory) -> None:
    memory.remember("I have to pay the rent.")
    memory.remember("The rent isn\u2019t paid.")
    assert [task.title for task in memory.tasks.list()] == ["Pay the rent"]


def test_the_death_of_a_grandmother_is_not_that_of_a_pet(memory: Memory) -> None:
    memory.remember("Grandma died last week.")
    assert not any("pet" in one.text for one in memory.facts.list())
