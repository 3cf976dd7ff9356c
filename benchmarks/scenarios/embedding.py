"""What Sharpwave's own embedder costs, alone and as a share of remember and recall."""

from collections.abc import Callable
from pathlib import Path

from benchmarks.contenders.sharpwave import Sharpwave
from benchmarks.data import Batch, Dataset, Question
from benchmarks.processes import alone
from benchmarks.scenarios.one_user import LOAD_BATCH, RETURNED
from benchmarks.timing import Figures, Stopwatch, timed
from sharpwave.embedding.sharpwave_embedder import SharpwaveEmbedder

SINGLES = 200


def measure(data: Dataset, folder: Path, tell: Callable[[str], None]) -> dict[str, Figures]:
    """CPU of embedding, remembering and recalling, by what is done."""
    tell("embedding: CPU of the default embedder")
    return alone(costs, data, folder)


def costs(data: Dataset, folder: Path) -> dict[str, Figures]:
    """CPU in ms of each: the embedder alone, then the facade with given and with own vectors."""
    batches = list(data.batches(LOAD_BATCH))
    questions = data.questions()
    return {
        "embedder alone": _embedder(batches, questions),
        "whole call, given vectors": _facade(Sharpwave(folder / "given"), batches, questions),
        "whole call": _facade(
            Sharpwave(folder / "own", embedder=_new_embedder()), batches, questions
        ),
    }


def _embedder(batches: list[Batch], questions: list[Question]) -> Figures:
    embedder = _new_embedder()
    _, batches_s = timed(lambda: [embedder.embed(batch.texts) for batch in batches])
    again = [f"{text} again" for text in batches[0].texts[:SINGLES]]
    return {
        "remember_one_cpu_ms": _each(lambda text: embedder.embed([text]), again),
        "remember_batch_cpu_ms": 1e3 * batches_s / sum(len(batch.texts) for batch in batches),
        "recall_cpu_ms": _each(embedder.embed_question, [one.text for one in questions]),
    }


def _new_embedder() -> SharpwaveEmbedder:
    return SharpwaveEmbedder()


def _facade(contender: Sharpwave, batches: list[Batch], questions: list[Question]) -> Figures:
    _, load_s = timed(lambda: contender.remember(batches))
    contender.search(questions[0], RETURNED)
    recall = Stopwatch()
    for question in questions[1:]:
        with recall.lap():
            contender.search(question, RETURNED)
    single = Stopwatch()
    for row, text in enumerate(batches[0].texts[:SINGLES]):
        with single.lap():
            contender.add(batches[0].user, f"{text} again", batches[0].vectors[row])
    contender.close()
    return {
        "remember_one_cpu_ms": single.figures()["cpu_ms"],
        "remember_batch_cpu_ms": 1e3 * load_s / sum(len(batch.texts) for batch in batches),
        "recall_cpu_ms": recall.figures()["cpu_ms"],
    }


def _each(work: Callable[[str], object], texts: list[str]) -> float:
    watch = Stopwatch()
    for text in texts:
        with watch.lap():
            work(text)
    return watch.figures()["cpu_ms"]
