"""Sends webhooks with the standard library: no proxy, no cookies, no redirects.

The address is resolved once, checked, and then connected to: a name that changes between check and
connection cannot lead to an internal address. HTTP and TLS are imported with the first webhook that
is sent, since opening a memory does not need them.
"""

import ipaddress
import logging
import socket
from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from sharpwave.errors import ProviderUnavailable
from sharpwave.settings.server import WebhookSettings

if TYPE_CHECKING:
    import ssl

_LOG = logging.getLogger(__name__)
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
        except BaseException:  # raised again; only the connection must be closed
            connection.close()
            raise

    def _checked(self, host: str, port: int) -> str:
        """An address of the host, if all its addresses are on the public network.

        The error is the same for an unknown name and for an internal one, to avoid revealing the
        names of this network to users who may add webhooks.
        """
        try:
            infos = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except (OSError, ValueError) as error:
            _LOG.info("the host of a webhook cannot be looked up: %s", error)
            infos = []
        addresses = [str(info[4][0]).partition("%")[0] for info in infos]
        if not addresses or not (self._settings.allow_private or all(map(is_public, addresses))):
            _LOG.info("a webhook was refused: %s leads to %s", host, addresses)
            raise ProviderUnavailable(f"{host} is no host of the public network")
        return addresses[0]


_PUBLIC_IPV6 = ipaddress.IPv6Network("2000::/3")
_EMBEDDING = ipaddress.IPv6Network("64:ff9b::/96")
"""NAT64: networks without IPv4 use it to reach the public IPv4 network."""
_SPECIAL = [
    ipaddress.ip_network(network)
    for network in (
        "192.0.0.0/24",  # IETF protocol assignments
        "192.88.99.0/24",  # relays of 6to4
        "2001::/23",  # IETF protocol assignments, Teredo among them
        "2001:db8::/32",  # documentation
        "2002::/16",  # 6to4, which carries an IPv4 address and is no longer used
        "3fff::/20",  # documentation
    )
]
"""Special networks that some versions of `ipaddress` do not know."""
_ISATAP = (0x00005EFE, 0x02005EFE)


def is_public(address: str) -> bool:
    """Whether an address is on the public network, also after a translation to IPv4.

    >>> [is_public(ip) for ip in ("8.8.8.8", "169.254.169.254", "::ffff:127.0.0.1", "fec0::1")]
    [True, False, False, False]
    """
    ip = ipaddress.ip_address(address)
    if isinstance(ip, ipaddress.IPv6Address):
        if ip in _EMBEDDING or ip.ipv4_mapped:
            return is_public(str(ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF)))
        if ip not in _PUBLIC_IPV6 or (int(ip) >> 32) & 0xFFFFFFFF in _ISATAP:
            return False
    special = any(ip in network for network in _SPECIAL if network.version == ip.version)
    return ip.is_global and not ip.is_multicast and not special
