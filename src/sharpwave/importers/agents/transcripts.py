"""Transcripts of agents: Claude Code sessions, LangChain runs, chat messages with tool calls.

Claude Code writes an event a line; each request of the user begins a run, and the tools used until
the next are its steps. A LangChain run has `run_type`, `inputs` and `outputs`; the root of a trace
is the task, its tools are the steps. A state of LangGraph has `messages` of type human, ai and
tool. A transcript in the form of OpenAI's chat messages is an object with `messages` (or `traj`),
or a list of messages; its outcome is `success`, `outcome` or a `reward` of 1, if there is one.
"""

from collections.abc import Iterator, Mapping

from sharpwave.importers import items as read
from sharpwave.importers.agents.calls import Cycle, LogFormat, answer_text, parameters
from sharpwave.types.experience import TaskRun

CLAUDE_CODE_NAME = "claude-code"
_SKIPPED = ("<command-", "<local-command", "<system-reminder", "Caveat:")


def fits_claude_code(value: object) -> bool:
    """True for an event of a session."""
    return (
        isinstance(value, dict)
        and value.get("type") in ("user", "assistant")
        and isinstance(value.get("message"), dict)
        and ("sessionId" in value or "uuid" in value)
    )


class ClaudeCodeReader:
    """Reads events in order."""

    def __init__(self) -> None:
        self._cycle = Cycle()

    def runs(self, value: object) -> Iterator[TaskRun | None]:
        """The run that a new question completes."""
        if not fits_claude_code(value):
            return
        event = read.fields(value, "an event")
        message = read.fields(event["message"], "its message")
        at = read.moment(event.get("timestamp"))
        query = _user_query(event, message)
        if query:
            yield from self.rest()
            self._cycle = Cycle([query], session=read.name(event.get("sessionId")), at=at)
        self._cycle.end = at or self._cycle.end
        model = read.name(message.get("model"))
        self._cycle.model = model or self._cycle.model
        self._cycle.tokens += _tokens(message)
        for part in _parts(message):
            if part.get("type") == "tool_use":
                name = read.name(part.get("name")) or "tool"
                self._cycle.call(part.get("id"), name, part.get("input"), at)
            elif part.get("type") == "tool_result":
                failed = part.get("is_error") is True
                self._cycle.answer(part.get("tool_use_id"), part.get("content"), failed, at)

    def rest(self) -> Iterator[TaskRun | None]:
        """The last run."""
        cycle, self._cycle = self._cycle, Cycle()
        yield cycle.run(CLAUDE_CODE_NAME, cycle.session, cycle.at)


def _parts(message: Mapping[str, object]) -> list[Mapping[str, object]]:
    content = message.get("content")
    return [part for part in content if isinstance(part, dict)] if isinstance(content, list) else []


def _user_query(event: Mapping[str, object], message: Mapping[str, object]) -> str | None:
    """What the user asked; not results of tools or notes of the program."""
    if event.get("type") != "user" or event.get("isMeta") or event.get("isSidechain"):
        return None
    if any(part.get("type") == "tool_result" for part in _parts(message)):
        return None
    text = answer_text(message.get("content")).strip()
    return None if not text or text.startswith(_SKIPPED) else text


def _tokens(message: Mapping[str, object]) -> int:
    usage = message.get("usage")
    counts = usage if isinstance(usage, dict) else {}
    found = (counts.get(name) for name in ("input_tokens", "output_tokens"))
    return sum(each for each in found if isinstance(each, int))


LANGCHAIN_NAME = "langchain"
_TYPES = ("human", "ai", "tool", "system")
_QUERY = ("input", "question", "query", "messages", "text")


def fits_langchain(value: object) -> bool:
    """True for a run or a state."""
    if not isinstance(value, dict):
        return False
    if "run_type" in value:
        return True
    messages = value.get("messages")
    return isinstance(messages, list) and any(
        isinstance(each, dict) and each.get("type") in _TYPES for each in messages
    )


