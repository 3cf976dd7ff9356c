"""What the same calls cost in this edition and in another one, alternately.

    python -m benchmarks.editions CHECKOUT [--data ../shared/data] [--memories 10000] [--rounds 3]

CHECKOUT is a clone at another commit, such as the last of the first edition; it runs with the
packages of this one. Turns of LongMemEval dev, cut to 400 characters, of one user in one file, read
as by default; its questions are asked. CPU in milliseconds, each figure from a process of its own.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

from benchmarks.recall import grown, read_turns

HERE = Path(__file__).resolve().parent.parent
BATCH, CALLS, WARM = 500, 60, 5
CHILD = """
import json, sys, time
begin = time.process_time()
from sharpwave import Memory
imported = time.process_time() - begin
what, file, given = sys.argv[1], sys.argv[2], json.load(open(sys.argv[3]))
def spent(call, several, warm=0):
    for one in several[:warm]:
        call(one)
    begin = time.process_time()
    for one in several[warm:]:
        call(one)
    return (time.process_time() - begin) * 1e3 / max(len(several) - warm, 1)
with Memory.open(file) as memory:
    if what == "load":
        loaded = [given["texts"][at : at + given["batch"]]
                  for at in range(0, len(given["texts"]), given["batch"])]
        print(json.dumps({"load": spent(memory.remember, loaded) / given["batch"]}))
    else:
        asked, warm = given["asked"], given["warm"]
        print(json.dumps({
            "import": imported * 1e3,
            "recall": spent(memory.recall, asked, warm),
            "context": spent(memory.context, [one + " Please." for one in asked], warm),
            "remember": spent(memory.remember, given["more"], warm),
        }))
"""
CALLED = "from sharpwave.interfaces.start import main; main()"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("checkout", type=Path)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--memories", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    texts, questions = read_turns(given.data)
    said = grown(texts, given.memories + CALLS * given.rounds)
    editions = {"other": given.checkout.resolve(), "this": HERE}
    figures: dict[str, dict[str, list[float]]] = {name: {} for name in editions}
    with tempfile.TemporaryDirectory() as folder:
        for number in range(-1, given.rounds):
            more = said[given.memories + number * CALLS :][:CALLS]
            part = {"asked": questions[:CALLS], "warm": WARM, "more": more}
            if number < 0:
                part = {"texts": said[: given.memories], "batch": BATCH}
            file = Path(folder) / "given.json"
            file.write_text(json.dumps(part), "utf-8")
            for name, checkout in editions.items():
                db = Path(folder) / f"{name}.db"
                what = "load" if number < 0 else "call"
                found = json.loads(_run(checkout, CHILD, what, str(db), str(file)))
                if number >= 0:
                    found["cold `sharpwave recall`"] = _cold(checkout, db)
                for key, value in found.items():
                    figures[name].setdefault(key, []).append(value)
    print(f"{'CPU ms':24} {'other':>9} {'this':>9}  ratio")
    for key, others in figures["other"].items():
        other, this = median(others), median(figures["this"][key])
        print(f"{key:24} {other:9.1f} {this:9.1f}  {this / other:.2f}")


def _run(checkout: Path, *arguments: str) -> str:
    env = {**os.environ, "PYTHONPATH": str(checkout / "src"), "OPENBLAS_NUM_THREADS": "1"}
    command = [sys.executable, "-c", *arguments]
    return subprocess.run(command, env=env, check=True, capture_output=True, text=True).stdout


def _cold(checkout: Path, db: Path) -> float:
    before = os.times()
    _run(checkout, CALLED, "recall", "Where do I live?", "--db", str(db))
    after = os.times()
    user = after.children_user - before.children_user
    return (user + after.children_system - before.children_system) * 1e3


if __name__ == "__main__":
    main()
