"""Types of sensitive content, and the policy for each."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from sharpwave.types.statements import Span


class SensitiveClass(StrEnum):
    """A class of sensitive content; a policy has one setting per class."""

    SECRET = "secret"
    FINANCIAL = "financial"
    GOVERNMENT_ID = "government_id"
    CONTACT = "contact"
    NETWORK = "network"
    PERSON = "person"
    PLACE = "place"
    HEALTH = "health"


class Sensitive(StrEnum):
    """One type of sensitive content."""

    API_KEY = "api_key"
    PRIVATE_KEY = "private_key"
    TOKEN = "token"
    """A signed or bearer token, such as a JWT."""
    PASSWORD = "password"
    PIN = "pin"
    """A PIN, door code or one-time code."""
    CARD = "card"
    CVV = "cvv"
    IBAN = "iban"
    BANK_ACCOUNT = "bank_account"
    SSN = "ssn"
    """A US social security or taxpayer number."""
    NATIONAL_ID = "national_id"
    """A personal number of another country, with its check digit where it has one."""
    PASSPORT = "passport"
    LICENCE = "licence"
    EMAIL = "email"
    PHONE = "phone"
    IP = "ip"
    MAC = "mac"
    URL = "url"
    """An address on the web, or a bare domain."""
    PERSON = "person"
    ADDRESS = "address"
    ZIP = "zip"
    PLACE = "place"
    HEALTH = "health"


class PolicyAction(StrEnum):
    """How a sensitive part of a text is handled."""

    STORE = "store"
    """Stored unchanged."""
    REDACT = "redact"
    """Replaced by its label, such as [EMAIL]."""
    REFUSE = "refuse"
    """The whole item is rejected."""


_TYPES = {
    SensitiveClass.SECRET: "api_key private_key token password pin",
    SensitiveClass.FINANCIAL: "card cvv iban bank_account",
    SensitiveClass.GOVERNMENT_ID: "ssn national_id passport licence",
    SensitiveClass.CONTACT: "email phone",
    SensitiveClass.NETWORK: "ip mac url",
    SensitiveClass.PERSON: "person",
    SensitiveClass.PLACE: "address zip place",
    SensitiveClass.HEALTH: "health",
}
CLASS_OF: Mapping[Sensitive, SensitiveClass] = {
    Sensitive(name): its_class for its_class, names in _TYPES.items() for name in names.split()
}

LABEL_OF: Mapping[Sensitive, str] = {
    **{kind: f"[{kind.value.upper()}]" for kind in Sensitive},
    Sensitive.API_KEY: "[REDACTED_KEY]",
    Sensitive.CARD: "[CC]",
}
"""The label that replaces the value in a redacted text [SEC-10]."""


class Finding(NamedTuple):
    """A sensitive part of a text."""

    kind: Sensitive
    span: Span


@dataclass(frozen=True, slots=True)
class Redacted:
    """A text after applying a policy."""

    text: str
    """The text with labels in place of everything that may not be stored."""
    counts: Mapping[Sensitive, int]
    """Number of replacements by type; safe for logs and receipts."""
    findings: tuple[Finding, ...]
    """What was replaced; the spans refer to the original text."""
    refused: tuple[Sensitive, ...] = ()
    """Types found for which the policy rejects the whole item; empty: it may be stored."""
