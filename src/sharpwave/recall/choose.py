"""Step 6: k records as the store holds them now, none of them twice, and a note of the access.

The best are read, facts whose time has passed and restatements are dropped, and MMR picks k of the
rest; these keep the order of their scores. A restatement has the same words as a better one, or
almost the same vector; or it is the turn a better fact was learned from, or the fact learned from a
better turn.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from sharpwave.formulas.ranking.mmr import mmr
from sharpwave.ports import Ports
from sharpwave.settings import RecallSettings
from sharpwave.types.answers import Recalled
from sharpwave.types.records import Kind, Record
from sharpwave.types.searching import Scored


def read(
    best: Sequence[Scored], k: int, user_id: str, ports: Ports, settings: RecallSettings
) -> tuple[tuple[Recalled, ...], tuple[str, ...]]:
    """The chosen records; what fails its checksum is left out and told."""
    pool = best[: k + settings.spare]
    found = ports.store.fetch(user_id, [scored.number for scored in pool])
    records = {record.number: record for record in found}
    there = [
        Recalled(records[one.number], one.score, one.terms) for one in pool if one.number in records
    ]
    now = ports.clock.now()
    holding = [item for item in there if not _is_over(item.record, now)]
    items = _varied(holding, k, user_id, ports, settings)
    ports.store.touch(user_id, [item.record.number for item in items], now)
    missing = len(pool) - len(there)
    if not missing:
        return items, ()
    return items, (f"{missing} damaged or just forgotten left out; run `sharpwave verify`",)


def _is_over(record: Record, now: datetime) -> bool:
    """True for a fact whose time has passed; what was said stays said."""
    return record.kind is Kind.FACT and record.valid_to is not None and record.valid_to <= now


def _varied(
    items: Sequence[Recalled], k: int, user_id: str, ports: Ports, settings: RecallSettings
) -> tuple[Recalled, ...]:
    alike = _alike([item.record.number for item in items], user_id, ports)
    kept = _distinct([item.record for item in items], alike >= settings.same_cosine)
    scores = np.array([items[place].score for place in kept])
    spread = np.ptp(scores) if len(scores) else 0.0
    scaled = (scores - scores.min()) / spread if spread > 0 else np.zeros(len(scores))
    chosen = mmr(scaled, alike[np.ix_(kept, kept)], settings.balance, k)
    return tuple(items[kept[place]] for place in sorted(chosen))


def _distinct(records: Sequence[Record], same: NDArray[np.bool_]) -> list[int]:
    """Places of the records that do not restate an earlier one."""
    kept: list[int] = []
    twins: dict[int, list[int]] = {}
    for earlier, later in np.argwhere(np.triu(same, 1)).tolist():
        twins.setdefault(later, []).append(earlier)
    words, ids, parents = set[object](), set[str](), set[str]()
    for place, record in enumerate(records):
        own = (record.kind, record.speaker, " ".join(record.text.lower().split()))
        derived = record.id in parents or not ids.isdisjoint(record.provenance.parents)
        if derived or own in words or any(twin in kept for twin in twins.get(place, ())):
            continue
        kept.append(place)
        words.add(own)
        ids.add(record.id)
        parents.update(record.provenance.parents)
    return kept


def _alike(numbers: Sequence[int], user_id: str, ports: Ports) -> NDArray[np.float64]:
    """The cosine of each two records; 0 where one has no vector."""
    places: Mapping[int, int] = {number: place for place, number in enumerate(numbers)}
    space = ports.embedder.space
    found, vectors = ports.store.vectors(user_id, list(numbers), space)
    whole = np.zeros((len(numbers), space.dimension))
    lengths = np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
    whole[[places[number] for number in found.tolist()]] = vectors / lengths
    alike: NDArray[np.float64] = np.clip(whole @ whole.T, 0.0, 1.0)
    return alike
