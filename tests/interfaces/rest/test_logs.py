"""The server's log: one line of JSON a request, and nothing in it that anybody said or holds."""

import json
import logging
from pathlib import Path
from typing import Any

import pytest
from tests.interfaces.rest.serving import serving

from sharpwave import Memory
from sharpwave.api.facts import FactsApi
from sharpwave.interfaces.rest import telemetry
from sharpwave.settings.server import LogSettings


def lines(written: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in written.splitlines()]


def test_one_line_a_request_without_words_and_secrets(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    with serving(tmp_path / "m.db", log={"access": True}) as served:
        secret = served.key("ana")
        with served.http(secret) as http:
            sent = {"messages": "My sister Ana lives in Porto.", "session": "very-private"}
            stored = http.post("/v1/remember", json=sent)
            http.get(f"/v1/memories/{stored.json()['ids'][0]}", headers={"X-Request-Id": "ab" * 16})
            http.get("/v1/about", params={"name": "Porto"}, headers={"X-Request-Id": secret})
            http.get("/v1/nowhere/Porto")
            http.request("PATCH", "/v1/recall")
            http.post("/v1/recall", json={"query": 7})
        with served.http("sw_wrong") as http:
            http.get("/v1/profile")
    text = capfd.readouterr().err
    found = lines(text)
    shown = [(one["method"], one["route"], one["status"]) for one in found]
    assert shown == [
        ("POST", "/v1/remember", 200),
        ("GET", "/v1/memories/{id}", 200),
        ("GET", "/v1/about", 200),
        (None, None, 404),
        ("PATCH", "/v1/recall", 405),
        ("POST", "/v1/recall", 422),
        (None, None, 401),
    ]
    first, second = found[:2]
    assert first["key"].startswith("ana-") and first["level"] == "info"
    assert first["bytes_in"] == len(json.dumps(sent, separators=(",", ":")))
    assert first["bytes_out"] == len(stored.content)
    assert 0 < first["wall_ms"]
    assert stored.headers["x-request-id"] == first["request_id"]
    assert second["request_id"] == "ab" * 16 and len({one["request_id"] for one in found}) == 7
    assert found[-1]["key"] is None
    assert not any(word in text for word in ("Porto", "very-private", secret, "sw_", "sister"))


def test_mcp_and_streams_are_written_down_too(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    with serving(tmp_path / "m.db", log={"access": True}) as served:
        served.memory.user("ana").remember("I keep bees.")
        with served.http(served.key("ana")) as http:
            exported = http.get("/v1/export")
            http.post("/mcp", json={"jsonrpc": "2.0", "id": 1, "method": "ping"})
        with Memory.connect(served.url, served.key("ana")) as remote:
            remote.recall("bees")
    export, mcp, recall = lines(capfd.readouterr().err)
    assert (export["route"], export["bytes_out"]) == ("/v1/export", len(exported.content))
    assert (mcp["route"], recall["route"]) == ("/mcp", "/v1/recall")


@pytest.mark.spec("MET-10")
def test_the_rest_is_written_in_the_same_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def broken(*given: object, **named: object) -> None:
        raise RuntimeError("the secret detail")

    for level, quoted in (("info", False), ("debug", True)):
        with serving(tmp_path / "m.db", log={"level": level}) as served:
            with served.http(served.key("ana")) as http:
                asked = http.post("/v1/select-skill", json={"message": "How do I sort?"})
                assert asked.status_code == 200
                with monkeypatch.context() as patch:
                    patch.setattr(FactsApi, "profile", broken)
                    assert http.get("/v1/profile").status_code == 500
        out, text = capfd.readouterr()
        found = lines(text)
        (chosen,) = [one for one in found if one.get("metric_type")]
        assert chosen["subsystem"] == "behavioral_memory" and chosen["user_id"] == "ana"
        assert chosen["metric_type"] == "behavioral_memory_selection"
        failed = [one["error"] for one in found if one["level"] == "error"]
        assert failed and all(error["type"] == "RuntimeError" for error in failed)
        assert "test_logs.py" in failed[0]["at"][-1]
        assert ("secret detail" in text) is quoted
        assert not out, "and nowhere else"
        assert "sort" not in json.dumps(chosen) and not [o for o in found if "route" in o]


def test_off_is_off_and_by_itself_only_what_went_wrong(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    for given, expected in (({"level": "off"}, 0), ({}, 1)):
        with telemetry.logging_to(LogSettings.model_validate(given)):
            logging.getLogger("sharpwave.sleep").warning("something odd")
            logging.getLogger("sharpwave.sleep").info("nothing to tell")
            logging.getLogger(telemetry.ACCESS).info("request")
        written = capfd.readouterr().err.splitlines()
        assert len(written) == expected
        assert not written or json.loads(written[0])["subsystem"] == "sleep"
