"""Policies: what is stored, redacted or refused, here and before anything leaves."""

import pytest

from sharpwave import UsageError, load_settings
from sharpwave.errors import SensitiveContent
from sharpwave.privacy.redaction import redact, refusal
from sharpwave.settings.privacy import EgressPolicy, Policy, PrivacySettings
from sharpwave.types.privacy import Finding, Redacted, Sensitive
from sharpwave.types.statements import Span

TEXT = "ana@example.com paid with 4111 1111 1111 1111 from 10.1.2.3, password: hunter2"


@pytest.mark.spec("SEC-10")
def test_by_default_secrets_and_numbers_stay_out_and_contacts_stay() -> None:
    assert redact(TEXT, Policy()) == Redacted(
        text="ana@example.com paid with [CC] from 10.1.2.3, password: [PASSWORD]",
        counts={Sensitive.CARD: 1, Sensitive.PASSWORD: 1},
        findings=(
            Finding(Sensitive.CARD, Span(26, 45)),
            Finding(Sensitive.PASSWORD, Span(71, 78)),
        ),
    )


def test_less_leaves_the_machine_than_is_stored() -> None:
    assert redact(TEXT, EgressPolicy()).text == (
        "[EMAIL] paid with [CC] from [IP], password: [PASSWORD]"
    )


def test_a_user_may_opt_in_to_what_is_kept_out() -> None:
    consented = Policy.model_validate({"secret": "store", "financial": "store"})
    assert redact(TEXT, consented) == Redacted(TEXT, {}, ())


def test_a_policy_can_refuse_the_whole_item() -> None:
    strict = Policy.model_validate({"financial": "refuse", "secret": "refuse"})
    redacted = redact(TEXT, strict)
    assert redacted.refused == (Sensitive.PASSWORD, Sensitive.CARD)
    assert "hunter2" not in redacted.text and "4111" not in redacted.text
    error = refusal(redacted)
    assert isinstance(error, SensitiveContent) and isinstance(error, UsageError)
    assert str(error) == "the privacy policy refuses texts that hold: password, card"
    assert refusal(redact("I like soup", strict)) is None


def test_a_secret_inside_something_that_is_stored_goes_alone() -> None:
    url = "https://ana:s3cr3t@example.com/x"
    assert redact(url, Policy()).text == "https://ana:[PASSWORD]@example.com/x"
    assert redact(url, EgressPolicy()).text == "[URL]"


def test_names_and_places_can_be_redacted_as_far_as_they_are_found() -> None:
    policy = Policy.model_validate({"person": "redact", "place": "redact", "health": "redact"})
    text = "Anna Smith lives at 12 Baker Street, London, and is allergic to peanuts."
    assert redact(text, policy).text == (
        "[PERSON] lives at [ADDRESS], [PLACE], and is allergic to [HEALTH]."
    )


def test_settings() -> None:
    assert PrivacySettings().egress.contact == "redact"
    loaded = load_settings(privacy={"stored": {"contact": "refuse"}})
    assert loaded.privacy.stored.contact == "refuse"
    assert loaded.privacy.stored.secret == "redact"
