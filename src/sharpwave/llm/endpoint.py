"""One SDK endpoint: client, answer limits, and its failures as our errors."""

import math
import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from importlib import import_module
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from pydantic import SecretStr

from sharpwave.errors import (
    AnswerUnfit,
    InvalidSettings,
    ProviderError,
    ProviderMisbehaved,
    ProviderUnavailable,
)


@dataclass(frozen=True, slots=True)
class Timing:
    """Clock, sleep and randomness for retries; replaced in tests."""

    wait: Callable[[float], None] = time.sleep
    now: Callable[[], float] = time.monotonic
    """Monotonic clock, in seconds."""
    chance: Callable[[], float] = random.random
    """A number in [0, 1)."""


_UNTIL = "sharpwave.until"  # request extension with the time by which its answer must be complete


class Unusable(Exception):
    """The response is not an answer; the message says what it is instead."""


class TooLate(Exception):
    """The answer arrives too slowly."""


@dataclass(frozen=True, slots=True)
class _Limits:
    """Hooks for one client: the read timeout of a request applies to its whole answer."""

    max_bytes: int
    timing: Timing

    def note_time(self, request: Any) -> None:
        """Called before a request is sent."""
        limit_s: float = request.extensions["timeout"]["read"]
        request.extensions[_UNTIL] = self.timing.now() + limit_s

    def read(self, response: Any) -> None:
        """Called after the head of an answer; reads its body."""
        encoding = response.headers.get("content-encoding", "identity")
        if encoding.lower() != "identity":
            raise Unusable("a compressed answer, although none was asked for")
        until, body = response.request.extensions[_UNTIL], bytearray()
        for piece in response.stream:
            body += piece
            if len(body) > self.max_bytes:
                raise Unusable(f"more than {self.max_bytes} bytes")
            if self.timing.now() > until:
                raise TooLate
        response.stream.close()
        response.stream = type(response)(response.status_code, content=bytes(body)).stream


_CLIENTS = {"openai": "OpenAI", "anthropic": "Anthropic"}
NO_KEY = "no-key"  # a local server needs no key, but the SDK insists on one
REASON_CHARS = 200

# What the SDK itself retries: request timeout, conflict, too many requests, server errors;
# but not 501, since a server will not implement a feature within a minute.
_PASSING = frozenset({408, 409, 429, *range(500, 600)}) - {501}

_SENT = frozenset(
    "host connection accept accept-encoding content-type content-length user-agent authorization "
    "anthropic-version".split()
)
_SDKS_OWN = "x-stainless-"


class Failure(NamedTuple):
    """A request that failed."""

    error: ProviderError
    passing: bool
    """True if the same request may work later."""
    status: int | None = None
    """Status of the answer, if there was one."""
    reason: str = ""
    """The endpoint's error message, on one line and without the key."""
    retry_after_s: float | None = None
    """Seconds to wait before the next request, if the endpoint asks for it."""


