"""A memory moves from its file to PostgreSQL whole, or not at all."""

from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest
from tests.storage.postgres import server
from typer.testing import CliRunner

from sharpwave import InvalidInput, Memory, Settings, upkeep
from sharpwave.errors import StoreDamaged
from sharpwave.interfaces.cli.app import app
from sharpwave.storage.postgres.moving import TABLES
from sharpwave.testing import FrozenClock, HashEmbedder, resources_of


@pytest.fixture
def address() -> Iterator[str]:
    made = server.new_database()
    yield made
    server.drop_database(made)


def opened(place: str | Path, user: str = "ana") -> Memory:
    return Memory.open(place, user=user, clock=FrozenClock(), embedder=HashEmbedder(32))


def lived_in(path: Path) -> None:
    """A file in which everything happened that leaves something behind."""
    with opened(path) as memory:
        memory.remember("I live in Porto. Always use tabs. Remind me to call Ana.", session="talk")
        memory.remember("I moved to Braga.", session="talk")
        (gone,) = memory.remember("The code is marigold.").ids[:1]
        memory.forget(gone)
        memory.agents.log("build", "app.py", session="work")
        memory.feedback(memory.skills.select("Where do I live?").message_id, 1)
        memory.admin.consent("egress", False)
        memory.admin.keys.create("laptop", "ana", ["read"])
        memory.sleep(heavy=True)
        bob = memory.user("bob")
        bob.remember("I am only passing through.")
        bob.admin.consent("memory", False)
        bob.forget(everything=True)
        memory.user("carol").remember("I live in Faro.")


def everything(memory: Memory) -> list[object]:
    """All that can be seen of a memory, whichever store it is in."""
    return [
        memory.admin.users(),
        list(memory.export()),
        list(memory.user("carol").export()),
        memory.facts.list(),
        memory.behavior.rules(),
        memory.agents.tools(),
        memory.admin.consents(),
        memory.user("bob").admin.consents(),
        memory.admin.keys.all(),
        [entry.digest for entry in resources_of(memory).store.audit()],
        resources_of(memory).store.events(0, 999),
        resources_of(memory).store.for_user("ana").head(),
    ]


def test_everything_moves_and_lives_on(tmp_path: Path, address: str) -> None:
    path = tmp_path / "m.db"
    lived_in(path)
    done = CliRunner().invoke(app, ["migrate-store", str(path), address])
    assert done.exit_code == 0, done.output
    with opened(path) as before, opened(address) as after:
        assert everything(before) == everything(after)
        asked = "Where do I live?"
        told = [[item.text for item in one.recall(asked).items] for one in (before, after)]
        assert told[0] == told[1] and "Braga" in told[0][0]
        after.remember("My dog is called Rex.", session="talk")
        after.user("dave").remember("I am new here.")
        assert after.admin.verify().ok and after.admin.users() == ["ana", "carol", "dave"]
    assert "marigold" not in done.output
    again = CliRunner().invoke(app, ["migrate-store", str(path), address])
    assert again.exit_code and isinstance(again.exception, InvalidInput | SystemExit)


def test_everything_moves_back(tmp_path: Path, address: str) -> None:
    first, back = tmp_path / "m.db", tmp_path / "back.db"
    lived_in(first)
    runner = CliRunner()
    for places in ([f"sqlite:{first}", address], [address, str(back)]):
        done = runner.invoke(app, ["migrate-store", *places])
        assert done.exit_code == 0, done.output
    with opened(first) as before, opened(f"sqlite://{back}") as after:
        assert everything(before) == everything(after)
        after.remember("My dog is called Rex.", session="talk")
        after.user("dave").remember("I am new here.")
        assert after.admin.verify().ok and after.admin.users() == ["ana", "carol", "dave"]
    again = runner.invoke(app, ["migrate-store", address, str(back)])
    assert again.exit_code, "a file that is there stays as it is"
    assert runner.invoke(app, ["migrate-store", str(first), str(back)]).exit_code


def test_a_backup_is_a_file_that_can_be_restored(tmp_path: Path, address: str) -> None:
    copy = tmp_path / "copy.db"
    with opened(address) as memory:
        memory.remember("I live in Porto.")
        memory.admin.backup(copy)
        kept = everything(memory)
        memory.remember("I moved to Braga.")
        assert memory.admin.verify().ok
    runner = CliRunner()
    checked = runner.invoke(app, ["doctor", "--db", address])
    assert checked.exit_code == 0 and "nothing is wrong" in checked.output
    assert runner.invoke(app, ["restore", str(copy), "--db", address]).exit_code, "it is not empty"
    fresh = server.new_database()
    try:
        done = runner.invoke(app, ["restore", str(copy), "--db", fresh])
        assert done.exit_code == 0, done.output
        with opened(fresh) as memory:
            assert everything(memory) == kept
    finally:
        server.drop_database(fresh)


def test_every_table_of_the_file_moves(tmp_path: Path) -> None:
    opened(tmp_path / "m.db").close()
    with apsw.Connection(str(tmp_path / "m.db")) as db:
        listed = db.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall()
    names = {str(name) for (name,) in listed if not str(name).startswith("sqlite_")}
    assert names == {*TABLES, "meta", "snapshots"}, "notes go by name, snapshots are made anew"


def test_a_damaged_file_moves_nothing(tmp_path: Path, address: str) -> None:
    path = tmp_path / "m.db"
    lived_in(path)
    with apsw.Connection(str(path)) as db:
        db.execute("UPDATE memories SET text = 'something else' WHERE kind = 'turn'")
    done = CliRunner().invoke(app, ["migrate-store", str(path), address])
    assert done.exit_code and isinstance(done.exception, StoreDamaged | SystemExit)
    with opened(address) as memory:
        assert memory.admin.users() == []


def test_a_database_with_only_a_key_is_not_empty(tmp_path: Path, address: str) -> None:
    lived_in(tmp_path / "m.db")
    with opened(address) as memory:
        memory.admin.keys.create("server", "ana", ["read"])
    with pytest.raises(InvalidInput, match="move to an empty one"):
        upkeep.move(upkeep.at_place(Settings(), tmp_path / "m.db"), address)
