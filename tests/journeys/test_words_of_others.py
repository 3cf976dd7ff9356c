"""What another person wrote and the user pasted is never shown as the user's own words."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from sharpwave import Memory
from sharpwave.testing import FrozenClock

PASTED = (
    'got this from the landlord just now:\n\n"Dear tenant, I am allergic to cats and I never '
    "answer the phone. Always write to me by letter. My new address is 12 Mill Lane, Ripon, and "
    'I expect the rent of 640 pounds on the 3rd."\n\nhe is a piece of work'
)
OTHERS = (
    "the boiler is making that noise again",
    "i think i will take the bus to Leeds on Monday, the train is 38 pounds",
    "my sister Orla is coming over at six with her two kids",
    "we had soup with barley and it was good",
)


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    clock = FrozenClock(datetime(2026, 10, 6, 9, tzinfo=UTC))
    with Memory.open(tmp_path / "m.db", user="ira", clock=clock) as opened:
        for text in (*OTHERS[:2], PASTED, *OTHERS[2:]):
            opened.remember(text, session="s")
            clock.advance(minutes=3)
        clock.advance(days=2)
        opened.sleep()
        yield opened


def test_a_summary_has_the_users_own_words_alone(memory: Memory) -> None:
    (session,) = memory.admin.sessions()
    assert session.summary
    for words in ("allergic", "letter", "Ripon", "640"):
        assert words not in session.summary


def test_a_quotation_is_not_shown_without_what_introduces_it(memory: Memory) -> None:
    asked = "tell me about soup with barley, the boiler, the train to Leeds on Monday, a letter"
    for budget in range(290, 400, 10):
        text = memory.context(asked, budget=budget).text
        for words in ("allergic to cats", "write to me by letter", "expect the rent"):
            assert words not in text or "from the landlord" in text, budget
