"""D13: the servers of the language model and of the embedder misbehave, in every way they can.

Every call ends in time, what was said is stored and found by its words, and once the servers are
well again everything is read, once. One control is a worker that gives up at the first failure; the
other, a client that only limits the wait for each piece of an answer.
"""

import json
import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

import openai
from tests.faults.harness import Figures, Options, Result, judged
from tests.llm.chat_endpoint import said
from tests.llm.endpoint import Endpoint, Handler, Reply, failure, hang, hang_up

from sharpwave import Memory, Settings, SharpwaveError, worker
from sharpwave.embedding import openai_embedder
from sharpwave.llm import chat_llm
from sharpwave.settings.models import EmbedderSettings, LLMSettings
from sharpwave.testing import FrozenClock, HashEmbedder
from sharpwave.types.working import Job, JobState
from sharpwave.workspace import Resources

NAME = "d13_models"
TIMEOUT_S, DEADLINE_S = 0.15, 0.5
SLACK_S = 8.0
"""How late a busy machine may be."""
DRIP_S = 2.0
DIMENSION = 64
MIB = 1024 * 1024
THINGS = "kayaks violins ferns lentils comets ferries quilts owls maps drums tulips chess".split()
MUST_BE_ZERO = ("lost", "unfound", "overdue", "unread", "read_twice", "undone")


def run(options: Options) -> Result:
    with (
        patch.multiple(openai_embedder, TIMEOUT_S=TIMEOUT_S, RETRIES=0),
        patch.multiple(chat_llm, DEADLINE_S=DEADLINE_S, RETRIES=1, BACKOFF_S=0.01),
    ):
        return _run(options)


def _run(options: Options) -> Result:
    turns = 12 if options.long else 2
    figures = dict.fromkeys(MUST_BE_ZERO, 0) | {"faults": len(FAULTS), "calls": 0}
    for name, fault in FAULTS.items():
        for key, count in _campaign(options, name, fault, turns).items():
            figures[key] += count
    with _gives_up():
        control = _campaign(options, "control", _broken(500), turns)
    control["overdue"] = _waits_for_pieces()
    return judged(NAME, options, figures, MUST_BE_ZERO, control, ("unread", "overdue"))


def _campaign(options: Options, name: str, fault: "Fault", turns: int) -> Figures:
    clock = FrozenClock()
    with _endpoint() as server:
        settings = _settings(options, name, server)
        with Memory.open(settings=settings, clock=clock) as memory:
            server.otherwise = _healthy
            ids = list(memory.remember("We begin with this.", wait=True).ids)
            server.otherwise = fault
            overdue = unfound = 0
            for thing in THINGS[:turns]:
                text = f"Guess what, {thing} it is that I like best!"
                begin = time.perf_counter()
                ids += memory.remember(text, wait=True).ids
                overdue += time.perf_counter() - begin > TIMEOUT_S + DEADLINE_S + SLACK_S
                begin = time.perf_counter()
                found = [item.text for item in memory.recall(text).items]
                overdue += time.perf_counter() - begin > TIMEOUT_S + SLACK_S
                unfound += text not in found
            server.released.set()
            server.otherwise = _healthy
            clock.advance(hours=2)
            memory.admin.retry_jobs()
            memory.admin.work()
            objects = [fact.object for fact in memory.facts.list()]
            return {
                "calls": len(server.paths),
                "lost": len(set(ids) - set(memory.admin.texts(ids))),
                "unfound": unfound,
                "overdue": overdue,
                "unread": sum(objects.count(thing) == 0 for thing in THINGS[:turns]),
                "read_twice": sum(objects.count(thing) > 1 for thing in THINGS[:turns]),
                "undone": sum(job.state is not JobState.DONE for job in memory.admin.jobs()),
            }


def _settings(options: Options, name: str, server: Endpoint) -> Settings:
    return Settings(
        path=options.folder / f"{name.replace(' ', '-')}.db",
        embedder=EmbedderSettings(
            provider="openai",
            base_url=server.url,
            dimension=DIMENSION,
        ),
        llm=LLMSettings.model_validate(
            {
                "provider": "vllm",
                "base_url": server.url,
                "models": {"default": "m"},
                "timeout_s": TIMEOUT_S,
            }
        ),
    )


