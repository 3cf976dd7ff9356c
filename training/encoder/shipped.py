"""Reads the bundled models back from their eight bits, so that training can go on from them.

    python -m training.encoder.shipped encoder src/sharpwave/data FOLDER
    python -m training.encoder.shipped comparer src/sharpwave/data FOLDER

FOLDER becomes a model that `training.encoder.train` or `training.encoder.comparer` takes as its
`--model`, with `heads.npz` or `head.npz` (for `--head`) beside it. Needs `onnx` and `safetensors`.
"""

import json
import shutil
import sys
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import numpy_helper
from safetensors.numpy import save_file

from sharpwave.embedding.comparer import MODEL as COMPARER
from sharpwave.embedding.encoder import FIRST, MODEL, VOCABULARY
from sharpwave.embedding.reader import HEADS as READER

LAYERS, HEADS = 6, 12
Numbers = dict[str, NDArray[Any]]


def read(folder: Path, which: str) -> tuple[Numbers, Numbers]:
    """The numbers of a model's files, and the weights of its layers under the names of a BERT."""
    stored = {
        one.name: numpy_helper.to_array(one)
        for file in (FIRST, which)
        for one in onnx.load(folder / file).graph.initializer
    }
    words = stored["words"].astype(np.float32) * stored["words.scale"]
    places = stored["places"]
    made = {
        "embeddings.word_embeddings.weight": words,
        "embeddings.position_embeddings.weight": places,
        "embeddings.token_type_embeddings.weight": np.zeros((2, places.shape[1]), np.float32),
        **_norm(stored, "state", "embeddings.LayerNorm"),
    }
    for number in range(LAYERS):
        name, of = f"layer{number}", f"encoder.layer.{number}"
        inner = np.split(_matrix(stored, f"{name}.inner"), 3)
        biases = np.split(stored[f"{name}.inner.bias"], 3)
        for part, weight, bias in zip(("query", "key", "value"), inner, biases, strict=True):
            made[f"{of}.attention.self.{part}.weight"] = weight
            made[f"{of}.attention.self.{part}.bias"] = bias
        products = {
            "attended": "attention.output.dense",
            "wide": "intermediate.dense",
            "narrow": "output.dense",
        }
        for short, long in products.items():
            made[f"{of}.{long}.weight"] = _matrix(stored, f"{name}.{short}")
            made[f"{of}.{long}.bias"] = stored[f"{name}.{short}.bias"]
        made |= _norm(stored, f"{name}.middle", f"{of}.attention.output.LayerNorm")
        made |= _norm(stored, f"{name}.state", f"{of}.output.LayerNorm")
    return stored, {name: np.ascontiguousarray(one, np.float32) for name, one in made.items()}


def _matrix(stored: Numbers, name: str) -> NDArray[np.float32]:
    """Outputs by inputs; a channel that was made smaller for eight bits has its size again."""
    whole = stored[f"{name}.weight"].astype(np.float32)
    weight: NDArray[np.float32] = whole * stored[f"{name}.scale"]
    return (weight * stored[f"{name}.smooth"][:, np.newaxis]).T


def _norm(stored: Numbers, name: str, of: str) -> Numbers:
    return {f"{of}.{part}": stored[f"{name}.{part}"] for part in ("weight", "bias")}


def write_encoder(source: Path, folder: Path) -> None:
    """The encoder, and the reader's heads with the shares of the layers that they look at."""
    stored, weights = read(source, MODEL)
    states = ["state", *(f"layer{number}.state" for number in range(LAYERS))]
    held = {name: each.astype(np.float32) for name, each in np.load(source / READER).items()}
    shares = np.array([stored[f"{state}.share"] for state in states])
    _write(source, folder, weights)
    np.savez(folder / "heads.npz", shares=shares, **held)


def write_comparer(source: Path, folder: Path) -> None:
    """The comparer and its head."""
    stored, weights = read(source, COMPARER)
    head = {}
    for name in ("inner", "outer"):
        head[f"{name}.weight"] = _matrix(stored, name)
        head[f"{name}.bias"] = stored[f"{name}.bias"]
    _write(source, folder, weights)
    np.savez(folder / "head.npz", **head)


def _write(source: Path, folder: Path, weights: Numbers) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    words, places = (
        weights[f"embeddings.{name}_embeddings.weight"].shape for name in ("word", "position")
    )
    config = {
        "architectures": ["BertModel"], "model_type": "bert", "vocab_size": words[0],
        "hidden_size": words[1], "max_position_embeddings": places[0], "type_vocab_size": 2,
        "num_hidden_layers": LAYERS, "num_attention_heads": HEADS, "layer_norm_eps": 1e-12,
        "intermediate_size": weights["encoder.layer.0.intermediate.dense.bias"].shape[0],
    }  # fmt: skip
    (folder / "config.json").write_text(json.dumps(config), "utf-8")
    save_file(weights, folder / "model.safetensors", {"format": "pt"})
    shutil.copyfile(source / VOCABULARY, folder / "vocab.txt")


if __name__ == "__main__":
    {"encoder": write_encoder, "comparer": write_comparer}[sys.argv[1]](
        Path(sys.argv[2]), Path(sys.argv[3])
    )
