"""Statements that the rules were not written with: the share found must not fall."""

import tomllib

from tests.reading.held_out import HELD_OUT, score

from sharpwave.reading.steering.signals import signals

RECALL = 0.80
"""0.81 of 180 when it was set, 8 of which no rule is for now; 0.50 before rules were mended."""
PRECISION = 0.85
"""Of all that is found, the share that was written down; what is true beyond it counts against."""
FALSE = 2
"""Things found in 54 sentences that state nothing."""


def test_held_out() -> None:
    total = score()
    assert total.recall >= RECALL, total.missed
    assert total.precision >= PRECISION, total.extra
    assert len(total.false) <= FALSE, total.false


def test_how_to_help_becomes_a_rule() -> None:
    wanted = tomllib.loads(HELD_OUT.read_text("utf-8"))["rules"]
    found = {text: " ".join(one.rule.lower() for one in signals(text)) for text in wanted}
    assert [text for text, words in wanted.items() if words.lower() not in found[text]] == []
