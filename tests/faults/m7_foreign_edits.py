"""M7: another program edits, inserts and deletes rows of the file, as the `sqlite3` shell would.

It knows the schema, but not how a row's checksum is made. Every way of reading serves what was
stored or leaves it out, never what was put there, and `verify` reports every edit. Control: reading
and checking rows without comparing them to their checksums.
"""

import random
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.faults.harness import Figures, Options, Result, judged, settings, without_checksums

from sharpwave import Memory, Message, Record, SharpwaveError
from sharpwave.testing import resources_of
from sharpwave.types.records import content_hash

NAME = "m7_foreign_edits"
USERS = ("ana", "ben")
FAULTS = ("served", "unreported", "foreign_errors", "not_edited")
PLANTED = "Planted: the code of the safe is 4711."
_OTHER_USER = "CASE user_no WHEN 1 THEN 2 ELSE 1 END"

Edit = Callable[[sqlite3.Connection, random.Random], int]
"""Changes the file in its own way; returns how many rows it changed."""


def run(options: Options) -> Result:
    each = 12 if options.long else 1
    path = options.folder / "whole.db"
    original = _make(path, random.Random(options.seed), 400 if options.long else 60)
    figures = _campaign(path, original, random.Random(options.seed), each)
    with without_checksums():
        control = _campaign(path, original, random.Random(options.seed), each)
    return judged(NAME, options, figures, FAULTS, control, ("served", "unreported"))


def _make(path: Path, rng: random.Random, count: int) -> dict[str, Record]:
    places = "Porto Lisbon Oslo Kyoto Quito Turin Ghent Perth Lima Bern".split()
    with Memory.open(path, settings=settings()) as memory:
        for number in range(count):
            text = f"My friend number {number} lives in {rng.choice(places)}."
            said = Message(text, session=f"s{number % 5}", metadata={"n": number}, tags=("t",))
            memory.user(USERS[number % 2]).remember(said)
        memory.user("ana").forget(session="s4")  # so that the audit knows of an erasure, too
        return {one.id: one for user in USERS for one in _scan(memory, user)}


def _campaign(path: Path, original: dict[str, Record], rng: random.Random, each: int) -> Figures:
    trials = Trials(original)
    for name, edit in EDITS.items():
        for _ in range(each):
            folder = path.with_name("trial")
            folder.mkdir()
            edited = folder / "edited.db"
            shutil.copyfile(path, edited)
            with closing(sqlite3.connect(edited, isolation_level=None)) as shell:
                changed = edit(shell, rng)
            trials.look(edited, name, changed)
            shutil.rmtree(folder)
    return trials.figures()


# ---- the edits


def _set(column: str, value: str) -> Edit:
    """Set a column of one record to an SQL expression."""

    def edit(shell: sqlite3.Connection, rng: random.Random) -> int:
        return shell.execute(
            f"UPDATE memories SET {column} = {value} WHERE key = ?", (_key(shell, rng),)
        ).rowcount

    return edit


def _swap_texts(shell: sqlite3.Connection, rng: random.Random) -> int:
    one, other = _key(shell, rng), _key(shell, rng)
    texts = dict(shell.execute("SELECT key, text FROM memories WHERE key IN (?, ?)", (one, other)))
    if len(set(texts.values())) < 2:
        return _swap_texts(shell, rng)
    for key, text in ((one, texts[other]), (other, texts[one])):
        shell.execute("UPDATE memories SET text = ? WHERE key = ?", (text, key))
    return 2


def _insert(new_id: str, text: str, user_no: str) -> Edit:
    """Insert a copy of a record with a new key; its checksum stays that of the copied one."""

    def edit(shell: sqlite3.Connection, rng: random.Random) -> int:
        key = _key(shell, rng)
        columns = [name for _, name, *_ in shell.execute("PRAGMA table_info(memories)")]
        values = {name: name for name in columns} | {
            "key": f"(({user_no}) << 32) + 999999",
            "seq": "999999",
            "id": new_id,
            "text": text,
            "user_no": user_no,
            "idempotency_key": "NULL",
        }
        done = shell.execute(
            f"INSERT INTO memories ({', '.join(values)}) SELECT {', '.join(values.values())} "
            "FROM memories WHERE key = ?",
            (key,),
        ).rowcount
        shell.execute("UPDATE users SET seq = max(seq, 1000000)")
        return done

    return edit


def _delete(*further: str) -> Edit:
    """Delete a record, and what other tables hold of it."""

    def edit(shell: sqlite3.Connection, rng: random.Random) -> int:
        key = _key(shell, rng)
        for table in further:
            shell.execute(f"DELETE FROM {table} WHERE key = ?", (key,))
        return shell.execute("DELETE FROM memories WHERE key = ?", (key,)).rowcount

    return edit


def _statement(sql: str) -> Edit:
    def edit(shell: sqlite3.Connection, rng: random.Random) -> int:
        return shell.execute(sql).rowcount

    return edit


