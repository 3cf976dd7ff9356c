"""Rules that are withdrawn, tasks that are dropped or done, in the user's own words."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from sharpwave import Memory
from sharpwave.testing import FrozenClock


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock(datetime(2026, 10, 6, 9, tzinfo=UTC))


@pytest.fixture
def memory(tmp_path: Path, clock: FrozenClock) -> Iterator[Memory]:
    with Memory.open(tmp_path / "m.db", user="ira", clock=clock) as opened:
        yield opened


@pytest.mark.parametrize(
    ("rule", "withdrawal"),
    [
        ("No bullet points", "You can use bullet points again."),
        ("Never use exclamation marks, it's cheesy", "Exclamation marks are fine again."),
        ("Don't swear", "You're allowed to swear again."),
        ("Always answer in French", "You don't have to answer in French any more."),
        ("Keep your answers short", "No need to keep your answers short any more."),
        ("No jokes or puns", "You can make jokes again."),
        ("No emojis, I'm not twelve", "You can use emojis again, the grandkids like them."),
    ],
)
@pytest.mark.parametrize("how", ["added", "edited"])
def test_a_rule_that_is_withdrawn_goes(
    memory: Memory, clock: FrozenClock, rule: str, withdrawal: str, how: str
) -> None:
    memory.behavior.add(rule if how == "added" else "No nonsense")
    if how == "edited":
        memory.behavior.edit(memory.behavior.rules()[0].id, rule)
    clock.advance(days=1)
    (outcome,) = memory.remember(withdrawal).rules
    assert outcome.verdict == "versioned"
    assert [one.rule for one in memory.behavior.rules()] == [outcome.text]


@pytest.mark.parametrize(
    "said", ["You can use tables.", "Seriously, no emojis.", "My sister can drive again."]
)
def test_what_is_no_withdrawal_leaves_the_rule(memory: Memory, said: str) -> None:
    memory.behavior.add("No emojis")
    memory.remember(said)
    assert "No emojis" in [one.rule for one in memory.behavior.rules()]
