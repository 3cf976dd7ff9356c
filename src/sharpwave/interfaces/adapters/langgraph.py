"""LangGraph: long-term memory as a store, `builder.compile(store=SharpwaveStore(memory))`.

Each namespace is a separate user in the memory, so nothing crosses from one to another: neither
items nor anything learned from them. The graph's builder chooses the namespace.

A search ranks by recall, across all namespaces under the prefix. As in LangGraph's own stores,
items unrelated to the query come last, without a score. Items have no time to live: they are
removed by sleep and `forget`.
"""

import asyncio
from collections.abc import Iterable, Mapping
from operator import eq, ge, gt, le, lt, ne
from typing import Any
from urllib.parse import unquote

from sharpwave.errors import InvalidInput
from sharpwave.interfaces.adapters import core
from sharpwave.memory import Memory

with core.requires("langgraph"):
    from langgraph.store.base import (
        BaseStore,
        GetOp,
        Item,
        ListNamespacesOp,
        MatchCondition,
        Op,
        PutOp,
        Result,
        SearchItem,
        SearchOp,
        get_text_at_path,
    )

Namespace = tuple[str, ...]
_COMPARED = {"$eq": eq, "$ne": ne, "$gt": gt, "$gte": ge, "$lt": lt, "$lte": le}
_LABEL = "langgraph"
_UNSEARCHED = "(kept, not searched)"
_UNRANKED = core.RankedNames({}, {})


