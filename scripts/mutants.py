"""Do the tests notice when the code is wrong?  Changes it, one place at a time, and runs them.

`mutants.toml` names groups of files and the tests that watch over them. The tests of a group are
collected once and run once, to see which functions each of them calls. Then every mutant gets a
forked copy of the process, in which its functions work by the changed code, and the tests that call
the changed function are run, the quick ones first, until one fails. A mutant that none notices
survives; those that mean the same as the original are in `mutants.toml`, with the reason. Tests of
how long something takes, which is longer when it is watched, are `left_out`, and so are long ones.

    python scripts/mutants.py [GROUP ...] [--only PART_OF_A_PATH]
"""

import argparse
import ast
import json
import os
import resource
import signal
import sys
import tempfile
import threading
import time
import tomllib
import types
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

import pytest

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src" / "sharpwave"
MEMORY = 3 << 30  # bytes that a mutant may take
SLACK_S = 2.0  # CPU seconds that a test may take with it, on top of five times the usual
SWAPS = """Lt LtE GtE; LtE Lt Gt; Gt GtE LtE; GtE Gt Lt; Eq NotEq; NotEq Eq; Is IsNot; IsNot Is;
    In NotIn; NotIn In; Add Sub; Sub Add; Mult Div; Div Mult; FloorDiv Mult; Mod Mult; Pow Mult;
    BitOr BitAnd; BitAnd BitOr; LShift RShift; RShift LShift; And Or; Or And; USub UAdd"""
OTHERS = {name: rest for name, *rest in (each.split() for each in SWAPS.split(";"))}
CALLED = {"min": "max", "max": "min", "any": "all", "all": "any"}
UNTOUCHED = {"annotation", "returns", "decorator_list"}
QUIET = ("cacheprovider", "terminal")
Called = list[tuple[str, int]]  # functions: their file and first line
Timed = tuple[float, int]  # a test: its CPU seconds and its place


class Mutant(NamedTuple):
    """One field of one node has another value."""

    node: ast.AST
    name: str
    new: Any
    inside: tuple[int, int] | None  # the lines of the outermost function around it
    path: str
    line: int
    told: dict[str, str]


def variants(node: ast.AST) -> Iterator[tuple[str, Any]]:
    """What else could stand here: a field of the node and its new value.

    >>> [ast.unparse(new) for _, new in variants(ast.parse("if a: pass").body[0])]
    ['not a']
    """
    match node:
        case ast.Compare(ops=ops):
            every = ((place, new) for place, op in enumerate(ops) for new in swapped(op))
            yield from (("ops", [*ops[:n], new, *ops[n + 1 :]]) for n, new in every)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield "operand", ast.UnaryOp(ast.Not(), operand)
        case ast.BinOp(op=op) | ast.AugAssign(op=op) | ast.BoolOp(op=op) | ast.UnaryOp(op=op):
            yield from (("op", new) for new in swapped(op))
        case ast.Constant(value=value):
            yield from (("value", new) for new in numbers(value))
        case ast.Return(value=ast.expr()) | ast.Expr(value=ast.Call()):
            yield "value", ast.Constant(None)
        case ast.Call(keywords=named):
            places = range(len(named))
            yield from (("keywords", named[:place] + named[place + 1 :]) for place in places)
        case ast.Name(id=name) if name in CALLED:
            yield "id", CALLED[name]
        case ast.If(test=test) | ast.IfExp(test=test) | ast.While(test=test):
            if not isinstance(test, ast.Compare | ast.BoolOp | ast.UnaryOp | ast.Constant):
                yield "test", ast.UnaryOp(ast.Not(), test)


def numbers(value: object) -> list[object]:
    """
    >>> numbers(True), numbers(3), numbers(0.5), numbers(0.0)
    ([False], [4, 2], [1.0, 0.0], [1.0])
    """
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, float):
        return [value * 2, 0.0] if value else [1.0]
    return [value + 1, value - 1] if isinstance(value, int) else []


def swapped(op: ast.AST) -> list[ast.AST]:
    return [getattr(ast, name)() for name in OTHERS.get(type(op).__name__, ())]


@contextmanager
def changed(mutant: Mutant) -> Iterator[None]:
    old = getattr(mutant.node, mutant.name)
    setattr(mutant.node, mutant.name, mutant.new)
    yield
    setattr(mutant.node, mutant.name, old)


