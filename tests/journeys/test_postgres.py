"""A memory on PostgreSQL lives as one in a file does, and is one for all who open it."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.storage.postgres import server
from tests.waiting import eventually

from sharpwave import InvalidSettings, Memory, Settings, load_settings, upkeep, worker
from sharpwave.errors import StoreClosed, UnsafeStore
from sharpwave.llm.prompts.conversation import ConversationOutput
from sharpwave.testing import FrozenClock, HashEmbedder, ScriptedLLM, worker_of
from sharpwave.types.working import JobState

TELL = """
import sys
from sharpwave import Memory
from sharpwave.testing import HashEmbedder
with Memory.open(sys.argv[1], user="ana", embedder=HashEmbedder(32)) as memory:
    memory.remember(sys.argv[2])
    print([item.text for item in memory.recall(sys.argv[3]).items])
"""


@pytest.fixture(scope="module")
def kept() -> Iterator[str]:
    address = server.new_database()
    yield address
    server.drop_database(address)


@pytest.fixture
def address(kept: str) -> str:
    Memory.open(kept, clock=FrozenClock(), embedder=HashEmbedder(32)).close()
    server.empty_database(kept)
    return kept


def opened(address: str, user: str = "ana") -> Memory:
    return Memory.open(address, user=user, clock=FrozenClock(), embedder=HashEmbedder(32))


def test_what_was_said_is_recalled_changed_and_forgotten(address: str) -> None:
    with opened(address) as memory:
        memory.remember("I live in Porto. Always use tabs.", session="talk")
        memory.remember("I moved to Braga.", session="talk")
        assert "Braga" in memory.recall("Where do I live?").items[0].text
        assert [fact.object for fact in memory.facts.list(predicate="lives_in")] == ["Braga"]
        assert len(memory.behavior.rules()) == 1
        memory.agents.log("build", "app.py", session="work")
        choice = memory.skills.select("Where do I live?")
        memory.feedback(choice.message_id, 1)
        memory.sleep(heavy=True)
        assert memory.admin.verify().ok
    with opened(address) as memory:
        assert "Braga" in memory.recall("Where do I live?").items[0].text
        forgotten = memory.forget(everything=True)
        assert forgotten.users == 1 and not forgotten.traces_cleared
        assert memory.recall("Where do I live?").items == ()
        assert memory.admin.scrub() and not memory.admin.verify().traces_left


def test_users_are_apart(address: str) -> None:
    with opened(address) as memory:
        memory.remember("The code of the safe is marigold.")
        bob = memory.user("bob")
        bob.remember("The code of the garage is tulip.")
        assert "marigold" not in repr(bob.recall("What is the code of the safe?").items)
        assert memory.admin.users() == ["ana", "bob"]
        assert bob.forget(everything=True).memories
        assert "marigold" in repr(memory.recall("What is the code of the safe?").items)


def test_processes_see_each_other_at_once(address: str) -> None:
    with opened(address) as memory:
        memory.remember("My sister is called Inês.")
        told = subprocess.run(
            [sys.executable, "-c", TELL, address, "My dog is called Rex.", "sister"],
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
        )
        assert "Inês" in told.stdout
        assert "Rex" in memory.recall("What is my dog called?").items[0].text


def test_a_worker_elsewhere_hears_of_a_job_at_once(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker, "POLL_S", 3600)
    nothing = ConversationOutput()

    def host() -> Memory:
        llm = ScriptedLLM(lambda asked: nothing)
        at_once = Settings.model_validate(
            {"postgres": {"url": address}, "remember": {"read_after_turns": 1}}
        )
        return Memory.open(settings=at_once, user="ana", embedder=HashEmbedder(32), llm=llm)

    with host() as one, host() as two:
        worker_of(two).wake()  # as `sharpwave worker` does; there is nothing yet
        with worker_of(one).paused():  # so that it is another that does it
            one.remember("Guess what, the folks at Acme took me on!")
            found = eventually(lambda: all(job.state is JobState.DONE for job in one.admin.jobs()))
            assert one.admin.jobs() and found


def test_what_only_works_on_a_file_says_so(address: str, tmp_path: Path) -> None:
    with opened(address) as memory:
        pass
    with pytest.raises(InvalidSettings, match="the server's tools"):
        upkeep.recover(Settings.model_validate({"postgres": {"url": address}}), tmp_path / "new")
    with pytest.raises(StoreClosed):
        memory.remember("Too late.")
    both = {"path": tmp_path / "m.db", "postgres": {"url": address}}
    with pytest.raises(InvalidSettings, match=r"path or postgres\.url"):
        Memory.open(settings=Settings.model_validate(both))
    keyed = {"encryption": {"passphrase": "open!"}, "postgres": {"url": address}}
    with pytest.raises(InvalidSettings, match="no encryption key"):
        Memory.open(settings=Settings.model_validate(keyed))


def test_the_environment_names_a_database(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHARPWAVE_POSTGRES__URL", address)
    chosen = load_settings(user="ana", embedder={"provider": "hash"})
    with Memory.open(settings=chosen) as memory:
        memory.remember("I live in Porto.")
    with opened(address) as memory:
        assert memory.admin.stats().memories
    assert address not in repr(load_settings())


def test_a_role_that_sees_everything_is_refused(address: str) -> None:
    admin = server._admin()
    name = address.rpartition("/")[2].partition("?")[0]
    above = admin.replace("/postgres?", f"/{name}?")
    with pytest.raises(UnsafeStore, match="row-level security"):
        opened(above)
