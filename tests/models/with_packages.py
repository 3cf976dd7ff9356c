"""Local models with the packages that run them, on tiny models made here; run by `make models`.

Not part of the suite, whose environment has none of these packages: there the same providers are
tested with stand-ins.
"""

import json
from pathlib import Path

import numpy as np
import onnx
import pytest
from model2vec import StaticModel
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace
from tokenizers.processors import TemplateProcessing

from sharpwave import Embedder, InvalidSettings, Memory, Settings
from sharpwave.embedding.check import EMBEDDER, RERANKER
from sharpwave.embedding.local_models import CrossEncoder, FastEmbedEmbedder, Model2VecEmbedder
from sharpwave.settings.models import EmbedderSettings, RerankerSettings

WORDS = "[PAD] [UNK] [CLS] [SEP] where does live in ana porto basel cat the sleeps".split()
MINILM, MINILM_SIZE = "sentence-transformers/all-MiniLM-L6-v2", 384
SAID = ["Ana lives in Porto.", "The cat sleeps in Basel."]


def tokenizer() -> Tokenizer:
    made = Tokenizer(WordLevel({word: at for at, word in enumerate(WORDS)}, unk_token="[UNK]"))
    made.pre_tokenizer = Whitespace()
    return made


def save_onnx(path: Path, *, table: np.ndarray | None) -> None:
    """A model of one layer: what a table has for each token, or the sum of the tokens' numbers."""
    helper, kinds = onnx.helper, onnx.TensorProto
    ids = helper.make_tensor_value_info("input_ids", kinds.INT64, ["batch", "tokens"])
    mask = helper.make_tensor_value_info("attention_mask", kinds.INT64, ["batch", "tokens"])
    if table is None:
        nodes = [
            helper.make_node("Cast", ["input_ids"], ["floats"], to=kinds.FLOAT),
            helper.make_node("ReduceSum", ["floats"], ["made"], keepdims=1),
        ]
        out, held = helper.make_tensor_value_info("made", kinds.FLOAT, [1, 1]), []
        given = [ids]
    else:
        nodes = [helper.make_node("Gather", ["table", "input_ids"], ["made"], axis=0)]
        shape = ["batch", "tokens", table.shape[1]]
        out = helper.make_tensor_value_info("made", kinds.FLOAT, shape)
        held, given = [onnx.numpy_helper.from_array(table, "table")], [ids, mask]
    graph = helper.make_graph(nodes, "tiny", given, [out], held)
    version = [helper.make_opsetid("", 13)]
    onnx.save(helper.make_model(graph, opset_imports=version, ir_version=8), str(path))


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    dice = np.random.default_rng(1)
    found = {name: tmp_path_factory.mktemp(name) for name in ("model2vec", "fastembed", "cross")}
    static = StaticModel(dice.normal(size=(len(WORDS), 32)).astype(np.float32), tokenizer())
    static.save_pretrained(found["model2vec"])
    table = dice.normal(size=(len(WORDS), MINILM_SIZE)).astype(np.float32)
    save_onnx(found["fastembed"] / "model.onnx", table=table)
    save_onnx(found["cross"] / "model.onnx", table=None)
    tokenizer().save(str(found["cross"] / "tokenizer.json"))
    framed = tokenizer()
    ends = [("[CLS]", WORDS.index("[CLS]")), ("[SEP]", WORDS.index("[SEP]"))]
    framed.post_processor = TemplateProcessing(single="[CLS] $A [SEP]", special_tokens=ends)
    framed.save(str(found["fastembed"] / "tokenizer.json"))
    special = {"pad_token": "[PAD]", "unk_token": "[UNK]", "cls_token": "[CLS]"}
    limits = {"model_max_length": 128, "pad_token": "[PAD]"}
    for name, content in {
        "config": {"pad_token_id": 0, "max_position_embeddings": 128},
        "tokenizer_config": limits,
        "special_tokens_map": special,
    }.items():
        (found["fastembed"] / f"{name}.json").write_text(json.dumps(content))
    return found


@pytest.fixture(scope="module", params=["model2vec", "fastembed"])
def embedder(request: pytest.FixtureRequest, folders: dict[str, Path]) -> Embedder:
    if request.param == "model2vec":
        return Model2VecEmbedder(folders["model2vec"])
    return FastEmbedEmbedder(MINILM, folders["fastembed"])


@pytest.mark.parametrize("check", EMBEDDER, ids=lambda check: check.__name__)
def test_embedders_keep_the_contract(check: object, embedder: Embedder) -> None:
    assert callable(check)
    check(embedder)


@pytest.mark.parametrize("check", RERANKER, ids=lambda check: check.__name__)
def test_the_cross_encoder_keeps_the_contract(check: object, folders: dict[str, Path]) -> None:
    assert callable(check)
    check(CrossEncoder(folders["cross"], 256, "auto"))


def test_the_cross_encoder_reads_question_and_text(folders: dict[str, Path]) -> None:
    scores = CrossEncoder(folders["cross"], 256).score("where", ["basel", "cat cat", "dog"])
    expected = [WORDS.index("basel"), 2 * WORDS.index("cat"), WORDS.index("[UNK]")]
    assert scores.tolist() == [WORDS.index("where") + one for one in expected]


@pytest.mark.parametrize("name", ["model2vec", "fastembed"])
def test_a_memory_with_it(name: str, folders: dict[str, Path], tmp_path: Path) -> None:
    chosen = {"provider": name, "model": MINILM, "model_folder": folders[name]}
    settings = Settings(
        path=tmp_path / "m.db",
        embedder=EmbedderSettings.model_validate(chosen),
        reranker=RerankerSettings(folder=folders["cross"]),
    )
    with Memory.open(settings=settings) as memory:
        memory.remember(SAID)
        found = [item.text for item in memory.recall("Where does Ana live?").items]
        assert any("Porto" in text for text in found)
        assert memory.admin.verify().ok


def test_a_folder_without_a_model_is_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidSettings, match=str(tmp_path)):
        Model2VecEmbedder(tmp_path)
    with pytest.raises(InvalidSettings, match=str(tmp_path)):
        FastEmbedEmbedder(MINILM, tmp_path)
    with pytest.raises(InvalidSettings, match="text-embedding-3-small"):
        FastEmbedEmbedder("text-embedding-3-small", tmp_path)
    with pytest.raises(InvalidSettings, match="finds no GPU"):
        FastEmbedEmbedder(MINILM, tmp_path, "cuda")
