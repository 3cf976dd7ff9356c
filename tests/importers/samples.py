"""Small exports of our own making, in the shapes that the other programs write."""

import json
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sharpwave import Message
from sharpwave.importers import formats
from sharpwave.importers.items import ImportedMessage, Item, SkippedMessage
from sharpwave.types.answers import ImportProblem

Json = dict[str, Any]


def read(path: Path, format: str | None = None, own: bool = False) -> list[Item]:
    return list(formats.find_export(path, format).items(own))


def said(items: list[Item]) -> list[Message]:
    return [item.message for item in items if isinstance(item, ImportedMessage)]


def texts(items: list[Item]) -> list[str]:
    return [one.text for one in said(items)]


def problems(items: list[Item]) -> list[ImportProblem]:
    return [item for item in items if isinstance(item, ImportProblem)]


def left_out(items: list[Item]) -> list[str]:
    return [item.reason for item in items if isinstance(item, SkippedMessage)]


def write(path: Path, value: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, ensure_ascii=False, indent=1), encoding="utf-8")
    return path


def write_lines(path: Path, values: list[Any]) -> Path:
    path.write_text("".join(json.dumps(value) + "\n" for value in values), encoding="utf-8")
    return path


def write_zip(path: Path, files: Mapping[str, object]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, value in files.items():
            archive.writestr(name, value if isinstance(value, bytes) else json.dumps(value))
    return path


def chatgpt_node(
    node: str, parent: str | None, role: str, *parts: object, at: float | None = None, **more: Any
) -> tuple[str, Json]:
    content = more.pop("content", {"content_type": "text", "parts": list(parts)})
    message = {
        "id": node,
        "author": {"role": role, "name": more.pop("name", None), "metadata": {}},
        "create_time": at,
        "content": content,
        "status": "finished_successfully",
        "metadata": more.pop("metadata", {}),
        "recipient": more.pop("recipient", "all"),
        **more,
    }
    return node, {"id": node, "message": message, "parent": parent, "children": []}


def chatgpt(number: str = "c-1", *nodes: tuple[str, Json], current: str | None = None) -> Json:
    root: Json = {"id": "root", "message": None, "parent": None, "children": []}
    return {
        "conversation_id": number,
        "id": number,
        "title": "Moving to Porto",
        "create_time": 1714560000.0,
        "update_time": 1714560900.0,
        "mapping": {"root": root, **dict(nodes)},
        "current_node": current if current is not None else nodes[-1][0],
        "is_archived": False,
    }


def small_chatgpt(number: str = "c-1", messages: int = 2) -> Json:
    nodes, parent = [], "root"
    for position in range(messages):
        role = "assistant" if position % 2 else "user"
        text = f"{role} says number {position} of {number}"
        node = f"{number}-m{position}"
        nodes.append(chatgpt_node(node, parent, role, text, at=1714560000.0 + position))
        parent = node
    return chatgpt(number, *nodes)


def claude_message(number: int, sender: str, text: str, **more: Any) -> Json:
    return {
        "uuid": f"m-{number}",
        "sender": sender,
        "text": text,
        "content": [{"type": "text", "text": text, "citations": []}] if text else [],
        "created_at": f"2026-03-01T10:{number:02}:00.123456Z",
        "updated_at": f"2026-03-01T10:{number:02}:00.123456Z",
        "attachments": [],
        "files": [],
        **more,
    }


def claude(*messages: Json, uuid: str = "conv-1", **more: Any) -> Json:
    return {
        "uuid": uuid,
        "name": "Bees on the roof",
        "created_at": "2026-03-01T10:00:00Z",
        "updated_at": "2026-03-01T11:00:00Z",
        "account": {"uuid": "account-1"},
        "chat_messages": list(messages),
        **more,
    }
