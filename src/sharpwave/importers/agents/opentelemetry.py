"""Spans of OpenTelemetry with the names of its GenAI conventions.

Either whole OTLP requests with `resourceSpans`, or a span a line. Spans of one trace are one run:
those that execute a tool are its steps, and the agent or chat span says what was asked.
"""

from collections.abc import Iterator, Mapping

from sharpwave import strict_json
from sharpwave.importers import items as read
from sharpwave.importers.agents.calls import Cycle, LogFormat, answer_text
from sharpwave.types.experience import TaskRun

NAME = "opentelemetry"
_TOOL = "execute_tool"
_QUERY = ("gen_ai.input.messages", "gen_ai.prompt", "gen_ai.prompt.0.content", "input.value")
_TOKENS = ("gen_ai.usage.input_tokens", "gen_ai.usage.output_tokens")
_ERROR = (2, "STATUS_CODE_ERROR", "ERROR", "error")
_OK = (1, "STATUS_CODE_OK", "OK", "ok")
_NANOSECONDS = 1e9


def fits(value: object) -> bool:
    """True for an OTLP request, or a span about a model or a tool."""
    if not isinstance(value, dict):
        return False
    if "resourceSpans" in value:
        return True
    return any(name.startswith("gen_ai.") for name in _attributes(value))


class OpenTelemetryReader:
    """Gathers spans by trace."""

    def __init__(self) -> None:
        self._traces: dict[str, list[Mapping[str, object]]] = {}

    def runs(self, value: object) -> Iterator[TaskRun | None]:
        """Spans are gathered until the end."""
        for span in _spans(read.fields(value, "a span")):
            self._traces.setdefault(_trace(span), []).append(span)
        return iter(())

    def rest(self) -> Iterator[TaskRun | None]:
        """One run for each trace."""
        for trace, spans in self._traces.items():
            yield _run(trace, spans)
        self._traces = {}


def _spans(value: Mapping[str, object]) -> Iterator[Mapping[str, object]]:
    if "resourceSpans" not in value:
        yield value
        return
    for resource in read.elements(value["resourceSpans"], "resourceSpans"):
        inner = read.fields(resource, "a resource")
        for scope in read.elements(inner.get("scopeSpans"), "scopeSpans"):
            for span in read.elements(read.fields(scope, "a scope").get("spans"), "spans"):
                yield read.fields(span, "a span")


def _trace(span: Mapping[str, object]) -> str:
    context = span.get("context")
    inner = context if isinstance(context, dict) else {}
    return read.name(span.get("traceId") or span.get("trace_id") or inner.get("trace_id")) or ""


def _attributes(span: Mapping[str, object]) -> dict[str, object]:
    """Attributes by name, whether as an object or as OTLP's list of keys and values."""
    given = span.get("attributes")
    if isinstance(given, dict):
        return given
    if not isinstance(given, list):
        return {}
    pairs = (each for each in given if isinstance(each, dict))
    return {str(pair.get("key")): _plain(pair.get("value")) for pair in pairs}


def _plain(value: object) -> object:
    if not isinstance(value, dict):
        return value
    if "intValue" in value:
        return int(str(value["intValue"]))
    return next(iter(value.values()), None)


def _run(trace: str, spans: list[Mapping[str, object]]) -> TaskRun | None:
    spans.sort(key=lambda span: str(_time(span, "start")))
    cycle = Cycle()
    for span in spans:
        about = _attributes(span)
        query = read.first(about, *_QUERY)
        if query is not None and not cycle.said:
            cycle.said.append(_query(query))
        if about.get("gen_ai.operation.name") == _TOOL or "gen_ai.tool.name" in about:
            _take_tool(cycle, span, about)
        model = about.get("gen_ai.request.model") or about.get("gen_ai.response.model")
        cycle.model = read.name(model) or cycle.model
        cycle.session = read.name(about.get("gen_ai.conversation.id")) or cycle.session
        found = (about.get(name) for name in _TOKENS)
        cycle.tokens += sum(each for each in found if isinstance(each, int))
    roots = [span for span in spans if not (span.get("parentSpanId") or span.get("parent_id"))]
    root = roots[0] if roots else spans[0]
    cycle.at, cycle.end = read.moment(_time(root, "start")), read.moment(_time(root, "end"))
    cycle.success = _outcome(root)
    return cycle.run(NAME, trace)


def _take_tool(cycle: Cycle, span: Mapping[str, object], about: Mapping[str, object]) -> None:
    id_ = about.get("gen_ai.tool.call.id") or span.get("spanId") or span.get("span_id")
    name = read.name(about.get("gen_ai.tool.name") or span.get("name")) or "tool"
    arguments = about.get("gen_ai.tool.call.arguments")
    cycle.call(id_, name, arguments, read.moment(_time(span, "start")))
    failed = _outcome(span) is False or about.get("error.type") is not None
    status = span.get("status")
    message = status.get("message") if isinstance(status, dict) else None
    answer = message or about.get("error.type") or about.get("gen_ai.tool.call.result")
    cycle.answer(id_, answer, failed, read.moment(_time(span, "end")))


def _time(span: Mapping[str, object], which: str) -> object:
    nanoseconds = span.get(f"{which}TimeUnixNano")
    if nanoseconds is not None:
        try:
            return int(str(nanoseconds)) / _NANOSECONDS
        except ValueError:
            return None
    return span.get(f"{which}_time")


def _outcome(span: Mapping[str, object]) -> bool | None:
    status = span.get("status")
    given = status if isinstance(status, dict) else {}
    code = given.get("code", given.get("status_code"))
    if code in _ERROR:
        return False
    return True if code in _OK else None


def _query(value: object) -> str:
    """The words of the last message of the user."""
    if isinstance(value, str):
        try:
            value = strict_json.loads(value)
        except ValueError:
            return str(value)
    messages = value if isinstance(value, list) else [value]
    spoken = [each for each in messages if isinstance(each, dict) and each.get("role") == "user"]
    for message in reversed(spoken):
        parts = message.get("parts")
        content = message.get("content")
        if isinstance(parts, list):
            texts = [part.get("content") for part in parts if isinstance(part, dict)]
            content = "\n".join(text for text in texts if isinstance(text, str))
        if content:
            return answer_text(content)
    return answer_text(value) if not spoken and isinstance(value, str) else ""


OPENTELEMETRY = LogFormat(
    NAME,
    "OTLP 'resourceSpans', or spans with 'attributes' whose names begin with gen_ai.",
    fits,
    OpenTelemetryReader,
)
