"""JSON as its standard defines it: finite numbers only, and of limited depth.

Python's own reader takes NaN, Infinity and 1e400, which no other reader takes back, and raises
RecursionError for deep nesting. Everything that comes from outside is read here.
"""

import json
import math
from typing import Any

MAX_DEPTH = 100
"""Maximum depth of nested objects and arrays."""


class InvalidJson(ValueError):
    """The text is not JSON, or not of a form that can be stored and written again."""


def loads(text: str | bytes | bytearray) -> Any:
    """The value that a text stands for; InvalidJson whatever is wrong with it.

    >>> loads('{"a": [1, 2.5, null]}')
    {'a': [1, 2.5, None]}
    >>> loads("[1e400]")
    Traceback (most recent call last):
    sharpwave.strict_json.InvalidJson: 1e400 is not a number that JSON can hold
    """
    try:
        value = json.loads(text, parse_constant=_no_number, parse_float=_finite)
    except RecursionError:
        raise InvalidJson(_TOO_DEEP) from None
    except UnicodeDecodeError as error:
        raise InvalidJson(f"it is not UTF-8: {error.reason}") from None
    except InvalidJson:
        raise
    except ValueError as error:
        raise InvalidJson(str(error)) from None
    return _bounded(value)


def dumps(value: object) -> str:
    """A value of Python as JSON; InvalidJson if a part of it cannot be written."""
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    except RecursionError:
        raise InvalidJson(_TOO_DEEP) from None
    except (TypeError, ValueError) as error:
        raise InvalidJson(str(error)) from None
    _bounded(value)
    return text


_TOO_DEEP = f"it is nested more than {MAX_DEPTH} deep"


def _bounded(value: Any) -> Any:
    """The value, if it is not nested too deep."""
    level = [value]
    for _ in range(MAX_DEPTH + 1):
        level = [part for item in level for part in _inside(item) if isinstance(part, _NESTED)]
        if not level:
            return value
    raise InvalidJson(_TOO_DEEP)


_NESTED = (dict, list, tuple)


def _inside(value: Any) -> Any:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, _NESTED) else ()


def _no_number(word: str) -> Any:
    raise InvalidJson(f"{word} is not a number that JSON can hold")


def _finite(text: str) -> float:
    number = float(text)
    return number if math.isfinite(number) else _no_number(text)
