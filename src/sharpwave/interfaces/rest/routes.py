"""Routes built from the table of calls: parse, one call of the facade, render."""

import base64
import binascii
import hashlib
import inspect
import re
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from operator import attrgetter
from typing import Annotated, Any, get_origin

from fastapi import APIRouter, Header, Path, Query
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from pydantic import BaseModel, BeforeValidator, Field, ValidationError, WrapValidator, create_model
from starlette.requests import Request
from starlette.responses import Response

from sharpwave import strict_json
from sharpwave.client.bodies import value_of
from sharpwave.client.calls import CALLS, Call
from sharpwave.client.forms import Form, answers, form, function_of
from sharpwave.errors import NotFound
from sharpwave.interfaces.auth import PRINCIPAL, require
from sharpwave.interfaces.rest import problems
from sharpwave.interfaces.rest.idempotency import KEY_PATTERN, IdempotentHandler
from sharpwave.memory import Memory
from sharpwave.types.access import Principal, Scope

PROBLEM = {"model": problems.ProblemDetails, "content": {problems.MEDIA_TYPE: {}}}
_SCOPE = "x-scope"
PAGE_SIZE = 100
_SCALARS = (int, bool, str, float)
Cursor = Annotated[str | None, Query(max_length=1000, description="`next` of the page before.")]
PageSize = Annotated[int | None, Query(ge=1, le=1000, description="Most items of a page.")]
IdempotencyKey = Annotated[
    Annotated[str, Field(pattern=rf"^{KEY_PATTERN}$")] | None,
    Header(alias="Idempotency-Key", description="The same key again stores nothing twice."),
]


class JsonText(Request):
    """A request with the body as text, which the model parses strictly in one step."""

    async def json(self) -> Any:
        """The body as bytes."""
        return await self.body()


def strictly(model: type[BaseModel]) -> WrapValidator:
    """Validator for a body without type coercion: "1" is no number, 0 is not false."""

    def read(text: Any, handler: Any) -> Any:
        try:
            strict_json.loads(text)
            return model.model_validate_json(text)
        except strict_json.InvalidJson as error:
            problem = {"type": "json_invalid", "loc": ("body",), "msg": f"invalid JSON: {error}"}
            raise RequestValidationError([problem]) from None
        except ValidationError as error:
            problems = [{**item, "loc": ("body", *item["loc"])} for item in error.errors()]
            raise RequestValidationError(problems) from None

    return WrapValidator(read)


class ScopedRoute(APIRoute):
    """A route that checks the scope of the key before it reads the body."""

    def get_route_handler(self) -> Callable[[Request], Any]:
        """The handler, behind the check."""
        handler = super().get_route_handler()
        scope = Scope((self.openapi_extra or {})[_SCOPE])

        handle = IdempotentHandler(self, handler) if scope is not Scope.READ else handler

        async def scoped(request: Request) -> Response:
            require(principal(request), scope)
            answer: Response = await handle(JsonText(request.scope, request.receive))
            return answer

        return scoped


def principal(request: Request) -> Principal:
    """The principal of a request."""
    found: Principal = request.scope[PRINCIPAL]
    return found


def memory_of(request: Request) -> Memory:
    """The memory of the request's principal; never of a user that a body names."""
    memory: Memory = request.app.state.memory
    return memory.user(principal(request).user_id)


def scoped(scope: Scope, **more: Any) -> dict[str, Any]:
    """OpenAPI extras of a route: its scope, and that it needs a key."""
    return {_SCOPE: scope.value, "security": [{"key": []}], **more}


def router() -> APIRouter:
    """A router whose routes need a scope and document their problems."""
    return APIRouter(route_class=ScopedRoute, responses={"default": PROBLEM})


def table() -> APIRouter:
    """The routes of all calls without a custom handler."""
    routes = router()
    for call in CALLS:
        if not call.special:
            _add(routes, form(call))
    return routes


def rendered(value: Any, kind: Any, request: Request | None = None) -> Response:
    """An answer as JSON with an ETag; 304 if the caller already has it."""
    body = answers(kind).dump_json(value)
    if request is None or request.method != "GET":
        return Response(body, media_type="application/json")
    tag = f'"{hashlib.blake2b(body, digest_size=12).hexdigest()}"'
    headers = {"ETag": tag, "Cache-Control": "private, no-cache"}
    if request.headers.get("if-none-match") == tag:
        return Response(None, 304, headers)
    return Response(body, 200, headers, media_type="application/json")


def answer_model(shape: Form) -> Any:
    """The response model of a call: lists as `items`, single values as `value`."""
    name = "".join(word.capitalize() for word in re.split(r"[._]", shape.call.method))
    if shape.listed:
        next_cursor: Any = (
            str | None,
            Field(None, description="Cursor of the next page; null at the end."),
        )
        return create_model(f"{name}List", items=(shape.answer, ...), next=next_cursor)
    if shape.answer in _SCALARS:
        return create_model(f"{name}Value", value=(shape.answer, ...))
    return None if shape.answer is type(None) else shape.answer


def _add(routes: APIRouter, shape: Form) -> None:
    call, model = shape.call, answer_model(shape)
    documentation = inspect.getdoc(function_of(call.method)) or ""
    routes.add_api_route(
        call.path.replace("{name}", "{name:path}"),  # names of old keys may contain a /
        _endpoint(shape, model),
        methods=[call.verb],
        operation_id=operation_id(call),
        summary=documentation.splitlines()[0],
        description=documentation,
        tags=[call.tag],
        response_model=model,
        status_code=204 if model is None else 200,
        openapi_extra=scoped(call.scope),
    )


