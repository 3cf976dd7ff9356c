"""Log lines in JSON, without words of a user [MET-10]; metrics for Prometheus.

An unexpected error is logged as its type and stack frames. Its message may quote the request, so it
is left out, except at level debug.
"""

import json
import logging
import traceback
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from types import TracebackType

import prometheus_client as prometheus
from starlette.types import Scope

from sharpwave.settings.server import LogSettings

ACCESS = "sharpwave.access"
"""The logger of requests."""
LOGGERS = ("sharpwave", "uvicorn", "mcp")
"""Our loggers and those of the server; without propagation, to avoid logging what we leave out."""
SUBSYSTEMS = {"behavior": "behavioral_memory"}
"""Packages logged under another name."""
_STANDARD = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "color_message"}
_JSON_TYPES = str | int | float | bool | None
_MAX_FRAMES = 30


class JsonLines(logging.Formatter):
    """Each record as one JSON line: time, level, subsystem, message, and extra fields."""

    def __init__(self, quotes_errors: bool = False) -> None:
        super().__init__()
        self._quotes = quotes_errors

    def format(self, record: logging.LogRecord) -> str:
        """The line."""
        package, _, rest = record.name.partition(".")
        part = rest.partition(".")[0] if package == "sharpwave" and rest else package
        line: dict[str, object] = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(),
            "level": record.levelname.lower(),
            "subsystem": SUBSYSTEMS.get(part, part),
            "logger": record.name,
            "message": record.getMessage().strip(),
        }
        line |= {
            name: value
            for name, value in vars(record).items()
            if name not in _STANDARD and isinstance(value, _JSON_TYPES)
        }
        if record.exc_info and record.exc_info[0] is not None:
            line["error"] = self._error(record.exc_info[1], record.exc_info[2])
        return json.dumps(line)

    def _error(
        self, error: BaseException | None, trace: TracebackType | None
    ) -> Mapping[str, object]:
        frames = traceback.extract_tb(trace)[-_MAX_FRAMES:]
        fields: dict[str, object] = {
            "type": type(error).__name__,
            "at": [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames],
        }
        return fields | ({"message": str(error)} if self._quotes else {})


@contextmanager
def logging_to(settings: LogSettings) -> Iterator[None]:
    """Write the log while the block runs."""
    handler = logging.StreamHandler()
    handler.setFormatter(JsonLines(settings.level == "debug"))
    is_off = settings.level == "off"
    lowest_level = (
        logging.CRITICAL + 1 if is_off else logging.getLevelNamesMapping()[settings.level.upper()]
    )
    levels = {name: max(lowest_level, logging.WARNING) for name in LOGGERS} | {
        "sharpwave": lowest_level
    }
    levels[ACCESS] = logging.INFO if settings.access else logging.CRITICAL + 1
    previous_levels = {name: logging.getLogger(name).level for name in levels}
    _set_levels(levels)
    for name in LOGGERS:
        logging.getLogger(name).addHandler(handler)
        logging.getLogger(name).propagate = False
    try:
        yield
    finally:
        for name in LOGGERS:
            logging.getLogger(name).removeHandler(handler)
            logging.getLogger(name).propagate = True
        _set_levels(previous_levels)
        handler.close()


def _set_levels(levels: Mapping[str, int]) -> None:
    for name, level in levels.items():
        logging.getLogger(name).setLevel(level)


_BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)


class Metrics:
    """Prometheus metrics of the server [MET-08]."""

    media_type = prometheus.CONTENT_TYPE_LATEST

    def __init__(self) -> None:
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
        """All metrics in the Prometheus text format."""
        return prometheus.generate_latest(self._registry)
