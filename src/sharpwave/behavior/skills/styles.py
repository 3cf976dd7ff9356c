"""How a person likes answers: in one context, in general, and where that comes from."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sharpwave.behavior.skills import learning, rows
from sharpwave.formulas.skills import blended
from sharpwave.settings.skills import StyleSettings
from sharpwave.tallies import Sheet
from sharpwave.types.skills import DIMENSIONS, ENDS, Style, StyleDimension

Floats = NDArray[np.float64]


def effective(numbers: Sheet, bucket: int | None, settings: StyleSettings) -> Floats:
    """The style that counts in a context: as it was set, else learned there, else in general."""
    general = numbers.row(rows.STYLE, rows.GENERAL)
    if bucket is None:
        return learning.values(general)
    own = numbers.row(rows.STYLE, str(bucket))
    mixed = blended(
        learning.values(own),
        learning.values(general),
        learning.evidence(own),
        settings.shared_evidence,
    )
    mixed = np.where(_pinned(general), learning.values(general), mixed)
    return np.where(_pinned(own), learning.values(own), mixed)


def view(numbers: Sheet, context: str | None, bucket: int | None, settings: StyleSettings) -> Style:
    """Every dimension that has a meaning, with its evidence [PV-15]."""
    name = rows.GENERAL if bucket is None else str(bucket)
    row, general = numbers.row(rows.STYLE, name), numbers.row(rows.STYLE, rows.GENERAL)
    values = effective(numbers, bucket, settings)
    pinned = _pinned(row) | _pinned(general)
    evidence = learning.evidence(row)
    dimensions = tuple(
        StyleDimension(
            name=dimension,
            value=float(values[place]),
            evidence=float(evidence[place]),
            pinned=bool(pinned[place]),
            low=ENDS[dimension][0],
            high=ENDS[dimension][1],
        )
        for place, dimension in enumerate(DIMENSIONS)
        if dimension in ENDS
    )
    return Style(context, bucket, dimensions, tuple(row.get("contexts", ())))


def _pinned(row: Mapping[str, Any]) -> NDArray[np.bool_]:
    return np.isin(DIMENSIONS, row.get("pinned", ()))
