"""`Memory.connect`: the surface of Memory, the same answers, over a real connection."""

import asyncio
import inspect
import itertools
import threading
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from operator import attrgetter
from pathlib import Path
from typing import Any

import httpx2
import numpy as np
import pytest
from tests.interfaces.proxy.scripted import reply, scripted
from tests.interfaces.rest.serving import EVERYTHING, Served, serving

from sharpwave import (
    AsyncMemory,
    InvalidInput,
    Kind,
    Memory,
    Message,
    NotFound,
    RecallQuery,
    Settings,
    SkillChoice,
    TaskRun,
)
from sharpwave.client import http_wire
from sharpwave.client.calls import CALLS, NOT_SERVED
from sharpwave.client.forms import OWNERS
from sharpwave.client.http_wire import HttpWire
from sharpwave.errors import (
    Forbidden,
    InvalidReward,
    KeyReused,
    ProviderUnavailable,
    SkillNotFound,
    Unauthorized,
)
from sharpwave.interfaces.rest import routes
from sharpwave.types.access import ApiKey
from sharpwave.types.intent import ReadContext
from sharpwave.types.skills import Trigger

WHEN = datetime(2026, 5, 1, 12, tzinfo=UTC)
WHEN_NOT = datetime(2100, 1, 1, tzinfo=UTC)
USERS = (f"user-{number}" for number in itertools.count())


@pytest.fixture
def pair(served: Served) -> Iterator[tuple[Memory, Memory]]:
    """The memory of a new user, here and over the wire."""
    user = next(USERS)
    with Memory.connect(served.url, served.key(user)) as remote:
        yield served.memory.user(user), remote


def surface(cls: type) -> dict[str, inspect.Signature]:
    return {
        name: inspect.signature(getattr(cls, name))
        for name, member in inspect.getmembers_static(cls)
        if not name.startswith("_") and not isinstance(member, property)
    }


def test_every_method_is_served_or_says_why_not() -> None:
    names = set(surface(Memory))
    for name, namespace in OWNERS.items():
        names |= {f"{name}.{method}" for method in surface(namespace)}
    assert {call.method for call in CALLS} | NOT_SERVED == names


def test_the_client_has_the_surface_of_memory(served: Served) -> None:
    with Memory.connect(served.url, "sw_x") as remote:
        assert isinstance(remote, Memory)
        cls = type(remote)
        ours, theirs = surface(Memory), surface(cls)
        assert ours.keys() == theirs.keys()
        for name, signature in ours.items():
            assert list(signature.parameters) == list(theirs[name].parameters), name
        found = inspect.getattr_static
        kept = {name for name in ours if found(cls, name) is found(Memory, name)}
        assert kept == {"open", "connect"}, "nothing else would reach for a file"


def test_remember_and_recall(pair: tuple[Memory, Memory]) -> None:
    here, remote = pair
    receipt = remote.remember("My sister Ana lives in Porto.", session="s1", at=WHEN)
    assert [one.text for one in receipt.learned] == [
        "The user's sister is Ana",
        "Ana lives in Porto",
    ]
    found = remote.recall("Where does Ana live?", kinds=[Kind.FACT])
    assert found.items[0].text == "Ana lives in Porto"
    assert found.items[0].record == here.recall("Where does Ana live?").items[0].record
    (turn,) = [one.record for one in remote.recall("Porto", kinds=["turn"])]
    assert (turn.provenance.channel, turn.session_id) == ("rest", "s1")
    assert turn.provenance.author.startswith(here.user_id)
    assert remote.context("Ana", budget=200).ids == here.context("Ana", budget=200).ids


def test_every_way_to_say_something(pair: tuple[Memory, Memory]) -> None:
    _, remote = pair
    remote.remember(Message("Water the plants", kind="task", due=WHEN, tags=("home",)))
    remote.remember({"role": "assistant", "content": "Noted."})
    receipt = remote.remember(
        [{"role": "user", "content": "I keep bees."}, Message("And hens.", metadata={"n": 1})],
        idempotency_key="k",
    )
    again = remote.remember(
        ["I keep bees.", Message("And hens.", metadata={"n": 1})], idempotency_key="k"
    )
    assert again.ids == again.replayed == receipt.ids
    with pytest.raises(KeyReused):
        remote.remember("something else", idempotency_key="k:0")
    assert [task.title for task in remote.tasks.list()] == ["Water the plants"]


