"""`sharpwave llm`, against a real loopback server."""

import json
import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.llm.chat_endpoint import said
from tests.llm.endpoint import KEY, Endpoint, Reply, failure
from typer.testing import CliRunner

from sharpwave import InvalidSettings, Memory
from sharpwave.interfaces.cli.app import app
from sharpwave.llm import chat_llm
from sharpwave.llm.prompts.conversation import ConversationOutput
from sharpwave.testing import ScriptedLLM

LIVES = '{"name": "Ana", "city": "Porto"}'
NUMBERS = {"prompt_tokens": 30, "completion_tokens": 6}


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    for name in [name for name in os.environ if name.lower().endswith("_proxy")]:
        monkeypatch.delenv(name)
    with Endpoint() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        monkeypatch.setenv("SHARPWAVE_LLM__PROVIDER", "vllm")
        monkeypatch.setenv("SHARPWAVE_LLM__BASE_URL", server.url)
        monkeypatch.setenv("SHARPWAVE_LLM__API_KEY", KEY)
        monkeypatch.setattr(chat_llm, "RETRIES", 0)
        monkeypatch.setenv("SHARPWAVE_LLM__MODELS__DEFAULT", "big")
        monkeypatch.setenv("SHARPWAVE_LLM__MODELS__UTILITY", "small")
        yield server
        server.shutdown()
        thread.join()


def reply(asked: dict[str, Any]) -> Reply:
    form = asked.get("response_format", {}).get("type")
    if form == "json_schema" and asked["model"] == "small":
        return failure(400, "no json_schema here")
    wants_form = form or "JSON schema" in asked["messages"][0]["content"]
    return said(LIVES if wants_form else "Yellow.", usage=NUMBERS)


def test_it_says_what_works(endpoint: Endpoint) -> None:
    endpoint.otherwise = reply

    ran = CliRunner().invoke(app, ["llm", "test", "--json"])

    assert ran.exit_code == 0
    found = {one["role"]: one for one in json.loads(ran.stdout)}
    assert set(found) == {"analyzer", "generator", "optimizer", "utility"}
    small, big = found["utility"], found["analyzer"]
    assert (small["model"], small["form"]) == ("small", "json_object")
    assert (big["model"], big["form"], big["estimated"]) == ("big", "json_schema", False)
    assert (big["input_tokens"], big["output_tokens"]) == (60, 12)
    assert all(one["wire"] and one["structured"] for one in found.values())
    assert len(endpoint.requests) == 5, "what plays three roles is tried once"
    shown = CliRunner().invoke(app, ["llm", "test"]).stdout
    assert "by JSON schema" in shown and "in JSON mode" in shown and KEY not in shown


def test_it_says_how_to_mend_what_does_not(endpoint: Endpoint) -> None:
    endpoint.otherwise = lambda asked: (
        failure(401, "who are you") if asked["model"] == "big" else said("Yellow.", usage=NUMBERS)
    )

    ran = CliRunner().invoke(app, ["llm", "test", "--json"])

    assert ran.exit_code == 5
    found = {one["role"]: one for one in json.loads(ran.stdout)}
    assert not found["analyzer"]["wire"] and "set llm.api_key" in found["analyzer"]["problem"]
    utility = found["utility"]
    assert utility["wire"] and not utility["structured"]
    assert "name a more capable model in llm.models.utility" in utility["problem"]
    assert (utility["input_tokens"], utility["output_tokens"]) == (90, 18), "what failed counts"
    assert "set llm.api_key" in " ".join(CliRunner().invoke(app, ["llm", "test"]).stdout.split())


def test_a_model_that_reads_badly_is_told(endpoint: Endpoint) -> None:
    wrong = '{"name": "Ana", "city": "Lisbon"}'
    endpoint.otherwise = lambda asked: said(wrong if "response_format" in asked else "Yellow.")

    ran = CliRunner().invoke(app, ["llm", "test"])

    assert ran.exit_code == 0 and "'Lisbon'" in ran.stdout and "about " in ran.stdout


def test_without_a_model_it_names_the_vendors() -> None:
    ran = CliRunner().invoke(app, ["llm", "test"])

    assert isinstance(ran.exception, InvalidSettings)
    assert "anthropic" in str(ran.exception) and "ollama" in str(ran.exception)


def test_what_was_spent(tmp_path: Path) -> None:
    db = tmp_path / "m.db"
    with Memory.open(db, llm=ScriptedLLM(lambda _: ConversationOutput())) as memory:
        memory.remember("Guess who took me on this week: Acme!", wait=True)
        memory.user("bob").remember("Hello there, I am Bob.")
        spent = memory.admin.spending()

    ran = CliRunner().invoke(app, ["llm", "cost", "--db", str(db), "--json"])
    told = json.loads(ran.stdout)
    assert told["spent"]["default"]["input_tokens"] == spent.input_tokens > 0
    assert told["allowed"]["calls"] == 2000
    arguments = ["llm", "cost", "--db", str(db), "--everyone", "--day", "2020-01-01"]
    shown = CliRunner().invoke(app, arguments).stdout
    assert "bob" in shown and "A day allows 2000 calls" in shown
    assert [line.split()[1] for line in shown.splitlines()[1:3]] == ["0", "0"]


def test_the_same_model_with_another_key_is_tried_by_itself(
    endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    def by_key(asked: dict[str, Any]) -> Reply:
        is_ours = endpoint.authorizations[-1] == f"Bearer {KEY}"
        return reply(asked) if is_ours else failure(401, "who are you")

    endpoint.otherwise = by_key
    for name, value in (("PROVIDER", "vllm"), ("BASE_URL", endpoint.url), ("API_KEY", "wrong")):
        monkeypatch.setenv(f"SHARPWAVE_LLM__ELSEWHERE__OPTIMIZER__{name}", value)

    ran = CliRunner().invoke(app, ["llm", "test", "--json"])

    found = {one["role"]: one for one in json.loads(ran.stdout)}
    assert found["analyzer"]["wire"] and not found["optimizer"]["wire"]
    assert "llm.elsewhere.optimizer.api_key" in found["optimizer"]["problem"]


def test_failed_jobs_are_queued_again(tmp_path: Path) -> None:
    db = tmp_path / "m.db"
    with Memory.open(db, llm=ScriptedLLM(["not JSON"])) as memory:
        memory.remember("Guess what, the folks at Acme took me on!", wait=True)
    ran = CliRunner().invoke(app, ["jobs", "--retry", "--db", str(db)])
    assert "Queued again: 1." in ran.stdout and "waiting" in ran.stdout
