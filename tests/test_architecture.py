"""The house rules, read from the source without running it: who may import whom, and sizes.

The tables come first, then the rules, then the tests. The last part shows for every rule a small
piece of code that it refuses: a check that cannot fail would be worth nothing.
"""

import ast
import re
import socket
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parent.parent / "src" / "sharpwave"

# --- the tables -----------------------------------------------------------------------------------

# A unit is a folder or file directly in the package; `surface` is the package's own `__init__`.
# Every unit may import itself, except `errors`, which imports nothing of ours.
LEAVES = {"types", "errors", "settings", "strict_json"}
PURE = LEAVES | {"formulas", "temporal"}
MEANING = {"reading", "knowledge", "privacy", "rendering"}
FLOW = PURE | MEANING | {"ports", "workspace", "checks", "tallies", "llm"}
ADAPTER = PURE | {"ports"}
ADAPTERS = {"embedding", "llm", "storage", "index", "events", "client"}

MAY_IMPORT: dict[str, set[str]] = {
    "types": set(),
    "errors": set(),
    "strict_json": set(),
    "settings": {"types", "errors"},
    "ports": {"types"},
    "workspace": LEAVES | {"ports", "privacy", "temporal"},
    "formulas": {"types"},
    "temporal": LEAVES | {"formulas"},
    "privacy": LEAVES | {"formulas"},
    "reading": PURE | {"knowledge", "llm", "ports", "workspace"},
    "rendering": {"types", "formulas", "strict_json"},
    "knowledge": FLOW,
    "checks": {"errors", "strict_json"},
    "messages": {"types", "errors", "checks"},
    "importers": {"types", "errors", "checks", "strict_json"},
    "tallies": {"types", "ports", "workspace"},
    "llm": ADAPTER | {"privacy", "workspace"},
    "remember": FLOW,
    "recall": FLOW,
    "behavior": FLOW,
    "experience": FLOW,
    "events": FLOW,
    "sleep": FLOW | {"behavior", "experience"},
    "embedding": ADAPTER | {"llm"},
    "storage": ADAPTER,
    "index": ADAPTER,
    "client": LEAVES | {"formulas", "ports", "checks", "messages", "experience", "api", "memory"},
    "wiring": ADAPTER | ADAPTERS | {"workspace"},
    "testing": ADAPTER | ADAPTERS | {"wiring", "memory", "api", "worker", "workspace"},
    "memory": LEAVES
    | {"ports", "wiring", "checks", "messages", "importers", "worker", "client", "workspace", "api"}
    | {"remember", "recall", "knowledge", "behavior", "experience", "sleep", "events"},
    "conversation": FLOW | {"remember", "behavior"},
    "worker": LEAVES | {"ports", "formulas", "conversation", "workspace"},
    "api": LEAVES
    | {"ports", "temporal", "checks", "knowledge", "experience", "importers", "behavior", "sleep"}
    | {"messages", "events", "tallies", "remember", "recall", "workspace", "worker"},
    "aio": {"api", "memory", "experience"},
    "upkeep": LEAVES | {"wiring", "llm", "ports", "storage", "temporal"},
    "interfaces": LEAVES
    | {"memory", "aio", "upkeep", "surface", "rendering", "client", "api", "ports"},
    "data": set(),
    "surface": LEAVES | {"memory", "aio", "public", "wiring"},
    "public": LEAVES | {"memory", "ports", "wiring"},
    "__main__": {"interfaces"},
}

# In these folders only a flow knows the steps: not one another, and nobody from outside.
STEP_FOLDERS = {"remember": {"flow", "reembed_flow"}, "recall": {"flow", "context_flow"}}

# Only here may a function import: optional packages of others, or, at the top of the package, what
# a recall does not need.
LATE_IMPORT_ROOMS = {"embedding", "llm", "events", "client", "sleep", "storage", "interfaces"}
LATE_IMPORT_OF_OURS = {
    "memory",
    "api",
    "wiring",
    "worker",
    "upkeep",
    "events",
    "interfaces",
    "surface",
}

