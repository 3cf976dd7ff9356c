"""Idempotency-Key on everything that writes: done once, answered the same, also after a crash."""

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from tests.interfaces.rest.serving import EVERYTHING, Served, serving

from sharpwave import Memory, tallies
from sharpwave.api.agents import AgentsApi
from sharpwave.api.server import RequestLog
from sharpwave.client.calls import CALLS
from sharpwave.errors import StoreBusy
from sharpwave.interfaces.rest import idempotency
from sharpwave.testing import workspace_of
from sharpwave.types.access import Scope

OBSERVED = {"task": {"query": "Ship order 7", "success": True}}


def same(http: httpx2.Client, verb: str, path: str, key: str, body: Any = None) -> httpx2.Response:
    return http.request(verb, path, json=body, headers={"Idempotency-Key": key})


def observations(memory: Memory) -> int:
    return memory.admin.stats().by_kind.get("observation", 0)


def test_the_same_again_is_answered_the_same_and_done_once(served: Served) -> None:
    with served.http(served.key("once")) as http:
        first = same(http, "POST", "/v1/observe", "k", OBSERVED)
        again = same(http, "POST", "/v1/observe", "k", OBSERVED)
        assert first.status_code == again.status_code == 200 and first.content == again.content
        assert again.headers["idempotency-replayed"] == "true"
        assert again.headers["content-type"] == first.headers["content-type"]
        assert "idempotency-replayed" not in first.headers
        assert observations(served.memory.user("once")) == 1
        other = same(http, "POST", "/v1/observe", "k", {"task": {"query": "x", "success": True}})
        assert (other.status_code, other.json()["code"]) == (409, "key_reused")
        elsewhere = same(http, "PUT", "/v1/style", "k", {"dimensions": {"verbosity": 0.2}})
        assert elsewhere.status_code == 200, "a key counts for one route"
    with served.http(served.key("another")) as http:
        assert same(http, "POST", "/v1/observe", "k", OBSERVED).status_code == 200
    assert observations(served.memory.user("another")) == 1, "and for one tenant"


def test_deleting_and_secrets(served: Served, tmp_path: Path) -> None:
    with served.http(served.key("root", *EVERYTHING)) as http:
        asked = {"name": "made-once", "user": "ana"}
        made = same(http, "POST", "/v1/admin/keys", "k1", asked)
        again = same(http, "POST", "/v1/admin/keys", "k1", asked)
        assert made.status_code == again.status_code == 200 and made.json() == again.json()
        for _ in range(2):
            gone = same(http, "DELETE", "/v1/admin/keys/made-once", "k2")
            assert (gone.status_code, gone.content) == (204, b"")
        twice = http.delete("/v1/admin/keys/made-once")
        assert twice.status_code == 404, "without a key it is done, and fails, anew"
        copy = http.get("/v1/admin/backup").content
    assert made.json()["secret"].encode() not in copy, "a kept answer tells nobody anything"
    with served.http(served.key("root", *EVERYTHING)) as http:
        other = same(http, "POST", "/v1/admin/keys", "k1", asked)
        assert (other.status_code, other.json()["code"]) == (409, "key_reused")


def test_what_failed_may_be_mended_under_the_same_key(served: Served) -> None:
    with served.http(served.key("mending")) as http:
        assert same(http, "POST", "/v1/skills", "k", {"skill": "haiku"}).status_code == 422
        right = {"skill": "haiku", "template": "Answer with a haiku."}
        assert same(http, "POST", "/v1/skills", "k", right).status_code == 200
        assert same(http, "POST", "/v1/skills", "k", right).status_code == 200
        assert http.post("/v1/skills", json=right).status_code == 409
        for key in ("", "a b", "x" * 257):
            assert same(http, "POST", "/v1/skills", key, right).status_code == 422


def test_reading_needs_no_key_and_every_other_route_takes_one(served: Served) -> None:
    document = served.door.app.openapi()["paths"]
    writing = [call for call in CALLS if call.verb != "GET" and call.scope is not Scope.READ]
    assert len(writing) > 40 and all(call.verb.lower() in document[call.path] for call in writing)
    with served.http(served.key("reader", "read")) as http:
        for _ in range(2):
            found = same(http, "POST", "/v1/recall", "k", {"query": "x"})
            assert "idempotency-replayed" not in found.headers
    again = {}
    with served.http(served.key("writer")) as http:
        for path in ("prune-behaviors", "reset-skills", "learn"):
            same(http, "POST", f"/v1/{path}", "k", {})
            answer = same(http, "POST", f"/v1/{path}", "k", {})
            again[path] = answer.headers.get("idempotency-replayed")
    assert set(again.values()) == {"true"}, again


