"""Keys, tokens and passwords: by vendor prefix, by form, by randomness, or by the words around.

Git hashes, UUIDs, ids issued by a model's server and other plain identifiers are not secrets.
"""

import re
import tomllib
from collections.abc import Iterator
from functools import cache
from importlib.resources import files

from sharpwave.formulas.text import bits_per_char
from sharpwave.privacy.numbers import before
from sharpwave.types.privacy import LABEL_OF, Finding, Sensitive
from sharpwave.types.statements import Span

_JWT = re.compile(r"(?<![A-Za-z0-9])eyJ[\w-]{8,2000}\.eyJ[\w-]{4,8000}(?:\.[\w-]{0,2000})?")
_PEM = re.compile(r"-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----")
_PEM_BODY = re.compile(r"[A-Za-z0-9+/=\s:,.\\-]{0,10000}")

SHORTEST = 16
"""Minimum length of a vendor's key."""
LONG = 32
"""Minimum length of a word that is a secret by its randomness alone."""
_TOKEN = re.compile(r"(?<![\w+/=.-])[\w+/-]{32,512}={0,2}(?![\w+/=-])", re.ASCII)
_HEX = re.compile(r"[0-9a-fA-F-]+")
UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
# Of OpenAI's and Anthropic's answers: `resp_` and 48 hexadecimal digits, `call_` and 24 characters.
_ANSWER_ID = re.compile(
    r"(?:resp|conv|msg|rs|fco?|call|toolu|srvtoolu|ctco?|ws|fs|cuo?|ci|ig|lsh|mcp[alr]?|cntr|cfile|"
    r"run|step|thread|asst)_(?:[0-9a-f]{32,64}|[A-Za-z0-9]{22,30})|chatcmpl-[A-Za-z0-9]{24,34}"
)
_SEALED = re.compile(r"[\w+/-]{64,}={0,2}", re.ASCII)
_DIGIT_GROUPS = re.compile(r"[0-9]+")
_HUMP = re.compile("[a-z][A-Z]")
_HUMPS_PER_CHAR = 0.16
_FEW_CHARACTERS = 6
_RANDOM_BITS = 3.6
"""Bits per character: joined English words have fewer, random words of this length more."""


@cache
def _vendor_keys() -> tuple[tuple[str, re.Pattern[str]], ...]:
    """A part that every key of a vendor contains, and the pattern of the whole key; read lazily."""
    table = tomllib.loads((files("sharpwave.data") / "vendor_keys.toml").read_text("utf-8"))
    return tuple(
        (part, re.compile(rf"(?<![A-Za-z0-9]){pattern}(?![A-Za-z0-9])"))
        for part, patterns in table.items()
        for pattern in patterns
    )


def keys(text: str, longest: int) -> Iterator[Finding]:
    """Keys of vendors, signed tokens and private keys; `longest` is the length of a word."""
    if "-----BEGIN" in text:
        yield from _private_keys(text)
    if longest < SHORTEST:
        return
    yield from _vendors(text)
    if "eyJ" in text:
        for found in _JWT.finditer(text):
            yield Finding(Sensitive.TOKEN, Span(*found.span()))
    if longest >= LONG:
        yield from _random_words(text)


def _vendors(text: str) -> Iterator[Finding]:
    """Keys by prefix or field; few distinct characters, as in sk-xxxxxxxx, mean a placeholder."""
    for part, pattern in _vendor_keys():
        if part in text:
            for found in pattern.finditer(text):
                if len(set(found[0])) > _FEW_CHARACTERS:
                    yield Finding(Sensitive.API_KEY, Span(*found.span()))
    for found in _FIELDS.finditer(text) if "=" in text else ():
        if len(set(found["value"])) > _FEW_CHARACTERS and _DIGIT_GROUPS.search(found["value"]):
            yield Finding(Sensitive.TOKEN, Span(*found.span("value")))


def is_sealed(name: str, value: object) -> bool:
    """Whether a field holds encrypted reasoning that the model's server needs returned unchanged.

    Tokens of others have the same form, so the field name that the server uses decides.
    """
    if name != "encrypted_content" or not isinstance(value, str) or not _SEALED.fullmatch(value):
        return False
    return not any(part in value and pattern.search(value) for part, pattern in _vendor_keys())


def _private_keys(text: str) -> Iterator[Finding]:
    end = 0
    for found in _PEM.finditer(text):
        if found.start() < end:
            continue
        body = _PEM_BODY.match(text, found.end())
        end = body.end() if body else found.end()
        closing = text.find("-----END", found.end(), end + 8)
        if closing >= 0:
            line = text.find("-----", closing + 8, closing + 60)
            end = line + 5 if line >= 0 else closing + 8
        yield Finding(Sensitive.PRIVATE_KEY, Span(found.start(), end))