# What may be used in one file only, or (None) nowhere. A name also covers everything below it.
RESERVED: dict[str, str | None] = {
    "datetime.datetime.now": "temporal/clock.py",
    "datetime.datetime.utcnow": "temporal/clock.py",
    "datetime.datetime.today": "temporal/clock.py",
    "datetime.date.today": "temporal/clock.py",
    "time.time": "temporal/clock.py",
    "time.time_ns": "temporal/clock.py",
    "os.environ": "wiring.py",
    "os.environb": "wiring.py",
    "os.getenv": "wiring.py",
    "os.getenvb": "wiring.py",
    "pydantic_settings": "settings/environment.py",
    "json.loads": "strict_json.py",
    "json.load": None,
    "pickle": None,
    "shelve": None,
    "marshal": None,
    "builtins.eval": None,
    "builtins.exec": None,
    "yaml.load": None,
    "yaml.load_all": None,
    "yaml.full_load": None,
    "yaml.unsafe_load": None,
}

# A hook has to find the server of its memory in a few milliseconds, before it can load settings.
EXEMPT = {
    ("os.environ", "interfaces/hooks/client.py"),
    ("json.loads", "interfaces/hooks/client.py"),
    ("json.loads", "experience/intake.py"),  # reads back what it has just written, with NaN as text
    ("json.loads", "embedding/table.py"),  # a part of the package
}

# What these have written themselves, checked, they read without checking it again.
OWN_ROWS = ("storage", "index")

MAX_FILE_LINES = 500
MAX_FLOW_LINES = 150
MAX_FORMULA_LINES = 200
MAX_INIT_LINES = 10
MAX_FUNCTION_LINES = 80
MAX_PARAMETERS = 8
MOST_PARAMETERS = {"remember": 10}  # a message, and all that was understood of it

# Words that say nothing about what a thing is, in names of modules, folders and classes.
EMPTY_WORDS = set(
    """manager managers service services engine engines helper helpers util utils common misc base
    processor processors orchestrator orchestrators runner runners""".split()
)
SECOND_VERSION = re.compile(r"v[2-9]\d*")

# --- reading --------------------------------------------------------------------------------------

Found = Iterator[tuple[int, str]]  # line, what is wrong there
Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Import:
    """One imported module or name, in full and absolute: `sharpwave.types.records.Record`.

    It makes `name` mean `means`: after `import os.path`, os means os, and not os.path.
    """

    line: int
    target: str
    name: str
    means: str
    in_function: bool

    @property
    def ours(self) -> bool:
        return self.target.split(".")[0] == "sharpwave"


class Module:
    """One source file: where it stands and what is in it."""

    def __init__(self, path: str, text: str) -> None:
        self.path = path
        self.text = text
        self.tree = ast.parse(text, path)
        self.parts = path.removesuffix(".py").split("/")
        self.room = "surface" if path == "__init__.py" else self.parts[0]

    @cached_property
    def imports(self) -> list[Import]:
        return list(self._imports(self.tree, in_function=False))

    def _imports(self, node: ast.AST, in_function: bool) -> Iterator[Import]:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.Import):
                for name in child.names:
                    first = name.name.split(".")[0]
                    bound = (name.asname, name.name) if name.asname else (first, first)
                    yield Import(child.lineno, name.name, *bound, in_function)
            elif isinstance(child, ast.ImportFrom):
                for name in child.names:
                    target = f"{self._absolute(child)}.{name.name}"
                    bound = (name.asname or name.name, target)
                    yield Import(child.lineno, target, *bound, in_function)
            else:
                inside = isinstance(child, Function | ast.Lambda)
                yield from self._imports(child, in_function or inside)

    def _absolute(self, node: ast.ImportFrom) -> str:
        if not node.level:
            return node.module or ""
        package = ["sharpwave", *self.parts][: -node.level]
        return ".".join([*package, node.module] if node.module else package)

    def names_used(self) -> list[tuple[int, str]]:
        """What is used of others, in full: after `import time as t`, `t.time` is `time.time`."""
        known = {"eval": "builtins.eval", "exec": "builtins.exec"}
        known |= {each.name: each.means for each in self.imports}
        used = {(each.line, each.target) for each in self.imports}
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Name | ast.Attribute) and (dotted := dotted_name(node)):
                first, dot, rest = dotted.partition(".")
                if first in known:
                    used.add((node.lineno, known[first] + dot + rest))
        return sorted(used)

    def nodes(self, *kinds: type[ast.AST]) -> Iterator[ast.AST]:
        return (node for node in ast.walk(self.tree) if isinstance(node, kinds))


def dotted_name(node: ast.expr) -> str | None:
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        before = dotted_name(node.value)
        return f"{before}.{node.attr}" if before else None
    return None


