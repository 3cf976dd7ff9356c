"""Sensitive content: texts to look for it in, and ways to find it.

Texts: public ones with spans, everyday turns, injections, and secrets of our own making (keys,
passwords, PINs and what only looks like them), since the public set has none. The same hands wrote
those and the rules, so they show that the rules work as meant, not how they fare on what others
write. `halves` splits the texts with spans by their template, so that a rule cannot have been
fitted to the half it is judged on.

Finders: ours, the three expressions of SEC-10, Presidio's patterns. Presidio is no dependency of
Sharpwave; NotFound says what to install. Its recognisers of patterns and numbers run without a
language model and so without their context words.
"""

import base64
import hashlib
import json
import logging
import re
import string
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from random import Random
from typing import Any

from evals.observations import user_turns
from evals.parts import sensitive_candidates
from evals.sets import files_of, in_form, read_json
from sharpwave import InvalidInput, NotFound
from sharpwave.types.privacy import Finding, Sensitive, SensitiveClass
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


_RANK = {
    Sensitive(name): place
    for place, name in enumerate(
        """private_key token api_key password iban email url card pin cvv ssn national_id passport
        licence ip mac phone bank_account address zip person health place""".split()
    )
}
"""Of two that overlap the earlier one here is kept, then the longer."""


def find_sensitive(
    text: str, classes: Collection[SensitiveClass] = frozenset(SensitiveClass)
) -> list[Finding]:
    """The sensitive parts of a text in order, none overlapping another."""
    kept: list[Finding] = []
    said = sensitive_candidates(text, classes)
    for one in sorted(said, key=lambda each: (each.span.start, _order(each))):
        if kept and one.span.start < kept[-1].span.end:
            kept[-1] = min(kept[-1], one, key=_order)
        else:
            kept.append(one)
    return kept


def _order(one: Finding) -> tuple[int, int]:
    return _RANK[one.kind], one.span.start - one.span.end


def three_expressions(text: str) -> list[Finding]:
    """SEC-10 as it is written: 32 letters and digits, an e-mail address, 16 digits."""
    return [
        Finding(kind, Span(*found.span()))
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
            (result.score, Finding(kind, Span(result.start, result.end)))
            for kind, recogniser in recognisers
            for result in recogniser.analyze(text, recogniser.supported_entities, None) or ()
            if result.score >= _PRESIDIO_SCORE
        ]
        return without_overlaps(every)

    return found


def without_overlaps(scored: list[tuple[float, Finding]]) -> list[Finding]:
    """Of those that overlap the one with the highest score, then the longest."""
    kept: list[Finding] = []
    order = sorted(scored, key=lambda each: (-each[0], each[1].span.start - each[1].span.end))
    for _, finding in order:
        if all(
            finding.span.end <= other.span.start or other.span.end <= finding.span.start
            for other in kept
        ):
            kept.append(finding)
    return kept


OURS, SPEC, PRESIDIO = "sharpwave", "SEC-10", "presidio"


def open_named(name: str) -> Find:
    """One way by its name; NotFound says what to install."""
    if name not in _WAYS:
        raise InvalidInput(f"there is no finder {name!r}; there are: {', '.join(_WAYS)}")
    return _WAYS[name]()


_WAYS: dict[str, Callable[[], Find]] = {
    OURS: lambda: find_sensitive,
    SPEC: lambda: three_expressions,
    PRESIDIO: presidio,
}


TYPES: Mapping[str, Sensitive] = {
    "CREDIT_CARD": Sensitive.CARD,
    "IBAN_CODE": Sensitive.IBAN,
    "EMAIL_ADDRESS": Sensitive.EMAIL,
    "PHONE_NUMBER": Sensitive.PHONE,
    "US_SSN": Sensitive.SSN,
    "US_DRIVER_LICENSE": Sensitive.LICENCE,
    "IP_ADDRESS": Sensitive.IP,
    "DOMAIN_NAME": Sensitive.URL,
    "PERSON": Sensitive.PERSON,
    "GPE": Sensitive.PLACE,
    "STREET_ADDRESS": Sensitive.ADDRESS,
    "ZIP_CODE": Sensitive.ZIP,
}
"""Types of the public set; its others (dates, ages, titles, organisations, nationalities) are not
sensitive to us and are left out."""


@dataclass(frozen=True, slots=True)
class MarkedText:
    """A text and what in it is sensitive."""

    text: str
    spans: tuple[tuple[Sensitive, Span], ...]
    template: str = ""


def load_marked(data: Path) -> list[MarkedText]:
    """The public texts with spans; NotFound says what is missing."""
    contents = read_json("pii", data)
    with in_form("pii", data):
        return [text for content in contents for text in _marked(content)]


