"""Being told at once that something happened, instead of looking again and again."""

from collections.abc import Callable

from sharpwave.ports import Hearing as Hearing
from sharpwave.ports import Store


class News:
    """Calls whoever listens, from another thread; `Memory.events` says what there is.

    Where a hearing is not `live`, on a file or while PostgreSQL is away, look now and then instead.
    """

    def __init__(self, store: Store, user_id: str) -> None:
        self._store = store
        self._user = user_id

    def listen(self, hear: Callable[[], None]) -> Hearing:
        """Call `hear` as soon as there may be an event of this user. It must not wait."""
        return self._store.listen(hear, self._user)

    def listen_to_all(self, hear: Callable[[], None]) -> Hearing:
        """As `listen`, for every user of the store."""
        return self._store.listen(hear)
