"""E-mail and phone, network addresses, postal addresses, names, statements about health.

Places, names and health are found by simple rules and may be missed.
"""

import ipaddress
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from importlib.resources import files

from sharpwave.privacy.numbers import DigitRun, after, before, stands_alone
from sharpwave.types.privacy import Finding, Sensitive
from sharpwave.types.statements import Span

FEWEST_PHONE_DIGITS = 7
_MOST_PHONE_DIGITS = 15
_MOST_GROUPS = 7
_HOST = re.compile(r"(?:[^\W_](?:[\w-]{0,61}[^\W_])?\.){1,8}[^\W\d_]{2,24}(?![\w@])")
_LOCAL = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._%+'&-")
_LONGEST_LOCAL = 64
_IN_URL = re.compile(r"://[^\s/@]{0,80}\Z")

_EXTENSION = re.compile(r" ?(?:x|ext\.? ?|#)[0-9]{1,6}(?![0-9A-Za-z])")
_PHONE_WORDS = re.compile(
    r"\b(?:phone|telephone|tel|mobile|cell|cellphone|fax|desk|landline|hotline|call|calling|ring|"
    r"dial|text|sms|whatsapp|signal|telegram|reach|contact|handy|móvil|telefon|teléfono|téléphone|"
    r"telefono|telefone|portable|line|voicemail|pager)\b"
)
_PHONE_AFTER = re.compile(r"[ ,;:(/-]{0,3}(?:office|fax|mobile|cell|home|work|phone|tel)\b")
_NOT_PHONE = re.compile(
    r"(?:\b(?:order|invoice|tracking|reference|ref|ticket|case|serial|isbn|issn|version|model|part|"
    r"item|sku|account|acct|policy|customer|member|id|dates?|born|between|years?|no|nr|number|pin|"
    r"code|zip|postal|postcode|population|score|total|pages?|pp|doi|rfc|section|chapter|vin|upc|"
    r"ean|flight|confirmation|receipt|transaction|card|iban|ssn|usd|eur)\b[ .:#]*"
    r"(?:(?:is|was|of)\b)?[ :#]*|[#$€£¥])$"
)
_UNIT = re.compile(
    r"[ \u00a0]?(?:%|€|£|\$|°|usd|eur|km|kg|kb|mb|gb|miles|dollars|euros|people|ms\b)"
)
_DATE = re.compile(
    r"(?:(?:19|20)[0-9]{2}[-./ ](?:0?[1-9]|1[0-2])[-./ ](?:0?[1-9]|[12][0-9]|3[01])"
    r"|(?:0?[1-9]|[12][0-9]|3[01])[-./ ](?:0?[1-9]|[12][0-9]|3[01])[-./ ](?:19|20)?[0-9]{2})"
    r"(?:[ -][0-9]{1,2})?"
)
_YEARS = re.compile(r"(?:1[5-9]|20)[0-9]{2}[ /-]{1,3}(?:(?:1[5-9]|20)[0-9]{2})")


def emails(text: str) -> Iterator[Finding]:
    """Addresses around each @; the local part is read backwards from it."""
    at = text.find("@")
    while at >= 0:
        start = at
        while start > 0 and at - start <= _LONGEST_LOCAL and _in_local(text[start - 1]):
            start -= 1
        while start < at and text[start] in ".'-&%":
            start += 1
        host = _HOST.match(text, at + 1)
        named = 0 < at - start <= _LONGEST_LOCAL and text[at - 1] != "."
        if host and named and not _IN_URL.search(text, max(0, start - _LONGEST_LOCAL), start):
            yield Finding(Sensitive.EMAIL, Span(start, host.end()))
        at = text.find("@", at + 1)


def _in_local(character: str) -> bool:
    return character in _LOCAL or (character > "\x7f" and character.isalnum())


def phones(run: DigitRun) -> Iterator[Finding]:
    """Phone numbers in a run of digits: international, in a national form, or named as such."""
    if _NOT_PHONE.search(before(run.text, run.span.start)) and run.text[run.span.start] != "+":
        return
    lengths = [end - start for start, end in run.groups[:3]]
    if len(run.groups) > 2 * _MOST_GROUPS and lengths != [3, 3, 4]:  # a table of numbers
        return
    first = 0
    while first < len(run.groups):
        last, found = _first_phone(run.piece(first, first + _MOST_GROUPS))
        if found is None:
            return
        yield found
        first += last


