"""Passwords, PINs and recovery phrases as people write them, in many languages.

A sentence names the secret ("Passwort", "clave"), links it ("is", "lautet", ":"), and gives the
value. A value after a link counts if it is not an ordinary word: it has a digit, a sign or capitals
inside. Ordinary words after English names are judged in `credentials`.
"""

import re
import tomllib
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from sharpwave.types.privacy import LABEL_OF, Finding, Sensitive
from sharpwave.types.statements import Span

_ENDING = r"\w{0,6}"
_PLAIN = re.compile(r"[^\\\[(?]{2,}")


class _Words(NamedTuple):
    """The tables of `data/secret_words.toml`, compiled."""

    password: re.Pattern[str]
    password_marks: tuple[str, ...]
    pin: re.Pattern[str]
    pin_marks: tuple[str, ...]
    links: frozenset[str]
    glued: re.Pattern[str]
    own: frozenset[str]


@cache
def _words() -> _Words:
    """The compiled tables; loaded with the first text, as opening a memory does not need them."""
    table = secret_words()
    named, pin, link = table["password"], table["pin"], table["link"]
    assigned = rf"\b(?:{'|'.join(named['assigned'])})(?=\s?[:=])"
    glued = "|".join(link["glued"])
    return _Words(
        re.compile(
            f"{_stems(named['stems'], _ENDING)}|{'|'.join(named['words'])}|{assigned}", re.I
        ),
        _marks(named["stems"], named["words"], named["assigned"]),
        re.compile(f"{'|'.join(pin['words'])}|{_stems(pin['stems'], '(?![a-z])')}", re.I),
        (*_marks(pin["stems"], pin["words"]), "tan"),
        frozenset(link["words"]),
        re.compile(rf"\s?(?:\u7684)?(?:{glued})[:\uff1a]?\s{{0,2}}"),
        frozenset(link["own"]),
    )


def _marks(*words: list[str]) -> tuple[str, ...]:
    """The literal prefixes of patterns; a text without any of them names no secret."""
    begun = (_PLAIN.match(word) for group in words for word in group)
    return tuple({plain[0] for plain in begun if plain})


def _stems(words: list[str], ending: str) -> str:
    return rf"(?<![a-zà-öø-ÿ])(?:{'|'.join(words)}){ending}"


@cache
def secret_words() -> dict[str, Any]:
    """Names of secrets, by language."""
    text = files("sharpwave.data").joinpath("secret_words.toml").read_text("utf-8")
    return tomllib.loads(text)


_PIECE = re.compile(r"\S+")
_OPENING = "\"'`«\u201c\u201e\u300c\u300e\uff08(<["
_CLOSING = "\"'`»\u201d\u300d\u300f\uff09)>].,;:!?\uff0c\u3002\u3001"
_CODE = re.compile(r"[0-9]{3,8}|(?=[A-Z0-9]{4,6}$)[0-9]+[A-Z][0-9]+")
_ASSIGNING = ":=\uff1a"
_IN_PATHS = ("/", "\\")
_ENDS = ".!?\u3002"
_ASCII = re.compile(r"[!-~]+")
_SPACE_CHARS = 90
_MOST_BETWEEN = 4
_PLACEHOLDER = re.compile(r"(?i)[*•x.]+$|[$%{<]|[\w.]+[(\[]|(?:self|os|config|settings)\.")
_LABELS = tuple(LABEL_OF.values())


class _Value(NamedTuple):
    span: Span
    text: str


def passwords(text: str, small: str) -> Iterator[Finding]:
    """Passwords after their name, in any language."""
    words = _words()
    if not any(map(small.__contains__, words.password_marks)):
        return
    for found in words.password.finditer(text):
        if text[found.start() - 1 : found.start()] in _IN_PATHS:
            continue  # a file of this name
        for value, linked in _values(text, found.end()):
            if _is_password(value.text, linked):
                yield Finding(Sensitive.PASSWORD, value.span)
                break


def pins(text: str, small: str) -> Iterator[Finding]:
    """PINs and codes of digits after their name."""
    words = _words()
    if not any(map(small.__contains__, words.pin_marks)):
        return
    for found in words.pin.finditer(text):
        for value, linked in _values(text, found.end()):
            code = value.text.rstrip("#*")
            digits = sum(map(str.isdecimal, code))
            if 3 <= digits <= 8 and _CODE.fullmatch(code) and (linked or digits == len(code) >= 4):
                yield Finding(Sensitive.PIN, value.span)
                break


