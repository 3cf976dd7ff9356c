"""The ZeroMQ bus: what happens, as protobuf, encrypted, and to nobody who may not hear it."""

import json
import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.interfaces.rest.serving import settings_for_tests
from typer.testing import CliRunner

from sharpwave import InvalidInput, InvalidSettings, Memory
from sharpwave.errors import ProviderUnavailable
from sharpwave.events import zeromq
from sharpwave.events.zeromq import Subscription, ZeroMqPublisher, subscribe
from sharpwave.interfaces.cli.app import app
from sharpwave.interfaces.rest.server import Server
from sharpwave.settings.server import ZeroMqSettings
from sharpwave.testing import resources_of
from sharpwave.types.publishing import BY_TOPIC, MESSAGES, BusMessage
from sharpwave.types.storing import Event

LOCAL = "tcp://127.0.0.1:*"


class Bus:
    """A server that publishes, and where."""

    def __init__(self, memory: Memory) -> None:
        self.memory = memory
        publisher = resources_of(memory).publisher
        assert isinstance(publisher, ZeroMqPublisher)
        while not publisher.address:
            memory.admin.deliver()
        self.address = publisher.address

    def listen(self, user: str = "*", *topics: str, **keys: Any) -> Subscription:
        return subscribe(self.address, user, topics, **keys)


@contextmanager
def published(path: Path, **bound: Any) -> Iterator[Bus]:
    """A memory behind a real server, whose events are published."""
    settings = settings_for_tests(zeromq={"bind": LOCAL, **bound})
    with Memory.open(path, user="ana", settings=settings) as memory:
        opened = threading.Event()
        server = Server(memory, settings, lambda url: opened.set())
        thread = threading.Thread(target=server.serve_until_stopped, daemon=True)
        thread.start()
        assert opened.wait(30), "the server did not start"
        try:
            yield Bus(memory)
        finally:
            server.should_exit = True
            thread.join(30)


def heard(listening: Subscription, number: int) -> list[Event]:
    found = [listening.receive(10) for _ in range(number)]
    assert None not in found, "less was heard than was told"
    return [event for event in found if event is not None]


@pytest.mark.spec("BUS-05", "FB-06")
def test_what_happens_is_heard_in_order(tmp_path: Path) -> None:
    with published(tmp_path / "m.db") as bus:
        bus.memory.remember("Before anybody listened.")
        with bus.listen() as listening:
            receipt = bus.memory.remember("I keep bees.")
            choice = bus.memory.skills.select("How do I sort a list?", message_id="m1")
            bus.memory.feedback("m1", -1, free_text="Far too long, thank you")
            bus.memory.sleep()
            bus.memory.forget(*receipt.ids)
            found: list[Event] = []
            while not found or found[-1].topic != "memory.forgotten":
                found += heard(listening, 1)
    told = [event for event in found if event.topic not in BY_TOPIC]
    for topic in (
        "memory.remembered",
        "memory.skill.selected",
        "memory.feedback.received",
        "memory.skill.updated",
        "memory.consolidation.start",
        "memory.consolidation.complete",
        "memory.forgotten",
    ):
        assert topic in [event.topic for event in told], topic
    assert [event.seq for event in told] == sorted({event.seq for event in told})
    assert {event.user_id for event in found} == {"ana"}
    assert any(set(receipt.ids) <= set(map(str, _ids(event))) for event in told)
    updated = next(one for one in told if one.topic == "memory.skill.updated")
    assert updated.payload["skill"] == choice.skill.id
    words = json.dumps([dict(event.payload) for event in found])
    assert "bees" not in words and "long" not in words and "sort" not in words


def _ids(event: Event) -> list[object]:
    found = event.payload.get("ids")
    return found if isinstance(found, list) else []


