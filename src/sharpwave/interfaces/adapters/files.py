"""A folder of text files that are memories: what an agent writes there, recall finds.

The folder is a tree of names only. A path that leads out of it is still refused, since a later
reader could misinterpret it.
"""

from collections.abc import Iterator
from itertools import accumulate
from threading import Lock
from urllib.parse import unquote

from sharpwave.errors import Conflict, InvalidInput, NotFound
from sharpwave.interfaces.adapters.core import NamedRecord, NamedRecords, NewRecord
from sharpwave.memory import Memory

ROOT = "/memories"
DEPTH = 2
"""How many levels a view of a folder shows."""
_EMPTY = "(an empty file)"
_WIDTH = 6
_KIB = 1024


class Files:
    """The files of one user. Each method returns the text for the model."""

    def __init__(self, memory: Memory) -> None:
        self._records = NamedRecords(memory, "file")
        self._lock = Lock()  # each change is read, then write

    def view(self, path: str, lines: tuple[int, int] | None = None) -> str:
        """A file with numbered lines, or what a folder holds; `lines` is from and to (-1: all)."""
        name = _checked(path)
        if file := self._records.get(name):
            return f"Here's the content of {path} with line numbers:\n" + _numbered(
                _content(file).split("\n"), *(lines or (1, -1))
            )
        below = self._below(name)
        if not below and name != ROOT:
            raise NotFound(f"The path {path} does not exist. Please provide a valid path.")
        shown = "\n".join(f"{_size(size)}\t{entry}" for entry, size in _listed(name, below))
        return (
            f"Here're the files and directories up to {DEPTH} levels deep in {path}, "
            f"excluding hidden items:\n{shown}"
        )

    def create(self, path: str, text: str) -> str:
        """A new file."""
        name = _checked(path)
        with self._lock:
            if self._exists(name):
                raise Conflict(f"File {path} already exists")
            self._refuse_below_a_file(name)
            self._write(name, text)
        return f"File created successfully at: {path}"

    def replace(self, path: str, old: str, new: str) -> str:
        """Replace a text that occurs exactly once in a file."""
        with self._lock:
            name, text = self._read(path)
            count = text.count(old)
            if not old or count == 0:
                raise InvalidInput(
                    f"No replacement was performed, old_str `{old}` did not appear verbatim in "
                    f"{path}."
                )
            if count > 1:
                where = ", ".join(str(line) for line in _lines_with(text, old))
                raise InvalidInput(
                    f"No replacement was performed. Multiple occurrences of old_str `{old}` in "
                    f"lines: {where}. Please ensure it is unique"
                )
            changed = text.replace(old, new)
            self._write(name, changed)
        line = text[: text.find(old)].count("\n") + 1
        return (
            "The memory file has been edited. Here is the snippet showing the change (with line "
            "numbers):\n" + _numbered(changed.split("\n"), max(1, line - 2), line + 2)
        )

    def insert(self, path: str, after: int, text: str) -> str:
        """Insert lines into a file, after line number `after`."""
        with self._lock:
            name, old_text = self._read(path)
            lines = old_text.removesuffix("\n").split("\n") if old_text else []
            if not 0 <= after <= len(lines):
                raise InvalidInput(
                    f"Invalid `insert_line` parameter: {after}. "
                    f"It should be within the range [0, {len(lines)}]."
                )
            lines.insert(after, text.rstrip("\n"))
            self._write(name, "\n".join(lines).removesuffix("\n") + "\n")
        return f"The file {path} has been edited."

    def delete(self, path: str) -> str:
        """Forget a file, or a folder with all that is in it."""
        name = _checked(path)
        if name == ROOT:
            raise InvalidInput(f"Cannot delete the {ROOT} directory itself")
        with self._lock:
            self._records.drop(self._at(name, path))
        return f"Successfully deleted {path}"

    def rename(self, old: str, new: str) -> str:
        """Rename or move a file or folder."""
        source, target = _checked(old), _checked(new)
        if source == ROOT:
            raise InvalidInput(f"Cannot rename the {ROOT} directory itself")
        with self._lock:
            if self._exists(target):
                raise Conflict(f"The destination {new} already exists")
            if target.startswith(f"{source}/"):
                raise InvalidInput(f"Cannot move {old} into itself")
            names = self._at(source, old)
            self._refuse_below_a_file(target)
            files = [file for name in names if (file := self._records.get(name))]
            moved = [
                _new_record(target + file.name[len(source) :], _content(file)) for file in files
            ]
            self._records.put(moved)
            self._records.drop(names)
        return f"Successfully renamed {old} to {new}"

    def clear(self) -> str:
        """Forget all files."""
        with self._lock:
            self._records.drop(file.name for file in self._records.everything())
        return "All memory cleared"

    def _read(self, path: str) -> tuple[str, str]:
        name = _checked(path)
        file = self._records.get(name)
        if file is None and self._exists(name):
            raise InvalidInput(f"The path {path} is not a file.")
        if file is None:
            raise NotFound(f"The path {path} does not exist. Please provide a valid path.")
        return name, _content(file)

    def _write(self, name: str, text: str) -> None:
        self._records.put([_new_record(name, text)])

    def _exists(self, name: str) -> bool:
        return (
            name == ROOT or self._records.get(name) is not None or self._records.holds(f"{name}/")
        )

    def _below(self, name: str) -> list[NamedRecord]:
        return self._records.everything(f"{name}/")

    def _at(self, name: str, path: str) -> list[str]:
        """The names of the files at or below a path."""
        names = [name] if self._records.get(name) else [file.name for file in self._below(name)]
        if not names:
            raise NotFound(f"The path {path} does not exist")
        return names

    def _refuse_below_a_file(self, name: str) -> None:
        for parent in list(accumulate(name.split("/"), "{}/{}".format))[1:-1]:
            if self._records.get(parent):
                raise Conflict(f"{parent} is a file, so nothing can be put below it")


