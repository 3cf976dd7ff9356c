"""One entry in somebody else's JSON file: nothing else in it changes, and a copy is kept."""

import json
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sharpwave.errors import InvalidInput


@dataclass(frozen=True, slots=True)
class Change:
    """What is to be written, and what was there."""

    file: Path
    before: str | None
    """The text of the file; None if there was none."""
    after: str
    changed: bool

    @property
    def backup(self) -> Path:
        """Where the file as it was before goes."""
        return self.file.with_name(self.file.name + ".before-sharpwave")


def with_entry(file: Path, key: str, name: str, entry: dict[str, Any]) -> Change:
    """The file with the entry in it."""
    before, whole = _read(file)
    listed = _listed(whole, key, file)
    changed = listed.get(name) != entry
    listed[name] = entry
    whole[key] = listed
    return Change(file, before, _written(whole), changed)


def without_entry(file: Path, key: str, name: str) -> Change:
    """The file without the entry."""
    before, whole = _read(file)
    listed = _listed(whole, key, file)
    changed = listed.pop(name, None) is not None
    return Change(file, before, _written(whole), changed)


def write(change: Change) -> None:
    """Keep a copy of the old file, then put the new one in its place in one step."""
    target = Path(os.path.realpath(change.file))
    target.parent.mkdir(parents=True, exist_ok=True)
    mode = target.stat().st_mode & 0o777 if target.exists() else 0o600
    if change.before is not None:
        _replace(change.backup, change.before, mode)
    _replace(target, change.after, mode)


def _replace(file: Path, text: str, mode: int) -> None:
    handle, name = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as opened:
            opened.write(text)
            opened.flush()
            os.fsync(opened.fileno())
        os.chmod(name, mode)
        os.replace(name, file)
    except BaseException:  # passed on; only the half-written file must not be left behind
        Path(name).unlink(missing_ok=True)
        raise


def _read(file: Path) -> tuple[str | None, dict[str, Any]]:
    if not file.exists():
        return None, {}
    try:
        text = file.read_text("utf-8-sig")
        whole = json.loads(text) if text.strip() else {}
    except (OSError, UnicodeDecodeError, json.JSONDecodeError) as error:
        raise InvalidInput(
            f"{file} is not plain JSON ({error}); it may hold comments. It was left as it is: "
            "add the entry yourself, --dry-run prints it"
        ) from error
    if not isinstance(whole, dict):
        raise InvalidInput(f"{file} does not hold a JSON object; it was left as it is")
    return text, whole


def _listed(whole: dict[str, Any], key: str, file: Path) -> dict[str, Any]:
    listed = whole.get(key, {})
    if not isinstance(listed, dict):
        raise InvalidInput(f"{key!r} in {file} is no JSON object; it was left as it is")
    return listed


def _written(whole: dict[str, Any]) -> str:
    return json.dumps(whole, ensure_ascii=False, indent=2) + "\n"
