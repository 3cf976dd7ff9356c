"""The running numbers of one person: small rows of JSON by topic and name.

They can always be made anew from the records, so nothing here is the truth. Nothing is written
before `new` is committed, and the store refuses that if somebody else wrote a row meanwhile.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sharpwave.types.storing import BEHAVIOR, NewTally, Tally

Row = dict[str, Any]
Read = Callable[[str, Sequence[str] | None], dict[str, Tally]]

SKILL, STYLE, PERSON = "skill", "style", "person"
COUNTS = "counts"
"""The one row of PERSON; it is there as soon as anything was learned."""
GENERAL = "all"
"""The row of STYLE that is about every context."""


def odds_of(bucket: int) -> str:
    """The topic of the odds in one context; its rows are named after skills."""
    return f"odds/{bucket}"


def topics(buckets: int) -> list[str]:
    """Every topic there may be."""
    return [SKILL, STYLE, PERSON, *(odds_of(bucket) for bucket in range(buckets))]


class Rows:
    """Rows by topic and name, read when they are needed."""

    def __init__(self, read: Read) -> None:
        self._read = read
        self._rows: dict[tuple[str, str], Row | None] = {}
        self._versions: dict[tuple[str, str], int] = {}
        self._changed: dict[tuple[str, str], None] = {}
        self._whole: set[str] = set()

    @classmethod
    def blank(cls) -> "Rows":
        """Nothing is known yet: to learn anew."""
        return cls(lambda topic, names: {})

    def row(self, topic: str, name: str) -> Row:
        """A row to look at or change; empty if there is none. `put` it to keep the change."""
        key = (topic, name)
        if key not in self._rows and topic not in self._whole:
            self._take(topic, name, self._read(BEHAVIOR + topic, [name]).get(name))
        return dict(self._rows.get(key) or {})

    def rows(self, topic: str) -> dict[str, Row]:
        """Every row of a topic."""
        if topic not in self._whole:
            for name, tally in self._read(BEHAVIOR + topic, None).items():
                if (topic, name) not in self._rows:
                    self._take(topic, name, tally)
            self._whole.add(topic)
        return {name: dict(row) for (own, name), row in self._rows.items() if own == topic and row}

    def put(self, topic: str, name: str, row: Row | None) -> None:
        """What is to stand there; None for nothing."""
        self.row(topic, name)
        self._rows[topic, name] = row
        self._changed[topic, name] = None

    def new(self) -> tuple[NewTally, ...]:
        """What is to be written."""
        return tuple(
            NewTally(BEHAVIOR + key[0], key[1], self._rows[key], self._versions.get(key, 0))
            for key in self._changed
            if self._rows[key] is not None or self._versions.get(key, 0)
        )

    def instead_of(self, known: Mapping[tuple[str, str], Tally]) -> tuple[NewTally, ...]:
        """What is to be written so that these rows stand there, and no others."""
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
