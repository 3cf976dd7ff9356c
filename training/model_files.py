"""The small linear models as the runtime reads them: NumPy archives, weights in eight bits."""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sharpwave.behavior.feedback.classifier_model import MeaningModel, SpellingModel
from sharpwave.behavior.message_model import MessageModel


def write_messages(file: Path, model: MessageModel) -> None:
    """Write the model of intents, sentiments and tones."""
    held: dict[str, NDArray[Any]] = {
        "words": letters("\n".join(model.words)),
        "space": letters(model.space),
    }
    for head, layer in model.layers.items():
        held[head] = letters("\n".join(layer.classes))
        held[f"{head}_start"], held[f"{head}_alone_start"] = layer.start, layer.alone_start
        parts = {"vector": layer.by_vector, "words": layer.by_word, "alone": layer.alone}
        for name, weights in parts.items():
            held[f"{head}_{name}"], held[f"{head}_{name}_scale"] = in_eight_bits(weights)
    np.savez_compressed(file, **held)  # type: ignore[arg-type]


def write_comments(
    file: Path, spelling: str, meaning: str, spelled: SpellingModel, meant: MeaningModel
) -> None:
    """Write both models of comments, with the digests of what they were learned from."""
    by_run, run_scale = in_eight_bits(spelled.by_run)
    left, left_scale = in_eight_bits(spelled.left)
    by_pair, pair_scale = in_eight_bits(meant.by_pair)
    np.savez_compressed(
        file,
        runs=letters("\n".join(spelled.runs)),
        rarity=spelled.rarity.astype(np.float16),
        by_run=by_run,
        run_scale=run_scale,
        tongues=np.rint(spelled.tongues * 255).astype(np.uint8),
        left=left,
        left_scale=left_scale,
        usual=spelled.usual,
        spelling=letters(spelling),
        middle=meant.middle,
        by_vector=meant.by_vector,
        directions=meant.directions.astype(np.float16),
        by_pair=by_pair,
        pair_scale=pair_scale,
        meaning=letters(meaning),
    )


def in_eight_bits(
    numbers: NDArray[np.float32],
) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Quantized numbers, and the scale of each class."""
    largest = np.abs(numbers).reshape(-1, numbers.shape[-1]).max(axis=0)
    scale = (largest / np.float32(127)).astype(np.float32)
    return np.rint(numbers / scale).astype(np.int8), scale


def letters(text: str) -> NDArray[np.uint8]:
    """A text as an array."""
    return np.frombuffer(text.encode(), dtype=np.uint8)
