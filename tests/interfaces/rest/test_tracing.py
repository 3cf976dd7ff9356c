"""Spans have the names that OpenTelemetry agreed on for memory, and tell nothing that was said."""

from pathlib import Path

import pytest
from tests.interfaces.rest.serving import serving

from sharpwave.interfaces.rest.telemetry import tracer

trace = pytest.importorskip("opentelemetry.sdk.trace")
memory_of_spans = pytest.importorskip(
    "opentelemetry.sdk.trace.export.in_memory_span_exporter"
).InMemorySpanExporter


def test_spans_of_memory(tmp_path: Path) -> None:
    spans = memory_of_spans()
    provider = trace.TracerProvider()
    provider.add_span_processor(
        pytest.importorskip("opentelemetry.sdk.trace.export").SimpleSpanProcessor(spans)
    )
    with serving(tmp_path / "m.db") as served:
        served.door.app.state.span = tracer(provider)
        with served.http(served.key("ana")) as http:
            http.post("/v1/remember", json={"messages": "Remind me to feed the wombats."})
            (task,) = http.get("/v1/tasks").json()["items"]
            http.put(f"/v1/tasks/{task['id']}/status", json={"status": "done"})
            http.post("/v1/recall", json={"query": "wombats"})
            http.get("/v1/facts", params={"subject": "wombats"})
            http.post("/v1/forget", json={"everything": True})
    found = spans.get_finished_spans()
    assert [span.attributes["gen_ai.operation.name"] for span in found] == [
        "create_memory",
        "update_memory",
        "search_memory",
        "delete_memory",
    ]
    assert "wombats" not in str([span.to_json() for span in found])
    assert "ana" not in str([dict(span.attributes) for span in found])
