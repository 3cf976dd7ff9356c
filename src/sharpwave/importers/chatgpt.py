"""ChatGPT's data export: conversations.json (or conversations-000.json and so on), each a tree.

A conversation is a `mapping` of nodes; editing a question or asking for another answer makes a
branch. The branch last shown to the person leads from `current_node` up to the root; the rest is
ignored. What the assistant wrote into its memory (`bio`) is imported; its calls of other tools, its
hidden notes and its reasoning are not.
"""

from collections.abc import Iterator, Mapping
from datetime import datetime

from sharpwave.importers import items as read
from sharpwave.types.answers import ImportProblem
from sharpwave.types.message import Message
from sharpwave.types.records import Role

NAME = "chatgpt"

_REASONING = {"thoughts", "reasoning_recap"}
_CONTEXT = {"model_editable_context", "app_pairing_content"}
_RECIPIENTS = {"all", "assistant", "bio", ""}
"""Recipients of a message; any other is a tool being called."""


class ChatGPTReader(read.ExportReader):
    """Reads conversations."""

    name = NAME
    expected = (
        "conversations with a 'mapping' of messages, as conversations.json of ChatGPT has them"
    )

    @staticmethod
    def fits(value: object) -> bool:
        """True for a conversation of this format."""
        return isinstance(value, dict) and isinstance(value.get("mapping"), dict)

    def items(self, value: object, place: str) -> Iterator[read.Item]:
        """The messages of one conversation, oldest first."""
        conversation = read.fields(value, "a conversation")
        nodes = read.fields(conversation.get("mapping"), "its 'mapping'")
        number = read.name(read.first(conversation, "conversation_id", "id"))
        if number is None:
            raise read.Damaged("the conversation has no id")
        title, last = (
            read.title(conversation.get("title")),
            read.moment(conversation.get("create_time")),
        )
        for node_id in read.branch(nodes, conversation.get("current_node"), "parent", _time):
            message_place = f"{place}, conversation {number}, message {node_id}"
            try:
                message = read.optional_fields(
                    read.fields(nodes[node_id], "a node").get("message"), "its message"
                )
                last = read.moment(message.get("create_time")) or last
                if message:
                    yield self._item(message, (number, node_id), title, last, message_place)
            except read.Damaged as error:
                yield ImportProblem(message_place, str(error))

    def _item(
        self,
        message: Mapping[str, object],
        ids: tuple[str, str],
        title: str | None,
        at: datetime | None,
        place: str,
    ) -> read.Item:
        author = read.fields(message.get("author"), "its author")
        content = read.optional_fields(message.get("content"), "its content")
        metadata = read.optional_fields(message.get("metadata"), "its metadata")
        kind, role = content.get("content_type"), read.role(author.get("role"))
        if kind == "user_editable_context":
            return self._instructions(content, metadata, at, place)
        reason = _left_out(message, author, metadata, kind)
        if reason:
            return read.SkippedMessage(reason)
        text, media = _text(content)
        session, message_id = ids[0], read.name(message.get("id")) or ids[1]
        details = read.non_empty(
            title=title,
            original_id=message_id,
            model=read.name(metadata.get("model_slug")),
            tool=read.name(author.get("name")) if role is Role.TOOL else None,
            saved_memory=message.get("recipient") == "bio",
            media=media,
        )
        message_source = read.source(role, self._own)
        parsed = Message(text, role, None, at, session, source=message_source, metadata=details)
        return read.imported_message(NAME, (session, message_id), parsed, place)

    def _instructions(
        self,
        content: Mapping[str, object],
        metadata: Mapping[str, object],
        at: datetime | None,
        place: str,
    ) -> read.Item:
        """Custom instructions; repeated in every conversation but imported as one message."""
        raw = read.optional_fields(metadata.get("user_context_message_data"), "the instructions")
        words = [read.text(raw.get(f"about_{side}_message"), "one") for side in ("user", "model")]
        verbatim = any(words)
        if not verbatim:
            names = ("user_profile", "user_instructions")
            words = [read.text(content.get(name), name) for name in names]
        text = "\n\n".join(word for word in words if word)
        details = {"title": "custom instructions"}
        message_source = read.source(Role.USER, self._own and verbatim)
        parsed = Message(text, Role.USER, at=at, source=message_source, metadata=details)
        return read.imported_message(NAME, ("custom instructions",), parsed, place)


def _time(node: Mapping[str, object]) -> object:
    message = node.get("message")
    return message.get("create_time") if isinstance(message, dict) else None


def _left_out(
    message: Mapping[str, object],
    author: Mapping[str, object],
    metadata: Mapping[str, object],
    kind: object,
) -> str | None:
    """Why a message is not worth remembering, or None."""
    if kind in _REASONING or message.get("channel") == "analysis":
        return "reasoning"
    if kind in _CONTEXT or metadata.get("is_visually_hidden_from_conversation") is True:
        return "hidden"
    if author.get("name") == "bio":
        return "tool call"
    recipient = read.name(message.get("recipient")) or ""
    tool_call = author.get("role") == "assistant" and recipient not in _RECIPIENTS
    return "tool call" if tool_call else None


def _text(content: Mapping[str, object]) -> tuple[str, int]:
    """The text of a message, and how many pictures or recordings it also holds."""
    words: list[str] = []
    media = 0
    for part in read.elements(content.get("parts"), "its parts"):
        if isinstance(part, dict):
            part_text = read.text(part.get("text"), "a part")
            words.append(part_text)
            media += not part_text
        else:
            words.append(read.text(part, "a part"))
    if not words:
        names = ("title", "url", "text", "result")
        words = [read.text(content.get(name), name) for name in names]
    return "\n".join(word for word in words if word), media
