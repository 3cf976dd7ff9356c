"""P7: what is forgotten stays forgotten while learning of the same user is under way.

Each race has a user of its own, who observed one task eight times. A thread learns from it (anew
from everything, insights, or a whole sleep) while everything, a session or the ids are forgotten
up to 60 ms later. When both have returned, neither the export nor the tallies may show the
task, and what is said afterwards must be stored. The same over REST. Control: the store accepts
writes that were decided before an erasure.
"""

import json
import random
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from unittest import mock

import httpx2
from tests.faults.harness import Figures, Options, Result, judged
from tests.interfaces.rest.serving import serving, settings_for_tests
from tests.storage.postgres import server

from sharpwave import Memory
from sharpwave.errors import Conflict
from sharpwave.storage.sql import writes
from sharpwave.testing import resources_of

NAME = "p7_late_learning"
TASKS = 8
LONGEST_DELAY_S = 0.06
CONTROL_RACES = 300
"""At most: the control ends with the first that came back."""
FAULTS = (
    "came_back",
    "came_back_on_postgres",
    "came_back_over_rest",
    "learner_failed",
    "new_words_refused",
)


def run(options: Options) -> Result:
    count = 300 if options.long else 12
    figures: Figures = dict.fromkeys(FAULTS, 0)
    rng = random.Random(options.seed)
    with Memory.open(options.folder / "m.db", settings=settings_for_tests()) as memory:
        found = _races(memory, count, rng)
        figures["came_back"] = found.came_back
    address = server.new_database()
    try:
        with Memory.open(address, settings=settings_for_tests()) as memory:
            more = _races(memory, count, rng)
            figures["came_back_on_postgres"] = more.came_back
    finally:
        server.drop_database(address)
    figures["learner_failed"] = found.failed + more.failed
    figures["new_words_refused"] = found.refused + more.refused
    figures["came_back_over_rest"] = _over_rest(options, max(6, count // 5), rng)
    figures |= {"races": count, "learned_meanwhile": found.refused_writes + more.refused_writes}
    figures["errors"] = sorted({*found.errors, *more.errors})
    return judged(NAME, options, figures, FAULTS, _control(options), ("came_back",))


@dataclass
class Races:
    """What races ended in."""

    came_back: int = 0
    failed: int = 0
    refused: int = 0
    refused_writes: int = 0
    """Learners that reported a conflict: they may, but need not."""
    errors: set[str] = field(default_factory=set)


def _races(memory: Memory, count: int, rng: random.Random, stop_at: int | None = None) -> Races:
    found = Races()
    for number in range(count):
        _race(memory.user(f"user {number}"), number, rng, found)
        if stop_at is not None and found.came_back >= stop_at:
            break
    return found


def _race(memory: Memory, number: int, rng: random.Random, found: Races) -> None:
    task = f"ship X{number}"
    logged = memory.agents.observe([_task(task, place) for place in range(TASKS)])
    ids = [each.interaction_id for each in logged]
    learn = rng.choice(
        (
            memory.agents.rebuild,
            memory.agents.rebuild,
            memory.agents.generate_insights,
            partial(memory.sleep, heavy=True),
        )
    )
    forget: Callable[[], object] = partial(memory.forget, everything=True)
    if number % 3 == 1:
        forget = partial(memory.forget, *ids)
    ready = threading.Event()

    def learning() -> None:
        ready.set()
        try:
            learn()
        except Conflict:
            found.refused_writes += 1
        except Exception as error:  # noqa: BLE001 - counted as a fault
            found.failed += 1
            found.errors.add(repr(error)[:200])

    thread = threading.Thread(target=learning)
    thread.start()
    ready.wait()
    time.sleep(rng.uniform(0, LONGEST_DELAY_S))
    try:
        forget()
    except Exception as error:  # noqa: BLE001 - counted as a fault
        found.failed += 1
        found.errors.add(f"forget: {error!r}"[:200])
    thread.join()
    found.came_back += _shows(memory, task)
    memory.remember(f"Note {number}: the harbour is closed on Sundays.")
    found.refused += "harbour" not in "".join(memory.export())


def _task(task: str, place: int) -> dict[str, object]:
    return {
        "query": task,
        "task_id": f"{task}-{place}",
        "success": True,
        "plan": ["pack", "label", task],
        "steps": [{"name": "pack", "success": True}, {"name": f"do {task}", "success": True}],
    }


def _shows(memory: Memory, task: str) -> bool:
    """Whether anything that is stored of the user still says what the task was."""
    store = resources_of(memory).store.for_user(memory.user_id)
    tallied = [
        f"{topic} {name} {json.dumps(tally.value)}"
        for topic in store.topics("experience")
        for name, tally in store.tallies(topic).items()
    ]
    return any(task in text for text in (*memory.export(), *tallied))


def _over_rest(options: Options, count: int, rng: random.Random) -> int:
    came_back = 0
    with serving(options.folder / "served.db") as served:
        for number in range(count):
            task = f"ship R{number}"
            with served.http(served.key(f"user {number}")) as http:
                tasks = [_task(task, place) for place in range(TASKS)]
                assert http.post("/v1/observe", json={"task": tasks}).status_code == 200
                path = rng.choice(("/v1/relearn", "/v1/learn", "/v1/sleep"))
                thread = threading.Thread(target=partial(_post, served.http, http, path))
                thread.start()
                time.sleep(rng.uniform(0, LONGEST_DELAY_S))
                gone = http.post("/v1/forget", json={"everything": True})
                assert gone.status_code == 200, gone.text
                thread.join()
                came_back += task in http.get("/v1/export").text
    return came_back


def _post(again: Callable[..., httpx2.Client], like: httpx2.Client, path: str) -> None:
    """The same caller on a connection of its own."""
    with again(like.headers["authorization"].removeprefix("Bearer ")) as http:
        answer = http.post(path, json={})
        assert answer.status_code < 500, answer.text


def _control(options: Options) -> Figures:
    settings = settings_for_tests()
    rng = random.Random(options.seed)
    with _accepting_anything(), Memory.open(options.folder / "c.db", settings=settings) as memory:
        found = _races(memory, CONTROL_RACES, rng, stop_at=1)
    return {"came_back": found.came_back}


@contextmanager
def _accepting_anything() -> Iterator[None]:
    """The store as it was before it knew when something was forgotten."""
    with mock.patch.object(writes, "require_not_erased", lambda *given: None):
        yield
