"""Resources."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from mcp.shared.exceptions import MCPError
from mcp.types import TextResourceContents
from tests.interfaces.mcp.served import ALL, Knock, settings

from sharpwave import Memory, Message
from sharpwave.types.access import Principal


@pytest.fixture
def knock(tmp_path: Path) -> Iterator[Knock]:
    chosen = settings(tmp_path / "m.db")
    with Memory.open(settings=chosen) as memory:
        ann = memory.user("ann")
        ann.remember("I prefer short answers.")
        ann.remember("My sister Ana lives in Porto.")
        ann.agents.add_insight("Run the migrations first", "best_practice")
        for run in range(4):
            for step in ("read_ticket", "write_test", "fix_code"):
                ann.agents.log(step, session=f"s{run}")
        yield Knock(memory, chosen, Principal("ann", ALL, "agent"))


def read(knock: Knock, uri: str) -> TextResourceContents:
    (content,) = knock.say(lambda client: client.read_resource(uri)).contents
    assert isinstance(content, TextResourceContents)
    return content


@pytest.mark.spec("MCP-02", "MCP-04", "MCP-05")
@pytest.mark.parametrize(
    ("name", "word"),
    [
        ("patterns", "write_test"),
        ("preferences", "short answers"),
        ("context/recent", "Porto"),
        ("insights", "migrations"),
    ],
)
def test_resources_are_json_and_text(knock: Knock, name: str, word: str) -> None:
    listed = {one.uri: one for one in knock.say(lambda client: client.list_resources()).resources}
    as_json, as_text = read(knock, f"sharpwave://{name}"), read(knock, f"sharpwave://text/{name}")
    assert listed[f"sharpwave://{name}"].mime_type == as_json.mime_type == "application/json"
    assert word in json.dumps(json.loads(as_json.text))
    assert word in as_text.text and "<memory " in as_text.text
    assert listed[f"sharpwave://{name}"].description


@pytest.mark.spec("MCP-03")
def test_preferences_are_likes_rules_notes_and_what_was_set(knock: Knock) -> None:
    ann = knock.memory.user("ann")
    ann.remember("My favorite sport is hiking.")
    ann.remember("From now on, write every commit message in the past tense.")
    ann.remember(Message("Ask before you rename a public function.", kind="note"))
    ann.behavior.set_preference("tool", "pytest", 0.9)
    ann.behavior.set_preference("workflow", "release", ["test", "tag", "push"])
    listed = {one.uri: one for one in knock.say(lambda client: client.list_resources()).resources}
    assert "Preferences" in str(listed["sharpwave://preferences"].title)
    rows = json.loads(read(knock, "sharpwave://preferences").text)
    told = read(knock, "sharpwave://text/preferences").text
    kinds = {}
    for word in ("hiking", "past tense", "rename", "pytest", "release"):
        (row,) = [row for row in rows if word in row["text"]]
        assert row["id"] in told and word in told
        kinds[word] = row["kind"]
    assert kinds == {
        "hiking": "fact",
        "past tense": "rule for global",
        "rename": "note",
        "pytest": "preference for global",
        "release": "preference for global",
    }


def test_one_memory_with_where_it_comes_from(knock: Knock) -> None:
    fact = next(f for f in knock.memory.user("ann").facts.list() if "Porto" in f.text)
    shown = json.loads(read(knock, f"sharpwave://memory/{fact.id}").text)
    assert shown["rests_on"][0]["text"] == "My sister Ana lives in Porto."
    with pytest.raises(MCPError, match="no memory"):
        read(knock, "sharpwave://memory/nope")
