"""Questions to the user, by real clients of the SDK that answer, decline, cancel or cannot ask."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp.types import ElicitRequestParams, ElicitResult
from tests.interfaces.mcp.served import ALL, ERAS, in_turns, over_http, settings, text

from sharpwave import Memory
from sharpwave.interfaces.mcp.server import ServedMemory, build
from sharpwave.types.access import Principal, Scope


class Person:
    """Somebody before a client, who answers every form the same way."""

    def __init__(self, action: str, answer: str | None = None) -> None:
        self.asked: list[str] = []
        self._result = ElicitResult(action=action, content={"answer": answer} if answer else None)

    async def __call__(self, context: Any, params: ElicitRequestParams) -> ElicitResult:
        self.asked.append(params.message)
        return self._result


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory.open(settings=settings(tmp_path / "m.db"), user="ann") as opened:
        yield opened


def call(
    memory: Memory,
    person: Person | None,
    era: str = ERAS[0],
    times: int = 1,
    scopes: frozenset[Scope] = ALL,
    **arguments: Any,
) -> tuple[list[str], dict[str, Any]]:
    """Names of the tools that a client with this person is offered, and what `ask_user` says."""
    principal = Principal("ann", scopes, "agent")
    server = build(ServedMemory(memory, settings(Path("unused")), lambda request: principal))

    async def meet() -> tuple[list[str], dict[str, Any]]:
        async with Client(server, mode=era, elicitation_callback=person) as client:
            names = [tool.name for tool in (await client.list_tools()).tools]
            for _ in range(times):
                result = await client.call_tool("ask_user", arguments)
            return names, result.structured_content or {"text": text(result)}

    return asyncio.run(meet())


@pytest.mark.parametrize("era", ERAS)
def test_yes_makes_a_guess_the_users_word(memory: Memory, era: str) -> None:
    memory.remember("The user lives in Berlin.", role="assistant")
    person = Person("accept", "yes")
    names, told = call(memory, person, era)
    assert "ask_user" in names and told["action"] == "settled"
    assert len(person.asked) == 1 and "The user lives in Berlin" in person.asked[0]
    assert [fact.text for fact in memory.facts.profile()] == ["The user lives in Berlin"]


@pytest.mark.parametrize("era", ERAS)
def test_no_lets_it_hold_no_longer(memory: Memory, era: str) -> None:
    memory.remember("The user lives in Berlin.", role="assistant")
    call(memory, Person("accept", "no"), era)
    assert [fact.text for fact in memory.facts.list()] == ["The user does not live in Berlin"]


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("action", ["decline", "cancel"])
def test_whoever_does_not_answer_is_not_asked_again(memory: Memory, era: str, action: str) -> None:
    memory.remember("The user lives in Berlin.", role="assistant")
    person = Person(action)
    _, told = call(memory, person, era, times=2)
    assert len(person.asked) == 1 and told["action"] == "nothing"
    assert memory.facts.profile() == [] and len(memory.facts.list()) == 1


def test_a_contradiction_comes_first_and_either_side_can_be_right(memory: Memory) -> None:
    memory.remember("I live in Porto.")
    memory.remember("The user lives in Berlin. She is a nurse.", role="assistant")
    person = Person("accept", "second")
    call(memory, person)
    assert "Porto" in person.asked[0] and "Berlin" in person.asked[0]
    assert [fact.text for fact in memory.facts.profile()] == ["The user lives in Berlin"]
    memory.remember("The user lives in Oslo.", role="assistant")
    call(memory, Person("accept", "first"))
    assert memory.facts.conflicts() == []
    assert [fact.text for fact in memory.facts.profile()] == ["The user lives in Berlin"]


@pytest.mark.parametrize(("word", "held"), [("yes", 1), ("no", 0)])
def test_a_reported_rule(memory: Memory, word: str, held: int) -> None:
    memory.remember("The user wants answers in bullet points.", role="assistant")
    (rule,) = memory.behavior.pending()
    for fact in memory.facts.list():
        memory.facts.confirm(fact.id)
    call(memory, Person("accept", word), id=rule.id)
    assert len(memory.behavior.rules()) == held and memory.behavior.pending() == []


def test_a_client_that_cannot_ask_is_not_offered_it(memory: Memory) -> None:
    memory.remember("The user lives in Berlin.", role="assistant")
    names, told = call(memory, None)
    assert "ask_user" not in names and told["action"] == "nothing"


def test_a_key_that_only_reads_asks_nobody(memory: Memory) -> None:
    memory.remember("The user lives in Berlin.", role="assistant")
    person = Person("accept", "yes")
    names, told = call(memory, person, scopes=frozenset({Scope.READ}))
    assert "ask_user" not in names and "forbidden" in told["text"]
    assert person.asked == [] and memory.facts.profile() == []


def test_without_consent_nobody_is_asked(memory: Memory) -> None:
    memory.remember("The user lives in Berlin.", role="assistant")
    memory.admin.consent("memory", False)
    person = Person("accept", "yes")
    assert "no consent" in call(memory, person)[1]["text"] and person.asked == []


def test_what_is_unsure_about_one_user_is_asked_of_no_other(memory: Memory) -> None:
    bob = memory.user("bob")
    bob.remember("The user lives in Berlin.", role="assistant")
    person = Person("accept", "yes")
    assert call(memory, person)[1]["action"] == "nothing"
    assert call(memory, person, id=bob.facts.list()[0].id)[1]["action"] == "nothing"
    assert person.asked == [] and bob.facts.profile() == []


@pytest.mark.parametrize("word", ["first", "second"])
def test_an_answer_counts_for_what_was_shown(memory: Memory, word: str) -> None:
    """While one form is read, the user says something newer elsewhere."""
    memory.remember("I live in Porto.")
    memory.remember("The user lives in Berlin.", role="assistant")

    class Slow(Person):
        async def __call__(self, context: Any, params: ElicitRequestParams) -> ElicitResult:
            await asyncio.to_thread(memory.remember, "I moved to Oslo.")
            return await super().__call__(context, params)

    person = Slow("accept", word)
    _, told = call(memory, person, "legacy")
    assert "Porto" in person.asked[0] and "Oslo" not in person.asked[0]
    assert told["action"] == "nothing" and "changed" in told["message"]
    assert [fact.text for fact in memory.facts.profile()] == ["The user lives in Oslo"]
    assert len(memory.facts.conflicts()) == 1, "it can be asked again, as it stands now"


@pytest.mark.parametrize("same", [True, False], ids=["one store", "control"])
def test_what_one_process_asked_another_hears_the_answer_to(tmp_path: Path, same: bool) -> None:
    """Each request meets another process; with secrets of their own neither believes the other."""
    chosen = settings(tmp_path / "one.db")
    other = chosen if same else settings(tmp_path / "two.db")
    person = Person("accept", "yes")

    async def ask(url: str) -> dict[str, Any]:
        async with over_http(url, "k", ERAS[0], person) as client:
            result = await client.call_tool("ask_user", {})
            return result.structured_content or {}

    keys = {"k": Principal("ann", ALL, "agent")}
    with (
        Memory.open(settings=chosen, user="ann") as one,
        Memory.open(settings=other, user="ann") as two,
    ):
        for memory in {one, two} if not same else {one}:
            memory.remember("The user lives in Berlin.", role="assistant")
        with in_turns([one, two], chosen, keys) as url:
            if same:
                assert asyncio.run(ask(url))["action"] == "settled"
                assert [fact.text for fact in two.facts.profile()] == ["The user lives in Berlin"]
            else:
                with pytest.raises((MCPError, ExceptionGroup)):
                    asyncio.run(ask(url))
    assert len(person.asked) == 1