class LangChainReader:
    """Reads runs, nested or one by one, and states."""

    def __init__(self) -> None:
        self._traces: dict[str, list[Mapping[str, object]]] = {}

    def runs(self, value: object) -> Iterator[TaskRun | None]:
        """The run of a state; runs of a trace are gathered until the end."""
        given = read.fields(value, "a run")
        if "run_type" not in given:
            yield _of_state(given)
            return
        for run in _flat(given):
            trace = read.name(run.get("trace_id")) or read.name(given.get("id")) or ""
            self._traces.setdefault(trace, []).append(run)

    def rest(self) -> Iterator[TaskRun | None]:
        """One run for each trace."""
        for trace, runs in self._traces.items():
            yield _of_trace(trace, runs)
        self._traces = {}


def _flat(run: Mapping[str, object]) -> Iterator[Mapping[str, object]]:
    yield run
    for child in read.elements(run.get("child_runs"), "child_runs"):
        yield from _flat(read.fields(child, "a run"))


def _of_trace(trace: str, runs: list[Mapping[str, object]]) -> TaskRun | None:
    runs.sort(key=lambda run: str(run.get("start_time", "")))
    root = next((run for run in runs if not run.get("parent_run_id")), runs[0])
    cycle = Cycle([_query(root.get("inputs"))])
    cycle.at, cycle.end = (read.moment(root.get(name)) for name in ("start_time", "end_time"))
    cycle.session = read.name(_extra(root).get("session_id") or _extra(root).get("thread_id"))
    cycle.success = False if root.get("error") else _feedback(root)
    for run in runs:
        if run.get("run_type") == "tool":
            _take_tool(cycle, run)
        elif run.get("run_type") == "llm":
            cycle.model = read.name(_extra(run).get("ls_model_name")) or cycle.model
    return cycle.run(LANGCHAIN_NAME, trace)


def _take_tool(cycle: Cycle, run: Mapping[str, object]) -> None:
    start, end = (read.moment(run.get(name)) for name in ("start_time", "end_time"))
    inputs = run.get("inputs")
    given = inputs.get("input", inputs) if isinstance(inputs, dict) else inputs
    id_ = run.get("id")
    cycle.call(id_, read.name(run.get("name")) or "tool", parameters(given), start)
    error = run.get("error")
    cycle.answer(id_, error or run.get("outputs"), bool(error), end)


def _of_state(state: Mapping[str, object]) -> TaskRun | None:
    cycle = Cycle(session=read.name(state.get("thread_id")))
    for each in read.elements(state.get("messages"), "messages"):
        message = read.fields(each, "a message")
        kind = message.get("type")
        if kind == "human":
            cycle.said.append(answer_text(message.get("content")))
        for call in read.elements(message.get("tool_calls"), "tool_calls"):
            given = read.fields(call, "a tool call")
            name = read.name(given.get("name")) or "tool"
            cycle.call(given.get("id"), name, given.get("args"), None)
        if kind == "tool":
            failed = True if message.get("status") == "error" else None
            cycle.answer(message.get("tool_call_id"), message.get("content"), failed, None)
    return cycle.run(LANGCHAIN_NAME, state.get("id") or state.get("thread_id"))


def _query(inputs: object) -> str:
    if isinstance(inputs, dict):
        found = read.first(inputs, *_QUERY)
        return _query(found) if found is not None else answer_text(inputs)
    if isinstance(inputs, list) and inputs:
        last = inputs[-1]
        if isinstance(last, dict):
            inner = last.get("kwargs")
            content = last.get("content") or (isinstance(inner, dict) and inner.get("content"))
            return answer_text(content or "")
        return _query(last)
    return answer_text(inputs)


def _extra(run: Mapping[str, object]) -> Mapping[str, object]:
    extra = run.get("extra")
    metadata = extra.get("metadata") if isinstance(extra, dict) else None
    return metadata if isinstance(metadata, dict) else {}


