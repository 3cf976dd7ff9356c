"""The knowledge graph of the MCP memory server: entities with observations, and relations.

It is a file of JSON lines, or one object as its `read_graph` returns it. Nothing in it has a time,
and a model wrote it, so every observation and relation becomes an untrusted sentence.
"""

from collections.abc import Iterator, Mapping

from sharpwave.importers import fields as read
from sharpwave.importers.fields import Damaged
from sharpwave.importers.heard import Item, heard
from sharpwave.types.answers import Problem
from sharpwave.types.message import Message
from sharpwave.types.records import Role, Source

NAME = "mcp-memory"
EXPECTED = "lines of type 'entity' or 'relation', or an object with 'entities' and 'relations'"


def fits(value: object) -> bool:
    """True for an entity, a relation, or a whole graph."""
    if not isinstance(value, dict):
        return False
    graph = isinstance(value.get("entities"), list) and isinstance(value.get("relations"), list)
    entity = value.get("type") == "entity" and "name" in value
    return graph or entity or (value.get("type") == "relation" and "relationType" in value)


class Reader:
    """Reads entities and relations."""

    def __init__(self, own: bool) -> None:
        del own  # nobody's own words are in a graph

    def items(self, value: object, place: str) -> Iterator[Item]:
        """One sentence for each observation and relation."""
        given = read.fields(value, "a line")
        if "entities" not in given and "relations" not in given:
            yield from _node(given, str(given.get("type")), place)
            return
        for kind, field in (("entity", "entities"), ("relation", "relations")):
            for number, one in enumerate(read.elements(given.get(field), field), start=1):
                where = f"{place}, {kind} {number}"
                try:
                    yield from _node(read.fields(one, kind), kind, where)
                except Damaged as error:
                    yield Problem(where, str(error))


def _node(given: Mapping[str, object], kind: str, place: str) -> Iterator[Item]:
    if kind == "entity":
        yield from _entity(given, place)
    elif kind == "relation":
        yield _relation(given, place)
    else:
        raise Damaged(f"it is of type {kind[:40]!r}, neither entity nor relation")


def _entity(given: Mapping[str, object], place: str) -> Iterator[Item]:
    entity = read.name(given.get("name"))
    if entity is None:
        raise Damaged("the entity has no name")
    kind = read.title(given.get("entityType"))
    subject = f"{entity} ({kind})" if kind else entity
    details = read.known(format=NAME, entity=entity[:500], entity_type=kind)
    observations = read.elements(given.get("observations"), "its observations")
    if not observations:
        yield _said(subject, None, (entity,), details, place)
    for number, observation in enumerate(observations, start=1):
        where = f"{place}, observation {number}"
        try:
            text, at = _observation(observation)
            sentence = text if entity.lower() in text.lower() else f"{subject}: {text}"
            yield _said(sentence if text.strip() else "", at, (entity, text), details, where)
        except Damaged as error:
            yield Problem(where, str(error))


def _observation(observation: object) -> tuple[str, object]:
    """Its text and time; some servers keep more than the text."""
    if not isinstance(observation, dict):
        return read.text(observation, "an observation"), None
    words = read.first(observation, "content", "text", "observation")
    at = read.first(observation, "timestamp", "created_at", "createdAt")
    return read.text(words, "an observation"), at


def _relation(given: Mapping[str, object], place: str) -> Item:
    ends = [read.name(given.get(field)) for field in ("from", "relationType", "to")]
    subject, verb, other = ends
    if subject is None or verb is None or other is None:
        raise Damaged("a relation needs 'from', 'relationType' and 'to'")
    details: dict[str, object] = {"format": NAME, "relation": verb[:500]}
    sentence = f"{subject} {verb.replace('_', ' ')} {other}"
    return _said(sentence, None, ("relation", subject, verb, other), details, place)


def _said(
    text: str, at: object, ids: tuple[str, ...], details: dict[str, object], place: str
) -> Item:
    when = read.moment(at)
    said = Message(text, Role.ASSISTANT, at=when, source=Source.IMPORT, metadata=details)
    return heard(NAME, ids, said, place)