@pytest.mark.spec("RD-05")
def test_every_way_to_ask_something(pair: tuple[Memory, Memory]) -> None:
    here, remote = pair
    remote.remember(Message("The key hangs behind the mirror.", tags=("home",)))
    remote.remember(Message("The key lies in the safe.", tags=("shop",)))
    queries: list[Any] = [
        "Where is the key?",
        {"query": "Where is the key?", "tags": ["home"]},
        RecallQuery("Where is the key?", k=1, kinds=["turn"], words=("safe",), until=WHEN_NOT),
    ]
    for query in queries:
        ids = [one.record.id for one in remote.recall(query)]
        assert ids and ids == [one.record.id for one in here.recall(query)]
        assert remote.context(query).ids == here.context(query).ids
    with pytest.raises(InvalidInput):
        remote.recall({"query": "Where is the key?", "colour": "red"})


def test_what_is_known_comes_back_as_it_is(pair: tuple[Memory, Memory]) -> None:
    here, remote = pair
    remote.remember("I live in Porto. Ana is my sister. I have to call Ben tomorrow.", at=WHEN)
    remote.remember("I moved to Lisbon.", at=WHEN + timedelta(days=30))
    later = WHEN + timedelta(days=60)
    same: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = [
        ("facts.profile", (), {}),
        ("facts.list", (), {"subject": "user"}),
        ("facts.at", (WHEN,), {}),
        ("facts.at", (later,), {"known_at": later, "subject": "user"}),
        ("facts.between", (WHEN, later), {"on": "valid"}),
        ("facts.conflicts", (), {}),
        ("tasks.list", (), {}),
        ("tasks.list", ("active",), {}),
        ("tasks.due_soon", (), {}),
        ("behavior.notes", (), {}),
        ("graph.entities", (), {}),
        ("graph.about", ("Ana",), {"at": later}),
        ("graph.related", ("Ana",), {"hops": 2}),
        ("graph.paths", ("user", "Ana"), {"hops": 2}),
        ("facts.trends", (), {}),
        ("facts.shifts", (), {"days": 1000.0}),
        ("facts.predict", ("user", "lives_in", later), {}),
        ("admin.recent", (2,), {}),
        ("behavior.rules", (), {"everything": True}),
        ("behavior.preferences", (), {}),
        ("behavior.all_preferences", (), {}),
        ("skills.list", (), {"archived": True}),
        ("skills.get", ("concise_response",), {}),
        ("skills.style", (), {}),
        ("skills.trajectories", (), {}),
        ("skills.metrics", (), {}),
        ("admin.sleep_status", (), {}),
        ("admin.sleep_log", (), {}),
        ("admin.consents", (), {}),
        ("admin.jobs", (), {}),
        ("admin.spending", (WHEN.date(),), {}),
        ("agents.patterns", (), {}),
        ("agents.tools", (), {}),
        ("agents.models", (), {}),
        ("agents.insights", (), {}),
        ("agents.metrics", (), {}),
        ("admin.events", (), {"topics": ["memory.remembered"]}),
    ]
    for name, given, named in same:
        assert attrgetter(name)(remote)(*given, **named) == attrgetter(name)(here)(
            *given, **named
        ), name
    told = remote.facts.history("user", "lives_in")
    assert told == replace(here.facts.history("user", "lives_in"), at=told.at)
    (fact,) = [one for one in remote.facts.list() if one.predicate == "lives_in"]
    assert remote.admin.texts([fact.id]) == {fact.id: fact.text}
    assert remote.explain(fact.id) == here.explain(fact.id)
    right = remote.facts.correct(fact.id, "I live in Wels, above the bakery.").learned[0]
    assert (right.id, right.text) in [(one.id, one.text) for one in here.facts.list()]
    (fact,) = here.facts.list(predicate="lives_in")
    ended = remote.facts.end(fact.id)
    assert ended.valid_to is not None and fact.id not in [one.id for one in remote.facts.list()]


