"""Memory stores of other programs: the MCP memory server's knowledge graph, and mem0.

The graph is a file of JSON lines, or one object as `read_graph` returns it. Nothing in it has a
time, and a model wrote it, so every observation and relation becomes an untrusted sentence.

mem0 is read from the JSON of `get_all` or of an export, or from its history database. Its memories
were mostly written by a model, so they are not the user's own words, unless mem0 marks them as an
unchanged message of the user (`role` is user).
"""

from collections.abc import Iterator, Mapping
from contextlib import closing
from functools import partial
from pathlib import Path

import apsw

from sharpwave.importers import items as read
from sharpwave.importers.files import Value
from sharpwave.types.answers import ImportProblem
from sharpwave.types.message import Message
from sharpwave.types.records import Role, Source

MCP_NAME = "mcp-memory"


class McpMemoryReader(read.ExportReader):
    """Reads entities and relations, which are never the user's own words."""

    name = MCP_NAME
    expected = "lines of type 'entity' or 'relation', or an object with 'entities' and 'relations'"

    @staticmethod
    def fits(value: object) -> bool:
        """True for an entity, a relation, or a whole graph."""
        if not isinstance(value, dict):
            return False
        graph = isinstance(value.get("entities"), list) and isinstance(value.get("relations"), list)
        entity = value.get("type") == "entity" and "name" in value
        return graph or entity or (value.get("type") == "relation" and "relationType" in value)

    def items(self, value: object, place: str) -> Iterator[read.Item]:
        """One sentence for each observation and relation."""
        fields = read.fields(value, "a line")
        if "entities" not in fields and "relations" not in fields:
            yield from _node(str(fields.get("type")), fields, place)
            return
        for kind, field in (("entity", "entities"), ("relation", "relations")):
            listed = read.elements(fields.get(field), field)
            yield from read.read_objects(listed, kind, f"{place}, {kind}", partial(_node, kind))


def _node(kind: str, fields: Mapping[str, object], place: str) -> Iterator[read.Item]:
    if kind == "entity":
        yield from _entity(fields, place)
    elif kind == "relation":
        yield _relation(fields, place)
    else:
        raise read.Damaged(f"it is of type {kind[:40]!r}, neither entity nor relation")


def _entity(fields: Mapping[str, object], place: str) -> Iterator[read.Item]:
    entity = read.name(fields.get("name"))
    if entity is None:
        raise read.Damaged("the entity has no name")
    kind = read.title(fields.get("entityType"))
    subject = f"{entity} ({kind})" if kind else entity
    details = read.non_empty(entity=entity[:500], entity_type=kind)
    observations = read.elements(fields.get("observations"), "its observations")
    if not observations:
        yield _untrusted_message(subject, None, (entity,), details, place)
    for number, observation in enumerate(observations, start=1):
        observation_place = f"{place}, observation {number}"
        try:
            text, at = _observation(observation)
            sentence = text if entity.lower() in text.lower() else f"{subject}: {text}"
            yield _untrusted_message(
                sentence if text.strip() else "", at, (entity, text), details, observation_place
            )
        except read.Damaged as error:
            yield ImportProblem(observation_place, str(error))


def _observation(observation: object) -> tuple[str, object]:
    """Its text and time; some servers keep more than the text."""
    if not isinstance(observation, dict):
        return read.text(observation, "an observation"), None
    words = read.first(observation, "content", "text", "observation")
    at = read.first(observation, "timestamp", "created_at", "createdAt")
    return read.text(words, "an observation"), at


def _relation(fields: Mapping[str, object], place: str) -> read.Item:
    parts = [read.name(fields.get(field)) for field in ("from", "relationType", "to")]
    subject, verb, target = parts
    if subject is None or verb is None or target is None:
        raise read.Damaged("a relation needs 'from', 'relationType' and 'to'")
    sentence = f"{subject} {verb.replace('_', ' ')} {target}"
    ids = ("relation", subject, verb, target)
    return _untrusted_message(sentence, None, ids, {"relation": verb[:500]}, place)


def _untrusted_message(
    text: str, at: object, ids: tuple[str, ...], details: dict[str, object], place: str
) -> read.Item:
    when = read.moment(at)
    message = Message(text, Role.ASSISTANT, at=when, source=Source.IMPORT, metadata=details)
    return read.imported_message(MCP_NAME, ids, message, place)


MEM0_NAME = "mem0"

_LISTS = ("results", "memories")
_LAST_STATES = """
    SELECT memory_id AS id, new_memory AS memory, event, created_at, updated_at, is_deleted,
           actor_id, role
      FROM history
     WHERE rowid IN (SELECT max(rowid) FROM history GROUP BY memory_id)
     ORDER BY rowid"""


class Mem0Reader(read.ExportReader):
    """Reads memories."""

    name = MEM0_NAME
    expected = "memories with 'id' and 'memory', as get_all returns them, or mem0's history.db"

    @staticmethod
    def fits(value: object) -> bool:
        """True for a memory, or a list of them."""
        if not isinstance(value, dict):
            return False
        return isinstance(value.get("memory"), str) or any(
            isinstance(listed := value.get(name), list)
            and all(isinstance(memory, dict) and "memory" in memory for memory in listed[:3])
            for name in _LISTS
        )

    def items(self, value: object, place: str) -> Iterator[read.Item]:
        """One memory, or all that a page of results lists."""
        fields = read.fields(value, "a memory")
        listed = next((fields[name] for name in _LISTS if name in fields), None)
        if listed is None:
            yield from self._items(fields, place)
            return
        memories = read.elements(listed, "the list of memories")
        yield from read.read_objects(memories, "a memory", f"{place}, memory", self._items)

    def _items(self, memory: Mapping[str, object], place: str) -> Iterator[read.Item]:
        if memory.get("is_deleted") or memory.get("event") == "DELETE":
            yield read.SkippedMessage("deleted there")
            return
        if "memory" not in memory:
            raise read.Damaged("it has no field 'memory'")
        self._require_owner(read.name(memory.get("user_id")))
        role_name = memory.get("role")
        role = Role.ASSISTANT if role_name is None else read.role(role_name)
        memory_id = read.name(memory.get("id"))
        details = read.non_empty(
            original_id=memory_id,
            agent=read.name(memory.get("agent_id")),
            categories=memory.get("categories"),
            metadata=memory.get("metadata"),
        )
        message = Message(
            text=read.text(memory["memory"], "the memory"),
            role=role,
            speaker=read.title(memory.get("actor_id")),
            at=read.moment(read.first(memory, "created_at", "updated_at")),
            session=read.name(memory.get("run_id")),
            source=read.source(role, self._own),
            metadata=details,
        )
        yield read.imported_message(MEM0_NAME, (memory_id or "",), message, place)


def mem0_history(path: Path) -> Iterator[Value | ImportProblem]:
    """The last state of each memory in mem0's history database, oldest first."""
    try:
        with closing(apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)) as db:
            db.execute("PRAGMA trusted_schema = OFF")
            rows = db.execute(_LAST_STATES)
            for number, row in enumerate(rows, start=1):
                names = [column[0] for column in rows.getdescription()]
                yield Value(f"{path.name}, memory {number}", dict(zip(names, row, strict=True)))
    except apsw.Error as error:
        yield ImportProblem(path.name, f"it is not a whole history database of mem0: {error}")
