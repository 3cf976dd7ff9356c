"""M1 and M2: no tool or resource shows one user's memory to another, or obeys beyond a key.

One test takes the wall away and must see the canary: a check that cannot fail is worth nothing.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from tests import places
from tests.interfaces.mcp.served import ALL, Knock, settings, text

from sharpwave import Memory, Settings
from sharpwave.interfaces.mcp import server
from sharpwave.interfaces.mcp.context import CallContext
from sharpwave.interfaces.mcp.resources import RESOURCES, SCHEME
from sharpwave.interfaces.mcp.tools.table import offered_tools as offered
from sharpwave.types.access import Principal, Scope

CANARY = "zanzibarium"
WRITING = {tool.name for tool in offered(aliases=True) if tool.scope is Scope.WRITE}
BOB = Principal("bob", ALL, "bob's key")


@dataclass
class Two:
    """Ann, who has secrets, and Bob, who has none."""

    memory: Memory
    settings: Settings
    ids: list[str]
    session: str
    bob: Knock


@pytest.fixture
def two(tmp_path: Path) -> Iterator[Two]:
    with planted(settings(tmp_path / "m.db", aliases=True)) as both:
        yield both


@pytest.fixture
def two_on_postgres(tmp_path: Path) -> Iterator[Two]:
    url = places.empty("postgres", tmp_path)
    given = {"postgres": {"url": url}, "mcp": {"aliases": True}}
    with planted(Settings.model_validate(given)) as both:
        yield both


@contextmanager
def planted(chosen: Settings) -> Iterator[Two]:
    with Memory.open(settings=chosen) as memory:
        ann = memory.user("ann")
        session = f"session-{CANARY}"
        ids = list(ann.remember(f"I live in {CANARY.title()}.", session=session).ids)
        ids += [fact.id for fact in ann.facts.list()]
        ids += list(ann.remember({"role": "user", "content": f"Buy {CANARY}", "kind": "task"}).ids)
        ids += [task.id for task in ann.tasks.list()]
        ids.append(ann.agents.add_insight(f"Always check {CANARY} first").id)
        ids.append(ann.behavior.add(f"Always mention {CANARY}.").id or "")
        ids.append(ann.skills.select(f"What about {CANARY}?").message_id)
        for run in range(4):
            for step in ("open", CANARY, "close"):
                ann.agents.log(step, session=f"s{run}")
        memory.user("bob").remember("I like tea.")
        yield Two(memory, chosen, ids, session, Knock(memory, chosen, BOB))


def attempts(two: Two) -> dict[str, list[dict[str, Any]]]:
    """For every tool, what Bob may try to get at Ann's memory."""
    queries = [CANARY, f"Where does ann live? {CANARY}", "everything", "user:ann", "ann' OR 1=1"]
    names = {tool.name for tool in offered(aliases=True)}
    every: dict[str, list[dict[str, Any]]] = {
        "recall": [
            *({"query": query, "k": 50} for query in queries),
            {"query": CANARY, "session": two.session},
            {"query": CANARY, "kinds": ["fact", "task", "interaction", "insight", "pattern"]},
            {"query": CANARY, "user_id": "ann"},
        ],
        "remember": [{"text": "I live elsewhere."}, {"text": "x", "session": two.session}],
        "correct": [
            *({"id": id_, "text": "I live in Berlin."} for id_ in two.ids),
            *({"id": id_, "status": "done"} for id_ in two.ids),
            *({"id": id_, "keep": "newer"} for id_ in two.ids),
            *({"id": id_, "rule": "delete"} for id_ in two.ids),
        ],
        "forget": [*({"ids": [id_]} for id_ in two.ids), {"session": two.session}],
        "profile": [{}, {"user": "ann"}],
        "advise": [{"query": query, "done": ["open"], "stage": "act"} for query in queries],
        "log_interaction": [{"action": "open", "details": {"session": "s1", "user": "ann"}}],
        "pending_review": [{}],
        "memory_status": [{}],
        "query_memory": [{"query": query} for query in queries],
        "get_memory_pattern": [{"pattern_type": "workflow", "pattern": f"open → {CANARY} → close"}],
        "store_insight": [{"insight": "check twice"}],
        "detect_pattern": [{"sequence": ["open", "x", "close"]}],
        "get_context": [{"query": query} for query in queries],
        "feedback": [{"message_id": id_, "reward": 1} for id_ in two.ids],
    }
    return {name: tried for name, tried in every.items() if name in names}


