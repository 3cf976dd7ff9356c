"""What every answer of the dashboard tells the browser: run our own scripts, and no others."""

import secrets

from starlette.types import ASGIApp, Message, Receive, Scope, Send

NONCE = "sharpwave.nonce"
"""Where the word stands that marks the scripts of a page as ours."""
_ASSETS = "/_nicegui/"


class Guarded:
    """Passes requests on; each page gets a word of its own that its scripts must carry."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request, or a websocket."""
        nonce = secrets.token_urlsafe(16)
        headers = _headers(nonce, lasting=_ASSETS in scope["path"])

        async def told(message: Message) -> None:
            if message["type"] == "http.response.start":
                kept = [one for one in message.get("headers", ()) if one[0].lower() not in headers]
                message = {**message, "headers": [*kept, *headers.items()]}
            await send(message)

        kept = [one for one in scope["headers"] if one[0].lower() != b"x-forwarded-prefix"]
        await self._app({**scope, "headers": kept, NONCE: nonce}, receive, told)


def _headers(nonce: str, *, lasting: bool) -> dict[bytes, bytes]:
    """Scripts carry the word or come from us.

    The framework compiles its templates, which takes 'unsafe-eval', and sets styles in place.
    """
    policy = (
        "default-src 'none'; "
        f"script-src 'self' 'nonce-{nonce}' 'unsafe-eval'; "
        "style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self'; "
        "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    )
    return {
        b"content-security-policy": policy.encode(),
        b"referrer-policy": b"same-origin",  # with no-referrer, forms would not say their origin
        b"x-frame-options": b"DENY",
        b"cache-control": b"private, max-age=31536000, immutable" if lasting else b"no-store",
    }
