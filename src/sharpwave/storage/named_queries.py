"""Loads `.sql` files of named statements: `-- name --`, a line that says what it does, the SQL."""

import re
from importlib.resources import files

_NAME = re.compile(r"^-- (\$?\w+) --$", re.MULTILINE)
_FRAGMENT = re.compile(r"\$\w+")


def load(*paths: str) -> dict[str, str]:
    """Each statement of some files of this package by its name; the last file overrides.

    What is named `-- $name --` is a part of statements, put in wherever they say `$name`.
    """
    found: dict[str, str] = {}
    for path in paths:
        parts = _NAME.split((files("sharpwave.storage") / path).read_text(encoding="utf-8"))
        found |= {
            name: "\n".join(line for line in body.splitlines() if not line.startswith("--")).strip()
            for name, body in zip(parts[1::2], parts[2::2], strict=True)
        }
    return {
        name: _FRAGMENT.sub(lambda match: found.get(match[0], match[0]), text)
        for name, text in found.items()
        if not name.startswith("$")
    }
