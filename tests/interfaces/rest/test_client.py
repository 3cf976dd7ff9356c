"""`Memory.connect`: the surface of Memory, the same answers, over a real connection."""

import asyncio
import inspect
import itertools
import threading
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx2
import numpy as np
import pytest
from tests.interfaces.rest.serving import Served, serving

from sharpwave import AsyncMemory, InvalidInput, Memory, NotFound, Said, Settings, TaskRun
from sharpwave.client.calls import CALLS, NOT_SERVED
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
from sharpwave.types.asking import Asked
from sharpwave.types.intent import ReadContext
from sharpwave.types.records import Kind
from sharpwave.types.skills import SkillChoice, Trigger

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
    assert {call.method for call in CALLS} | NOT_SERVED == surface(Memory).keys()


def test_the_client_has_the_surface_of_memory(served: Served) -> None:
    with Memory.connect(served.url, "sw_x") as remote:
        assert isinstance(remote, Memory)
        cls = type(remote)
        ours, theirs = surface(Memory), surface(cls)
        assert ours.keys() == theirs.keys()
        for name, signature in ours.items():
            assert list(signature.parameters) == list(theirs[name].parameters), name
        kept = {"open", "connect"}
        assert ours.keys() - vars(cls).keys() == kept, "nothing else would reach for a file"


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
    remote.remember(Said("Water the plants", kind="task", due=WHEN, tags=("home",)))
    remote.remember({"role": "assistant", "content": "Noted."})
    receipt = remote.remember(
        [{"role": "user", "content": "I keep bees."}, Said("And hens.", metadata={"n": 1})],
        idempotency_key="k",
    )
    again = remote.remember(
        ["I keep bees.", Said("And hens.", metadata={"n": 1})], idempotency_key="k"
    )
    assert again.ids == again.replayed == receipt.ids
    with pytest.raises(KeyReused):
        remote.remember("something else", idempotency_key="k:0")
    assert [task.title for task in remote.tasks()] == ["Water the plants"]


@pytest.mark.spec("RD-05")
def test_every_way_to_ask_something(pair: tuple[Memory, Memory]) -> None:
    here, remote = pair
    remote.remember(Said("The key hangs behind the mirror.", tags=("home",)))
    remote.remember(Said("The key lies in the safe.", tags=("shop",)))
    queries: list[Any] = [
        "Where is the key?",
        {"query": "Where is the key?", "tags": ["home"]},
        Asked("Where is the key?", k=1, kinds=["turn"], words=("safe",), until=WHEN_NOT),
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
        ("profile", (), {}),
        ("facts", (), {"subject": "user"}),
        ("at", (WHEN,), {}),
        ("at", (later,), {"known_at": later, "subject": "user"}),
        ("between", (WHEN, later), {"on": "valid"}),
        ("conflicts", (), {}),
        ("tasks", (), {}),
        ("tasks", ("active",), {}),
        ("due_soon", (), {}),
        ("notes", (), {}),
        ("entities", (), {}),
        ("about", ("Ana",), {"at": later}),
        ("related", ("Ana",), {"hops": 2}),
        ("paths", ("user", "Ana"), {"hops": 2}),
        ("trends", (), {}),
        ("shifts", (), {"days": 1000.0}),
        ("predict", ("user", "lives_in", later), {}),
        ("recent", (2,), {}),
        ("behaviors", (), {"everything": True}),
        ("preferences", (), {}),
        ("user_preferences", (), {}),
        ("skills", (), {"archived": True}),
        ("skill", ("concise_response",), {}),
        ("style", (), {}),
        ("trajectories", (), {}),
        ("behavior_metrics", (), {}),
        ("sleep_status", (), {}),
        ("sleep_log", (), {}),
        ("consents", (), {}),
        ("jobs", (), {}),
        ("spending", (WHEN.date(),), {}),
        ("patterns", (), {}),
        ("tools", (), {}),
        ("models", (), {}),
        ("insights", (), {}),
        ("experience_metrics", (), {}),
        ("events", (), {"topics": ["memory.remembered"]}),
    ]
    for name, given, named in same:
        assert getattr(remote, name)(*given, **named) == getattr(here, name)(*given, **named), name
    told = remote.history("user", "lives_in")
    assert told == replace(here.history("user", "lives_in"), at=told.at)
    (fact,) = [one for one in remote.facts() if one.predicate == "lives_in"]
    assert remote.texts([fact.id]) == {fact.id: fact.text}
    assert remote.explain(fact.id) == here.explain(fact.id)
    ended = remote.end_fact(fact.id)
    assert ended.valid_to is not None and fact.id not in [one.id for one in remote.facts()]


