"""Step 6: k records as the store holds them now, none of them twice, and a note of the access.

The best are read, restatements are dropped, and MMR picks k of them; these keep the order of their
scores. A restatement has the same words as a better one, or almost the same vector; or it is the
turn a better fact was learned from, or the fact learned from a better turn.
"""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from sharpwave.formulas.ranking.mmr import mmr
from sharpwave.ports import Ports
from sharpwave.settings import RecallSettings
from sharpwave.types.answers import Recalled
from sharpwave.types.records import Record
from sharpwave.types.searching import Scored

SPARE = 16
"""Candidates read beyond k, to have something to choose from."""


def read(
    best: Sequence[Scored], k: int, user_id: str, ports: Ports, settings: RecallSettings
) -> tuple[tuple[Recalled, ...], tuple[str, ...]]:
    """The chosen records; what fails its checksum is left out and told."""
    pool = best[: k + SPARE]
    found = ports.store.fetch(user_id, [scored.number for scored in pool])
    records = {record.number: record for record in found}
    there = [
        Recalled(records[one.number], one.score, one.terms) for one in pool if one.number in records
    ]
    items = _varied(there, k, user_id, ports, settings)
    ports.store.touch(user_id, [item.record.number for item in items], ports.clock.now())
    missing = len(pool) - len(there)
    if not missing:
        return items, ()
    return items, (f"{missing} damaged or just forgotten left out; run `sharpwave verify`",)


def _varied(
    items: Sequence[Recalled], k: int, user_id: str, ports: Ports, settings: RecallSettings
) -> tuple[Recalled, ...]:
    alike = _alike([item.record.number for item in items], user_id, ports)
    kept: list[int] = []
    for place, item in enumerate(items):
        if not any(
            alike[place, other] >= settings.same_cosine
            or _restates(item.record, items[other].record)
            for other in kept
        ):
            kept.append(place)
    scores = np.array([items[place].score for place in kept])
    spread = np.ptp(scores) if len(scores) else 0.0
    scaled = (scores - scores.min()) / spread if spread > 0 else np.zeros(len(scores))
    chosen = mmr(scaled, alike[np.ix_(kept, kept)], settings.balance, k)
    return tuple(items[kept[place]] for place in sorted(chosen))


def _restates(one: Record, other: Record) -> bool:
    if one.id in other.provenance.parents or other.id in one.provenance.parents:
        return True
    return one.kind == other.kind and one.speaker == other.speaker and _plain(one) == _plain(other)


def _plain(record: Record) -> str:
    return " ".join(record.text.lower().split())


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