# --- a server that is well ------------------------------------------------------------------------


def _healthy(asked: dict[str, Any]) -> Reply:
    if "input" in asked:
        vectors = HashEmbedder(DIMENSION).embed(asked["input"]).tolist()
        data = [{"index": at, "embedding": vector} for at, vector in enumerate(vectors)]
        return Reply(json.dumps({"data": data}).encode())
    if asked["response_format"]["json_schema"]["name"] != "facts":
        return said("{}")
    text = str(json.loads(re.findall(r'\{"turn".*\}', asked["messages"][1]["content"])[0])["text"])
    thing = next((thing for thing in THINGS if thing in text), None)
    if thing is None:
        return said("{}")
    triple = {"subject": "user", "predicate": "likes", "object": thing}
    told = {"turn": 1, "quote": thing, "text": f"The user likes {thing}.", "confidence": 0.9}
    return said(json.dumps({"facts": [triple | told], "tasks": [], "notes": []}))


# --- and every way not to be ----------------------------------------------------------------------

Fault = Callable[[dict[str, Any]], Any]


def _broken(status: int, headers: Mapping[str, str] | None = None) -> Fault:
    return lambda asked: failure(status, "oops", headers)


def _truncated(asked: dict[str, Any]) -> Reply:
    whole = _healthy(asked)
    return whole._replace(body=whole.body[: len(whole.body) // 2])


def _huge(asked: dict[str, Any]) -> Callable[[Handler], None]:
    def send(handler: Handler) -> None:
        handler.send_response(200)
        handler.send_header("Content-Length", str(50 * MIB))
        handler.end_headers()
        try:
            for _ in range(50):
                handler.wfile.write(b" " * MIB)
        except OSError:  # nobody listens any more
            handler.close_connection = True

    return send


def _drip(asked: dict[str, Any]) -> Callable[[Handler], None]:
    def send(handler: Handler) -> None:
        body = _healthy(asked).body
        handler.send_response(200)
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        try:
            for at in range(len(body)):
                handler.wfile.write(body[at : at + 1])
                handler.wfile.flush()
                if handler.server.released.wait(DRIP_S / len(body)):
                    return
        except OSError:  # nobody listens any more
            handler.close_connection = True

    return send


FAULTS: dict[str, Fault] = {
    "hang": lambda asked: hang,
    "reset": lambda asked: hang_up,
    "error": _broken(500),
    "too many": _broken(429, {"Retry-After": "3600"}),
    "bad key": _broken(401),
    "truncated": _truncated,
    "huge": _huge,
    "wrong schema": lambda asked: said('{"facts": [{"turn": "first"}]}'),
    "no JSON": lambda asked: said("Sure, happy to help!"),
    "web page": lambda asked: Reply(b"<html>Log in", 200, {"Content-Type": "text/html"}),
    "drip": _drip,
}


# --- controls -------------------------------------------------------------------------------------


@contextmanager
def _gives_up() -> Iterator[None]:
    """A worker that is done with a job when it failed once."""
    kept = worker._retry_or_fail

    def give_up(resources: Resources, job: Job, error: SharpwaveError) -> None:
        resources.store.jobs.finish(job, resources.clock.now())

    worker._retry_or_fail = give_up
    try:
        yield
    finally:
        worker._retry_or_fail = kept


def _waits_for_pieces() -> int:
    """How many calls are overdue with a timeout that begins anew with each piece."""
    with _endpoint() as server:
        server.otherwise = _drip
        patient = DRIP_S / 2  # a busy machine may hold one piece back for longer than TIMEOUT_S
        client = openai.OpenAI(base_url=server.url, api_key="k", timeout=patient, max_retries=0)
        begin = time.perf_counter()
        client.embeddings.create(model="m", input=["Drip."], encoding_format="float")
        return int(time.perf_counter() - begin > DEADLINE_S)


@contextmanager
def _endpoint() -> Iterator[Endpoint]:
    with Endpoint() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server
        finally:
            server.released.set()
            server.shutdown()
            thread.join()
