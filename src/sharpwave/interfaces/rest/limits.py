"""Allowed host names and origins, and rate limits per key."""

import ipaddress
import re
import threading
import time
from collections import OrderedDict
from collections.abc import Collection, Sequence
from urllib.parse import urlsplit

from sharpwave.errors import AccessError, TooManyRequests, Unauthorized

LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
_HOST = re.compile(r"^(?:([A-Za-z0-9_.-]{1,253})|\[([0-9A-Fa-f:.]{2,45})\])(?::([0-9]{1,5}))?$")
BURST = 400
"""Maximum burst of requests per key."""
RATED_KEYS = 10_000
"""Maximum number of keys with a tracked rate."""
_WRONG_KEYS_PER_S = 12 / 60
"""Average rate of wrong keys allowed per address."""
WRONG_KEYS_AT_ONCE = 10
"""Maximum burst of wrong keys per address."""


def is_loopback(host: str) -> bool:
    """Whether an address to listen on can be reached from this machine only.

    >>> is_loopback("127.0.0.1"), is_loopback("::1"), is_loopback("0.0.0.0"), is_loopback("a.de")
    (True, True, False, False)
    """
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def host_of(header: str) -> str | None:
    """The name in a `Host` header, without its port; None if it is not a plain name.

    >>> host_of("Example.com:80"), host_of("[::1]:8765"), host_of("127.0.0.1/x?"), host_of("a#b")
    ('example.com', '::1', None, None)
    """
    found = _HOST.match(header)
    if found is None:
        return None
    return (found[1] or found[2]).lower()


class AllowedHosts:
    """Allowed host names and origins."""

    def __init__(self, bound: str, hosts: Collection[str], origins: Collection[str]) -> None:
        bound_hosts = () if bound in ("", "0.0.0.0", "::") else (bound.lower(),)
        self._hosts = LOOPBACK.union(bound_hosts, (host.lower() for host in hosts))
        self._origins = frozenset(origin.lower().rstrip("/") for origin in origins)

    def refusal(self, hosts: Sequence[str], origins: Sequence[str]) -> tuple[int, str] | None:
        """Status and reason if the host or an origin is not allowed, else None."""
        if len(hosts) != 1 or host_of(hosts[0]) not in self._hosts:
            return 421, "this server does not go by that name; see server.hosts"
        if any(not self._allows_origin(origin, hosts[0]) for origin in origins):
            return 403, "pages of that origin may not call; see server.origins"
        return None

    def _allows_origin(self, origin: str, host: str) -> bool:
        """Whether pages of this `Origin` may call; programs send none."""
        if origin.lower() in self._origins:
            return True
        parts = urlsplit(origin)
        return parts.scheme in ("http", "https") and parts.netloc.lower() == host.lower()


class RateLimiter:
    """A token bucket per key; the least recently used are dropped when there are too many."""

    def __init__(self, rate_per_s: float, burst: int | None = None) -> None:
        self._rate = rate_per_s
        self._burst = float(BURST if burst is None else burst)
        self._lock = threading.Lock()
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, key: str) -> None:
        """Take a token; TooManyRequests if there is none."""
        if self._rate <= 0:
            return
        now = time.monotonic()
        with self._lock:
            tokens, at = self._buckets.get(key, (self._burst, now))
            tokens = min(self._burst, tokens + (now - at) * self._rate)
            has_token = tokens >= 1
            self._buckets[key] = (tokens - has_token, now)
            self._buckets.move_to_end(key)
            while len(self._buckets) > RATED_KEYS:
                self._buckets.popitem(last=False)
        if not has_token:
            error = TooManyRequests("this key asks too often; wait a moment")
            error.retry_after_s = (1 - tokens) / self._rate
            raise error


class WrongKeys:
    """Counts wrong keys by address. An address with too many has to wait.

    A valid key is still accepted, to avoid locking out other clients behind the same proxy: keys
    are too long to be guessed.
    """

    def __init__(self) -> None:
        self._rates = RateLimiter(_WRONG_KEYS_PER_S, WRONG_KEYS_AT_ONCE)

    def refusal(self, address: str, error: Unauthorized) -> AccessError:
        """The error for a wrong key: the given one, or TooManyRequests."""
        try:
            self._rates.take(address)
        except TooManyRequests as too_many:
            rate_error = TooManyRequests("too many wrong keys from this address; wait a moment")
            rate_error.retry_after_s = too_many.retry_after_s
            return rate_error
        return error
