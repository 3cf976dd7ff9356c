"""Which day of a turn is a task's: turns of the corpus, and words of the task's sentence."""

from datetime import UTC, datetime

import pytest

from sharpwave.reading import task_days
from sharpwave.reading.sentences import sentences
from sharpwave.remember.extract import times_of


@pytest.mark.parametrize(
    ("at", "task", "text", "due"),
    [
        (
            "2025-10-28",
            "I'd read",
            "Personal, thirty seconds. My wife Rahel is defending her thesis in Bergen on 14 "
            "November, hydrology, three years away; I promised her I'd read chapter four before.",
            "2025-11-14",
        ),
        (
            "2026-01-19",
            "First service",
            "Like a chief's horse. First service at 1,000 km or one month, Toyota Ghana insists, "
            "or the warranty is void; and month is up on the 30th.",
            "2026-01-30",
        ),
        (
            "2025-12-02",
            "Winston",
            "What I require is a pension for her: I mean to give her four hundred euros a month, "
            "and Winston is to set it up; he has promised it by the twentieth, which in a bank is "
            "spring.",
            "2025-12-20",
        ),
        (
            "2026-03-06",
            "I must",
            "I must reach the bursar. It rained on Monday.",
            None,
        ),
    ],
)
def test_the_day_of_a_task(at: str, task: str, text: str, due: str | None) -> None:
    said = datetime.fromisoformat(at).replace(tzinfo=UTC)
    spans = sentences(text)
    place = next(n for n, span in enumerate(spans) if task in text[slice(*span)])
    day = task_days.day_of(text, spans, place, times_of(text, said), said)
    assert (day and f"{day:%Y-%m-%d}") == due
