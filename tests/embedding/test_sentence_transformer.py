"""The sentence-transformers embedder, with a stand-in for the package."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from sharpwave import InvalidSettings, Settings
from sharpwave.embedding import local_models
from sharpwave.embedding.local_models import SentenceTransformerEmbedder
from sharpwave.settings.models import EmbedderSettings
from sharpwave.wiring import open_resources


class Model:
    def __init__(self, path: str, device: str, local_files_only: bool) -> None:
        assert local_files_only, "nothing may be downloaded"
        self.device = device
        if (Path(path) / "broken").exists():
            raise ValueError("no such layer")

    def get_sentence_embedding_dimension(self) -> int:
        return 8

    def encode(self, texts: list[str], **options: Any) -> NDArray[np.float64]:
        assert options["normalize_embeddings"]
        rows = np.array([[1.0 + len(text.encode()) % 7] + [1.0] * 7 for text in texts])
        lengths: NDArray[np.float64] = np.linalg.norm(rows, axis=1, keepdims=True)
        return rows / lengths


class GPU:
    there = False

    @classmethod
    def is_available(cls) -> bool:
        return cls.there


@pytest.fixture
def package(monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in = SimpleNamespace(SentenceTransformer=Model, cuda=GPU)
    monkeypatch.setattr(local_models, "import_module", lambda _: stand_in)


@pytest.mark.usefixtures("package")
def test_it_gives_unit_vectors(tmp_path: Path) -> None:
    embedder = SentenceTransformerEmbedder(tmp_path)

    vectors = embedder.embed(["a", "", "\ud800"])

    assert vectors.shape == (3, embedder.space.dimension) and vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert embedder.embed([]).shape == (0, 8)
    assert np.array_equal(embedder.embed_question("a"), vectors[0])


@pytest.mark.spec("MDL-07")
@pytest.mark.usefixtures("package")
def test_it_runs_on_the_processor_unless_a_gpu_is_wanted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def device(wanted: str) -> object:
        return SentenceTransformerEmbedder(tmp_path, wanted)._model.device

    assert EmbedderSettings().device == "cpu" == device("cpu") == device("auto")
    assert SentenceTransformerEmbedder(tmp_path)._model.device == "cpu"
    monkeypatch.setattr(GPU, "there", True)
    assert device("auto") == "cuda" == device("cuda") and device("cpu") == "cpu"


@pytest.mark.usefixtures("package")
def test_settings_choose_it(tmp_path: Path) -> None:
    chosen = EmbedderSettings(provider="sentence-transformers", model_folder=tmp_path)
    opened = open_resources(Settings(path=tmp_path / "memory.db", embedder=chosen))
    assert opened.embedder.space.name == f"sentence-transformers:{tmp_path.name}"
    opened.store.close()


@pytest.mark.usefixtures("package")
def test_what_is_missing_is_said(tmp_path: Path) -> None:
    (tmp_path / "broken").touch()
    with pytest.raises(InvalidSettings, match="no use"):
        SentenceTransformerEmbedder(tmp_path)
    for folder, problem in ((None, "say where"), (tmp_path / "none", "no folder")):
        chosen = EmbedderSettings(provider="sentence-transformers", model_folder=folder)
        with pytest.raises(InvalidSettings, match=rf"embedder\.model_folder: .*{problem}"):
            open_resources(Settings(path=tmp_path / "memory.db", embedder=chosen))


def test_without_the_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> None:
        raise ImportError(name)

    monkeypatch.setattr(local_models, "import_module", missing)
    with pytest.raises(InvalidSettings, match="pip install"):
        SentenceTransformerEmbedder(tmp_path)
