"""Requests to a Sharpwave server: timeouts, retries of idempotent calls, errors as our own."""

import random
import secrets
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from copy import copy
from pathlib import Path
from typing import Any, Self

from sharpwave import errors, strict_json
from sharpwave.client import header_values
from sharpwave.formulas.cost import backoff_s

_RETRY_STATUSES = frozenset({429, 502, 503, 504})
CONNECT_S = 5.0
TIMEOUT_S = 60.0
"""Maximum wait for an answer: twice the time a server waits for a writer that holds the file."""
ATTEMPTS = 4
"""Attempts of a request that may be repeated."""
BACKOFF_S = 0.2
"""Wait before the second attempt; doubled each time."""
Params = Mapping[str, Any]


class HttpWire:
    """A server behind HTTP. Any number of threads may share one."""

    def __init__(self, url: str, key: str) -> None:
        try:
            import httpx2
        except ImportError as error:
            raise errors.InvalidSettings(
                "connecting needs `pip install sharpwave[client]`"
            ) from error
        if not url.startswith(("http://", "https://")):
            raise errors.InvalidInput(f"{url!r} is not an address such as http://127.0.0.1:8765")
        if not (key.isascii() and key.isprintable()):
            raise errors.InvalidInput("a key has printable characters of ASCII only")
        self._errors = (httpx2.TransportError,)
        self._unusable = (httpx2.InvalidURL, UnicodeEncodeError)
        self._headers = {"Authorization": f"Bearer {key}"}
        try:
            self._http = httpx2.Client(
                base_url=url.rstrip("/"),
                timeout=httpx2.Timeout(TIMEOUT_S, connect=CONNECT_S),
                follow_redirects=False,
                trust_env=False,
            )
        except (httpx2.InvalidURL, ValueError) as error:
            raise errors.InvalidInput(f"{url[:200]!r} is not an address: {error}") from None
        self._url = url

    def ask(
        self, verb: str, path: str, *, query: Params, body: bytes | None, repeatable: bool
    ) -> bytes:
        """The body of the answer, with retries; calls that may not be repeated get a key."""
        headers = dict(self._headers)
        if not repeatable:
            headers["Idempotency-Key"] = f"client:{secrets.token_hex(16)}"
        if body is not None:
            headers["Content-Type"] = "application/json"
        attempt = 0
        while True:
            attempt += 1
            is_last = attempt >= ATTEMPTS
            try:
                answer = self._http.request(
                    verb, path, params=dict(query), content=body, headers=headers
                )
            except self._unusable as error:
                raise errors.InvalidInput(f"this cannot be sent to a server: {error}") from None
            except self._errors as error:
                if is_last:
                    raise errors.ProviderUnavailable(
                        f"{self._url} cannot be reached: {error}"
                    ) from error
                self._wait(attempt, None)
                continue
            is_retryable = answer.status_code in _RETRY_STATUSES or "retry-after" in answer.headers
            if is_retryable and not is_last:
                self._wait(attempt, answer.headers.get("retry-after"))
                continue
            return self._body(answer)

    def lines(self, path: str) -> Iterator[str]:
        """The lines of an answer, as they arrive."""
        with self._answer(path) as answer:
            rest = b""
            for part in answer.iter_bytes():  # iter_lines also splits at U+2028 and the like
                *complete, rest = (rest + part).split(b"\n")
                yield from (line.decode() for line in complete if line)
            if rest:
                yield rest.decode()

    def send(self, path: str, parts: Iterable[bytes], query: Params) -> bytes:
        """Send a body in parts; without retries, since the parts are consumed."""
        headers = {**self._headers, "Content-Type": "application/octet-stream"}
        try:
            answer = self._http.post(path, params=dict(query), content=parts, headers=headers)
        except self._errors as error:
            raise errors.ProviderUnavailable(f"{self._url} cannot be reached: {error}") from error
        return self._body(answer)

    def fetch(self, path: str, to: Path) -> None:
        """Write the body of an answer to a new file."""
        with self._answer(path) as answer:
            try:
                file = to.open("xb")
            except FileExistsError as error:
                raise errors.InvalidInput(f"{to} already exists; choose another name") from error
            try:
                with file:
                    to.chmod(0o600)
                    for part in answer.iter_bytes():
                        file.write(part)
            except BaseException:  # raised again; only the incomplete file must be removed
                to.unlink()
                raise

    def acting_for(self, user: str) -> Self:
        """A client of the same server for another user, sharing the connections."""
        wire = copy(self)
        wire._headers = {**self._headers, "Sharpwave-User": header_values.encoded(user)}
        return wire

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    @contextmanager
    def _answer(self, path: str) -> Iterator[Any]:
        """A streamed answer."""
        try:
            with self._http.stream("GET", path, headers=self._headers) as answer:
                if answer.status_code >= 400:
                    answer.read()
                    self._body(answer)
                yield answer
        except self._errors as error:
            raise errors.ProviderUnavailable(f"{self._url} cannot be reached: {error}") from error

    def _body(self, answer: Any) -> bytes:
        if answer.status_code < 400:
            return bytes(answer.content)
        try:
            problem = strict_json.loads(answer.content)
            code, detail = str(problem["code"]), str(problem["detail"])
        except (ValueError, KeyError, TypeError):
            code, detail = "error", f"no answer of Sharpwave's: {answer.reason_phrase}"
        raise error_of(answer.status_code, code, detail)

    def _wait(self, attempt: int, retry_after: str | None) -> None:
        wait = backoff_s(attempt, BACKOFF_S, random.random())
        if retry_after is not None and retry_after.isdecimal():
            wait = max(wait, min(float(retry_after), TIMEOUT_S))
        time.sleep(wait)


def error_of(status: int, code: str, detail: str) -> errors.SharpwaveError:
    """The error reported by a server, as an exception of this package."""
    error_type = errors.every_error().get(code)
    if error_type is not None and error_type is not errors.SharpwaveError:
        return error_type(detail)
    message = f"the server answered {status}: {detail or code}"
    return errors.StorageError(message) if status >= 500 else errors.SharpwaveError(message)
