"""The files of an export (file, folder or zip archive), and the JSON values in them.

An archive is read without unpacking it. The standard library has no streaming parser, so an array
is split into its elements here, by its brackets, and each element parsed separately: memory is
bounded by the largest conversation, and a damaged one affects no other. Lines of JSON are read line
by line. Only a file that is a single object is read whole, up to the same bound as one element.
"""

import re
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO

from sharpwave import strict_json
from sharpwave.errors import InvalidInput, WrongFormat
from sharpwave.types.answers import ImportProblem

MAX_MEMBER_BYTES = 8 * 1024**3
"""The largest file inside an archive, unpacked."""
MAX_RATIO = 200
"""Maximum compression ratio of a file in an archive; chats reach about 10, zip bombs 1000."""
_RATIO_FROM_BYTES = 16 * 1024**2
_CONVERSATIONS = re.compile(r"conversations(-\d+)?\.json")
_READABLE = (".json", ".jsonl", ".ndjson", ".af")
_ENCRYPTED = 0x1


@dataclass(frozen=True, slots=True)
class ExportFile:
    """One file of an export."""

    name: str
    open: Callable[[], AbstractContextManager[IO[bytes]]]
    path: Path | None = None
    """Its path, if not inside an archive."""


def export_files(path: Path) -> list[ExportFile]:
    """The files of the export that hold messages, in order."""
    try:
        if path.is_dir():
            return _folder(path)
        if path.exists() and not path.is_file():
            raise InvalidInput(f"{path} is neither a file nor a folder; save it as a file first")
        with path.open("rb") as file:
            zipped = file.read(4) == b"PK\x03\x04"
        return _archive(path) if zipped else [_plain(path, path.name)]
    except OSError as error:
        raise InvalidInput(f"cannot read {path}: {error.strerror or error}") from error


def _folder(path: Path) -> list[ExportFile]:
    every_file = [file for pattern in ("*", "*/*") for file in path.glob(pattern) if file.is_file()]
    names = {file.relative_to(path).as_posix(): file for file in every_file}
    return [_plain(names[name], name) for name in _chosen(list(names), path)]


def _archive(path: Path) -> list[ExportFile]:
    try:
        with zipfile.ZipFile(path) as archive:
            members = {member.filename: member for member in archive.infolist()}
    except (zipfile.BadZipFile, NotImplementedError) as error:
        raise InvalidInput(f"{path} is not a whole zip archive: {error}") from error
    chosen = _chosen(list(members), path)
    for name in chosen:
        _refuse_bombs(members[name], path)
    return [_member(path, name) for name in chosen]


def _refuse_bombs(member: zipfile.ZipInfo, path: Path) -> None:
    where = f"{member.filename} in {path}"
    if member.flag_bits & _ENCRYPTED:
        raise InvalidInput(f"{where} is protected by a password; unpack it first")
    if member.file_size > MAX_MEMBER_BYTES:
        raise InvalidInput(f"{where} has {member.file_size:,} bytes; at most {MAX_MEMBER_BYTES:,}")
    ratio = member.file_size / max(1, member.compress_size)
    if member.file_size > _RATIO_FROM_BYTES and ratio > MAX_RATIO:
        raise InvalidInput(
            f"{where} unpacks to {ratio:.0f} times its size, as a zip bomb does; if you trust it, "
            "unpack it yourself and import the file"
        )


def _chosen(names: list[str], path: Path) -> list[str]:
    """Conversations and the memories beside them; or else the one file that can be read."""
    candidates = sorted(name for name in names if not _is_junk(name))
    conversations = [
        name for name in candidates if _CONVERSATIONS.fullmatch(PurePosixPath(name).name)
    ]
    conversations = conversations or [name for name in candidates if _is_in(name, "conversations")]
    memories = [
        name for name in candidates if name.endswith("memories.json") or _is_in(name, "memories")
    ]
    if conversations or memories:
        return conversations + [name for name in memories if name not in conversations]
    readable = [name for name in candidates if name.lower().endswith(_READABLE)]
    if len(readable) != 1:
        held = f"{len(readable)} JSON files" if readable else "no JSON file"
        raise WrongFormat(f"{path} holds no conversations.json and {held}; name the file to import")
    return readable


def _is_junk(name: str) -> bool:
    place = PurePosixPath(name)
    return name.endswith("/") or place.name.startswith(".") or "__MACOSX" in place.parts


def _is_in(name: str, folder: str) -> bool:
    place = PurePosixPath(name)
    return place.parent.name == folder and place.suffix == ".json"


def _plain(path: Path, name: str) -> ExportFile:
    return ExportFile(name, lambda: path.open("rb"), path)


def _member(path: Path, name: str) -> ExportFile:
    @contextmanager
    def opened() -> Iterator[IO[bytes]]:
        with zipfile.ZipFile(path) as archive:
            try:
                file = archive.open(name)
            except (zipfile.BadZipFile, NotImplementedError) as error:
                raise InvalidInput(f"{name} in {path} cannot be unpacked: {error}") from error
            with file:
                yield file

    return ExportFile(name, opened)


