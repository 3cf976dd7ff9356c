"""What a person can see, set right, take along and have erased, and by whose leave, over REST."""

import json
from pathlib import Path

import pytest
from tests.interfaces.rest.serving import Served, serving_memory, settings_for_tests

from sharpwave import Memory, Settings
from sharpwave.behavior.skills import state
from sharpwave.interfaces.rest.server import checked_settings
from sharpwave.testing import workspace_of

HAIKU = {"skill": "haiku", "template": "Answer with a haiku."}


@pytest.mark.spec("API-05", "SEC-05", "SEC-06")
def test_what_was_learned_can_be_seen_edited_and_deleted(served: Served) -> None:
    with served.http(served.key("ui")) as http:
        assert http.post("/v1/skills", json=HAIKU).status_code == 200
        http.put("/v1/skills/haiku", json={"template": "Answer with two haiku."})
        listed = {
            one["skill"]["id"]: one["skill"] for one in http.get("/v1/skills").json()["items"]
        }
        assert listed["haiku"]["template"] == "Answer with two haiku." and len(listed) > 10
        assert http.delete("/v1/skills/haiku").status_code == 204
        assert http.get("/v1/skills/haiku").json()["code"] == "skill_not_found"
        rule = http.post(
            "/v1/behaviors", json={"rule": "Answer in German.", "type": "style"}
        ).json()
        edited = http.put(f"/v1/behaviors/{rule['id']}", json={"rule": "Answer in French."}).json()
        assert [one["rule"] for one in http.get("/v1/behaviors").json()["items"]] == [
            edited["rule"]
        ]
        assert http.delete(f"/v1/behaviors/{edited['id']}").status_code == 200
        assert http.get("/v1/behaviors").json()["items"] == []
        taste = {"category": "tool", "key": "pytest", "value": 0.9}
        assert http.put("/v1/preferences", json=taste).status_code == 200
        assert [one["key"] for one in http.get("/v1/preferences").json()["items"]] == ["pytest"]
        http.put("/v1/style", json={"dimensions": {"verbosity": 0.2}})
        seen = json.dumps(http.get("/v1/style").json())
        assert "verbosity" in seen and "0.2" in seen
        http.post("/v1/reset-skills", json={})
        http.post("/v1/reset-learning", json={})
        assert http.get("/v1/preferences").json()["items"] == []


@pytest.mark.spec("SEC-04", "SEC-06")
def test_on_a_server_nothing_is_learned_before_somebody_agrees(tmp_path: Path) -> None:
    open_to_others = settings_for_tests(host="0.0.0.0")
    assert settings_for_tests().privacy.consent_assumed
    settings = checked_settings(open_to_others)
    with Memory.open(tmp_path / "m.db", user="ana", settings=settings) as memory:
        memory.remember("From now on, always answer in German.")
        choice = memory.skills.select("How do I sort a list?")
        assert memory.feedback(choice.message_id, 1, skill=choice.skill.id).status == "not_stored"
        assert memory.admin.stats().memories == 0 and memory.behavior.rules() == []
        memory.admin.consent("memory", True)
        memory.admin.consent("learning", True)
        memory.remember("From now on, always answer in German.")
        (rule,) = memory.behavior.rules()
        memory.admin.consent("learning", False)
        memory.remember("From now on, never use tables.")
        memory.admin.consent("learning", True)
        assert memory.behavior.rules() == [rule], "kept, though nothing was learned meanwhile"


@pytest.mark.spec("SEC-07", "SEC-09")
def test_every_choice_says_why_and_is_on_record(served: Served) -> None:
    key = served.key("why")
    known = len(served.memory.admin.audit(limit=1000))
    with served.http(key) as http:
        choice = http.post("/v1/select-skill", json={"message": "How do I sort a list?"}).json()
        first = choice["candidates"][0]
        assert choice["skill"]["id"] in choice["reason"] and "style" in choice["reason"]
        assert 0 <= first["confidence"] <= 1 and 0 <= first["alignment"] <= 1
        (kept,) = http.get("/v1/trajectories").json()["items"]
        assert (kept["message_id"], kept["skill"]) == (choice["message_id"], choice["skill"]["id"])
        told = http.get(f"/v1/memories/{kept['id']}").json()["record"]["metadata"]
        assert told["reason"] == choice["reason"]
        assert (told["confidence"], told["alignment"]) == (first["confidence"], first["alignment"])
    entries = served.memory.admin.audit(limit=1000)[known:]
    (entry,) = [one for one in entries if one.action == "select_skill"]
    assert "why" not in entry.actor, "a digest stands for the user"