def test_what_is_forgotten_does_not_come_back_in_an_answer(served: Served) -> None:
    memory = served.memory.user("forgetful")
    stored = memory.remember("Something else.")
    with served.http(served.key("forgetful")) as http:
        rule = {"rule": "Answer in German.", "type": "style"}
        first = same(http, "POST", "/v1/behaviors", "k", rule)
        assert first.status_code == 200
        memory.forget(*stored.ids)
        again = same(http, "POST", "/v1/behaviors", "k", rule)
        assert (again.status_code, again.json()["code"]) == (409, "conflict")
        assert "done before" in again.json()["detail"] and "German" not in again.text
        assert same(http, "POST", "/v1/forget", "f", {"everything": True}).status_code == 200
        assert same(http, "POST", "/v1/forget", "f", {"everything": True}).status_code == 200


REPEATED = {
    "/v1/remember": {"messages": "The safe opens with 4711."},
    "/v1/observe": {"task": {"query": "open the safe with 4711", "success": True}},
    "/v1/actions": {"action": "open the safe with 4711"},
    "/memory/write": {"facts": ["I live in 4711 Porto."]},
}


@pytest.mark.parametrize("path", REPEATED)
def test_the_same_request_after_a_forget_stores_nothing(served: Served, path: str) -> None:
    user = f"again-{path.rpartition('/')[2]}"
    with served.http(served.key(user)) as http:
        assert same(http, "POST", path, "k", REPEATED[path]).status_code == 200
        assert "4711" in http.get("/v1/export").text
        assert http.post("/v1/forget", json={"everything": True}).status_code == 200
        again = same(http, "POST", path, "k", REPEATED[path])
        assert (again.status_code, again.json()["code"]) == (409, "conflict")
        assert "4711" not in http.get("/v1/export").text
        meant = same(http, "POST", path, "another", REPEATED[path])
        assert meant.status_code == 200 and "4711" in http.get("/v1/export").text


def test_a_forget_is_answered_the_same_again(served: Served) -> None:
    with served.http(served.key("twice-gone")) as http:
        kept = http.post("/v1/remember", json={"messages": "The tide is high."}).json()["ids"]
        ids = http.post("/v1/remember", json={"messages": "The safe: 4711."}).json()["ids"]
        first = same(http, "POST", "/v1/forget", "k", {"ids": ids})
        again = same(http, "POST", "/v1/forget", "k", {"ids": ids})
        assert first.status_code == again.status_code == 200 and first.content == again.content
        assert again.headers["idempotency-replayed"] == "true" and kept


