"""How sure we were of what the user then said is right or wrong [MET-01].

A row of running numbers for each tenth of confidence; it holds no words and no ids.
"""

from collections.abc import Iterable

from sharpwave.errors import Overtaken
from sharpwave.formulas.ranking.calibration_error import BINS, bin_of, calibration_error
from sharpwave.tallies import Sheet
from sharpwave.types.quality import Calibration, ConfidenceBin
from sharpwave.types.storing import Change
from sharpwave.workspace import Workspace

PREFIX, TOPIC = "quality/", "confidence"
_TRIES = 3
_DIGITS = 6


def judged(workspace: Workspace, told: Iterable[tuple[float, bool]]) -> None:
    """Count facts by how sure we were of each, and whether it is right.

    If others count at the same time and are faster, again and again, it is left uncounted: what the
    user said is stored already.
    """
    outcomes = list(told)
    for _ in range(_TRIES):
        sheet = Sheet.of(workspace.store, PREFIX)
        for confidence, right in outcomes:
            name = str(bin_of(confidence))
            row = sheet.row(TOPIC, name)
            error = (confidence - right) ** 2
            counted = {"facts": 1, "right": int(right), "confidence": confidence, "error": error}
            summed = {key: round(row.get(key, 0) + one, _DIGITS) for key, one in counted.items()}
            sheet.put(TOPIC, name, summed)
        try:
            now = workspace.clock.now()
            workspace.store.commit(Change("judge", now, (), tallies=sheet.new()))
        except Overtaken:
            continue
        return


def view(workspace: Workspace) -> Calibration:
    """What was counted so far."""
    rows = Sheet.of(workspace.store, PREFIX).rows(TOPIC)
    held = {int(name): row for name, row in rows.items()}
    bins = tuple(
        ConfidenceBin(
            low=n / BINS,
            high=(n + 1) / BINS,
            facts=row["facts"],
            right=row["right"],
            mean_confidence=row["confidence"] / row["facts"],
        )
        for n, row in sorted(held.items())
    )
    total = sum(one.facts for one in bins)
    summed = [(row["facts"], row["right"], row["confidence"]) for row in held.values()]
    brier = sum(row["error"] for row in held.values()) / total if total else None
    return Calibration(total, bins, calibration_error(summed), brier)
