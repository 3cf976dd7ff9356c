"""What clauses say became of something to do, and which say nothing of it."""

import pytest

from sharpwave.reading.task_moves import moves
from sharpwave.types.records import Kind


def told(text: str) -> list[tuple[str, str]]:
    return [(str(one.status), one.text) for one in moves(text)]


@pytest.mark.parametrize(
    ("text", "done"),
    [
        ("I called Ana", ["call Ana"]),
        ("I already quickly paid the rent", ["pay the rent"]),
        ("The report was sent", ["send The report"]),
        ("Milk bought! Rent paid.", ["buy Milk", "pay Rent"]),
        ("I've called Ana and paid the rent.", ["call Ana", "pay the rent"]),
        ("plants watered and fish fed", ["water plants", "feed fish"]),
        ("I bought bread and milk", ["buy bread and milk"]),
        ("finished the report", ["the report"]),
        ("I wrote the letter", ["write the letter"]),
        ("letter written", ["write letter"]),
        ("I sent everything but the report", ["send everything"]),
        ("Rent paid without the deposit", ["pay Rent"]),
        ("put the dishes away", ["put the dishes away"]),
        ("I paid " + "x" * 193, ["pay " + "x" * 193]),
    ],
)
def test_what_is_done(text: str, done: list[str]) -> None:
    assert told(text) == [("done", what) for what in done]


@pytest.mark.parametrize(
    "text",
    [
        "Called Ana?",
        "Did you call Ana?",
        "I didn't call Ana",
        "I bought what I couldn't find",
        "I almost called Ana",
        "I will have called Ana",
        "Tom called Ana",
        "She who called Ana paid",
        "did the dishes",
        "Done!",
        "Forget me not",
        "I paid " + "x" * 194,
    ],
)
def test_what_is_not_done_or_not_by_the_speaker(text: str) -> None:
    assert told(text) == []


@pytest.mark.parametrize(
    ("text", "move"),
    [
        ("No need to call Ana.", ("dropped", "call Ana")),
        ("Cancelled the gym", ("dropped", "the gym")),
        ("Skip the gym for now", ("dropped", "the gym")),
        ("stop reminding me about the gym", ("dropped", "the gym")),
        ("I put off the dentist", ("stalled", "the dentist")),
        ("I put the dentist off", ("stalled", "the dentist")),
        ("I postponed the dentist appointment", ("stalled", "the dentist appointment")),
    ],
)
def test_what_is_dropped_or_put_off(text: str, move: tuple[str, str]) -> None:
    assert told(text) == [move]


@pytest.mark.parametrize("mark", ["-", "*", "\u2022", "1.", "2)", "(a)"])
def test_what_a_list_says_is_to_be_cancelled_is_something_to_do(mark: str) -> None:
    assert told(f"To do tomorrow:\n{mark} cancel the gym\n{mark} call Ana") == []
    assert told(f"{mark} cancel the gym") == []
    assert told(f"{mark} one thing.\nCancel the gym") == [("dropped", "the gym")]


def test_a_move_is_sure_only_a_deed_and_knows_its_clause() -> None:
    text = "Hello, milk bought!"
    (one,) = moves(text)
    assert (one.kind, one.confidence, one.effect_only) == (Kind.TASK, 0.9, True)
    assert text[slice(*one.span)] == " milk bought!"


def test_a_longer_list_of_deeds_is_a_story() -> None:
    assert len(told(", ".join(["rent paid"] * 8))) == len(told(", ".join(["rent paid"] * 9))) == 8
