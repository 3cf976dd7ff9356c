"""Wrong values of the right type, in every public method: a typed error, or an answer.

Every parameter is tried with every odd value of its type while the others are right, and
Hypothesis combines odd values of all of them.
"""

import contextlib
import inspect
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, date, datetime, timedelta, timezone
from operator import attrgetter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.cpu import seconds

from sharpwave import Memory, Message, RecallQuery, Settings, SharpwaveError
from sharpwave.client.forms import NAMESPACES
from sharpwave.types.experience import Action, TaskRun

NAN, INF, HUGE = float("nan"), float("inf"), 10**400
DEEP: Any = []
for _ in range(3000):
    DEEP = [DEEP]
LONG = "word " * 60_000
TEXTS = [
    "", " ", "\0", "a\0b", "\ud800", "x\udfffy", "\x85", "e" + "\u0301" * 500, LONG, "n" * 300,
    "a/../b", "user|lives_in|", "%s{0}", "[[[", '"', "'; --", "\u202eabc", "1e999", "9" * 5000,
    "sw_" + "\ud800", "NaN", "../../../../etc/passwd", "C:\\", "http://[::1", "2026-99-99",
]  # fmt: skip
WHOLE = [-1, 0, 2**31, 2**63, 2**64, HUGE, -HUGE, 10**5000, True]
REAL = [NAN, INF, -INF, -1.0, 1e308, 1e-320, HUGE, 2.5]
TIMES = [
    datetime.min.replace(tzinfo=UTC),
    datetime.max.replace(tzinfo=UTC),
    datetime.min.replace(tzinfo=timezone(timedelta(hours=14))),
    datetime.max.replace(tzinfo=timezone(timedelta(hours=-12))),
    datetime(2026, 1, 1),
    datetime(2099, 1, 1, tzinfo=UTC),
]
LISTS = [[text] for text in TEXTS] + [["a"] * 5000, [""] * 3]
MAPPINGS: list[Any] = [
    {"a": NAN}, {"a": INF}, {"a": HUGE}, {"\ud800": 1}, {"a": "\ud800"}, {"a": "\0"}, {"\0": 1},
    {"a": DEEP}, {"a": LONG}, {"": ""}, {"context": "\ud800"}, {"context": NAN}, {"done": "x"},
    {"tools": HUGE}, {"warmth": NAN}, {"intent": "\0"}, {"topic": "\ud800"}, {"a": object()},
    {"context": ["\ud800"], "done": [NAN], "tools": ["\0"], "agent": "\ud800"},
    {f"key {n}": n for n in range(5000)},
]  # fmt: skip
ACTIONS = [
    Action("\ud800"), Action("a", "\0"), Action("a", details={"x": NAN}),
    Action("a", error="\ud800"),
    Action("a", duration_ms=NAN), Action("a", duration_ms=HUGE), Action("a", retries=HUGE),
    Action("a", details={"x": DEEP}), Action("a", at=TIMES[0]), Action("a", at=TIMES[4]),
    Action("a", details={"\ud800": "\0"}), Action(LONG), Action("a", duration_ms=-INF),
]  # fmt: skip
RUNS: list[Any] = [
    *(TaskRun("q", steps=(action,)) for action in ACTIONS),
    *(TaskRun(text) for text in TEXTS),
    TaskRun("q", tokens=HUGE), TaskRun("q", duration_ms=NAN), TaskRun("q", at=TIMES[1]),
    TaskRun("q", task_id="\0"), TaskRun("q", session="\ud800"), TaskRun("q", plan=("\ud800",)),
    TaskRun("q", goal="\0"), TaskRun("q", feedback="\ud800"), TaskRun("q", model="\0"),
    {"query": "q", "at": "garbage"}, {"query": "q", "at": "0001-01-01T00:00:00+14:00"},
    {"query": "q", "success": HUGE}, {"query": "q", "success": 10**5000},
    {"query": "q", "steps": [{"name": "\0"}]},
    {"query": "q", "steps": [{"name": "a", "at": "x"}]}, {"query": "q", "plan": {"steps": [NAN]}},
    {"query": "q", "steps": [{"name": "a", "details": "\0"}]}, {"query": NAN}, [], [{}],
    {"query": "q", "success": []}, {"query": "q", "steps": HUGE}, {"query": "q", "plan": NAN},
]  # fmt: skip
MESSAGES: list[Any] = [
    *TEXTS, *(Message(text) for text in TEXTS), *({"content": text} for text in TEXTS),
    *(Message("hi", metadata=given) for given in MAPPINGS), *(Message("hi", at=at) for at in TIMES),
    *(Message("hi", kind="task", due=at) for at in TIMES),
    *(Message("hi", tags=(text,)) for text in TEXTS),
    *(Message("hi", scope=text) for text in TEXTS), *(Message("hi", speaker=t) for t in TEXTS),
    *(Message("hi", author=text) for text in TEXTS), *(Message("hi", session=t) for t in TEXTS),
    *(Message("hi", idempotency_key=text) for text in TEXTS), [], ["hi", "\0"],
    *(Message("hi", role=text) for text in TEXTS[:9]), *(Message("hi", kind=t) for t in TEXTS[:9]),
    {"content": [{"text": "\ud800"}]}, {"content": "hi", "at": "0001"},
    {"content": "hi", "tags": [NAN]},
]  # fmt: skip
QUERIES: list[Any] = [
    *TEXTS, *({"query": text} for text in TEXTS), *(RecallQuery("q", k=k) for k in WHOLE),
    *({"query": "q", "tags": [text]} for text in TEXTS),
    *({"query": "q", "words": [text]} for text in TEXTS),
    *({"query": "q", "since": at, "until": at} for at in TIMES), {"query": "q", "k": NAN},
    *({"query": "q", "goal": text} for text in TEXTS), {"query": "q", "kinds": ["\ud800"]},
]  # fmt: skip
FACTS = [
    *([{"text": text, "quote": text, "about": text}] for text in TEXTS),
    *([{"subject": text, "predicate": text, "object": text}] for text in TEXTS),
    *([{"text": "x", "mode": mode, "valid_to": at}] for at in TIMES for mode in ("ended", "event")),
    *([{"text": "x", "confidence": one}] for one in REAL), *([one] for one in MAPPINGS), *LISTS,
]  # fmt: skip
TASKS = [
    *([{"title": text, "quote": text}] for text in TEXTS),
    *([{"title": "x", "due": at}] for at in TIMES), *([one] for one in MAPPINGS), *LISTS,
]  # fmt: skip
RULES = [
    *([{"text": text, "scope": text, "quote": text}] for text in TEXTS),
    *([one] for one in MAPPINGS), *LISTS,
]  # fmt: skip
ODD: dict[str, list[Any]] = {
    "GivenFacts": FACTS,
    "GivenTasks": TASKS,
    "GivenRules": RULES,
    "str": TEXTS,
    "str | None": TEXTS,
    "str | Path": [*(t for t in TEXTS if "passwd" not in t), Path("\0"), Path("a" * 5000)],
    "int": WHOLE,
    "int | None": WHOLE,
    "float": REAL,
    "float | None": REAL,
    "bool": [True],
    "bool | None": [True, None],
    "datetime": TIMES,
    "datetime | None": TIMES,
    "date | None": [date.min, date.max],
    "object": [*TEXTS, *WHOLE, *REAL, *MAPPINGS, DEEP, b"\xff"],
    "Sequence[str]": LISTS,
    "Collection[str]": LISTS,
    "Iterator[str] | Sequence[str]": [*LISTS, ["[" * 5000], ["{}", "{}"]],
    "Collection[Kind | str]": LISTS,
    "Collection[Role | str]": LISTS,
    "Collection[Stage | str]": LISTS,
    "Collection[Source | str]": LISTS,
    "Collection[Trust | str]": LISTS,
    "Mapping[str, object] | None": MAPPINGS,
    "str | Mapping[str, object] | None": [*TEXTS, *MAPPINGS],
    "Trigger | Mapping[str, Any] | None": MAPPINGS,
    "Mapping[str, float]": [{"warmth": one} for one in REAL] + MAPPINGS,
    "Mapping[str, float] | None": [{"warmth": one} for one in REAL] + MAPPINGS,
    "Sequence[Mapping[str, object]]": [[one] for one in MAPPINGS],
    "str | OpenInteraction": TEXTS,
    "FeedbackType | str | None": TEXTS,
    "Action | str": [*TEXTS, *ACTIONS],
    "Run | Sequence[Run]": RUNS,
    "MessageInput | Sequence[MessageInput]": MESSAGES,
    "QueryInput": QUERIES,
    "SkillChoice | bool": [True],
    "ReadContext | None": [None],
    "Progress": [None],
}
RIGHT: dict[str, Any] = {
    "messages": "I like tea.", "text": "I like mint tea.", "query": "What do I like?",
    "message": "Help me with the report.",
    "message_id": "m1", "session": "s", "reward": 1, "moment": datetime(2026, 1, 1, tzinfo=UTC),
    "start": datetime(2025, 1, 1, tzinfo=UTC), "end": datetime(2026, 1, 1, tzinfo=UTC),
    "at": datetime(2026, 1, 1, tzinfo=UTC), "subject": "user", "predicate": "likes", "name": "Ana",
    "id": "06eu6q7m03vp9vtpeqe3hnqocc", "conflict": "c", "keep": "older", "task": "t",
    "status": "done", "user_message": "Always use tabs.", "rule": "Use tabs", "role": "assistant",
    "definition": "You help.", "category": "style", "key": "tone", "value": "warm",
    "original": "a", "corrected": "b", "skill": "mine", "template": "Answer: {user_input}",
    "dimensions": {"warmth": 0.5}, "context": "work", "on": True, "interpretation": "i",
    "action": "edit", "success": True, "type": "workflow", "pattern": "p", "sequence": ["a", "b"],
    "insight": "Run the tests first.", "one": "Ana", "other": "user", "ids": ["x"],
    "purpose": "learning", "granted": True, "lines": [], "path": "no-such-file", "run": "r",
    "url": "https://example.com/hook", "user": "mia", "interaction": "06eu6q7m03vp9vtpeqe3hnqocc",
}  # fmt: skip
SKIPPED = {
    "close", "open", "connect", "admin.check_ready", "admin.load_models",  # the memory itself
    "admin.run_worker", "admin.subscribe", "admin.subscribe_all", "admin.deliver",  # functions
    "admin.sleep_all", "admin.backup", "admin.verify", "admin.scrub", "admin.work", "sleep",
}  # fmt: skip


