"""Which data format a text is in."""

import re
import tomllib
from collections.abc import Callable

from sharpwave import strict_json

NAMES = {
    "json": "JSON",
    "toml": "TOML",
    "xml": "XML",
    "table": "a table",
    "csv": "CSV",
    "yaml": "YAML",
}
_TABLE = re.compile(r"^\s*\|?\s*:?-{3,}:?\s*\|", re.MULTILINE)
_XML = re.compile(r"^<(\w[\w.-]*)(?:\s[^<>]*)?>.*</\1>$", re.DOTALL)
_TOML_TABLE = re.compile(r"^\s*\[[^\n]+\]\s*(?:#.*)?$", re.MULTILINE)
_YAML_LINE = re.compile(r"\s*(?:- )*(?:[\w.-]+:(?: \S.*)?|- \S.*)$")
_YAML_KEY = re.compile(r"^\s*(?:- )?[\w.-]+:(?: |$)", re.MULTILINE)


def data_format(text: str) -> str | None:
    r"""The format of a text, also inside a code block; None if it is prose or code.

    >>> data_format('{"a": 1}'), data_format("a: 1\nb: 2"), data_format("a,b\n1,2")
    ('json', 'yaml', 'csv')
    >>> data_format("Note: bring boots")
    """
    body = re.sub(r"^```\w*\n|\n?```$", "", text.strip())
    return next((name for name, fits in _TESTS.items() if fits(body)), None)


def _is_json(text: str) -> bool:
    if not text.startswith(("{", "[")):
        return False
    try:
        strict_json.loads(text)
    except strict_json.InvalidJson:
        return False
    return True


def _is_toml(text: str) -> bool:
    """Whether it is TOML with a table: lines such as `a = 1` may be code as well."""
    try:
        return bool(_TOML_TABLE.search(text) and tomllib.loads(text))
    except (tomllib.TOMLDecodeError, RecursionError):
        return False


def _is_yaml(text: str) -> bool:
    lines = [line for line in text.splitlines() if line.strip() and line.strip() != "---"]
    keys = len(_YAML_KEY.findall(text))
    return len(lines) > 1 and keys > 0 and all(_YAML_LINE.match(line) for line in lines)


def _is_csv(text: str) -> bool:
    """Whether every line has as many fields, and no field is a phrase with a space before it."""
    lines = text.splitlines()
    for separator in ",;\t":
        counts = {line.count(separator) for line in lines}
        if len(lines) > 1 and len(counts) == 1 and counts != {0} and f"{separator} " not in text:
            return True
    return False


_TESTS: dict[str, Callable[[str], bool]] = {
    "json": _is_json,
    "table": lambda text: bool(_TABLE.search(text)),
    "xml": lambda text: bool(_XML.match(text)),
    "toml": _is_toml,
    "csv": _is_csv,
    "yaml": _is_yaml,
}
