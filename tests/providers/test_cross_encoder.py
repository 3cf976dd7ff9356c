"""The cross-encoder: with stand-ins for its two packages, and with the real ones where they are."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from sharpwave.errors import InvalidSettings
from sharpwave.providers import cross_encoder
from sharpwave.providers.cross_encoder import CrossEncoder
from sharpwave.settings import Settings
from sharpwave.tunables.models import EmbedderSettings
from sharpwave.tunables.recalling import RerankerSettings
from sharpwave.wiring import open_ports


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
    for name in cross_encoder.FILES:
        (tmp_path / name).write_bytes(b"there")
    return tmp_path


@pytest.fixture
def packages(monkeypatch: pytest.MonkeyPatch) -> None:
    stand_ins = {
        "onnxruntime": SimpleNamespace(SessionOptions=SimpleNamespace, InferenceSession=Session),
        "tokenizers": SimpleNamespace(Tokenizer=Words()),
    }
    monkeypatch.setattr(cross_encoder, "import_module", stand_ins.__getitem__)


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
        reranker=RerankerSettings(provider="cross-encoder", folder=folder),
    )
    ports = open_ports(chosen)
    ports.store.close()

    assert isinstance(ports.reranker, CrossEncoder)
    unsaid = RerankerSettings(provider="cross-encoder")
    with pytest.raises(InvalidSettings, match=r"reranker\.folder"):
        open_ports(chosen.model_copy(update={"reranker": unsaid}))


def test_a_missing_package_is_named_with_how_to_get_it(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(name: str) -> Any:
        raise ModuleNotFoundError(f"No module named {name!r}")

    monkeypatch.setattr(cross_encoder, "import_module", refuse)
    with pytest.raises(InvalidSettings, match=r"onnxruntime.*pip install 'sharpwave\[cross"):
        CrossEncoder(folder, 256)


@pytest.mark.usefixtures("packages")
@pytest.mark.parametrize("name", cross_encoder.FILES)
def test_a_missing_file_is_named(folder: Path, name: str) -> None:
    (folder / name).unlink()
    with pytest.raises(InvalidSettings, match=name):
        CrossEncoder(folder, 256)


@pytest.mark.usefixtures("packages")
def test_a_broken_model_is_refused(folder: Path) -> None:
    (folder / "model.onnx").write_bytes(b"broken")
    with pytest.raises(InvalidSettings, match="no such operator"):
        CrossEncoder(folder, 256)


def test_a_real_model_runs(tmp_path: Path) -> None:
    """A model of one layer, made here: it adds up the numbers of the tokens."""
    reason = "onnx, onnxruntime and tokenizers are not part of the development environment"
    onnx = pytest.importorskip("onnx", reason=reason)
    pytest.importorskip("onnxruntime", reason=reason)
    tokenizers = pytest.importorskip("tokenizers", reason=reason)
    helper, kinds = onnx.helper, onnx.TensorProto
    nodes = [
        helper.make_node("Cast", ["input_ids"], ["floats"], to=kinds.FLOAT),
        helper.make_node("ReduceSum", ["floats"], ["logits"], keepdims=1),
    ]
    given = helper.make_tensor_value_info("input_ids", kinds.INT64, [1, None])
    made = helper.make_tensor_value_info("logits", kinds.FLOAT, [1, 1])
    graph = helper.make_graph(nodes, "sum", [given], [made])
    versions = [helper.make_opsetid("", 13)]
    onnx.save(helper.make_model(graph, opset_imports=versions, ir_version=8),
              str(tmp_path / "model.onnx"))  # fmt: skip
    words = tokenizers.Tokenizer(
        tokenizers.models.WordLevel({"?": 0, "where": 1, "basel": 7, "cat": 2}, unk_token="?")
    )
    words.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    words.save(str(tmp_path / "tokenizer.json"))

    scores = CrossEncoder(tmp_path, 256).score("where", ["basel", "cat cat", "dog"])
    assert scores.tolist() == [8, 5, 1]