def _checked(path: str) -> str:
    """A path below the root in normal form, or an error."""
    name = path.rstrip("/")
    parts = unquote(name).split("/")
    if parts[:2] != ROOT.split("/"):
        raise InvalidInput(f"Path must start with {ROOT}, got: {path}")
    if any(part in ("", ".", "..") for part in parts[2:]) or "\\" in name or not name.isprintable():
        raise InvalidInput(f"Path {path} would escape {ROOT} directory")
    return name


def _new_record(name: str, text: str) -> NewRecord:
    if text.strip():
        return NewRecord(name, text)
    return NewRecord(name, _EMPTY, {"blank": text}, searched=False)


def _content(file: NamedRecord) -> str:
    return str(file.data.get("blank", file.text))


def _numbered(lines: list[str], first: int, last: int) -> str:
    start = max(1, first) - 1
    shown = lines[start : None if last == -1 else last]
    return "\n".join(
        f"{number:>{_WIDTH}}\t{line}" for number, line in enumerate(shown, start=start + 1)
    )


def _lines_with(text: str, words: str) -> Iterator[int]:
    place = text.find(words)
    while place >= 0:
        yield text.count("\n", 0, place) + 1
        place = text.find(words, place + 1)


def _listed(name: str, below: list[NamedRecord]) -> list[tuple[str, int]]:
    """Names and sizes of a folder and its content, without hidden files."""
    sizes = {name: 0}
    for file in below:
        parts = file.name[len(name) + 1 :].split("/")
        size = len(_content(file).encode())
        sizes[name] += size
        for depth in range(1, min(DEPTH, len(parts)) + 1):
            entry_name = f"{name}/{'/'.join(parts[:depth])}" + ("/" if depth < len(parts) else "")
            if not any(part.startswith(".") for part in parts[:depth]):
                sizes[entry_name] = sizes.get(entry_name, 0) + size
    return sorted(sizes.items(), key=lambda entry: entry[0].rstrip("/").split("/"))


def _size(count: int) -> str:
    """As in `ls -h`."""
    size, unit = float(count), "B"
    for larger in "KMG":
        if size >= _KIB:
            size, unit = size / _KIB, larger
    return f"{int(size)}{unit}" if size == int(size) else f"{size:.1f}{unit}"
