"""The files of an export: a single file, a folder, or a zip archive read without unpacking it."""

import re
import zipfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO

from sharpwave.errors import InvalidInput, WrongFormat

MAX_MEMBER_BYTES = 8 * 1024**3
"""The largest file inside an archive, unpacked."""
MAX_RATIO = 200
"""How far a file inside an archive may be compressed; chats come to about 10, zip bombs to 1000."""
_RATIO_FROM_BYTES = 16 * 1024**2
_CONVERSATIONS = re.compile(r"conversations(-\d+)?\.json")
_READABLE = (".json", ".jsonl", ".ndjson", ".af")
_ENCRYPTED = 0x1


@dataclass(frozen=True, slots=True)
class Part:
    """One file of an export."""

    name: str
    open: Callable[[], AbstractContextManager[IO[bytes]]]
    path: Path | None = None
    """Where it lies, if not inside an archive."""


def parts(path: Path) -> list[Part]:
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


def _folder(path: Path) -> list[Part]:
    found = [file for pattern in ("*", "*/*") for file in path.glob(pattern) if file.is_file()]
    names = {file.relative_to(path).as_posix(): file for file in found}
    return [_plain(names[name], name) for name in _chosen(list(names), path)]


def _archive(path: Path) -> list[Part]:
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
    seen = sorted(name for name in names if not _is_junk(name))
    chats = [name for name in seen if _CONVERSATIONS.fullmatch(PurePosixPath(name).name)]
    chats = chats or [name for name in seen if _is_in(name, "conversations")]
    memories = [name for name in seen if name.endswith("memories.json") or _is_in(name, "memories")]
    if chats or memories:
        return chats + [name for name in memories if name not in chats]
    readable = [name for name in seen if name.lower().endswith(_READABLE)]
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


def _plain(path: Path, name: str) -> Part:
    return Part(name, lambda: path.open("rb"), path)


def _member(path: Path, name: str) -> Part:
    @contextmanager
    def opened() -> Iterator[IO[bytes]]:
        with zipfile.ZipFile(path) as archive, _unpacked(archive, name, path) as file:
            yield file

    return Part(name, opened)


def _unpacked(archive: zipfile.ZipFile, name: str, path: Path) -> IO[bytes]:
    try:
        return archive.open(name)
    except (zipfile.BadZipFile, NotImplementedError) as error:
        raise InvalidInput(f"{name} in {path} cannot be unpacked: {error}") from error