def test_long_lists_come_in_pages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(routes, "PAGE_SIZE", 3)
    with serving(tmp_path / "m.db") as served:
        with Memory.connect(served.url, served.key("ana")) as remote:
            remote.remember([Said(f"Task number {n}", kind="task") for n in range(10)])
            assert len(remote.tasks()) == 10
        with served.http(served.key("ana")) as http:
            page = http.get("/v1/tasks").json()
            assert len(page["items"]) == 3
            rest = http.get("/v1/tasks", params={"cursor": page["next"], "page_size": 100}).json()
            assert (len(rest["items"]), rest["next"]) == (7, None)
            assert http.get("/v1/tasks", params={"cursor": "no"}).status_code == 404


def test_part_of_a_list(pair: tuple[Memory, Memory]) -> None:
    here, remote = pair
    remote.remember([Said(f"Task number {n}", kind="task") for n in range(5)])
    whole = here.tasks()
    assert remote.tasks(limit=2, offset=1) == whole[1:3] and remote.tasks(offset=4) == whole[4:]
    assert not remote.conflicts(limit=3) and not remote.pending_behaviors(2, offset=1)


def test_tasks_conflicts_consents_quarantine(pair: tuple[Memory, Memory]) -> None:
    _, remote = pair
    remote.remember(Said("Water the plants", kind="task"))
    (task,) = remote.tasks()
    assert remote.set_task(task.id, "done").status == "done" and remote.tasks() == []
    remote.remember([{"role": "tool", "content": "The weather is bad."}])
    assert remote.quarantine(source="tool").turns == 1
    assert remote.quarantine(source="tool", undo=True).turns == 1
    remote.consent("sensitive", True)
    assert remote.consents()["sensitive"] is True  # type: ignore[index]


def test_experience(pair: tuple[Memory, Memory]) -> None:
    here, remote = pair
    with remote.start_interaction("Make the build green", session="s") as doing:
        doing.interpretation("Fix the test", ["edit", "test"])
        doing.action("edit", "a.py")
        doing.action("test", duration_ms=3.0)
        doing.complete("Great, thanks", success=True)
    assert doing.logged is not None and doing.logged.status == "logged"
    with pytest.raises(NotFound):
        remote.complete_interaction(doing.id)
    assert remote.log_interaction("edit", "a.py", idempotency_key="one").status == "logged"
    assert remote.log_interaction("edit", "a.py", idempotency_key="one").status == "replayed"
    remote.observe([TaskRun("Ship order", plan=("pack", "ship"), success=True)])
    remote.observe({"query": "Ship order", "success": False})
    stored = remote.store_insight("Run the tests first.")
    assert [one.id for one in remote.insights()] == [stored.id]
    assert remote.advise("Ship order", "shipping").query == "Ship order"
    assert remote.detect_patterns(["edit", "test"]) == here.detect_patterns(["edit", "test"])
    assert remote.outcome(stored.id, True).status == "logged"
    assert remote.learn() == here.insights() and remote.relearn() == here.relearn()


def test_behavior(pair: tuple[Memory, Memory]) -> None:
    here, remote = pair
    found = remote.reflect("From now on, always answer in German.")
    assert [one.verdict for one in found.learned] == ["accepted"]
    stored = remote.store_behavior("Use metric units.", "style", scope="project")
    assert {one.rule for one in remote.pending_behaviors()} == {
        *(one.rule for one in here.behaviors())
    }
    assert stored.id is not None and remote.accept_behavior(stored.id).accepted
    edited = remote.edit_behavior(stored.id, "Use metric units only.")
    assert remote.delete_behavior(edited.id).state == "invalidated"
    assert remote.undo_behavior(edited.id) == here.behaviors(scope="project", type="style")[0]
    assert remote.prune_behaviors() == ()
    section = remote.behaviors_section("planner")
    assert "German" in section and section in remote.assemble_prompt("planner", "You plan.", ["Go"])
    assert remote.set_preference("tool", "pytest", 0.9) == remote.preferences("tool")[0]
    taught = remote.learn_from_correction("Run nose.", "Run pytest.", tools=["nose", "pytest"])
    assert taught.id is not None and remote.user_preferences() == here.user_preferences()
    assert remote.reset_learning().behaviors >= 2 and here.behaviors(everything=True) == []


