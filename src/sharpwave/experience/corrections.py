"""Corrections by meaning: what was meant when a query like this one was misunderstood [INTP-03].

The index finds corrected interactions by their tag; queries are then compared with each other by
their vectors, without what was done and answered.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from sharpwave.errors import ProviderError
from sharpwave.experience.intake import CORRECTED
from sharpwave.experience.lessons import SAME_AS, lesson, teaches
from sharpwave.experience.similar import LOGGED, Similar
from sharpwave.types.records import Record
from sharpwave.types.searching import Filter
from sharpwave.workspace import Workspace

MIN_LIKENESS = 0.55
"""Least cosine of two queries for a correction of one to be shown for the other."""
MIN_SAME = 0.5
"""Least mean cosine of queries and of what was meant that makes two corrections one pattern."""
_MOST = 16


def alike(workspace: Workspace, query: str) -> list[Similar]:
    """Corrected interactions with a query of much the same meaning, the most alike first."""
    found = [case for case in _nearest(workspace, query) if case.likeness >= MIN_LIKENESS]
    return sorted(found, key=lambda case: (-case.likeness, case.lesson.id))


def related(workspace: Workspace, record: Record) -> Record:
    """The record, with the id of an earlier correction of the same meaning if there is one."""
    if CORRECTED not in record.tags or not teaches(record):
        return record
    own = lesson(record)
    near = _nearest(workspace, own.query)
    try:
        meant = _cosines(workspace, str(own.feedback), [str(case.lesson.feedback) for case in near])
    except ProviderError:
        return record
    same = [
        case.lesson
        for case, likeness in zip(near, meant, strict=True)
        if (case.likeness + likeness) / 2.0 >= MIN_SAME and case.lesson.id != own.id
    ]
    if not same:
        return record
    latest = max(same, key=lambda candidate: (candidate.at, candidate.id))
    return replace(record, metadata={**record.metadata, SAME_AS: latest.id})


def _nearest(workspace: Workspace, query: str) -> list[Similar]:
    only = Filter(kinds=LOGGED, tags=frozenset({CORRECTED}))
    try:
        vector = workspace.embedder.embed_question(query)
        numbers = workspace.index.rank(query, vector, _MOST, only).vector.numbers.tolist()
        found = [lesson(record) for record in workspace.store.fetch(numbers) if teaches(record)]
        likeness = _cosines(workspace, query, [candidate.query for candidate in found])
    except ProviderError:
        return []  # found by the same words only
    return [Similar(*pair) for pair in zip(found, likeness, strict=True)]


def _cosines(workspace: Workspace, text: str, texts: Sequence[str]) -> list[float]:
    if not texts:
        return []
    vectors = workspace.embedder.embed([text, *texts])
    cosines: list[float] = np.asarray(vectors[1:] @ vectors[0]).tolist()
    return cosines
