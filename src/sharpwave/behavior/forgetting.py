"""What there is to erase of all that was learned about how to help [SEC-13]."""

from sharpwave.behavior.preferences import known
from sharpwave.behavior.rules import records
from sharpwave.workspace import Workspace


def learned_ids(workspace: Workspace) -> tuple[list[str], list[str]]:
    """Ids of every rule, and of every preference and correction, in every version."""
    rules = [one.id for one in records.stored(workspace, frozenset())]
    return rules, known.stored_ids(workspace)