def test_what_is_answered_while_something_is_forgotten_is_not_kept(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory, real = served.memory.user("meanwhile"), AgentsApi.observe
    said = memory.remember("The tide is high.").ids

    def and_forget(self: AgentsApi, *given: Any, **named: Any) -> Any:
        done = real(self, *given, **named)
        memory.forget(*said)
        return done

    monkeypatch.setattr(AgentsApi, "observe", and_forget)
    with served.http(served.key("meanwhile")) as http:
        assert same(http, "POST", "/v1/observe", "k", OBSERVED).status_code == 200
        again = same(http, "POST", "/v1/observe", "k", OBSERVED)
        assert (again.status_code, again.json()["code"]) == (409, "conflict")


def test_one_of_several_that_was_forgotten_is_not_sent_again(served: Served) -> None:
    with served.http(served.key("one-of")) as http:
        said = ("The tide is high.", "The safe opens with 4711.")
        body = {"messages": [{"role": "user", "content": text} for text in said]}
        first = same(http, "POST", "/v1/remember", "k", body)
        assert first.status_code == 200, first.text
        gone = http.post("/v1/forget", json={"ids": [first.json()["ids"][1]]})
        assert gone.status_code == 200, gone.text
        again = same(http, "POST", "/v1/remember", "k", body)
        assert (again.status_code, again.json()["code"]) == (409, "conflict")
        assert "4711" not in http.get("/v1/export").text


def test_whoever_is_forgotten_is_not_noted_by_that_request(tmp_path: Path) -> None:
    with serving(tmp_path / "m.db") as served:
        admin = served.http(served.key("root", *EVERYTHING), **{"Sharpwave-User": "zacharias"})
        with admin as http:
            assert http.post("/v1/remember", json={"messages": "I keep bees."}).status_code == 200
            for _ in range(2):
                gone = same(http, "POST", "/v1/forget", "k", {"everything": True})
                assert gone.status_code == 200 and gone.json()["traces_cleared"]
    assert not any(b"zacharias" in file.read_bytes() for file in tmp_path.iterdir())


def test_two_at_once_do_it_once(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    real, entered, go_on = AgentsApi.observe, threading.Event(), threading.Event()

    def slow(self: AgentsApi, *given: Any, **named: Any) -> Any:
        entered.set()
        assert go_on.wait(30)
        return real(self, *given, **named)

    monkeypatch.setattr(AgentsApi, "observe", slow)
    key, found = served.key("twice"), list[httpx2.Response]()

    def ask() -> None:
        with served.http(key) as http:
            found.append(same(http, "POST", "/v1/observe", "k", OBSERVED))

    first = threading.Thread(target=ask)
    first.start()
    assert entered.wait(30)
    ask()
    assert (found[0].status_code, found[0].json()["code"]) == (409, "busy")
    assert found[0].headers["retry-after"] == "1"
    go_on.set()
    first.join(30)
    ask()
    assert found[2].content == found[1].content and observations(served.memory.user("twice")) == 1


def test_what_was_stored_before_one_failed_is_not_stored_again(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, calls = Memory.remember, list[Any]()

    def busy_once(self: Memory, *given: Any, **named: Any) -> Any:
        calls.append(given)
        if len(calls) == 2:
            raise StoreBusy("another program writes")
        return real(self, *given, **named)

    monkeypatch.setattr(Memory, "remember", busy_once)
    with served.http(served.key("several")) as http:
        body = {"facts": ["I live in Porto."], "episodes": ["We met at noon."]}
        assert same(http, "POST", "/memory/write", "k", body).status_code == 503
        again = same(http, "POST", "/memory/write", "k", body)
        assert again.status_code == 200 and again.json()["rejected"] == []
        assert len(again.json()["accepted"]) == 2
    assert len(served.memory.user("several").admin.recent(10)) == 2


@pytest.fixture
def cut_off(monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    """The server dies after the work and before it has noted so."""

    with monkeypatch.context() as patch:
        patch.setattr(RequestLog, "finish", lambda *given: _die())
        yield patch


def _die() -> None:
    raise RuntimeError("as if the power had gone")


def test_after_a_crash_nothing_is_done_twice(tmp_path: Path, cut_off: pytest.MonkeyPatch) -> None:
    with serving(tmp_path / "m.db") as served:
        key = served.key("ana")
        with served.http(key) as http:
            assert same(http, "POST", "/v1/observe", "k", OBSERVED).status_code == 500
    cut_off.undo()
    with serving(tmp_path / "m.db") as served, served.http(key) as http:
        busy = same(http, "POST", "/v1/observe", "k", OBSERVED)
        assert (busy.status_code, busy.headers["retry-after"]) == (409, "1")
        cut_off.setattr(idempotency, "CUT_OFF_S", 0.0)
        unknown = same(http, "POST", "/v1/observe", "k", OBSERVED)
        assert (unknown.status_code, unknown.json()["code"]) == (409, "conflict")
        assert "cut off" in unknown.json()["detail"]
        assert observations(served.memory.user("ana")) == 1


def test_answers_survive_a_restart_and_end_at_last(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(tmp_path / "m.db") as served:
        key = served.key("ana")
        with served.http(key) as http:
            first = same(http, "POST", "/v1/observe", "k", OBSERVED)
    with serving(tmp_path / "m.db") as served, served.http(key) as http:
        again = same(http, "POST", "/v1/observe", "k", OBSERVED)
        assert again.content == first.content and again.headers["idempotency-replayed"]
    monkeypatch.setattr(tallies, "REQUESTS_KEPT_S", 0.001)
    with serving(tmp_path / "m.db") as served, served.http(key) as http:
        anew = same(http, "POST", "/v1/observe", "k", OBSERVED)
        assert "idempotency-replayed" not in anew.headers
        assert observations(served.memory.user("ana")) == 2
        ana = served.memory.user("ana")
        answers, store = ana.admin.requests, workspace_of(ana).store
        answers.begin("cd", "b")
        for number in range(600):
            answers.begin(f"ab{number % 256:02x}{number}", "b")
        kept = store.tallies("doors/asked/ab")
        assert 0 < len(kept) < 600, "what is too old is swept away"
        assert store.tallies("doors/asked/cd"), "a share at a time"