def operation_id(call: Call) -> str:
    """A unique operation id for each route."""
    return call.method.rstrip("_").replace(".", "_") + (
        "_all" if call.fixed.get("all_users") else ""
    )


def _endpoint(shape: Form, model: Any) -> Callable[..., Response]:
    """A handler with the signature from which FastAPI reads the parameters of a call."""
    call = shape.call

    def endpoint(request: Request, **inputs: Any) -> Response:
        arguments = _arguments(shape, inputs)
        if call.writes_if is not None and arguments[call.writes_if]:
            require(principal(request), Scope.WRITE)
        bound = inspect.BoundArguments(shape.signature, OrderedDict(arguments))
        result = attrgetter(call.method)(memory_of(request))(*bound.args, **bound.kwargs)
        if model is None:
            return Response(status_code=204)
        return rendered(_as_model(shape, model, result, inputs), model, request)

    endpoint.__signature__ = inspect.Signature(_parameters(shape))  # type: ignore[attr-defined]  # FastAPI reads it
    endpoint.__name__ = operation_id(call)
    return endpoint


def _parameters(shape: Form) -> Sequence[inspect.Parameter]:
    call, fields = shape.call, shape.model.model_fields
    parameters = [_parameter("request", Request)]
    for name, kind in shape.in_path.items():
        parameters.append(_parameter(name, Annotated[kind, Path(examples=[call.example[name]])]))
    if fields and call.in_body:
        parameters.append(_parameter("body", Annotated[shape.model, strictly(shape.model)]))
    for name, field in fields.items() if not call.in_body else ():
        example = [call.example[name]] if name in call.example else None
        default = inspect.Parameter.empty if field.is_required() else field.default
        kind = Annotated[_annotation(field), Query(examples=example)]
        parameters.append(_parameter(name, kind, default))
    if "idempotency_key" in fields:
        parameters.append(_parameter("idempotency", IdempotencyKey, None))
    if shape.paged:
        parameters += [_parameter("cursor", Cursor, None), _parameter("page_size", PageSize, None)]
    return parameters


def _parameter(name: str, kind: Any, default: Any = inspect.Parameter.empty) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=kind, default=default)


def _annotation(field: Any) -> Any:
    kind = Annotated[field.annotation, *field.metadata] if field.metadata else field.annotation
    return Annotated[kind, BeforeValidator(_no_number)] if "date" in str(kind).lower() else kind


def _no_number(value: Any) -> Any:
    """Validator for times in a query: ISO 8601 only, no seconds since the epoch."""
    if isinstance(value, str) and not re.match(r"[0-9]{4}-", value):
        raise ValueError("write a time such as 2026-05-01T12:00:00Z")
    return value


def _arguments(shape: Form, inputs: Mapping[str, Any]) -> dict[str, Any]:
    body = inputs.get("body")
    if isinstance(body, BaseModel):
        arguments = {name: value_of(getattr(body, name)) for name in type(body).model_fields}
    else:
        arguments = {name: inputs[name] for name in shape.model.model_fields}
    arguments |= {name: inputs[name] for name in shape.in_path}
    if inputs.get("idempotency") is not None:
        arguments["idempotency_key"] = inputs["idempotency"]
    return {**arguments, **shape.call.fixed}


def _as_model(shape: Form, model: Any, result: Any, inputs: Mapping[str, Any]) -> Any:
    if shape.listed:
        cursor_after = None
        if shape.paged:
            result, cursor_after = next_page(
                result, inputs["cursor"], inputs["page_size"] or PAGE_SIZE
            )
        return model.model_construct(items=get_origin(shape.answer)(result), next=cursor_after)
    return model.model_construct(value=result) if shape.answer in _SCALARS else result


def next_page(
    items: Sequence[Any], cursor: str | None, size: int
) -> tuple[Sequence[Any], str | None]:
    """The next items, and the cursor for those after them; None at the end.

    The cursor names the last item, so items added or forgotten before it shift nothing.

    >>> items, after = next_page(["a", "b", "c"], None, 2)
    >>> next_page(["x", "a", "b", "c"], after, 2)
    (['c'], None)
    """
    start = 0 if cursor is None else _start_after(items, cursor)
    end = start + size
    if end >= len(items):
        return items[start:end], None
    position_key = f"{end}:{_cursor_key(items[end - 1])}".encode()
    return items[start:end], base64.urlsafe_b64encode(position_key).decode().rstrip("=")


def _start_after(items: Sequence[Any], cursor: str) -> int:
    try:
        padded = cursor + "=" * (-len(cursor) % 4)
        position, _, last_key = (
            base64.b64decode(padded, b"-_", validate=True).decode().partition(":")
        )
        start = int(position)
    except (binascii.Error, ValueError) as error:
        raise NotFound("this cursor is none of ours; begin without one") from error
    start = max(0, min(start, len(items)))
    if start and _cursor_key(items[start - 1]) == last_key:
        return start
    return next(
        (index + 1 for index, item in enumerate(items) if _cursor_key(item) == last_key), start
    )


def _cursor_key(item: Any) -> str:
    return str(getattr(item, "id", None) or getattr(item, "name", None) or item)[:200]