@pytest.mark.spec("SEC-08", "SEC-16")
def test_access_correction_portability_and_erasure(served: Served) -> None:
    with served.http(served.key("subject")) as http:
        http.post("/v1/remember", json={"messages": "I live in Porto."})
        (fact,) = http.get("/v1/facts").json()["items"]
        assert http.get(f"/v1/memories/{fact['id']}").status_code == 200
        assert http.post(f"/v1/facts/{fact['id']}/end", json={}).status_code == 200
        assert http.get("/v1/facts").json()["items"] == []
        exported = http.get("/v1/export").text
        assert all(json.loads(line) for line in exported.splitlines()) and "Porto" in exported
        assert http.post("/v1/forget", json={"everything": True}).json()["memories"] >= 2
        assert "Porto" not in http.get("/v1/export").text
        assert http.post("/v1/recall", json={"query": "Porto"}).json()["items"] == []
        http.put("/v1/consents/memory", json={"granted": False})
        http.post("/v1/remember", json={"messages": "I live in Faro."})
        assert http.get("/v1/stats").json()["memories"] == 0


@pytest.mark.spec("SEC-15")
def test_the_odds_of_skills_are_counts_and_nothing_else(tmp_path: Path) -> None:
    settings = Settings.model_validate({"embedder": {"provider": "hash"}})
    with Memory.open(tmp_path / "m.db", settings=settings) as memory:
        choice = memory.skills.select("my secret plan")
        memory.feedback(choice.message_id, 1, free_text="secret praise")
        rows = state.stored_rows(workspace_of(memory))
    odds = [tally.value for (topic, _), tally in rows.items() if "odds" in topic]
    assert odds and all(isinstance(n, int | float) for row in odds for n in row.values())
    assert "secret" not in str(rows)


@pytest.mark.spec("SEC-11")
def test_no_door_is_open_by_itself() -> None:
    settings = Settings()
    assert settings.server.host == "127.0.0.1" and settings.server.zeromq.bind is None
    assert settings.proxy.host == "127.0.0.1"
    assert settings.llm.provider == "none" and not settings.server.webhooks.allow_private


@pytest.mark.spec("SEC-04", "SEC-06")
def test_a_server_on_this_machine_asks_each_user_once(tmp_path: Path) -> None:
    settings = checked_settings(settings_for_tests())
    said = {"messages": "My sister Ana lives in Porto."}
    with Memory.open(tmp_path / "m.db", settings=settings) as memory:
        with serving_memory(memory, settings) as served:
            with served.http(served.key("maya")) as http:
                assert http.get("/v1/consents/unanswered").json()["items"] == ["memory", "learning"]
                (note,) = http.post("/v1/remember", json=said).json()["notes"]
                assert "not asked yet" in note and "/v1/consents/memory" in note
                assert http.get("/v1/stats").json()["memories"] == 0
                http.put("/v1/consents/memory", json={"granted": True})
                http.put("/v1/consents/learning", json={"granted": False})
                assert http.get("/v1/consents/unanswered").json()["items"] == []
                assert http.post("/v1/remember", json=said).json()["learned"]
                http.put("/v1/consents/memory", json={"granted": False})
                assert http.get("/v1/consents/unanswered").json()["items"] == []
                assert "does not agree" in http.post("/v1/remember", json=said).json()["notes"][0]
            with served.http(served.key("noor")) as http:
                assert http.get("/v1/consents/unanswered").json()["items"] == ["memory", "learning"]


def test_a_file_of_ones_own_asks_nothing(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "m.db") as memory:
        assert memory.admin.unanswered_consents() == []
        assert memory.remember("My sister Ana lives in Porto.").learned
