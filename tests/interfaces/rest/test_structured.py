"""What a caller understood, over HTTP and through `Memory.connect`."""

import pytest
from tests.interfaces.rest.serving import Served

from sharpwave import InvalidInput, Memory
from sharpwave.types.records import Trust
from sharpwave.types.structured import TaskInput

SAID = "Lena's recital moved, it's on the 14th of june at Gasteig"
BODY = {
    "messages": SAID,
    "session": "s",
    "facts": [
        {
            "text": "Lena's recital is at Gasteig",
            "about": "Lena",
            "mode": "event",
            "valid_from": "2027-06-14",
            "quote": "lena's recital moved, it's on the 14th of june at gasteig",
        },
        {"subject": "user", "predicate": "likes", "object": "cello music", "confidence": 0.8},
    ],
    "tasks": [{"title": "Buy flowers for Lena", "due": "2027-06-14"}],
    "rules": [{"text": "Call her Leni", "scope": "family"}],
}


def test_it_is_learned_with_its_source(served: Served) -> None:
    with served.http(served.key("rest")) as http:
        answer = http.post("/v1/remember", json=BODY)
        assert answer.status_code == 200, answer.text
        learned = {one["text"]: one["verdict"] for one in answer.json()["learned"]}
        assert learned["Lena's recital is at Gasteig (14 June 2027)"] == "accepted"
        assert learned["The user likes cello music"] == "accepted"
        assert learned["Buy flowers for Lena"] == "accepted"
        assert [one["verdict"] for one in answer.json()["rules"]] == ["queued"]
    memory = served.memory.user("rest")
    trusts = {fact.text: fact.trust for fact in memory.facts.list()}
    assert trusts["Lena's recital is at Gasteig (14 June 2027)"] is Trust.USER
    assert trusts["The user likes cello music"] is Trust.INFERRED


def test_a_key_makes_it_one_call(served: Served) -> None:
    with served.http(served.key("twice"), **{"Idempotency-Key": "one"}) as http:
        memory = served.memory.user("twice")
        first = http.post("/v1/remember", json=BODY).json()
        before = memory.admin.stats().memories
        assert before > len(first["ids"]) > 0
        assert http.post("/v1/remember", json=BODY).json()["ids"] == first["ids"]
    memory.remember(SAID, session="s", idempotency_key="one", facts=BODY["facts"])  # type: ignore[arg-type]
    assert memory.admin.stats().memories == before


@pytest.mark.parametrize(
    "given",
    [
        {"facts": [{"txt": "x"}]},
        {"facts": [{"text": "x", "user_id": "doc"}]},
        {"facts": [{"subject": "user"}]},
        {"facts": [{"text": "x" * 2**20}]},
        {"facts": [{"text": "x"}] * 10_000},
        {"facts": [{"text": "x", "confidence": "1"}]},
        {"facts": [{"text": "x", "valid_from": 2026}]},
        {"tasks": [{"title": "\x00"}]},
        {"rules": "be brief"},
    ],
)
def test_what_is_wrong_is_refused(served: Served, given: dict[str, object]) -> None:
    with served.http(served.key("wrong")) as http:
        answer = http.post("/v1/remember", json={"messages": "hello", **given})
        assert answer.status_code == 422 and len(answer.text) < 3000
    assert served.memory.user("wrong").admin.stats().memories == 0


def test_the_client_hands_over_the_same(served: Served) -> None:
    with Memory.connect(served.url, served.key("far")) as remote:
        task = TaskInput(title="Return the library books", due="2027-01-09")
        fact = {"text": "The user reads three books a week", "quote": "three books a week"}
        receipt = remote.remember("three books a week, help", facts=[fact], tasks=[task])
        assert {one.text for one in receipt.learned} >= {task.title, fact["text"]}
        with pytest.raises(InvalidInput, match=r"facts\[0\] has no field 'txt'"):
            remote.remember("hello", facts=[{"txt": "x"}])
        (kept,) = remote.tasks.list()
        assert kept.title == task.title and kept.due is not None


def test_another_users_words_are_no_quote(served: Served) -> None:
    served.memory.user("her").remember("I am allergic to walnuts", session="s")
    fact = {"subject": "user", "predicate": "allergic_to", "object": "walnuts"}
    with Memory.connect(served.url, served.key("him")) as remote:
        quoted = {**fact, "quote": "I am allergic to walnuts"}
        receipt = remote.remember("hi there", session="s", facts=[quoted])
        assert any("facts[0]" in note for note in receipt.notes)
        assert [one.trust for one in remote.facts.list()] == [Trust.INFERRED]
        assert remote.facts.profile() == []
