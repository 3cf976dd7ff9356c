"""Plain messages, one JSON object a line (or an array of them).

    {"role": "user", "content": "…", "timestamp": "2026-05-01T12:00:00Z", "session": "…"}

Only the content is required; other programs' names for these fields are accepted too. A message
without a role is not the user's own word. Without an id it is identified by its text and time;
if it has no time either, the second of two equal messages is a separate message.
"""

from collections import Counter
from collections.abc import Iterator, Mapping

from sharpwave.importers import items as read
from sharpwave.types.message import Message, joined_parts
from sharpwave.types.records import Role, Source

NAME = "jsonl"

_CONTENT = ("content", "text", "message")
_ROLE = ("role", "sender")
_SPEAKER = ("speaker", "name", "author")
_TIME = ("timestamp", "at", "created_at", "time", "date", "create_time", "ts")
_SESSION = ("session", "session_id", "conversation_id", "thread_id", "chat_id", "conversation")
_ID = ("id", "message_id", "uuid")


class JsonlReader(read.ExportReader):
    """Reads messages."""

    name = NAME
    expected = "a message a line, such as {'role': 'user', 'content': '…', 'timestamp': '…'}"

    @staticmethod
    def fits(value: object) -> bool:
        """True for a message."""
        if not isinstance(value, dict):
            return False
        has_content = any(isinstance(value.get(name), (str, list)) for name in _CONTENT)
        return has_content and any(name in value for name in (*_ROLE, *_SPEAKER, *_TIME, *_SESSION))

    def __init__(self, own: bool) -> None:
        super().__init__(own)
        self._timeless: Counter[str] = Counter()

    def items(self, value: object, place: str) -> Iterator[read.Item]:
        """The message."""
        fields = read.fields(value, "a message")
        if not any(name in fields for name in _CONTENT):
            raise read.Damaged("a message needs 'content'")
        self._require_owner(read.name(fields.get("user_id")))
        text = _text(read.first(fields, *_CONTENT))
        role_name = read.first(fields, *_ROLE)
        role = Role.USER if role_name is None else read.role(role_name)
        at = read.moment(read.first(fields, *_TIME))
        session, message_id = _name(fields, _SESSION), _name(fields, _ID)
        details = read.non_empty(
            title=read.title(fields.get("title")),
            original_id=message_id,
            metadata=fields.get("metadata"),
        )
        message = Message(
            text=text,
            role=role,
            speaker=read.title(_name(fields, _SPEAKER)),
            at=at,
            session=session,
            source=Source.IMPORT if role_name is None else read.source(role, self._own),
            metadata=details,
        )
        distinction = message_id or at or self._count(session, role, text)
        yield read.imported_message(NAME, (session or "", role, distinction), message, place)

    def _count(self, *content: object) -> int:
        """Number of equal messages without id and time so far, including this one."""
        key = read.digest(*content)
        self._timeless[key] += 1
        return self._timeless[key]


def _name(fields: Mapping[str, object], names: tuple[str, ...]) -> str | None:
    return next((value for name in names if (value := read.name(fields.get(name)))), None)


def _text(content: object) -> str:
    """The text of a message; of content in parts, the text parts."""
    if not isinstance(content, list):
        return read.text(content, "the content")
    words = [part.get("text") if isinstance(part, dict) else part for part in content]
    return joined_parts([word for word in words if isinstance(word, str)])
