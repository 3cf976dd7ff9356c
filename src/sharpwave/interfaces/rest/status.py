"""Health, readiness, metrics and the API document."""

import html
import inspect
from typing import Any

from fastapi import APIRouter
from pydantic import BaseModel
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from sharpwave.errors import SharpwaveError, StoreFull
from sharpwave.interfaces.auth import PRINCIPAL, require
from sharpwave.interfaces.rest.problems import problem
from sharpwave.interfaces.rest.routes import PROBLEM
from sharpwave.types.access import Scope


class Health(BaseModel):
    """Whether the server is up."""

    status: str = "ok"


async def health() -> Health:
    """Whether the server is up."""
    return Health()


def ready(request: Request) -> Any:
    """Whether the memory answers, too, and its disk has space for what is new."""
    try:
        request.app.state.memory.admin.check_ready()
    except StoreFull:
        message = "the disk is full: nothing new is stored; reading and forgetting may still work"
        return problem(503, StoreFull.code, message)
    except SharpwaveError:
        return problem(503, "not_ready", "the memory does not answer")
    return Health()


def metrics(request: Request) -> Response:
    """Counts for Prometheus; needs the scope admin."""
    require(request.scope[PRINCIPAL], Scope.ADMIN)
    server_metrics = request.app.state.metrics
    return Response(server_metrics.render(), media_type=server_metrics.media_type)


def docs(request: Request) -> Response:
    """The document as a page that needs nothing from elsewhere."""
    document = request.app.openapi()
    rows = [
        _row(verb, path, operation)
        for path, item in document["paths"].items()
        for verb, operation in item.items()
    ]
    page = inspect.cleandoc(
        f"""<!doctype html><html lang="en"><meta charset="utf-8"><title>Sharpwave</title>
        <h1>Sharpwave {html.escape(document["info"]["version"])}</h1>
        <p>{html.escape(document["info"]["description"])}</p>
        <p>For programs: <a href="/openapi.json">openapi.json</a></p><table>"""
    )
    return HTMLResponse(page + "".join(rows) + "</table></html>")


def _row(verb: str, path: str, operation: dict[str, Any]) -> str:
    cells = (verb.upper(), path, operation.get("x-scope", ""), operation.get("summary", ""))
    return "<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in cells) + "</tr>"


def routes() -> APIRouter:
    """The routes of this file."""
    api = APIRouter(tags=["watching"], responses={"default": PROBLEM})
    api.add_api_route("/health", health, methods=["GET"], response_model=Health)
    api.add_api_route("/ready", ready, methods=["GET"], response_model=Health)
    plain = {"content": {"text/plain": {"schema": {"type": "string"}}}}
    api.add_api_route(
        "/metrics",
        metrics,
        methods=["GET"],
        response_class=Response,
        responses={200: plain},
        openapi_extra={"security": [{"key": []}]},
    )
    api.add_api_route("/docs", docs, methods=["GET"], include_in_schema=False)
    return api
