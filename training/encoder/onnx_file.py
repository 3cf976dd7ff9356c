"""Writes a BERT as the file that `sharpwave.embedding.encoder` runs: fused, in eight bits.

    python -m training.encoder.onnx_file MODEL src/sharpwave/data [LEARNED …]
    python -m training.encoder.onnx_file comparer src/sharpwave/data LEARNED …

MODEL is a folder with `model.safetensors` and `vocab.txt`, LEARNED folders that `train`
wrote with several seeds: their mean is better than any of them. Where only the last layers were
learned, the file of the first ones, which the comparer shares, stays as it is.

Weights are signed eight-bit numbers with a scale for each column. x86 processors with VNNI multiply
them in little more than half the time of unsigned ones; on those without, they would saturate, and
`open_session` has them read as unsigned. Activations are quantised when it runs, all channels of a
text by one scale, so those with high peaks are made smaller first and their weights larger (as
SmoothQuant does); texts of the corpus tell where the peaks are. Needs `onnx` and `safetensors`,
which the package itself does not.
"""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from onnx.utils import Extractor
from safetensors.numpy import load_file

from sharpwave.embedding.comparer import MODEL as COMPARER
from sharpwave.embedding.comparer import pair_input
from sharpwave.embedding.encoder import FIRST, MODEL, SEEN, SHARED, VOCABULARY, WINDOW
from sharpwave.embedding.reader import HEADS as HEADS_FILE
from sharpwave.embedding.word_pieces import WordPieces
from training.encoder import tasks
from training.encoder.comparer import WEIGHTS as COMPARER_WEIGHTS
from training.encoder.comparer import labelled

HEADS = 12
EPSILON = 1e-12
MICROSOFT = "com.microsoft"  # where onnxruntime keeps its fused operators
OPSET = 18
CALIBRATION_TURNS = 300
WEIGHT_LIMIT, COMPARER_LIMIT, WORD_LIMIT = 127, 12, 31
"""Levels on each side of nought: fewer cost nothing measurable, and a wheel packs them smaller."""

WORDS = 256
"""Numbers of a sentence's words, of which heads that are trained with the encoder know nothing."""

Weights = dict[str, NDArray[np.float32]]


class Graph:
    """An ONNX graph in the making; without peaks it is exact, in floating point."""

    def __init__(
        self, peaks: Mapping[str, NDArray[np.float32]] | None, limit: int = WEIGHT_LIMIT
    ) -> None:
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
        self.peaks, self.limit = peaks, limit

    def constant(self, name: str, values: NDArray[Any]) -> str:
        """Add numbers; returns their name."""
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(values), name))
        return name

    def node(self, kind: str, inputs: list[str], *outputs: str, **options: Any) -> str:
        """Add an operation; returns the name of its first output."""
        self.nodes.append(helper.make_node(kind, inputs, list(outputs), **options))
        return outputs[0]

    def linear(self, given: str, name: str, weight: NDArray[np.float32], bias: Any = None) -> str:
        """A product with a matrix (inputs by outputs), plus the bias."""
        if self.peaks is None:
            product = name if bias is None else f"{name}.product"
            self.node("MatMul", [given, self.constant(f"{name}.weight", weight)], product)
            if bias is not None:
                self.node("Add", [product, self.constant(f"{name}.bias", bias)], name)
            return name
        smooth = _smooth(self.peaks[given], weight)
        self.node("Mul", [given, self.constant(f"{name}.smooth", 1 / smooth)], f"{name}.given")
        weight = weight * smooth[:, np.newaxis]
        scale = np.maximum(np.abs(weight).max(axis=0) / self.limit, EPSILON).astype(np.float32)
        whole = np.clip(np.rint(weight / scale), -self.limit, self.limit)
        inputs = [
            f"{name}.given",
            self.constant(f"{name}.weight", whole.astype(np.int8)),
            self.constant(f"{name}.scale", scale),
            self.constant(f"{name}.zero", np.zeros(len(scale), np.int8)),
        ]
        if bias is not None:
            inputs.append(self.constant(f"{name}.bias", bias))
        return self.node("DynamicQuantizeMatMul", inputs, name, domain=MICROSOFT)

    def norm(self, given: list[str], name: str, of: str, weights: Weights) -> str:
        """Layer normalisation, of a sum if two are given.

        A `Sum` of its own: onnxruntime's SkipLayerNormalization, which would also be made of an
        `Add`, takes four times as long as the two together.
        """
        numbers = [self.constant(f"{name}.{part}", weights[f"{of}.{part}"]) for part in _PARTS]
        whole = self.node("Sum", given, f"{name}.sum") if len(given) > 1 else given[0]
        return self.node("LayerNormalization", [whole, *numbers], name, axis=-1, epsilon=EPSILON)


