"""Style of source code that a correction may change: type hints, docstrings, comments, names."""

import ast
import re
from collections.abc import Iterator

_CODE = re.compile(
    r"^\s*(?:def|class|import|from|for|if|while|return|const|let|var|function|func|fn|pub|async"
    r"|export|public|private|struct|void|int|SELECT|CREATE|@\w+|#include)\b.*[:({;=]|[;{}]\s*$"
    r"|^\s*[\w.\[\]\"']+ *[-+*/]?= *\S|^\s*[\w.]+\([^)]*\);?$",
    re.MULTILINE,
)
_HINT = re.compile(
    r"[\w)?]\s*:\s*(?:string|number|boolean|any|void|unknown|never|[A-Z]\w*|int|float|str|bool)\b"
    r"(?=\s*(?:[,)=;{\[<|]|$))"
)
_COMMENT = re.compile(r"(?:^|\s)(?:#(?!include|!)|//)\s*\S.*$|/\*.*?\*/", re.MULTILINE | re.DOTALL)
_CAMEL = re.compile(r"\b[a-z]+[a-z0-9]*(?:[A-Z][a-z0-9]*)+\b")
_SNAKE = re.compile(r"\b[a-z][a-z0-9]*(?:_[a-z0-9]+)+\b")
_HUMP = re.compile(r"(?<=[a-z0-9])([A-Z])")


def is_code(text: str) -> bool:
    """Whether a text looks like source code."""
    return bool(_CODE.search(text)) or "```" in text


def count(what: str, text: str) -> int | None:
    r"""How many type hints, docstrings or comments a text has; None if it is not code.

    >>> count("type_hints", "def f(a: int) -> int:\n    return a")
    2
    >>> count("comments", "x = 1  # one")
    1
    """
    if not is_code(text):
        return None
    tree = _parsed(text)
    if what == "comments":
        return len(_COMMENT.findall(text))
    if tree is None:
        return len(_HINT.findall(text)) if what == "type_hints" else None
    return sum(_hints(tree)) if what == "type_hints" else _docstrings(tree)


def renamed(original: str, corrected: str) -> str | None:
    """The naming style that names were changed to, if they are the same names otherwise.

    >>> renamed("userName = 1", "user_name = 1")
    'snake_case'
    """
    camel, snake = set(_CAMEL.findall(original)), set(_SNAKE.findall(original))
    if camel and {_as_snake(name) for name in camel} & set(_SNAKE.findall(corrected)):
        return "snake_case"
    snake_names = {_as_snake(name) for name in _CAMEL.findall(corrected)}
    return "camelCase" if snake & snake_names else None


def _as_snake(name: str) -> str:
    return _HUMP.sub(r"_\1", name).lower()


def _parsed(text: str) -> ast.Module | None:
    try:
        return ast.parse(re.sub(r"^```\w*\n|\n?```$", "", text.strip()))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _hints(tree: ast.Module) -> Iterator[int]:
    for node in ast.walk(tree):
        if isinstance(node, ast.arg):
            yield int(node.annotation is not None)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield int(node.returns is not None)
        elif isinstance(node, ast.AnnAssign):
            yield 1


def _docstrings(tree: ast.Module) -> int:
    kinds = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Module
    nodes = (node for node in ast.walk(tree) if isinstance(node, kinds))
    return sum(ast.get_docstring(node) is not None for node in nodes)
