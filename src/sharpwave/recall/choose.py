"""Step 4: the best k as the store holds them now, and a note of the access."""

from collections.abc import Sequence

from sharpwave.ports import Ports
from sharpwave.types.answers import Recalled
from sharpwave.types.searching import Scored


def read(
    chosen: Sequence[Scored], user_id: str, ports: Ports
) -> tuple[tuple[Recalled, ...], tuple[str, ...]]:
    """The records of the chosen candidates; what fails its checksum is left out and told."""
    found = ports.store.fetch(user_id, [scored.number for scored in chosen])
    records = {record.number: record for record in found}
    items = tuple(
        Recalled(records[scored.number], scored.score, scored.terms)
        for scored in chosen
        if scored.number in records
    )
    ports.store.touch(user_id, [item.record.number for item in items], ports.clock.now())
    missing = len(chosen) - len(items)
    if not missing:
        return items, ()
    return items, (f"{missing} damaged or just forgotten left out; run `sharpwave verify`",)
