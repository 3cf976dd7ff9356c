"""A request with an `Idempotency-Key` runs once; a repeat gets the same answer.

The kept answer is sealed with the caller's own credential and key: only the
same caller can read it.
"""

import base64
import hashlib
import json
import re
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

from cryptography.fernet import Fernet, InvalidToken
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from sharpwave import errors, strict_json
from sharpwave.api.server import EarlierRequest, RequestLog
from sharpwave.client.calls import CALLS
from sharpwave.interfaces.auth import PRINCIPAL
from sharpwave.interfaces.rest.middleware import UPLOADS
from sharpwave.interfaces.rest.problems import problem

HEADER = "Idempotency-Key"
REPLAYED = "Idempotency-Replayed"
KEY_PATTERN = r"[\x21-\x7e]{1,256}"
"""Pattern of a key: 1 to 256 printable ASCII characters."""
_KEY = re.compile(KEY_PATTERN)
CUT_OFF_S = 60.0
"""Seconds after which an unfinished request counts as interrupted by a crash."""
_ANSWER_BYTES = 64 * 1024
"""Maximum size of a stored answer."""
_MAYBE_DONE = frozenset({"storage", "store_degraded"})
_SAFE = {(call.verb, call.path) for call in CALLS if call.repeatable}
"""Idempotent routes."""
_ERASING = frozenset({"/v1/forget", "/v1/reset-learning"})
"""Routes that answer with counts only, which may be stored even if something was forgotten."""
Handler = Callable[[Request], Awaitable[Response]]


class IdempotentHandler:
    """A route handler that runs once for each key."""

    def __init__(self, route: APIRoute, handler: Handler) -> None:
        self._handler = handler
        verb = next(iter(route.methods or {"GET"}))
        self._repeatable = (verb, route.path) in _SAFE
        self._quotes = route.path not in _ERASING
        knows_keys = any(field.alias == HEADER for field in route.dependant.header_params)
        self._applies = verb != "GET" and not knows_keys and route.path not in UPLOADS

    async def __call__(self, request: Request) -> Response:
        """Answer a request, or replay the stored answer."""
        key = request.headers.get(HEADER)
        if key is None or not self._applies:
            return await self._handler(request)
        if not _KEY.fullmatch(key):
            raise errors.InvalidInput(f"an {HEADER} has 1 to 256 printable characters of ASCII")
        keyed = await _Request.of(request, key)
        try:
            earlier = await run_in_threadpool(keyed.answers.begin, keyed.name, keyed.body)
        except errors.StoreFull:
            if not self._repeatable:
                raise
            return await self._handler(request)  # a forget may be what makes space
        if earlier is not None:
            replay = self._replay(keyed, earlier)
            if replay is not None:
                return replay
            await run_in_threadpool(keyed.answers.restart, keyed.name, keyed.body)
        return await self._run(keyed, request)

    def _replay(self, keyed: "_Request", earlier: EarlierRequest) -> Response | None:
        """The answer of the earlier request; None if it has to be executed again."""
        if earlier.body != keyed.body:
            raise errors.KeyReused(f"this {HEADER} was used for another request; use a new one")
        if earlier.answer is not None:
            return keyed.opened(earlier.answer)
        if not earlier.done and earlier.age_s < CUT_OFF_S:
            message = "the first request with this key is not done yet; ask again in a moment"
            return problem(409, "busy", message, headers={"Retry-After": "1"})
        if self._repeatable:
            return None
        if earlier.done:
            raise errors.Conflict(
                f"this was done before ({earlier.at:%Y-%m-%d %H:%M} UTC), and its answer "
                "is no longer kept; look at what is stored"
            )
        raise errors.Conflict(
            "the first request with this key was cut off, so it may have been done; "
            "look at what is stored, then use a new key"
        )

    async def _run(self, keyed: "_Request", request: Request) -> Response:
        try:
            answer = await self._handler(request)
        except Exception as error:
            if _changed_nothing(error):
                await run_in_threadpool(keyed.answers.drop, keyed.name)
            raise
        if answer.status_code >= 400:
            await run_in_threadpool(keyed.answers.drop, keyed.name)
            return answer
        sealed_answer = keyed.sealed(answer) if len(bytes(answer.body)) <= _ANSWER_BYTES else None
        with suppress(errors.StoreFull):  # the request succeeded; an error would deny it
            await run_in_threadpool(
                keyed.answers.finish, keyed.name, keyed.body, sealed_answer, self._quotes
            )
        return answer


class _Request:
    """One request: its name and body digest in the log, and the key that seals its answer."""

    def __init__(self, answers: RequestLog, name: str, body: str, seal: bytes) -> None:
        self.answers = answers
        self.name, self.body = name, body
        self._box = Fernet(base64.urlsafe_b64encode(seal))

    @classmethod
    async def of(cls, request: Request, key: str) -> "_Request":
        user = request.scope[PRINCIPAL].user_id
        answers = request.app.state.memory.user(user).admin.requests
        name = digest(request.method, request.scope["path"], key).hex()
        body = digest(request.scope["query_string"], await request.body()).hex()
        return cls(answers, name, body, digest(request.headers["authorization"], user, key))

    def sealed(self, answer: Response) -> str:
        """An answer, encrypted for storage."""
        plain = {
            "status": answer.status_code,
            "type": answer.media_type,
            "body": bytes(answer.body).decode(),
        }
        return self._box.encrypt(json.dumps(plain).encode()).decode()

    def opened(self, sealed: str) -> Response:
        """The stored answer; only the caller who got it first can decrypt it."""
        try:
            plain: dict[str, Any] = strict_json.loads(self._box.decrypt(sealed))
        except InvalidToken:
            raise errors.KeyReused(f"this {HEADER} was used with another credential") from None
        content = plain["body"] if plain["status"] != 204 else None
        return Response(content, plain["status"], {REPLAYED: "true"}, media_type=plain["type"])


def digest(*parts: str | bytes) -> bytes:
    """The digest of some parts."""
    hasher = hashlib.sha256()
    for part in parts:
        raw = part.encode() if isinstance(part, str) else part
        hasher.update(len(raw).to_bytes(8, "big") + raw)
    return hasher.digest()


def _changed_nothing(error: Exception) -> bool:
    """True if an error means that nothing was changed."""
    if isinstance(error, errors.StorageError):
        return error.code not in _MAYBE_DONE
    return isinstance(error, errors.SharpwaveError | RequestValidationError | HTTPException)