def room_of(target: str) -> str:
    """The room of an imported name of ours; a public name of the package is the surface."""
    parts = target.split(".")
    return parts[1] if len(parts) > 1 and parts[1] in MAY_IMPORT else "surface"


# --- the rules: each yields the line and what is wrong there --------------------------------------


def rooms(module: Module) -> Found:
    """A room imports only the rooms that its row allows."""
    if module.room not in MAY_IMPORT:
        yield 1, f"{module.room} has no row in MAY_IMPORT"
        return
    allowed = MAY_IMPORT[module.room] | {module.room}
    for each in module.imports:
        if each.ours and room_of(each.target) not in allowed:
            yield each.line, f"{module.room} may not import {each.target}"


def steps(module: Module) -> Found:
    """Steps know nothing of each other; only the flow of their folder knows them."""
    for each in module.imports:
        parts = each.target.split(".")
        if not each.ours or room_of(each.target) not in STEP_FOLDERS or len(parts) < 3:
            continue
        folder, step = parts[1], parts[2]
        flows = STEP_FOLDERS[folder]
        from_flow = module.room == folder and module.parts[1] in flows
        from_outside_to_flow = module.room != folder and step in flows
        if not (from_flow or from_outside_to_flow):
            yield each.line, f"{folder}.{step} is a step; only a flow of {folder} may import it"


def late_imports(module: Module) -> Found:
    """No import inside a function, but for optional packages of others in adapters."""
    for each in module.imports:
        first = each.target.split(".")[0]
        optional = not each.ours and first not in sys.stdlib_module_names
        allowed = module.room in (LATE_IMPORT_OF_OURS if each.ours else LATE_IMPORT_ROOMS)
        slow = each.target.startswith(("http.client", "ssl")) and module.room == "events"
        if each.in_function and not (slow or (allowed and (optional or each.ours))):
            yield each.line, f"{each.target} is imported inside a function"


def reserved(module: Module) -> Found:
    """The clock, the environment and what is unsafe have one place or none."""
    for line, name in module.names_used():
        for word, place in RESERVED.items():
            own_rows = word == "json.loads" and module.room in OWN_ROWS
            if (word, module.path) in EXEMPT or own_rows:
                continue
            if f"{name}.".startswith(f"{word}.") and module.path != place:
                yield line, f"{name} is used; {f'only {place} may' if place else 'nobody may'}"


def file_length(module: Module) -> Found:
    limit = line_limit(module)
    lines = len(module.text.splitlines())
    if lines > limit:
        yield lines, f"{lines} lines, at most {limit}"


def line_limit(module: Module) -> int:
    name = module.parts[-1]
    if name == "__init__" and module.room != "surface":
        return MAX_INIT_LINES
    if name in ("flow", "cycle"):
        return MAX_FLOW_LINES
    return MAX_FORMULA_LINES if module.room == "formulas" else MAX_FILE_LINES


def functions(module: Module) -> Found:
    """Functions are short and take few parameters; `self` and `cls` do not count."""
    for node in module.nodes(ast.FunctionDef, ast.AsyncFunctionDef):
        assert isinstance(node, Function)
        lines = (node.end_lineno or node.lineno) - node.lineno + 1
        if lines > MAX_FUNCTION_LINES:
            yield node.lineno, f"{node.name}: {lines} lines, at most {MAX_FUNCTION_LINES}"
        taken = node.args
        every = [*taken.posonlyargs, *taken.args, taken.vararg, *taken.kwonlyargs, taken.kwarg]
        count = len([one for one in every if one and one.arg not in ("self", "cls")])
        most = MOST_PARAMETERS.get(node.name, MAX_PARAMETERS)
        if count > most:
            yield node.lineno, f"{node.name}: {count} parameters, at most {most}"


def names(module: Module) -> Found:
    """Modules, folders and classes are named for what they are."""
    for part in module.parts:
        yield from ((1, f"the name {part!r} says {word!r}") for word in empty_words(part))
    for node in module.nodes(ast.ClassDef):
        assert isinstance(node, ast.ClassDef)
        for word in empty_words(node.name):
            yield node.lineno, f"the name {node.name!r} says {word!r}"


def empty_words(name: str) -> list[str]:
    words = re.findall(r"[A-Z]+(?![a-z])\d*|[A-Z]?[a-z]+\d*", name)
    return [
        word
        for word in (each.lower() for each in words)
        if word in EMPTY_WORDS or SECOND_VERSION.fullmatch(word)
    ]