class SharpwaveStore(BaseStore):
    """A LangGraph store in a Sharpwave memory; its namespaces lie beside the memory's own user."""

    __slots__ = ("_fields", "_memory")

    def __init__(self, memory: Memory, *, fields: Iterable[str] = ("$",)) -> None:
        """`fields` are the paths in a value whose text is searched; "$" is all of it."""
        self._memory = memory
        self._fields = tuple(fields)

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Answer every read as things stand; then write, the last `put` of a key only."""
        operations = list(ops)
        results: list[Result] = [self._read(op) for op in operations]
        puts = {(op.namespace, op.key): op for op in operations if isinstance(op, PutOp)}
        for namespace in dict.fromkeys(namespace for namespace, _ in puts):
            self._write(namespace, [op for op in puts.values() if op.namespace == namespace])
        return results

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """As `batch`, without holding up the event loop."""
        return await asyncio.to_thread(self.batch, list(ops))

    def _read(self, op: Op) -> Result:
        match op:
            case GetOp():
                record = self._records(op.namespace).get(op.key)
                return None if record is None else Item(**_fields_of(record, op.namespace))
            case SearchOp():
                return self._search(op)
            case ListNamespacesOp():
                return self._list(op)
            case PutOp():
                return None
        raise InvalidInput(f"a store has no operation {type(op).__name__}")

    def _write(self, namespace: Namespace, puts: Iterable[PutOp]) -> None:
        records = self._records(namespace)
        dropped = [op.key for op in puts if op.value is None]
        records.put(
            [self._new_record(op.key, op.value, op.index) for op in puts if op.value is not None]
        )
        records.drop(dropped)

    def _new_record(self, key: str, value: Mapping[str, Any], index: object) -> core.NewRecord:
        if index is False:
            return core.NewRecord(key, _UNSEARCHED, value, searched=False)
        paths = index if isinstance(index, list | tuple) else self._fields
        text = "\n".join(line for path in paths for line in _text_at(value, path))
        return core.NewRecord(key, text if text.strip() else _UNSEARCHED, value, bool(text.strip()))

    def _search(self, op: SearchOp) -> list[SearchItem]:
        found = [
            item
            for namespace in self._namespaces_under(op.namespace_prefix)
            for item in self._search_namespace(namespace, op)
        ]
        if op.query:
            found.sort(key=lambda item: -1.0 if item.score is None else item.score, reverse=True)
        return found[op.offset : op.offset + op.limit]

    def _search_namespace(self, namespace: Namespace, op: SearchOp) -> list[SearchItem]:
        """The best of a namespace; all items are read only if too few are ranked."""
        records, count = self._records(namespace), op.offset + op.limit
        ranking = records.ranked(op.query) if op.query and op.query.strip() else _UNRANKED
        found = [] if op.filter else records.best(ranking, count)
        if len(found) < count:
            places = {id: place for place, id in enumerate(ranking.scores)}
            filters = (op.filter or {}).items()
            matching = [
                record
                for record in records.everything()
                if all(_fits(record.data.get(name), condition) for name, condition in filters)
            ]
            found = sorted(matching, key=lambda record: places.get(record.id, len(places)))[:count]
        return [
            SearchItem(**_fields_of(record, namespace), score=ranking.scores.get(record.id))
            for record in found
        ]

    def _list(self, op: ListNamespacesOp) -> list[Namespace]:
        conditions = op.match_conditions or ()
        found = {
            namespace[: op.max_depth]
            for namespace in self._namespaces_under(())
            if all(_matches(namespace, condition) for condition in conditions)
        }
        return sorted(found)[op.offset : op.offset + op.limit]

    def _namespaces_under(self, prefix: Namespace) -> list[Namespace]:
        """The namespaces with content that begin with `prefix`."""
        root = f"{core.separate_user_prefix(self._memory)}{_LABEL}/"
        users = (user for user in self._memory.admin.users() if user.startswith(root))
        namespaces = (tuple(map(unquote, user.removeprefix(root).split("/"))) for user in users)
        return [namespace for namespace in namespaces if namespace[: len(prefix)] == prefix]

    def _records(self, namespace: Namespace) -> core.NamedRecords:
        if not namespace or not all(isinstance(label, str) and label for label in namespace):
            raise InvalidInput(f"a namespace is a tuple of words, none of them empty: {namespace}")
        return core.NamedRecords(core.separate_user(self._memory, _LABEL, *namespace), "item")


def _fields_of(record: core.NamedRecord, namespace: Namespace) -> dict[str, Any]:
    return {
        "value": dict(record.data),
        "key": record.name,
        "namespace": namespace,
        "created_at": record.created_at,
        "updated_at": record.updated_at,
    }


def _text_at(value: Mapping[str, Any], path: str) -> list[str]:
    """The text at a path; "$" gives the text of the whole value, without JSON syntax."""
    return _words(value) if path == "$" else get_text_at_path(value, path)


def _words(value: object, name: str = "") -> list[str]:
    if isinstance(value, Mapping):
        is_single = len(value) == 1  # {"text": "..."}: no key needed
        parts = value.items()
        return [line for key, item in parts for line in _words(item, "" if is_single else str(key))]
    if isinstance(value, list | tuple):
        return [line for item in value for line in _words(item, name)]
    text = "" if value is None else str(value)
    return [f"{name}: {text}" if name else text] if text else []


def _fits(value: object, condition: object) -> bool:
    """Whether a value matches a filter; a mapping may match in part."""
    if not isinstance(condition, Mapping):
        return value == (list(condition) if isinstance(condition, tuple) else condition)
    if any(str(name).startswith("$") for name in condition):
        return all(_compares(value, str(sign), limit) for sign, limit in condition.items())
    return isinstance(value, Mapping) and all(
        _fits(value.get(name), part) for name, part in condition.items()
    )


def _compares(value: Any, sign: str, limit: Any) -> bool:
    if sign not in _COMPARED:
        raise InvalidInput(f"a filter has no sign {sign!r}; there are {', '.join(_COMPARED)}")
    try:
        return bool(_COMPARED[sign](value, limit))
    except TypeError:  # text and number cannot be compared
        return False


def _matches(namespace: Namespace, condition: MatchCondition) -> bool:
    path = tuple(condition.path)
    part = namespace[: len(path)] if condition.match_type == "prefix" else namespace[-len(path) :]
    same = (pattern in ("*", label) for label, pattern in zip(part, path, strict=False))
    return len(part) == len(path) and all(same)
