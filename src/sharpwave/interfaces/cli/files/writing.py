"""Small files for their owner only, each written whole or not at all."""

import os
from pathlib import Path

from sharpwave.errors import InvalidInput

_OURS_ALONE = 0o600


def write(path: Path, text: str) -> None:
    """Put a text in a file in place of what was there; whoever reads it sees the old or the new."""
    beside = path.with_name(f".{path.name}.new")
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        beside.unlink(missing_ok=True)
        opened = os.open(beside, os.O_CREAT | os.O_EXCL | os.O_WRONLY, _OURS_ALONE)
        with open(opened, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
        beside.replace(path)
    except OSError as error:
        raise InvalidInput(f"cannot write {path}: {error.strerror}") from error