def _values(text: str, start: int) -> Iterator[tuple[_Value, bool]]:
    """Candidate values after a name that ends at `start`, and whether a link precedes each.

    A few words may stand between the name and the link ("for the wifi"); before a value without a
    link only possessive words. The search stops at the end of the sentence.
    """
    words, linked, between = _words(), False, 0
    if glued := words.glued.match(text, start):
        start, linked = glued.end(), True
    for piece in _PIECE.finditer(text, start, start + _SPACE_CHARS):
        bare = piece[0].lower().strip(",")
        if bare in words.links:
            linked = True
            continue
        word = piece[0].lstrip(_ASSIGNING + ",")
        linked = linked or piece[0][0] in _ASSIGNING
        if not word:
            continue
        value = _trimmed(word, piece.end() - len(word))
        if value is not None and (linked or not between):
            yield value, linked
        over = linked or between >= _MOST_BETWEEN or word[-1] in _ENDS
        if over or text.find("\n", start, piece.end()) >= 0:
            return
        between += bare not in words.own
        linked = word[-1] in _ASSIGNING


def _trimmed(word: str, begin: int) -> _Value | None:
    """The word without quotes and punctuation; a Latin word ends where another script begins."""
    while word and word[0] in _OPENING:
        word, begin = word[1:], begin + 1
    if ascii_part := _ASCII.match(word):
        following = word[ascii_part.end() : ascii_part.end() + 1]
        if following >= "\u2e80":
            word = ascii_part[0]
    end = len(word)
    while end and word[end - 1] in _CLOSING and not (word[end - 1] == "!" and end > 1):
        end -= 1
    return _Value(Span(begin, begin + end), word[:end]) if end else None


def _is_password(word: str, linked: bool) -> bool:
    if not 4 <= len(word) <= 64 or _PLACEHOLDER.match(word) or any(map(word.__contains__, _LABELS)):
        return False
    digits = sum(map(str.isdigit, word))
    letters = sum(map(str.isalpha, word))
    signs = len(word) - digits - letters - word.count("-") - word.count("'") - word.count(".")
    inner_capital = any(map(str.isupper, word[1:])) and not word.isupper()
    if linked:
        return bool(letters and (digits or signs or inner_capital)) or digits == len(word) >= 6
    return bool(letters and digits) and (signs > 0 or len(word) >= 8 or word != word.lower())


# ---- commands and files

_TYPED_MARKS = (
    "mysql", "mariadb", "sshpass", "redis-cli", "curl", "wget", "net use", "pass=", "pass:",
    "pass ",
    "passwd", "password", "pwd", "secret", "passphrase", "login", "cred", "zugangsd", "acceso",
    "identifiant",
)  # fmt: skip
_COMMANDS = tuple(
    re.compile(pattern)
    for pattern in (
        r"\b(?:mysql|mysqldump|mysqladmin|mariadb)\b[^\n|;]{0,120}?\s-p(?P<value>[^\s'\"|;]{3,64})",
        r"\bsshpass\s+-p\s{0,2}['\"]?(?P<value>[^\s'\"]{3,64})",
        r"\bredis-cli\b[^\n|;]{0,120}?\s-a\s{1,2}(?P<value>[^\s'\"|;]{3,64})",
        r"\b(?:curl|wget|http)\b[^\n|;]{0,200}?\s(?:-u|--user)[ =]['\"]?"
        r"[^\s:$'\"]{1,64}:(?P<value>[^\s'\"$|;]{3,64})",
        r"--(?:http-|ftp-)?(?:password|passwd|pass)[= ]['\"]?(?P<value>[^\s'\"$<-][^\s'\"]{2,63})",
        r"(?i)\bnet use\b[^\n]{0,80}/user:\S{1,64}\s{1,2}(?P<value>[^\s/*]{3,64})",
    )
)
_ASSIGNED = re.compile(
    r"(?i)(?<![a-z0-9])(?:[a-z0-9]{1,30}[._-]){0,4}(?:pass|passwd|password|pwd|passphrase|secret)"
    r"(?:[\"']?\s?[=:]|\s{0,4}\n\s{0,20}value:)\s?[\"']?(?P<value>[^\s\"'`$<>{}*(\[,;]{4,64})(?=[\"'\s,;&)]|$)"
)
_LOGIN = re.compile(
    r"(?i)\b(?:logins?|creds?|credentials|zugangsdaten|accesos?|identifiants?)\s?(?:[:=?]|is)\s{0,2}"
    r"[^\s/]{2,64}\s{0,2}/\s{0,2}(?P<value>[^\s/]{4,64})"
)
_QUERY = re.compile(r"(?i)[?&;](?:password|passwd|pwd|pass)=(?P<value>[^\s&;\"'<>]{3,64})")


