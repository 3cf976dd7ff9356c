"""Claude's data export: conversations.json with `chat_messages`, and memories.json beside it.

A message holds blocks: text is imported, thinking and tool calls are left out. Tool results and the
text of attachments become separate messages that are never trusted. Newer exports name each
message's parent; then only the branch that ends in the newest message counts.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime

from sharpwave.importers import items as read
from sharpwave.types.answers import ImportProblem
from sharpwave.types.message import Message
from sharpwave.types.records import Role, Source

NAME = "claude"

_REASONS = {
    "thinking": "reasoning",
    "redacted_thinking": "reasoning",
    "tool_use": "tool call",
    "server_tool_use": "tool call",
    "image": "no text",
    "token_budget": "hidden",
    "flag": "hidden",
}
_MEMORY_FIELDS = ("conversations_memory", "project_memories")


@dataclass(frozen=True, slots=True)
class _ClaudeMessage:
    id: str
    role: Role
    session: str
    title: str | None
    at: datetime | None
    place: str


class ClaudeReader(read.ExportReader):
    """Reads conversations and memories."""

    name = NAME
    expected = "conversations with 'chat_messages', as conversations.json of Claude has them"

    @staticmethod
    def fits(value: object) -> bool:
        """True for a conversation or a memory of this format."""
        return isinstance(value, dict) and (
            isinstance(value.get("chat_messages"), list)
            or any(name in value for name in _MEMORY_FIELDS)
        )

    def items(self, value: object, place: str) -> Iterator[read.Item]:
        """The messages of one conversation, oldest first; or Claude's own memories."""
        conversation = read.fields(value, "a conversation")
        if "chat_messages" not in conversation and any(
            name in conversation for name in _MEMORY_FIELDS
        ):
            self._require_owner(read.name(conversation.get("account_uuid")))
            yield from _memories(conversation, place)
            return
        account = read.optional_fields(conversation.get("account"), "its account")
        self._require_owner(read.name(account.get("uuid")))
        session = read.name(conversation.get("uuid"))
        if session is None:
            raise read.Damaged("the conversation has no uuid")
        title = read.title(read.first(conversation, "name", "title"))
        last = read.moment(conversation.get("created_at"))
        messages = read.elements(conversation.get("chat_messages"), "its chat_messages")
        branch = _branch(messages, conversation.get("current_leaf_message_uuid"))
        for number, message in enumerate(branch, start=1):
            message_place = f"{place}, conversation {session}, message {number}"
            try:
                message_fields = read.fields(message, "a message")
                last = read.moment(message_fields.get("created_at")) or last
                role = read.role(read.first(message_fields, "sender", "role"))
                message_id = read.name(message_fields.get("uuid")) or f"number {number}"
                about = _ClaudeMessage(message_id, role, session, title, last, message_place)
                yield from self._message(message_fields, about)
            except read.Damaged as error:
                yield ImportProblem(message_place, str(error))

    def _message(self, message: Mapping[str, object], about: _ClaudeMessage) -> Iterator[read.Item]:
        blocks = read.elements(message.get("content"), "its content")
        words: list[str] = []
        other_items: list[read.Item] = []
        for number, block in enumerate(blocks):
            block_fields = read.fields(block, "a block")
            if block_fields.get("type") == "text":
                words.append(read.text(block_fields.get("text"), "a block's text"))
            else:
                other_items.append(_non_text_item(block_fields, number, about))
        text = "\n\n".join(word for word in words if word)
        if not blocks:
            text = read.text(message.get("text"), "its text")
        attached = read.elements(message.get("attachments"), "its attachments")
        if text or not (other_items or attached):
            yield _item_of(text, about, read.source(about.role, self._own), about.role, {})
        yield from other_items
        for number, attachment in enumerate(attached):
            yield _attachment(read.fields(attachment, "an attachment"), number, about)


def _item_of(
    text: str, about: _ClaudeMessage, from_: Source, role: Role, more: Mapping[str, object]
) -> read.Item:
    details = read.non_empty(title=about.title, original_id=about.id, **more)
    parsed = Message(text, role, None, about.at, about.session, source=from_, metadata=details)
    return read.imported_message(
        NAME, (about.session, about.id, *more.values()), parsed, about.place
    )


def _non_text_item(block: Mapping[str, object], number: int, about: _ClaudeMessage) -> read.Item:
    """A block that is not text; a tool result becomes a message of its own."""
    kind = read.name(block.get("type")) or "unknown"
    if not kind.endswith("tool_result"):
        return read.SkippedMessage(_REASONS.get(kind, f"block of type {kind[:40]}"))
    more = {"tool": read.name(block.get("name")) or "tool", "block": number}
    return _item_of(_result(block.get("content")), about, Source.IMPORT, Role.TOOL, more)


def _result(content: object) -> str:
    if isinstance(content, str) or content is None:
        return content or ""
    parts = [part for part in read.elements(content, "a result") if isinstance(part, dict)]
    words = [read.first(part, "text", "title") for part in parts]
    return "\n".join(word for word in words if isinstance(word, str))


def _attachment(attachment: Mapping[str, object], number: int, about: _ClaudeMessage) -> read.Item:
    """The text of an attached file; the user provided it, but may not have written it."""
    name = read.title(attachment.get("file_name")) or "pasted text"
    text = read.text(attachment.get("extracted_content"), "an attachment's text")
    more = {"attachment": name, "block": f"attachment {number}"}
    return _item_of(text, about, Source.IMPORT, Role.TOOL, more)


def _branch(messages: list[object], current: object) -> list[object]:
    """The messages of the branch last shown; all of them if no parents are named."""
    non_empty = {
        message_id: message
        for message in messages
        if isinstance(message, dict) and isinstance(message_id := message.get("uuid"), str)
    }
    parents = (message.get("parent_message_uuid") for message in non_empty.values())
    if not any(isinstance(parent, str) and parent in non_empty for parent in parents):
        return messages
    message_ids = read.branch(
        non_empty, current, "parent_message_uuid", lambda node: node.get("created_at")
    )
    return [non_empty[message_id] for message_id in message_ids]


def _memories(export: Mapping[str, object], place: str) -> Iterator[read.Item]:
    """Claude's memories about the user: written by the model, so never the user's own words."""
    projects = read.optional_fields(export.get("project_memories"), "project_memories")
    notes = {"conversations": export.get("conversations_memory"), **projects}
    for about, note in notes.items():
        try:
            details = {"title": "memory", "about": about[:100]}
            text = read.text(note, "a memory")
            message = Message(text, Role.ASSISTANT, source=Source.IMPORT, metadata=details)
            yield read.imported_message(NAME, ("memory", about), message, place)
        except read.Damaged as error:
            yield ImportProblem(f"{place}, memory {about[:100]}", str(error))
