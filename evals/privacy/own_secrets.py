"""Keys, passwords and PINs of our own making, in sentences, and what only looks like them.

The public set has none. The same hands wrote this and the rules, so it shows that the rules work
as meant, not how they fare on what others write.
"""

import base64
import json
import string
from collections.abc import Callable, Sequence
from random import Random

from evals.privacy.sensitive_sets import Marked
from sharpwave.types.privacy import Sensitive
from sharpwave.types.statements import Span

_MIXED = string.ascii_letters + string.digits
_SMALL = string.ascii_lowercase + string.digits
_HEX = "0123456789abcdef"
_PEM_LINES = 6
Make = Callable[[Random], str]


def make(seed: int, each: int = 20) -> list[Marked]:
    """`each` sentences for every form of secret, and as many for every thing that is none."""
    random = Random(seed)
    made = [
        _sentence(random, kind, form(random), frames)
        for kind, form, frames in _SECRETS
        for _ in range(each)
    ]
    plain = [Marked(form(random), ()) for form in _PLAIN for _ in range(each)]
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


def _sentence(random: Random, kind: Sensitive, value: str, frames: Sequence[str]) -> Marked:
    before, after = random.choice(frames).split("{}")
    span = Span(len(before), len(before) + len(value))
    return Marked(before + value + after, ((kind, span),))


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
