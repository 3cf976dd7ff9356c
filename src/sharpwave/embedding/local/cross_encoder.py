"""A cross-encoder as a reranker: a transformer that reads question and text together.

The best judge there is, at some ten milliseconds a text: for those who have the time. Any model of
the BERT family in ONNX form will do, from a folder on this machine that holds `model.onnx` and
`tokenizer.json`; nothing is downloaded. Needs the packages `onnxruntime` and `tokenizers`.
"""

import threading
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sharpwave.embedding.local.loading import onnx_providers, package, readable
from sharpwave.errors import InvalidSettings

EXTRA = "cross-encoder"
FILES = ("model.onnx", "tokenizer.json")


class CrossEncoder:
    """Scores each text by itself. Safe to share between threads."""

    def __init__(self, folder: Path, max_tokens: int, device: str = "cpu") -> None:
        """Load the model; InvalidSettings says what is missing."""
        runtime, tokenizers = package("onnxruntime", EXTRA), package("tokenizers", EXTRA)
        for name in FILES:
            if not (folder / name).is_file():
                raise InvalidSettings(f"the cross-encoder's folder has no {folder / name}")
        options = runtime.SessionOptions()
        options.intra_op_num_threads = 1
        providers = onnx_providers(device, runtime.get_available_providers())
        try:
            self._session = runtime.InferenceSession(
                str(folder / "model.onnx"), options, providers=providers
            )
            self._tokenizer = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
        # Whatever the library raises at a model that is none, the user must hear of the folder.
        except Exception as error:
            raise InvalidSettings(f"the cross-encoder in {folder} is no use: {error}") from error
        self._inputs = {each.name for each in self._session.get_inputs()}
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(max_tokens)
        self._lock = threading.Lock()

    def score(self, query: str, texts: Sequence[str]) -> NDArray[np.float32]:
        """How well each text answers the query; only the order means something."""
        scores = np.array([self._one(query, text) for text in texts], dtype=np.float32)
        return np.nan_to_num(scores.reshape(len(texts)))

    def _one(self, query: str, text: str) -> float:
        with self._lock:
            pair = self._tokenizer.encode(readable(query), readable(text))
        given = {
            "input_ids": np.array([pair.ids], np.int64),
            "attention_mask": np.array([pair.attention_mask], np.int64),
            "token_type_ids": np.array([pair.type_ids], np.int64),
        }
        kept = {name: value for name, value in given.items() if name in self._inputs}
        return float(self._session.run(None, kept)[0].ravel()[-1])
