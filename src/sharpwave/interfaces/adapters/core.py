"""Named records in a user's memory, and what the adapters share.

A named record is a file or an item of a store.

It is one remembered turn in a session of its own, named after it, so that recall finds it like
anything else that was said. Keeping something again under the same name is a new turn; the old one
is forgotten, with all that was learned from it alone. It is what an agent writes down, of the user
or of anything else, so it counts as inferred. The privacy policy holds here too: what it takes out
is not given back.
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
"""As many records as the facade gives at once."""
_NEAR_DUPLICATES = frozenset({WhyNot.RESTATEMENT, WhyNot.TOO_ALIKE})
_LABEL = " @:+="
_PLAIN = "/" + _LABEL


@dataclass(frozen=True, slots=True)
class NewRecord:
    """Something to keep: its name, the words by which recall finds it, and any data."""

    name: str
    text: str
    data: Mapping[str, object] = field(default_factory=dict)
    searched: bool = True
    """Whether `NamedRecords.ranked` may find it."""


@dataclass(frozen=True, slots=True)
class NamedRecord:
    """Something that is kept."""

    id: str
    name: str
    text: str
    data: Mapping[str, object]
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class RankedNames:
    """How well things answer a query, the best first."""

    scores: Mapping[str, float]
    """By id: how sure recall is of its answer, divided by the place in it. Unlike the scores of
    recall, it can be compared across users."""
    records: Mapping[str, Record]
    """Those that recall showed; what it left out as alike has only its id."""


class NamedRecords:
    """What one user's memory keeps of one sort, such as "file"."""

    def __init__(self, memory: Memory, sort: str) -> None:
        self._memory = memory
        self._sort = sort

    def put(self, new_records: Sequence[NewRecord]) -> None:
        """Keep all of them or, if that fails, none; what had their names is gone."""
        if not new_records:
            return
        previous = {new_record.name: self.get(new_record.name) for new_record in new_records}
        self._memory.remember(
            [self._message(new_record, previous[new_record.name]) for new_record in new_records]
        )
        for new_record in new_records:
            self._drop_older(new_record.name)

    def get(self, name: str) -> NamedRecord | None:
        """What is kept under a name."""
        turns = self._memory.admin.recent(1, session=self._session(name))
        return self._to_named_record(turns[0]) if turns else None

    def everything(self, prefix: str = "") -> list[NamedRecord]:
        """All that is kept under names that begin so, in the order in which it was written."""
        found: dict[str, NamedRecord] = {}
        for turn in every_turn(self._memory, within=self._session(prefix)):
            named_record = self._to_named_record(turn)
            found.pop(named_record.name, None)
            found[named_record.name] = named_record
        return list(found.values())

    def holds(self, prefix: str) -> bool:
        """Whether anything is kept under a name that begins so."""
        return bool(self._memory.admin.recent(1, within=self._session(prefix)))

    def drop(self, names: Iterable[str]) -> None:
        """Forget what is kept under these names; a name nothing is kept under is no error."""
        for name in names:
            self._memory.forget(session=self._session(name))

    def ranked(self, query: str) -> RankedNames:
        """How well things answer a query; what recall leaves out as alike comes last."""
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
        """The best of a ranking, without looking at all that is kept."""
        found: list[NamedRecord] = []
        for id in ranking.scores:
            if len(found) == limit:
                break
            if named_record := self._current(id, ranking.records.get(id)):
                found.append(named_record)
        return found

    def _current(self, id: str, turn: Record | None) -> NamedRecord | None:
        """What a turn keeps, unless something newer took its place, or it is no turn of ours."""
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
        """Forget all versions of a name but the last; a concurrent writer may be faster."""
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
    """The memory of a user of its own, named after the memory's user and these labels.

    Other users or labels are another user, whatever characters stand in them; and no key opens it.
    """
    return memory.user(separate_user_prefix(memory) + "/".join(map(_quoted_label, labels)))


def separate_user_prefix(memory: Memory) -> str:
    """How the names of all users begin that `separate_user` makes of this one."""
    return _quoted_label(memory.user_id) + APART


def _quoted_label(label: str) -> str:
    return quote(label, safe=_LABEL)


def every_turn(
    memory: Memory, *, session: str | None = None, within: str | None = None
) -> list[Record]:
    """All turns of one session, or of those whose names begin so, oldest first."""
    found = page = memory.admin.recent(PAGE, session=session, within=within)
    while page:
        page = memory.admin.recent(PAGE, session=session, within=within, before=page[0].number)
        found = [*page, *found]
    return found


def remember(memory: Memory, messages: Sequence[Message]) -> None:
    """Remember what has words, all at once."""
    if with_text := [message for message in messages if message.text.strip()]:
        memory.remember(with_text)


async def acontext_for(memory: Memory, query: str, budget: int | None) -> str:
    """What is known of the user and bears on a question, as text for a prompt.

    What was remembered is quoted in it as data, between two lines with a code.
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
    """Around the imports of an adapter: what is missing is named, with the extra that brings it."""
    return extras.requires("this adapter", f"'sharpwave[{extra}]'")
