"""A question about a day or a week finds what was said then before what was said otherwise."""

import tomllib
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from sharpwave import Memory, Message, RecallQuery, Settings
from sharpwave.recall import cue
from sharpwave.settings.core import RecallSettings
from sharpwave.testing import FrozenClock

LIFTED = RecallSettings(dated_lift=3.0)
ASKED = datetime(2023, 5, 17, 10, tzinfo=UTC)
"""A Wednesday."""
SITUATIONS: list[dict[str, Any]] = tomllib.loads(
    Path(__file__).with_name("dated.toml").read_text(encoding="utf-8")
)["situation"]
DEVELOPED_ON = 20


def remember_all(memory: Memory) -> None:
    """Everything that was said in all situations, each at its day."""
    said = sorted((day, text) for one in SITUATIONS for day, text in one["said"].items())
    moments = [datetime.fromisoformat(f"{day}T09:00+00:00") for day, _ in said]
    turns = zip(moments, said, strict=True)
    memory.remember([Message(text, at=at, session=day) for at, (day, text) in turns])


@pytest.fixture(scope="module")
def first_found(tmp_path_factory: pytest.TempPathFactory) -> list[bool]:
    """For each situation, whether what comes first is what was said at the time asked for."""
    path = tmp_path_factory.mktemp("dated") / "m.db"
    settings = Settings(recall=LIFTED)
    with Memory.open(path, clock=FrozenClock(ASKED), settings=settings) as memory:
        remember_all(memory)
        found = [memory.recall(one["question"], kinds=["turn"], k=1) for one in SITUATIONS]
    return [
        [item.text for item in recalled] == [one["said"][one["answer"]]]
        for recalled, one in zip(found, SITUATIONS, strict=True)
    ]


@pytest.mark.spec("RD-12", "SCO-18")
def test_a_context_has_what_was_said_then_and_what_was_long_ago_last(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "m.db", clock=FrozenClock(ASKED)) as memory:
        remember_all(memory)
        shown = 0
        for one in SITUATIONS:
            answer = one["said"][one["answer"]]
            shown += answer in memory.context(one["question"]).text
            found = memory.recall(one["question"], kinds=["turn"], k=48)
            terms = {item.text: item.terms["dated"] for item in found}
            others = [terms[text] for text in one["said"].values() if text in terms]
            assert answer not in terms or terms[answer] == max(others) > 0, one["question"]
        assert shown >= 36, shown
    with Memory.open(tmp_path / "n.db", clock=FrozenClock(ASKED)) as memory:
        for days, place in ((40, "Faro"), (6, "Braga"), (0, "Evora")):
            at = ASKED - timedelta(days=days)
            memory.remember(Message(f"We met the team in {place}.", at=at))
        text = memory.context("Where did we meet the team?").text
        assert text.index("Faro") > max(text.index("Evora"), text.index("Braga")), "long ago"
        found = memory.recall("Where did we meet the team?", kinds=["turn"])
        recency = [item.terms["recency"] for item in found]
        assert len(set(recency)) == 3, "how lately each was said counts"


@pytest.mark.spec("TMP-02")
def test_what_was_said_then_comes_first(first_found: list[bool]) -> None:
    developed, apart = first_found[:DEVELOPED_ON], first_found[DEVELOPED_ON:]
    assert len(developed) == len(apart) == 20
    assert sum(developed) >= 19 and sum(apart) >= 18, (sum(developed), sum(apart))


@pytest.mark.parametrize(
    ("asked", "content", "windows"),
    [
        ("What did I plant last week?", "What did I plant  ?", 1),
        ("What did I do last week?", "What did I do  ?", 1),
        ("What did I plant on 9 May 2023?", "What did I plant on 9 May 2023?", 1),
        ("What do I plant next week?", "What do I plant next week?", 0),
        ("What do I eat in the morning?", "What do I eat in the morning?", 0),
        ("Yesterday?", "Yesterday?", 1),
    ],
)
def test_words_that_mean_another_time_in_every_text_are_not_searched_for(
    asked: str, content: str, windows: int
) -> None:
    question = cue.understand(RecallQuery(asked), ASKED, LIFTED)
    assert (question.text, len(question.times)) == (content, windows)
    plain = cue.understand(RecallQuery(asked), ASKED, RecallSettings())
    assert plain.text == (content if plain.only_when else asked)
