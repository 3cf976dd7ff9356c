"""Loads a `.sql` file of named statements: `-- name --`, a line that says what it does, the SQL."""

import re
from importlib.resources import files

_NAME = re.compile(r"^-- (\w+) --$", re.MULTILINE)


def load(package: str, filename: str) -> dict[str, str]:
    """Each statement of the file by its name."""
    parts = _NAME.split((files(package) / filename).read_text(encoding="utf-8"))
    return {
        name: "\n".join(line for line in body.splitlines() if not line.startswith("--")).strip()
        for name, body in zip(parts[1::2], parts[2::2], strict=True)
    }
