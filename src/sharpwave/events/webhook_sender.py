"""Tells webhooks; what that takes, such as the certificates, is loaded with the first one told."""

import http.client
import ipaddress
import socket
import ssl
from collections.abc import Mapping
from functools import cached_property
from urllib.parse import urlsplit

from sharpwave.errors import ProviderMisbehaved, ProviderUnavailable
from sharpwave.ports import Sender
from sharpwave.settings.webhooks import WebhookSettings


class LateSender:
    """See `ports.Sender`; `WebhookSender` does it."""

    def __init__(self, settings: WebhookSettings) -> None:
        self._settings = settings

    def post(self, url: str, body: bytes, headers: Mapping[str, str]) -> None:
        """Send a body; anything but a 2xx answer is an error."""
        self._sender.post(url, body, headers)

    @cached_property
    def _sender(self) -> Sender:

        return WebhookSender(self._settings)


_READ_BYTES = 1024


class WebhookSender:
    """Sends with the standard library: no proxy, no cookies, no redirects."""

    def __init__(self, settings: WebhookSettings) -> None:
        self._settings = settings

    @cached_property
    def _tls(self) -> ssl.SSLContext:
        """Made when first needed: to read every certificate takes longer than to open a file."""
        return ssl.create_default_context()

    def post(self, url: str, body: bytes, headers: Mapping[str, str]) -> None:
        """Send a body; anything but a 2xx answer is an error."""
        parts = urlsplit(url)
        host, secure = parts.hostname or "", parts.scheme == "https"
        port = parts.port or (443 if secure else 80)
        path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        connection = http.client.HTTPConnection(host, port, timeout=self._settings.timeout_s)
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
        opened = socket.create_connection((address, port), timeout=self._settings.timeout_s)
        if not secure:
            return opened
        try:
            return self._tls.wrap_socket(opened, server_hostname=host)
        except BaseException:  # passed on; only the connection must not be left behind
            opened.close()
            raise

    def _checked(self, host: str, port: int) -> str:
        """An address of the host, if all it has are outside."""
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        addresses = [str(one[4][0]).partition("%")[0] for one in found]
        for address in addresses:
            if not self._settings.allow_private and not is_outside(address):
                raise ProviderMisbehaved(f"{host} is inside this network ({address}); refused")
        return addresses[0]


def is_outside(address: str) -> bool:
    """Whether an address is on the public network.

    >>> [is_outside(one) for one in ("8.8.8.8", "169.254.169.254", "::ffff:127.0.0.1", "10.0.0.1")]
    [True, False, False, False]
    """
    found = ipaddress.ip_address(address)
    if isinstance(found, ipaddress.IPv6Address):
        inner = found.ipv4_mapped or found.sixtofour or (found.teredo or (None, None))[1]
        if inner is not None:
            found = inner
    return found.is_global and not found.is_multicast
