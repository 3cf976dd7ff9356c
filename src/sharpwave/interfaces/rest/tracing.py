"""Spans with the names of OpenTelemetry's conventions for memory, if OpenTelemetry is installed."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

_OPERATIONS = {
    "remember": "create_memory",
    "import_": "upsert_memory",
    "import_chats": "create_memory",
    "recall": "search_memory",
    "context": "search_memory",
    "forget": "delete_memory",
    "end_fact": "update_memory",
    "set_task": "update_memory",
    "resolve": "update_memory",
}
"""Names of open-telemetry/semantic-conventions-genai; queries and contents are never recorded."""


def tracer(provider: Any = None) -> Callable[[str], AbstractContextManager[Any]]:
    """What gives the span of a call of the facade; `provider` is the global one if not given."""
    try:
        from opentelemetry import trace  # noqa: PLC0415 - an optional package
    except ImportError:
        return lambda method: nullcontext()
    source = trace.get_tracer("sharpwave", tracer_provider=provider)

    def span(method: str) -> AbstractContextManager[Any]:
        operation = _OPERATIONS.get(method)
        if operation is None:
            return nullcontext()
        attributes = {"gen_ai.operation.name": operation, "gen_ai.memory.store.id": "sharpwave"}
        return source.start_as_current_span(f"{operation} sharpwave", attributes=attributes)

    return span