def test_long_lists_come_in_pages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(routes, "PAGE_SIZE", 3)
    with serving(tmp_path / "m.db") as served:
        with Memory.connect(served.url, served.key("ana")) as remote:
            remote.remember([Message(f"Task number {n}", kind="task") for n in range(10)])
            assert len(remote.tasks.list()) == 10
        with served.http(served.key("ana")) as http:
            page = http.get("/v1/tasks").json()
            assert len(page["items"]) == 3
            rest = http.get("/v1/tasks", params={"cursor": page["next"], "page_size": 100}).json()
            assert (len(rest["items"]), rest["next"]) == (7, None)
            assert http.get("/v1/tasks", params={"cursor": "no"}).status_code == 404


def test_part_of_a_list(pair: tuple[Memory, Memory]) -> None:
    here, remote = pair
    remote.remember([Message(f"Task number {n}", kind="task") for n in range(5)])
    whole = here.tasks.list()
    assert (
        remote.tasks.list(limit=2, offset=1) == whole[1:3]
        and remote.tasks.list(offset=4) == whole[4:]
    )
    assert not remote.facts.conflicts(limit=3) and not remote.behavior.pending(2, offset=1)


def test_tasks_conflicts_consents_quarantine(pair: tuple[Memory, Memory]) -> None:
    here, remote = pair
    remote.remember(Message("Water the plants", kind="task"))
    (task,) = remote.tasks.list()
    assert remote.tasks.set_status(task.id, "done").status == "done" and remote.tasks.list() == []
    remote.remember([{"role": "tool", "content": "The weather is bad."}])
    assert remote.facts.quarantine(source="tool").turns == 1
    assert remote.facts.quarantine(source="tool", undo=True).turns == 1
    remote.admin.consent("sensitive", True)
    assert remote.admin.consents()["sensitive"] is True  # type: ignore[index]
    remote.remember(["I work at Acme.", "I don't work at Acme."])
    (conflict,) = remote.facts.conflicts()
    remote.facts.resolve(conflict.id, "older")
    assert remote.facts.conflicts() == here.facts.conflicts() == []
    assert [fact.id for fact in here.facts.list(predicate="works_at")] == [conflict.older.id]


def test_experience(pair: tuple[Memory, Memory]) -> None:
    here, remote = pair
    with remote.agents.start("Make the build green", session="s") as doing:
        doing.interpretation("Fix the test", ["edit", "test"])
        doing.action("edit", "a.py")
        doing.action("test", duration_ms=3.0)
        doing.complete("Great, thanks", success=True)
    assert doing.logged is not None and doing.logged.status == "logged"
    with pytest.raises(NotFound):
        remote.agents.complete(doing.id)
    assert remote.agents.log("edit", "a.py", idempotency_key="one").status == "logged"
    assert remote.agents.log("edit", "a.py", idempotency_key="one").status == "replayed"
    remote.agents.observe([TaskRun("Ship order", plan=("pack", "ship"), success=True)])
    remote.agents.observe({"query": "Ship order", "success": False})
    stored = remote.agents.add_insight("Run the tests first.")
    assert [one.id for one in remote.agents.insights()] == [stored.id]
    assert remote.agents.advise("Ship order", "shipping").query == "Ship order"
    planned = remote.agents.advise("Ship order", {"agent": "packer"}, "plan", limit=3)
    assert planned == here.agents.advise("Ship order", {"agent": "packer"}, "plan", limit=3)
    assert remote.agents.detect_patterns(["edit", "test"]) == here.agents.detect_patterns(
        ["edit", "test"]
    )
    assert remote.agents.rate(stored.id, True).status == "logged"
    assert (
        remote.agents.generate_insights() == here.agents.insights()
        and remote.agents.rebuild() == here.agents.rebuild()
    )


