"""Give records the vectors of another embedder, a batch at a time."""

from collections.abc import Callable
from functools import partial

from sharpwave.remember import commit
from sharpwave.workspace import Workspace

_BATCH = 500


def reembed(workspace: Workspace, progress: Callable[[int], None] | None) -> int:
    """Embed every record without a vector of the current embedder; can be interrupted."""
    done = after = 0
    while numbers := workspace.fresh().retried(partial(_reembed, after)):
        after = numbers[-1]
        done += len(numbers)
        if progress:
            progress(done)
    return done


def _reembed(after: int, workspace: Workspace) -> list[int]:
    """Embed the next records after a number; returns their numbers."""
    space = workspace.embedder.space
    records = workspace.store.unembedded(space, after, _BATCH)
    numbers = [record.number for record in records]
    if records:
        matrix = commit.matrix(records, workspace.embedder)
        workspace.store.replace_vectors(space, numbers, matrix)
    return numbers
