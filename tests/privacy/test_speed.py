"""Cost: little for an ordinary turn, and linear in the length of whatever else comes."""

from time import process_time

import pytest

from sharpwave.privacy.findings import find
from sharpwave.privacy.injection import suspicious
from sharpwave.privacy.redaction import redact
from sharpwave.settings import EgressPolicy, Policy

TURN = (
    "I went to the market on 14 May with my sister and we bought 3 kilos of apples for $12.50, "
    "then called a taxi to go home. She told me that her new job starts at 9:30 next Monday and "
    "that she is very excited. Do you think that I should plan a small party for her, with cake?"
)
MIB = 1024 * 1024
NASTY = [
    "a", "1", "1 ", "1.", "1-", "(", "((1", "+1", "@", "a@", "a.", "a@b.", "://", "www.",
    "www.a)", "=", "password", "password: ", "key ", "key is ", "pin for the a b ", "sk-",
    "eyJ", "eyJa.eyJb.", "xox", "-----BEGIN PRIVATE KEY-----", "A", "Aa ", "Anna ", "12 Baker ",
    "::", "a:", "1:", "ignore all your ", "\u200b", " ", "\n", "GB82", "GB82 ", "AB12", "ab-",
    ".com", "a.com/", "![", "for the a b ", "Dr. A ", "your reply ", "send to ",
    "driver's license ", "account number ", "é", "[PASSWORD]", "4111 1111 ",
    "001-01-0001 4111 1111 1111 1111 ", "212-555-0147 ",
]  # fmt: skip


def cpu_ms(function: object, *arguments: object) -> float:
    assert callable(function)
    started = process_time()
    function(*arguments)
    return (process_time() - started) * 1000


def test_an_ordinary_turn_costs_little() -> None:
    redact(TURN, Policy())
    best = min(cpu_ms(redact, TURN, Policy()) for _ in range(50))
    assert best < 1.0  # 0.1 ms on an idle core; the figure is `sharpwave eval pii`'s


def test_a_text_without_any_mark_is_done_at_once() -> None:
    plain = "we walked along the river and talked about music and old films"
    best = min(cpu_ms(redact, plain, Policy()) for _ in range(50))
    assert best < 0.3


@pytest.mark.parametrize("piece", NASTY)
def test_time_is_linear(piece: str) -> None:
    """Sixteen times the text may cost about sixteen times as much, not 256 times."""
    short, long = (piece * (size // len(piece)) for size in (8 * 1024, 128 * 1024))
    for function in (lambda text: redact(text, EgressPolicy()), find, suspicious):
        small = min(cpu_ms(function, short) for _ in range(3))
        assert cpu_ms(function, long) < 60 * max(small, 0.5), piece


def test_a_mebibyte_is_fine() -> None:
    text = (TURN + " ana@example.com 4111 1111 1111 1111 password: hunter2\n") * (MIB // 330)
    redacted = redact(text, Policy())
    assert "4111" not in redacted.text and "hunter2" not in redacted.text
