"""Reads the rows of an SQLite file page by page: what is left when its trees cannot be walked.

Follows the published file format (sqlite.org/fileformat2.html). It does not know what the rows
mean, and trusts nothing: a cell that points outside its page is left out, and the next one read.
"""

import struct
from collections.abc import Iterator
from typing import NamedTuple

Value = int | float | str | bytes | None

_TABLE_LEAF, _INDEX_LEAF, _INDEX_INTERIOR = 13, 10, 2
_INT_BYTES = {1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8}
_FLOAT = 7
_CONSTANTS: dict[int, Value] = {0: None, 8: 0, 9: 1}
_FIRST_PAGE_HEADER = 100


class Cell(NamedTuple):
    """One row of a table, or one entry of an index, which has no row number of its own."""

    rowid: int | None
    values: tuple[Value, ...]


class Broken(Exception):
    """A cell that cannot be read."""


class Pages:
    """The image of a whole database file, in pages numbered from 1."""

    def __init__(self, image: bytes, default_page_bytes: int = 4096) -> None:
        self._image = image
        size = int.from_bytes(image[16:18], "big")
        self._size = size if size in (512, 1024, 2048, 4096, 8192, 16384, 32768) else 0
        reserved = image[20] if self._size and len(image) > 20 else 0
        self._size = self._size or default_page_bytes
        self._usable = self._size - reserved

    def __len__(self) -> int:
        """How many whole pages there are."""
        return len(self._image) // self._size

    def cells(self, number: int) -> Iterator[Cell]:
        """Every readable row or index entry of a page; none if it holds something else."""
        page = self._page(number)
        start = _FIRST_PAGE_HEADER if number == 1 else 0
        kind = page[start]
        if kind not in (_TABLE_LEAF, _INDEX_LEAF, _INDEX_INTERIOR):
            return
        first = start + (12 if kind == _INDEX_INTERIOR else 8)
        count = int.from_bytes(page[start + 3 : start + 5], "big")
        for at in range(first, min(first + 2 * count, self._usable - 1), 2):
            try:
                yield self._cell(page, kind, int.from_bytes(page[at : at + 2], "big"))
            except Broken:
                continue

    def _page(self, number: int) -> bytes:
        if not 1 <= number <= len(self):
            raise Broken
        return self._image[(number - 1) * self._size : number * self._size]

    def _cell(self, page: bytes, kind: int, at: int) -> Cell:
        if kind == _INDEX_INTERIOR:
            at += 4  # the number of the page below
        size, at = _varint(page, at)
        rowid = None
        if kind == _TABLE_LEAF:
            rowid, at = _varint(page, at)
            rowid -= (rowid >> 63) << 64
        return Cell(rowid, _values(self._payload(page, at, size, kind)))

    def _payload(self, page: bytes, at: int, size: int, kind: int) -> bytes:
        """A cell's content, with the part that did not fit into its page."""
        if size > len(self._image):
            raise Broken
        local = self._local_bytes(size, kind)
        content = page[at : at + local]
        rest = int.from_bytes(page[at + local : at + local + 4], "big")
        while len(content) < size:
            overflow = self._page(rest)
            rest = int.from_bytes(overflow[:4], "big")
            content += overflow[4 : self._usable]
        return content[:size]

    def _local_bytes(self, size: int, kind: int) -> int:
        usable = self._usable
        most = usable - 35 if kind == _TABLE_LEAF else (usable - 12) * 64 // 255 - 23
        if size <= most:
            return size
        least = (usable - 12) * 32 // 255 - 23
        fitting = least + (size - least) % (usable - 4)
        return fitting if fitting <= most else least


def _values(payload: bytes) -> tuple[Value, ...]:
    """The columns of a record: a header of types, then the values."""
    header_bytes, at = _varint(payload, 0)
    if header_bytes > len(payload):
        raise Broken
    values: list[Value] = []
    body = header_bytes
    while at < header_bytes:
        kind, at = _varint(payload, at)
        value, width = _value(payload, kind, body)
        values.append(value)
        body += width
    return tuple(values)


def _value(payload: bytes, kind: int, at: int) -> tuple[Value, int]:
    if kind in _CONSTANTS:
        return _CONSTANTS[kind], 0
    width = _INT_BYTES.get(kind) or (8 if kind == _FLOAT else (kind - 12) // 2)
    raw = payload[at : at + width]
    if kind in (10, 11) or len(raw) != width:
        raise Broken
    if kind in _INT_BYTES:
        return int.from_bytes(raw, "big", signed=True), width
    if kind == _FLOAT:
        return float(struct.unpack(">d", raw)[0]), width
    if kind % 2 == 0:
        return raw, width
    try:
        return raw.decode(), width
    except UnicodeDecodeError as error:
        raise Broken from error


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """A number of one to nine bytes, and where it ends."""
    value = 0
    for position in range(9):
        if at >= len(data):
            raise Broken
        byte = data[at]
        at += 1
        if position == 8:
            return value << 8 | byte, at
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            break
    return value, at
