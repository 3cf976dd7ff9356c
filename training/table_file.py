"""The table as the runtime reads it: int8 rows, a scale and a weight each."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

NAME = "sharpwave-static"
VERSION = "3"
LICENCE = "Apache-2.0"
LEVELS = 20
"""Largest whole number of a row. Fewer levels than eight bits hold make the wheel 4.7 MB smaller,
and a row keeps a cosine of .9986 with its whole numbers up to 127."""


def write(
    file: Path,
    pieces: Sequence[str],
    scores: Sequence[float],
    rows: NDArray[np.float32],
    made_by: str,
    learned: Mapping[str, NDArray[np.float32]],
) -> None:
    """Quantise the rows and write the file, plain: it loads faster, and a wheel compresses it.

    The length of a row becomes its weight.
    """
    table, scale, weight = quantised(rows)
    said = {
        "name": NAME, "version": VERSION, "dimension": rows.shape[1], "licence": LICENCE,
        "created_by": made_by,
    }  # fmt: skip
    arrays: dict[str, NDArray[Any]] = {
        "vocab": np.frombuffer("\n".join(pieces).encode(), np.uint8),
        "score": np.array(scores, np.float32),
        "table": table,
        "scale": scale,
        "weight": weight,
        "meta": np.frombuffer(json.dumps(said).encode(), np.uint8),
    }
    arrays |= {name: array.astype(np.float32) for name, array in learned.items()}
    np.savez(file, **arrays)  # type: ignore[arg-type]


def quantised(
    rows: NDArray[np.float32],
) -> tuple[NDArray[np.int8], NDArray[np.float32], NDArray[np.float32]]:
    """Whole numbers up to `LEVELS`, what a unit vector's numbers were divided by, the length."""
    weight = np.linalg.norm(rows, axis=1).astype(np.float32)
    units = rows / np.maximum(weight, 1e-9)[:, None]
    scale = np.maximum(np.abs(units).max(axis=1), 1e-9).astype(np.float32) / np.float32(LEVELS)
    return np.rint(units / scale[:, None]).astype(np.int8), scale, weight