def _key(shell: sqlite3.Connection, rng: random.Random) -> int:
    keys = [key for (key,) in shell.execute("SELECT key FROM memories ORDER BY key")]
    return int(rng.choice(keys))


EDITS: dict[str, Edit] = {
    "text": _set("text", f"'{PLANTED}'"),
    "one letter": _set("text", "substr(text, 1, length(text) - 2) || 'x.'"),
    "texts swapped": _swap_texts,
    "trust": _set("trust", "(trust + 1) % 4"),
    "source": _set("source", "CASE source WHEN 'import' THEN 'user_message' ELSE 'import' END"),
    "author": _set("author", "'someone else'"),
    "owner": _set("user_no", _OTHER_USER),
    "owner and key": _set("(user_no, key)", f"({_OTHER_USER}, (({_OTHER_USER}) << 32) + 999999)"),
    "time": _set("valid_from", "valid_from - 1000000"),
    "recorded": _set("recorded_at", "recorded_at + 1000000"),
    "metadata": _set("metadata", """'{"n": -1}'"""),
    "tags": _set("tags", """'["planted"]'"""),
    "session": _set("session_id", "'another session'"),
    "speaker": _set("speaker", "'Mallory'"),
    "id": _set("id", "'06000000000000000000000000'"),
    "checksum": _set("content_hash", "randomblob(16)"),
    "inserted": _insert("'06000000000000000000000001'", f"'{PLANTED}'", "user_no"),
    "inserted with the id": _insert("id || 'x'", "text", "user_no"),
    "copied to another user": _insert("id", "text", _OTHER_USER),
    "deleted": _delete(),
    "deleted with its vector": _delete("vectors", "mentions", "evidence"),
    "vector": _statement("UPDATE vectors SET vector = zeroblob(length(vector)) WHERE key % 7 = 1"),
    "audit edited": _statement("UPDATE audit SET at = at + 1 WHERE seq = 3"),
    "audit line deleted": _statement("DELETE FROM audit WHERE seq = 4"),
    "audit lines cut off": _statement("DELETE FROM audit WHERE seq > 5"),
}


# ---- what is found


@dataclass(slots=True)
class Trials:
    """What edited files did."""

    original: dict[str, Record]
    trials: int = 0
    served: list[str] = field(default_factory=list)
    unreported: list[str] = field(default_factory=list)
    foreign: list[str] = field(default_factory=list)
    not_edited: int = 0

    def look(self, path: Path, name: str, changed: int) -> None:
        self.trials += 1
        self.not_edited += changed < 1
        problems: list[str] = []
        with _noted(problems), closing(Memory.open(path, settings=settings())) as memory:
            for user in USERS:
                for read in (_scan, _find_all(self.original), _recall, _export):
                    with _noted(problems):
                        self._compare(name, user, read(memory, user))
            with _noted(problems):
                if not memory.admin.verify().ok:
                    problems.append("verify")
        self.foreign += [problem for problem in problems if problem.startswith("!")]
        if "verify" not in problems:
            self.unreported.append(name)

    def _compare(self, name: str, user: str, records: list[Record]) -> None:
        for one in records:
            known = self.original.get(one.id)
            genuine = known is not None and content_hash(known) == content_hash(one)
            if not genuine or one.user_id != user or one.text == PLANTED:
                self.served.append(name)

    def figures(self) -> Figures:
        return {
            "edits": len(EDITS),
            "trials": self.trials,
            "served": len(self.served),
            "served_what": sorted(set(self.served)),
            "unreported": len(self.unreported),
            "unreported_what": sorted(set(self.unreported)),
            "foreign_errors": len(self.foreign),
            "foreign": sorted(set(self.foreign))[:3],
            "not_edited": self.not_edited,
        }


def _scan(memory: Memory, user: str) -> list[Record]:
    return resources_of(memory).store.for_user(user).scan(0, 10_000_000)


def _find_all(original: dict[str, Record]) -> Callable[[Memory, str], list[Record]]:
    def find(memory: Memory, user: str) -> list[Record]:
        return resources_of(memory).store.for_user(user).find(list(original))

    return find


def _recall(memory: Memory, user: str) -> list[Record]:
    own = memory.user(user)
    queries = ("Where does my friend live?", "the code of the safe")
    return [item.record for query in queries for item in own.recall(query, k=100)]


def _export(memory: Memory, user: str) -> list[Record]:
    """Nothing to compare: no line may show what was planted."""
    assert not any(PLANTED in line for line in memory.user(user).export()), "exported"
    return []


@contextmanager
def _noted(problems: list[str]) -> Iterator[None]:
    """Note an error instead of raising it; one that is not ours is marked."""
    try:
        yield
    except SharpwaveError as error:
        problems.append(error.code)
    except Exception as error:  # noqa: BLE001 - counted as a fault
        problems.append(f"!{type(error).__name__}: {error}")
