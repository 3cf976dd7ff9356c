"""Routes with custom handlers: remembering with an author, interactions, statistics."""

from collections.abc import Callable
from dataclasses import replace
from typing import Annotated, Any

from fastapi import APIRouter
from pydantic import BaseModel
from starlette.requests import Request
from starlette.responses import Response

from sharpwave.client.bodies import MessageBody
from sharpwave.client.calls import CALLS, Call
from sharpwave.client.forms import form
from sharpwave.interfaces.rest.routes import (
    IdempotencyKey,
    memory_of,
    operation_id,
    principal,
    rendered,
    router,
    scoped,
    strictly,
)
from sharpwave.types.answers import Receipt, Stats
from sharpwave.types.message import Message
from sharpwave.types.records import Channel
from sharpwave.types.structured import Structure

CUSTOM: dict[str, Call] = {call.method: call for call in CALLS if call.special}
_remember = form(CUSTOM["remember"]).model
_interaction = form(CUSTOM["agents.start"]).model
RememberForm: Any = Annotated[_remember, strictly(_remember)]
InteractionForm: Any = Annotated[_interaction, strictly(_interaction)]


class Started(BaseModel):
    """An interaction that was begun; say what is done in it by its id."""

    id: str


def remember(request: Request, body: RememberForm, idempotency: IdempotencyKey = None) -> Response:
    """Store what was said, and learn from it. When this answers, it survives a power cut."""
    items = body.messages if isinstance(body.messages, list) else [body.messages]
    author = principal(request).key_name
    messages = [_to_message(item, body, author) for item in items]
    receipt = memory_of(request).remember(
        messages if isinstance(body.messages, list) else messages[0],
        idempotency_key=idempotency or body.idempotency_key,
        **{name: getattr(body, name) for name in ("session", "at", "wait", *Structure._fields)},
    )
    return rendered(receipt, Receipt)


def _to_message(item: str | MessageBody, body: Any, author: str) -> Message:
    if isinstance(item, str):
        return Message(item, body.role, body.speaker, channel=Channel.REST, author=author)
    return Message(channel=Channel.REST, author=author, **item.model_dump())


def start_interaction(request: Request, body: InteractionForm) -> Response:
    """Begin an interaction with what the user asked; it becomes durable when it is complete."""
    opened = memory_of(request).agents.start(
        body.query, session=body.session, context=body.context, durable=body.durable
    )
    return rendered(Started(id=opened.id), Started)


def stats(request: Request) -> Response:
    """What is stored of this user, without the size of the file, which others share."""
    return rendered(replace(memory_of(request).admin.stats(), file_bytes=0), Stats, request)


def routes() -> APIRouter:
    """The routes of this file."""
    api = router()
    answers: list[tuple[str, Callable[..., Any], Any]] = [
        ("remember", remember, Receipt),
        ("agents.start", start_interaction, Started),
        ("admin.stats", stats, Stats),
    ]
    for method, endpoint, model in answers:
        add_custom(api, method, endpoint, response_model=model)
    return api


def add_custom(api: APIRouter, method: str, endpoint: Callable[..., Any], **more: Any) -> None:
    """Add a route with the path, scope and tag of the table."""
    call = CUSTOM[method]
    extra = scoped(call.scope, **more.pop("openapi_extra", {}))
    summary = (endpoint.__doc__ or "").splitlines()[0]
    api.add_api_route(
        call.path,
        endpoint,
        methods=[call.verb],
        operation_id=operation_id(call),
        summary=summary,
        tags=[call.tag],
        openapi_extra=extra,
        **more,
    )