def leaks(two: Two) -> list[str]:
    """Whatever Bob can see of Ann's canary that he did not say himself."""

    async def look(client: Client) -> list[str]:
        found = []
        shown = [f"{SCHEME}{part}{name}" for name in RESOURCES for part in ("", "text/")]
        for uri in [*shown, *(f"{SCHEME}memory/{id_}" for id_ in two.ids)]:
            try:
                seen = (await client.read_resource(uri)).model_dump_json()
            except MCPError as error:
                seen = str(error)
            found += [uri] if CANARY in seen.lower() else []
        tries = attempts(two)
        for tool in sorted(tries, key=lambda name: name in WRITING):
            for arguments in tries[tool]:
                seen = (await client.call_tool(tool, arguments)).model_dump_json()
                own = str(arguments).lower().count(CANARY)
                if seen.lower().count(CANARY) > 2 * own:  # text and data may name what was asked
                    found.append(f"{tool} {arguments}")
        return found

    return two.bob.say(look)


def test_every_tool_is_tried(two: Two) -> None:
    assert set(attempts(two)) == {tool.name for tool in offered(aliases=True)}


def test_no_canary_crosses(two: Two) -> None:
    before = len(two.memory.user("ann").admin.recent(100))
    assert leaks(two) == []
    ann = two.memory.user("ann")
    assert len(ann.admin.recent(100)) == before and ann.facts.profile() and ann.tasks.list()


def test_no_canary_crosses_on_postgres(two_on_postgres: Two) -> None:
    assert leaks(two_on_postgres) == []
    assert two_on_postgres.memory.user("ann").facts.profile()


def test_foreign_and_absent_ids_look_the_same(two: Two) -> None:
    absent = "0" * 26
    for tool, arguments in (
        ("forget", {}),
        ("correct", {"text": "x y"}),
        ("correct", {"keep": "older"}),
    ):
        answers = set()
        for id_ in (*two.ids, absent):
            given = {"ids": [id_]} if tool == "forget" else {"id": id_, **arguments}
            result = two.bob(tool, **given)
            assert result.is_error
            answers.add(text(result).replace(id_, "ID"))
        assert len(answers) == 1, answers


def test_the_check_sees_a_missing_wall(two: Two, monkeypatch: pytest.MonkeyPatch) -> None:
    def anybody(self: server.ServedMemory, principal: Principal) -> CallContext:
        return CallContext(self.memory.user("ann"), principal, self.settings)

    monkeypatch.setattr(server.ServedMemory, "caller", anybody)
    seen = leaks(two)
    for tool in ("recall", "profile", "get_context", "advise", "query_memory", "pending_review"):
        assert any(found.startswith(tool) for found in seen), f"{tool} would leak unseen"
    assert any(found.startswith(SCHEME) for found in seen)


@pytest.mark.parametrize("scope", list(Scope))
def test_a_key_does_what_it_says_and_no_more(two: Two, scope: Scope) -> None:
    key = Principal("ann", frozenset({scope}), "narrow")
    knock = Knock(two.memory, two.settings, key)
    allowed = {tool.name for tool in offered(aliases=True) if tool.scope is scope}
    offered_tools = {tool.name for tool in knock.say(lambda client: client.list_tools()).tools}
    assert offered_tools == allowed
    before = _state(two.memory.user("ann"))
    for tool, tried in attempts(two).items():
        if tool not in allowed:
            assert all(_refused(knock, tool, arguments) for arguments in tried), tool
    assert _state(two.memory.user("ann")) == before, "what was refused changed nothing"
    if scope is not Scope.READ:
        with pytest.raises(MCPError, match="may not read"):
            knock.say(lambda client: client.read_resource(f"{SCHEME}insights"))


def test_a_key_to_read_changes_nothing(two: Two) -> None:
    knock = Knock(two.memory, two.settings, Principal("ann", frozenset({Scope.READ}), "reader"))
    before = _state(two.memory.user("ann"))
    for tool, tried in attempts(two).items():
        for arguments in tried:
            knock(tool, **arguments)
    assert _state(two.memory.user("ann")) == before


def _refused(knock: Knock, tool: str, arguments: dict[str, Any]) -> bool:
    result = knock(tool, **arguments)
    return bool(result.is_error) and "may not" in text(result)


def _state(memory: Memory) -> list[str]:
    """Everything but how often it was looked at."""
    _, *lines = memory.export()
    return [line.split('"access_count"')[0] for line in lines]


def test_scopes_are_those_of_the_facades_calls() -> None:
    """The same as over REST: what shows needs `read`, what stores or erases needs `write`."""
    needed = {tool.name: tool.scope for tool in offered(aliases=True)}
    writing = {name for name, scope in needed.items() if scope is Scope.WRITE}
    assert writing == {
        "feedback",
        "remember",
        "correct",
        "forget",
        "log_interaction",
        "store_insight",
    }
    assert set(needed.values()) == {Scope.READ, Scope.WRITE}
