"""That the SQLite file answers by its indexes: what one user asks never reads the file through."""

import asyncio
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path

import apsw
import pytest

from sharpwave import AsyncMemory, Kind, Memory, Settings
from sharpwave.storage.sqlite.connection import SQL
from sharpwave.storage.sqlite.database import READERS, SqliteDatabase
from sharpwave.storage.sqlite.store import SqliteStore
from sharpwave.testing import FrozenClock, HashEmbedder, resources_of

# Statements that are about the whole file, or about a table that is small by nature.
WHOLE_FILE = set(
    """users users_with all_spaces last_audit audit count_users all_memories all_vectors
    all_tombstones all_withdrawals all_erased_users all_heads all_user_numbers counters
    raise_counter add_counter count_memories all_derived tallied count_spaces drop_orphan_vectors
    api_keys keys_to_carry""".split()
)
VARIABLE = re.compile(r":(\w+)")


def opened(folder: Path, **settings: object) -> Memory:
    chosen = Settings.model_validate(settings)
    return Memory.open(
        folder / "m.db", settings=chosen, clock=FrozenClock(), embedder=HashEmbedder(32)
    )


def scanned(db: apsw.Connection, statement: str) -> list[str]:
    """The tables, by the names the statement gives them, that it reads from end to end."""
    names = set(VARIABLE.findall(statement))
    given = dict.fromkeys(names) if names else None
    plan = db.execute(f"EXPLAIN QUERY PLAN {statement}", given).fetchall()
    steps = [str(row[3]) for row in plan]
    return [
        step.split()[1]
        for step in steps
        if step.startswith("SCAN ") and not re.search(r"VIRTUAL|\(subquery|CONSTANT", step)
    ]


@pytest.mark.spec("STO-10")
def test_no_statement_about_one_user_reads_a_table_through(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        memory.remember("I live in Porto.")
        db = apsw.Connection(str(tmp_path / "m.db"))
        plain = {name: text for name, text in SQL.items() if "?" not in text}
        found = {name for name, text in plain.items() if scanned(db, text)}
        assert found <= WHOLE_FILE, found - WHOLE_FILE
        assert len(plain) > 100
        control = "SELECT id FROM memories WHERE text = :text"
        assert scanned(db, control) == ["memories"], "the control: this one would be found"
        db.close()


def test_turns_are_found_by_the_beginning_of_a_name_by_an_index(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        memory.remember("I live in Porto.", session="file:/a")
    db = apsw.Connection(str(tmp_path / "m.db"))
    statement = f"EXPLAIN QUERY PLAN {SQL['latest_within']}"
    plan = " ".join(str(row[3]) for row in db.execute(statement, dict.fromkeys(WITHIN)))
    db.close()
    assert "memories_session (user_no=? AND session_id>? AND session_id<?" in plan, plan


WITHIN = ("user_no", "first", "last", "end", "limit")


def readers_of(memory: Memory) -> SqliteDatabase:
    """The connections of an open file that read."""
    store = resources_of(memory).store
    assert isinstance(store, SqliteStore)
    return store.readers


def steps_of(memory: Memory, call: Callable[[], object]) -> int:
    """How many steps SQLite took in its reading connections while a call ran."""
    taken = 0

    def note(event: dict[str, object]) -> None:
        nonlocal taken
        status = event["stmt_status"]
        assert isinstance(status, dict)
        taken += status["SQLITE_STMTSTATUS_VM_STEP"]

    readers = readers_of(memory)
    with readers.borrow() as db:
        db.trace_v2(apsw.SQLITE_TRACE_PROFILE, note)
    try:
        call()
    finally:
        with readers.borrow() as db:
            db.trace_v2(0, None)
    return taken


LOOKUPS: dict[str, Callable[[Memory], object]] = {
    "the last turns of a session": lambda memory: memory.admin.recent(5, session="talk"),
    "the turns of sessions that are named alike": lambda memory: memory.admin.recent(
        5, within="ta"
    ),
    "facts by subject and predicate": lambda memory: memory.facts.list(predicate="lives_in"),
    "preferences by category": lambda memory: memory.behavior.preferences("editor"),
    "rules": lambda memory: memory.behavior.rules(),
    "tools": lambda memory: memory.agents.tools(),
    "tasks": lambda memory: memory.tasks.list(),
    "a choice that was made": lambda memory: memory.skills.select("Hello", message_id="once"),
}


@pytest.mark.spec("STO-10")
def test_what_a_lookup_costs_does_not_grow_with_everything_else(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        memory.remember("I live in Porto. Remind me to call Ana.", session="talk")
        memory.remember("Always use tabs.", session="talk")
        memory.behavior.set_preference("editor", "indent", 4)
        memory.agents.log("build", "app.py", session="work")
        memory.skills.select("Hello", message_id="once")

        def costs() -> dict[str, int]:
            for look in LOOKUPS.values():
                look(memory)  # what is read once and kept is no part of it
            return {name: steps_of(memory, partial(look, memory)) for name, look in LOOKUPS.items()}

        before = costs()
        noise = [f"What is {n} times {n}?" for n in range(400)]
        memory.remember(noise, session="noise")
        memory.user("other").remember(noise, session="talk")
        after = costs()
        assert all(before.values()), "something is looked up"
        assert {name: after[name] for name in LOOKUPS if after[name] > 2 * before[name]} == {}


@pytest.mark.spec("STO-10")
def test_statements_are_prepared_once_and_many_records_are_one_transaction(
    tmp_path: Path,
) -> None:
    with opened(tmp_path) as memory:
        ids = memory.remember([f"Parcel {n} came." for n in range(50)]).ids
        assert len(ids) == 50
        assert [entry.action for entry in memory.admin.audit()].count("remember") == 1
        memory.explain(ids[0])
        readers = readers_of(memory)
        with readers.borrow() as db:
            before = db.cache_stats()
        for id_ in ids[1:20]:
            memory.explain(id_)
        with readers.borrow() as db:
            after = db.cache_stats()
        assert after["misses"] == before["misses"] and after["hits"] >= before["hits"] + 19


@pytest.mark.spec("STO-01")
def test_a_file_is_shared_by_many_who_wait_for_it_with_five_connections(tmp_path: Path) -> None:
    count = 0

    async def talk() -> None:
        nonlocal count
        async with await AsyncMemory.open(tmp_path / "m.db", embedder=HashEmbedder(32)) as memory:
            told = (memory.remember(f"Parcel {n} came.") for n in range(40))
            asked = (memory.recall(f"Parcel {n}?") for n in range(40))
            await asyncio.gather(*told, *asked)
            file = str(tmp_path / "m.db")
            count = sum(each.filename == file for each in apsw.connections())

    asyncio.run(talk())
    assert READERS + 1 == 5, "some that read, and one that writes"
    assert 2 <= count <= 5
    with opened(tmp_path) as again:
        assert again.admin.stats().by_kind["turn"] == 40


@pytest.mark.spec("STO-13")
def test_what_was_learned_of_people_and_of_work_lies_in_one_table(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        memory.remember("Always use tabs.")
        for n in range(6):
            with memory.agents.start("deploy the app", session=f"s{n}") as work:
                for tool in ("build", "test", "push"):
                    work.action(tool, success=True)
        memory.agents.generate_insights()
        db = apsw.Connection(str(tmp_path / "m.db"))
        kinds = {kind for (kind,) in db.execute("SELECT DISTINCT kind FROM memories")}
        db.close()
        assert {Kind.BEHAVIOR, Kind.PATTERN, Kind.TOOL_RECORD} <= kinds
        assert memory.behavior.rules()[0].frequency == 1
