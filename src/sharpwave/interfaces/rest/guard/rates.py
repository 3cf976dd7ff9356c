"""How much one key may ask: a bucket of tokens that fills up again, for each of many keys."""

import threading
import time
from collections import OrderedDict

from sharpwave.errors import TooManyRequests
from sharpwave.settings.server import ServerSettings


class Rates:
    """A bucket for each key; those not used for longest are dropped when there are too many."""

    def __init__(
        self, settings: ServerSettings, rate_per_s: float | None = None, burst: int | None = None
    ) -> None:
        """As the settings say for keys, or at another rate."""
        self._rate = settings.rate_per_s if rate_per_s is None else rate_per_s
        self._burst = float(settings.burst if burst is None else burst)
        self._most = settings.rated_keys
        self._lock = threading.Lock()
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, key: str, now: float | None = None) -> None:
        """Take a token; TooManyRequests if there is none."""
        if self._rate <= 0:
            return
        moment = time.monotonic() if now is None else now
        with self._lock:
            tokens, at = self._buckets.get(key, (self._burst, moment))
            tokens = min(self._burst, tokens + (moment - at) * self._rate)
            enough = tokens >= 1
            self._buckets[key] = (tokens - enough, moment)
            self._buckets.move_to_end(key)
            while len(self._buckets) > self._most:
                self._buckets.popitem(last=False)
        if not enough:
            error = TooManyRequests("this key asks too often; wait a moment")
            error.retry_after_s = (1 - tokens) / self._rate
            raise error

    def __len__(self) -> int:
        """How many keys are kept in mind."""
        return len(self._buckets)