def halves(marked: Sequence[MarkedText]) -> tuple[list[MarkedText], list[MarkedText]]:
    """The half that rules may be developed on, and the half that is kept for the report."""
    held = [text for text in marked if hashlib.sha256(text.template.encode()).digest()[0] % 2]
    seen = [text for text in marked if not hashlib.sha256(text.template.encode()).digest()[0] % 2]
    return seen, held


def load_everyday(data: Path) -> tuple[dict[str, list[str]], list[str]]:
    """Turns of ordinary conversations, each text once, by set; a note for a set that is missing."""
    turns, notes = {}, []
    for name, load in (("locomo", _locomo_texts), ("longmemeval", user_turns)):
        try:
            turns[name] = list(dict.fromkeys(load(data)))
        except NotFound as error:
            notes.append(str(error))
    return turns, notes


def load_injections(data: Path) -> dict[str, list[str]]:
    """Injected instructions, by file; none if they are not there."""
    try:
        files = files_of("injection", data, "*/*.json", among=True)
    except NotFound:
        return {}
    with in_form("injection", data):
        contents = {file.stem: json.loads(file.read_text("utf-8")) for file in files}
        return {
            name: [text for texts in content.values() for text in texts]
            for name, content in contents.items()
        }


def _marked(content: Iterable[Any]) -> Iterable[MarkedText]:
    for sample in content:
        spans = tuple(
            (TYPES[each["entity_type"]], Span(each["start_position"], each["end_position"]))
            for each in sample["spans"]
            if each["entity_type"] in TYPES
        )
        yield MarkedText(sample["full_text"], spans, str(sample["template_id"]))


def _locomo_texts(data: Path) -> list[str]:
    return [
        turn["text"]
        for content in read_json("locomo", data, among=True)
        for sample in content
        for key, turns in sample["conversation"].items()
        if key.startswith("session_") and not key.endswith("_date_time")
        for turn in turns
    ]


# --- secrets of our own making --------------------------------------------------------------------

_MIXED = string.ascii_letters + string.digits
_SMALL = string.ascii_lowercase + string.digits
_HEX = "0123456789abcdef"
_PEM_LINES = 6
Make = Callable[[Random], str]


def make_secrets(seed: int, each: int = 20) -> list[MarkedText]:
    """`each` sentences for every form of secret, and as many for every thing that is none."""
    random = Random(seed)
    made = [
        _sentence(random, kind, form(random), frames)
        for kind, form, frames in _SECRETS
        for _ in range(each)
    ]
    plain = [MarkedText(form(random), ()) for form in _PLAIN for _ in range(each)]
    return made + plain


def _word(random: Random, alphabet: str, length: int) -> str:
    return "".join(random.choices(alphabet, k=length))


def _key(prefix: str, length: int, alphabet: str = _MIXED) -> Make:
    return lambda random: prefix + _word(random, alphabet, length)


def _jwt(random: Random) -> str:
    def part(content: object) -> str:
        return base64.urlsafe_b64encode(json.dumps(content).encode()).decode().rstrip("=")

    claims = {"sub": _word(random, string.digits, 10), "exp": random.randint(10**9, 2 * 10**9)}
    return f"{part({'alg': 'HS256', 'typ': 'JWT'})}.{part(claims)}.{_word(random, _MIXED, 43)}"


def _pem(random: Random) -> str:
    body = "\n".join(_word(random, _MIXED + "+/", 64) for _ in range(_PEM_LINES))
    name = random.choice(["RSA ", "EC ", "OPENSSH ", ""])
    return f"-----BEGIN {name}PRIVATE KEY-----\n{body}\n-----END {name}PRIVATE KEY-----"


def _password(random: Random) -> str:
    word = random.choice(["sunshine", "Dragon", "tr0ub4dor", "Lisboa", "monkey", "Winter"])
    return word + random.choice(["!", "#", "_", ""]) + str(random.randint(10, 9999))


def _plain_password(random: Random) -> str:
    return random.choice(["swordfish", "opensesame", "correcthorse", "letmein", "butterfly"])


def _pin(random: Random) -> str:
    return _word(random, string.digits, random.choice([4, 4, 6]))


def _sentence(random: Random, kind: Sensitive, value: str, frames: Sequence[str]) -> MarkedText:
    before, after = random.choice(frames).split("{}")
    span = Span(len(before), len(before) + len(value))
    return MarkedText(before + value + after, ((kind, span),))


