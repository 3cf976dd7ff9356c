"""The cross-encoder, with stand-ins for its two packages; `make models` runs it with real ones."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from sharpwave import InvalidSettings, Settings
from sharpwave.embedding import local_models
from sharpwave.embedding.local_models import CrossEncoder
from sharpwave.settings.models import EmbedderSettings, RerankerSettings
from sharpwave.wiring import open_resources


class Session:
    """Scores by how many tokens there are; takes no kinds of tokens."""

    def __init__(self, path: str, options: Any, providers: list[str]) -> None:
        if Path(path).read_bytes() == b"broken":
            raise RuntimeError("no such operator")
        assert options.intra_op_num_threads == 1

    def get_inputs(self) -> list[Any]:
        return [SimpleNamespace(name="input_ids"), SimpleNamespace(name="attention_mask")]

    def run(self, _: None, given: dict[str, Any]) -> list[Any]:
        assert set(given) == {"input_ids", "attention_mask"}
        assert given["input_ids"].dtype == np.int64
        return [np.array([[given["input_ids"].sum()]], np.float32)]


class Words:
    """A word is a token: its length."""

    def from_file(self, path: str) -> "Words":
        self.limit = 0
        return self

    def no_padding(self) -> None: ...

    def enable_truncation(self, limit: int) -> None:
        self.limit = limit

    def encode(self, query: str, text: str) -> Any:
        both = [len(one) for one in f"{query} {text}".split()][: self.limit]
        return SimpleNamespace(ids=both, attention_mask=[1] * len(both), type_ids=[0] * len(both))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in local_models.CROSS_ENCODER_FILES:
        (tmp_path / name).write_bytes(b"there")
    return tmp_path


@pytest.fixture
def packages(monkeypatch: pytest.MonkeyPatch) -> None:
    stand_ins = {
        "onnxruntime": SimpleNamespace(
            SessionOptions=SimpleNamespace,
            InferenceSession=Session,
            get_available_providers=lambda: ["CPUExecutionProvider"],
        ),
        "tokenizers": SimpleNamespace(Tokenizer=Words()),
    }
    monkeypatch.setattr(local_models, "import_module", stand_ins.__getitem__)


@pytest.mark.usefixtures("packages")
def test_each_text_is_scored_with_the_question(folder: Path) -> None:
    scores = CrossEncoder(folder, max_tokens=3).score("ab c", ["abc", "", "a bcd", "\ud800"])

    assert scores.dtype == np.float32
    assert scores.tolist() == [6, 3, 4, 4]
    assert CrossEncoder(folder, max_tokens=3).score("ab c", []).shape == (0,)


@pytest.mark.usefixtures("packages")
def test_settings_choose_it(folder: Path) -> None:
    chosen = Settings(
        path=folder / "memory.db",
        embedder=EmbedderSettings(provider="hash"),
        reranker=RerankerSettings(folder=folder),
    )
    opened = open_resources(chosen)
    opened.store.close()

    assert isinstance(opened.reranker, CrossEncoder)
    unsaid = RerankerSettings(folder=folder / "nowhere")
    with pytest.raises(InvalidSettings, match=r"reranker\.folder"):
        open_resources(chosen.model_copy(update={"reranker": unsaid}))


def test_a_missing_package_is_named_with_how_to_get_it(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(name: str) -> Any:
        raise ModuleNotFoundError(f"No module named {name!r}")

    monkeypatch.setattr(local_models, "import_module", refuse)
    with pytest.raises(InvalidSettings, match=r"onnxruntime.*pip install 'sharpwave\[cross"):
        CrossEncoder(folder, 256)


@pytest.mark.usefixtures("packages")
@pytest.mark.parametrize("name", local_models.CROSS_ENCODER_FILES)
def test_a_missing_file_is_named(folder: Path, name: str) -> None:
    (folder / name).unlink()
    with pytest.raises(InvalidSettings, match=name):
        CrossEncoder(folder, 256)


@pytest.mark.usefixtures("packages")
def test_a_broken_model_is_refused(folder: Path) -> None:
    (folder / "model.onnx").write_bytes(b"broken")
    with pytest.raises(InvalidSettings, match="no such operator"):
        CrossEncoder(folder, 256)
