"""What the nightly recount of skills writes down."""

import logging

import pytest

from sharpwave import Memory
from sharpwave.types.intent import ReadContext

QUESTION = ReadContext("question", "neutral", "morning", None, ())


@pytest.mark.spec("MET-06")
def test_a_recount_is_logged_in_numbers(memory: Memory, caplog: pytest.LogCaptureFixture) -> None:
    for _ in range(12):
        memory.feedback(memory.skills.select("my plan", context=QUESTION).message_id, 1)
    with caplog.at_level(logging.INFO, logger="sharpwave"):
        memory.skills.learn()
    (told,) = [
        record.__dict__
        for record in caplog.records
        if getattr(record, "metric_type", "") == "behavioral_memory_thompson_sampling"
    ]
    assert told["trajectories_analyzed"] == 12 and told["update_duration_seconds"] > 0
    assert (told["skills_updated"], told["avg_alpha_change"], told["avg_beta_change"]) == (0, 0, 0)
    assert "plan" not in str(told)
