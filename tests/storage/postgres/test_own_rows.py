"""That users are kept apart by the database itself, below every statement of ours.  [M1]"""

import re
from typing import Any

import psycopg
import pytest
from tests.storage.contract import add, example

from sharpwave.settings.storage import PostgresSettings, StoreSettings
from sharpwave.storage.postgres.session import ABOUT_ALL_USERS, SQL, PostgresSession
from sharpwave.storage.postgres.store import PostgresStore

# Tables that hold nothing anybody said or did: the directory of names, notes of the store itself.
OF_THE_STORE = set(
    """meta counters users spaces erased_users erased_keys audit audit_head api_keys
    migrations""".split()
)
# Statements that touch only those.
ABOUT_THE_STORE = set(
    """user lock_user add_user space all_spaces add_space add_erased_user add_erased_key erased_key
    drop_erased_keys last_audit add_audit audit
    audit_before meta noted_copies put_meta drop_meta add_api_key api_key api_keys
    revoke_api_key use_api_key""".split()
)
SEES_EVERYBODY = "SELECT set_config('sharpwave.everyone', 'on', true)"


def opened(address: str) -> PostgresStore:
    return PostgresStore(address, PostgresSettings(), StoreSettings())


@pytest.fixture
def two_users(emptied: str) -> str:
    store = opened(emptied)
    add(store, example(1), example(2))
    add(store, example(1, "bob"))
    store.close()
    return emptied


def tables(db: psycopg.Connection) -> dict[str, tuple[bool, bool, str]]:
    """Each table: whether row-level security is on, and forced, and the first column of its key."""
    found = db.execute(
        """SELECT c.relname, c.relrowsecurity, c.relforcerowsecurity, a.attname
        FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
        LEFT JOIN pg_constraint k ON k.conrelid = c.oid AND k.contype = 'p'
        LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.conkey[1]
        WHERE n.nspname = 'public' AND c.relkind = 'r'"""
    )
    return {name: (on, forced, first) for name, on, forced, first in found}


def test_every_table_of_users_leads_with_the_user_and_has_a_policy(emptied: str) -> None:
    with psycopg.connect(emptied) as db:
        found = tables(db)
        assert set(found) >= OF_THE_STORE
        of_users = set(found) - OF_THE_STORE
        assert {found[name] for name in of_users} == {(True, True, "user_no")}
        policies = db.execute("SELECT tablename, cmd, qual FROM pg_policies").fetchall()
        assert {name for name, _, _ in policies} == of_users
        assert all(cmd == "ALL" and "sharpwave.user_no" in qual for _, cmd, qual in policies)


def test_every_index_of_users_leads_with_the_user(emptied: str) -> None:
    with psycopg.connect(emptied) as db:
        found = db.execute("SELECT indexname, tablename, indexdef FROM pg_indexes").fetchall()
    across = {"jobs_due", "jobs_job_no_key", "outbox_seq_key"}  # numbers that all users share
    ours = {name: text for name, table, text in found if not table.startswith("pg_")}
    kept = {name for name, text in ours.items() if "(user_no" in text}
    of_the_store = {name for name, table, _ in found if table in OF_THE_STORE}
    assert set(ours) - kept - of_the_store == across


def test_every_statement_about_a_user_names_the_user() -> None:
    named = {name for name, text in SQL.items() if re.search(r"%\(user_(no|id)\)s", text)}
    assert named >= SQL.keys() - ABOUT_ALL_USERS - ABOUT_THE_STORE
    assert SQL.keys() >= ABOUT_ALL_USERS | ABOUT_THE_STORE, "the lists name what there is"
    touched = re.compile(r"\b(FROM|JOIN|INTO|UPDATE) ([a-z_]+)")
    for name in ABOUT_THE_STORE:
        assert {table for _, table in touched.findall(SQL[name])} <= OF_THE_STORE | {"next"}, name


def counted(db: psycopg.Connection, table: str) -> Any:
    """What a statement sees that forgot to say whose rows it is about."""
    return db.execute(f"SELECT count(*) FROM {table}").fetchone()


def test_a_statement_that_forgets_the_user_sees_no_other(two_users: str) -> None:
    with psycopg.connect(two_users) as db:
        session = PostgresSession(db)
        assert counted(db, "memories") == (0,), "nobody was asked for"
        session.row("user", {"user_id": "bob"})
        assert [counted(db, name) for name in ("memories", "vectors", "outbox")] == [(1,)] * 3
        session.row("user", {"user_id": "alice"})
        assert counted(db, "memories") == (2,)
        assert db.execute("UPDATE memories SET text = 'x'").rowcount == 2
        assert db.execute("DELETE FROM vectors").rowcount == 2
        with pytest.raises(psycopg.errors.InsufficientPrivilege), db.transaction():
            db.execute("INSERT INTO tombstones VALUES (2, 1, 1, 'of bob', 0)")
        db.rollback()
        assert counted(db, "memories") == (0,), "it ends with the transaction"
        db.execute(SEES_EVERYBODY)
        assert counted(db, "memories") == (3,), "the control: they are there"


def test_what_is_about_everybody_opens_no_door_for_what_follows(two_users: str) -> None:
    with psycopg.connect(two_users) as db:
        session = PostgresSession(db)
        assert [user for (user,) in session.rows("users", {})] == ["alice", "bob"]
        assert len(list(session.readable("all_memories", {}))) == 3
        assert counted(db, "memories") == (0,)
        bound = {"user_no": 2}
        assert session.rows("count_kinds", bound) == [], "a bound user is one that was asked for"


def test_samples_of_the_planner_hold_no_words(two_users: str) -> None:
    with psycopg.connect(two_users, autocommit=True) as db:
        db.execute("ANALYZE")
        found = db.execute(
            "SELECT tablename, attname, most_common_vals::text, histogram_bounds::text"
            " FROM pg_stats WHERE schemaname = 'public'"
        ).fetchall()
        words = [row for row in found if re.search("Text|café|id-1|alice|bob|Ana", repr(row[2:]))]
        assert not words


def test_turns_are_found_by_the_beginning_of_a_name_by_an_index(two_users: str) -> None:
    """Behind the policy too, which lets an index compare only what tells nobody anything."""
    with psycopg.connect(two_users) as db:
        (user_no, *_) = db.execute(SQL["user"], {"user_id": "alice"}).fetchone() or (0,)
        db.execute("SET LOCAL enable_seqscan = off")
        asked = {"user_no": user_no, "first": "a", "last": "b", "end": 1 << 62, "limit": 5}
        found = db.execute(f"EXPLAIN {SQL['latest_within']}", asked)
        plan = "\n".join(str(row[0]) for row in found)
        how = r"memories_session[^\n]*\n[^\n]*Index Cond:[^\n]*session_id >= "
        assert re.search(how, plan), plan
