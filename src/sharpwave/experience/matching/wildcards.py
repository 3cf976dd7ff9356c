"""Queries and errors as patterns: what differs from one to the next becomes a star [AGT-05]."""

import re

STAR = "*"
_URL = re.compile(r"\b[a-z][a-z0-9+.-]*://\S+", re.IGNORECASE)
_EMAIL = re.compile(r"\b[\w.+-]+@[\w-]+(?:\.[\w-]+)+\b")
_UUID = re.compile(r"\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b", re.IGNORECASE)
_HEX = re.compile(r"\b(?=[0-9a-f]*\d)[0-9a-f]{12,}\b", re.IGNORECASE)
_CODE = re.compile(r"\b(?=\w*\d)(?=\w*[A-Z])[A-Z0-9]+(?:[-_][A-Z0-9]+)*\b")
_CAPITALS = re.compile(r"\b[A-Z]{2,}\b")
_NAMED_ID = re.compile(r"\b\w*_\w*\d\w*\b")
_NUMBER = re.compile(r"(?<![\w*])[-+]?\d+(?:[.,:]\d+)*\b")
_DIGITS = re.compile(r"\b\d+\b")
_QUOTED = re.compile(r"""(["'`])(?:(?!\1).)*\1""")
_SPACE = re.compile(r"\s+")
_NAMES = re.compile(r"(?<=[a-z,] )[A-Z][a-z]+(?: [A-Z][a-z]+)*")
_STARS = re.compile(r"\*(?:[_ ]\*)+")
_DOMAIN_NOUN = re.compile(r"(?<![a-z])an?_[a-z]+(?=_(?:for|of|in|to|with|from)_)")
_MAX_CHARS = 400


def query_pattern(query: str) -> str:
    """Ids, numbers, e-mail addresses, URLs and codes as stars, words joined by `_`.

    >>> query_pattern("Create a shipment for facility HAN")
    'create_a_shipment_for_facility_*'
    >>> query_pattern("Send report 42 to jane.doe@acme.com")
    'send_report_*_to_*'
    """
    text = query.strip()[:_MAX_CHARS]
    for each in (_URL, _EMAIL, _UUID, _HEX, _NAMED_ID, _CODE, _CAPITALS, _NUMBER, _DIGITS):
        text = each.sub(STAR, text)
    return _SPACE.sub("_", text.lower())


def loose_pattern(query: str) -> str:
    """The same with names of people and places, and what is made, as stars too [AGT-02].

    >>> loose_pattern("Create a shipment for facility HAN")
    'create_*_for_facility_*'
    >>> loose_pattern("book a flight from New York to Seattle")
    'book_*_from_*_to_*'
    """
    starred = query_pattern(_NAMES.sub(STAR, query.strip()[:_MAX_CHARS]))
    return _STARS.sub(STAR, _DOMAIN_NOUN.sub(STAR, starred))


def error_pattern(error: str) -> str:
    """An error without its particulars.

    >>> error_pattern("Facility 507f1f77bcf86cd799439011 not found")
    'facility * not found'
    >>> error_pattern("Invalid value 'HAN' for field 'code'")
    "invalid value '*' for field '*'"
    """
    text = error.strip()[:_MAX_CHARS]
    text = _QUOTED.sub(lambda found: f"{found[1]}{STAR}{found[1]}", text)
    for each in (_URL, _EMAIL, _UUID, _HEX, _NAMED_ID, _CODE, _NUMBER, _DIGITS):
        text = each.sub(STAR, text)
    return _SPACE.sub(" ", text.lower())


def value_pattern(value: object, most: int = 32) -> str:
    """A parameter's value as it is counted: as it stands if it is short, or else its form.

    >>> value_pattern("economy"), value_pattern(True), value_pattern([1, 2])
    ('economy', 'true', 'a list of 2')
    >>> value_pattern("user_3668"), value_pattern(3.5)
    ('*', '3.5')
    """
    if isinstance(value, bool) or value is None:
        return {True: "true", False: "false", None: "none"}[value]
    if isinstance(value, (int, float)):
        return str(value)
    if isinstance(value, list):
        return f"a list of {len(value)}"
    if isinstance(value, dict):
        return "an object"
    text = query_pattern(str(value)).replace("_", " ")
    return text if len(text) <= most else f"{text[:most]}…"
