"""Sends webhooks with the standard library: no proxy, no cookies, no redirects.

The address is resolved once and checked, then connected to: a name that changes between the check
and the connection cannot lead inside. HTTP and TLS are imported with the first webhook that is
sent, since opening a memory does not need them.
"""

import ipaddress
import socket
from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from sharpwave.errors import ProviderMisbehaved, ProviderUnavailable
from sharpwave.settings.server import WebhookSettings

if TYPE_CHECKING:
    import ssl

_READ_BYTES = 1024
TIMEOUT_S = 10.0
"""Longest wait for the other server."""


class WebhookSender:
    """Posts a body to an address on the public network."""

    def __init__(self, settings: WebhookSettings) -> None:
        self._settings = settings

    @cached_property
    def _tls(self) -> "ssl.SSLContext":
        import ssl

        return ssl.create_default_context()

    def post(self, url: str, body: bytes, headers: Mapping[str, str]) -> None:
        """Send a body; anything but a 2xx answer is an error."""
        import http.client

        parts = urlsplit(url)
        host, secure = parts.hostname or "", parts.scheme == "https"
        port = parts.port or (443 if secure else 80)
        path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        connection = http.client.HTTPConnection(host, port, timeout=TIMEOUT_S)
        try:
            connection.sock = self._connected(host, port, secure)
            connection.request("POST", path, body, dict(headers))
            answer = connection.getresponse()
            answer.read(_READ_BYTES)
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise ProviderUnavailable(f"{host} cannot be told: {error}") from error
        finally:
            connection.close()
        if not 200 <= answer.status < 300:
            raise ProviderUnavailable(f"{host} answered {answer.status}")

    def _connected(self, host: str, port: int, secure: bool) -> socket.socket:
        address = self._checked(host, port)
        connection = socket.create_connection((address, port), timeout=TIMEOUT_S)
        if not secure:
            return connection
        try:
            return self._tls.wrap_socket(connection, server_hostname=host)
        except BaseException:  # passed on; only the connection must not be left behind
            connection.close()
            raise

    def _checked(self, host: str, port: int) -> str:
        """An address of the host, if all its addresses are on the public network."""
        infos = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        addresses = [str(info[4][0]).partition("%")[0] for info in infos]
        for address in addresses:
            if not self._settings.allow_private and not is_outside(address):
                raise ProviderMisbehaved(f"{host} is inside this network ({address}); refused")
        return addresses[0]


def is_outside(address: str) -> bool:
    """Whether an address is on the public network.

    >>> [is_outside(ip) for ip in ("8.8.8.8", "169.254.169.254", "::ffff:127.0.0.1", "10.0.0.1")]
    [True, False, False, False]
    """
    ip = ipaddress.ip_address(address)
    if isinstance(ip, ipaddress.IPv6Address):
        inner = ip.ipv4_mapped or ip.sixtofour or (ip.teredo or (None, None))[1]
        if inner is not None:
            ip = inner
    return ip.is_global and not ip.is_multicast
