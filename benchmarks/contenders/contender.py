"""What every contender can do, and the list of them."""

from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from pathlib import Path
from typing import NamedTuple, Protocol, cast

from benchmarks.data import Batch, Question, Vectors

CANDIDATES = 50
"""How many each retriever of a hybrid contender contributes."""


class Contender(Protocol):
    """A store of memories in a folder, opened on first use."""

    def load(self, batches: Iterable[Batch]) -> None:
        """Take in many memories."""

    def add(self, user: str, text: str, vector: Vectors) -> None:
        """Store one memory as durably as this contender does."""

    def search(self, question: Question, limit: int) -> list[str]:
        """Texts that answer a question, best first, in the way this contender answers."""

    def nearest(self, question: Question, limit: int) -> list[str]:
        """Texts by their vectors alone, best first."""

    def warm_up(self, texts: Iterable[str]) -> None:
        """Open connections and fill caches that are shared by all users."""

    def settle(self) -> None:
        """Wait for work that was put off, so that it is counted."""

    def index_bytes(self) -> int:
        """Memory that the index takes, if the contender can tell; else 0."""

    def close(self) -> None:
        """Finish and let go of everything."""


class Entry(NamedTuple):
    """A contender under its name in the tables. Its package is imported only where it runs."""

    name: str
    store: str
    """Folder of its data; variants of one contender share it."""
    module: str
    kind: str
    options: Mapping[str, bool] = {}

    def open(self, folder: Path) -> Contender:
        """Open or create its store."""
        return self.imported()(folder, **self.options)

    def imported(self) -> Callable[..., Contender]:
        """The class, after importing all it needs."""
        module = import_module(f"benchmarks.contenders.{self.module}")
        return cast(Callable[..., Contender], getattr(module, self.kind))


SHARPWAVE = Entry("sharpwave", "sharpwave", "sharpwave", "Sharpwave")
SHARPWAVE_WITHOUT_SNAPSHOT = SHARPWAVE._replace(options={"snapshots": False})
FLOAT_FTS5 = Entry("float scan + FTS5", "float_fts5", "float_fts5", "FloatFts5")
FLOAT_FTS5_WITHOUT_STOP_WORDS = FLOAT_FTS5._replace(
    name="float scan + FTS5, no stop words", options={"drop_stop_words": True}
)
CHROMA = Entry("chromadb by user", "chroma", "chroma", "Chroma")
MEM0 = Entry("mem0ai local", "mem0", "mem0_local", "Mem0Local")
