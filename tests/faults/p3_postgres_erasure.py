"""P3: what is forgotten on PostgreSQL is in no dump at once, and in no file after a scrub.

As P1, with a user whose records are in the catalog too (words, vectors and their graph). The files
of the server are searched but for its write-ahead log, which is the server's to recycle.
Control: without the scrub the files still hold it.
"""

import random
import subprocess
from pathlib import Path
from unittest import mock

import psycopg
from tests.faults.harness import Figures, Options, Result, judged
from tests.faults.p1_erasure import CANARY, NEEDLES, MarkedEmbedder, _at_once, _hashes, _plant
from tests.storage.postgres.own_server import OwnServer, own_server
from tests.storage.postgres.server import require_graphs

from sharpwave import Memory, Settings
from sharpwave.index import large_index
from sharpwave.storage.postgres import catalog
from sharpwave.testing import workspace_of

NAME = "p3_postgres_erasure"
FAULTS = ("in_the_dump", "text_left", "vector_left", "others_changed", "not_catalogued")


def run(options: Options) -> Result:
    count = 1000 if options.long else 40
    figures, control = _campaign(options.seed, count)
    return judged(NAME, options, figures, FAULTS, control, ("text_left", "vector_left"))


def _campaign(seed: int, count: int) -> tuple[Figures, Figures]:
    rng = random.Random(seed)
    with own_server() as server:
        admin = server.address("postgres")
        with psycopg.connect(admin, autocommit=True) as db:
            db.execute("CREATE EXTENSION vector")
        require_graphs(admin)
        where = {"url": server.address(), "search": "database"}
        settings = Settings.model_validate({"postgres": where})
        with (
            mock.patch.object(large_index, "SEARCH_ABOVE", 0),
            mock.patch.object(catalog, "GRAPH_ABOVE", 0),
            Memory.open(settings=settings, user="D", embedder=MarkedEmbedder()) as memory,
        ):
            ids = _plant(memory, count, rng)
            others = _hashes(memory)
            for user in "ABCD":
                workspace_of(memory.user(user)).index.tidy()
            catalogued = _catalogued(server)
            planted = _in_dump(server)
            memory.user("B").forget(*ids["B"])
            for forget in _at_once(memory):
                forget()
            dumped = _in_dump(server)
            before = _in_files(server)
            memory.admin.scrub()
            after = _in_files(server)
            changed = _hashes(memory) != others or not memory.admin.verify().ok
    figures = {
        "records": sum(map(len, ids.values())),
        "planted": planted,
        "not_catalogued": int(catalogued < 4 * count),
        "in_the_dump": dumped,
        "text_left": after[0],
        "vector_left": after[1],
        "others_changed": int(changed),
    }
    return figures, {"text_left": before[0], "vector_left": before[1]}


def _catalogued(server: OwnServer) -> int:
    with psycopg.connect(server.address("postgres")) as db:
        return int(db.execute("SELECT count(*) FROM catalog_vectors").fetchall()[0][0])


def _in_dump(server: OwnServer) -> int:
    """Canaries in what `pg_dump` writes."""
    told = subprocess.run(
        [server.programs / "pg_dump", "--dbname", server.address("postgres")],
        capture_output=True,
        check=True,
    )
    return len(CANARY.findall(told.stdout))


def _in_files(server: OwnServer) -> tuple[int, int]:
    """Canaries in the server's files, once all it holds in memory is there: as text, as vectors."""
    with psycopg.connect(server.address("postgres"), autocommit=True) as db:
        db.execute("CHECKPOINT")
    text = vector = 0
    for file in _files(server.folder / "data"):
        content = file.read_bytes()
        text += len(CANARY.findall(content))
        vector += sum(content.count(needle) for needle in NEEDLES)
    return text, vector


def _files(data: Path) -> list[Path]:
    found = (path for path in data.rglob("*") if "pg_wal" not in path.parts)
    return [path for path in found if path.is_file()]
