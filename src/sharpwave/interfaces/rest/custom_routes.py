"""Routes that need more than their parameters: who said it, live interactions, streams, keys."""

from collections.abc import Callable
from dataclasses import replace
from typing import Annotated, Any

from fastapi import APIRouter, Path
from pydantic import BaseModel, ConfigDict, Field
from starlette.requests import Request
from starlette.responses import Response

from sharpwave.client.bodies import MessageBody, Name
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
from sharpwave.types.access import ApiKey, NewKey, Scope
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


class KeyForm(BaseModel):
    """A key to make."""

    model_config = ConfigDict(
        extra="forbid",
        strict=True,
        json_schema_extra={"examples": [{"name": "laptop", "user": "ana", "scopes": ["read"]}]},
    )
    name: Annotated[str, Field(min_length=1, max_length=64, pattern=r"^[^\x00]*[^\x00\s][^\x00]*$")]
    user: Name
    scopes: Annotated[list[Scope], Field(min_length=1)] = [Scope.READ, Scope.WRITE]


class KeyList(BaseModel):
    """Keys, without their secrets."""

    items: list[ApiKey]


def remember(request: Request, body: RememberForm, idempotency: IdempotencyKey = None) -> Response:
    """Store what was said, and learn from it. When this answers, it survives a power cut."""
    given = body.messages if isinstance(body.messages, list) else [body.messages]
    author = principal(request).key_name
    said = [_said(one, body, author) for one in given]
    with request.app.state.span("remember"):
        receipt = memory_of(request).remember(
            said if isinstance(body.messages, list) else said[0],
            idempotency_key=idempotency or body.idempotency_key,
            **{name: getattr(body, name) for name in ("session", "at", "wait", *Structure._fields)},
        )
    return rendered(receipt, Receipt)


def _said(one: str | MessageBody, body: Any, author: str) -> Message:
    if isinstance(one, str):
        return Message(one, body.role, body.speaker, channel=Channel.REST, author=author)
    return Message(channel=Channel.REST, author=author, **one.model_dump())


def start_interaction(request: Request, body: InteractionForm) -> Response:
    """Begin an interaction with what the user asked; it becomes durable when it is complete."""
    opened = memory_of(request).agents.start(
        body.query, session=body.session, context=body.context, durable=body.durable
    )
    return rendered(Started(id=opened.id), Started)


def stats(request: Request) -> Response:
    """What is stored of this user, without the size of the file, which others share."""
    return rendered(replace(memory_of(request).admin.stats(), file_bytes=0), Stats, request)


def keys(request: Request) -> Response:
    """Every key, without its secret."""
    return rendered(KeyList.model_construct(items=memory_of(request).admin.keys.all()), KeyList)


def create_key(request: Request, body: Annotated[KeyForm, strictly(KeyForm)]) -> Response:
    """Make a key. Its secret is in this answer, and nowhere else."""
    made = memory_of(request).admin.keys.create(body.name, body.user, body.scopes)
    return rendered(made, NewKey)


def revoke_key(request: Request, name: Annotated[Name, Path(examples=["laptop"])]) -> Response:
    """From now on the key opens nothing."""
    memory_of(request).admin.keys.revoke(name)
    return Response(status_code=204)


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
    admin: dict[str, Any] = {"tags": ["admin"], "openapi_extra": scoped(Scope.ADMIN)}
    path = "/v1/admin/keys"
    api.add_api_route(path, keys, methods=["GET"], response_model=KeyList, **admin)
    api.add_api_route(path, create_key, methods=["POST"], response_model=NewKey, **admin)
    one = f"{path}/{{name}}"
    api.add_api_route(one, revoke_key, methods=["DELETE"], status_code=204, **admin)
    return api


def add_custom(found: APIRouter, method: str, endpoint: Callable[..., Any], **more: Any) -> None:
    """A route with the path, scope and tag that the table says."""
    call = CUSTOM[method]
    extra = scoped(call.scope, **more.pop("openapi_extra", {}))
    about = (endpoint.__doc__ or "").splitlines()[0]
    found.add_api_route(
        call.path,
        endpoint,
        methods=[call.verb],
        operation_id=operation_id(call),
        summary=about,
        tags=[call.tag],
        openapi_extra=extra,
        **more,
    )