Rule = Callable[[Module], Found]
RULES: tuple[Rule, ...] = (
    rooms,
    steps,
    late_imports,
    reserved,
    file_length,
    functions,
    names,
)


# --- the tests ------------------------------------------------------------------------------------

PATHS = sorted(path.relative_to(SOURCE).as_posix() for path in SOURCE.rglob("*.py"))
assert "errors.py" in PATHS, "the source was not found"


@pytest.mark.parametrize("path", PATHS)
def test_module(path: str) -> None:
    module = Module(path, (SOURCE / path).read_text(encoding="utf-8"))
    broken = [
        f"src/sharpwave/{path}:{line}: [{rule.__name__}] {message}"
        for rule in RULES
        for line, message in rule(module)
    ]
    assert not broken, "\n" + "\n".join(broken)


@pytest.mark.spec("DEP-06")
def test_most_modules_are_short() -> None:
    lengths = sorted(len((SOURCE / path).read_text("utf-8").splitlines()) for path in PATHS)
    assert lengths[len(lengths) * 9 // 10] <= 350 and lengths[len(lengths) // 2] <= 200


def test_no_two_classes_share_a_name() -> None:
    places = defaultdict(list)
    for path in PATHS:
        for node in ast.walk(ast.parse((SOURCE / path).read_text("utf-8"))):
            if isinstance(node, ast.ClassDef):
                places[node.name].append(path)
    assert {name: where for name, where in places.items() if len(where) > 1} == {}


def test_no_network() -> None:
    """`conftest.py` lets tests reach this machine only (192.0.2.0/24 exists in documents only)."""
    with socket.socket() as away, pytest.raises(RuntimeError, match="no network"):
        away.connect(("192.0.2.1", 80))
    with pytest.raises(RuntimeError, match="no network"):
        socket.create_connection(("example.invalid", 80), timeout=1)
    with socket.create_server(("127.0.0.1", 0)) as server:
        socket.create_connection(server.getsockname(), timeout=1).close()


# --- every rule can fail --------------------------------------------------------------------------

LONG = "x = 1\n"
BODY = "def f():\n" + "    x = 1\n" * 80
NINE = ", ".join(f"a{number}" for number in range(9))

REFUSED: list[tuple[Rule, str, str, int]] = [
    (rooms, "errors.py", "import sharpwave.types.records", 1),
    (rooms, "types/records.py", "from sharpwave.errors import NotFound", 1),
    (rooms, "formulas/decay.py", "'''Decay.'''\nfrom sharpwave import settings", 2),
    (rooms, "ports.py", "from sharpwave.settings import Settings", 1),
    (rooms, "remember/flow.py", "from sharpwave.recall import flow", 1),
    (rooms, "recall/gather.py", "from sharpwave.storage.sqlite.store import SqliteStore", 1),
    (rooms, "recall/gather.py", "from ..index import codes", 1),
    (rooms, "behavior/rules.py", "if TYPE_CHECKING:\n    import sharpwave.experience.tools", 2),
    (rooms, "sleep/cycle.py", "from sharpwave.remember import flow", 1),
    (rooms, "memory.py", "from sharpwave.embedding.hashing import HashEmbedder", 1),
    (rooms, "memory.py", "from sharpwave.formulas import decay", 1),
    (rooms, "aio.py", "from sharpwave import wiring", 1),
    (rooms, "storage/memory.py", "from sharpwave.index import codes", 1),
    (rooms, "interfaces/cli/app.py", "from sharpwave.wiring import build", 1),
    (rooms, "evals/locomo.py", "from sharpwave.memory import Memory", 1),
    (rooms, "wiring.py", "from sharpwave.memory import Memory", 1),
    (rooms, "formulas/decay.py", "from sharpwave import Memory", 1),
    (rooms, "attic/old.py", "", 1),
    (steps, "remember/gate.py", "from sharpwave.remember import intake", 1),
    (steps, "remember/gate.py", "from sharpwave.remember.flow import remember", 1),
    (steps, "recall/score.py", "from .gather import gather", 1),
    (steps, "memory.py", "from sharpwave.recall.score import score", 1),
    (late_imports, "recall/gather.py", "def f():\n    import json", 2),
    (late_imports, "recall/gather.py", "def f():\n    import openai", 2),
    (late_imports, "recall/cue.py", "def f():\n    from sharpwave import ports", 2),
    (late_imports, "providers/openai.py", "class C:\n    async def f(self):\n        import os", 3),
    (reserved, "recall/cue.py", "from datetime import datetime\nx = datetime.now()", 2),
    (reserved, "importers/letta.py", "import json\nx = json.loads(y)", 2),
    (reserved, "recall/cue.py", "import datetime as d\nx = d.datetime.now(d.UTC)", 2),
    (reserved, "recall/cue.py", "import datetime\nx = datetime.datetime.utcnow", 2),
    (reserved, "temporal/validity.py", "import time\nx = time.time()", 2),
    (reserved, "temporal/validity.py", "from time import time as t", 1),
    (reserved, "settings.py", "import os\nx = os.environ['HOME']", 2),
    (reserved, "settings.py", "from os import getenv", 1),
    (reserved, "settings.py", "from pydantic_settings import BaseSettings", 1),
    (reserved, "wiring.py", "import pickle", 1),
    (reserved, "wiring.py", "from pickle import loads", 1),
    (reserved, "wiring.py", "x = eval('1')", 1),
    (reserved, "wiring.py", "def f(x):\n    exec(x)", 2),
    (reserved, "wiring.py", "import yaml\nx = yaml.load('1', yaml.SafeLoader)", 2),
    (file_length, "remember/gate.py", LONG * 501, 501),
    (file_length, "remember/flow.py", LONG * 151, 151),
    (file_length, "sleep/cycle.py", LONG * 151, 151),
    (file_length, "formulas/decay.py", LONG * 201, 201),
    (file_length, "formulas/__init__.py", LONG * 11, 11),
    (functions, "memory.py", LONG + BODY, 2),
    (functions, "memory.py", "class C:\n    async def f(self, " + NINE + "): ...", 2),
    (functions, "memory.py", "def f(a, /, b, *c, d, e, f, g, h, **i): ...", 1),
    (names, "storage/utils.py", "", 1),
    (names, "interfaces/service/app.py", "", 1),
    (names, "recall/score_v2.py", "", 1),
    (names, "memory.py", "class SkillManager: ...", 1),
    (names, "memory.py", "class LLMBase: ...", 1),
    (names, "memory.py", "class StoreV2: ...", 1),
]

ALLOWED: list[tuple[str, str]] = [
    ("types/records.py", "from sharpwave.types.message import Message"),
    ("remember/flow.py", "from sharpwave.remember import gate, intake"),
    ("remember/gate.py", "from sharpwave.formulas.decay import retention\nimport numpy as np"),
    ("sleep/cycle.py", "from sharpwave.behavior import rules"),
    ("memory.py", "from sharpwave import wiring\nfrom sharpwave.recall.flow import recall"),
    ("wiring.py", "import os\nfrom sharpwave.storage.sqlite.store import S\nx = os.environ"),
    ("interfaces/cli/app.py", "from sharpwave import Memory, __version__"),
    ("storage/sqlite/store.py", "def f():\n    import keyring"),
    ("temporal/clock.py", "from datetime import UTC, datetime\nx = datetime.now(UTC)"),
    ("recall/flow.py", "def f(ports):\n    return ports.clock.now()"),
    ("recall/flow.py", "import time\nx = time.perf_counter()"),
    ("embedding/table.py", "import yaml\nx = yaml.safe_load('1')"),
    ("formulas/decay.py", LONG * 200),
    ("__init__.py", LONG * 500),
    ("memory.py", "class C:\n    def f(self, " + NINE.removeprefix("a0, ") + "): ..."),
    ("storage/sqlite/database.py", "class Database(BaseModel): ..."),
]


@pytest.mark.parametrize(("rule", "path", "text", "line"), REFUSED)
def test_refused(rule: Rule, path: str, text: str, line: int) -> None:
    found = {each.__name__: list(each(Module(path, text))) for each in RULES}
    assert line in [where for where, _ in found[rule.__name__]], found


@pytest.mark.parametrize(("path", "text"), ALLOWED)
def test_allowed(path: str, text: str) -> None:
    module = Module(path, text)
    assert not [found for rule in RULES for found in rule(module)]


def test_every_rule_refuses_something() -> None:
    assert {rule for rule, *_ in REFUSED} == set(RULES)
