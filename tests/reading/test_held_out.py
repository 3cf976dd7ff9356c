"""Statements that the rules were not written with: the share found must not fall."""

from tests.reading.held_out import score

RECALL = 0.80
"""0.81 of 190 when it was set; 0.50 before the rules were mended on other sentences."""
PRECISION = 0.85
"""Of all that is found, the share that was written down; what is true beyond it counts against."""
FALSE = 2
"""Things found in 54 sentences that state nothing."""


def test_held_out() -> None:
    total = score()
    assert total.recall >= RECALL, total.missed
    assert total.precision >= PRECISION, total.extra
    assert len(total.false) <= FALSE, total.false
