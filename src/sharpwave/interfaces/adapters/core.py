"""Named records in a user's memory, and what the adapters share.

A named record is a file or an item of a store.

It is one remembered turn in a separate session named after it, so that recall finds it like any
other turn. Storing a record under the same name again adds a new turn; the old one is forgotten,
with all that was learned from it alone. Records are written by an agent, about the user or anything
else, so they count as inferred. The privacy policy applies: text that it redacts is not returned.
"""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import datetime
from urllib.parse import quote, unquote

from sharpwave.errors import NotFound
from sharpwave.interfaces import extras
from sharpwave.memory import Memory
from sharpwave.types.access import APART
from sharpwave.types.answers import WhyNot
from sharpwave.types.message import Message
from sharpwave.types.query import RecallQuery
from sharpwave.types.records import Kind, Record, Role

PAGE = 1000
"""Maximum number of records per call of the facade."""
_NEAR_DUPLICATES = frozenset({WhyNot.RESTATEMENT, WhyNot.TOO_ALIKE})
_LABEL = " @:+="
_PLAIN = "/" + _LABEL


@dataclass(frozen=True, slots=True)
class NewRecord:
    """A record to store: its name, the text by which recall finds it, and any data."""

    name: str
    text: str
    data: Mapping[str, object] = field(default_factory=dict)
    searched: bool = True
    """Whether `NamedRecords.ranked` may find it."""


@dataclass(frozen=True, slots=True)
class NamedRecord:
    """A stored record."""

    id: str
    name: str
    text: str
    data: Mapping[str, object]
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class RankedNames:
    """Scores of records for a query, the best first."""

    scores: Mapping[str, float]
    """By id: the confidence of recall divided by the rank. Unlike the scores of recall, it can be
    compared across users."""
    records: Mapping[str, Record]
    """The records that recall returned; near-duplicates that it left out have only an id."""


class NamedRecords:
    """The named records of one sort, such as "file", in one user's memory."""

    def __init__(self, memory: Memory, sort: str) -> None:
        self._memory = memory
        self._sort = sort

    def put(self, new_records: Sequence[NewRecord]) -> None:
        """Store all of them or, if that fails, none; replaces records of the same names."""
        if not new_records:
            return
        previous = {new_record.name: self.get(new_record.name) for new_record in new_records}
        self._memory.remember(
            [self._message(new_record, previous[new_record.name]) for new_record in new_records]
        )
        for new_record in new_records:
            self._drop_older(new_record.name)

    def get(self, name: str) -> NamedRecord | None:
        """The record of this name, if any."""
        turns = self._memory.admin.recent(1, session=self._session(name))
        return self._to_named_record(turns[0]) if turns else None

    def everything(self, prefix: str = "") -> list[NamedRecord]:
        """All records with names that begin with `prefix`, in the order they were written."""
        found: dict[str, NamedRecord] = {}
        for turn in every_turn(self._memory, within=self._session(prefix)):
            named_record = self._to_named_record(turn)
            found.pop(named_record.name, None)
            found[named_record.name] = named_record
        return list(found.values())

    def holds(self, prefix: str) -> bool:
        """True if there is a record with a name that begins with `prefix`."""
        return bool(self._memory.admin.recent(1, within=self._session(prefix)))

    def drop(self, names: Iterable[str]) -> None:
        """Forget the records of these names; unknown names are ignored."""
        for name in names:
            self._memory.forget(session=self._session(name))

    def ranked(self, query: str) -> RankedNames:
        """The records ranked for a query; near-duplicates come last."""
        recall_query = RecallQuery(query, k=PAGE, kinds=(Kind.TURN,), tags=(self._sort,))
        recollection = self._memory.recall(recall_query)
        shown = {item.record.id: item.record for item in recollection}
        ids = [
            *shown,
            *(omitted.id for omitted in recollection.left_out if omitted.why in _NEAR_DUPLICATES),
        ]
        scores = {id: recollection.confidence / place for place, id in enumerate(ids, start=1)}
        return RankedNames(scores, shown)

    def best(self, ranking: RankedNames, limit: int) -> list[NamedRecord]:
        """The best records of a ranking, without reading all records."""
        found: list[NamedRecord] = []
        for id in ranking.scores:
            if len(found) == limit:
                break
            if named_record := self._current(id, ranking.records.get(id)):
                found.append(named_record)
        return found

    def _current(self, id: str, turn: Record | None) -> NamedRecord | None:
        """The record of a turn, unless it was replaced, or the turn holds no record."""
        try:
            name = self._to_named_record(turn or self._memory.explain(id).record).name
        except NotFound:
            return None
        named_record = self.get(name)
        return named_record if named_record is not None and named_record.id == id else None

    def _session(self, name: str) -> str:
        return f"{self._sort}:{quote(name, safe=_PLAIN)}"

    def _message(self, new_record: NewRecord, previous: NamedRecord | None) -> Message:
        since = {"since": previous.created_at.isoformat()} if previous else {}
        return Message(
            new_record.text,
            role=Role.ASSISTANT,
            session=self._session(new_record.name),
            tags=(self._sort,) if new_record.searched else (),
            metadata={"kept": new_record.data, **since},
        )

    def _drop_older(self, name: str) -> None:
        """Forget all versions of a name but the last, tolerating concurrent writers."""
        while older := self._memory.admin.recent(PAGE, session=self._session(name))[:-1]:
            try:
                self._memory.forget(*(turn.id for turn in older))
            except NotFound:
                continue

    def _to_named_record(self, turn: Record) -> NamedRecord:
        since, data = turn.metadata.get("since"), turn.metadata.get("kept")
        return NamedRecord(
            id=turn.id,
            name=unquote((turn.session_id or "").removeprefix(f"{self._sort}:")),
            text=turn.text,
            data=data if isinstance(data, dict) else {},
            created_at=datetime.fromisoformat(str(since)) if since else turn.recorded_at,
            updated_at=turn.recorded_at,
        )


