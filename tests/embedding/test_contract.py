"""The contracts of embedders and rerankers, on those that need no other package than ours."""

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from sharpwave import Embedder, InvalidSettings, Settings
from sharpwave.embedding import local_models
from sharpwave.embedding.cached_embedder import CachedEmbedder
from sharpwave.embedding.check import EMBEDDER, RERANKER
from sharpwave.embedding.encoder import SentenceEncoder
from sharpwave.embedding.hash_embedder import HashEmbedder
from sharpwave.embedding.local_models import FastEmbedEmbedder, Model2VecEmbedder, onnx_providers
from sharpwave.embedding.sharpwave_embedder import SharpwaveEmbedder
from sharpwave.embedding.table_embedder import TableEmbedder
from sharpwave.settings.models import EmbedderSettings
from sharpwave.wiring import open_resources

MADE: dict[str, Callable[[], Embedder]] = {
    "sharpwave": SharpwaveEmbedder,
    "encoder": SentenceEncoder,
    "table": TableEmbedder,
    "hash": lambda: HashEmbedder(64),
    "cached": lambda: CachedEmbedder(HashEmbedder(64), 4),
}


@pytest.fixture(scope="module", params=MADE)
def embedder(request: pytest.FixtureRequest) -> Embedder:
    return MADE[request.param]()


@pytest.mark.parametrize("check", EMBEDDER, ids=lambda check: check.__name__)
def test_an_embedder_keeps_the_contract(
    check: Callable[[Embedder], None], embedder: Embedder
) -> None:
    check(embedder)


class Broken(HashEmbedder):
    """Embeds, but breaks one promise."""

    def __init__(self, promise: str) -> None:
        super().__init__(64)
        self._promise = promise
        self._kept = super().embed(["kept"])
        self._calls = 0

    def embed(self, statements: Any) -> NDArray[np.float32]:
        made = super().embed(statements)
        self._calls += 1
        if self._promise == "check_nothing" and not statements:
            return np.empty(0, dtype=np.float32)
        if self._promise == "check_vectors":
            return made * 2
        if self._promise == "check_fresh_arrays":
            return self._kept
        if self._promise == "check_alone_or_together" and len(statements) > 1:
            return made[::-1].copy()
        if self._promise == "check_shared_embedder" and self._calls > 1:
            return -made
        return made


@pytest.mark.parametrize("check", [one for one in EMBEDDER if one.__name__ != "check_space"],
                         ids=lambda check: check.__name__)  # fmt: skip
def test_a_broken_promise_is_noticed(check: Callable[[Embedder], None]) -> None:
    with pytest.raises(AssertionError):
        check(Broken(check.__name__))


class Lengths:
    """Scores by how much shorter or longer a text is."""

    def score(self, query: str, texts: Any) -> NDArray[np.float32]:
        return np.array([-abs(len(query) - len(text)) for text in texts], dtype=np.float32)


class Misleading(Lengths):
    """Scores, but breaks one promise."""

    def __init__(self, promise: str) -> None:
        self._promise = promise
        self._calls = 0

    def score(self, query: str, texts: Any) -> NDArray[np.float32]:
        scores = super().score(query, texts)
        self._calls += 1
        if self._promise == "check_scores":
            return np.where([text == "" for text in texts], np.float32("nan"), scores)
        if self._promise == "check_no_texts" and not texts:
            return np.empty((0, 1), dtype=np.float32)
        if self._promise == "check_each_by_itself":
            return np.arange(len(texts), dtype=np.float32)
        if self._promise == "check_shared_reranker" and self._calls > 1:
            return -scores
        return scores


@pytest.mark.parametrize("check", RERANKER, ids=lambda check: check.__name__)
def test_a_reranker_keeps_the_contract(check: Callable[[Any], None]) -> None:
    check(Lengths())


@pytest.mark.parametrize("check", RERANKER, ids=lambda check: check.__name__)
def test_a_broken_promise_of_a_reranker_is_noticed(check: Callable[[Any], None]) -> None:
    with pytest.raises(AssertionError):
        check(Misleading(check.__name__))


# --- local models, with stand-ins for their packages ----------------------------------------------


