"""Writes src/sharpwave/aio.pyi from the classes that AsyncMemory is derived from.

With `--check` it only compares.
"""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

SOURCE = Path(__file__).resolve().parent.parent / "src" / "sharpwave"
TARGET = SOURCE / "aio.pyi"
NAMESPACES = sorted(
    path
    for path in (SOURCE / "api").glob("*.py")
    if f"class {path.stem.capitalize()}Api" in path.read_text("utf-8")
)
INTERACTION = SOURCE / "experience" / "open_interaction.py"
_HEAD = '"""Signatures of AsyncMemory. Written by `make docs`; do not edit."""\n'


def main() -> int:
    """Write the file, or say that it is out of date."""
    text = stub()
    if "--check" not in sys.argv:
        TARGET.write_text(text, encoding="utf-8")
        return 0
    if TARGET.exists() and TARGET.read_text(encoding="utf-8") == text:
        return 0
    print("src/sharpwave/aio.pyi is out of date: run `make docs`")
    return 1


def stub() -> str:
    """The whole file."""
    sources = [SOURCE / "memory.py", INTERACTION, *NAMESPACES]
    trees = {path: ast.parse(path.read_text("utf-8")) for path in sources}
    imports = {line for tree in trees.values() for line in _imports(tree)}
    imports |= {"from collections.abc import AsyncIterator", "from sharpwave.memory import Memory"}
    aliases = {line for tree in trees.values() for line in _aliases(tree)}
    lines = [_HEAD, *sorted(imports), "", *sorted(aliases)]
    for path in [*NAMESPACES, INTERACTION, SOURCE / "memory.py"]:
        for node in trees[path].body:
            if isinstance(node, ast.ClassDef) and (
                node.name.endswith("Api") or node.name in ("Memory", "OpenInteraction")
            ):
                lines += ["", *_class(node)]
    text = "\n".join(lines) + "\n"
    used = {node.id for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)}
    kept = [line for line in text.split("\n") if not _is_unused(line, used)]
    return "\n".join(kept)


def _is_unused(line: str, used: set[str]) -> bool:
    if not line.startswith(("from ", "import ")):
        return False
    return line.split()[-1] not in used


def _imports(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module != "__future__":
            for name in node.names:
                if f"sharpwave.{name.name}" == "sharpwave.api":
                    continue
                tail = f" as {name.asname}" if name.asname else ""
                yield f"from {node.module} import {name.name}{tail}"
        elif isinstance(node, ast.Import):
            yield from (f"import {name.name}" for name in node.names)


def _aliases(tree: ast.Module) -> Iterator[str]:
    """Names of types that signatures use, such as `Progress`."""
    for node in tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            name = node.targets[0].id
            if name[0].isupper() and not name.isupper():
                yield ast.unparse(node)


def _class(node: ast.ClassDef) -> Iterator[str]:
    name = {"Memory": "AsyncMemory", "OpenInteraction": "AsyncInteraction"}.get(
        node.name, f"Async{node.name}"
    )
    yield f"class {name}:"
    if name == "AsyncMemory":
        yield "    def __init__(self, sync: Memory) -> None: ..."
        yield "    @property"
        yield "    def sync(self) -> Memory: ..."
    for member in node.body:
        if isinstance(member, ast.FunctionDef) and not member.name.startswith("_"):
            yield from _method(member, name)
    if name == "AsyncInteraction":
        yield "    @property"
        yield "    def id(self) -> str: ..."
        yield "    @property"
        yield "    def logged(self) -> Logged | None: ..."
    if name in ("AsyncMemory", "AsyncInteraction"):
        yield "    async def __aenter__(self) -> Self: ..."
        yield "    async def __aexit__(self, *raised: object) -> None: ..."


def _constant(default: ast.expr) -> ast.Constant:
    """A default as a stub shows it."""
    return default if isinstance(default, ast.Constant) else ast.Constant(...)


def _method(node: ast.FunctionDef, owner: str) -> Iterator[str]:
    decorators = [ast.unparse(each) for each in node.decorator_list]
    returns = ast.unparse(node.returns) if node.returns else "None"
    plain = "property" in decorators or node.name in ("user", "connect", "export")
    if returns.endswith("Api"):
        returns = f"Async{returns}"
    returns = {"OpenInteraction": "AsyncInteraction"}.get(returns, returns)
    if node.name == "export":
        returns = "AsyncIterator[str]"
    node.args.defaults = [_shown_default(each) for each in node.args.defaults]
    node.args.kw_defaults = [each and _shown_default(each) for each in node.args.kw_defaults]
    arguments = ast.unparse(node.args).replace("str | OpenInteraction", "str | AsyncInteraction")
    yield from (f"    @{each}" for each in decorators if each in ("property", "classmethod"))
    yield f"    {'' if plain else 'async '}def {node.name}({arguments}) -> {returns}: ..."


def _shown_default(value: ast.expr) -> ast.expr:
    return value if isinstance(value, ast.Constant) else ast.Constant(...)


if __name__ == "__main__":
    sys.exit(main())
