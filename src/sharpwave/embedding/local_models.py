"""Models of other libraries that run on this machine, from folders: nothing is downloaded.

    Model2VecEmbedder             `model2vec`: a table of word pieces, in any language
    FastEmbedEmbedder             `fastembed`: transformers in ONNX form, without torch
    SentenceTransformerEmbedder   `sentence-transformers`: slower, and better across languages;
                                  e.g. paraphrase-multilingual-mpnet-base-v2 [MDL-01]
    CrossEncoder                  reranker: a BERT in ONNX form that reads question and text
                                  together; about ten milliseconds for each text
    GlinerNames                   `gliner`: finds names; slower than our rules, in more languages;
                                  e.g. gliner_medium-v2.1 [MDL-03]

Each loads its library when it is made. All are safe to share between threads.
"""

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

VERSION = "1"  # the vectors depend on the model; raise this if texts are ever treated differently
BATCH_SIZE = 128
"""Number of texts embedded at once."""
MIN_NAME_SCORE = 0.5
"""Minimum score of a name that GLiNER finds."""
CROSS_ENCODER_TOKENS = 256
"""Maximum number of tokens of question and text that a cross-encoder reads."""
CROSS_ENCODER_FILES = ("model.onnx", "tokenizer.json")
_SENTENCE_TRANSFORMERS, _CROSS_ENCODER, _GLINER = "sentence-transformers", "cross-encoder", "gliner"


class _FolderEmbedder:
    """Embeds texts with a model in a folder; subclasses implement it for each library."""

    _space: Space

    @property
    def space(self) -> Space:
        """Name, version and dimension, stored beside the vectors."""
        return self._space

    def embed(self, statements: Sequence[str]) -> NDArray[np.float32]:
        """One unit vector for each statement, shape (n, dimension)."""
        if not statements:
            return np.empty((0, self._space.dimension), dtype=np.float32)
        return units(self._encode([readable(text) for text in statements]))

    def embed_question(self, question: str) -> NDArray[np.float32]:
        """The unit vector to search with."""
        vector: NDArray[np.float32] = self.embed([question])[0]
        return vector

    def _encode(self, texts: list[str]) -> Any:
        raise NotImplementedError


class Model2VecEmbedder(_FolderEmbedder):
    """A model2vec model, as `StaticModel.save_pretrained` writes it."""

    def __init__(self, folder: Path) -> None:
        """Load the model; InvalidSettings says what is missing."""
        static = package("model2vec", "model2vec").StaticModel
        try:
            self._model = static.from_pretrained(str(folder), force_download=False)
        # Whatever the library raises, the error must name the folder.
        except Exception as error:
            raise InvalidSettings(f"the model in {folder} is no use: {error}") from error
        self._space = Space(f"model2vec:{folder.name}", VERSION, int(self._model.dim))

    def _encode(self, texts: list[str]) -> Any:
        return self._model.encode(texts, use_multiprocessing=False)


class FastEmbedEmbedder(_FolderEmbedder):
    """A model of fastembed: its name selects how it is used, the folder holds its files."""

    def __init__(self, model: str, folder: Path, device: str = "cpu") -> None:
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
        # Whatever the library raises, the error must name model and folder.
        except Exception as error:
            raise InvalidSettings(
                f"embedder.model {model!r} in {folder} is no use: {error}"
            ) from error
        self._space = Space(f"fastembed:{model}", VERSION, size)

    def _encode(self, texts: list[str]) -> Any:
        return list(self._model.passage_embed(texts, batch_size=BATCH_SIZE))

    def embed_question(self, question: str) -> NDArray[np.float32]:
        """The unit vector to search with, in the way in which the model embeds questions."""
        vector: NDArray[np.float32] = units(list(self._model.query_embed(readable(question))))[0]
        return vector


class SentenceTransformerEmbedder(_FolderEmbedder):
    """A sentence-transformers model."""

    def __init__(self, folder: Path, device: str = "cpu") -> None:
        """Load the model; InvalidSettings says what is missing."""
        library = package("sentence_transformers", _SENTENCE_TRANSFORMERS)
        device = torch_device(device, _SENTENCE_TRANSFORMERS)
        try:
            self._model = library.SentenceTransformer(
                str(folder), device=device, local_files_only=True
            )
        # Whatever the library raises, the error must name the folder.
        except Exception as error:
            raise InvalidSettings(f"the model in {folder} is no use: {error}") from error
        size_of = getattr(self._model, "get_embedding_dimension", None)  # its newer name
        size = int((size_of or self._model.get_sentence_embedding_dimension)())
        self._space = Space(f"sentence-transformers:{folder.name}", VERSION, size)

    def _encode(self, texts: list[str]) -> Any:
        return self._model.encode(
            texts,
            batch_size=BATCH_SIZE,
            normalize_embeddings=True,
            convert_to_numpy=True,
            show_progress_bar=False,
        )


