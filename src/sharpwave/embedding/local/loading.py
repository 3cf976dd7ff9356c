"""What models in folders have in common: an optional package, a device, texts and unit vectors."""

from collections.abc import Collection
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sharpwave.errors import InvalidSettings


def package(name: str, extra: str) -> Any:
    """An optional package; InvalidSettings says how to get it."""
    try:
        return import_module(name)
    except ImportError as error:
        raise InvalidSettings(
            f"this model needs the package {name}; run: pip install 'sharpwave[{extra}]'"
        ) from error


def existing(folder: Path | None, setting: str) -> Path:
    """The folder of a model, which must be there."""
    if folder is None:
        raise InvalidSettings(f"{setting}: say where the model is")
    found = folder.expanduser()
    if not found.is_dir():
        raise InvalidSettings(f"{setting}: there is no folder {found}")
    return found


def onnx_providers(wanted: str, available: Collection[str]) -> list[str]:
    """Where an ONNX model runs: on a GPU if that is wanted, or `auto` finds one [MDL-07].

    >>> onnx_providers("auto", ["CPUExecutionProvider"])
    ['CPUExecutionProvider']
    """
    gpu, processor = "CUDAExecutionProvider", "CPUExecutionProvider"
    if wanted == "cpu" or (wanted == "auto" and gpu not in available):
        return [processor]
    if gpu not in available:
        raise InvalidSettings("device is cuda, but onnxruntime finds no GPU; use auto or cpu")
    return [gpu, processor]


def torch_device(wanted: str, extra: str) -> str:
    """Where a torch model runs: as wanted, or wherever `auto` finds a GPU [MDL-07]."""
    if wanted != "auto":
        return wanted
    return "cuda" if package("torch", extra).cuda.is_available() else "cpu"


def readable(text: str) -> str:
    """Half a surrogate pair is no text to a tokenizer."""
    return text.encode("utf-8", "replace").decode("utf-8")


def units(vectors: Any) -> NDArray[np.float32]:
    """Each row at length one; a row that has none, since nothing was understood, points one way.

    >>> units([[3.0, 4.0], [0.0, 0.0]]).round(1).tolist()
    [[0.6000000238418579, 0.800000011920929], [1.0, 0.0]]
    """
    rows = np.nan_to_num(np.asarray(vectors, dtype=np.float64))
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    rows[lengths[:, 0] == 0, 0] = 1.0
    made: NDArray[np.float32] = (rows / np.where(lengths > 0, lengths, 1.0)).astype(np.float32)
    return made
