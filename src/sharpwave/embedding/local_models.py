"""What models in folders have in common: an optional package, a device, texts and unit vectors."""

import threading
from collections.abc import Collection, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sharpwave.errors import InvalidSettings
from sharpwave.types.statements import EntityKind, Mention, Span
from sharpwave.types.storing import Space


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


# The vectors depend on the model; raise this if we ever treat texts differently.
VERSION = "1"


class Model2VecEmbedder:
    """Embeds texts with a model in a folder. Safe to share between threads."""

    def __init__(self, folder: Path) -> None:
        """Load the model; InvalidSettings says what is missing."""
        static = package("model2vec", "model2vec").StaticModel
        try:
            self._model = static.from_pretrained(str(folder), force_download=False)
        # Whatever the library raises at a model that is none, the user must hear of the folder.
        except Exception as error:
            raise InvalidSettings(f"the model in {folder} is no use: {error}") from error
        self._space = Space(f"model2vec:{folder.name}", VERSION, int(self._model.dim))

    @property
    def space(self) -> Space:
        """Name, version and dimension, stored beside the vectors."""
        return self._space

    def embed(self, statements: Sequence[str]) -> NDArray[np.float32]:
        """One unit vector a statement, shape (n, dimension)."""
        if not statements:
            return np.empty((0, self._space.dimension), dtype=np.float32)
        texts = [readable(text) for text in statements]
        return units(self._model.encode(texts, use_multiprocessing=False))

    def embed_question(self, question: str) -> NDArray[np.float32]:
        """Return the unit vector to search with."""
        vector: NDArray[np.float32] = self.embed([question])[0]
        return vector


# The vectors depend on the model; raise this if we ever treat texts differently.


class FastEmbedEmbedder:
    """Embeds texts with a model in a folder. Safe to share between threads."""

    def __init__(self, model: str, folder: Path, batch_size: int, device: str = "cpu") -> None:
        """Load the model; InvalidSettings says what is missing."""
        fastembed = package("fastembed", "fastembed")
        runtime = package("onnxruntime", "fastembed")
        providers = onnx_providers(device, runtime.get_available_providers())
        try:
            self._model = fastembed.TextEmbedding(
                model,
                providers=providers,
                threads=1,
                specific_model_path=str(folder),
                local_files_only=True,
            )
            size = int(self._model.embedding_size)
        # Whatever the library raises at a model that is none, the user must hear of both.
        except Exception as error:
            raise InvalidSettings(
                f"embedder.model {model!r} in {folder} is no use: {error}"
            ) from error
        self._batch_size = batch_size
        self._space = Space(f"fastembed:{model}", VERSION, size)

    @property
    def space(self) -> Space:
        """Name, version and dimension, stored beside the vectors."""
        return self._space

    def embed(self, statements: Sequence[str]) -> NDArray[np.float32]:
        """One unit vector a statement, shape (n, dimension)."""
        if not statements:
            return np.empty((0, self._space.dimension), dtype=np.float32)
        texts = [readable(text) for text in statements]
        return units(list(self._model.passage_embed(texts, batch_size=self._batch_size)))

    def embed_question(self, question: str) -> NDArray[np.float32]:
        """Return the unit vector to search with."""
        vector: NDArray[np.float32] = units(list(self._model.query_embed(readable(question))))[0]
        return vector


_SENTENCE_TRANSFORMERS = "sentence-transformers"
# The vectors depend on the model; raise this if we ever treat texts differently.


class SentenceTransformerEmbedder:
    """Embeds texts with a model in a folder. Safe to share between threads."""

    def __init__(self, folder: Path, batch_size: int, device: str = "cpu") -> None:
        """Load the model; InvalidSettings says what is missing."""
        library = package("sentence_transformers", _SENTENCE_TRANSFORMERS)
        try:
            self._model = library.SentenceTransformer(
                str(folder),
                device=torch_device(device, _SENTENCE_TRANSFORMERS),
                local_files_only=True,
            )
        # Whatever the library raises at a model that is none, the user must hear of the folder.
        except Exception as error:
            raise InvalidSettings(f"the model in {folder} is no use: {error}") from error
        self._batch_size = batch_size
        size_of = getattr(self._model, "get_embedding_dimension", None)  # its newer name
        size = int((size_of or self._model.get_sentence_embedding_dimension)())
        self._space = Space(f"sentence-transformers:{folder.name}", VERSION, size)

    @property
    def space(self) -> Space:
        """Name, version and dimension, stored beside the vectors."""
        return self._space

    def embed(self, statements: Sequence[str]) -> NDArray[np.float32]:
        """One unit vector a statement, shape (n, dimension)."""
        if not statements:
            return np.empty((0, self._space.dimension), dtype=np.float32)
        vectors = self._model.encode(
            [readable(text) for text in statements],
            batch_size=self._batch_size,
            normalize_embeddings=True,
            convert_to_numpy=True,
            show_progress_bar=False,
        )
        return units(vectors)

    def embed_question(self, question: str) -> NDArray[np.float32]:
        """Return the unit vector to search with."""
        vector: NDArray[np.float32] = self.embed([question])[0]
        return vector


_CROSS_ENCODER = "cross-encoder"
FILES = ("model.onnx", "tokenizer.json")


class CrossEncoder:
    """Scores each text by itself. Safe to share between threads."""

    def __init__(self, folder: Path, max_tokens: int, device: str = "cpu") -> None:
        """Load the model; InvalidSettings says what is missing."""
        runtime, tokenizers = (
            package("onnxruntime", _CROSS_ENCODER),
            package("tokenizers", _CROSS_ENCODER),
        )
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


_GLINER = "gliner"


class GlinerNames:
    """Finds names with a model in a folder. Safe to share between threads."""

    def __init__(self, folder: Path, threshold: float, device: str = "cpu") -> None:
        """Load the model; InvalidSettings says what is missing."""
        library = package("gliner", _GLINER)
        try:
            self._model = library.GLiNER.from_pretrained(
                str(folder), local_files_only=True, map_location=torch_device(device, _GLINER)
            )
        # Whatever the library raises at a model that is none, the user must hear of the folder.
        except Exception as error:
            raise InvalidSettings(f"the model in {folder} is no use: {error}") from error
        self._threshold = threshold
        self._lock = threading.Lock()

    def find(self, texts: Sequence[str]) -> list[tuple[Mention, ...]]:
        """The names in each text, each once, where it first stands."""
        if not texts:
            return []
        shown = [readable(text) for text in texts]
        labels = [kind.value for kind in EntityKind]
        with self._lock:
            found = self._model.inference(shown, labels, threshold=self._threshold)
        return [_mentions(each) for each in found]


def _mentions(found: Sequence[dict[str, object]]) -> tuple[Mention, ...]:
    made: dict[str, Mention] = {}
    for one in sorted(found, key=lambda one: int(str(one["start"]))):
        name = " ".join(str(one["text"]).split())
        span = Span(int(str(one["start"])), int(str(one["end"])))
        made.setdefault(name, Mention(name, EntityKind(str(one["label"])), span))
    return tuple(made.values())
