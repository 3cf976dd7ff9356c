"""The forms in which callers hand over messages, what they say, and queries.

A chat message's `content`, `name` and `timestamp` are accepted for `text`, `speaker` and `at`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from sharpwave import checks
from sharpwave.errors import InvalidInput
from sharpwave.types.message import Message, joined_parts
from sharpwave.types.query import RecallQuery
from sharpwave.types.structured import (
    MAX_ITEMS,
    FactInput,
    RuleInput,
    Structure,
    TaskInput,
)

_ALIASES = {"content": "text", "name": "speaker", "timestamp": "at"}
"""Field names of chat messages, and ours."""


def to_messages(given: object, defaults: Message) -> list[Message]:
    """The messages as a list; `defaults` fills in what a message does not say itself."""
    if isinstance(given, (str, Message, Mapping)):
        return [_message(given, defaults)]
    if isinstance(given, Sequence) and not isinstance(given, (bytes, bytearray)):
        messages = [_message(item, defaults) for item in given]
        key = defaults.idempotency_key
        return [
            replace(message, idempotency_key=f"{key}:{position}")
            if key is not None and message.idempotency_key == key
            else message
            for position, message in enumerate(messages)
        ]
    raise InvalidInput(
        "remember takes a text, a Message, a message like {'role': ..., 'content': ...}, or a list "
        f"of these, not {type(given).__name__}"
    )


def to_structure(facts: object, tasks: object, rules: object) -> Structure:
    """Facts, tasks and rules as their models, validated.

    >>> to_structure([{"txt": "The user lives in Porto"}], (), ())
    Traceback (most recent call last):
    ...
    sharpwave.errors.InvalidInput: facts[0] has no field 'txt'; its fields are quote, confidence, \
text, subject, predicate, object, mode, valid_from, valid_to, about
    """
    return Structure(
        _items(facts, "facts", FactInput),
        _items(tasks, "tasks", TaskInput),
        _items(rules, "rules", RuleInput),
    )


Item = TypeVar("Item", bound=BaseModel)


def _items(given: object, name: str, model: type[Item]) -> tuple[Item, ...]:
    if given is None:
        return ()
    if isinstance(given, str | bytes) or not isinstance(given, Sequence):
        raise InvalidInput(f"{name} must be a list, not {type(given).__name__}")
    if len(given) > MAX_ITEMS:
        raise InvalidInput(
            f"{name} has {len(given)} entries; at most {MAX_ITEMS} fit one call. Split it."
        )
    return tuple(_item(item, f"{name}[{at}]", model) for at, item in enumerate(given))


def _item(given: object, place: str, model: type[Item]) -> Item:
    if not isinstance(given, model | Mapping):
        raise InvalidInput(f"{place} must be a mapping, not {type(given).__name__}")
    try:
        return model.model_validate(dict(given) if isinstance(given, Mapping) else given)
    except ValidationError as error:
        raise checks.refused(error, place, model.model_fields) from None


def to_query(query: object, defaults: RecallQuery) -> RecallQuery:
    """The query; `defaults` fills in what a mapping or a `RecallQuery` leaves open.

    >>> to_query({"query": "Where is the key?", "tags": ["home"]}, RecallQuery("", k=3))
    RecallQuery(query='Where is the key?', k=3, kinds=(), session=None, since=None, until=None, \
goal=None, roles=(), tags=['home'], words=())
    """
    if isinstance(query, str):
        return replace(defaults, query=query)
    names = RecallQuery.__slots__
    if isinstance(query, RecallQuery):
        query = {name: getattr(query, name) for name in names}
    if not isinstance(query, Mapping):
        raise InvalidInput(f"a question is a text or a mapping, not {type(query).__name__}")
    unknown = sorted(set(map(str, query)) - set(names))
    if unknown or "query" not in query:
        wrong = f"has no field {unknown[0]!r}" if unknown else "needs 'query'"
        raise InvalidInput(f"a question {wrong}; its fields are {', '.join(names)}")
    return replace(
        defaults, **{name: value for name, value in query.items() if value or value == 0}
    )


def _message(given: object, defaults: Message) -> Message:
    if isinstance(given, str):
        return replace(defaults, text=given)
    if isinstance(given, Message):  # complete, except for session, time and key
        return replace(
            given,
            session=given.session if given.session is not None else defaults.session,
            at=given.at if given.at is not None else defaults.at,
            idempotency_key=given.idempotency_key or defaults.idempotency_key,
        )
    if isinstance(given, Mapping):
        return _from_mapping(given, defaults)
    raise InvalidInput(
        f"a message must be text, a Message or a mapping, not {type(given).__name__}"
    )


def _from_mapping(given: Mapping[str, Any], defaults: Message) -> Message:
    fields = {_ALIASES.get(str(name), str(name)): value for name, value in given.items()}
    unknown = sorted(set(fields) - set(Message.__slots__))
    if unknown:
        raise InvalidInput(f"a message has no field {unknown[0]!r}; put it into 'metadata'")
    if "text" not in fields:
        raise InvalidInput("a message needs 'content'")
    fields["text"] = _joined(fields["text"])
    return replace(defaults, **fields)


def _joined(content: object) -> object:
    """The text of a message; content in parts is joined, if all parts are text."""
    if not isinstance(content, list):
        return content
    texts = [part.get("text") if isinstance(part, Mapping) else None for part in content]
    if not all(isinstance(text, str) for text in texts):
        raise InvalidInput("only text can be remembered; leave image and audio parts out")
    return joined_parts([str(text) for text in texts])
