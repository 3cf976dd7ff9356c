"""Whether the database's own search finds what the index in memory finds, on LoCoMo.

    python -m benchmarks.scale.agreement ../shared/data [--talks N]

Every conversation is one user of one database, asked in three ways: by the index in memory, by the
catalog with every vector compared, and by the catalog with a graph. Beside it, how far the order of
PostgreSQL's text search agrees with BM25.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import psycopg
from tests.storage.postgres import server

from evals.metrics import ndcg
from evals.recall import ConversationClock, remember_turns
from evals.talks import Talk, load
from sharpwave import Memory, Settings
from sharpwave.index import large_index
from sharpwave.index.large_index import LargeIndex
from sharpwave.storage.postgres import catalog
from sharpwave.testing import workspace_of
from sharpwave.types.searching import Filter

WAYS: dict[str, dict[str, int]] = {
    "memory": {},
    "catalog, exact": {"GRAPH_ABOVE": 10**9},
    "catalog, graph": {"GRAPH_ABOVE": 0, "GRAPH_SCAN": 1},
}
"""Numbers of the catalog; without any the index in memory searches."""
TOP = 10
_TEXT_SEARCH = """SELECT key & 4294967295 FROM memories, to_tsquery('english', %(asked)s) q
WHERE user_no = %(user_no)s AND kind = 'turn' AND to_tsvector('english', text) @@ q
ORDER BY {rank}(to_tsvector('english', text), q, 1) DESC, key DESC LIMIT 50"""


def main() -> None:
    """Measure, and print one line a way."""
    parser = argparse.ArgumentParser()
    parser.add_argument("data", type=Path)
    parser.add_argument("--talks", type=int)
    asked = parser.parse_args()
    talks = load("locomo", asked.data).talks[: asked.talks]
    address = server.new_database(vector=True)
    try:
        names = [_remembered(talk, address) for talk in talks]
        found = {}
        for way in WAYS:
            if way == "catalog, graph":
                _ask_for_graphs(address)
            found[way] = _ask(way, talks, names, address)
        usual = found["memory"]
        for way, answers in found.items():
            score = float(np.mean([ndcg(*_numbered(ids, right), TOP) for ids, right, _ in answers]))
            top = _overlap([one[0] for one in usual], [one[0] for one in answers])
            near = _overlap([one[2][0] for one in usual], [one[2][0] for one in answers])
            words = _overlap([one[2][1] for one in usual], [one[2][1] for one in answers])
            told = f"NDCG@{TOP} {score:.4f}, top {TOP} shared {top:.3f}"
            print(f"{way:15} {told}, of 50 by vector {near:.3f}, by words {words:.3f}")
        for rank in ("ts_rank", "ts_rank_cd"):
            print(f"{rank:15} {_text_search(rank, talks, usual, address)}")
    finally:
        server.drop_database(address)


def _ask_for_graphs(address: str) -> None:
    """Conversations are so short that the planner would rather compare every vector."""
    with psycopg.connect(address, autocommit=True) as db:
        name = _first(db, "SELECT current_database()")
        for setting in ("enable_seqscan", "enable_sort", "enable_bitmapscan"):
            db.execute(f"ALTER DATABASE {name} SET {setting} = off")


def _settings(address: str, search: str = "memory") -> Settings:
    return Settings.model_validate({"postgres": {"url": address, "search": search}})


def _remembered(talk: Talk, address: str) -> dict[str, str]:
    clock = ConversationClock()
    with Memory.open(settings=_settings(address), user=talk.name, clock=clock) as m:
        return remember_turns(m, talk, clock)


def _ask(
    way: str, talks: Sequence[Talk], names: Sequence[dict[str, str]], address: str
) -> list[tuple[list[str], set[str], list[list[int]]]]:
    """For each question the ids found, those that answer it, and the two rankings behind it."""
    found = []
    for talk, named in zip(talks, names, strict=True):
        clock = ConversationClock()
        settings = _settings(address, "database" if WAYS[way] else "memory")
        with (
            patch.object(large_index, "SEARCH_ABOVE", 0),
            patch.dict(vars(catalog), WAYS[way]),
            Memory.open(settings=settings, user=talk.name, clock=clock) as memory,
        ):
            workspace = workspace_of(memory)
            workspace.index.tidy()
            for question in talk.questions:
                clock.set(question.asked_at)
                told = memory.recall(question.text, k=TOP, kinds=["turn"])
                only = Filter(kinds=frozenset({"turn"}))
                vector = workspace.embedder.embed_question(question.text)
                ranked = workspace.index.rank(question.text, vector, 50, only)
                both = [each.numbers.tolist() for each in (ranked.vector, ranked.keyword)]
                ids = [named.get(item.record.id, "") for item in told.items]
                found.append((ids, set(question.evidence), both))
            index = workspace.shared.index
            if isinstance(index, LargeIndex):
                index.catalog.drop(talk.name)  # the next way makes its own
    return found


def _numbered(ids: Sequence[str], right: set[str]) -> tuple[list[int], set[int]]:
    """Ids as numbers, as the measure wants them."""
    places = {id_: place for place, id_ in enumerate(dict.fromkeys([*ids, *sorted(right)]))}
    return [places[id_] for id_ in ids], {places[id_] for id_ in right}


def _first(db: psycopg.Connection, statement: str, *bindings: object) -> Any:
    return db.execute(statement, bindings).fetchall()[0][0]


def _overlap(ours: Sequence[Sequence[Any]], theirs: Sequence[Sequence[Any]]) -> float:
    """Share of each of our lists that is in theirs, on average."""
    shares = [len(set(a) & set(b)) / len(a) for a, b in zip(ours, theirs, strict=True) if a]
    return float(np.mean(shares))


def _text_search(rank: str, talks: Sequence[Talk], usual: Sequence[Any], address: str) -> str:
    """How much of BM25's first 10 and 50 PostgreSQL's own ranking has in its first 10 and 50."""
    tens, fifties, place = [], [], 0
    statement = _TEXT_SEARCH.format(rank=rank)
    with psycopg.connect(address, autocommit=True) as db:
        for talk in talks:
            whose = "SELECT user_no FROM users WHERE user_id = %s"
            user_no = _first(db, whose, talk.name)
            db.execute("SELECT set_config('sharpwave.user_no', %s, false)", (str(user_no),))
            for question in talk.questions:
                parsed = "SELECT replace(plainto_tsquery('english', %s)::text, '&', '|')"
                asked = _first(db, parsed, question.text)
                rows = db.execute(statement, {"asked": asked, "user_no": user_no}).fetchall()
                theirs, ours = [number for (number,) in rows], usual[place][2][1]
                tens.append((ours[:TOP], theirs[:TOP]))
                fifties.append((ours, theirs))
                place += 1
    ten, fifty = (_overlap(*zip(*pairs, strict=True)) for pairs in (tens, fifties))
    return f"of BM25's first 10: {ten:.3f}, of its first 50: {fifty:.3f}"


if __name__ == "__main__":
    main()