_PARTS = ("weight", "bias")


def _smooth(peaks: NDArray[np.float32], weight: NDArray[np.float32]) -> NDArray[np.float32]:
    """By how much each channel is made smaller before it is quantised."""
    largest = np.maximum(np.abs(weight).max(axis=1), 1e-5)
    smooth: NDArray[np.float32] = np.sqrt(np.maximum(peaks, 1e-5) / largest)
    return smooth


def build(
    weights: Weights,
    peaks: Mapping[str, NDArray[np.float32]] | None = None,
    shares: Sequence[float] = (),
) -> onnx.ModelProto:
    """The model: ids and mask in; the unit vector of each text, and what the reader sees, out.

    The reader sees the states of all layers, each with its share, or of the last one.
    """
    graph = Graph(peaks)
    state = _embedded(graph, weights)
    states = [state]
    graph.node("Cast", ["mask"], "mask_int", to=TensorProto.INT32)
    layers = 1 + max(int(name.split(".")[2]) for name in weights if ".layer." in name)
    for number in range(layers):
        state = _layer(graph, weights, number, state)
        states.append(state)
    seen = _weighed(graph, states, shares) if len(shares) else [state]
    first = 1 + states.index(SHARED)
    graph.node("Sum", seen[:first], SEEN)
    graph.node("Sum", [SEEN, *seen[first:]], "pieces")
    graph.node("Cast", ["mask"], "mask_float", to=TensorProto.FLOAT)
    graph.node("Unsqueeze", ["mask_float", graph.constant("last", np.array([2]))], "counted")
    graph.node("Mul", [state, "counted"], "kept")
    graph.node("ReduceSum", ["kept", graph.constant("along", np.array([1]))], "sum", keepdims=0)
    graph.node("LpNormalization", ["sum"], "vector", axis=-1, p=2)
    size = weights["embeddings.LayerNorm.weight"].shape[0]
    ids = [("ids", ["batch", "length"]), ("mask", ["batch", "length"])]
    out = [("vector", ["batch", size]), ("pieces", ["batch", "length", size])]
    return _model(
        graph,
        [helper.make_tensor_value_info(name, TensorProto.INT64, shape) for name, shape in ids],
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in out],
    )


def in_two(model: onnx.ModelProto) -> tuple[onnx.ModelProto, onnx.ModelProto]:
    """The first layers, which the comparer shares, and the others."""
    names = {one.name for one in model.graph.value_info}
    inner = [
        helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in (SHARED, SEEN)
    ]
    model.graph.value_info.extend(one for one in inner if one.name not in names)
    cut = Extractor(model)
    first = cut.extract_model(["ids", "mask"], [SHARED, SEEN])
    return first, cut.extract_model([SHARED, SEEN, "mask"], ["vector", "pieces"])


def build_comparer(
    weights: Weights, peaks: Mapping[str, NDArray[np.float32]] | None = None
) -> onnx.ModelProto:
    """What goes on from the shared state of a note and a remark: chances of each relation.

    `means` has two rows, the shares of the pieces in the mean of the note and of the remark.
    """
    graph = Graph(peaks, COMPARER_LIMIT)
    graph.node("Cast", ["mask"], "mask_int", to=TensorProto.INT32)
    state = SHARED
    for number in sorted({int(name.split(".")[2]) for name in weights if ".layer." in name}):
        state = _layer(graph, weights, number, state)
    graph.node("MatMul", ["means", state], "both")
    graph.node("Split", ["both"], "note", "remark", axis=1, num_outputs=2)
    graph.node("Mul", ["note", "remark"], "product")
    graph.node("Sub", ["note", "remark"], "difference")
    graph.node("Abs", ["difference"], "apart")
    graph.node("Concat", ["note", "remark", "product", "apart"], "given", axis=-1)
    for name, given in (("inner", "given"), ("outer", "active")):
        graph.linear(given, name, weights[f"{name}.weight"].T, weights[f"{name}.bias"])
        if name == "inner":
            graph.node("Gelu", [name], "active", domain=MICROSOFT)
    graph.node("Softmax", ["outer"], "chances", axis=-1)
    size = weights["inner.weight"].shape[1] // 4
    value, floats, whole = helper.make_tensor_value_info, TensorProto.FLOAT, TensorProto.INT64
    given = [
        value(SHARED, floats, ["batch", "length", size]),
        value("mask", whole, ["batch", "length"]),
        value("means", floats, ["batch", 2, "length"]),
    ]
    return _model(graph, given, [value("chances", floats, ["batch", 1, "relations"])])


