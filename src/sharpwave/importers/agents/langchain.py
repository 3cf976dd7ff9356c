"""Runs of LangChain and LangGraph, as their tracer exports them, and states of LangGraph.

A run has `run_type`, `inputs` and `outputs`; the root of a trace is the task, its tools are the
steps. A state has `messages` of type human, ai and tool.
"""

from collections.abc import Iterator, Mapping

from sharpwave.importers import fields as read
from sharpwave.importers.agents.calls import Cycle, known, parameters, told
from sharpwave.types.experience import TaskRun

NAME = "langchain"
EXPECTED = "runs with 'run_type', 'inputs' and 'trace_id', or states with 'messages' of type human"
_TYPES = ("human", "ai", "tool", "system")
_QUERY = ("input", "question", "query", "messages", "text")


def fits(value: object) -> bool:
    """True for a run or a state."""
    if not isinstance(value, dict):
        return False
    if "run_type" in value:
        return True
    messages = value.get("messages")
    return isinstance(messages, list) and any(
        isinstance(each, dict) and each.get("type") in _TYPES for each in messages
    )


class Reader:
    """Reads runs, nested or one by one, and states."""

    def __init__(self) -> None:
        self._traces: dict[str, list[Mapping[str, object]]] = {}

    def runs(self, value: object) -> Iterator[TaskRun]:
        """The run of a state; runs of a trace are gathered until the end."""
        given = read.fields(value, "a run")
        if "run_type" not in given:
            yield from known([_of_state(given)])
            return
        for run in _flat(given):
            trace = read.name(run.get("trace_id")) or read.name(given.get("id")) or ""
            self._traces.setdefault(trace, []).append(run)

    def rest(self) -> Iterator[TaskRun]:
        """One run for each trace."""
        for trace, runs in self._traces.items():
            yield from known([_of_trace(trace, runs)])
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
    return cycle.run(NAME, trace)


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
            cycle.said.append(told(message.get("content")))
        for call in read.elements(message.get("tool_calls"), "tool_calls"):
            given = read.fields(call, "a tool call")
            name = read.name(given.get("name")) or "tool"
            cycle.call(given.get("id"), name, given.get("args"), None)
        if kind == "tool":
            failed = True if message.get("status") == "error" else None
            cycle.answer(message.get("tool_call_id"), message.get("content"), failed, None)
    return cycle.run(NAME, state.get("id") or state.get("thread_id"))


def _query(inputs: object) -> str:
    if isinstance(inputs, dict):
        found = read.first(inputs, *_QUERY)
        return _query(found) if found is not None else told(inputs)
    if isinstance(inputs, list) and inputs:
        last = inputs[-1]
        if isinstance(last, dict):
            inner = last.get("kwargs")
            content = last.get("content") or (isinstance(inner, dict) and inner.get("content"))
            return told(content or "")
        return _query(last)
    return told(inputs)


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
