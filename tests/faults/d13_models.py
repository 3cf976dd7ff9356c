"""D13: the servers of the language model and of the embedder misbehave, in every way they can.

Every call ends in time, what was said is stored and found by its words. Once the servers are well
again, after a restart, every turn is read, once: those that were waited for, each by itself, and
those of a session, in stretches, of which the last ends what the first said. One control is a
worker that gives up at the first failure; the other, a client that only limits the wait for each
piece of an answer.
"""

import json
import re
import threading
import time
from collections import Counter
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
from sharpwave.testing import FrozenClock, HashEmbedder, worker_of
from sharpwave.types.working import Job, JobState
from sharpwave.workspace import Resources

NAME = "d13_models"
TIMEOUT_S, DEADLINE_S = 0.4, 1.0
SLACK_S = 8.0
"""How late a busy machine may be."""
PATIENT_S = 60.0
DRIP_S = 2.0
DIMENSION = 64
MIB = 1024 * 1024
THINGS = "kayaks violins ferns lentils comets ferries quilts owls maps drums tulips chess".split()
TALK = "opera rugby yoga jazz poker sushi curling karate ballet judo bingo origami".split()
MUST_BE_ZERO = ("lost", "unfound", "overdue", "unread", "read_twice", "unended", "undone")


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
        with Memory.open(settings=_settings(options, name, server), clock=clock) as memory:
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
            with worker_of(memory).paused():
                ids += _talk(memory, clock, turns)
                memory.admin.work()
        server.released.set()
        read: Counter[str] = Counter()
        server.otherwise = _counting(read)
        clock.advance(hours=2)
        # A busy machine may be slow to answer, and what is asked again would count as read twice.
        patient = _settings(options, name, server, PATIENT_S)
        with (
            patch.object(openai_embedder, "TIMEOUT_S", PATIENT_S),
            patch.object(chat_llm, "DEADLINE_S", PATIENT_S),
            Memory.open(settings=patient, clock=clock) as memory,
        ):
            with worker_of(memory).paused():
                memory.admin.retry_jobs()
                memory.admin.work()
                jobs = memory.admin.jobs()
            objects = [fact.object for fact in memory.facts.list()]
            things = [*THINGS[:turns], *TALK[1:turns]]
            texts = memory.admin.texts(ids[1:])
            return {
                "calls": len(server.paths),
                "lost": len(set(ids[1:]) - set(texts)),
                "unfound": unfound,
                "overdue": overdue,
                "unread": sum(objects.count(thing) == 0 for thing in things)
                + sum(read[text] == 0 for text in texts.values()),
                "read_twice": sum(objects.count(thing) > 1 for thing in things)
                + sum(read[text] > 1 for text in texts.values()),
                "unended": int(not _is_over(memory, TALK[0])),
                "undone": sum(job.state is not JobState.DONE for job in jobs),
            }


def _is_over(memory: Memory, thing: str) -> bool:
    """Whether it was liked, once, and no longer is."""
    liked = memory.facts.history("user", "likes").versions
    return [fact.valid_to is not None for fact in liked if fact.object == thing] == [True]


def _talk(memory: Memory, clock: FrozenClock, turns: int) -> list[str]:
    """A session that nobody waits for, read in the midst of it and at its end."""
    ids: list[str] = []
    for thing in TALK[:turns]:
        ids += memory.remember(f"Guess what, {thing} is for me!", session="talk").ids
        clock.advance(seconds=5)
    memory.admin.work()
    clock.advance(seconds=5)
    ids += memory.remember(f"And no more {TALK[0]}, I gave it up.", session="talk").ids
    return ids


def _settings(
    options: Options, name: str, server: Endpoint, timeout_s: float = TIMEOUT_S
) -> Settings:
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
                "timeout_s": timeout_s,
            }
        ),
    )


# --- a server that is well ------------------------------------------------------------------------


def _healthy(asked: dict[str, Any]) -> Reply:
    if "input" in asked:
        vectors = HashEmbedder(DIMENSION).embed(asked["input"]).tolist()
        data = [{"index": at, "embedding": vector} for at, vector in enumerate(vectors)]
        return Reply(json.dumps({"data": data}).encode())
    if asked["response_format"]["json_schema"]["name"] != "conversation":
        return said("{}")
    lines = _lines(asked)
    operations = [_operation(line, lines) for line in lines if "turn" in line]
    return said(json.dumps({"operations": [one for one in operations if one]}))


def _lines(asked: dict[str, Any]) -> list[dict[str, Any]]:
    return [json.loads(line) for line in re.findall(r"\{.*\}", asked["messages"][1]["content"])]


def _operation(turn: dict[str, Any], lines: list[dict[str, Any]]) -> dict[str, Any] | None:
    thing = next((thing for thing in [*THINGS, *TALK] if thing in turn["text"]), None)
    if thing is None:
        return None
    quoted = {"turn": turn["turn"], "quote": thing, "confidence": 0.9}
    triple = {"subject": "user", "predicate": "likes", "object": thing}
    new = {"op": "new", "text": f"The user likes {thing}.", **triple, **quoted}
    if "no more" not in turn["text"]:
        return new
    for line in lines:
        if "known" in line and line["text"] == f"The user likes {thing}":
            return {"op": "end", "id": line["known"], **quoted}
    return new | {"mode": "ended"}  # it was said in the same stretch


def _counting(read: Counter[str]) -> "Fault":
    """A server that is well, and counts how often it read each turn."""

    def answer(asked: dict[str, Any]) -> Reply:
        if "input" not in asked:
            read.update(str(line["text"]) for line in _lines(asked) if "turn" in line)
        return _healthy(asked)

    return answer


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
    "wrong schema": lambda asked: said('{"operations": [{"op": "invent"}]}'),
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
