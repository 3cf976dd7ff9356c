"""What Schemathesis loads before it begins: long texts cost it no minutes.

It writes the bounds of a text into its pattern, and a pattern that counts to 16,000 takes a third
of a second to compile, for every form that has such a text. Bounds and pattern both hold without.
"""

from typing import Any

from schemathesis.specs.openapi import converter

LONG = 1000
_write_bounds = converter.update_pattern_in_schema


def _write_small_bounds(schema: dict[str, Any]) -> None:
    if schema.get("maxLength", 0) < LONG:
        _write_bounds(schema)


converter.update_pattern_in_schema = _write_small_bounds
