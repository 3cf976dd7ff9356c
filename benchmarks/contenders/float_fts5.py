"""What one writes by hand: a float32 matrix, SQLite rows, FTS5's bm25(), fused by rank.

A strong form of it: one matrix product, rows of a user lie together, prepared statements, no
checksums, no access counts.
"""

import re
from collections.abc import Iterable
from pathlib import Path

import apsw
import numpy as np

from benchmarks.contenders.contender import CANDIDATES
from benchmarks.data import DIMENSION, Batch, Question, Vectors
from sharpwave.index.terms import STOP_WORDS

RANK_CONSTANT = 60.0
_SCHEMA = """
CREATE TABLE memories (key INTEGER PRIMARY KEY, user_id TEXT NOT NULL, text TEXT NOT NULL);
CREATE INDEX memories_user ON memories (user_id);
CREATE VIRTUAL TABLE words USING fts5(text, content='memories', content_rowid='key');
"""
_BY_WORDS = """
SELECT words.rowid FROM words JOIN memories ON memories.key = words.rowid
WHERE words MATCH ? AND memories.user_id = ? ORDER BY bm25(words) LIMIT ?
"""


class FloatFts5:
    """Vectors in a file that is read whole on open; text and keywords in SQLite."""

    def __init__(self, folder: Path, *, drop_stop_words: bool = False) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._drop_stop_words = drop_stop_words
        self._vector_file = folder / "vectors.f32"
        self._db = apsw.Connection(str(folder / "memory.db"))
        self._db.execute("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL")
        self._db.execute("PRAGMA cache_size=-65536")
        if not self._db.execute("SELECT count(*) FROM sqlite_schema").get:
            self._db.execute(_SCHEMA)
        self._vectors = self._read_vectors()
        self._rows = self._read_rows()

    def load(self, batches: Iterable[Batch]) -> None:
        """One transaction a batch."""
        key: int = self._db.execute("SELECT count(*) FROM memories").get
        with self._vector_file.open("ab") as file:
            for batch in batches:
                rows = [(key + n, batch.user, text) for n, text in enumerate(batch.texts)]
                key += len(rows)
                with self._db:
                    self._db.executemany("INSERT INTO memories VALUES (?, ?, ?)", rows)
                    words = ((row, text) for row, _, text in rows)
                    self._db.executemany("INSERT INTO words (rowid, text) VALUES (?, ?)", words)
                file.write(batch.vectors.tobytes())
        self._vectors, self._rows = self._read_vectors(), self._read_rows()

    def add(self, user: str, text: str, vector: Vectors) -> None:
        """Not measured: a matrix that is read on open has no single adds."""
        raise NotImplementedError

    def search(self, question: Question, limit: int) -> list[str]:
        """Both rankings, fused by reciprocal rank, and the rows of the best."""
        totals: dict[int, float] = {}
        for ranking in (self._by_vector(question, CANDIDATES), self._by_words(question)):
            for rank, key in enumerate(ranking, start=1):
                totals[key] = totals.get(key, 0.0) + 1.0 / (RANK_CONSTANT + rank)
        return self._fetch(sorted(totals, key=lambda key: (-totals[key], -key))[:limit])

    def nearest(self, question: Question, limit: int) -> list[str]:
        """The exact scan."""
        return self._fetch(self._by_vector(question, limit))

    def warm_up(self, texts: Iterable[str]) -> None:
        """Nothing is shared by users but the connection, which is open."""

    def settle(self) -> None:
        """Nothing is put off."""

    def index_bytes(self) -> int:
        """The matrix."""
        return self._vectors.nbytes

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    def _by_vector(self, question: Question, limit: int) -> list[int]:
        first, end = self._rows.get(question.user, (0, 0))
        scores = self._vectors[first:end] @ question.vector
        best = np.arange(len(scores))
        if limit < len(scores):
            best = np.argpartition(-scores, limit)[:limit]
        keys: list[int] = (first + best[np.argsort(-scores[best])]).tolist()
        return keys

    def _by_words(self, question: Question) -> list[int]:
        words = re.findall(r"\w+", question.text.lower())
        if self._drop_stop_words:
            words = [word for word in words if word not in STOP_WORDS] or words
        match = " OR ".join(f'"{word}"' for word in dict.fromkeys(words))
        found = self._db.execute(_BY_WORDS, (match, question.user, CANDIDATES))
        return [key for (key,) in found]

    def _fetch(self, keys: list[int]) -> list[str]:
        marks = ",".join("?" * len(keys))
        sql = f"SELECT key, user_id, text FROM memories WHERE key IN ({marks})"
        texts = {key: text for key, _, text in self._db.execute(sql, keys)}
        return [texts[key] for key in keys]

    def _read_vectors(self) -> Vectors:
        if not self._vector_file.exists():
            return np.empty((0, DIMENSION), np.float32)
        return np.fromfile(self._vector_file, np.float32).reshape(-1, DIMENSION)

    def _read_rows(self) -> dict[str, tuple[int, int]]:
        """First row and end of each user's rows, which lie together."""
        sql = "SELECT user_id, min(key), max(key) + 1 FROM memories GROUP BY user_id"
        return {user: (first, end) for user, first, end in self._db.execute(sql)}
