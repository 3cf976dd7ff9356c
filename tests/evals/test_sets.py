from pathlib import Path

import pytest
from tests.evals.sets_of_our_own import write, write_all

from evals import sets
from evals.sets import Conversation, SetQuestion
from sharpwave import InvalidInput, NotFound


@pytest.mark.parametrize(
    ("written", "ids"),
    [
        (["D8:6; D9:17"], ["D8:6", "D9:17"]),
        (["D13:4. D14:4"], ["D13:4", "D14:4"]),
        (["D9:1 D4:4 D4:6"], ["D9:1", "D4:4", "D4:6"]),
        (["D30:05"], ["D30:5"]),
        (["D:11:26"], ["D11:26"]),
        (["D17;39"], ["D17:39"]),
        (["D", ""], []),
        (["D1:1", "D1:1"], ["D1:1"]),
    ],
)
def test_malformed_evidence(written: list[str], ids: list[str]) -> None:
    assert sets.turn_ids(written) == ids


def test_locomo(tmp_path: Path) -> None:
    found = sets.load("locomo", write_all(tmp_path))
    assert found.conversations == (
        Conversation(
            name="one",
            statements=(
                "Ana: I keep bees on the roof.",
                "Ben: My sister moved to Porto.",
                "Ana: Porto has a fine bridge.",
                "Ben: The weather is dull.",
            ),
            questions=(
                SetQuestion("Who keeps bees?", "4", (0,)),
                SetQuestion("What about Porto?", "1", (1, 2)),
                SetQuestion("Does Ben keep bees?", "5", (0,)),
            ),
            skipped=1,
        ),
    )


def test_realtalk(tmp_path: Path) -> None:
    (found,) = sets.load("realtalk", write_all(tmp_path)).conversations
    assert found.name == "Ana and Ben"
    assert found.statements == ("Ana: I keep bees.", "Ben: Honey is sweet.")
    assert found.questions == (SetQuestion("Who keeps bees?", "4", (0,)),)


def test_every_preference_is_a_candidate(tmp_path: Path) -> None:
    (found,) = sets.load("prefeval", write_all(tmp_path)).conversations
    assert found.statements == ("I hate loud bars.", "I never eat meat.")
    assert [question.evidence for question in found.questions] == [(0,), (1,)]


def test_what_is_not_there_is_said_plainly(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match=r"locomo is not there: no .*say where with --data"):
        sets.load("locomo", tmp_path)
    with pytest.raises(InvalidInput, match="no set 'other'; there are: locomo, realtalk"):
        sets.load("other", tmp_path)


def test_a_file_of_another_form_is_refused(tmp_path: Path) -> None:
    write(tmp_path / "locomo" / "locomo_dev.json", [{"qa": []}])
    with pytest.raises(InvalidInput, match="not in the form of locomo"):
        sets.load("locomo", tmp_path)