def test_behavior(pair: tuple[Memory, Memory]) -> None:
    here, remote = pair
    found = remote.behavior.reflect("From now on, always answer in German.")
    assert [one.verdict for one in found.learned] == ["accepted"]
    stored = remote.behavior.add("Use metric units.", "style", scope="project")
    assert {one.rule for one in remote.behavior.pending()} == {
        *(one.rule for one in here.behavior.rules())
    }
    assert stored.id is not None and remote.behavior.accept(stored.id).accepted
    edited = remote.behavior.edit(stored.id, "Use metric units only.")
    assert remote.behavior.delete(edited.id).state == "invalidated"
    assert remote.behavior.undo(edited.id) == here.behavior.rules(scope="project", type="style")[0]
    assert remote.behavior.prune() == ()
    section = remote.behavior.prompt_section("planner")
    assert "German" in section and section in remote.behavior.assemble_prompt(
        "planner", "You plan.", ["Go"]
    )
    assert (
        remote.behavior.set_preference("tool", "pytest", 0.9)
        == remote.behavior.preferences("tool")[0]
    )
    taught = remote.behavior.correct("Run nose.", "Run pytest.", tools=["nose", "pytest"])
    assert (
        taught.id is not None
        and remote.behavior.all_preferences() == here.behavior.all_preferences()
    )
    assert remote.behavior.reset().behaviors >= 2 and here.behavior.rules(everything=True) == []


def test_skills_and_feedback(pair: tuple[Memory, Memory]) -> None:
    here, remote = pair
    made = remote.skills.create("haiku", "Answer with a haiku.", trigger=Trigger(intent=("poem",)))
    assert remote.skills.edit("haiku", template="Two haiku.", dimensions={"verbosity": 0.1}) == (
        here.skills.get("haiku").skill
    )
    assert made.trigger.intent == ("poem",) and remote.skills.archive("haiku").archived
    read = ReadContext("question", "neutral", "morning", None, ())
    choice = remote.skills.select("How do I sort a list?", message_id="m1", context=read)
    assert choice == replace(remote.skills.select("again", message_id="m1"), **_as_chosen(choice))
    assert choice.template in remote.context("Sort a list", skill=choice).text
    chosen = remote.context("Sort a list", skill=True).choice
    assert chosen is not None
    assert remote.feedback(chosen.message_id, 1).skill == chosen.skill.id
    with pytest.raises(InvalidInput, match="ndarray"):
        vector = replace(read, topic=np.zeros(2, np.float32))
        remote.skills.select("And a tree?", context=vector)
    receipt = remote.feedback("m1", 1, free_text="Just right")
    assert receipt.skill == choice.skill.id and receipt.skill_updated
    assert (
        remote.skills.trajectories() == here.skills.trajectories()
        and remote.skills.learn().read == 0
    )
    with pytest.raises(InvalidReward):
        remote.feedback("m1", 2)
    with pytest.raises(SkillNotFound):
        remote.feedback("m1", 1, skill="nope")
    assert remote.skills.set_style({"verbosity": 0.2})["verbosity"] == 0.2
    remote.skills.reset()
    assert remote.skills.style() == here.skills.style() and remote.skills.metrics().ratings == 0
    remote.skills.delete("haiku")


def _as_chosen(choice: SkillChoice) -> dict[str, Any]:
    """What only the first choice knows, not what is asked for again."""
    names = ("candidates", "reason", "ask", "milliseconds", "epsilon")
    return {name: getattr(choice, name) for name in names}


def test_sleeping(pair: tuple[Memory, Memory]) -> None:
    here, remote = pair
    remote.remember("I live in Porto.", at=WHEN)
    assert remote.sleep(dry_run=True).finished_at is not None and remote.admin.sleep_log() == []
    night = remote.sleep(heavy=True)
    assert (
        remote.admin.sleep_log() == here.admin.sleep_log()
        and remote.admin.sleep_log()[0].run == night.run
    )
    assert remote.admin.undo_sleep(night.run).run == night.run
    with pytest.raises(NotFound):
        remote.admin.undo_sleep("nope")
    with pytest.raises(InvalidInput, match="by itself"):
        remote.admin.run_worker(threading.Event())


