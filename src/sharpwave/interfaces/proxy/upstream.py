"""The model API: one base URL, fixed when the proxy starts; requests cannot change it."""

import re
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from urllib.parse import unquote_to_bytes

import httpx2

from sharpwave.errors import InvalidSettings
from sharpwave.settings.server import ProxySettings

HOP_BY_HOP = frozenset(
    b"connection keep-alive proxy-authenticate proxy-authorization proxy-connection te trailer "
    b"transfer-encoding upgrade".split()
)
"""Hop-by-hop headers, which are not passed on."""
_NOT_SENT = HOP_BY_HOP | frozenset(
    b"host content-length expect accept-encoding authorization".split()
)
_OURS = b"x-sharpwave-"
_WITH_BODY = frozenset({"POST", "PUT", "PATCH"})
_NOT_PASSED_ON = HOP_BY_HOP | {b"date"}
"""Our server sets the date itself."""
_ODD = re.compile(rb"[\\\x00-\x20\x7f]")
CONNECT_S = 10.0
SILENCE_S = 600.0
"""Read timeout of upstream, before and within an answer."""
Fields = list[tuple[bytes, bytes]]


class Upstream:
    """Client of the models. Redirects are not followed and the environment is not read."""

    def __init__(self, settings: ProxySettings) -> None:
        self._base = base_url(settings.upstream)
        self._key = settings.upstream_key
        self._http = httpx2.AsyncClient(
            timeout=httpx2.Timeout(SILENCE_S, connect=CONNECT_S),
            limits=httpx2.Limits(max_connections=None, max_keepalive_connections=100),
            follow_redirects=False,
            trust_env=False,
        )

    async def close(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    @asynccontextmanager
    async def request(
        self, method: str, path: bytes, headers: Iterable[tuple[bytes, bytes]], body: bytes
    ) -> AsyncIterator[httpx2.Response]:
        """Send a request and stream the answer; leaving the block ends it."""
        url = self._base.copy_with(raw_path=self._base.raw_path.rstrip(b"/") + path)
        fields = list(headers)
        if body or method in _WITH_BODY:
            fields.append((b"content-length", str(len(body)).encode()))
        request = self._http.build_request(method, url, content=body or None)
        request.headers = httpx2.Headers([(b"host", self._base.netloc), *fields])
        answer = await self._http.send(request, stream=True)
        try:
            yield answer
        finally:
            await answer.aclose()

    def headers(self, client_headers: Fields, authorization: str | None) -> Fields:
        """The client's headers to send upstream, without hop-by-hop and Sharpwave headers."""
        left_out = _NOT_SENT | _hop_by_hop_names(client_headers)
        passed_on = [
            (name, value)
            for name, value in client_headers
            if name.lower() not in left_out and not name.lower().startswith(_OURS)
        ]
        passed_on.append((b"accept-encoding", b"identity"))  # the proxy parses the answer
        if authorization is None and self._key is not None:
            authorization = f"Bearer {self._key.get_secret_value()}"
        if authorization is not None:
            passed_on.append((b"authorization", authorization.encode("latin-1")))
        return passed_on


def _hop_by_hop_names(client_headers: Fields) -> set[bytes]:
    """The headers that the client's `Connection` header names as hop-by-hop."""
    lists = [value for name, value in client_headers if name.lower() == b"connection"]
    return {word.strip().lower() for value in lists for word in value.split(b",")}


def response_headers(answer: httpx2.Response) -> Fields:
    """The answer's headers to pass on, in their order."""
    lower = ((name.lower(), value) for name, value in answer.headers.raw)
    return [
        (name, value)
        for name, value in lower
        if name not in _NOT_PASSED_ON and not name.startswith(_OURS)
    ]


def base_url(setting: str | None) -> httpx2.URL:
    """The base URL of the settings, checked."""
    try:
        url = httpx2.URL(setting or "")
    except httpx2.InvalidURL:
        url = httpx2.URL("")
    if url.scheme not in ("http", "https") or not url.host or url.userinfo or url.query:
        raise InvalidSettings(
            "proxy.upstream must be the base URL of the models, such as "
            f"https://api.openai.com/v1, not {setting!r}; a key goes into proxy.upstream_key"
        )
    return url


def is_plain(path: bytes) -> bool:
    """Whether a path stays below the base URL for every reader.

    >>> [is_plain(path) for path in (b"/models/a.b", b"/../admin", b"/%2e%2e/x", b"/a%2f..%2fb")]
    [True, False, False, False]
    """
    steps = set(unquote_to_bytes(path).replace(b"\\", b"/").split(b"/")) | set(path.split(b"/"))
    return path.startswith(b"/") and not steps & {b".", b".."} and not _ODD.search(path)
