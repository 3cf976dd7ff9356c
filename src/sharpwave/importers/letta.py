"""Letta: an agent file (.af) with messages and memory blocks, or archival passages as JSON.

There are two shapes of agent file: one with a list of agents and of blocks, and the older one that
is a single agent with its `core_memory`. Ids such as `message-0` count within one file only, so a
message is identified by its agent's name, its time and its text. Older agents answered through a
tool called `send_message` and wrote their thoughts as text; newer ones answer in text.
"""

import json
from collections.abc import Iterator, Mapping
from datetime import datetime
from functools import partial

from sharpwave import strict_json
from sharpwave.importers import items as read
from sharpwave.types.answers import ImportProblem
from sharpwave.types.message import Message
from sharpwave.types.records import Role, Source

NAME = "letta"

_PASSAGE_FIELDS = {"archive_id", "embedding", "embedding_config", "source_id", "file_id"}
_PASSAGE_LISTS = ("passages", "archival_memory", "archival_passages")
_ANSWER_TOOL = "send_message"
_DONE = {"", "None", "null", "Sent message successfully."}
"""Tool results without content."""


def _is_passage(value: Mapping[str, object]) -> bool:
    return isinstance(value.get("text"), str) and bool(_PASSAGE_FIELDS & value.keys())


class LettaReader(read.ExportReader):
    """Reads agent files and passages."""

    name = NAME
    expected = (
        "an agent file (.af) with 'agents' and 'blocks' or 'core_memory', or archival passages"
    )

    @staticmethod
    def fits(value: object) -> bool:
        """True for an agent file or a passage."""
        if not isinstance(value, dict):
            return False
        if isinstance(value.get("agents"), list) and "blocks" in value:
            return True
        old = isinstance(value.get("core_memory"), list) and "messages" in value
        return old or _is_passage(value)

    def items(self, value: object, place: str) -> Iterator[read.Item]:
        """Blocks and messages of each agent, oldest first; then passages."""
        fields = read.fields(value, "an agent file")
        at = read.moment(fields.get("created_at"))
        if _is_passage(fields):
            yield from _passage(fields, place)
            return
        agents = [fields] if "agents" not in fields else read.elements(fields["agents"], "agents")
        yield from _blocks(fields.get("blocks"), at, place)
        yield from read.read_objects(
            agents, "an agent", f"{place}, agent", partial(self._agent, at)
        )
        for name in _PASSAGE_LISTS:
            yield from read.read_objects(fields.get(name), "it", f"{place}, passage", _passage)

    def _agent(
        self, at: datetime | None, agent: Mapping[str, object], place: str
    ) -> Iterator[read.Item]:
        name = read.title(read.first(agent, "name", "id")) or "agent"
        yield from _blocks(agent.get("core_memory"), at, place)
        yield from _blocks(agent.get("memory_blocks"), at, place)
        old = not str(agent.get("agent_type") or "memgpt").startswith("letta_v1")
        last = None
        messages = read.elements(agent.get("messages"), "its messages")
        for number, message in enumerate(messages, start=1):
            message_place = f"{place}, message {number}"
            try:
                fields = read.fields(message, "a message")
                last = read.moment(fields.get("created_at")) or last
                yield self._message(fields, name, old, last, message_place)
            except read.Damaged as error:
                yield ImportProblem(message_place, str(error))

    def _message(
        self, message: Mapping[str, object], agent: str, old: bool, at: datetime | None, place: str
    ) -> read.Item:
        given_role = message.get("role")
        if given_role in ("system", "approval", "summary"):
            return read.SkippedMessage("system prompt" if given_role == "system" else "hidden")
        role = read.role(given_role)
        text: str | None = _content(message.get("content"))
        if role is Role.ASSISTANT:
            text = _answer(message, text or "", old)
        else:
            text = _envelope_text(text or _tool_result(message))
        if text is None:
            return read.SkippedMessage("hidden" if role is Role.USER else "tool call")
        details = read.non_empty(
            title=agent,
            original_id=read.name(message.get("id")),
            tool=read.name(message.get("name")) if role is Role.TOOL else None,
        )
        message_source = read.source(role, self._own)
        parsed = Message(
            text, role, None, at, f"{NAME}:{agent}", source=message_source, metadata=details
        )
        return read.imported_message(NAME, (agent, role, at), parsed, place)


def _blocks(listed: object, at: datetime | None, place: str) -> Iterator[read.Item]:
    return read.read_objects(listed, "it", f"{place}, block", partial(_block, at))


def _block(at: datetime | None, block: Mapping[str, object], place: str) -> Iterator[read.Item]:
    """A memory block: text kept in the agent's context, written by it or its developer."""
    label = read.title(block.get("label")) or "block"
    details = {"title": label}
    when = read.moment(read.first(block, "updated_at", "created_at")) or at
    text = read.text(block.get("value"), "the block")
    message = Message(text, Role.ASSISTANT, at=when, source=Source.IMPORT, metadata=details)
    yield read.imported_message(NAME, ("block", label), message, place)


def _passage(passage: Mapping[str, object], place: str) -> Iterator[read.Item]:
    """A passage of the agent's archival memory."""
    passage_id = read.name(passage.get("id"))
    details = read.non_empty(
        title="archival memory",
        original_id=passage_id,
        metadata=passage.get("metadata"),
    )
    text = read.text(read.first(passage, "text", "content"), "the passage")
    at = read.moment(passage.get("created_at"))
    message = Message(text, Role.ASSISTANT, at=at, source=Source.IMPORT, metadata=details)
    yield read.imported_message(NAME, ("passage", passage_id or ""), message, place)


def _content(content: object) -> str:
    if isinstance(content, str):
        return content
    parts = [read.fields(part, "a part") for part in read.elements(content, "its content")]
    words = [read.text(part.get("text"), "a part") for part in parts if part.get("type") == "text"]
    return "\n".join(word for word in words if word)


def _answer(message: Mapping[str, object], text: str, old: bool) -> str | None:
    """The agent's answer to the user; None if it only thought or called a tool."""
    calls = read.elements(message.get("tool_calls"), "its tool_calls")
    answers = [answer for call in calls if (answer := _sent_text(call))]
    if answers:
        return "\n".join(answers)
    return None if calls and (old or not text) else text


def _sent_text(call: object) -> str | None:
    function = read.fields(read.fields(call, "a tool call").get("function"), "its function")
    if function.get("name") != _ANSWER_TOOL:
        return None
    arguments = _object(read.text(function.get("arguments"), "its arguments"))
    return None if arguments is None else read.text(arguments.get("message"), "its message")


def _tool_result(message: Mapping[str, object]) -> str:
    """The tool results of a message without text."""
    returns = read.elements(message.get("tool_returns"), "its tool_returns")
    responses = [
        read.fields(tool_return, "a return").get("func_response") for tool_return in returns
    ]
    return "\n".join(tool_return for tool_return in responses if isinstance(tool_return, str))


def _envelope_text(text: str) -> str | None:
    """The text in the envelope that Letta puts around a message; None for its own events."""
    envelope = _object(text)
    if envelope is None or "time" not in envelope or not {"type", "status"} & envelope.keys():
        return text
    if envelope.get("type", "user_message") != "user_message":
        return None
    content = envelope.get("message")
    words = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
    return None if "status" in envelope and words.strip() in _DONE else words


def _object(text: str) -> Mapping[str, object] | None:
    if not text.lstrip().startswith("{"):
        return None
    try:
        parsed = strict_json.loads(text)
    except ValueError:
        return None
    return parsed if isinstance(parsed, dict) else None
