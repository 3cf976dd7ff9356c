"""Items that readers yield, their keys, and JSON fields read without trusting their types.

The key is made of the format, the other program's ids and the text itself. So an interrupted import
can be repeated, a newer export adds only what is new, and a message that was changed meanwhile
is a new message.
"""

import hashlib
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import islice
from typing import ClassVar, TypeVar

from sharpwave import checks
from sharpwave.errors import InvalidInput, KeyReused, SensitiveContent, SharpwaveError
from sharpwave.types.answers import ImportProblem
from sharpwave.types.experience import TaskRun
from sharpwave.types.message import Message
from sharpwave.types.records import Role, Source

_LEAST_MILLISECONDS = 1e11  # as seconds, the year 5138: larger numbers count milliseconds
_MAX_TITLE_CHARS = 500
Element = TypeVar("Element")
_NAMES = {
    Role.USER: "user human",
    Role.ASSISTANT: "assistant ai bot model",
    Role.SYSTEM: "system developer",
    Role.TOOL: "tool function",
}
_ROLES = {name: role for role, names in _NAMES.items() for name in names.split()}


class Damaged(ValueError):
    """A part of an export is malformed; the message says how."""


def fields(value: object, what: str) -> Mapping[str, object]:
    """A JSON object."""
    if not isinstance(value, dict):
        raise Damaged(f"{what} should be an object, not {_kind(value)}")
    return value


def optional_fields(value: object, what: str) -> Mapping[str, object]:
    """A JSON object; null counts as an empty one."""
    return {} if value is None else fields(value, what)


def elements(value: object, what: str) -> list[object]:
    """A JSON array; null counts as an empty one."""
    if value is None:
        return []
    if not isinstance(value, list):
        raise Damaged(f"{what} should be an array, not {_kind(value)}")
    return value


def text(value: object, what: str) -> str:
    """A text; null counts as an empty one."""
    if value is None:
        return ""
    if not isinstance(value, str):
        raise Damaged(f"{what} should be text, not {_kind(value)}")
    return value


def clean(value: str) -> str:
    """Text without NUL and unpaired surrogates, which some exports hold and no store accepts."""
    if not value.isascii():
        value = value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return value.replace("\0", "")


def first(values: Mapping[str, object], *aliases: str) -> object:
    """The first of these fields that has a value."""
    return next((values[name] for name in aliases if values.get(name) is not None), None)


def name(value: object) -> str | None:
    """An id or a name: text or a whole number; anything else is no name."""
    if isinstance(value, str):
        return clean(value).strip() or None
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else None


def title(value: object) -> str | None:
    """A title of bounded length."""
    title_text = name(value)
    return None if title_text is None else title_text[:_MAX_TITLE_CHARS]


def role(value: object) -> Role:
    """The role for a name used by other programs; Damaged if it is unknown."""
    non_empty = _ROLES.get(value.strip().lower()) if isinstance(value, str) else None
    if non_empty is None:
        raise Damaged(f"the role {str(value)[:40]!r} is not known")
    return non_empty


def moment(value: object) -> datetime | None:
    """A moment in UTC from an ISO text or a number of (milli)seconds.

    None if it is neither, or lies in a year that is not stored.
    """
    try:
        if isinstance(value, str):
            return _in_range(_from_text(value.strip()))
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return _in_range(_from_number(float(value)))
    except (ValueError, OverflowError, OSError):  # out of the range of a calendar: not a time
        return None
    return None


def not_ahead(moment: datetime | None, now: datetime) -> datetime | None:
    """The moment; None if it lies in the future, since then a clock was wrong."""
    return moment if moment is None or moment - now <= checks.AHEAD else None


def timed_run(run: TaskRun, now: datetime) -> TaskRun:
    """A task of a log, without times that lie in the future."""
    steps = tuple(replace(step, at=not_ahead(step.at, now)) for step in run.steps)
    return replace(run, at=not_ahead(run.at, now), steps=steps)


def non_empty(**values: object) -> dict[str, object]:
    """The values that are not empty."""
    return {key: value for key, value in values.items() if value not in (None, "", [], {}, 0)}


def read_objects(
    listed: object,
    what: str,
    place: str,
    read: Callable[[Mapping[str, object], str], "Iterable[Item]"],
) -> "Iterator[Item]":
    """The items of all objects in a list; a damaged object is yielded as a problem."""
    for number, value in enumerate(elements(listed, "the list"), start=1):
        where = f"{place} {number}"
        try:
            yield from read(fields(value, what), where)
        except Damaged as error:
            yield ImportProblem(where, str(error))