def parameters(method: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    found = inspect.signature(method).parameters
    return {name: one for name, one in found.items() if name not in ("self", "cls")}


def methods() -> Iterator[str]:
    for namespace, owner in {"": Memory, **NAMESPACES}.items():
        for name, member in vars(owner).items():
            full = f"{namespace}.{name}".lstrip(".")
            if inspect.isfunction(member) and not name.startswith("_") and full not in SKIPPED:
                yield full


def right(name: str, parameter: inspect.Parameter) -> Any:
    if "Run" in str(parameter.annotation):
        return TaskRun("ship it", steps=(Action("build"),))
    return RIGHT[name]


def needed(memory: Memory, name: str) -> dict[str, Any]:
    """Right values for what has to be given; ids are those of things that are there."""
    values = {
        each: right(each, one)
        for each, one in parameters(attrgetter(name)(memory)).items()
        if one.default is inspect.Parameter.empty and one.kind is not one.VAR_POSITIONAL
    }
    return {each: there(memory, name, each) or value for each, value in values.items()}


def there(memory: Memory, method: str, parameter: str) -> Any:
    """Something that is there, of which only an id is given."""
    for purpose in ("memory", "learning"):
        memory.admin.consent(purpose, True)
    if parameter == "interaction":
        return memory.agents.start("ship it")
    if parameter == "message_id":
        return memory.skills.select("Help me with the report.").message_id
    if parameter == "task" and method == "tasks.set_status":
        memory.remember(Message("call the bank", kind="task"))
        return memory.tasks.list()[0].id
    if parameter == "skill" and method != "skills.create":
        return memory.skills.list()[0].skill.id
    if parameter == "id" and method.startswith("behavior."):
        memory.behavior.add("Use tabs")
        return memory.behavior.rules()[0].id
    if parameter == "id":
        memory.remember("I live in Porto now.")
        return memory.facts.list()[0].id
    return None


def odd(parameter: inspect.Parameter) -> list[Any]:
    return ODD[str(parameter.annotation)]


def attempt(method: Callable[..., Any], arguments: Mapping[str, Any]) -> str | None:
    """What came out, if it is neither an answer nor an error of ours."""
    given = dict(arguments)
    several = [name for name, one in parameters(method).items() if one.kind is one.VAR_POSITIONAL]
    spread = [given.pop(name) for name in several if name in given]
    try:
        found = method(*spread, **given)
        if isinstance(found, Iterator):
            list(found)
    except SharpwaveError:
        return None
    except Exception as error:  # noqa: BLE001 - which is what this test looks for
        return f"{type(error).__name__}: {str(error)[:80]!r}"
    return None


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    chosen = Settings.model_validate({"embedder": {"provider": "hash"}})
    path = tmp_path_factory.mktemp("wrong") / "m.db"
    with Memory.open(path, settings=chosen) as opened:
        opened.remember("I live in Porto. My sister is Ana. I have to call the bank tomorrow.")
        opened.agents.observe(TaskRun("ship it", steps=(Action("build"), Action("test"))))
        yield opened


@pytest.mark.parametrize("name", list(methods()))
def test_one_wrong_value_gives_a_typed_error(memory: Memory, name: str) -> None:
    method, given = attrgetter(name)(memory), needed(memory, name)
    wrong = {
        parameter: found
        for parameter, one in parameters(method).items()
        for value in odd(one)
        if (found := attempt(method, {**given, parameter: value})) is not None
    }
    assert not wrong, "\n".join(f"{name}({one}): {found}" for one, found in wrong.items())


@pytest.mark.parametrize("name", list(methods()))
@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_wrong_values_together_give_a_typed_error(
    memory: Memory, name: str, data: st.DataObject
) -> None:
    method = attrgetter(name)(memory)
    chosen = data.draw(st.sets(st.sampled_from(sorted(parameters(method)) or [""])))
    known = parameters(method)
    values = {one: data.draw(st.sampled_from(odd(known[one]))) for one in sorted(chosen) if one}
    assert attempt(method, {**needed(memory, name), **values}) is None


@pytest.mark.parametrize("text", TEXTS)
def test_what_cannot_be_opened_gives_a_typed_error(tmp_path: Path, text: str) -> None:
    """Users, files and servers by odd names."""
    openings: list[Callable[[], Memory]] = [
        lambda: Memory.open(tmp_path / "m.db", user=text),
        lambda: Memory.open(tmp_path / text / "m.db"),
        lambda: Memory.connect(text, "sw_x"),
        lambda: Memory.connect("http://127.0.0.1:9", text, user=text),
    ]
    for opening in openings:
        with contextlib.suppress(SharpwaveError):
            opening().close()


def test_a_long_table_of_numbers_costs_little(memory: Memory) -> None:
    table = "1 " * 50_000  # of one digit: numbers of four might be cards, and cost more
    assert seconds(lambda: memory.remember(table), enough=0.2) < 0.2
