"""Two servers over one store: whatever one is told holds for the other at its next request."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from tests.interfaces.rest.serving import Served, events_of, serving
from tests.places import PLACES, empty

from sharpwave.types.access import Scope

Two = tuple[Served, Served]


@pytest.fixture(params=PLACES)
def two(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Two]:
    place = empty(request.param, tmp_path)
    with serving(place) as one, serving(place) as other:
        yield one, other


@pytest.fixture
def key(two: Two) -> str:
    return two[0].memory.admin.keys.create("laptop", "ana", list(Scope)).secret


def post(http: httpx2.Client, path: str, body: dict[str, Any], **headers: str) -> Any:
    answer = http.post(path, json=body, headers=headers)
    assert answer.status_code in (200, 204), answer.text
    return answer.json() if answer.content else None


def test_a_revoked_key_opens_nothing_anywhere_at_once(two: Two, key: str) -> None:
    one, other = two
    with one.http(key) as here, other.http(key) as there:
        assert here.get("/v1/facts").status_code == there.get("/v1/facts").status_code == 200
        assert here.delete("/v1/admin/keys/laptop").status_code == 204
        assert here.get("/v1/facts").status_code == there.get("/v1/facts").status_code == 401


def test_a_stream_ends_with_its_key(two: Two, key: str) -> None:
    one, other = two
    ana = one.memory.user("ana")
    wanted = {"Accept": "text/event-stream"}
    with other.http(key) as http, http.stream("GET", "/v1/events", headers=wanted) as stream:
        told = events_of(stream)
        first = ana.remember("I keep bees.")
        assert set(next(told)["data"]["ids"]) >= set(first.ids)
        one.memory.admin.keys.revoke("laptop")
        ana.remember("I sail.")
        assert list(told) == [], "nothing more is told, and it ends"


def test_what_one_forgets_or_is_not_allowed_the_other_does_not_say(two: Two, key: str) -> None:
    one, other = two
    with one.http(key) as here, other.http(key) as there:

        def recalled() -> list[str]:
            found = post(there, "/v1/recall", {"query": "Where does Ana live?"})["items"]
            return [item["record"]["text"] for item in found]

        post(here, "/v1/remember", {"messages": "My sister Ana lives in Porto."})
        assert any("Porto" in text for text in recalled())
        one.memory.user("ana").admin.consent("memory", False)
        assert recalled() == []
        one.memory.user("ana").admin.consent("memory", True)
        assert recalled()
        one.memory.user("ana").forget(everything=True)
        assert recalled() == []


def test_a_rule_that_one_learned_is_told_by_the_other(two: Two, key: str) -> None:
    one, other = two
    with one.http(key) as here, other.http(key) as there:
        assert "semicolons" not in post(there, "/v1/context", {"query": "Write code"})["text"]
        post(here, "/v1/remember", {"messages": "Always use semicolons in code from now on."})
        assert "semicolons" in post(there, "/v1/context", {"query": "Write code"})["text"]
        one.memory.user("ana").behavior.reset()
        context = other.memory.user("ana").behavior.rules()
        assert context == []


def test_a_request_that_reaches_both_is_done_once(two: Two, key: str) -> None:
    one, other = two
    body = {"task": {"query": "deploy", "success": True}}
    with one.http(key) as here, other.http(key) as there:
        first = here.post("/v1/observe", json=body, headers={"Idempotency-Key": "k"})
        again = there.post("/v1/observe", json=body, headers={"Idempotency-Key": "k"})
    assert again.headers["Idempotency-Replayed"] == "true" and again.json() == first.json()
    assert one.memory.user("ana").admin.stats().by_kind["observation"] == 1


def test_an_agent_goes_on_wherever_its_next_request_arrives(two: Two, key: str) -> None:
    one, other = two
    with one.http(key) as here, other.http(key) as there:
        begun = post(here, "/v1/interactions", {"query": "make the build green", "session": "s"})
        path = f"/v1/interactions/{begun['id']}"
        post(there, f"{path}/actions", {"action": "run_tests", "details": {"error": "1 failed"}})
        post(here, f"{path}/actions", {"action": "edit_file", "target": "a.py"})
        done = post(there, f"{path}/complete", {"feedback": "Great!"})
        assert (done["interaction_id"], done["success"]) == (begun["id"], True)
        late = here.post(f"{path}/actions", json={"action": "late"})
        assert late.status_code == 404
    tools = {tool.name: tool.executions for tool in one.memory.user("ana").agents.tools()}
    assert tools == {"run_tests": 1, "edit_file": 1}