def _first_phone(run: DigitRun) -> tuple[int, Finding | None]:
    """The longest phone number that begins the run, and how many groups it takes."""
    named = bool(
        _PHONE_WORDS.search(before(run.text, run.span.start))
        or _PHONE_AFTER.match(after(run.text, run.span.end))
    )
    for last in range(len(run.groups), 0, -1):
        if _is_phone(run, last, named):
            end = run.groups[last - 1].end
            extension = _EXTENSION.match(run.text, end)
            span = Span(run.span.start, extension.end() if extension else end)
            return last, Finding(Sensitive.PHONE, span)
    return 0, None


def _is_phone(run: DigitRun, last: int, named: bool) -> bool:
    """Whether these first groups are a phone number."""
    digits = run.digits(0, last)
    span = Span(run.span.start, run.groups[last - 1].end)
    if not FEWEST_PHONE_DIGITS <= len(digits) <= _MOST_PHONE_DIGITS:
        return False
    written = run.text[span.start : span.end]
    if _EXTENSION.match(run.text, span.end):
        named = True
    elif not stands_alone(run.text, span) or _UNIT.match(after(run.text, span.end)):
        return False
    if _DATE.fullmatch(written) or _YEARS.fullmatch(written) or len(set(digits)) == 1:
        return False
    return _has_phone_shape(run, last, digits, named)


def _has_phone_shape(run: DigitRun, last: int, digits: str, named: bool) -> bool:
    opening = run.text[run.span.start]
    lengths = tuple(end - start for start, end in run.groups[:last])
    between = run.between(0, last)
    if opening == "+":
        return len(digits) >= 8
    if opening == "(":
        area = 2 <= lengths[0] <= 4 and bool(between) and ")" in between[0]
        return area and len(digits) >= 8
    if any(")" in separator or "(" in separator for separator in between) and not named:
        return False
    if "." in between and (len(set(between)) > 1 or len(between) < 2):  # decimals
        return False
    if lengths[-3:] == (3, 3, 4) and sum(lengths[:-3]) <= 3:
        return True
    grouped = 2 <= last and all(2 <= length <= 8 for length in lengths[1:])
    if (
        digits[0] == "0"
        and digits[:3] != "000"
        and grouped
        and 9 <= len(digits) <= 14
        and lengths[0] > 1
    ):
        return True
    # Otherwise it looks like any number and must be named a phone number.
    plausible = all(length >= 2 for length in lengths[1:]) and len(digits) <= 13
    return named and plausible