def _feedback(root: Mapping[str, object]) -> bool | None:
    stats = root.get("feedback_stats")
    if isinstance(stats, dict):
        for each in stats.values():
            score = each.get("avg") if isinstance(each, dict) else None
            if isinstance(score, (int, float)):
                return score >= 0.5
    return None


OPENAI_NAME = "openai-tools"
_LISTS = ("messages", "traj", "trajectory", "conversation")


def fits_openai(value: object) -> bool:
    """True for a transcript with tool calls, or a message."""
    messages = _messages(value)
    return any(
        isinstance(each, dict) and ("tool_calls" in each or each.get("role") == "tool")
        for each in messages
    )


class OpenAIToolsReader:
    """Reads transcripts; plain messages in a row are one transcript."""

    def __init__(self) -> None:
        self._loose: list[object] = []

    def runs(self, value: object) -> Iterator[TaskRun | None]:
        """The run of a transcript."""
        if isinstance(value, dict) and "role" in value:
            self._loose.append(value)
            return
        about = value if isinstance(value, dict) else {}
        yield _run(_messages(value), about)

    def rest(self) -> Iterator[TaskRun | None]:
        """The run of loose messages."""
        if self._loose:
            yield _run(self._loose, {})


def _messages(value: object) -> list[object]:
    if isinstance(value, dict):
        if "role" in value:
            return [value]
        lists = (value[name] for name in _LISTS if isinstance(value.get(name), list))
        return list(next(lists, []))
    return value if isinstance(value, list) else []


def _run(messages: list[object], about: Mapping[str, object]) -> TaskRun | None:
    cycle = Cycle(success=_outcome(about))
    cycle.session = read.name(read.first(about, "session", "session_id", "conversation_id"))
    cycle.model = read.name(about.get("model"))
    cycle.at = read.moment(read.first(about, "at", "created_at", "timestamp"))
    for each in messages:
        _take(cycle, read.fields(each, "a message"))
    ids = [about.get(name) for name in ("id", "task_id", "trial") if about.get(name) is not None]
    return cycle.run(OPENAI_NAME, *ids)


def _take(cycle: Cycle, message: Mapping[str, object]) -> None:
    role, content = message.get("role"), message.get("content")
    at = read.moment(read.first(message, "timestamp", "at", "created_at"))
    if role == "user":
        cycle.said.append(answer_text(content))
    elif role in ("tool", "function"):
        cycle.answer(message.get("tool_call_id") or message.get("name"), content, None, at)
    for call in read.elements(message.get("tool_calls"), "tool_calls"):
        given = read.fields(call, "a tool call")
        function = read.optional_fields(given.get("function"), "its function")
        name = read.name(function.get("name") or given.get("name"))
        if name:
            arguments = function.get("arguments", given.get("args"))
            cycle.call(given.get("id") or name, name, arguments, at)


def _outcome(about: Mapping[str, object]) -> bool | None:
    for name in ("success", "outcome", "reward"):
        found = about.get(name)
        if isinstance(found, bool):
            return found
        if isinstance(found, (int, float)):
            return found >= 1.0
        if isinstance(found, str):
            return found.lower() in ("success", "completed", "passed", "resolved")
    return None


CLAUDE_CODE = LogFormat(
    CLAUDE_CODE_NAME,
    ("lines of type 'user' or 'assistant' with 'message', 'sessionId' and 'timestamp'"),
    fits_claude_code,
    ClaudeCodeReader,
)


LANGCHAIN = LogFormat(
    LANGCHAIN_NAME,
    ("runs with 'run_type', 'inputs' and 'trace_id', or states with 'messages' of type human"),
    fits_langchain,
    LangChainReader,
)


OPENAI_TOOLS = LogFormat(
    OPENAI_NAME,
    "transcripts with 'messages' of role user, assistant (tool_calls) and tool",
    fits_openai,
    OpenAIToolsReader,
)
