"""Counts and durations for Prometheus: by route and status, never by user or key."""

import prometheus_client as prometheus
from starlette.types import Scope

_BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)


class Metrics:
    """What the server counts [MET-08]."""

    def __init__(self) -> None:
        self._render = prometheus.generate_latest
        self.media_type = prometheus.CONTENT_TYPE_LATEST
        self._registry = prometheus.CollectorRegistry()
        prometheus.ProcessCollector(registry=self._registry)
        self._requests = prometheus.Counter(
            "sharpwave_requests_total",
            "Requests, by route and status.",
            ("method", "route", "status"),
            registry=self._registry,
        )
        self._seconds = prometheus.Histogram(
            "sharpwave_request_seconds",
            "How long requests took, by route.",
            ("method", "route"),
            buckets=_BUCKETS,
            registry=self._registry,
        )

    def request(self, scope: Scope, status: int, seconds: float) -> None:
        """Count one request."""
        if scope["type"] != "http":
            return
        route = getattr(scope.get("route"), "path", None) or "none"
        method = scope["method"] if route != "none" else "any"
        self._requests.labels(method, route, status or 500).inc()
        self._seconds.labels(method, route).observe(seconds)

    def render(self) -> bytes:
        """Everything, as Prometheus reads it."""
        return bytes(self._render(self._registry))