class Static:
    """As model2vec's: texts without a known token are zeros."""

    dim = 8

    @classmethod
    def from_pretrained(cls, path: str, force_download: bool) -> "Static":
        assert not force_download, "nothing may be downloaded"
        if (Path(path) / "broken").exists():
            raise FileNotFoundError("model.safetensors")
        return cls()

    def encode(self, texts: list[str], use_multiprocessing: bool) -> NDArray[np.float32]:
        rows = HashEmbedder(64).embed(texts)[:, :8]
        return np.array([row if text.strip() else row * 0 for row, text in zip(rows, texts)])  # noqa: B905


class Fast:
    """As fastembed's: one vector at a time, questions differently."""

    embedding_size = 8

    def __init__(self, model: str, **options: Any) -> None:
        assert options["local_files_only"] and options["threads"] == 1
        self.providers = options["providers"]
        if model == "unknown":
            raise ValueError("not supported")

    def passage_embed(self, texts: list[str], batch_size: int) -> Any:
        return iter(HashEmbedder(64).embed(texts)[:, :8])

    def query_embed(self, text: str) -> Any:
        return self.passage_embed([f"query: {text}"], 1)


@pytest.fixture
def packages(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    available = ["CPUExecutionProvider"]
    stand_ins = {
        "model2vec": SimpleNamespace(StaticModel=Static),
        "fastembed": SimpleNamespace(TextEmbedding=Fast),
        "onnxruntime": SimpleNamespace(get_available_providers=lambda: available),
    }
    monkeypatch.setattr(local_models, "import_module", stand_ins.__getitem__)
    return available


@pytest.mark.usefixtures("packages")
@pytest.mark.parametrize("check", EMBEDDER, ids=lambda check: check.__name__)
def test_local_models_keep_the_contract(check: Callable[[Embedder], None], tmp_path: Path) -> None:
    check(Model2VecEmbedder(tmp_path))
    check(FastEmbedEmbedder("m", tmp_path))


@pytest.mark.usefixtures("packages")
@pytest.mark.parametrize("provider", ["model2vec", "fastembed"])
def test_settings_choose_it(provider: Any, tmp_path: Path) -> None:
    chosen = EmbedderSettings(provider=provider, model="m", model_folder=tmp_path)
    opened = open_resources(Settings(path=tmp_path / "memory.db", embedder=chosen))
    assert opened.embedder.space.name.startswith(f"{provider}:")
    opened.store.close()


@pytest.mark.usefixtures("packages")
def test_a_model_that_is_none_is_named(tmp_path: Path) -> None:
    (tmp_path / "broken").touch()
    with pytest.raises(InvalidSettings, match=r"no use: model\.safetensors"):
        Model2VecEmbedder(tmp_path)
    with pytest.raises(InvalidSettings, match=r"embedder\.model 'unknown' .* not supported"):
        FastEmbedEmbedder("unknown", tmp_path)


def test_a_missing_package_is_named_with_how_to_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(name: str) -> Any:
        raise ModuleNotFoundError(name)

    monkeypatch.setattr(local_models, "import_module", refuse)
    with pytest.raises(InvalidSettings, match=r"pip install 'sharpwave\[model2vec\]'"):
        Model2VecEmbedder(tmp_path)
    with pytest.raises(InvalidSettings, match=r"pip install 'sharpwave\[fastembed\]'"):
        FastEmbedEmbedder("m", tmp_path)


@pytest.mark.spec("MDL-07")
def test_a_gpu_is_used_when_it_is_wanted_and_there(packages: list[str], tmp_path: Path) -> None:
    def used(device: str) -> object:
        return FastEmbedEmbedder("m", tmp_path, device)._model.providers

    processor, both = ["CPUExecutionProvider"], ["CUDAExecutionProvider", "CPUExecutionProvider"]
    assert used("cpu") == used("auto") == processor
    with pytest.raises(InvalidSettings, match="finds no GPU"):
        used("cuda")
    packages.append("CUDAExecutionProvider")
    assert used("cpu") == processor and used("auto") == used("cuda") == both
    assert onnx_providers("cuda", both) == both
