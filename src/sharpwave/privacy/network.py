"""IP and MAC addresses, URLs and domains."""

import ipaddress
import re
from collections.abc import Iterator

from sharpwave.privacy.numbers import before
from sharpwave.types.privacy import Finding, Sensitive
from sharpwave.types.statements import Span

_IPV4 = re.compile(r"(?<![\w.])[0-9]{1,3}(?:\.[0-9]{1,3}){3}(?!\w|\.[0-9])")
_IPV6 = re.compile(r"(?<![\w:.])[0-9A-Fa-f:]{2,39}(?:\.[0-9]{1,3}){0,3}(?![\w:])")
_MAC = re.compile(r"(?<![\w:-])[0-9A-Fa-f]{2}(?::[0-9A-Fa-f]{2}){5}(?![\w:-])")
_IPV6_GROUP = re.compile(r"[0-9A-Fa-f]+")
_IP_WORDS = re.compile(r"\b(?:ip|ipv4|address|host|server|dns|ping|from|to|at)\b|://|@")
_VERSION_WORDS = re.compile(r"\b(?:version|release|build|firmware|driver|v)[ .:]*$")
_URL = re.compile(
    r"(?:(?<![A-Za-z])(?:https?|ftps?|wss?|sftp|ssh)://|(?<![\w.@/-])www\.)[^\s<>\"`\\|{}]{2,2000}",
    re.IGNORECASE,
)
# Country codes that are words of English, or endings of source files, need www or a scheme.
_TLD = re.compile(
    r"\.(?:com|org|net|edu|gov|mil|io|info|biz|app|dev|ai|xyz|online|site|shop|store|cloud|tech|blog|"
    r"eu|uk|de|fr|nl|ch|se|dk|pl|cz|pt|es|br|ru|jp|cn|au|ca|nz|fi|hu|ie|gr|kr|mx|ar|za|tr|ua|ro|sk|"
    r"lu|lt|lv|ee|il|sg|hk|tw|th|vn|ph)(?![\w(-]|\.[A-Za-z0-9])"
)
_PATH = re.compile(r"(?::[0-9]{1,5})?(?:/[^\s<>\"`\\|{}]{0,2000})?")
_LONGEST_HOST = 253
_LABEL = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?")
_TRAILING = ".,;:!?'*_"
_PAIRS = {")": "(", "]": "["}


def ips(text: str) -> Iterator[Finding]:
    """IPv4 and IPv6 addresses and MACs; four numbers after "version" are a version."""
    if text.count(".") >= 3:
        for found in _IPV4.finditer(text):
            if _is_ip(found[0]) and not _is_version(text, found):
                yield Finding(Sensitive.IP, Span(*found.span()), 0.9)
    if text.count(":") >= 2:
        yield from _with_colons(text)


def _with_colons(text: str) -> Iterator[Finding]:
    for found in _IPV6.finditer(text):
        written = found[0]
        if written.count(":") < 2 or not any(map(str.isdigit, written)):
            continue
        if len(_IPV6_GROUP.findall(written)) < 2:  # "::1" is this machine, or a weight in a prompt
            continue
        written = written[:-1] if written.endswith(":") and not written.endswith("::") else written
        if _is_ip(written):
            yield Finding(Sensitive.IP, Span(found.start(), found.start() + len(written)), 0.9)
    for found in _MAC.finditer(text):
        yield Finding(Sensitive.MAC, Span(*found.span()), 0.9)


def _is_ip(written: str) -> bool:
    """An address that leads somewhere: this machine's own name for itself says nothing."""
    try:
        address = ipaddress.ip_address(written)
    except ValueError:  # not an address: the question that was asked
        return False
    return not address.is_loopback and not address.is_unspecified


def _is_version(text: str, found: re.Match[str]) -> bool:
    """Whether four numbers are a version or the number of a section."""
    words = before(text, found.start(), 24)
    if _VERSION_WORDS.search(words):
        return True
    one_digit_each = len(found[0]) == 7 and len(set(found[0])) > 2
    return one_digit_each and not _IP_WORDS.search(words)


def urls(text: str, small: str) -> Iterator[Finding]:
    """Addresses with a scheme or www, and bare domains with a usual ending."""
    if "://" in text or "www." in small:
        for found in _URL.finditer(text):
            end = _trimmed(text, found.start(), found.end())
            yield Finding(Sensitive.URL, Span(found.start(), end), 0.95)
    for found in _TLD.finditer(text):
        start = _host_start(text, found.start())
        if start is None:
            continue
        path = _PATH.match(text, found.end())
        end = path.end() if path else found.end()
        yield Finding(Sensitive.URL, Span(start, _trimmed(text, start, end)), 0.8)


def _host_start(text: str, dot: int) -> int | None:
    """Where a host name that goes on with this dot begins; None if it is no host name."""
    start = dot
    while start > 0 and dot - start < _LONGEST_HOST and _in_host(text[start - 1]):
        start -= 1
    left = text[start - 1] if start else " "
    if left in "@/_\\=" or left.isalnum():
        return None
    labels = text[start:dot].split(".")
    return start if all(_LABEL.fullmatch(label) for label in labels) else None


def _in_host(character: str) -> bool:
    return character.isascii() and (character.isalnum() or character in "-.")


def _trimmed(text: str, start: int, end: int) -> int:
    """The end without the punctuation of the sentence around it."""
    while end > start:
        last = text[end - 1]
        unpaired = last in _PAIRS and _PAIRS[last] not in text[start:end]
        if last not in _TRAILING and not unpaired:
            return end
        end -= 1
    return end
