"""Authenticate a request by its headers alone, before anything is read or sent.

The Sharpwave key is sent as `X-Sharpwave-Key`, or in `Authorization` if it is the only key. It
opens one user's memory, by the same rules as in the REST API, and is never sent upstream.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import Scope as Asgi

from sharpwave import errors
from sharpwave.api.keys import PREFIX, Keys
from sharpwave.client import header_values
from sharpwave.interfaces.auth import acting_for, admit
from sharpwave.interfaces.rest.limits import AllowedHosts, RateLimiter, WrongKeys
from sharpwave.interfaces.rest.problems import STATUS
from sharpwave.types.access import Principal, Scope

MEMORY = "x-sharpwave-memory"
USER = "x-sharpwave-user"
SESSION = "x-sharpwave-session"
KEY = "x-sharpwave-key"
_BEARER = f"bearer {PREFIX}"
_SESSION_CHARS = 65_536


class Use(StrEnum):
    """What the memory does for a request; reported in a header."""

    ON = "on"
    READ_ONLY = "read-only"
    """Memory is added to the request, and nothing is stored."""
    OFF = "off"
    NO_CONSENT = "no-consent"
    """The user does not agree to being remembered, so nothing is stored or used."""
    UNAVAILABLE = "unavailable"
    """It did not answer in time; the request continued without it."""


@dataclass(frozen=True, slots=True)
class Caller:
    """The principal of a request, its rights and its options."""

    principal: Principal | None
    """None if the memory is unavailable."""
    use: Use
    session: str | None
    authorization: str | None
    """The client's own key for upstream, if it sent one."""

    def may(self, scope: Scope) -> bool:
        """Whether the key allows it."""
        return self.principal is not None and self.principal.may(scope)


class Refused(Exception):
    """The request is refused with this response."""

    def __init__(self, response: Response) -> None:
        self.response = response


@dataclass(frozen=True, slots=True)
class AccessCheck:
    """Authenticates and rate-limits callers."""

    keys: Keys
    names: AllowedHosts
    rates: RateLimiter
    anonymous: Principal | None
    """The principal for requests without a Sharpwave key; None if a key is required."""
    wrong_keys: WrongKeys = field(default_factory=WrongKeys)

    async def admit(self, scope: Asgi) -> Caller:
        """The caller of a request, or Refused."""
        headers = Headers(scope=scope)
        misdirected = self.names.refusal(headers.getlist("host"), headers.getlist("origin"))
        if misdirected is not None:
            raise Refused(error(*misdirected, "forbidden"))
        upstream_key, key = _keys(headers)
        try:
            use = _requested_use(headers)
            principal = await self._principal(key, upstream_key, (scope.get("client") or ("",))[0])
            if principal is None:
                return Caller(
                    None, Use.OFF if use is Use.OFF else Use.UNAVAILABLE, None, upstream_key
                )
            principal = acting_for(principal, header_values.only_name(headers.getlist(USER), USER))
            # the name of the conversation; long names are shortened later, blank ones ignored
            session_values = [value for value in headers.getlist(SESSION) if value.strip()]
            session = header_values.only_name(session_values, SESSION, _SESSION_CHARS)
            self.rates.take(principal.key_name)
        except errors.SharpwaveError as failure:
            raise Refused(of_error(failure)) from None
        return Caller(principal, use, session, upstream_key)

    async def _principal(
        self, key: str | None, upstream_key: str | None, address: str
    ) -> Principal | None:
        """The holder of the key; None if storage fails and the client has its own upstream key."""
        if key is None and self.anonymous is not None:
            return self.anonymous
        try:
            return await run_in_threadpool(admit, self.keys, key)
        except errors.Unauthorized as error:
            raise error if key is None else self.wrong_keys.refusal(address, error) from None
        except errors.StorageError:
            if upstream_key is None:
                raise
            return None


def error(
    status: int, message: str, code: str, headers: Mapping[str, str] | None = None
) -> Response:
    """An error in the format of OpenAI's API."""
    body = {"message": f"sharpwave: {message}", "type": "sharpwave", "param": None, "code": code}
    return Response(json.dumps({"error": body}), status, headers, media_type="application/json")


def of_error(failure: errors.SharpwaveError) -> Response:
    """The response for one of our errors, without internal details."""
    status = STATUS.get(failure.code, 500)
    headers = {}
    if isinstance(failure, errors.TooManyRequests):
        headers["Retry-After"] = str(max(1, round(failure.retry_after_s)))
    is_theirs = isinstance(failure, errors.AccessError | errors.InvalidInput)
    message = (
        str(failure) if is_theirs else "the memory cannot say who you are now; try again later"
    )
    return error(status if is_theirs else 503, message, failure.code, headers)


def _keys(headers: Headers) -> tuple[str | None, str | None]:
    """The client's upstream key and its Sharpwave key, both as `Authorization` values."""
    authorization = _single_header(headers, "authorization")
    own_key = _single_header(headers, KEY)
    if authorization is not None and " ".join(authorization.lower().split()).startswith(_BEARER):
        return None, authorization
    return authorization, None if own_key is None else f"Bearer {own_key}"


def _requested_use(headers: Headers) -> Use:
    value = _single_header(headers, MEMORY)
    if value is None:
        return Use.ON
    try:
        use = Use(value.strip().lower())
    except ValueError:
        use = Use.UNAVAILABLE
    if use not in (Use.ON, Use.READ_ONLY, Use.OFF):
        raise errors.InvalidInput(f"{MEMORY} is on, read-only or off, not {value[:40]!r}")
    return use


def _single_header(headers: Headers, name: str) -> str | None:
    values = headers.getlist(name)
    if len(values) > 1:
        raise Refused(error(400, f"send the header {name} once", "invalid_input"))
    return values[0] if values else None