def separate_user(memory: Memory, *labels: str) -> Memory:
    """The memory of a separate user, named after the memory's user and these labels.

    Different users or labels never give the same name, whatever characters they contain, and no key
    opens that memory.
    """
    return memory.user(separate_user_prefix(memory) + "/".join(map(_quoted_label, labels)))


def separate_user_prefix(memory: Memory) -> str:
    """The prefix of the names of all users that `separate_user` derives from this one."""
    return _quoted_label(memory.user_id) + APART


def _quoted_label(label: str) -> str:
    return quote(label, safe=_LABEL)


def every_turn(
    memory: Memory, *, session: str | None = None, within: str | None = None
) -> list[Record]:
    """All turns of one session, or of sessions with a name prefix, oldest first."""
    found = page = memory.admin.recent(PAGE, session=session, within=within)
    while page:
        page = memory.admin.recent(PAGE, session=session, within=within, before=page[0].number)
        found = [*page, *found]
    return found


def remember(memory: Memory, messages: Sequence[Message]) -> None:
    """Remember the messages that have text, in one call."""
    if with_text := [message for message in messages if message.text.strip()]:
        memory.remember(with_text)


async def acontext_for(memory: Memory, query: str, budget: int | None) -> str:
    """The context for a question, as text for a prompt.

    Memories are quoted in it as data, between two lines with a code.
    """
    if not query.strip():
        return ""
    return (await asyncio.to_thread(memory.context, query, budget=budget)).text


def turns(memory: Memory, session: str, limit: int | None = None) -> list[Record]:
    """The last turns of a conversation, or all of them, oldest first."""
    if limit is not None and limit <= 0:
        return []
    if limit is not None and limit <= PAGE:
        return memory.admin.recent(limit, session=session)
    all_turns = every_turn(memory, session=session)
    return all_turns[-limit:] if limit else all_turns


def requires(extra: str) -> AbstractContextManager[None]:
    """Context for the imports of an adapter: an error names the extra to install."""
    return extras.requires("this adapter", f"'sharpwave[{extra}]'")
