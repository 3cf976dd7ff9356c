"""mem0: what `get_all` or an export returned as JSON, or its history database.

Memories of mem0 were mostly written by a model, so they are not the user's own words; only where
mem0 says that it kept a user's message as it was (`role` is user) may they be.
"""

from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path

import apsw

from sharpwave.importers import fields as read
from sharpwave.importers.fields import Damaged
from sharpwave.importers.heard import Item, LeftOut, OneOwner, heard, source
from sharpwave.importers.json_values import Value
from sharpwave.types.answers import Problem
from sharpwave.types.message import Message
from sharpwave.types.records import Role

NAME = "mem0"
EXPECTED = "memories with 'id' and 'memory', as get_all returns them, or mem0's history.db"

_LISTS = ("results", "memories")
_LAST_STATES = """
    SELECT memory_id AS id, new_memory AS memory, event, created_at, updated_at, is_deleted,
           actor_id, role
      FROM history
     WHERE rowid IN (SELECT max(rowid) FROM history GROUP BY memory_id)
     ORDER BY rowid"""


def fits(value: object) -> bool:
    """True for a memory, or a list of them."""
    if not isinstance(value, dict):
        return False
    return isinstance(value.get("memory"), str) or any(
        isinstance(listed := value.get(name), list)
        and all(isinstance(one, dict) and "memory" in one for one in listed[:3])
        for name in _LISTS
    )


class Reader:
    """Reads memories."""

    def __init__(self, own: bool) -> None:
        self._own = own
        self._owner = OneOwner()

    def items(self, value: object, place: str) -> Iterator[Item]:
        """One memory, or all that a page of results lists."""
        given = read.fields(value, "a memory")
        listed = next((given[name] for name in _LISTS if name in given), None)
        if listed is None:
            yield self._item(given, place)
            return
        for number, one in enumerate(read.elements(listed, "the list of memories"), start=1):
            where = f"{place}, memory {number}"
            try:
                yield self._item(read.fields(one, "a memory"), where)
            except Damaged as error:
                yield Problem(where, str(error))

    def _item(self, memory: Mapping[str, object], place: str) -> Item:
        if memory.get("is_deleted") or memory.get("event") == "DELETE":
            return LeftOut("deleted there")
        if "memory" not in memory:
            raise Damaged("it has no field 'memory'")
        self._owner.check(read.name(memory.get("user_id")))
        said_as = memory.get("role")
        role = Role.ASSISTANT if said_as is None else read.role(said_as)
        memory_id = read.name(memory.get("id"))
        details = read.known(
            format=NAME,
            original_id=memory_id,
            agent=read.name(memory.get("agent_id")),
            categories=memory.get("categories"),
            metadata=memory.get("metadata"),
        )
        said = Message(
            text=read.text(memory["memory"], "the memory"),
            role=role,
            speaker=read.title(memory.get("actor_id")),
            at=read.moment(read.first(memory, "created_at", "updated_at")),
            session=read.name(memory.get("run_id")),
            source=source(role, self._own),
            metadata=details,
        )
        return heard(NAME, (memory_id or "",), said, place)


def history(path: Path) -> Iterator[Value | Problem]:
    """The last state of each memory in mem0's history database, oldest first."""
    try:
        with closing(apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)) as db:
            db.execute("PRAGMA trusted_schema = OFF")
            rows = db.execute(_LAST_STATES)
            for number, row in enumerate(rows, start=1):
                names = [column[0] for column in rows.getdescription()]
                values = dict(zip(names, row, strict=True))
                yield Value(f"{path.name}, memory {number}", values)
    except apsw.Error as error:
        yield Problem(path.name, f"it is not a whole history database of mem0: {error}")
