"""The forms in which callers say and ask things, made one: texts, mappings, `Said` and `Asked`."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from sharpwave.errors import InvalidInput
from sharpwave.types.asking import Asked
from sharpwave.types.said import Said

_FIELDS = {"content": "text", "name": "speaker", "timestamp": "at"}
"""Names that chat messages use, and ours for them."""


def to_said(said: object, defaults: Said) -> list[Said]:
    """What was said as a list; `defaults` fills in what a message leaves open."""
    if isinstance(said, (str, Said, Mapping)):
        return [_one(said, defaults)]
    if isinstance(said, Sequence) and not isinstance(said, (bytes, bytearray)):
        heard = [_one(message, defaults) for message in said]
        key = defaults.idempotency_key
        return [
            replace(one, idempotency_key=f"{key}:{position}")
            if key is not None and one.idempotency_key == key
            else one
            for position, one in enumerate(heard)
        ]
    raise InvalidInput(
        "remember takes a text, a Said, a message like {'role': ..., 'content': ...}, or a list "
        f"of these, not {type(said).__name__}"
    )


def to_asked(query: object, defaults: Asked) -> Asked:
    """What was asked; `defaults` fills in what a mapping or an `Asked` leaves open.

    >>> to_asked({"query": "Where is the key?", "tags": ["home"]}, Asked("", k=3))
    Asked(query='Where is the key?', k=3, kinds=(), session=None, since=None, until=None, \
goal=None, roles=(), tags=['home'], words=())
    """
    if isinstance(query, str):
        return replace(defaults, query=query)
    if isinstance(query, Asked):
        query = {name: getattr(query, name) for name in Asked.__slots__}
    if not isinstance(query, Mapping):
        raise InvalidInput(f"a question is a text or a mapping, not {type(query).__name__}")
    unknown = sorted(set(map(str, query)) - set(Asked.__slots__))
    if unknown or "query" not in query:
        wrong = f"has no field {unknown[0]!r}" if unknown else "needs 'query'"
        raise InvalidInput(f"a question {wrong}; its fields are {', '.join(Asked.__slots__)}")
    return replace(
        defaults, **{name: value for name, value in query.items() if value or value == 0}
    )


def _one(message: object, defaults: Said) -> Said:
    if isinstance(message, str):
        return replace(defaults, text=message)
    if isinstance(message, Said):
        return _filled(message, defaults)
    if isinstance(message, Mapping):
        return _from_mapping(message, defaults)
    raise InvalidInput(f"a message must be text, a Said or a mapping, not {type(message).__name__}")


def _filled(said: Said, defaults: Said) -> Said:
    """A Said is complete, but for where and under which key."""
    return replace(
        said,
        session=said.session if said.session is not None else defaults.session,
        at=said.at if said.at is not None else defaults.at,
        idempotency_key=said.idempotency_key or defaults.idempotency_key,
    )


def _from_mapping(message: Mapping[str, Any], defaults: Said) -> Said:
    fields = {_FIELDS.get(str(name), str(name)): value for name, value in message.items()}
    unknown = sorted(set(fields) - set(Said.__slots__))
    if unknown:
        raise InvalidInput(f"a message has no field {unknown[0]!r}; put it into 'metadata'")
    if "text" not in fields:
        raise InvalidInput("a message needs 'content'")
    fields["text"] = _plain(fields["text"])
    return replace(defaults, **fields)


def _plain(content: object) -> object:
    """The text of a message; content in parts is joined, if all parts are text."""
    if not isinstance(content, list):
        return content
    texts = [part.get("text") if isinstance(part, Mapping) else None for part in content]
    if not all(isinstance(text, str) for text in texts):
        raise InvalidInput("only text can be remembered; leave image and audio parts out")
    return "\n".join(str(text) for text in texts)