def test_moving_out_and_in(served: Served, tmp_path: Path) -> None:
    one, other = next(USERS), next(USERS)
    with Memory.connect(served.url, served.key(one)) as remote:
        remote.remember(["I keep bees.", "My dog is called Pixel."])
        lines = list(remote.export())
        assert len(lines) == 1 + remote.admin.stats().memories
        assert remote.admin.import_(lines).added == 0
    with Memory.connect(served.url, served.key(other)) as remote:
        words = remote.admin.import_(iter(lines))
        assert (words.added, words.left_out) == (2, len(lines) - 3), "its words, as quoted text"
        assert remote.recall("dog").items and not remote.facts.list()
        with pytest.raises(Forbidden):
            remote.admin.import_(lines, own=True)
        chats = tmp_path / "chats.jsonl"
        chats.write_text('{"role": "user", "content": "I sail."}\n')
        assert remote.admin.import_chats(chats, own=True).added == 1
        with pytest.raises(InvalidInput, match="not a file"):
            remote.agents.import_log(tmp_path)
        with pytest.raises(InvalidInput):
            remote.admin.import_(["nonsense"])
    with Memory.connect(served.url, served.key(next(USERS), "write", "admin", "read")) as remote:
        assert remote.admin.import_(lines, own=True).added == len(lines) - 1
        assert remote.facts.list(), "everything as it was, for whoever may"


def test_only_a_newline_ends_a_line_of_an_export(pair: tuple[Memory, Memory]) -> None:
    here, remote = pair
    remote.remember("One\u2028two\u2029three\x85four: my dog is called Rex.")
    assert list(remote.export())[1:] == list(here.export())[1:]


def test_forgetting(pair: tuple[Memory, Memory]) -> None:
    here, remote = pair
    receipt = remote.remember("I keep bees.", session="s")
    remote.remember("I sail.", session="t")
    assert remote.forget(*receipt.ids).memories >= 1
    with pytest.raises(NotFound):
        remote.forget(*receipt.ids)
    with pytest.raises(InvalidInput, match="say what to forget"):
        remote.forget()
    remote.forget(everything=True)
    assert here.admin.stats().memories == 0


def test_an_admin(served: Served, tmp_path: Path) -> None:
    user = next(USERS)
    with Memory.connect(served.url, served.key("root", "read", "write", "admin")) as admin:
        named = admin.user(user)
        named.remember("I keep bees.")
        assert named.user_id == user and user in admin.admin.users()
        assert admin.admin.stats(all_users=True).users >= 2 and admin.admin.stats().memories == 0
        assert admin.admin.verify().ok and admin.admin.audit(limit=2)[1].seq == 2
        assert (
            admin.admin.scrub() in (True, False)
            and admin.admin.work() == 0
            and named.admin.reembed() == 0
        )
        assert user in [night.user_id for night in admin.admin.sleep_all()]
        assert admin.skills.learn_population() == 0
        admin.admin.backup(tmp_path / "copy.db")
        made = admin.admin.keys.create("made-remotely", user, ["read"])
        with Memory.connect(served.url, made.secret) as reader:
            assert reader.recall("bees").items
            with pytest.raises(Forbidden):
                reader.remember("more")
            with pytest.raises(Forbidden):
                reader.user("root").facts.profile()
        assert "made-remotely" in [key.name for key in admin.admin.keys.all()]
        admin.admin.keys.revoke("made-remotely")
    settings = Settings.model_validate({"embedder": {"provider": "hash"}})
    with Memory.open(tmp_path / "copy.db", user=user, settings=settings) as copy:
        assert copy.recall("bees").items