def mutants(path: Path, tree: ast.Module) -> Iterator[Mutant]:
    """All mutants of a file, from its first line to its last."""
    file, lines = str(path.relative_to(SOURCE)), path.read_text("utf-8").splitlines()

    def within(node: ast.AST, inside: tuple[int, int] | None) -> Iterator[Mutant]:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and inside is None:
            first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
            inside = (first, node.end_lineno or first)
        for name, new in variants(node):
            line = getattr(node, "lineno", 0)
            told = {"file": file, "line": lines[line - 1].strip()}
            mutant = Mutant(node, name, new, inside, str(path), line, told)
            was = words(node)
            with changed(mutant):
                told["change"] = f"{was} → {words(node)}"
            if told["change"] != f"{was} → {was}":
                yield mutant
        for name, value in ast.iter_fields(node):
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST) and name not in UNTOUCHED:
                    # The default of a parameter is worked out when the module is read.
                    yield from within(child, None if isinstance(node, ast.arguments) else inside)

    return within(tree, None)


def words(node: ast.AST) -> str:
    return ast.unparse(node.test if isinstance(node, ast.If | ast.While) else node)


def put_in_place(module: types.ModuleType, tree: ast.Module, mutant: Mutant) -> None:
    """Let the functions of a module, wherever they were imported, work by the mutant's code."""
    new: dict[str, Any] = {"__name__": module.__name__, "__file__": module.__file__}
    with changed(mutant):
        exec(compile(ast.fix_missing_locations(tree), str(module.__file__), "exec"), new)
    ours = [each for name, each in sys.modules.items() if name.startswith("sharpwave")]
    for name, value in new.items():
        old = vars(module).get(name)
        if not took_over(old, value, module.__name__) and mutant.inside is None:
            for other in ours if not name.startswith("__") else ():
                if vars(other).get(name) is old:
                    setattr(other, name, value)


def took_over(old: Any, new: Any, module: str) -> bool:
    """True for functions and classes; those of this module work like the new ones from now on."""
    if hasattr(old, "cache_clear"):
        old.cache_clear()
    if isinstance(new, type):
        for name, value in vars(new).items() if new.__module__ == module else ():
            took_over(vars(old).get(name), value, module)
    elif isinstance(new, property):
        took_over(old.fget, new.fget, module)
    elif hasattr(new, "__wrapped__"):
        took_over(old.__wrapped__, new.__wrapped__, module)
    elif isinstance(new, types.FunctionType) and new is not old:
        old.__code__, old.__defaults__ = new.__code__, new.__defaults__
        old.__kwdefaults__ = new.__kwdefaults__
    return isinstance(new, type | property | types.FunctionType | types.ModuleType)


class Hunt:
    """A plugin of pytest: where tests would be run, they are run for every mutant."""

    def __init__(self, files: list[Path], same: list[dict[str, str]]) -> None:
        self.files, self.same = files, same
        self.tried: list[Mutant] = []
        self.survived: list[Mutant] = []
        self.alike: list[dict[str, str]] = []

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        seen = watched(session)
        for path in self.files:
            tree = ast.parse(path.read_text("utf-8"))
            module = ".".join(path.relative_to(SOURCE.parent).with_suffix("").parts)
            for mutant in mutants(path, tree):
                tests = watching(seen, mutant)
                self.tried.append(mutant)
                if not (tests and noticed(session, module, tree, mutant, tests)):
                    self.judge(mutant)
        return True

    def judge(self, mutant: Mutant) -> None:
        for one in self.same:
            if mutant.told.items() <= one.items():
                return self.alike.append(one)
        self.survived.append(mutant)
        told = mutant.told
        print(f"{told['file']}:{mutant.line}: {told['change']}    [{told['line']}]", flush=True)


def watching(seen: list[tuple[float, Called]], mutant: Mutant) -> list[Timed]:
    """Tests that call the changed function; what a module says outside of them, any may read."""
    every = [(took, place) for place, (took, _) in enumerate(seen)]
    calling = sorted(each for each in every if reaches(seen[each[1]][1], mutant))
    others = sorted(each for each in every if each not in calling)
    return calling if mutant.inside else [*calling, *others]


def reaches(called: Called, mutant: Mutant) -> bool:
    first, last = mutant.inside or (0, sys.maxsize)
    return any(path == mutant.path and first <= line <= last for path, line in called)


def watched(session: pytest.Session) -> list[tuple[float, Called]]:
    """For each test its CPU seconds and the functions of ours that it calls."""
    called: set[tuple[str, int]] = set()
    ours, found = str(SOURCE), []

    def look(frame: types.FrameType, event: str, _: Any) -> None:
        if frame.f_code.co_filename.startswith(ours):
            called.add((frame.f_code.co_filename, frame.f_code.co_firstlineno))

    reading, writing = os.pipe()
    if not os.fork():
        threading.settrace(look)
        for place in range(len(session.items)):
            called.clear()
            began = time.process_time()
            sys.settrace(look)
            passed = passes(session, [(60.0, place)])
            sys.settrace(None)
            found.append((time.process_time() - began, sorted(called)))
            if not passed:
                print(f"fails as it is: {session.items[place].nodeid}", file=sys.__stderr__)
        with os.fdopen(writing, "w") as out:
            json.dump(found if not session.testsfailed else None, out)
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as came:
        seen = json.load(came)
    os.wait()
    if seen is None:
        raise pytest.UsageError("some tests fail as it is; mutants would tell nothing")
    return [(took, [(path, line) for path, line in each]) for took, each in seen]