_IPV4 = re.compile(r"(?<![\w.])[0-9]{1,3}(?:\.[0-9]{1,3}){3}(?!\w|\.[0-9])")
_IPV6 = re.compile(r"(?<![\w:.])[0-9A-Fa-f:]{2,39}(?:\.[0-9]{1,3}){0,3}(?![\w:])")
_MAC = re.compile(r"(?<![\w:-])[0-9A-Fa-f]{2}(?::[0-9A-Fa-f]{2}){5}(?![\w:-])")
_IPV6_GROUP = re.compile(r"[0-9A-Fa-f]+")
_IP_WORDS = re.compile(r"\b(?:ip|ipv4|address|host|server|dns|ping|from|to|at)\b|://|@")
_VERSION_WORDS = re.compile(r"\b(?:version|release|build|firmware|driver|v)[ .:]*$")
_URL = re.compile(
    r"(?i)(?:(?<![A-Za-z])(?:https?|ftps?|wss?|sftp|ssh)://|(?<![\w.@/-])www\.)[^\s<>\"`\\|{}]{2,2000}"
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
                yield Finding(Sensitive.IP, Span(*found.span()))
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
            yield Finding(Sensitive.IP, Span(found.start(), found.start() + len(written)))
    for found in _MAC.finditer(text):
        yield Finding(Sensitive.MAC, Span(*found.span()))


def _is_ip(written: str) -> bool:
    """True for an IP address other than loopback and unspecified ones."""
    try:
        address = ipaddress.ip_address(written)
    except ValueError:  # not an address
        return False
    return not address.is_loopback and not address.is_unspecified


def _is_version(text: str, found: re.Match[str]) -> bool:
    """Whether four numbers are a version or the number of a section."""
    words = before(text, found.start(), 24)
    if _VERSION_WORDS.search(words):
        return True
    single_digits = len(found[0]) == 7 and len(set(found[0])) > 2
    return single_digits and not _IP_WORDS.search(words)


def urls(text: str, small: str) -> Iterator[Finding]:
    """Addresses with a scheme or www, and bare domains with a usual ending."""
    if "://" in text or "www." in small:
        for found in _URL.finditer(text):
            end = _trimmed(text, found.start(), found.end())
            yield Finding(Sensitive.URL, Span(found.start(), end))
    for found in _TLD.finditer(text):
        start = _host_start(text, found.start())
        if start is None:
            continue
        path = _PATH.match(text, found.end())
        end = path.end() if path else found.end()
        yield Finding(Sensitive.URL, Span(start, _trimmed(text, start, end)))


def _host_start(text: str, dot: int) -> int | None:
    """The start of the host name that continues with this dot; None if it is no host name."""
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


_WORD = r"[^\W\d_][\w.'-]{0,30}"
_CAPITAL = r"[^\W\d_a-zà-ÿ][\w.'-]{0,30}"
_STREET = (
    r"(?:Street|St|Avenue|Ave|Road|Rd|Boulevard|Blvd|Lane|Ln|Drive|Dr|Court|Ct|Square|Sq|Place|Pl|"
    r"Terrace|Way|Parkway|Pkwy|Highway|Hwy|Crescent|Close|Row|Alley|Plaza)\b\.?"
)
_APARTMENT_UNIT = r"(?:,? (?:Apt|Suite|Ste|Unit|Floor|Fl|Room)\b\.? ?#?\w{1,6})?"
_NUMBERED = re.compile(
    rf"(?<![\w.,$])[0-9]{{1,5}}[A-Za-z]?,? (?:{_CAPITAL} ){{1,4}}{_STREET}{_APARTMENT_UNIT}"
)
_EUROPEAN = re.compile(
    rf"\b(?:(?:Rua|Rue|Via|Viale|Calle|Avenida|Avenue|Piazza|Plaza|Place|Ulica|ul\.|Carrer|Strada)"
    rf"(?: {_WORD}){{1,4}},? [0-9]{{1,4}}\b"
    rf"|[^\W\d_]{{2,30}}(?:straße|strasse|str\.|gasse|weg|platz|allee|gatan|vägen|gade|vej|veien|gata|"
    rf"straat|laan|katu|tie|utca|u\.|tér) [0-9]{{1,4}}[a-zA-Z]?\b)"
)
_BOX = re.compile(r"\b(?:P\.? ?O\.? Box|PSC|Unit) [0-9]{1,6}(?:,? Box [0-9]{1,6})?", re.IGNORECASE)
_APARTMENT = re.compile(r"\b(?:Apt\.|Suite) [0-9]{1,5}\b")
_ZIP = re.compile(
    r"(?i)\b(?:zip(?: ?code)?|postal code|post ?code|plz)\b[^\w\n]{0,3}(?:is |was )?[^\w\n]{0,2}"
    r"([A-Z0-9][A-Z0-9 -]{1,8}[A-Z0-9])\b"
)
_STATE_ZIP = re.compile(r"\b[A-Z]{2} ([0-9]{5}(?:-[0-9]{4})?)\b")
_BRITISH = re.compile(r"\b[A-Z]{1,2}[0-9][A-Z0-9]? [0-9][ABD-HJLNP-UW-Z]{2}\b")
_CANADIAN = re.compile(r"\b[ABCEGHJ-NPRSTVXY][0-9][A-Z] ?[0-9][A-Z][0-9]\b")
_NAMES = re.compile(rf"{_CAPITAL}(?: (?:of |and )?{_CAPITAL}){{0,3}}")
_NAME_WORD = re.compile(r"[\w.'-]+")
_LONGEST_NAME = 4


def addresses(text: str) -> Iterator[Finding]:
    """Street addresses and postal codes in the usual ways of writing."""
    for pattern in (_NUMBERED, _EUROPEAN, _BOX, _APARTMENT):
        for found in pattern.finditer(text):
            yield Finding(Sensitive.ADDRESS, Span(*found.span()))
    for pattern in (_ZIP, _STATE_ZIP):
        for found in pattern.finditer(text):
            if any(map(str.isdigit, found[1])):
                yield Finding(Sensitive.ZIP, Span(*found.span(1)))
    for pattern in (_BRITISH, _CANADIAN):
        for found in pattern.finditer(text):
            yield Finding(Sensitive.ZIP, Span(*found.span()))


def places(text: str) -> Iterator[Finding]:
    """Countries and large cities of a short list."""
    known = place_names()
    for found in _NAMES.finditer(text):
        words = [word.span() for word in _NAME_WORD.finditer(text, *found.span())]
        first = 0
        while first < len(words):
            last = _longest(text, words, first, known)
            if last:
                yield Finding(Sensitive.PLACE, Span(words[first][0], words[last - 1][1]))
            first = last or first + 1


def _longest(
    text: str, words: list[tuple[int, int]], first: int, known: frozenset[str]
) -> int | None:
    for last in range(min(first + _LONGEST_NAME, len(words)), first, -1):
        name = text[words[first][0] : words[last - 1][1]].removesuffix("'s").rstrip(".")
        if name.lower() in known:
            return last
    return None


@cache
def place_names() -> frozenset[str]:
    """The place names that come with the package, in lower case."""
    return frozenset(place.strip().lower() for place in _names()["places"].split(","))


def _names() -> dict[str, str]:
    """Short handwritten lists of names."""
    return tomllib.loads((files("sharpwave") / "data" / "names.toml").read_text("utf-8"))


_CAPITALISED = r"[^\W\d_a-zß-ÿ][\w'-]{1,30}"
_PARTICLE = r"(?:[A-Z]\.? |van |von |de |der |da |dos |del |bin |al-)?"
_NAME = rf"{_CAPITALISED}(?: {_PARTICLE}{_CAPITALISED}){{0,3}}"
_TITLED = re.compile(
    r"\b(?:Mr|Mrs|Ms|Miss|Mx|Dr|Prof|Sir|Madam|Herr|Frau|Señor|Señora|Mme|ms|mr|mrs|dr)\.? "
    rf"({_NAME})"
)
_INTRODUCED = re.compile(
    r"(?:\b[Nn]ame is |\b[Nn]ame: |\b[Nn]amed (?:him |her |them )?|\b[Cc]all(?:s|ed)? me |"
    r"\b[Nn]ame\? (?:User: )?|\bmy (?:wife|husband|son|daughter|friend|boss|brother|sister|"
    rf"partner|mother|father|uncle|aunt|cousin|neighbou?r|colleague),? )({_NAME})"
)
_CAPITALS = re.compile(_NAME)
_FIRST_WORD = re.compile(r"[\w'-]+")
_HEALTH = re.compile(
    r"(?i)\b(?:diagnosed with|suffer(?:s|ing)? from|allergic to|being treated for|on medication for"
    r"|prescribed(?: me)?|tested positive for|recovering from)\s+((?:a |an |the )?[\w-]{3,30}"
    r"(?: (?!and|but|so|because|in|at|last|since|when|for)[\w-]{1,30}){0,2})"
)


def people(text: str) -> Iterator[Finding]:
    """Names after a title or an introduction, or beginning with a well-known given name."""
    for pattern in (_TITLED, _INTRODUCED):
        for found in pattern.finditer(text):
            span = _without_possessive(text, found.start(1), found.end(1))
            if text[span.start : span.end].lower() not in place_names():
                yield Finding(Sensitive.PERSON, span)
    known = given_names()
    for found in _CAPITALS.finditer(text):
        words = list(_FIRST_WORD.finditer(text, *found.span()))
        for word in words:
            if word[0].removesuffix("'s") in known:
                span = _without_possessive(text, word.start(), found.end())
                yield Finding(Sensitive.PERSON, span)
                break


def health(text: str) -> Iterator[Finding]:
    """Illnesses and medication, if stated explicitly."""
    for found in _HEALTH.finditer(text):
        yield Finding(Sensitive.HEALTH, Span(*found.span(1)))


def _without_possessive(text: str, start: int, end: int) -> Span:
    return Span(start, end - 2 if text[start:end].endswith("'s") else end)


@cache
def given_names() -> frozenset[str]:
    """The given names that come with the package."""
    return frozenset(_names()["given"].split())
