"""Run fault checks: `python -m tests.faults.run [names...] [--seed N] [--long]`.

Prints one line of JSON for each, and appends it with date and commit to `ledger.jsonl`, from which
`make docs` writes docs/internals/faults.md.
"""

import argparse
import os
import sys
import tempfile
import time
from pathlib import Path

from tests.faults.harness import CHEAP_VECTORS, LEDGER, Options, Result, checks

from evals.results import measured_here


def main() -> int:
    os.environ.update(CHEAP_VECTORS)
    known = checks()
    parser = argparse.ArgumentParser(prog="tests.faults.run", description=__doc__)
    parser.add_argument("names", nargs="*", help="checks, or beginnings of their names; all")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--long", action="store_true", help="many more faults")
    given = parser.parse_args()
    wrong = [name for name in given.names if not any(key.startswith(name) for key in known)]
    if wrong:
        parser.error(f"no check {wrong[0]!r}; there are: {', '.join(known)}")
    chosen = [key for key in known if not given.names or key.startswith(tuple(given.names))]
    results = [run_one(name, given.seed, given.long) for name in chosen]
    return 0 if all(result.passed for result in results) else 1


def run_one(name: str, seed: int, long: bool) -> Result:
    with tempfile.TemporaryDirectory(prefix=f"sharpwave-{name}-") as folder:
        begin = time.perf_counter()
        result = checks()[name](Options(seed, long, Path(folder)))
        seconds = round(time.perf_counter() - begin, 1)
    line = result.to_line(seconds=seconds, **measured_here())
    print(line, flush=True)
    with LEDGER.open("a", encoding="utf-8") as ledger:
        ledger.write(line + "\n")
    return result


if __name__ == "__main__":
    sys.exit(main())