class SdkEndpoint:
    """The endpoint of one group of settings. Creating it sends nothing."""

    def __init__(
        self,
        group: str,
        serves: str,
        url: str,
        api_key: SecretStr | None,
        advice: Mapping[int | None, str],
        sdk: str = "openai",
    ) -> None:
        """`advice` says what to do about a status; the key None is for all other statuses."""
        try:
            self.sdk: Any = import_module(sdk)
        except ImportError as error:
            raise InvalidSettings(
                f"{group}.provider needs the {sdk} package, which is not installed: "
                f'pip install "sharpwave[{sdk}]"'
            ) from error
        self._sdk_name = sdk
        self.group = group
        self._url = url
        self._where = f"The {serves} endpoint at {_host(self._url, group)}"
        self._key = _key(api_key, group)
        self._advice = advice

    def client(self, *, timeout_s: float, retries: int, max_bytes: int, timing: Timing) -> Any:
        """The package's client, which reads answers within limits of time and size."""
        limits = _Limits(max_bytes, timing)
        hooks = {"request": [limits.note_time], "response": [limits.read]}
        http = self.sdk.DefaultHttpxClient(follow_redirects=False, event_hooks=hooks)
        client = getattr(self.sdk, _CLIENTS[self._sdk_name])(
            base_url=self._url,
            api_key=self._key,
            timeout=timeout_s,
            max_retries=retries,
            default_headers={"Accept-Encoding": "identity"},  # compression would evade the limit
            http_client=http,
        )
        # an address with a name and password authenticates by these
        key = {} if urlsplit(self._url).username else client.auth_headers
        http.event_hooks["request"].append(_strip_environment_headers(key))
        return client

    def failure(self, error: Any, timeout_s: float) -> Failure:
        """The failure for an SDK error; the error itself holds the key, so it is dropped."""
        if not isinstance(error, self.sdk.APIStatusError):
            return self.unreachable(timeout_s)
        status = error.status_code
        reason = self._without_key(_reason(error.body))[:REASON_CHARS]
        description = f"{self._where} answered {status}" + (f" ({reason})" if reason else "")
        passing = status in _PASSING
        advice = "try again later" if passing else self._advice.get(status, self._advice[None])
        kind = ProviderUnavailable if passing else ProviderMisbehaved
        pause = _retry_after_s(error.response.headers)
        return Failure(kind(f"{description}; {advice}"), passing, status, reason, pause)

    def unreachable(self, timeout_s: float) -> Failure:
        """The failure for no answer, or none in time."""
        return Failure(
            ProviderUnavailable(
                f"{self._where} could not be reached, or took longer than {timeout_s:g} s; "
                f"check {self.group}.base_url, or try again later"
            ),
            passing=True,
        )

    def unavailable(self, what: str) -> ProviderUnavailable:
        """An error for a failure that may be temporary."""
        return ProviderUnavailable(self._without_key(f"{self._where} {what}"))

    def misbehaved(self, what: str) -> ProviderMisbehaved:
        """An error for an answer that cannot be used."""
        return ProviderMisbehaved(self._without_key(f"{self._where} sent {what}"))

    def unfit(self, what: str) -> AnswerUnfit:
        """An error for an answer that does not have the requested form."""
        return AnswerUnfit(self._without_key(f"{self._where} sent {what}"))

    def _without_key(self, text: str) -> str:
        return text.replace(self._key, "[key]")


def _strip_environment_headers(key: Mapping[str, str]) -> Callable[[Any], None]:
    """A hook that removes headers which the SDK took from environment variables.

    Those are meant for the vendor, or a gateway to it, and may hold a key for that.
    """

    def clean(request: Any) -> None:
        for name in list(request.headers):
            if name not in _SENT and not name.startswith(_SDKS_OWN):
                del request.headers[name]
        request.headers.update(key)

    return clean


def sendable(text: str) -> str:
    """Replace what JSON cannot carry, and the empty text, which endpoints refuse."""
    return text.encode("utf-8", "replace").decode() or " "


def _host(url: str, group: str) -> str:
    """Host and port of the endpoint, without credentials in its address."""
    try:
        parts = urlsplit(url)
        host = f"{parts.hostname}:{parts.port}" if parts.port else parts.hostname
    except ValueError:
        host = None
    one_word = url.isprintable() and not any(map(str.isspace, url))
    if not host or parts.scheme not in ("http", "https") or not one_word:
        raise InvalidSettings(f"{group}.base_url must be like http://localhost:8080/v1")
    return host


def _key(secret: SecretStr | None, group: str) -> str:
    key = secret.get_secret_value().strip() if secret else ""
    if not (key.isascii() and key.isprintable()):
        raise InvalidSettings(f"{group}.api_key holds characters that no key can have")
    return key or NO_KEY


def _reason(body: object) -> str:
    """The endpoint's error message, on one line."""
    if isinstance(body, dict):
        body = body["error"] if isinstance(body.get("error"), dict) else body
    message = body.get("message") if isinstance(body, dict) else body
    return " ".join(message.split()) if isinstance(message, str) else ""


def _retry_after_s(headers: Mapping[str, str]) -> float | None:
    """Seconds, from milliseconds, seconds or a date; a date counts from the answer's own date."""
    for name, unit_s in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            seconds = float(headers.get(name, "")) * unit_s
        except ValueError:
            continue
        if math.isfinite(seconds) and seconds >= 0:
            return seconds
    try:
        retry_at, now = (parsedate_to_datetime(headers[name]) for name in ("retry-after", "date"))
        return max((retry_at - now).total_seconds(), 0.0)
    except (KeyError, TypeError, ValueError):  # TypeError: only one of them has a timezone
        return None
