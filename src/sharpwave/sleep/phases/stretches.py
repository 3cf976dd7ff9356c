"""Which stretches of talk are due for a summary: sessions, and what was said outside of any.

What was said without a session is cut by the user's days and by long pauses, and each piece is
taken for a session. A stretch is named by numbers and a digest, never by a session's name: a plan
outlives what is forgotten from it.
"""

from bisect import bisect_left
from collections.abc import Iterator
from datetime import timedelta
from typing import NamedTuple

from sharpwave.sleep.night import Night
from sharpwave.temporal.clock import digest
from sharpwave.types.records import Kind, Record, Stage
from sharpwave.types.storing import NewTally, Staged

_MARK = "summarised"
"""Up to which turn every stretch that is over has a summary."""
_FORGOTTEN = "forgotten"
"""Up to which change it is known what was forgotten."""
_COVERED = "sleep/summaries"
"""The topic of what each summary covers: numbers and digests, by a digest of its slot."""
_SETTLED = frozenset({Stage.EPISODIC, Stage.SEMANTIC})
_NO_SESSION = "none"


class Stretch(NamedTuple):
    """The first and the last turn, by number, and a digest of the session if there is one."""

    first: int
    last: int
    session: str = _NO_SESSION

    def __str__(self) -> str:
        """As it stands in a plan."""
        return f"{self.first}-{self.last}-{self.session}"

    @classmethod
    def read(cls, item: str) -> "Stretch":
        """From a plan."""
        first, last, session = item.split("-")
        return cls(int(first), int(last), session)


def find(night: Night) -> list[str]:
    """Stretches that are over and have turns which no summary covers, the oldest first."""
    settings = night.workspace.settings.sleep.summary
    end = night.mark(_MARK)
    waits: list[int] = []
    sessions: dict[str, _Piece] = {}
    pieces: list[_Piece] = []
    for turn in _pages(end, night):
        end, settled = turn.number, turn.standing.stage in _SETTLED
        if not settled and not waits:
            waits.append(turn.number)
        if not turn.session_id:
            if not pieces or _is_apart(pieces[-1], turn, night):
                pieces.append(_Piece(turn))
            pieces[-1].go_on(turn, settled)
        elif settled:
            sessions.setdefault(turn.session_id, _Piece(turn)).go_on(turn, settled)
    quiet = night.now - timedelta(hours=settings.quiet_hours)
    found = sorted([*sessions.values(), *pieces], key=lambda piece: piece.first)
    over = [piece for piece in found if piece.settled and piece.last_at <= quiet]
    due = over[: settings.max_sessions]
    waits += [piece.first for piece in found if piece not in due]
    night.set_mark(_MARK, min([*(first - 1 for first in waits), end]))
    return list(dict.fromkeys([*_lost(night), *(str(piece.stretch()) for piece in due)]))


def turns(item: str, night: Night) -> list[Record]:
    """What was said in a stretch, as far as it is still there, and whether or not it has settled.

    Of a session all of it, also what was said before or since.
    """
    store, limit = night.workspace.store, night.workspace.settings.sleep.summary.max_turns
    stretch = Stretch.read(item)
    within = (
        turn
        for turn in _pages(stretch.first - 1, night, stretch.last)
        if _digest(turn.session_id) == stretch.session
    )
    if stretch.session == _NO_SESSION:
        return list(within)[-limit:]
    first = next(within, None)
    return store.latest(first.session_id, limit) if first else []


def covered(slot: str, item: str, made: str, first: int, night: Night) -> NewTally:
    """The row that says what a summary covers, so that it is missed when it is gone."""
    name = digest(slot)
    known = night.workspace.store.tallies(_COVERED, [name]).get(name)
    value = {"id": made, "first": first, "item": item}
    return NewTally(_COVERED, name, value, known.version if known else 0)


def uncovered(item: str, night: Night) -> tuple[NewTally, ...]:
    """That row gone, once nothing is left of a stretch: not even a digest of its name stays."""
    rows = night.workspace.store.tallies(_COVERED)
    return tuple(
        NewTally(_COVERED, name, None, row.version)
        for name, row in rows.items()
        if row.value["item"] == item
    )


def _lost(night: Night) -> list[str]:
    """Stretches whose summary was forgotten with one of its turns, though others are left."""
    store, since = night.workspace.store, night.mark(_FORGOTTEN)
    changes = store.changes(since, night.workspace.embedder.space, 1)
    night.set_mark(_FORGOTTEN, changes.head.seq)
    if not changes.gone:
        return []
    gone = sorted(changes.gone)
    touched = {
        str(row.value["id"]): str(row.value["item"])
        for row in store.tallies(_COVERED).values()
        if _any_within(gone, int(str(row.value["first"])), Stretch.read(str(row.value["item"])))
    }
    there = {record.id for record in store.find(list(touched))}
    return [item for id_, item in touched.items() if id_ not in there]


def _any_within(numbers: list[int], first: int, stretch: Stretch) -> bool:
    place = bisect_left(numbers, first)
    return place < len(numbers) and numbers[place] <= stretch.last


def _pages(after: int, night: Night, last: int | None = None) -> Iterator[Record]:
    """Turns in the order they were recorded, up to one if it is given."""
    while page := night.workspace.store.staged(Staged(Kind.TURN, after=after)):
        for turn in page:
            if last is not None and turn.number > last:
                return
            yield turn
        after = page[-1].number


class _Piece:
    """A stretch that is being read: as little of it as decides whether it is due."""

    def __init__(self, turn: Record) -> None:
        self.first, self._session = turn.number, _digest(turn.session_id)

    def go_on(self, turn: Record, settled: bool) -> None:
        """One more turn belongs to it."""
        self._last, self.last_at, self.settled = turn.number, turn.valid_from, settled

    def stretch(self) -> Stretch:
        """As far as it went."""
        return Stretch(self.first, self._last, self._session)


def _is_apart(piece: _Piece, turn: Record, night: Night) -> bool:
    """Whether a day ended, or nobody spoke for long, before this was said."""
    zone = night.workspace.settings.remember.zone
    pause = timedelta(hours=night.workspace.settings.sleep.summary.pause_hours)
    days = {moment.astimezone(zone).date() for moment in (piece.last_at, turn.valid_from)}
    return len(days) > 1 or abs(turn.valid_from - piece.last_at) >= pause


def _digest(session: str | None) -> str:
    return digest(session) if session else _NO_SESSION
