"""Ways to find sensitive content: ours, the three expressions of SEC-10, Presidio's patterns.

Presidio is no dependency of Sharpwave; NotFound says what to install. Its recognisers of patterns
and numbers run without a language model and so without their context words.
"""

import logging
import re
from collections.abc import Callable, Mapping
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from sharpwave.errors import InvalidInput, NotFound
from sharpwave.privacy.findings import find
from sharpwave.types.privacy import Finding, Sensitive
from sharpwave.types.statements import Span

Find = Callable[[str], list[Finding]]

_SPEC = (
    (Sensitive.API_KEY, re.compile(r"\b[A-Za-z0-9]{32,}\b")),
    (Sensitive.EMAIL, re.compile(r"\b[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+\.[A-Za-z]{2,}\b")),
    (Sensitive.CARD, re.compile(r"\b[0-9]{4}[ -]?[0-9]{4}[ -]?[0-9]{4}[ -]?[0-9]{4}\b")),
)
_PRESIDIO: Mapping[str, Sensitive] = {
    "CreditCardRecognizer": Sensitive.CARD,
    "IbanRecognizer": Sensitive.IBAN,
    "EmailRecognizer": Sensitive.EMAIL,
    "PhoneRecognizer": Sensitive.PHONE,
    "UsSsnRecognizer": Sensitive.SSN,
    "UsLicenseRecognizer": Sensitive.LICENCE,
    "IpRecognizer": Sensitive.IP,
    "UrlRecognizer": Sensitive.URL,
}
_PRESIDIO_SCORE = 0.4
"""Findings below are left out: what its patterns alone call weak."""


def three_expressions(text: str) -> list[Finding]:
    """SEC-10 as it is written: 32 letters and digits, an e-mail address, 16 digits."""
    return [
        Finding(kind, Span(*found.span()), 1.0)
        for kind, pattern in _SPEC
        for found in pattern.finditer(text)
    ]


def presidio() -> Find:
    """Presidio's recognisers of patterns; NotFound if it is not installed."""
    if find_spec("presidio_analyzer") is None:
        raise NotFound("presidio left out: pip install presidio-analyzer")
    for name in ("presidio-analyzer", "tldextract"):  # the latter asks for a list on the network
        logging.getLogger(name).setLevel(logging.CRITICAL)
    package: Any = import_module("presidio_analyzer.predefined_recognizers")
    recognisers = [(kind, getattr(package, name)()) for name, kind in _PRESIDIO.items()]

    def found(text: str) -> list[Finding]:
        every = [
            Finding(kind, Span(one.start, one.end), one.score)
            for kind, recogniser in recognisers
            for one in recogniser.analyze(text, recogniser.supported_entities, None) or ()
            if one.score >= _PRESIDIO_SCORE
        ]
        return without_overlaps(every)

    return found


def without_overlaps(found: list[Finding]) -> list[Finding]:
    """Of those that overlap the surest, then the longest."""
    kept: list[Finding] = []
    order = sorted(found, key=lambda one: (-one.confidence, one.span.start - one.span.end))
    for one in order:
        if all(
            one.span.end <= other.span.start or other.span.end <= one.span.start for other in kept
        ):
            kept.append(one)
    return kept


OURS, SPEC, PRESIDIO = "sharpwave", "SEC-10", "presidio"


def open_named(name: str) -> Find:
    """One way by its name; NotFound says what to install."""
    if name not in _WAYS:
        raise InvalidInput(f"there is no finder {name!r}; there are: {', '.join(_WAYS)}")
    return _WAYS[name]()


_WAYS: dict[str, Callable[[], Find]] = {
    OURS: lambda: find,
    SPEC: lambda: three_expressions,
    PRESIDIO: presidio,
}