@pytest.mark.spec("BUS-02", "BUS-03")
def test_skills_and_feedback_have_messages_of_their_own(tmp_path: Path) -> None:
    topic = "memory/procedural/{}/v1".format
    with published(tmp_path / "m.db") as bus, bus.listen("ana", *map(topic, TYPED)) as listening:
        at = bus.memory.remember("How do I sort a list?", session="s1")
        choice = bus.memory.skills.select(
            "How do I sort a list?", session="s1", message_id=at.ids[0]
        )
        bus.memory.feedback(at.ids[0], -1, "too_verbose", "Far too long")
        request, response, applied, rated = heard(listening, 4)
        assert [one.topic for one in (request, response, applied, rated)] == [
            topic(name) for name in ("skill_request", "skill_response", "skill_applied", "feedback")
        ]
        kept = bus.memory.admin.events(topics=["memory.skill.selected"])[0]
        assert (request.seq, request.at) == (response.seq, response.at) == (kept.seq, kept.at)
    assert request.payload["conversation_id"] == "s1"
    assert request.payload["context_tags"] == [choice.context]
    assert response.payload["request_id"] == request.payload["request_id"] == at.ids[0]
    assert response.payload["skill_id"] == applied.payload["skill_id"] == choice.skill.id
    first = choice.candidates[0]
    assert response.payload["confidence_score"] == pytest.approx(first.confidence)
    assert response.payload["preference_alignment"] == pytest.approx(first.alignment)
    assert response.payload["is_exploration"] is choice.is_exploration
    assert 0 < float(str(response.payload["selection_time_ms"])) <= choice.milliseconds + 0.001
    assert (rated.payload["message_id"], rated.payload["reward"]) == (at.ids[0], -1.0)
    assert (rated.payload["reason"], rated.payload["free_text"]) == ("too_verbose", "")
    assert request.payload["message_text"] == ""


TYPED = ("feedback", "skill_request", "skill_response", "skill_applied")


@pytest.fixture
def keys(tmp_path: Path) -> dict[str, str]:
    """Public keys by the names of the files that hold the secret ones."""
    return {
        name: zeromq.make_key(tmp_path / name) for name in ("server", "ana", "root", "stranger")
    }


@pytest.mark.spec("BUS-04")
def test_with_keys_each_hears_only_what_it_may(tmp_path: Path, keys: dict[str, str]) -> None:
    clients = {keys["ana"]: "ana", keys["root"]: "*"}
    server = {"key_file": tmp_path / "server", "clients": clients}

    def known(name: str) -> dict[str, Any]:
        return {"server_key": keys["server"], "key_file": tmp_path / name}

    with published(tmp_path / "m.db", **server) as bus:
        with bus.listen("ana", **known("ana")) as ana, bus.listen(**known("root")) as root:
            bus.memory.user("anastasia").remember("I am somebody else.")
            bus.memory.user("ana").remember("I keep bees.")
            (own,) = heard(ana, 1)
            other, same = heard(root, 2)
        assert (own.user_id, own.seq) == ("ana", same.seq) and other.user_id == "anastasia"
        for user, name in (("*", "ana"), ("anastasia", "ana"), ("ana", "stranger")):
            with pytest.raises(ProviderUnavailable, match="did not let us in"):
                bus.listen(user, join_s=0.4, **known(name))
        with pytest.raises(ProviderUnavailable):
            bus.listen("ana", join_s=0.4)  # unencrypted
        wrong = {**known("ana"), "server_key": keys["stranger"]}
        with pytest.raises(ProviderUnavailable):
            bus.listen("ana", join_s=0.4, **wrong)


@pytest.mark.spec("BUS-04")
def test_a_listener_that_speaks_is_turned_out(tmp_path: Path, keys: dict[str, str]) -> None:
    """Else libzmq gives the next wish to listen to another: ana would hear what bob asks for."""
    server = {"key_file": tmp_path / "server", "clients": {keys["ana"]: "ana", keys["root"]: "bob"}}

    def known(name: str) -> dict[str, Any]:
        return {"server_key": keys["server"], "key_file": tmp_path / name}

    with published(tmp_path / "m.db", **server, bind=f"ipc://{tmp_path}/bus") as bus:
        publisher = resources_of(bus.memory).publisher
        assert isinstance(publisher, ZeroMqPublisher)
        with bus.listen("bob", **known("root")) as bob, speaking(bus, **known("ana")) as talker:
            talker.send(b"\1ana\0")
            assert talker.poll(10_000), "it was not let in"
            talker.send(b"hello")
            with pytest.raises(ProviderUnavailable, match="did not let us in"):
                while True:
                    bus.listen("ana", join_s=0.4, **known("ana")).close()
            found = None
            while found is None:  # bob comes back by himself
                bus.memory.user("bob").remember("I keep bees.")
                found = bob.receive(0.05)
            assert found.user_id == "bob"


