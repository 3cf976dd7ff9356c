"""What an action is called when stretches of work are compared: its verb is always kept [PAT-13].

`create_file` and `delete_file` are never the same. Only the names under which editors know one and
the same act are made one.
"""

from collections.abc import Sequence

_SAME = {
    "edit_file": "modify",
    "save_file": "modify",
    "write_file": "modify",
    "read_file": "read",
    "open_file": "read",
    "view_file": "read",
}
_PREFIXES = ("get_", "set_", "update_", "create_", "delete_")
_SHOWN = 5


def step(action: str) -> str:
    """The name of an action in a workflow.

    >>> step("edit_file"), step("delete_file"), step("Run-Tests")
    ('modify', 'delete_file', 'run_tests')
    """
    name = action.strip().lower().replace("-", "_").replace(" ", "_")
    return _SAME.get(name, name)


def steps(actions: Sequence[str]) -> list[str]:
    """The names of actions in a workflow."""
    return [step(action) for action in actions]


def stem(action: str) -> str:
    """What an action is about, without its verb: a weak hint only [PAT-08].

    >>> stem("get_user"), stem("Run-Tests"), stem("update_set_x")
    ('user', 'runtests', 'setx')
    """
    name = action.lower()
    prefix = next((each for each in _PREFIXES if name.startswith(each)), "")
    return name[len(prefix) :].replace("_", "").replace("-", "")


def extensions(files: Sequence[str]) -> list[str]:
    """The kinds of files, in order of the alphabet; apart from the steps."""
    ends = (file.rpartition("/")[2].rpartition(".")[2].lower() for file in files)
    return sorted({end for end in ends if end})


def name_of(actions: Sequence[str], files: Sequence[str] = ()) -> str:
    """A short name of a workflow.

    >>> name_of(["read_file", "edit_file", "run_tests"], ["a.py"])
    'read → modify → run_tests [py]'
    """
    shown = " → ".join(steps(actions)[:_SHOWN])
    kinds = extensions(files)
    return f"{shown} [{','.join(kinds)}]" if kinds else shown
