"""Cost: little for an ordinary turn, and linear in the length of whatever else comes."""

import pytest
from tests.cpu import seconds

from evals.injection import suspicious
from evals.sensitive import find_sensitive as find
from sharpwave.privacy.redaction import redact
from sharpwave.settings.privacy import EgressPolicy, Policy

TURN = (
    "I went to the market on 14 May with my sister and we bought 3 kilos of apples for $12.50, "
    "then called a taxi to go home. She told me that her new job starts at 9:30 next Monday and "
    "that she is very excited. Do you think that I should plan a small party for her, with cake?"
)
KIB = 1024
NASTY = [
    "a", "1", "1 ", "1.", "1-", "(", "((1", "+1", "@", "a@", "a.", "a@b.", "://", "www.",
    "www.a)", "=", "password", "password: ", "key ", "key is ", "pin for the a b ", "sk-",
    "eyJ", "eyJa.eyJb.", "xox", "-----BEGIN PRIVATE KEY-----", "A", "Aa ", "Anna ", "12 Baker ",
    "::", "a:", "1:", "ignore all your ", "\u200b", " ", "\n", "GB82", "GB82 ", "AB12", "ab-",
    ".com", "a.com/", "![", "for the a b ", "Dr. A ", "your reply ", "send to ",
    "driver's license ", "account number ", "é", "[PASSWORD]", "4111 1111 ",
    "001-01-0001 4111 1111 1111 1111 ", "212-555-0147 ",
]  # fmt: skip


def test_an_ordinary_turn_costs_little() -> None:
    redact(TURN, Policy())
    limit = 10 * 0.001  # 0.1 ms a turn on an idle core; the figure is `python -m evals pii`'s
    assert seconds(lambda: [redact(TURN, Policy()) for _ in range(10)], limit) < limit


def test_a_text_without_any_mark_is_done_at_once() -> None:
    plain = "we walked along the river and talked about music and old films"
    limit = 10 * 0.000_3
    assert seconds(lambda: [redact(plain, Policy()) for _ in range(10)], limit) < limit


@pytest.mark.parametrize("piece", NASTY)
def test_time_is_linear(piece: str) -> None:
    """Sixteen times the text may cost about sixteen times as much, not 256 times."""
    short, long = (piece * (size // len(piece)) for size in (4 * KIB, 64 * KIB))
    for function in (lambda text: redact(text, EgressPolicy()), find, suspicious):
        limit = 60 * max(seconds(lambda: function(short)), 0.000_5)  # noqa: B023 (called at once)
        assert seconds(lambda: function(long), limit) < limit  # noqa: B023


def test_a_long_text_is_fine() -> None:
    text = (TURN + " ana@example.com 4111 1111 1111 1111 password: hunter2\n") * (256 * KIB // 330)
    redacted = redact(text, Policy())
    assert "4111" not in redacted.text and "hunter2" not in redacted.text
