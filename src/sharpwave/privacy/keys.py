"""Keys and tokens that show what they are: by a vendor's prefix, by their form, or by chance alone.

Git hashes, UUIDs, ids that a model's server gives and other plain identifiers are not secrets.
"""

import re
from collections.abc import Iterator

from sharpwave.formulas.text import bits_per_char
from sharpwave.types.privacy import Finding, Sensitive
from sharpwave.types.statements import Span

# What every key of a vendor contains, and the whole key after a place where a word may begin.
_VENDORS: tuple[tuple[str, str], ...] = (
    ("sk-", r"sk-(?:proj|svcacct|admin|ant|or|lf)-[\w-]{16,300}"),
    ("sk-", r"sk-[A-Za-z0-9]{20,100}"),
    ("AKIA", r"AKIA[A-Z0-9]{16}"),
    ("ASIA", r"ASIA[A-Z0-9]{16}"),
    ("ghp_", r"ghp_[A-Za-z0-9]{30,255}"),
    ("gho_", r"gho_[A-Za-z0-9]{30,255}"),
    ("ghu_", r"ghu_[A-Za-z0-9]{30,255}"),
    ("ghs_", r"ghs_[A-Za-z0-9]{30,255}"),
    ("ghr_", r"ghr_[A-Za-z0-9]{30,255}"),
    ("github_pat_", r"github_pat_\w{22,255}"),
    ("glpat-", r"glpat-[\w-]{20,64}"),
    ("xox", r"xox[abeoprs](?:\.xox[bp])?-[A-Za-z0-9-]{10,255}"),
    ("xapp-", r"xapp-[A-Za-z0-9-]{10,255}"),
    (
        "hooks.slack.com/",
        r"https://hooks\.slack\.com/(?:services|workflows)/[A-Za-z0-9/_-]{20,255}",
    ),
    (
        "/api/webhooks/",
        r"https://(?:\w+\.)?discord(?:app)?\.com/api/webhooks/[0-9]{5,30}/[\w-]{20,255}",
    ),
    ("AIza", r"AIza[\w-]{30,45}"),
    ("ya29.", r"ya29\.[\w-]{20,300}"),
    ("GOCSPX-", r"GOCSPX-[\w-]{20,64}"),
    ("hf_", r"hf_[A-Za-z0-9]{30,64}"),
    ("_live_", r"(?:sk|rk)_live_[A-Za-z0-9]{10,255}"),
    ("_test_", r"(?:sk|rk)_test_[A-Za-z0-9]{10,255}"),
    ("whsec_", r"whsec_[A-Za-z0-9+/=]{20,255}"),
    ("SG.", r"SG\.[\w-]{16,64}\.[\w-]{16,128}"),
    ("npm_", r"npm_[A-Za-z0-9]{30,64}"),
    ("pypi-", r"pypi-[\w-]{40,500}"),
    ("do", r"do[opr]_v1_[a-f0-9]{64}"),
    ("shp", r"shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}"),
    ("dapi", r"dapi[a-f0-9]{32}"),
    ("key-", r"key-[0-9a-z]{32}"),
    ("-us", r"[0-9a-f]{32}-us[0-9]{1,2}"),
    ("gsk_", r"gsk_[A-Za-z0-9]{30,128}"),
    ("xai-", r"xai-[A-Za-z0-9]{30,128}"),
    ("r8_", r"r8_[A-Za-z0-9]{30,64}"),
    ("pplx-", r"pplx-[A-Za-z0-9]{30,128}"),
    ("ntn_", r"ntn_[A-Za-z0-9]{30,64}"),
    ("lin_api_", r"lin_api_[A-Za-z0-9]{30,64}"),
    ("hvs.", r"hvs\.[\w-]{20,200}"),
    ("NRAK-", r"NRAK-[A-Z0-9]{20,40}"),
    ("PMAK-", r"PMAK-[a-f0-9-]{30,80}"),
    ("figd_", r"figd_[\w-]{30,64}"),
    ("ATATT3", r"ATATT3[\w=-]{30,300}"),
    ("sq0", r"sq0(?:atp|csp)-[\w-]{20,64}"),
    ("tvly-", r"tvly-[\w-]{20,64}"),
    ("lsv2_", r"lsv2_[a-z]{2}_\w{30,80}"),
    ("sbp_", r"sbp_[a-f0-9]{40}"),
    ("AGE-SECRET-KEY-", r"AGE-SECRET-KEY-1[A-Z0-9]{50,64}"),
    ("SK", r"SK[0-9a-f]{32}"),
    (":AA", r"[0-9]{8,10}:AA[\w-]{32,35}"),
)
_KEYS = tuple(
    (part, re.compile(rf"(?<![A-Za-z0-9]){pattern}(?![A-Za-z0-9])")) for part, pattern in _VENDORS
)
_JWT = re.compile(r"(?<![A-Za-z0-9])eyJ[\w-]{8,2000}\.eyJ[\w-]{4,8000}(?:\.[\w-]{0,2000})?")
_PEM = re.compile(r"-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----")
_PEM_BODY = re.compile(r"[A-Za-z0-9+/=\s:,.\\-]{0,10000}")

SHORTEST = 16
"""No key of a vendor is shorter."""
LONG = 32
"""Shorter words are only secrets when something says so."""
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
"""English words joined have less, random letters and digits of this length more."""


def keys(text: str, longest: int) -> Iterator[Finding]:
    """Keys of vendors, signed tokens and private keys; `longest` is the length of a word."""
    if "-----BEGIN" in text:
        yield from _private_keys(text)
    if longest < SHORTEST:
        return
    for part, pattern in _KEYS:
        if part in text:
            for found in pattern.finditer(text):
                if len(set(found[0])) > _FEW_CHARACTERS:  # sk-xxxxxxxx is a placeholder
                    yield Finding(Sensitive.API_KEY, Span(*found.span()), 0.97)
    if "eyJ" in text:
        for found in _JWT.finditer(text):
            yield Finding(Sensitive.TOKEN, Span(*found.span()), 0.97)
    if longest >= LONG:
        yield from _random_words(text)


def is_sealed(name: str, value: object) -> bool:
    """Whether a field holds thoughts that only the model's server can read, which it asks back.

    Others write tokens in the same form, so only the name that the server gives the field tells.
    """
    if name != "encrypted_content" or not isinstance(value, str) or not _SEALED.fullmatch(value):
        return False
    return not any(part in value and pattern.search(value) for part, pattern in _KEYS)


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
        yield Finding(Sensitive.PRIVATE_KEY, Span(found.start(), end), 0.99)


def _random_words(text: str) -> Iterator[Finding]:
    """Long words that only chance makes: 32 characters [SEC-10], no hash, id or plain name."""
    for found in _TOKEN.finditer(text):
        if looks_random(found[0]) and not _in_address(text, found.start()):
            yield Finding(Sensitive.API_KEY, Span(*found.span()), 0.6)


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