def test_skills_and_feedback(pair: tuple[Memory, Memory]) -> None:
    here, remote = pair
    made = remote.create_skill("haiku", "Answer with a haiku.", trigger=Trigger(intent=("poem",)))
    assert remote.edit_skill("haiku", template="Two haiku.", dimensions={"verbosity": 0.1}) == (
        here.skill("haiku").skill
    )
    assert made.trigger.intent == ("poem",) and remote.archive_skill("haiku").archived
    read = ReadContext("question", "neutral", "morning", None, ())
    choice = remote.select_skill("How do I sort a list?", message_id="m1", context=read)
    assert choice == replace(remote.select_skill("again", message_id="m1"), **_as_chosen(choice))
    assert choice.template in remote.context("Sort a list", skill=choice).text
    chosen = remote.context("Sort a list", skill=True).choice
    assert chosen is not None
    assert remote.feedback(chosen.message_id, 1).skill == chosen.skill.id
    with pytest.raises(InvalidInput, match="ndarray"):
        vector = replace(read, topic=np.zeros(2, np.float32))
        remote.select_skill("And a tree?", context=vector)
    receipt = remote.feedback("m1", 1, free_text="Just right")
    assert receipt.skill == choice.skill.id and receipt.skill_updated
    assert remote.trajectories() == here.trajectories() and remote.learn_behavior().read == 0
    with pytest.raises(InvalidReward):
        remote.feedback("m1", 2)
    with pytest.raises(SkillNotFound):
        remote.feedback("m1", 1, skill="nope")
    assert remote.set_style({"verbosity": 0.2})["verbosity"] == 0.2
    remote.reset_skills()
    assert remote.style() == here.style() and remote.behavior_metrics().ratings == 0
    remote.delete_skill("haiku")


def _as_chosen(choice: SkillChoice) -> dict[str, Any]:
    """What only the first choice knows, not what is asked for again."""
    names = ("candidates", "reason", "ask", "milliseconds", "epsilon")
    return {name: getattr(choice, name) for name in names}


def test_sleeping(pair: tuple[Memory, Memory]) -> None:
    here, remote = pair
    remote.remember("I live in Porto.", at=WHEN)
    assert remote.sleep(dry_run=True).finished_at is not None and remote.sleep_log() == []
    night = remote.sleep(heavy=True)
    assert remote.sleep_log() == here.sleep_log() and remote.sleep_log()[0].run == night.run
    assert remote.undo_sleep(night.run).run == night.run
    with pytest.raises(NotFound):
        remote.undo_sleep("nope")
    with pytest.raises(InvalidInput, match="by itself"):
        remote.run_worker(threading.Event())


def test_moving_out_and_in(served: Served, tmp_path: Path) -> None:
    one, other = next(USERS), next(USERS)
    with Memory.connect(served.url, served.key(one)) as remote:
        remote.remember(["I keep bees.", "My dog is called Pixel."])
        lines = list(remote.export())
        assert len(lines) == 1 + remote.stats().memories
        assert remote.import_(lines).added == 0
    with Memory.connect(served.url, served.key(other)) as remote:
        words = remote.import_(iter(lines))
        assert (words.added, words.left_out) == (2, len(lines) - 3), "its words, as quoted text"
        assert remote.recall("dog").items and not remote.facts()
        with pytest.raises(Forbidden):
            remote.import_(lines, own=True)
        chats = tmp_path / "chats.jsonl"
        chats.write_text('{"role": "user", "content": "I sail."}\n')
        assert remote.import_chats(chats, own=True).added == 1
        with pytest.raises(InvalidInput, match="not a file"):
            remote.import_log(tmp_path)
        with pytest.raises(InvalidInput):
            remote.import_(["nonsense"])
    with Memory.connect(served.url, served.key(next(USERS), "write", "admin", "read")) as remote:
        assert remote.import_(lines, own=True).added == len(lines) - 1
        assert remote.facts(), "everything as it was, for whoever may"


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
    assert here.stats().memories == 0


def test_an_admin(served: Served, tmp_path: Path) -> None:
    user = next(USERS)
    with Memory.connect(served.url, served.key("root", "read", "write", "admin")) as admin:
        named = admin.user(user)
        named.remember("I keep bees.")
        assert named.user_id == user and user in admin.users()
        assert admin.stats(all_users=True).users >= 2 and admin.stats().memories == 0
        assert admin.verify().ok and admin.audit(limit=2)[1].seq == 2
        assert admin.scrub() in (True, False) and admin.work() == 0 and named.reembed() == 0
        assert user in [night.user_id for night in admin.sleep_everyone()]
        assert admin.learn_population() == 0
        admin.backup(tmp_path / "copy.db")
        made = admin.keys.create("made-remotely", user, ["read"])
        with Memory.connect(served.url, made.secret) as reader:
            assert reader.recall("bees").items
            with pytest.raises(Forbidden):
                reader.remember("more")
            with pytest.raises(Forbidden):
                reader.user("root").profile()
        assert "made-remotely" in [key.name for key in admin.keys.all()]
        admin.keys.revoke("made-remotely")
    settings = Settings.model_validate({"embedder": {"provider": "hash"}})
    with Memory.open(tmp_path / "copy.db", user=user, settings=settings) as copy:
        assert copy.recall("bees").items


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
        remote.profile()
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
    assert served.memory.user(user).stats().by_kind["turn"] == 1
    with flaky(served, key, 2) as remote:
        remote.observe({"query": "Ship order", "success": True})
        assert remote.stats().by_kind["observation"] == 1, "done once, though asked three times"
    with flaky(served, key, 3) as remote, pytest.raises(ProviderUnavailable, match="cannot be"):
        remote.profile()