def _random_words(text: str) -> Iterator[Finding]:
    """Random-looking words of at least 32 characters [SEC-10]; no hash, id or plain name."""
    for found in _TOKEN.finditer(text):
        if looks_random(found[0]) and not _in_address(text, found.start()):
            yield Finding(Sensitive.API_KEY, Span(*found.span()))


def looks_random(word: str) -> bool:
    """Whether a long word has the mixture of a key; hexadecimal words and ids do not count."""
    if _HEX.fullmatch(word) or _ANSWER_ID.fullmatch(word):
        return False
    if word.count("/") > 3 or word.count("-") + word.count("_") > 5:
        return False
    digits = _DIGIT_GROUPS.findall(word)
    mixed = len(digits) >= 3 or (bool(digits) and changes_case(word))
    return mixed and word.count("/") <= len(digits) and bits_per_char(word) >= _RANDOM_BITS


def changes_case(word: str) -> bool:
    """Whether capitals begin more often than in words that are joined LikeThis."""
    return len(_HUMP.findall(word)) >= _HUMPS_PER_CHAR * len(word)


def _in_address(text: str, start: int) -> bool:
    """Whether the word is a part of a URL or of a path: ids of documents look like keys."""
    return start > 0 and (text[start - 1] in "/?&=#%@" or text[max(0, start - 3) : start] == "://")


# Lower-case marks: a text without any of them is not searched.
_PASSWORD_MARKS = ("pass", "pwd", "pw", "contraseña", "kennwort", "mot de", "senha")
_PIN_MARKS = ("pin", "code", "otp", "one-time", "one time")
_KEY_MARKS = ("key", "token", "secret", "credential", "bearer", "basic")

_FOR = r"(?: (?:for|to|of|on) (?:the |my |our )?[\w.'-]{1,30}(?: [\w.'-]{1,20})?)?"
_NOW = r"(?: now)?:?\s{1,3}"
_PASSWORD = re.compile(
    r"(?i)(?<![A-Za-z])(?:pass(?:word|wd|phrase|code|wort)|pwd|pw|contraseña|kennwort|mot de passe|"
    rf"senha){_FOR}[\"'`]?"
    rf"(?P<link>\s{{0,3}}(?:[:=]|=>|->)\s{{0,3}}|\s{{1,3}}(?:is|was|ist|es|est|é|to){_NOW})"
    r"(?:(?P<quote>[\"'`])(?P<quoted>[^\"'`\n]{3,128})(?P=quote)|(?P<value>[^\s\"'`<>]{3,128}))"
)
_PIN = re.compile(
    r"(?i)(?<![A-Za-z])(?:pin|pincode|passcode|otp|one[- ]time (?:code|password|pin)|"
    r"(?:security|access|door|gate|alarm|entry|unlock|garage|lock|verification|auth|2fa) code)"
    rf"(?: (?:number|code|no))?{_FOR}(?:\s{{0,3}}[:=]\s{{0,3}}|\s{{1,3}}(?:is|was|to){_NOW}|\s)"
    r"[\"'`#*]?(?P<value>[0-9]{3,8})(?![0-9A-Za-z]|[.,:/-][0-9]|%)"
)
_KEY = re.compile(
    rf"(?i)(?P<word>key|token|secret|credentials?|bearer|basic)(?:_?id)?{_FOR}[\"'`]?"
    rf"(?:\s{{0,3}}(?:[:=]|=>|->)\s{{0,3}}|\s{{1,3}}(?:is|was|to){_NOW}|\s{{1,3}})"
    r"[\"'`(<]?(?P<value>[\w+/=.~!@$%^&*-]{8,512})"
)
# Azure's shared access signatures and account keys, and sessions in cookies, by their fields.
_FIELDS = re.compile(
    r"(?i)(?:[?&;]sig|\b(?:AccountKey|SharedAccessKey)|\b(?:session(?:id|_id)?|sid|connect\.sid|"
    r"phpsessid|jsessionid|auth_token|access_token|refresh_token))=(?P<value>[\w%+/.~-]{20,512}={0,2})"
)
_IN_URL = re.compile(r"://[^\s/:@]{0,64}:(?P<value>[^\s/@]{1,128})@")
_LABELS = frozenset(LABEL_OF.values())
_LINK_BEFORE = re.compile(r"(?:[:=>]|\b(?:is|was|to|now))\s{0,3}[\"'`(<]?\Z")
_STRONG = re.compile(r"(?:api|secret|client|access|auth)[ _-]?$")

