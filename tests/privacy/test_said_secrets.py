"""How many secrets are found as people say them, and how many harmless sentences are alarms.

`python -m tests.privacy.test_said_secrets` prints the table, and what is missed in the seen half.
"""

import re

from tests.privacy.said_secrets import HARMLESS, SECRETS, is_held, marked

from sharpwave import Message
from sharpwave.privacy.redaction import redact
from sharpwave.settings.privacy import Policy
from sharpwave.testing import in_memory

_PIECE = re.compile(r"[^\W_]{3,}")


def is_missed(sentence: str) -> bool:
    """Whether a value, or a telling piece of it, is still there."""
    text, values = marked(sentence)
    clean = redact(text, Policy()).text
    pieces = {piece for value in values for piece in (value, *_PIECE.findall(value))}
    around = text
    for value in values:
        around = around.replace(value, "")
    return any(piece in clean for piece in pieces if piece not in around)


def is_alarm(sentence: str) -> bool:
    return bool(redact(sentence, Policy()).counts)


def missed(held: bool) -> list[str]:
    return [one for one in SECRETS if is_held(one) is held and is_missed(one)]


def alarms(held: bool) -> list[str]:
    return [one for one in HARMLESS if is_held(one) is held and is_alarm(one)]


def counts(texts: list[str]) -> dict[bool, int]:
    return {held: sum(is_held(one) is held for one in texts) for held in (False, True)}


def test_secrets_are_found_as_people_say_them() -> None:
    assert len(missed(held=False)) <= 2, missed(held=False)
    assert len(missed(held=True)) <= 5


def test_harmless_sentences_are_left_alone() -> None:
    assert len(alarms(held=False)) + len(alarms(held=True)) <= 2, alarms(held=False)


def test_disguised_secrets_go_with_their_disguise() -> None:
    """What is invisible between the digits goes with them, and nothing else does."""
    text = "card 4539\u200b5882\u200b7000\u200b1932 or \u0440assword: tr1ckster!, ok"
    assert redact(text, Policy()).text == "card [CC] or \u0440assword: [PASSWORD], ok"


def test_a_number_in_metadata_is_redacted_too() -> None:
    memory = in_memory()
    said = Message("ok", metadata={"card": 4539588270001932, "n": [7, {"of": 20240512}]})
    memory.remember(said)
    kept = memory.admin.recent()[0].metadata
    assert kept == {"card": "[CC]", "n": [7, {"of": 20240512}]}


if __name__ == "__main__":
    for held in (False, True):
        name = "held" if held else "seen"
        print(f"{name}: missed {len(missed(held))} of {counts(SECRETS)[held]} secrets,", end=" ")
        print(f"{len(alarms(held))} alarms in {counts(HARMLESS)[held]} harmless sentences")
    print(*(f"  missed: {one}" for one in missed(False)), sep="\n")
    print(*(f"  alarm: {one}" for one in alarms(False)), sep="\n")