_ANYWHERE = (
    "Here it is: {}",
    "I pasted {} into the config and it still fails",
    "export TOKEN={}",
    'client = Client("{}")',
    "Use {}, please.",
    "{}",
)
_AFTER_A_WORD = (
    "my api key is {}",
    "API_KEY={}",
    'the config says "secret_key": "{}", is that right?',
    "auth token: {}",
    "curl -H 'Authorization: Bearer {}' localhost:8080/me",
    "the client secret for staging is {}.",
)
_PASSWORDS = (
    "my password is {}",
    "password: {}",
    "the wifi password for the flat is {}, tell the guests",
    "login ana / pwd={}",
    'set the password to "{}" please',
    "passphrase = {}",
    "DB_PASSWORD={}",
)
_PINS = (
    "my pin is {}",
    "the door code is {}.",
    "PIN: {}",
    "the alarm code for the office is {}, don't forget",
    "your verification code is {}",
)
_SECRETS: tuple[tuple[Sensitive, Make, Sequence[str]], ...] = (
    (Sensitive.API_KEY, _key("sk-", 48), _ANYWHERE),
    (Sensitive.API_KEY, _key("sk-proj-", 64, _MIXED + "_-"), _ANYWHERE[:2]),
    (Sensitive.API_KEY, _key("sk-ant-api03-", 80, _MIXED + "_-"), _ANYWHERE[:2]),
    (Sensitive.API_KEY, _key("AKIA", 16, string.ascii_uppercase + string.digits), _ANYWHERE),
    (Sensitive.API_KEY, _key("ghp_", 36), _ANYWHERE),
    (Sensitive.API_KEY, _key("github_pat_", 70), _ANYWHERE),
    (Sensitive.API_KEY, _key("glpat-", 20), _ANYWHERE),
    (Sensitive.API_KEY, _key("xoxb-1234567890-", 24), _ANYWHERE),
    (Sensitive.API_KEY, _key("AIza", 35), _ANYWHERE),
    (Sensitive.API_KEY, _key("hf_", 34, string.ascii_letters), _ANYWHERE),
    (Sensitive.API_KEY, _key("sk_live_", 24), _ANYWHERE),
    (Sensitive.API_KEY, _key("npm_", 36), _ANYWHERE),
    (Sensitive.API_KEY, _key("dop_v1_", 64, _HEX), _ANYWHERE),
    (
        Sensitive.API_KEY,
        _key("https://hooks.slack.com/services/T0AB12CD3/B0EF45GH6/", 24),
        _ANYWHERE[:2],
    ),
    (Sensitive.API_KEY, _key("", 40), _AFTER_A_WORD),
    (Sensitive.API_KEY, _key("", 24), _AFTER_A_WORD),
    (Sensitive.API_KEY, _key("", 32, _HEX), _AFTER_A_WORD),
    (Sensitive.API_KEY, _key("", 40), _ANYWHERE[:2]),
    (Sensitive.TOKEN, _jwt, _ANYWHERE),
    (Sensitive.PRIVATE_KEY, _pem, ("{}", "this is on the server:\n{}\nis it safe?")),
    (Sensitive.PASSWORD, _password, _PASSWORDS),
    (Sensitive.PASSWORD, _password, _PASSWORDS),
    (Sensitive.PASSWORD, _plain_password, _PASSWORDS),
    (Sensitive.PASSWORD, _password, ("postgres://ana:{}@db.example.com:5432/app",)),
    (Sensitive.PIN, _pin, _PINS),
    (Sensitive.PIN, _pin, _PINS),
)


def _uuid(random: Random) -> str:
    return "-".join(_word(random, _HEX, length) for length in (8, 4, 4, 4, 12))


def _number(random: Random, length: int) -> str:
    return random.choice("123456789") + _word(random, string.digits, length - 1)


_PLAIN: tuple[Make, ...] = (
    lambda random: f"it broke in commit {_word(random, _HEX, 40)}",
    lambda random: f"git checkout {_word(random, _HEX, 9)} and build again",
    lambda random: f"sha256 of the file is {_word(random, _HEX, 64)}",
    lambda random: f"request id {_uuid(random)} failed",
    lambda random: f"my order number is {_number(random, 10)}, where is it?",
    lambda random: f"ISBN 978-{_number(random, 1)}-16-{_number(random, 6)}-0 is out of print",
    lambda random: f"upgraded from 3.{random.randint(1, 20)}.1 to version 4.0.1.2",
    lambda random: random.choice(["I forgot my password again", "the password is too short"]),
    lambda random: random.choice(["my password was stolen", "the key is to practise every day"]),
    lambda random: random.choice(["which password manager is good?", "the secret to good bread"]),
    lambda random: f"the key is under mat {random.randint(1, 9)}, token of my thanks",
    lambda random: f"tracking number {_number(random, 12)} arrived in {random.randint(2, 9)} days",
    lambda random: f"the meeting is on 2026-0{random.randint(1, 9)}-14 at 10:30 in room 4521",
    lambda random: f"we sold {_number(random, 7)} units for $1,250,000.00 in 2019-2023",
    lambda random: f"the class is called AbstractSingletonProxyFactoryBean{random.randint(1, 9)}",
    lambda random: f"see /usr/lib/python3.11/site-packages/numpy/{_word(random, _SMALL, 6)}.py",
)  # fmt: skip
