"""Partition the large tables of a PostgreSQL memory by user, while nobody else uses it.

    python scripts/partition_postgres.py postgresql://role@host/database [--parts 16]

Every key of these tables begins with `user_no`, so that nothing else changes: the same statements
and the same row-level security. Rows, keys, indexes, foreign keys, policies and the settings of the
planner's samples are carried over in one transaction; it is done wholly or not at all. `jobs` and
`outbox` stay whole, since their numbers are one row of numbers for all users, and so does the
catalog, in which every large user has a graph of their own.
"""

import argparse
from typing import Any, NamedTuple

import psycopg

TABLES = ("memories", "vectors", "evidence", "mentions", "tombstones", "tallies")
_FOREIGN = """SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid)
FROM pg_constraint
WHERE contype = 'f' AND (conrelid::regclass::text = ANY (%(tables)s)
                         OR confrelid::regclass::text = ANY (%(tables)s))"""
_INDEXES = """SELECT c.relname, pg_get_indexdef(i.indexrelid), k.conname,
       pg_get_constraintdef(k.oid)
FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
LEFT JOIN pg_constraint k ON k.conindid = i.indexrelid AND k.contype IN ('p', 'u')
WHERE i.indrelid = %(table)s::regclass"""
_POLICY = "SELECT policyname, qual FROM pg_policies WHERE tablename = %(table)s"
_UNSAMPLED = """SELECT attname FROM pg_attribute
WHERE attrelid = %(table)s::regclass AND attnum > 0 AND attstattarget = 0"""
_IS_WHOLE = "SELECT relkind = 'r' FROM pg_class WHERE oid = %(table)s::regclass"


class _Made(NamedTuple):
    """What a table is made of besides its columns."""

    indexes: list[Any]
    policies: list[Any]
    unsampled: list[Any]


def partition(address: str, parts: int) -> list[str]:
    """Partition every table that is not yet; returns their names."""
    with psycopg.connect(address) as db:  # one transaction
        db.execute("SELECT set_config('sharpwave.everyone', 'on', true)")
        chosen = [name for name in TABLES if _is_whole(db, name)]
        if not chosen:
            return []
        db.execute(f"LOCK TABLE users, {', '.join(chosen)} IN ACCESS EXCLUSIVE MODE")
        foreign = db.execute(_FOREIGN, {"tables": chosen}).fetchall()
        for table, name, _ in foreign:
            db.execute(f"ALTER TABLE {table} DROP CONSTRAINT {name}")
        for table in chosen:
            _partition_one(db, table, parts)
        for table, name, definition in foreign:
            db.execute(f"ALTER TABLE {table} ADD CONSTRAINT {name} {definition}")
    return chosen


def _is_whole(db: Any, table: str) -> bool:
    return bool(db.execute(_IS_WHOLE, {"table": table}).fetchone()[0])


def _partition_one(db: Any, table: str, parts: int) -> None:
    made = _Made(
        *(db.execute(q, {"table": table}).fetchall() for q in (_INDEXES, _POLICY, _UNSAMPLED))
    )
    for name, _, constraint, _ in made.indexes:
        kind = "CONSTRAINT" if constraint else "INDEX"
        if constraint:
            db.execute(f"ALTER TABLE {table} DROP {kind} {constraint}")
        else:
            db.execute(f"DROP INDEX {name}")
    db.execute(f"ALTER TABLE {table} RENAME TO {table}_whole")
    how = "INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING STORAGE INCLUDING COMMENTS"
    db.execute(f"CREATE TABLE {table} (LIKE {table}_whole {how}) PARTITION BY HASH (user_no)")
    for part in range(parts):
        db.execute(
            f"CREATE TABLE {table}_{part} PARTITION OF {table} "
            f"FOR VALUES WITH (MODULUS {parts}, REMAINDER {part})"
        )
    db.execute(f"INSERT INTO {table} SELECT * FROM {table}_whole")
    db.execute(f"DROP TABLE {table}_whole")
    for _, definition, constraint, rule in made.indexes:
        db.execute(
            f"ALTER TABLE {table} ADD CONSTRAINT {constraint} {rule}" if constraint else definition
        )
    for one in (table, *(f"{table}_{part}" for part in range(parts))):
        for (column,) in made.unsampled:
            db.execute(f"ALTER TABLE {one} ALTER COLUMN {column} SET STATISTICS 0")
        for name, rule in made.policies:
            db.execute(f"ALTER TABLE {one} ENABLE ROW LEVEL SECURITY")
            db.execute(f"ALTER TABLE {one} FORCE ROW LEVEL SECURITY")
            db.execute(f"CREATE POLICY {name} ON {one} USING ({rule})")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("address")
    parser.add_argument("--parts", type=int, default=16)
    given = parser.parse_args()
    done = partition(given.address, given.parts)
    print(f"partitioned: {', '.join(done)}" if done else "partitioned already")


if __name__ == "__main__":
    main()