def noticed(
    session: pytest.Session, module: str, tree: ast.Module, mutant: Mutant, tests: list[Timed]
) -> bool:
    if not (child := os.fork()):
        with suppress(BaseException):  # whatever a mutant breaks was noticed
            resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
            put_in_place(sys.modules[module], tree, mutant)
            os._exit(0 if passes(session, tests) else 1)
        os._exit(1)
    return os.waitpid(child, 0)[1] != 0


def passes(session: pytest.Session, tests: list[Timed]) -> bool:
    """Whether all pass, each in its time: the process dies of a test that goes on and on."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    places = [place for _, place in tests]
    for (took, here), after in zip(tests, [*places[1:], None], strict=True):
        item, following = session.items[here], None if after is None else session.items[after]
        before = session.testsfailed
        signal.setitimer(signal.ITIMER_PROF, SLACK_S + 5 * took)
        signal.alarm(100 * int(SLACK_S + took))  # if it waits instead
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        if session.testsfailed > before:
            return False
    return True


def explore(name: str, group: dict[str, Any], same: list[dict[str, str]], only: list[str]) -> int:
    """Hunt in one group, and tell the score of each folder; 1 if it is too low."""
    found = {
        path
        for each in group["files"]
        for path in sorted(SOURCE.glob(each))
        if any(each in str(path) for each in only)
    }
    files = sorted(found)
    here = {str(path.relative_to(SOURCE)) for path in files}
    hunt = Hunt(files, [one for one in same if one["file"] in here])
    with tempfile.TemporaryDirectory() as folder:
        options = ["-o", "addopts=--doctest-modules --import-mode=importlib", "-o", "timeout=0"]
        options += [f"--basetemp={folder}/tests", *(f"-pno:{name}" for name in QUIET)]
        options += [f"--deselect={each}" for each in group.get("left_out", ())]
        if pytest.main([*group["tests"], *options], [hunt]):
            return 2
    return report(name, hunt, group["at_least"])


def gone(table: dict[str, Any]) -> list[str]:
    """What `mutants.toml` names that does not exist.

    >>> group = {"files": ["formulas/decay.py", "formulas/none.py"], "tests": ["tests/none"]}
    >>> gone({"groups": {"one": group}, "same": [{"file": "none.py"}]})
    ['formulas/none.py', 'none.py', 'tests/none']
    """
    groups = table["groups"].values()
    files = [each for group in groups for each in group["files"]]
    tests = [each for group in groups for each in group["tests"]]
    same = [one["file"] for one in table["same"]]
    missing = [each for each in (*files, *same) if not any(SOURCE.glob(each))]
    return list(dict.fromkeys([*missing, *(each for each in tests if not (ROOT / each).exists())]))


def report(name: str, hunt: Hunt, at_least: float) -> int:
    def by_folder(files: Iterator[str]) -> Counter[str]:
        folders = [str(Path(file).parent) for file in files]
        return Counter([*folders, *[f"all of {name}"] * len(folders)])

    tried = by_folder(each.told["file"] for each in hunt.tried)
    survived = by_folder(each.told["file"] for each in hunt.survived)
    alike = by_folder(each["file"] for each in hunt.alike)
    for folder, count in tried.items():
        score = 100 * (1 - survived[folder] / max(1, count - alike[folder]))
        row = f"{folder:24}{count:6} mutants{alike[folder]:5} the same"
        print(f"{row}{survived[folder]:5} survived{score:7.1f} %")
    stale = [one for one in hunt.same if one not in hunt.alike]
    print(
        "".join(f"in mutants.toml, but noticed or gone: {one}\n" for one in stale),
        end="",
        flush=True,
    )
    return int(score < at_least or bool(stale))


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Do the tests notice when the code is wrong?")
    parser.add_argument("groups", nargs="*", help="groups of mutants.toml; all, if none is named")
    parser.add_argument("--only", action="append", help="part of the paths to look at")
    options = parser.parse_args(arguments)
    table = tomllib.loads((ROOT / "scripts" / "mutants.toml").read_text("utf-8"))
    if missing := gone(table):
        parser.error(f"mutants.toml names what does not exist: {', '.join(missing)}")
    os.environ["HYPOTHESIS_PROFILE"] = "mutants"
    os.chdir(ROOT)
    sys.path.insert(0, str(SOURCE.parent))  # these files, whatever else is installed
    same = [{**one, "change": change} for one in table["same"] for change in one["changes"]]
    codes = []
    for name in options.groups or table["groups"]:
        if not (child := os.fork()):
            os._exit(explore(name, table["groups"][name], same, options.only or [""]))
        codes.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    return max(codes)


if __name__ == "__main__":
    sys.exit(main())
