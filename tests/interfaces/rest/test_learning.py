"""Feedback, events and nights over HTTP."""

import json
import threading
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from tests.interfaces.rest.serving import Served, events_of, settings_for_tests
from tests.waiting import eventually

from sharpwave import Memory
from sharpwave.interfaces.rest.server import Server
from sharpwave.settings.core import SleepSettings
from sharpwave.sleep import schedule


@pytest.mark.spec("FB-01", "FB-02", "FB-03", "FB-04", "EVL-36")
def test_the_documents_feedback(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    path = "/api/v1/memory/feedback"
    with served.http(served.key("rater")) as http:
        choice = http.post("/v1/select-skill", json={"message": "How do I sort a list?"}).json()
        given = {"message_id": choice["message_id"], "skill_id": choice["skill"]["id"], "reward": 1}
        liked = http.post(path, json={**given, "reason": "other", "free_text": "Just right."})
        assert liked.status_code == 200
        assert liked.json() == {
            "status": "success",
            "skill_updated": True,
            "new_confidence": served.memory.user("rater").skills.get(given["skill_id"]).confidence,
        }
        told = served.memory.user("rater").admin.events(topics=["memory.feedback.received"])
        assert len(told) == 1, "the bus is told once"
        wrong: list[tuple[int, str, dict[str, Any]]] = [
            (400, "invalid_reward", {"reward": 2}),
            (404, "skill_not_found", {"skill_id": "nope"}),
            (422, "validation_error", {"free_text": "x" * 301}),
            (422, "validation_error", {"reward": "1"}),
        ]
        for status, code, change in wrong:
            refused = http.post(path, json={**given, **change})
            assert (refused.status_code, refused.json()["error"]) == (status, code)
            assert refused.json()["message"]
        assert http.post(path, json={**given, "user_id": "doc"}).status_code == 403

        def broken(self: Memory, *given: object) -> None:
            raise RuntimeError("secret detail")

        monkeypatch.setattr(Memory, "feedback", broken)
        failed = http.post(path, json=given)
        assert (failed.status_code, failed.json()["error"]) == (500, "internal_error")
        assert "secret" not in failed.text


@pytest.mark.spec("BUS-01")
def test_the_topics_of_the_bus(served: Served) -> None:
    with served.http(served.key("bus")) as http:
        choice = http.post("/v1/select-skill", json={"message": "How do I sort a list?"}).json()
        rated = {"message_id": choice["message_id"], "reward": -1, "free_text": "Far too long."}
        http.post("/v1/feedback", json=rated)
        http.post("/v1/learn-behavior", json={"even_if_few": True})
        http.post("/v1/sleep", json={})
    wanted = [
        "memory.skill.selected",
        "memory.feedback.received",
        "memory.skill.updated",
        "memory.feedback.processed",
        "memory.consolidation.start",
        "memory.consolidation.complete",
    ]
    with served.http(served.key("bus"), Accept="text/event-stream") as listener:
        with listener.stream("GET", "/v1/events", params={"topics": wanted}) as stream:
            told = list(islice(events_of(stream), len(wanted)))
    assert {event["event"] for event in told} == set(wanted)
    assert "long" not in json.dumps(told) and "sort" not in json.dumps(told)


def test_a_context_that_chooses_a_skill_is_written(served: Served) -> None:
    with served.http(served.key("chooser", "read")) as http:
        assert http.post("/v1/context", json={"query": "x"}).status_code == 200
        assert http.post("/v1/context", json={"query": "x", "skill": True}).status_code == 403
    with served.http(served.key("chooser", "read", "write")) as http:
        assert http.post("/v1/context", json={"query": "x", "skill": True}).status_code == 200
        assert len(http.get("/v1/trajectories").json()["items"]) == 1


def test_nights_come_by_themselves_while_it_serves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(schedule, "CHECK_S", 0.01)
    settings = settings_for_tests().model_copy(update={"path": tmp_path / "m.db"})
    by_itself = SleepSettings(require_idle=False, cron="* * * * *")
    with Memory.open(settings=settings.model_copy(update={"sleep": by_itself})) as memory:
        memory.remember("I live in Porto.", at=datetime(2026, 5, 1, tzinfo=UTC))
        opened = threading.Event()
        chosen = settings.model_copy(update={"sleep": by_itself})
        door = Server(memory, chosen, lambda url: opened.set())
        thread = threading.Thread(target=door.serve_until_stopped, daemon=True)
        thread.start()
        assert opened.wait(30)
        slept = eventually(
            lambda: memory.admin.sleep_log() and memory.admin.sleep_log()[0].finished_at
        )
        door.should_exit = True
        thread.join(10)
        assert slept and not thread.is_alive()
