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
    parser.add_argument("names", nargs="*", help="checks, or parts of their names; all")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--long", action="store_true", help="many more faults")
    parser.add_argument("--minutes", type=float, help="how long the soak lasts; 1, --long: 30")
    given = parser.parse_args()
    wrong = [name for name in given.names if not any(_is_meant(key, [name]) for key in known)]
    if wrong:
        parser.error(f"no check {wrong[0]!r}; there are: {', '.join(known)}")
    chosen = [key for key in known if not given.names or _is_meant(key, given.names)]
    results = [run_one(name, given.seed, given.long, given.minutes) for name in chosen]
    return 0 if all(result.passed for result in results) else 1


def _is_meant(key: str, names: list[str]) -> bool:
    """True for `d1_kill9` if one of the names is its beginning, or what follows its id: kill9."""
    return any(key.startswith(name) or key.partition("_")[2] == name for name in names)


def run_one(name: str, seed: int, long: bool, minutes: float | None = None) -> Result:
    with tempfile.TemporaryDirectory(prefix=f"sharpwave-{name}-") as folder:
        begin = time.perf_counter()
        result = checks()[name](Options(seed, long, Path(folder), minutes))
        seconds = round(time.perf_counter() - begin, 1)
    line = result.to_line(seconds=seconds, **measured_here())
    print(line, flush=True)
    with LEDGER.open("a", encoding="utf-8") as ledger:
        ledger.write(line + "\n")
    return result


if __name__ == "__main__":
    sys.exit(main())