MAX_VALUE_BYTES = 128 * 1024 * 1024
"""The longest conversation, line, or file that is a single object."""
HEAD_BYTES = 1 << 20
_CHUNK_BYTES = 1 << 20
_SAMPLE_LINES = 20
_BOM = b"\xef\xbb\xbf"
# Matches the text between two brackets in one step: strings, including escapes, and all other
# characters. Each alternative begins differently, so the time is linear.
_CONTENT = rb'[^"\\]*(?:\\.[^"\\]*)*'
_IN_STRING = re.compile(_CONTENT, re.DOTALL)
_NESTED = re.compile(rb'(?:[^"\[\]{}]+|"' + _CONTENT + rb'")*', re.DOTALL)
_TOP = re.compile(rb'(?:[^"\[\]{},]+|"' + _CONTENT + rb'")*', re.DOTALL)
_QUOTE, _ESCAPE, _OPENING = ord('"'), ord("\\"), (ord("["), ord("{"))
_TOO_LONG = f"it is longer than {MAX_VALUE_BYTES:,} bytes"
_ENDS_EARLY = "the file ends in the middle of it; it was cut short"


@dataclass(frozen=True, slots=True)
class Value:
    """One value of a file, and its place."""

    place: str
    value: object


def values(file: IO[bytes], name: str) -> Iterator[Value | ImportProblem]:
    """Every value of the file; a value that cannot be read is yielded as a problem."""
    try:
        head = file.read(HEAD_BYTES).removeprefix(_BOM).lstrip()
        if head.startswith(b"["):
            yield from _parsed(_elements(file, head[1:]), name, "item")
        elif _is_lines(head, name):
            yield from _parsed(_lines(file), name, "line")
        else:
            yield from _parsed(_whole(file, head), name, "object")
    except (zlib.error, zipfile.BadZipFile, EOFError) as error:
        yield ImportProblem(name, f"the archive is damaged from here on: {error}")


def _is_lines(head: bytes, name: str) -> bool:
    if name.lower().endswith((".jsonl", ".ndjson")):
        return True
    lines = head.split(b"\n", _SAMPLE_LINES)
    whole = lines if len(head) < HEAD_BYTES - len(_BOM) else lines[:-1]
    return any(_is_object(line) for line in whole[:_SAMPLE_LINES])


def _is_object(line: bytes) -> bool:
    try:
        return isinstance(strict_json.loads(line), dict)
    except ValueError:
        return False


def _parsed(
    texts: Iterator[tuple[int, bytes | None, str]], name: str, what: str
) -> Iterator[Value | ImportProblem]:
    """The parsed texts; a text is None if it could not be read, for the given reason."""
    for number, text, reason in texts:
        place = name if what == "object" else f"{name}, {what} {number}"
        if text is None:
            yield ImportProblem(place, reason)
        elif text.strip():
            try:
                yield Value(place, strict_json.loads(text))
            except ValueError as error:
                yield ImportProblem(place, f"it is not valid JSON: {error}")


def _whole(file: IO[bytes], head: bytes) -> Iterator[tuple[int, bytes | None, str]]:
    text = head + file.read(MAX_VALUE_BYTES + 1 - len(head))
    yield (1, None, _TOO_LONG) if len(text) > MAX_VALUE_BYTES else (1, text, "")


def _lines(file: IO[bytes]) -> Iterator[tuple[int, bytes | None, str]]:
    file.seek(0)
    number = 0
    while line := file.readline(MAX_VALUE_BYTES + 1):
        number += 1
        too_long = len(line) > MAX_VALUE_BYTES
        rest = line
        while too_long and rest and not rest.endswith(b"\n"):
            rest = file.readline(_CHUNK_BYTES)
        yield (number, None, _TOO_LONG) if too_long else (number, line.removeprefix(_BOM), "")


class _Cutter:
    """Finds where an element of an array ends, in text that arrives in pieces."""

    def __init__(self, buffer: bytes) -> None:
        self.buffer = bytearray(buffer)
        self.position = 0
        self.too_long = False
        self._depth = 0
        self._in_string = False

    def end(self) -> int | None:
        """Position of the separator after the element; None if more text is needed."""
        while match := self._pattern().match(self.buffer, self.position):
            self.position = match.end()
            if self.position == len(self.buffer) or self.buffer[self.position] == _ESCAPE:
                return None
            byte = self.buffer[self.position]
            self.position += 1
            if byte == _QUOTE:
                self._in_string = not self._in_string
            elif byte in _OPENING:
                self._depth += 1
            elif self._depth:
                self._depth -= 1
            else:
                return self.position - 1
        return None

    def take(self, end: int) -> bytes | None:
        """The element before the separator; None if it was too long to keep."""
        element = None if self.too_long else bytes(self.buffer[:end])
        del self.buffer[: self.position]
        self.position, self.too_long = 0, False
        return element

    def drop(self) -> None:
        """Discard the element's text, but keep looking for its end."""
        del self.buffer[: self.position]
        self.position, self.too_long = 0, True

    def _pattern(self) -> re.Pattern[bytes]:
        if self._in_string:
            return _IN_STRING
        return _NESTED if self._depth else _TOP


def _elements(file: IO[bytes], start: bytes) -> Iterator[tuple[int, bytes | None, str]]:
    cutter, number = _Cutter(start), 1
    while True:
        end = cutter.end()
        if end is not None:
            is_last = cutter.buffer[end : end + 1] != b","
            yield number, cutter.take(end), _TOO_LONG
            if is_last:
                return
            number += 1
            continue
        if len(cutter.buffer) > MAX_VALUE_BYTES:
            cutter.drop()
        chunk = file.read(_CHUNK_BYTES)
        if not chunk:
            yield number, None, _ENDS_EARLY
            return
        cutter.buffer += chunk
