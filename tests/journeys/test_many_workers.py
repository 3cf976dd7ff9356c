"""Real processes on one PostgreSQL: two servers that hear each other, workers that stand in for one
another. `python -m benchmarks.workers` does the same with as many users as you like."""

import json
from collections import Counter
from collections.abc import Iterator

import httpx2
import pytest
from benchmarks.workers import api, asleep, everybody, fill, killed, night, reports
from tests.storage.postgres import server
from tests.storage.postgres.test_together import cut_off

from sharpwave import Memory
from sharpwave.testing import HashEmbedder

USERS = 60
NEVER_S = 3600.0
"""How often a stream looks by itself: so seldom that only what it is told can wake it."""
FINISHED = "SELECT value::jsonb ->> 'run' FROM tallies WHERE topic = 'sleep/reports'"


@pytest.fixture
def address() -> Iterator[str]:
    made = server.new_database()
    yield made
    server.drop_database(made)


def is_told(ids: list[str], lines: Iterator[str]) -> bool:
    """Whether a stream tells of one of these, sooner or later."""
    events = (line.removeprefix("data: ") for line in lines if line.startswith("data: "))
    return any(set(json.loads(event)["ids"]) & set(ids) for event in events)


@pytest.mark.timeout(180)
def test_a_stream_of_one_server_tells_at_once_what_another_wrote(address: str) -> None:
    with Memory.open(address, embedder=HashEmbedder(32)) as memory:
        key = memory.admin.keys.create("both", "ana").secret
    headers = {"Authorization": f"Bearer {key}"}
    wanted = {**headers, "Accept": "text/event-stream"}
    with (
        api(address, NEVER_S) as one,
        api(address, NEVER_S) as two,
        httpx2.Client(headers=headers, trust_env=False, timeout=60) as http,
        http.stream("GET", f"{two}/v1/events", headers=wanted) as stream,
    ):
        lines = stream.iter_lines()
        assert next(lines) == "retry: 1000"
        for said in ("I live in Porto.", "I like tea."):
            stored = http.post(f"{one}/v1/remember", json={"messages": said}).json()
            assert is_told(stored["ids"], lines)
        cut_off(address)
        stored = http.post(f"{one}/v1/remember", json={"messages": "I live in Braga."}).json()
        assert is_told(stored["ids"], lines), "also after the server was away"


@pytest.mark.timeout(300)
def test_everybody_sleeps_once_even_if_a_worker_is_killed(address: str) -> None:
    names = [f"user-{number:03}" for number in range(USERS)]
    fill(address, names, 4)
    left = killed(address)
    assert left, "the control: it died with nights in its hands"
    done = night(address, names, 2)
    assert done.errors == ()
    assert Counter(reports(address).values()) == {1: USERS} and asleep(address) == []
    with everybody(address) as db:
        finished = {run for (run,) in db.execute(FINISHED)}
    assert set(left) <= finished, "those nights went on under their own names"
