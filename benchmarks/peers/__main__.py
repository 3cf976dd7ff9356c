"""Install every peer into an environment of its own, and measure all of them in one run.

    python -m benchmarks.peers --scratch FOLDER [--data ../shared/data] [--sizes 1000,10000]

Writes `benchmarks/peers/results.json`, from which `make docs` writes docs/peers.md. The packages
come from their registries; after that nothing needs a network. Everything takes about half an hour
of CPU time. Environments that stand in the folder are used as they are, and a run that was
interrupted goes on; for a new one take a new folder.
"""

import argparse
import json
import os
import shutil
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmarks.peers import environments, quality, speed
from benchmarks.peers.catalog import EVERYONE
from benchmarks.peers.environments import Environment
from benchmarks.peers.process import Failed, Process
from evals.results import measured_here

FILE = Path(__file__).with_name("results.json")
OURS, THEIRS = "sharpwave", "minilm"


def main() -> None:
    options = _options()
    scratch: Path = options.scratch.resolve()
    scratch.mkdir(parents=True, exist_ok=True)
    chosen = [peer for peer in EVERYONE if not options.only or peer.name in options.only]
    built = {peer.name: Environment(scratch, peer) for peer in chosen}
    result: dict[str, Any] = {"command": "python -m benchmarks.peers", **measured_here()}
    result["load"] = round(os.getloadavg()[2])
    result["peers"] = {peer.name: asdict(peer) for peer in chosen}
    measured = {name: own for name, own in built.items() if own.peer.store}
    model = environments.model(scratch)
    installed = _installed(measured)
    for name, found in installed.items():
        if "weight" in found:
            built[name].give(model)
    work = speed.Work(options.data, max(options.sizes), options.rounds)
    with ThreadPoolExecutor() as pool:  # CPU time is what counts, and each has its own processes
        parts = [
            pool.submit(_part, scratch, "install", lambda: _imports(built)),
            pool.submit(_part, scratch, "ours", lambda: quality.ours(options.data, _say)),
            pool.submit(
                _part,
                scratch,
                "quality",
                lambda: _quality(_started(measured, installed, model), options.data, scratch),
            ),
            pool.submit(
                _part,
                scratch,
                "speed",
                lambda: _speed(_started(measured, installed, model), work, options.sizes, scratch),
            ),
        ]
        result["install"], own, found, speeds = (part.result() for part in parts)
    result |= {**found, **speeds}
    result["quality"]["Sharpwave"] = {OURS: own}
    _write(result, FILE)
    _say(f"wrote {FILE}")


def _part(scratch: Path, name: str, work: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """A part of the results, unless an interrupted run left it in the folder."""
    file = scratch / f"part-{name}.json"
    if not file.exists():
        _write(work(), file)
        _say(f"{name}: done")
    found: dict[str, Any] = json.loads(file.read_text("utf-8"))
    return found


def _speed(
    processes: dict[str, Process], work: speed.Work, sizes: list[int], scratch: Path
) -> dict[str, Any]:
    shutil.rmtree(scratch / "stores" / "speed", ignore_errors=True)
    found: dict[str, Any] = {"searches": work.rounds * speed.BLOCK}
    found["writes"] = work.rounds * speed.WRITES
    for speeds in speed.measure(processes, work, sizes, scratch, _say):
        found["speed"] = speeds
        _write(found, scratch / "speed-so-far.json")
    found["embedders"] = speed.embedders(processes, work, scratch)
    for process in processes.values():
        process.close()
    return found


def _installed(built: dict[str, Environment]) -> dict[str, Any]:
    found = {}
    for name, environment in built.items():
        _say(f"{name}: installing")
        found[name] = _tried("weight", environment.prepare)
    return found


def _imports(built: dict[str, Environment]) -> dict[str, Any]:
    """Install the rest, and time every import."""
    found = {}
    for name, environment in built.items():
        found[name] = _tried("weight", environment.prepare)
        if "weight" in found[name]:
            found[name] |= _tried("import", environment.import_times)
            _say(f"{name}: imported")
    return found


def _started(
    built: dict[str, Environment], installed: dict[str, Any], model: Path
) -> dict[str, Process]:
    processes = {}
    for core, (name, found) in enumerate(installed.items()):
        if "weight" in found:
            processes[name] = Process(built[name], model, core)
    return processes


def _write(result: dict[str, Any], file: Path) -> None:
    file.write_text(json.dumps(_rounded(result), indent=1, ensure_ascii=False) + "\n", "utf-8")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--scratch", type=Path, required=True)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--sizes", type=_numbers, default=_numbers("1000,10000"))
    parser.add_argument("--rounds", type=int, default=10, help="of six searches, three writes")
    parser.add_argument("--only", type=lambda text: text.split(","), help="names of peers")
    return parser.parse_args()


def _numbers(text: str) -> list[int]:
    return [int(part) for part in text.split(",")]


def _tried(name: str, work: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """What it gives, under a name; or the end of why it failed."""
    try:
        return {name: work()}
    except Exception as error:  # noqa: BLE001 - a peer that cannot be had is a result
        return {"failed": str(error)[-300:]}


def _quality(processes: dict[str, Process], data: Path, scratch: Path) -> dict[str, Any]:
    given = quality.cases(data)
    found: dict[str, Any] = {}
    memories, questions = quality.texts_of(given)
    shutil.rmtree(scratch / "stores" / "quality", ignore_errors=True)
    for embedder, whose in ((THEIRS, "chromadb"), (OURS, "Sharpwave")):
        files = [scratch / f"{embedder}-memories.npz", scratch / f"{embedder}-questions.npz"]
        for file, texts, asked in zip(files, (memories, questions), (False, True), strict=True):
            if not file.exists():
                processes[whose].do("embed", texts=texts, file=str(file), questions=asked)
        dimension = quality.dimension_of(files[0])
        takes = {
            name: own
            for name, own in processes.items()
            if name != "Sharpwave" and (embedder == THEIRS or own.peer.ours_too)
        }
        _say(f"what is found with {embedder}: {', '.join(takes)}")
        with ThreadPoolExecutor(speed.TOGETHER) as pool:
            running = {
                name: pool.submit(
                    quality.peer,
                    own,
                    given,
                    dimension,
                    files,
                    scratch / "stores" / "quality" / f"{name.lower()}-{embedder}",
                )
                for name, own in takes.items()
            }
        for name, figures in running.items():
            found.setdefault(name, {})[embedder] = figures.result()
    for process in processes.values():
        process.close()
    return {"quality": found, "sets": quality.counts(given)}


def _rounded(value: Any) -> Any:
    """Four digits are enough, and differ less from run to run."""
    if isinstance(value, dict):
        return {key: _rounded(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_rounded(each) for each in value]
    return float(f"{value:.4g}") if isinstance(value, float) else value


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    try:
        main()
    except Failed as error:
        sys.exit(str(error))