def _model(graph: Graph, given: list[Any], made: list[Any]) -> onnx.ModelProto:
    whole = helper.make_graph(graph.nodes, "model", given, made, graph.constants)
    opsets = [helper.make_opsetid("", OPSET), helper.make_opsetid(MICROSOFT, 1)]
    return helper.make_model(whole, opset_imports=opsets, ir_version=9)


def _weighed(graph: Graph, states: Sequence[str], shares: Sequence[float]) -> list[str]:
    return [
        graph.node(
            "Mul", [state, graph.constant(f"{state}.share", np.float32(share))], f"{state}.seen"
        )
        for state, share in zip(states, shares, strict=True)
    ]


def _embedded(graph: Graph, weights: Weights) -> str:
    words = weights["embeddings.word_embeddings.weight"]
    peaks = np.abs(words).max(axis=1, keepdims=True)
    scale = np.maximum(peaks / WORD_LIMIT, EPSILON).astype(np.float32)
    whole = np.clip(np.rint(words / scale), -WORD_LIMIT, WORD_LIMIT)
    graph.constant("words", whole.astype(np.int8))
    graph.constant("words.scale", scale)
    graph.node("Gather", ["words", "ids"], "rows")
    graph.node("Cast", ["rows"], "rows_float", to=TensorProto.FLOAT)
    graph.node("Gather", ["words.scale", "ids"], "row_scale")
    graph.node("Mul", ["rows_float", "row_scale"], "meanings")
    places = weights["embeddings.position_embeddings.weight"][: WINDOW + 2]
    graph.constant("places", places + weights["embeddings.token_type_embeddings.weight"][0])
    graph.node("Shape", ["ids"], "length", start=1, end=2)
    first = graph.constant("first", np.array([0]))
    graph.node("Slice", ["places", first, "length", first], "used")
    graph.node("Unsqueeze", ["used", first], "placed")
    graph.node("Add", ["meanings", "placed"], "embedded")
    return graph.norm(["embedded"], "state", "embeddings.LayerNorm", weights)


def _layer(graph: Graph, weights: Weights, number: int, state: str) -> str:
    of, name = f"encoder.layer.{number}", f"layer{number}"
    inner = [f"{of}.attention.self.{part}" for part in ("query", "key", "value")]
    matrix = np.concatenate([weights[f"{part}.weight"].T for part in inner], axis=1)
    bias = np.concatenate([weights[f"{part}.bias"] for part in inner])
    graph.linear(state, f"{name}.inner", matrix, bias)
    parts = [f"{name}.query", f"{name}.key", f"{name}.value"]
    graph.node("Split", [f"{name}.inner"], *parts, axis=-1, num_outputs=3)
    graph.node(
        "MultiHeadAttention",
        [*parts, "", "mask_int"],
        f"{name}.seen",
        domain=MICROSOFT,
        num_heads=HEADS,
    )
    output = f"{of}.attention.output"
    _dense(graph, weights, f"{name}.seen", f"{output}.dense", f"{name}.attended")
    given = [f"{name}.attended", state]
    graph.norm(given, f"{name}.middle", f"{output}.LayerNorm", weights)
    wide = f"{of}.intermediate.dense"
    graph.linear(f"{name}.middle", f"{name}.wide", weights[f"{wide}.weight"].T)
    bias_name = graph.constant(f"{name}.wide.bias", weights[f"{wide}.bias"])
    graph.node("BiasGelu", [f"{name}.wide", bias_name], f"{name}.active", domain=MICROSOFT)
    _dense(graph, weights, f"{name}.active", f"{of}.output.dense", f"{name}.narrow")
    given = [f"{name}.narrow", f"{name}.middle"]
    return graph.norm(given, f"{name}.state", f"{of}.output.LayerNorm", weights)


def _dense(graph: Graph, weights: Weights, given: str, of: str, name: str) -> None:
    graph.linear(given, name, weights[f"{of}.weight"].T, weights[f"{of}.bias"])


