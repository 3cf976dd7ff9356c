"""What holds for any card, any IBAN and any text."""

import string

import pytest
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st
from stdnum import luhn
from stdnum.iso7064 import mod_97_10

from evals.injection import hidden, suspicious
from evals.sensitive import find_sensitive as find
from sharpwave.privacy.findings import candidates
from sharpwave.privacy.redaction import redact
from sharpwave.settings.privacy import EgressPolicy, Policy
from sharpwave.types.privacy import LABEL_OF, Sensitive, SensitiveClass

EVERYTHING = Policy.model_validate({each.value: "redact" for each in SensitiveClass})
POLICIES = [Policy(), EgressPolicy(), EVERYTHING]
CARDS = [("4", 16), ("51", 16), ("2221", 16), ("34", 15), ("37", 15), ("300", 14), ("6011", 16)]
IBANS = {"DE": 22, "GB": 22, "FR": 27, "NO": 15, "MT": 31, "PL": 28, "CH": 21}
PIECES = [
    "ana@example.com", "4111 1111 1111 1111", "GB82WEST12345698765432", "password: hunter2",
    "my pin is 1234", "https://ana:s3cr3t@example.com/x", "+41 44 668 18 00", "10.1.2.3",
    "[EMAIL]", "536-90-4399", "Anna Smith", "12 Baker Street", "api_key=",
    "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6", "Dr. ", "name is ", "[PASSWORD]", "www.", "://", "@",
    "key is", "cvv 123", "-----BEGIN PRIVATE KEY-----", "token: ", "(", ")", "0", "123", ".",
    "-", " ", "x", "é", "\n", "'", '"', "zip 94110", "London",
]  # fmt: skip
TEXTS = st.one_of(
    st.text(max_size=80),
    st.text(alphabet=string.digits + " -.()+/:@[]abcXYZ=_", max_size=80),
    st.lists(st.sampled_from(PIECES), max_size=8).map("".join),
    st.lists(st.sampled_from(PIECES), max_size=8).map(" ".join),
)


@st.composite
def cards(draw: st.DrawFn) -> str:
    prefix, length = draw(st.sampled_from(CARDS))
    body = prefix + draw(st.text("0123456789", min_size=length - 1, max_size=length - 1))
    body = body[: length - 1]
    number = next(body + digit for digit in "0123456789" if luhn.is_valid(body + digit))
    assume(len(set(number)) > 1)
    return number


@st.composite
def ibans(draw: st.DrawFn) -> str:
    country = draw(st.sampled_from(sorted(IBANS)))
    size = IBANS[country] - 4
    bank = draw(st.text(string.ascii_uppercase, max_size=4))
    account = bank + draw(st.text(string.digits, min_size=size, max_size=size))[len(bank) :]
    return f"{country}{mod_97_10.calc_check_digits(account + country)}{account}"


def spaced(number: str, separator: str) -> str:
    if len(number) == 16:
        return separator.join(number[place : place + 4] for place in range(0, 16, 4))
    return separator.join((number[:4], number[4:10], number[10:]))


def corrupted(value: str, place: int, by: int) -> str:
    places = [index for index, each in enumerate(value) if each.isdigit()]
    place = places[place % len(places)]
    return value[:place] + str((int(value[place]) + by) % 10) + value[place + 1 :]


@given(cards(), st.sampled_from(["", " ", "-"]))
def test_cards_are_found(number: str, separator: str) -> None:
    written = spaced(number, separator)
    found = find(f"It is {written}, thanks.")
    assert [(one.kind, one.span) for one in found] == [(Sensitive.CARD, (6, 6 + len(written)))]


@given(cards(), st.sampled_from(["", " ", "-"]), st.integers(0, 30), st.integers(1, 9))
def test_a_card_with_one_wrong_digit_is_none(
    number: str, separator: str, place: int, by: int
) -> None:
    wrong = spaced(corrupted(number, place, by), separator)
    assert Sensitive.CARD not in {one.kind for one in find(f"It is {wrong}, thanks.")}


@given(ibans(), st.booleans(), st.booleans())
def test_ibans_are_found(code: str, spaces: bool, small: bool) -> None:
    written = " ".join(code[at : at + 4] for at in range(0, len(code), 4)) if spaces else code
    written = written.lower() if small else written
    found = [one for one in find(f"Pay {written}, today.") if one.kind is Sensitive.IBAN]
    assert [one.span for one in found] == [(4, 4 + len(written))]


@given(ibans(), st.integers(0, 30), st.integers(1, 9))
def test_an_iban_with_one_wrong_digit_is_none(code: str, place: int, by: int) -> None:
    wrong = corrupted(code, place, by)
    assert Sensitive.IBAN not in {one.kind for one in find(f"Pay {wrong}, today.")}


@pytest.mark.parametrize("policy", POLICIES, ids=["stored", "egress", "everything"])
@settings(max_examples=300, suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(TEXTS)
@example("a@b.co@c.com")
def test_redaction_is_done_once(policy: Policy, text: str) -> None:
    redacted = redact(text, policy)
    again = redact(redacted.text, policy)
    assert (again.text, again.findings) == (redacted.text, ())
    assert sum(redacted.counts.values()) == len(redacted.findings)


@settings(max_examples=300, deadline=None)
@given(TEXTS)
def test_redaction_replaces_the_spans_and_nothing_else(text: str) -> None:
    redacted = redact(text, EVERYTHING)
    rest, end = redacted.text, 0
    for one in redacted.findings:
        assert end <= one.span.start < one.span.end <= len(text)
        kept, label = text[end : one.span.start], LABEL_OF[one.kind]
        assert rest.startswith(kept + label)
        rest, end = rest[len(kept + label) :], one.span.end
    assert rest == text[end:]
    covered = [one.span for one in redacted.findings]
    for one in candidates(text):
        assert any(span.start <= one.span.start and one.span.end <= span.end for span in covered)


@settings(max_examples=300, deadline=None)
@given(TEXTS)
def test_any_text_can_be_looked_at(text: str) -> None:
    end = 0
    for one in find(text):
        assert end <= one.span.start < one.span.end <= len(text)
        end = one.span.end
    assert 0.0 <= suspicious(text) <= 1.0
    assert all(0 <= span.start < span.end <= len(text) for span in hidden(text))


@given(cards(), ibans())
def test_the_value_is_gone(card: str, iban: str) -> None:
    redacted = redact(f"card {card}, IBAN {iban}, again {card}.", Policy())
    assert card not in redacted.text and iban not in redacted.text
    assert redacted.text == "card [CC], IBAN [IBAN], again [CC]."
