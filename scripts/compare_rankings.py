"""Whether a change of the code changed what is recalled, question by question.

    python -m evals locomo --json > before.json  # before the change
    python -m evals locomo --json > after.json  # after it
    python scripts/compare_rankings.py before.json after.json

Prints how many rankings and decisions differ, with the first few; fails if a measure fell.
"""

import json
import sys
from pathlib import Path
from typing import Any

SHOWN = 5
MEASURES = ("ndcg@10", "recall@10")


def main(arguments: list[str]) -> int:
    """Compare two results; 1 if the second is worse."""
    if len(arguments) != 2:
        print(__doc__)
        return 2
    before, after = (json.loads(Path(file).read_text("utf-8")) for file in arguments)
    pairs = _pairs(before, after)
    moved = [(one, other) for one, other in pairs if one["ranked"] != other["ranked"]]
    decided = sum(one["decision"] != other["decision"] for one, other in pairs)
    surer = max((abs(one["confidence"] - other["confidence"]) for one, other in pairs), default=0.0)
    print(f"{len(pairs)} questions: {len(moved)} rankings and {decided} decisions differ;")
    print(f"confidence by at most {surer:.1e}")
    for one, other in moved[:SHOWN]:
        print(f"  {one['id']}: {one['ranked'][:SHOWN]} -> {other['ranked'][:SHOWN]}")
    fallen = False
    for name in MEASURES:
        was, now = before["macro"][name], after["macro"][name]
        fallen |= now < was
        print(f"macro {name}: {was:.4f} -> {now:.4f}")
    return int(fallen)


def _pairs(before: Any, after: Any) -> list[tuple[Any, Any]]:
    asked = {one["id"]: one for one in after["questions"]}
    if {one["id"] for one in before["questions"]} != asked.keys():
        raise SystemExit("the two results are not of the same questions")
    return [(one, asked[one["id"]]) for one in before["questions"]]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