# Not passwords after "is", like participles: "my password is wrong".
_PLAIN = frozenset(
    """the a an not no so too very also just only still now never always required correct
    incorrect wrong right valid invalid weak strong good bad safe secure insecure secret
    same different new old empty blank long short null none true false yes undefined
    optional in on at for to my your his her their our it this that what which something
    anything everything here there case sensitive unique hidden public private fine okay
    ok gone easy hard simple complex known unknown like you i we they one being about
    really probably maybe important protected string str text input output field manager
    managers reset resets change changes management protection security policy policies
    stolen lost broken forgotten taken written given shown sent set kept""".split()
)
# After these links a plain word describes the password; descriptions are only known in English.
_FOREIGN = frozenset({"to", "ist", "es", "est", "é"})
# Code, variables and stars are placeholders for a password.
_PLACEHOLDER = re.compile(
    r"[\w.]+[(\[]|\$\{|\$[A-Z_]+$|[{<%]|[*•x.]+$|(?:self|os|config|settings)\."
)
_PARTICIPLE = re.compile(r"[a-z]+(?:ed|ing|able|ible)")
_COMMON_SHAPE = re.compile(r"[a-z]+(?:[-'][a-z]+)*", re.IGNORECASE)
FEWEST_KEY_CHARS = 16
_KEY_BITS = 3.0


def passwords(text: str, small: str) -> Iterator[Finding]:
    """Passwords and PINs after their words; `small` is the text in small letters."""
    if any(map(small.__contains__, _PASSWORD_MARKS)):
        for found in _PASSWORD.finditer(text):
            if finding := _password(found):
                yield finding
    if any(map(small.__contains__, _PIN_MARKS)):
        for found in _PIN.finditer(text):
            yield Finding(Sensitive.PIN, Span(*found.span("value")))


def named_keys(text: str, small: str) -> Iterator[Finding]:
    """Random-looking words after "key", "token", "secret" and the like."""
    if any(map(small.__contains__, _KEY_MARKS)):
        for found in _KEY.finditer(text):
            span = _trimmed(text, found.start("value"), found.end("value"))
            if _is_key(text[span.start : span.end], found):
                yield Finding(Sensitive.API_KEY, span)


def in_urls(text: str) -> Iterator[Finding]:
    """The password of `https://ana:password@host`."""
    for found in _IN_URL.finditer(text):
        if not _has_label(found["value"]):
            yield Finding(Sensitive.PASSWORD, Span(*found.span("value")))


def _password(found: re.Match[str]) -> Finding | None:
    if found["quoted"] is not None:
        if _has_label(found["quoted"]):
            return None
        return Finding(Sensitive.PASSWORD, Span(*found.span("quoted")))
    span = _trimmed(found.string, found.start("value"), found.end("value"))
    value = found.string[span.start : span.end]
    if len(value) < 3 or _PLACEHOLDER.match(value) or _has_label(found["value"]):
        return None
    assigned = not found["link"].strip().isalpha()
    if _COMMON_SHAPE.fullmatch(value) and not _is_plain_password(value, found, span, assigned):
        return None
    if not assigned and value.startswith(("(", "[", "{")):
        return None
    return Finding(Sensitive.PASSWORD, span)


def _has_label(value: str) -> bool:
    return "[" in value and any(label in value for label in _LABELS)


def _is_plain_password(value: str, found: re.Match[str], span: Span, assigned: bool) -> bool:
    """True for a plain word that ends the sentence and is no description of a password."""
    small = value.lower()
    if small in _PLAIN or (_PARTICIPLE.fullmatch(small) and not assigned):
        return False
    if found["link"].strip().lower() in _FOREIGN and not assigned:
        return False
    following = found.string[span.end : span.end + 2]
    return (
        not following.strip() or following[0] in ".,;!\n\r)" or (assigned and following[0] == " ")
    )


def _is_key(value: str, found: re.Match[str]) -> bool:
    if len(value) < FEWEST_KEY_CHARS:
        return False
    is_linked = bool(_LINK_BEFORE.search(found.string, found.start(), found.start("value")))
    if UUID.fullmatch(value):
        return is_linked and bool(_STRONG.search(before(found.string, found.start(), 8)))
    has_digit = any(map(str.isdigit, value))
    has_letter = any(map(str.isalpha, value))
    if not (has_digit and has_letter) and not changes_case(value):
        return False
    if bits_per_char(value) < _KEY_BITS or "://" in value or value.count("/") > 3:
        return False
    bearer = found["word"].lower() in ("bearer", "basic")
    return is_linked or bearer or len(value) >= 2 * FEWEST_KEY_CHARS


def _trimmed(text: str, start: int, end: int) -> Span:
    """The span without trailing punctuation: a password may end in "!", but not in "." or ","."""
    while end > start and text[end - 1] in ".,;:)]}>":
        end -= 1
    return Span(start, end)