def measured_peaks(weights: Weights, pieces: WordPieces) -> dict[str, NDArray[np.float32]]:
    """The largest values of each channel that goes into a product, over turns of the corpus."""
    turns = [turn for person in tasks.load() for turn in person.turns]
    given = []
    for turn in turns[:: len(turns) // CALIBRATION_TURNS + 1]:
        ids = np.array([[pieces.begin, *pieces.ids(turn)[:WINDOW], pieces.end]])
        given.append({"ids": ids, "mask": np.ones_like(ids)})
    return _peaks(build(weights), given)


def _peaks(
    model: onnx.ModelProto, given: Sequence[Mapping[str, NDArray[Any]]]
) -> dict[str, NDArray[np.float32]]:
    matrices = {one.name for one in model.graph.initializer}
    products = {
        node.input[0]
        for node in model.graph.node
        if node.op_type == "MatMul" and node.input[1] in matrices
    }
    inputs = {one.name for one in model.graph.input}
    names = sorted(products - inputs)
    kept = [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in names]
    have = {one.name for one in model.graph.output}
    model.graph.output.extend(one for one in kept if one.name not in have)
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    peaks: dict[str, NDArray[np.float32]] = {}
    for one in given:
        values = session.run(names, dict(one))
        made = {**dict(zip(names, values, strict=True)), **one}
        for name in products:
            top = np.abs(made[name][0]).max(axis=0)
            peaks[name] = np.maximum(peaks.get(name, top), top)
    return peaks


def write(folder: Path, target: Path, learned: Sequence[Path] = ()) -> None:
    """Write the model of a folder, with the weights that were learned further, as their mean."""
    weights = _floats(load_file(folder / "model.safetensors"))
    runs = [
        _floats(
            {
                name: part[name]
                for file in run.glob("learned*.npz")
                for part in [np.load(file)]
                for name in part.files
            }
        )
        for run in learned
    ]
    for name in runs[0] if runs else ():
        weights[name] = np.mean([run[name] for run in runs], axis=0, dtype=np.float32)
    heads = [dict(np.load(run / "heads.npz")) for run in learned]
    reader = (
        {name: np.mean([each[name] for each in heads], axis=0) for name in heads[0]}
        if heads
        else {}
    )
    shares = reader.pop("shares", np.zeros(0))
    vocabulary = (folder / "vocab.txt").read_text("utf-8")
    peaks = measured_peaks(weights, WordPieces(vocabulary.splitlines()))
    first, last = in_two(build(weights, peaks, shares))
    if not runs or any(".layer.0." in name for name in runs[0]):
        onnx.save(first, target / FIRST)
    onnx.save(last, target / MODEL)
    (target / VOCABULARY).write_text(vocabulary, "utf-8")
    if reader:
        wider = {"inner.weight": np.pad(reader["inner.weight"], ((0, 0), (0, WORDS)))}
        halves = {name: value.astype(np.float16) for name, value in (reader | wider).items()}
        np.savez_compressed(target / HEADS_FILE, **halves)


def write_comparer(target: Path, runs: Sequence[Path]) -> None:
    """Write what compares two texts, as the mean of runs, for the encoder in the same folder."""
    each = [_floats(dict(np.load(run / COMPARER_WEIGHTS))) for run in runs]
    weights = {name: np.mean([one[name] for one in each], axis=0) for name in each[0]}
    vocabulary = (target / VOCABULARY).read_text("utf-8").splitlines()
    encoder = onnxruntime.InferenceSession(target / FIRST, providers=["CPUExecutionProvider"])
    pairs = labelled()
    given = []
    for pair in pairs[:: len(pairs) // CALIBRATION_TURNS + 1]:
        ids, means = pair_input(WordPieces(vocabulary), pair.note, pair.remark)
        mask = np.ones_like(ids)
        (state,) = encoder.run([SHARED], {"ids": ids, "mask": mask})
        given.append({SHARED: state, "mask": mask, "means": means})
    peaks = _peaks(build_comparer(weights), given)
    onnx.save(build_comparer(weights, peaks), target / COMPARER)


def _floats(numbers: Mapping[str, NDArray[Any]]) -> Weights:
    return {
        name: values.astype(np.float32)
        for name, values in numbers.items()
        if values.dtype.kind == "f"
    }


if __name__ == "__main__":
    if sys.argv[1] == "comparer":
        write_comparer(*map(Path, sys.argv[2:3]), list(map(Path, sys.argv[3:])))
    else:
        model, target, *learned = map(Path, sys.argv[1:])
        write(model, target, learned)