class CrossEncoder:
    """Scores each text by itself against the query."""

    def __init__(
        self, folder: Path, max_tokens: int = CROSS_ENCODER_TOKENS, device: str = "cpu"
    ) -> None:
        """Load the model; InvalidSettings says what is missing."""
        runtime = package("onnxruntime", _CROSS_ENCODER)
        tokenizers = package("tokenizers", _CROSS_ENCODER)
        for name in CROSS_ENCODER_FILES:
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
        # Whatever the library raises, the error must name the folder.
        except Exception as error:
            raise InvalidSettings(f"the cross-encoder in {folder} is no use: {error}") from error
        self._inputs = {model_input.name for model_input in self._session.get_inputs()}
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(max_tokens)
        self._lock = threading.Lock()

    def score(self, query: str, texts: Sequence[str]) -> NDArray[np.float32]:
        """How well each text answers the query; only the order is meaningful."""
        scores = np.array([self._score(query, text) for text in texts], dtype=np.float32)
        return np.nan_to_num(scores.reshape(len(texts)))

    def _score(self, query: str, text: str) -> float:
        with self._lock:
            pair = self._tokenizer.encode(readable(query), readable(text))
        inputs = {
            "input_ids": np.array([pair.ids], np.int64),
            "attention_mask": np.array([pair.attention_mask], np.int64),
            "token_type_ids": np.array([pair.type_ids], np.int64),
        }
        known = {name: value for name, value in inputs.items() if name in self._inputs}
        return float(self._session.run(None, known)[0].ravel()[-1])


class GlinerNames:
    """Finds names with a GLiNER model."""

    def __init__(self, folder: Path, device: str = "cpu") -> None:
        """Load the model; InvalidSettings says what is missing."""
        library = package("gliner", _GLINER)
        device = torch_device(device, _GLINER)
        try:
            self._model = library.GLiNER.from_pretrained(
                str(folder), local_files_only=True, map_location=device
            )
        # Whatever the library raises, the error must name the folder.
        except Exception as error:
            raise InvalidSettings(f"the model in {folder} is no use: {error}") from error
        self._lock = threading.Lock()

    def find(self, texts: Sequence[str]) -> list[tuple[Mention, ...]]:
        """The names in each text, each once, at its first place."""
        if not texts:
            return []
        labels = [kind.value for kind in EntityKind]
        with self._lock:
            found = self._model.inference(
                [readable(text) for text in texts], labels, threshold=MIN_NAME_SCORE
            )
        return [_mentions(in_text) for in_text in found]


def _mentions(found: Sequence[dict[str, object]]) -> tuple[Mention, ...]:
    mentions: dict[str, Mention] = {}
    for entity in sorted(found, key=lambda entity: int(str(entity["start"]))):
        name = " ".join(str(entity["text"]).split())
        span = Span(int(str(entity["start"])), int(str(entity["end"])))
        mentions.setdefault(name, Mention(name, EntityKind(str(entity["label"])), span))
    return tuple(mentions.values())


def package(name: str, extra: str) -> Any:
    """An optional package; InvalidSettings says how to get it."""
    try:
        return import_module(name)
    except ImportError as error:
        raise InvalidSettings(
            f"this model needs the package {name}; run: pip install 'sharpwave[{extra}]'"
        ) from error


def existing(folder: Path | None, setting: str) -> Path:
    """The folder of a model, if it exists; InvalidSettings otherwise."""
    if folder is None:
        raise InvalidSettings(f"{setting}: say where the model is")
    path = folder.expanduser()
    if not path.is_dir():
        raise InvalidSettings(f"{setting}: there is no folder {path}")
    return path


def onnx_providers(wanted: str, available: Collection[str]) -> list[str]:
    """ONNX providers for a device: cpu, cuda, or auto for a GPU if there is one [MDL-07].

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
    """The torch device: as wanted, or for `auto` a GPU if there is one [MDL-07]."""
    if wanted != "auto":
        return wanted
    return "cuda" if package("torch", extra).cuda.is_available() else "cpu"


def readable(text: str) -> str:
    """The text without half surrogate pairs, which tokenizers refuse."""
    return text.encode("utf-8", "replace").decode("utf-8")


def units(vectors: Any) -> NDArray[np.float32]:
    """The rows scaled to length one; a row of zeros becomes (1, 0, …).

    >>> units([[3.0, 4.0], [0.0, 0.0]]).round(1).tolist()
    [[0.6000000238418579, 0.800000011920929], [1.0, 0.0]]
    """
    rows = np.nan_to_num(np.asarray(vectors, dtype=np.float64))
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    rows[lengths[:, 0] == 0, 0] = 1.0
    scaled: NDArray[np.float32] = (rows / np.where(lengths > 0, lengths, 1.0)).astype(np.float32)
    return scaled
