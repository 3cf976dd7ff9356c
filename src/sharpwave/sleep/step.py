"""What one step of a phase decided, before it is written."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple

from sharpwave.types.records import Record, Stage, Standing, Temperature
from sharpwave.types.sleep import Entry
from sharpwave.types.storing import NewTally


class Moved(NamedTuple):
    """A record that is to stand elsewhere."""

    record: Record
    stage: Stage
    temperature: Temperature


class Revised(NamedTuple):
    """A record whose standing is to change."""

    record: Record
    standing: Standing
    valid_to: datetime | None


@dataclass(frozen=True, slots=True)
class Step:
    """What one step of a phase decided; written in one transaction, or not at all."""

    records: tuple[Record, ...] = ()
    moved: tuple[Moved, ...] = ()
    revised: tuple[Revised, ...] = ()
    entries: tuple[Entry, ...] = ()
    notes: tuple[str, ...] = ()
    published: tuple[str, ...] = ()
    """Ids of records that a learner has already written itself."""
    tallies: tuple[NewTally, ...] = ()
    seen: dict[str, int] = field(default_factory=dict)
    needs: tuple[str, ...] = ()
