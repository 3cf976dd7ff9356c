"""Errors as problem details (RFC 9457), mapped once from their codes."""

import json
import logging
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel
from starlette.responses import Response

from sharpwave.errors import SharpwaveError, TooManyRequests

_LOG = logging.getLogger(__name__)
MEDIA_TYPE = "application/problem+json"

STATUS: Mapping[str, int] = {
    "usage": 400,
    "invalid_input": 422,
    "sensitive_content": 422,
    "wrong_format": 422,
    "invalid_reward": 400,
    "invalid_settings": 400,
    "not_found": 404,
    "skill_not_found": 404,
    "conflict": 409,
    "busy": 409,
    "key_reused": 409,
    "overtaken": 409,
    "erased_meanwhile": 409,
    "access": 403,
    "unauthorized": 401,
    "forbidden": 403,
    "too_many_requests": 429,
    "provider": 502,
    "provider_unavailable": 503,
    "budget_spent": 503,
    "provider_misbehaved": 502,
    "answer_unfit": 502,
    "storage": 500,
    "store_busy": 503,
    "store_full": 507,
    "store_closed": 503,
    "store_degraded": 503,
    "store_damaged": 500,
    "wrong_key": 500,
    "unsafe_store": 500,
}
_OF_STATUS = {
    400: "bad_request",
    404: "not_found",
    405: "method_not_allowed",
    411: "length_required",
    413: "too_large",
    415: "unsupported_media_type",
    421: "misdirected",
}


class ProblemDetails(BaseModel):
    """What went wrong, and what to do about it."""

    type: str = "about:blank"
    title: str
    """The kind of error, in words."""
    status: int
    detail: str = ""
    """What happened, and what to do."""
    code: str
    """Stable, for programs."""
    errors: list[dict[str, Any]] | None = None
    """For invalid input: where it is, and what is wrong there."""


def of_error(error: SharpwaveError) -> Response:
    """One of our errors. Internal details are left out."""
    status = STATUS.get(error.code, 500)
    headers = {}
    if isinstance(error, TooManyRequests):
        headers["Retry-After"] = str(max(1, round(error.retry_after_s)))
    if status == 401:
        headers["WWW-Authenticate"] = 'Bearer realm="sharpwave"'
    if status == 500:
        _LOG.error("%s: %s", error.code, error)
        return problem(status, error.code, "the memory cannot do this now; its log says why")
    if error.public != str(error):
        _LOG.warning("%s: %s", error.code, error)
    return problem(status, error.code, error.public, headers=headers)


def problem(
    status: int,
    code: str | None = None,
    detail: str = "",
    *,
    errors: Sequence[Mapping[str, Any]] = (),
    headers: Mapping[str, str] | None = None,
) -> Response:
    """A problem as a response."""
    named = code or _OF_STATUS.get(status, "error")
    body: dict[str, Any] = {
        "type": f"urn:sharpwave:problem:{named}",
        "title": named.replace("_", " "),
        "status": status,
        "detail": detail,
        "code": named,
    }
    if errors:
        body["errors"] = list(errors)
    text = json.dumps(body, ensure_ascii=True)
    return Response(text, status, headers, media_type=MEDIA_TYPE)