def branch(
    nodes: Mapping[str, object],
    current: object,
    parent: str,
    time: Callable[[Mapping[str, object]], object],
) -> list[str]:
    """Ids of the nodes from the root to the current one, each naming its parent in a field.

    Without a current one: to the newest, by `time`, of those without a reply.
    """
    objects = {node_id: node for node_id, node in nodes.items() if isinstance(node, dict)}
    parents = {above for node in objects.values() if isinstance(above := node.get(parent), str)}

    def age(node_id: str) -> float:
        at = moment(time(objects[node_id]))
        return at.timestamp() if at else 0.0

    if not (isinstance(current, str) and current in nodes):
        current = max(
            [node_id for node_id in objects if node_id not in parents], key=age, default=None
        )
    path: dict[str, None] = {}
    while isinstance(current, str) and current in nodes and current not in path:
        path[current] = None
        current = objects.get(current, {}).get(parent)
    return list(path)[::-1]


def batches(items: Iterable[Element], size: int) -> Iterator[list[Element]]:
    """The items in lists of at most this size."""
    rest = iter(items)
    while batch := list(islice(rest, size)):
        yield batch


def store_in_halves(
    batch: Sequence[Element],
    store: Callable[[Sequence[Element]], None],
    refused: Callable[[Element, SharpwaveError], None],
) -> None:
    """Store a batch; if one item is refused, find it by bisection and store the others."""
    try:
        store(batch)
    except (InvalidInput, KeyReused, SensitiveContent) as error:
        if len(batch) == 1:
            refused(batch[0], error)
            return
        middle = len(batch) // 2
        for half in (batch[:middle], batch[middle:]):
            store_in_halves(half, store, refused)


def _in_range(moment: datetime | None) -> datetime | None:
    """The moment if its year is stored, else None; zero times mean an unknown time."""
    years = range(checks.EARLIEST_YEAR, checks.LATEST_YEAR + 1)
    return moment if moment is not None and moment.year in years else None


def _from_text(value: str) -> datetime | None:
    try:
        parsed = datetime.fromisoformat(value)
    except ValueError:
        return _from_number(float(value))
    aware = parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)
    return aware.astimezone(UTC)


def _from_number(value: float) -> datetime | None:
    if not math.isfinite(value) or value <= 0:
        return None
    return datetime.fromtimestamp(value / 1000 if value >= _LEAST_MILLISECONDS else value, UTC)


def _kind(value: object) -> str:
    kinds = {
        dict: "an object",
        list: "an array",
        str: "text",
        bool: "a truth value",
        bytes: "bytes",
    }
    return "null" if value is None else kinds.get(type(value), "a number")


MAX_NAME_CHARS = 200
EMPTY = "no text"


@dataclass(frozen=True, slots=True)
class ImportedMessage:
    """One message to remember, and its place in the export."""

    message: Message
    place: str


@dataclass(frozen=True, slots=True)
class SkippedMessage:
    """One valid message that is not worth remembering, such as a tool call or hidden notes."""

    reason: str


Item = ImportedMessage | SkippedMessage | ImportProblem


class FormatReader(ABC):
    """Reads files of one format; it may keep what it needs from one value to the next."""

    name: ClassVar[str]
    expected: ClassVar[str]
    """What a file of this format holds."""

    @staticmethod
    @abstractmethod
    def fits(value: object) -> bool:
        """Whether a value is of this format."""


class ExportReader(FormatReader):
    """Reads the values of one export in order."""

    def __init__(self, own: bool) -> None:
        """`own` says that the user's words in it are the user's own."""
        self._own = own
        self._owner: str | None = None

    @abstractmethod
    def items(self, value: object, place: str) -> Iterator[Item]:
        """The messages in one value of the export: a conversation, a memory, a line."""

    def _require_owner(self, owner: str | None) -> None:
        """Refuse a message of another owner than the first, to avoid mixing users."""
        self._owner = self._owner or owner
        if owner is not None and owner != self._owner:
            raise Damaged(
                f"it belongs to {owner!r}, but the first in this file to {self._owner!r}; an "
                "import takes one user's, so export each user by itself"
            )


def imported_message(
    format_name: str, ids: tuple[object, ...], message: Message, place: str
) -> Item:
    """The message with clean text, bounded names, its format and its key; skipped if empty."""
    text = clean(message.text)
    if not text.strip():
        return SkippedMessage(EMPTY)
    key = f"{format_name}:{digest(*ids, text)}"
    stored = replace(
        message,
        text=text,
        session=_short(message.session),
        speaker=_short(message.speaker),
        idempotency_key=key,
        metadata={"format": format_name, **message.metadata},
    )
    return ImportedMessage(stored, place)


def source(role: Role, own: bool) -> Source:
    """USER_MESSAGE for the user's turns in a file that the caller trusts, else IMPORT."""
    return Source.USER_MESSAGE if own and role is Role.USER else Source.IMPORT


def digest(*parts: object) -> str:
    """Digest of some values, each with its length to keep their boundaries."""
    joined = "".join(f"{len(text)}:{text}" for text in map(str, parts))
    return hashlib.blake2b(joined.encode("utf-8", "surrogatepass"), digest_size=20).hexdigest()


def _short(name: str | None) -> str | None:
    if name is None or len(name) <= MAX_NAME_CHARS:
        return name
    return f"{name[: MAX_NAME_CHARS - 41]}:{digest(name)}"
