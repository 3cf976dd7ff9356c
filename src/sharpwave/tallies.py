"""The tallies that one change reads and writes, loaded as they are needed.

Learners work on rows, which are plain JSON objects. Nothing is written before `new` is committed,
and the store refuses that if any row was written by another writer meanwhile.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from sharpwave.ports import UserStore
from sharpwave.types.storing import ANSWERS_TOPIC, REQUESTS, NewTally, Tally

Row = dict[str, Any]
Read = Callable[[str, Sequence[str] | None], Mapping[str, Tally]]


def stored(store: UserStore, prefix: str) -> dict[tuple[str, str], Tally]:
    """Every stored row with a topic that begins with `prefix`, by topic and name."""
    return {
        (topic, name): tally
        for topic in store.topics(prefix.rstrip("/"))
        for name, tally in store.tallies(topic).items()
    }


class Sheet:
    """Rows by topic and name. Topics are given without the prefix that they all share."""

    def __init__(self, read: Read, prefix: str) -> None:
        self._read = read
        self._prefix = prefix
        self._rows: dict[tuple[str, str], Row | None] = {}
        self._versions: dict[tuple[str, str], int] = {}
        self._changed: dict[tuple[str, str], None] = {}
        self._whole: set[str] = set()

    @classmethod
    def of(cls, store: UserStore, prefix: str) -> "Sheet":
        """A sheet of what the store has for this user."""
        return cls(lambda topic, names: store.tallies(topic, names), prefix)

    @classmethod
    def blank(cls, prefix: str) -> "Sheet":
        """An empty sheet, to learn from scratch."""
        return cls(lambda topic, names: {}, prefix)

    def fetch(self, topic: str, names: Iterable[str]) -> None:
        """Load rows that will be needed, in one read."""
        missing = [name for name in dict.fromkeys(names) if (topic, name) not in self._rows]
        if missing and topic not in self._whole:
            found = self._read(self._prefix + topic, missing)
            for name in missing:
                self._take(topic, name, found.get(name))

    def row(self, topic: str, name: str) -> Row:
        """The current row; empty if there is none."""
        self.fetch(topic, [name])
        found = self._rows.get((topic, name))
        return {} if found is None else found

    def edit(self, topic: str, name: str) -> Row:
        """The row, to be changed in place: its final content is written."""
        row = self.row(topic, name)
        self.put(topic, name, row)
        return row

    def rows(self, topic: str) -> dict[str, Row]:
        """Every row of a topic."""
        if topic not in self._whole:
            for name, tally in self._read(self._prefix + topic, None).items():
                if (topic, name) not in self._rows:
                    self._take(topic, name, tally)
            self._whole.add(topic)
        return {
            name: row
            for (row_topic, name), row in self._rows.items()
            if row_topic == topic and row is not None
        }

    def put(self, topic: str, name: str, row: Row | None) -> None:
        """Set a row; None removes it."""
        self.fetch(topic, [name])
        self._rows[topic, name] = row
        self._changed[topic, name] = None

    def new(self) -> tuple[NewTally, ...]:
        """The changed rows, to be written."""
        versions = self._versions
        return tuple(
            NewTally(self._prefix + key[0], key[1], self._rows[key], versions.get(key, 0))
            for key in self._changed
            if self._rows[key] is not None or versions.get(key, 0)
        )

    def instead_of(self, known: Mapping[tuple[str, str], Tally]) -> tuple[NewTally, ...]:
        """The changes that replace the known rows by those of this sheet."""
        made = {(tally.topic, tally.name): tally for tally in self.new()}
        kept = [
            tally._replace(seen_version=known[key].version if key in known else 0)
            for key, tally in made.items()
            if key not in known or dict(known[key].value) != tally.value
        ]
        gone = [
            NewTally(topic, name, None, tally.version)
            for (topic, name), tally in known.items()
            if (topic, name) not in made
        ]
        return (*kept, *gone)

    def _take(self, topic: str, name: str, tally: Tally | None) -> None:
        self._rows[topic, name] = None if tally is None else dict(tally.value)
        self._versions[topic, name] = 0 if tally is None else tally.version


REQUESTS_KEPT_S = 86_400.0
"""Seconds for which the answer to a request with an Idempotency-Key is kept."""
SHARE_DIGITS = 2
"""Number of leading digits of a name, a digest, that select one of 256 shares."""


def request_topic(name: str) -> str:
    """The topic of a name; a frequent caller has many, which are never read all at once."""
    return f"{REQUESTS}/{name[:SHARE_DIGITS]}"


def expired_requests(store: UserStore, share: str, before_us: int) -> dict[str, list[NewTally]]:
    """Tallies that drop the older requests of a share, by name: the note, and the answer."""
    requests = store.tallies(share)
    old = [name for name, tally in requests.items() if requested_at_us(tally.value) <= before_us]
    answers = store.tallies(ANSWERS_TOPIC, old) if old else {}
    return {
        name: [
            NewTally(topic, name, None, known[name].version)
            for topic, known in ((share, requests), (ANSWERS_TOPIC, answers))
            if name in known
        ]
        for name in old
    }


def requested_at_us(value: Mapping[str, object]) -> int:
    """When a request came, in microseconds."""
    return int(str(value["at"]))