def typed(text: str, small: str) -> Iterator[Finding]:
    """Passwords in commands, settings and pairs of name and password."""
    if not any(map(small.__contains__, _TYPED_MARKS)):
        return
    for pattern in (*_COMMANDS, _QUERY):
        for found in pattern.finditer(text):
            if not _PLACEHOLDER.match(found["value"]) and "[" not in found["value"]:
                yield Finding(Sensitive.PASSWORD, Span(*found.span("value")))
    for pattern in (_ASSIGNED, _LOGIN):
        for found in pattern.finditer(text):
            value = _trimmed(found["value"], found.start("value"))
            if value is not None and _is_password(value.text, linked=True):
                yield Finding(Sensitive.PASSWORD, value.span)


# ---- recovery of accounts and wallets

_RECOVERY_MARKS = (
    "phrase", "seed", "words", "word ", "private key", "combination", "safe", "locker", "padlock",
    "vault", "voicemail", "codes", "backup code", "recovery code", "answer", "antwort", "secreta",
    "secrète", "segreta",
)  # fmt: skip
_PHRASE = re.compile(
    r"(?i)\b(?:seed|recovery|mnemonic|backup|secret|wallet)[- ](?:phrase|words?|seed)\b"
    r"[^\n:]{0,30}?(?:[:=]|\bis\b|\s)\s{0,2}"
    r"(?P<value>(?:[0-9]{1,2}[.)]\s?)?[a-z]{3,8}"
    r"(?:[ ,]{1,2}(?:[0-9]{1,2}[.)]\s?)?[a-z]{3,8}){11,23})\b"
)
_WALLET_KEY = re.compile(
    r"(?i)\bprivate key\b[^\n]{0,30}?(?:0x)?(?P<value>[0-9a-f]{64})(?![0-9a-f])"
)
_COMBINATION = re.compile(
    r"(?i)\b(?:combination|safe|locker|padlock|vault|voicemail)\b[^.!?\n0-9]{0,40}?"
    r"(?:[:=]|\bis\b)\s{0,2}"
    r"(?P<value>[0-9]{1,2}(?:[ -][0-9]{1,2}){2,3}|[0-9]{4,8})(?![0-9]|[-/.,][0-9])"
)
_CODES = re.compile(
    r"(?i)\b(?:backup|recovery|rescue|2fa|emergency) codes?\b[^.!?\n]{0,20}?"
    r"(?:[:=]|\b(?:is|are)\b)\s{0,2}"
    r"(?P<value>[a-z0-9-]*[0-9][a-z0-9-]{3,40}(?:[ ,;]{1,2}(?=[a-z-]*[0-9])[a-z0-9-]{4,40}){0,19})"
)
_ANSWER = re.compile(
    r"(?i)\b(?:(?:security|secret) (?:question )?answer|answer to (?:my|the) security question|"
    r"sicherheitsantwort|respuesta secreta|réponse secrète|risposta segreta)\b[^.!?\n:]{0,20}?"
    r"(?:[:=]|\b(?:is|ist|lautet|es|est|è)\b)\s{0,2}[\"'«„“]?(?P<value>[^\s\"'»“.,;!?]{3,40})"
)


def recovery(text: str, small: str) -> Iterator[Finding]:
    """Recovery phrases and codes, combinations, answers to security questions."""
    if not any(map(small.__contains__, _RECOVERY_MARKS)):
        return
    for pattern, kind in (
        (_PHRASE, Sensitive.PRIVATE_KEY),
        (_WALLET_KEY, Sensitive.PRIVATE_KEY),
        (_COMBINATION, Sensitive.PIN),
        (_CODES, Sensitive.PIN),
        (_ANSWER, Sensitive.PASSWORD),
    ):
        for found in pattern.finditer(text):
            yield Finding(kind, Span(*found.span("value")))
