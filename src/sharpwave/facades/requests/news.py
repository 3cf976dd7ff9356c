"""Being told at once that something happened, instead of looking again and again."""

from collections.abc import Callable

from sharpwave.ports import Hearing as Hearing
from sharpwave.workspace import Workspace


class News:
    """Calls whoever listens, from another thread; `Memory.events` says what there is.

    Where a hearing is not `live`, on a file or while PostgreSQL is away, look now and then instead.
    """

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    def listen(self, hear: Callable[[], None]) -> Hearing:
        """Call `hear` as soon as there may be an event of this user. It must not wait."""
        return self._workspace.store.listen(hear)

    def listen_to_all(self, hear: Callable[[], None]) -> Hearing:
        """As `listen`, for every user of the store."""
        return self._workspace.shared.store.listen(hear)
