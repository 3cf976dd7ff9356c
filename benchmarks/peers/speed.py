"""Write, recall and context as the memory grows: every peer in turn, a few calls at a time.

Turns of LongMemEval, cut to 200 characters, of one user. Questions and single writes are embedded
within the call; of what is loaded before, the vectors of the peers' embedder are computed once, so
that loading can be compared without it. One works at a time,
on one core.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import mean, median
from typing import Any

from benchmarks.peers.process import Failed, Process
from benchmarks.recall import grown, read_turns

CUT, LIMIT = 200, 10
BLOCK, WARM = 6, 3
WRITES = 3
"""Single writes in a round."""
TOGETHER = 3
"""How many load at once; nothing else is measured meanwhile."""
MINILM_DIMENSION = 384

Say = Callable[[str], None]
Figures = dict[str, Any]


class Work:
    """Texts and questions of a run, and where the next single writes come from."""

    def __init__(self, data: Path, most: int, rounds: int) -> None:
        texts, questions = read_turns(data)
        cut = list(dict.fromkeys(text[:CUT].strip() for text in texts))
        spare = 1000
        self.texts = grown([text for text in cut if text], most + spare)
        self.questions = questions
        self.most, self.rounds = most, rounds


def measure(
    processes: Mapping[str, Process], work: Work, sizes: Sequence[int], scratch: Path, say: Say
) -> Iterator[dict[str, Figures]]:
    """By peer: by size its figures, up to the first that it refuses; after each size all so far."""
    vectors = _vectors(processes, work, scratch, say)
    found: dict[str, Figures] = {name: {} for name in processes}
    for name, process in processes.items():
        folder = scratch / "stores" / "speed" / name.lower()
        process.do("open", folder=str(folder), dimension=MINILM_DIMENSION)
        if name not in ("Sharpwave", "BM25"):
            process.do("know", file=str(vectors))
    held, left = 0, dict(processes)
    for size in sizes:
        items = [[str(n), work.texts[n]] for n in range(held, size)]
        say(f"loading up to {size:,}")
        with ThreadPoolExecutor(TOGETHER) as pool:
            loads = {name: pool.submit(own.do, "load", items=items) for name, own in left.items()}
        for name, load in loads.items():
            try:
                found[name][str(size)] = {"load_cpu_ms": 1e3 * load.result()["cpu_s"] / len(items)}
            except Failed as error:
                say(f"{name} holds no {size:,}: {error}")
                del left[name]
        held = size
        _rounds(left, work, size, found, say)
        yield found


def _rounds(
    processes: Mapping[str, Process],
    work: Work,
    size: int,
    found: Mapping[str, Figures],
    say: Say,
) -> None:
    taken: dict[str, dict[str, list[float]]] = {name: {} for name in processes}
    names = list(processes)
    for name in names:
        processes[name].do("search", questions=work.questions[:WARM], limit=LIMIT)
    for turn in range(work.rounds):
        say(f"{size:,} memories: round {turn + 1} of {work.rounds}")
        asked = work.questions[WARM + turn * BLOCK : WARM + (turn + 1) * BLOCK]
        for name in names[turn % len(names) :] + names[: turn % len(names)]:
            process = processes[name]
            _note(taken[name], "search", process.do("search", questions=asked, limit=LIMIT))
            if name == "Sharpwave":
                _note(taken[name], "context", process.do("context", questions=asked))
            if name != "BM25":
                new = [[f"{size}-{turn}-{n}", _new(work, size, turn, n)] for n in range(WRITES)]
                _note(taken[name], "add", process.do("add", items=new))
    added = work.rounds * WRITES
    for name in names:
        own = found[name][str(size)]
        for key, seconds in taken[name].items():
            own[f"{key}_ms"] = 1e3 * (mean if key.startswith("add") else median)(seconds)
        size_now = processes[name].do("size")
        holds = size + (0 if name == "BM25" else added * (1 + _earlier(found[name])))
        own |= {"bytes_each": size_now["bytes"] / holds, "peak_mib": size_now["peak_mib"]}


def _earlier(figures: Figures) -> int:
    return len(figures) - 1


def _new(work: Work, size: int, turn: int, number: int) -> str:
    """A text that no store holds yet."""
    place = work.most + (turn * WRITES + number)
    return f"{work.texts[place]} ({size})"


def _note(taken: dict[str, list[float]], what: str, answer: Mapping[str, Any]) -> None:
    taken.setdefault(f"{what}_cpu", []).extend(answer["cpu_s"])
    taken.setdefault(f"{what}_wall", []).extend(answer["wall_s"])


def _vectors(processes: Mapping[str, Process], work: Work, scratch: Path, say: Say) -> Path:
    """Of all texts that will be loaded, by the peers' embedder; kept from an earlier run."""
    file = scratch / f"vectors-{work.most}-{CUT}.npz"
    if not file.exists():
        say(f"embedding {work.most:,} texts")
        chroma = processes["chromadb"]
        chroma.do("embed", texts=work.texts[: work.most], file=str(file), questions=False)
    return file


EMBEDDERS = {
    "Sharpwave": ("Sharpwave", False),
    "all-MiniLM-L6-v2": ("chromadb", False),
    "all-MiniLM-L6-v2 as chromadb calls it": ("chromadb", True),
}


def embedders(processes: Mapping[str, Process], work: Work, scratch: Path) -> dict[str, Figures]:
    """What embedding one question and one memory costs by itself, CPU ms, alternating."""
    taken: dict[str, dict[str, list[float]]] = {}
    for turn in range(work.rounds):
        for name, (whose, own) in EMBEDDERS.items():
            unknown = work.texts[work.most :]
            for what, texts in (("question", work.questions), ("memory", unknown)):
                spent = processes[whose].do(
                    "embed",
                    texts=texts[turn * WRITES : (turn + 1) * WRITES],
                    file=str(scratch / "passing.npz"),
                    questions=what == "question",
                    own=own,
                )
                each = 1e3 * spent["cpu_s"] / WRITES
                taken.setdefault(name, {}).setdefault(f"{what}_cpu_ms", []).append(each)
    return {name: {what: median(each) for what, each in own.items()} for name, own in taken.items()}
