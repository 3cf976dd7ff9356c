"""How many secrets are found as people say them, and how many harmless sentences are alarms.

`python -m tests.privacy.test_said_secrets` prints the table, and what is missed in the seen half.
"""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.privacy.said_secrets import HARMLESS, SECRETS, is_held, marked

from sharpwave import Message
from sharpwave.privacy.redaction import redact, redact_values
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


def kept(metadata: dict[str, object]) -> object:
    memory = in_memory()
    memory.remember(Message("ok", metadata=metadata))
    return memory.admin.recent()[0].metadata


@pytest.mark.parametrize("card", [4539588270001932, -4539588270001932, 4539588270001932.0])
def test_a_number_in_metadata_is_redacted_too(card: float) -> None:
    said = {"card": card, "n": [7, {"of": 20240512}], "share": 0.5348483648243424, "ok": True}
    assert kept(said) == said | {"card": "[CC]"}


def test_values_under_secret_names_are_all_kept() -> None:
    said = {"4539588270001932": "old", "4111 1111 1111 1111": "new", "[CC] 2": 1, "a": {}}
    assert kept({"cards": said}) == {
        "cards": {"[CC]": "old", "[CC] 2": "new", "[CC] 2 2": 1, "a": {}}
    }


CARDS = st.sampled_from([4539588270001932, 378282246310005, 5500000000000004])
LEAVES = st.one_of(
    CARDS, CARDS.map(float), CARDS.map(str), CARDS.map(lambda n: -n), st.integers(), st.none()
)


@given(
    st.recursive(
        LEAVES,
        lambda inner: (
            st.lists(inner, max_size=4)
            | st.dictionaries(CARDS.map(str) | st.text("ab", max_size=2), inner, max_size=4)
        ),
    )
)
def test_no_card_is_left_at_any_depth_and_nothing_else_goes(value: object) -> None:
    clean, found = redact_values(value, Policy())
    told = str(clean)
    assert not any(card in told for card in ("4539588270001932", "378282246310005", "55000000"))
    assert sum(sum(one.counts.values()) for one in found) == told.count("[CC]")
    assert size(clean) == size(value)
    assert redact_values(clean, Policy()) == (clean, [])


def size(value: object) -> int:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return 1 + sum(map(size, inner))


if __name__ == "__main__":
    for held in (False, True):
        name = "held" if held else "seen"
        print(f"{name}: missed {len(missed(held))} of {counts(SECRETS)[held]} secrets,", end=" ")
        print(f"{len(alarms(held))} alarms in {counts(HARMLESS)[held]} harmless sentences")
    print(*(f"  missed: {one}" for one in missed(False)), sep="\n")
    print(*(f"  alarm: {one}" for one in alarms(False)), sep="\n")
