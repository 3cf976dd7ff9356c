"""Distil: patterns, tool records and insights from what agents did [SLP-23]."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from sharpwave.experience import publish, rebuild
from sharpwave.experience.insight import insights
from sharpwave.experience.room import Room
from sharpwave.sleep.night import Night
from sharpwave.sleep.step import Step
from sharpwave.temporal.clock import StandingClock
from sharpwave.types.records import Record
from sharpwave.types.storing import LEARNED_FROM
from sharpwave.types.work.sleep import Entry

_PAGE = 500


def find(night: Night) -> list[str]:
    """From which record on something was learned tonight, if there is anything to learn from."""
    if not Room(night.user_id, night.ports, night.settings).may_learn():
        return []
    kinds = night.ports.store.counts(night.user_id).by_kind
    seq = night.ports.store.head(night.user_id).seq
    return [str(seq)] if any(kinds.get(kind.value) for kind in LEARNED_FROM) else []


def work(items: Sequence[str], night: Night) -> Step:
    """Publish what was learned, and draw insights from it."""
    user_id, settings = night.user_id, night.settings
    ports = replace(night.ports, clock=StandingClock(night.now))
    room = Room(user_id, ports, settings)
    rebuild.ready(room.sheet(), user_id, ports, settings.experience)
    publish.publish(user_id, ports, settings.experience)
    insights.learn(room)
    new = list(_written_after(int(items[0]), night))
    return Step(
        published=tuple(record.id for record in new),
        entries=tuple(Entry("learned", record.id, record.kind.value) for record in new),
    )


def _written_after(number: int, night: Night) -> Iterator[Record]:
    """What was published tonight, also before an interruption."""
    while page := night.ports.store.scan(night.user_id, number, _PAGE):
        yield from (
            record
            for record in page
            if record.kind in publish.SUBJECTS and record.metadata.get(publish.GENERATED)
        )
        number = page[-1].number
