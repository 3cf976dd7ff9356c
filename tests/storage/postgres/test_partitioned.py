"""Tables that are partitioned by user are the same memory."""

import psycopg
from scripts.partition_postgres import TABLES, partition
from tests.storage.contract import contract

from sharpwave import Memory
from sharpwave.settings.storage import PostgresSettings, StoreSettings
from sharpwave.storage.postgres.store import PostgresStore
from sharpwave.testing import FrozenClock, HashEmbedder

EACH_NTH = 4
"""Of the promises of a store, tried here too."""


def opened(address: str, user: str = "ana") -> Memory:
    return Memory.open(address, user=user, clock=FrozenClock(), embedder=HashEmbedder(32))


def test_a_memory_lives_on_in_partitions(database: str) -> None:
    with opened(database) as memory:
        memory.remember("I live in Porto. Always use tabs.")
        memory.user("bob").remember("I live in Faro.")
        before = list(memory.export())
    assert partition(database, 4) == list(TABLES)
    assert partition(database, 4) == [], "once is enough"
    with opened(database) as memory:
        assert list(memory.export()) == before
        memory.remember("I moved to Braga.")
        assert "Braga" in memory.recall("Where do I live?").items[0].text
        assert "Faro" not in repr(memory.recall("Where do I live?").items)
        assert memory.user("bob").forget(everything=True).memories
        assert memory.admin.scrub() and memory.admin.verify().ok
    with psycopg.connect(database) as db:
        apart = db.execute(
            "SELECT count(*) FROM pg_class WHERE relkind IN ('r', 'p') AND relname ^@ 'memories'"
            " AND relrowsecurity AND relforcerowsecurity"
        ).fetchone()
        samples = db.execute(
            "SELECT attstattarget FROM pg_attribute"
            " WHERE attrelid = 'memories_0'::regclass AND attname = 'text'"
        ).fetchone()
    assert apart == (5,) and samples == (0,)


def test_the_contract_holds_in_partitions(database: str) -> None:
    store = PostgresStore(database, PostgresSettings(), StoreSettings())
    store.close()
    partition(database, 4)
    for check in contract()[::EACH_NTH]:
        if "close" in check.__name__:
            continue
        with psycopg.connect(database, autocommit=True) as db:
            db.execute("TRUNCATE users CASCADE")
            db.execute("TRUNCATE outbox, audit, tombstones, erased_users, spaces CASCADE")
            db.execute("UPDATE counters SET value = 0")
            db.execute("UPDATE audit_head SET seq = 0, digest = decode(repeat('00', 32), 'hex')")
        store = PostgresStore(database, PostgresSettings(), StoreSettings())
        check(store)
        store.close()
