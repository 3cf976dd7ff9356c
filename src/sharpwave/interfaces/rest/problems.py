"""Errors as problem details (RFC 9457), mapped once from their codes."""

import json
import logging
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel
from starlette.responses import Response

from sharpwave import errors
from sharpwave.errors import SharpwaveError, TooManyRequests, by_code

_LOG = logging.getLogger(__name__)
MEDIA_TYPE = "application/problem+json"

STATUS: Mapping[str, int] = by_code(
    {
        errors.UsageError: 400,
        errors.InvalidInput: 422,
        errors.InvalidReward: 400,
        errors.SensitiveContent: 422,
        errors.NotFound: 404,
        errors.Conflict: 409,
        errors.AccessError: 403,
        errors.Unauthorized: 401,
        errors.TooManyRequests: 429,
        errors.ProviderError: 502,
        errors.ProviderUnavailable: 503,
        errors.StorageError: 500,
        errors.StoreBusy: 503,
        errors.StoreFull: 507,
        errors.StoreClosed: 503,
        errors.StoreDegraded: 503,
    }
)
_OF_STATUS = {
    400: "bad_request",
    404: "not_found",
    405: "method_not_allowed",
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
    """The problem for one of our errors, without internal details."""
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
    code_or_default = code or _OF_STATUS.get(status, "error")
    body: dict[str, Any] = {
        "type": f"urn:sharpwave:problem:{code_or_default}",
        "title": code_or_default.replace("_", " "),
        "status": status,
        "detail": detail,
        "code": code_or_default,
    }
    if errors:
        body["errors"] = list(errors)
    return Response(json.dumps(body, ensure_ascii=True), status, headers, media_type=MEDIA_TYPE)