def test_a_key_of_an_old_file_with_a_slash_in_its_name_is_revoked(served: Served) -> None:
    keys = served.memory.admin.keys
    keys._ring.add(ApiKey("team/laptop", "ana", frozenset(EVERYTHING), WHEN), bytes(32))
    with Memory.connect(served.url, served.key("root", *EVERYTHING)) as admin:
        admin.admin.keys.revoke("team/laptop")
    assert next(key for key in keys.all() if key.name == "team/laptop").revoked_at


async def _async_journey(url: str, key: str) -> None:
    async with AsyncMemory.connect(url, key) as remote:
        await remote.remember("My sister Ana lives in Porto.")
        assert (await remote.recall("Where does Ana live?")).items[0].text == "Ana lives in Porto"
        assert [line async for line in remote.export()]
        with pytest.raises(NotFound):
            await remote.explain("nope")


def test_the_async_twin(served: Served) -> None:
    asyncio.run(_async_journey(served.url, served.key(next(USERS))))


def test_errors_are_our_own(served: Served) -> None:
    with Memory.connect(served.url, "sw_wrong") as remote, pytest.raises(Unauthorized):
        remote.facts.profile()
    with Memory.connect(served.url, served.key(next(USERS))) as remote:
        with pytest.raises(NotFound, match="nope"):
            remote.explain("nope")
        with pytest.raises(InvalidInput, match="k"):
            remote.recall("x", k=0)
        with pytest.raises(InvalidInput, match="timezone"):
            remote.recall("x", since=datetime(2026, 1, 1))
    with pytest.raises(InvalidInput):
        Memory.connect("127.0.0.1:1", "sw_x")


class Flaky(httpx2.BaseTransport):
    """Loses the answer of every request that got through, so many times."""

    def __init__(self, losses: int) -> None:
        self.losses = losses
        self.real = httpx2.HTTPTransport()

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        answer = self.real.handle_request(request)
        if self.losses:
            self.losses -= 1
            answer.close()
            raise httpx2.ReadError("the connection was lost", request=request)
        return answer

    def close(self) -> None:
        self.real.close()


def flaky(served: Served, key: str, losses: int) -> Memory:
    """A client whose first answers are lost on the way."""
    remote: Any = Memory.connect(served.url, key)
    wire: HttpWire = remote._wire
    wire._http.close()
    wire._http = httpx2.Client(base_url=served.url, transport=Flaky(losses))
    return remote  # type: ignore[no-any-return]


def test_what_was_lost_on_the_way_is_sent_again_and_stored_once(served: Served) -> None:
    user = next(USERS)
    key = served.key(user)
    with flaky(served, key, 2) as remote:
        receipt = remote.remember("I keep bees.")
        assert receipt.replayed == receipt.ids, "the first try had come through"
    assert served.memory.user(user).admin.stats().by_kind["turn"] == 1
    with flaky(served, key, 2) as remote:
        remote.agents.observe({"query": "Ship order", "success": True})
        assert remote.admin.stats().by_kind["observation"] == 1, (
            "done once, though asked three times"
        )
    own = served.memory.user(user)
    own.remember("I live in Porto.")

    def seen() -> dict[str, int]:
        return {fact.id: fact.seen_count for fact in own.facts.list() if "Porto" in fact.text}

    (before,) = seen().items()
    with flaky(served, key, 2) as remote:
        remote.facts.confirm(before[0])
    assert seen() == {before[0]: before[1] + 1}
    with (
        flaky(served, key, http_wire.ATTEMPTS) as remote,
        pytest.raises(ProviderUnavailable, match="cannot be"),
    ):
        remote.facts.profile()


def test_an_answer_that_breaks_off_is_an_error_and_leaves_no_file(tmp_path: Path) -> None:
    cut = reply(b"half\n", content_length="99", connection="close")
    with scripted(cut) as server, Memory.connect(server.url, "sw_x") as remote:
        with pytest.raises(ProviderUnavailable, match="cannot be"):
            list(remote.export())
        with pytest.raises(ProviderUnavailable, match="cannot be"):
            remote.admin.backup(tmp_path / "copy.db")
    assert not list(tmp_path.iterdir())
