"""A medicine that somebody stopped is taken no more; what else was stopped ends nothing."""

from pathlib import Path

import pytest

from sharpwave import Memory


def taken(tmp_path: Path, *said: str) -> list[str]:
    with Memory.open(tmp_path / "m.db") as memory:
        for text in said:
            memory.remember(text)
        return [fact.object for fact in memory.facts.list(predicate="takes")]


@pytest.mark.parametrize(
    "stop",
    [
        "My cardiologist has stopped the atenolol.",
        "We stopped my atenolol last week.",
        "She stopped atenolol and gave me something else.",
    ],
)
def test_what_was_stopped_is_no_longer_taken(tmp_path: Path, stop: str) -> None:
    assert taken(tmp_path, "I take atenolol 25 mg.", "I take vitamin D.", stop) == ["vitamin D"]


@pytest.mark.parametrize(
    "other",
    [
        "He stopped the music at ten.",
        "She never stopped the atenolol.",
        "Ask me if they stopped the atenolol.",
        "It stopped raining.",
    ],
)
def test_what_else_stopped_ends_nothing(tmp_path: Path, other: str) -> None:
    assert taken(tmp_path, "I take atenolol 25 mg.", other) == ["atenolol 25 mg"]


def test_nothing_is_made_up_of_what_was_stopped(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "m.db") as memory:
        memory.remember("The guard stopped the train.")
        assert not memory.facts.history("user", "takes").versions