@contextmanager
def speaking(bus: Bus, server_key: str, key_file: Path) -> Iterator[Any]:
    """A listener that can say more than that it listens."""
    zmq = pytest.importorskip("zmq")
    with zmq.Context() as context, context.socket(zmq.XSUB) as made:
        made.linger = 0
        made.curve_serverkey = server_key.encode()
        made.curve_publickey, made.curve_secretkey = zeromq.read_keys(key_file)
        made.connect(bus.address)
        yield made


@pytest.mark.spec("BUS-04")
def test_nothing_can_be_read_on_the_way(tmp_path: Path, keys: dict[str, str]) -> None:
    """What goes over the line shows neither user nor topic; without keys it would."""
    server = {"key_file": tmp_path / "server", "clients": {keys["ana"]: "ana"}}
    for bound, known, open_ in (
        (server, {"server_key": keys["server"], "key_file": tmp_path / "ana"}, False),
        ({}, {}, True),
    ):
        with published(tmp_path / f"{open_}.db", **bound) as bus, tapped(bus.address) as tap:
            with subscribe(tap.address, "ana", **known) as listening:  # type: ignore[arg-type]
                bus.memory.remember("I keep bees.")
                heard(listening, 1)
            assert (b"memory.remembered" in tap.seen) is open_


class Tap:
    """Stands between a listener and the bus, passes everything on, and keeps a copy."""

    def __init__(self, behind: str) -> None:
        host, _, port = behind.removeprefix("tcp://").partition(":")
        self.behind = (host, int(port))
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"tcp://127.0.0.1:{self.listener.getsockname()[1]}"
        self.seen = b""

    def run(self) -> None:
        client, _ = self.listener.accept()
        with client, socket.create_connection(self.behind) as server:
            there = threading.Thread(target=self.pump, args=(client, server), daemon=True)
            there.start()
            self.pump(server, client)
            there.join(10)

    def pump(self, source: socket.socket, sink: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(65536):
                self.seen += data
                sink.sendall(data)
            sink.shutdown(socket.SHUT_WR)


@contextmanager
def tapped(address: str) -> Iterator[Tap]:
    tap = Tap(address)
    thread = threading.Thread(target=tap.run, daemon=True)
    thread.start()
    yield tap
    thread.join(10)
    tap.listener.close()


@pytest.mark.spec("BUS-04")
@pytest.mark.parametrize(
    ("chosen", "why"),
    [
        ({"bind": "tcp://0.0.0.0:5560"}, "unencrypted"),
        ({"bind": "tcp://*:5560"}, "unencrypted"),
        ({"bind": LOCAL, "key_file": "server"}, "nobody may listen"),
        ({"bind": LOCAL, "key_file": "server", "clients": {"short": "ana"}}, "40 characters"),
        ({"bind": LOCAL, "key_file": "missing"}, "cannot read"),
        ({"bind": LOCAL, "key_file": "open"}, "chmod 600"),
        ({"bind": LOCAL, "key_file": "odd"}, "no key"),
    ],
)
def test_an_unsafe_bus_is_refused(
    tmp_path: Path, keys: dict[str, str], chosen: dict[str, Any], why: str
) -> None:
    (tmp_path / "open").write_bytes((tmp_path / "server").read_bytes())
    (tmp_path / "open").chmod(0o644)
    (tmp_path / "odd").write_text("nonsense")
    (tmp_path / "odd").chmod(0o600)
    if "key_file" in chosen:
        chosen = {**chosen, "key_file": tmp_path / chosen["key_file"]}
    settings = settings_for_tests(zeromq=chosen)
    with pytest.raises(InvalidSettings, match=why):
        Memory.open(tmp_path / "m.db", settings=settings)


def test_one_process_publishes_and_another_goes_on(tmp_path: Path) -> None:
    with published(tmp_path / "m.db") as bus:
        settings = settings_for_tests(zeromq={"bind": bus.address})
        second = Memory.open(tmp_path / "m.db", user="ana", settings=settings)
        with second, bus.listen() as listening:
            assert second.admin.deliver() == 0
            second.remember("Written by one, told by the other.")
            heard(listening, 1)
            assert second.admin.deliver() == 0, "it stands by"
            publisher = resources_of(bus.memory).publisher
            assert publisher is not None
            delivering = bus.memory.admin._state.process.deliveries()._lock
            delivering.acquire()  # as if it had died
            publisher.close()
            second.remember("Nobody has told this yet.")
            assert second.admin.deliver() == 1
            delivering.release()
            late = second.remember("Told by the second.")
            found = None
            while found is None or found.payload["ids"] != list(late.ids):
                second.admin.deliver()
                found = listening.receive(0.05)
                if found is None:
                    late = second.remember("Told by the second, again.")


def test_an_address_that_cannot_be_had_is_told_once_and_stops_nothing(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    settings = settings_for_tests(zeromq={"bind": f"ipc://{tmp_path}/nowhere/bus"})
    with Memory.open(tmp_path / "m.db", settings=settings) as memory:
        memory.remember("I keep bees.")
        assert [memory.admin.deliver() for _ in range(3)] == [0, 0, 0]
    assert len([one for one in caplog.records if "cannot publish" in one.message]) == 1


def test_a_bus_that_nobody_asked_for_costs_nothing(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "m.db", settings=settings_for_tests()) as memory:
        assert resources_of(memory).publisher is None
    settings = settings_for_tests(zeromq={"bind": LOCAL})
    with Memory.open(tmp_path / "m.db", settings=settings) as memory:
        memory.remember("A command binds nothing.")
        publisher = resources_of(memory).publisher
        assert isinstance(publisher, ZeroMqPublisher) and publisher.address == ""


def test_without_the_extra_it_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "zmq", None)
    with pytest.raises(InvalidSettings, match=r"pip install sharpwave\[zeromq\]"):
        ZeroMqPublisher(ZeroMqSettings(bind=LOCAL))
    with pytest.raises(InvalidSettings, match=r"sharpwave\[zeromq\]"):
        subscribe("tcp://127.0.0.1:1")


def test_what_cannot_be_listened_to(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="no address"):
        subscribe("nonsense")
    with pytest.raises(InvalidInput, match="both"):
        subscribe("tcp://127.0.0.1:1", server_key="x")
    zeromq.make_key(tmp_path / "key")
    with pytest.raises(InvalidInput, match="cannot write"):
        zeromq.make_key(tmp_path / "key")


@pytest.mark.spec("BUS-02")
@given(st.data())
def test_every_message_comes_back_as_it_was(data: st.DataObject) -> None:
    values: dict[str, st.SearchStrategy[Any]] = {
        "string": st.text(),
        "repeated string": st.lists(st.text()),
        "uint64": st.integers(0, 2**64 - 1),
        "int64": st.integers(-(2**63), 2**63 - 1),
        "double": st.floats(allow_nan=False),
        "bool": st.booleans(),
    }
    topic = data.draw(st.sampled_from([*BY_TOPIC, "memory.remembered"]))
    shape = MESSAGES[BY_TOPIC.get(topic, "Event")]
    fields = {name: data.draw(values[kind]) for name, kind in shape.items()}
    assert zeromq.decode(topic, zeromq.encode(BusMessage(topic, "ana", fields))) == fields


def test_the_key_of_the_command_line_opens(tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["keys", "bus", str(tmp_path / "key"), "--json"])
    assert (
        json.loads(done.stdout)["public_key"].encode() == zeromq.read_keys(tmp_path / "key").public
    )
    assert (tmp_path / "key").stat().st_mode & 0o777 == 0o600
