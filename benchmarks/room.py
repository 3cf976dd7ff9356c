"""How much room memories take in PostgreSQL, table by table, with their indexes.

    python -m benchmarks.room [--users 100] [--memories 100] [--large 5000]

With the embedder of the package. `--large` is the number of memories of one more user, whose recall
index is saved as a snapshot. Each user sleeps once, as it would be.
"""

import argparse
from itertools import islice

import psycopg

from benchmarks.machine import describe
from benchmarks.serve import sentences
from sharpwave import Memory

_SIZES = """SELECT c.relname,
    pg_relation_size(c.oid) + coalesce(pg_relation_size(c.reltoastrelid), 0),
    pg_indexes_size(c.oid), pg_total_relation_size(c.oid)
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = 'public' AND c.relkind = 'r' ORDER BY 4 DESC"""
BATCH = 100


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--users", type=int, default=100)
    parser.add_argument("--memories", type=int, default=100)
    parser.add_argument("--large", type=int, default=5000)
    asked = parser.parse_args()
    print("\n".join(f"{name}: {value}" for name, value in describe().items()))
    from tests.storage.postgres import server

    url = server.new_database()
    texts = sentences(seed=1)
    with Memory.open(url) as memory:
        for number in range(asked.users):
            one = memory.user(f"user-{number}")
            one.remember(list(islice(texts, asked.memories)), session="talk")
        _show(url, "as written")
        memory.admin.sleep_all()
    _show(url, "after a night")
    with Memory.open(url, user="large") as memory:
        for _ in range(0, asked.large, BATCH):
            memory.remember(list(islice(texts, BATCH)), session="talk")
        memory.recall("What did my sister buy in Porto?")
    with psycopg.connect(url) as db:
        db.execute("SELECT set_config('sharpwave.everyone', 'on', true)")
        records = db.execute("SELECT count(*) FROM memories JOIN users USING (user_no)"
                             " WHERE user_id = 'large'").fetchone()  # fmt: skip
        saved = db.execute("SELECT sum(length(data)) FROM snapshots").fetchone()
    if records and saved and saved[0]:
        print(f"snapshot of {records[0]} records: {saved[0] / records[0]:.0f} bytes each")
    server.drop_database(url)


def _show(url: str, when: str) -> None:
    with psycopg.connect(url, autocommit=True) as db:
        db.execute("VACUUM ANALYZE")
        db.execute("SELECT set_config('sharpwave.everyone', 'on', false)")
        counts = {
            str(kind): int(count)
            for kind, count in db.execute("SELECT kind, count(*) FROM memories GROUP BY kind")
        }
        said, records = counts.get("turn", 0), sum(counts.values())
        sizes = db.execute(_SIZES).fetchall()
    print(f"{when}: {said} things said, {records} records {counts}; bytes for each thing said:")
    for name, heap, indexes, total in sizes:
        if total > said:
            print(f"  {name:12} {heap / said:8.0f} rows {indexes / said:8.0f} indexes"
                  f" {total / said:8.0f} in all")  # fmt: skip
    print(f"  {'all tables':12} {sum(row[3] for row in sizes) / said:34.0f} in all", flush=True)


if __name__ == "__main__":
    main()
