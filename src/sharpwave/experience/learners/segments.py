"""Segments: the actions of one session without a long pause [PAT-12]; and the log as a whole.

Each open segment is a row. The list of open sessions is short; a session without an action for
longer than the gap is closed with the next action of any session. From how often each step occurs
in all closed segments follows what chance alone would do (`ChanceModel`).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sharpwave.experience.learners.rows import count
from sharpwave.experience.lessons import Act, Lesson
from sharpwave.experience.matching import error_pattern
from sharpwave.formulas.significance import binomial_tail, perplexity, subsequence_chances
from sharpwave.tallies import Row, Sheet

TOPIC = "open"
STATE, OPEN, LOG = "state", "open", "log"
MAX_GAP = timedelta(minutes=5)
"""A longer pause ends a segment [PAT-12]."""
MAX_ACTIONS = 64
"""Number of actions at which a segment is closed."""
MAX_OPEN_SESSIONS = 32
"""Sessions with an open segment; beyond that the oldest is closed."""
FAILED = "failed"
"""The error of a step that failed without saying why."""
_MOST_STEPS = 2000


@dataclass(frozen=True, slots=True)
class WorkSegment:
    """A segment of work."""

    steps: tuple[str, ...]
    files: tuple[str, ...]
    ids: tuple[str, ...]
    session: str
    started: datetime
    ended: datetime
    success: bool | None


def learn(lesson: Lesson, sheet: Sheet) -> list[WorkSegment]:
    """Add the actions of a lesson; returns the segments that are closed by it."""
    if not lesson.acts:
        return []
    closed = list(_close_finished(sheet, lesson))
    row = sheet.row(TOPIC, lesson.session)
    for act in lesson.acts:
        if row and _is_over(row, act):
            closed.append(segment(row, lesson.session))
            row = {}
        _append(row, act, lesson)
    sheet.put(TOPIC, lesson.session, row)
    return closed


def recent(sheet: Sheet, session: str) -> list[str]:
    """The steps of a session's open segment."""
    return list(sheet.row(TOPIC, session).get("steps", ()))


def before(lesson: Lesson, sheet: Sheet) -> list[str]:
    """The steps of the session's open segment that a lesson continues."""
    row = sheet.row(TOPIC, lesson.session) if lesson.session and lesson.acts else {}
    return [] if not row or _is_over(row, lesson.acts[0]) else list(row["steps"])


def segment(row: Row, session: str) -> WorkSegment:
    """The row of a session as a segment."""
    return WorkSegment(
        steps=tuple(row["steps"]),
        files=tuple(row["files"]),
        ids=tuple(row["ids"]),
        session=session,
        started=datetime.fromisoformat(row["start"]),
        ended=datetime.fromisoformat(row["last"]),
        success=row.get("success"),
    )


def _close_finished(sheet: Sheet, lesson: Lesson) -> Iterable[WorkSegment]:
    """Close segments of other sessions after a long pause, or if there are too many."""
    state = sheet.edit(STATE, OPEN)
    sessions: dict[str, str] = state.get("sessions", {})
    sessions.pop(lesson.session, None)
    now = lesson.acts[-1].at
    oldest = (now - MAX_GAP).isoformat()
    expired = [session for session, last in sessions.items() if last < oldest]
    remaining = [session for session in sessions if session not in expired]
    surplus = len(remaining) + 1 - MAX_OPEN_SESSIONS
    expired += sorted(remaining, key=lambda session: sessions[session])[: max(0, surplus)]
    sheet.fetch(TOPIC, expired)
    for session in expired:
        row = sheet.row(TOPIC, session)
        if row:
            yield segment(row, session)
        sheet.put(TOPIC, session, None)
        del sessions[session]
    state["sessions"] = {**sessions, lesson.session: now.isoformat()}


def _is_over(row: Row, act: Act) -> bool:
    pause = act.at - datetime.fromisoformat(row["last"])
    return pause > MAX_GAP or len(row["steps"]) >= MAX_ACTIONS


def _append(row: Row, act: Act, lesson: Lesson) -> None:
    steps = row.setdefault("steps", [])
    steps.append(act.name)
    failed = row.setdefault("failed", {})
    *_, times = failed.pop(act.name, (0,))
    if act.ok is False:
        failed[act.name] = [error_of(act), len(steps), times + 1]
    files = row.setdefault("files", [])
    path = file_of(act)
    if path and path not in files:
        files.append(path)
    ids = row.setdefault("ids", [])
    if lesson.id not in ids:
        ids.append(lesson.id)
    row.setdefault("start", act.at.isoformat())
    row["last"] = max(row.get("last", ""), act.at.isoformat())
    if lesson.success is not None:
        row["success"] = lesson.success and row.get("success", True)


def error_of(act: Act) -> str:
    """The error of an action that failed, without what differs each time."""
    return error_pattern(act.error or FAILED)


def file_of(act: Act) -> str | None:
    """The file that an action was about, if any."""
    for path in (act.target, act.details.get("file_path"), act.details.get("path")):
        if isinstance(path, str) and _is_path(path):
            return path
    return None


def _is_path(text: str) -> bool:
    last = text.replace("\\", "/").rpartition("/")[2]
    stem, dot, extension = last.rpartition(".")
    has_extension = bool(dot and stem) and extension.isalnum() and len(extension) <= 8
    return len(text) < 400 and " " not in text and "://" not in text and has_extension


def learn_log(steps: Sequence[str], sheet: Sheet) -> None:
    """Count the steps of a closed segment, and its length."""
    row = sheet.edit(STATE, LOG)
    for step in steps:
        count(row.setdefault("steps", {}), step, _MOST_STEPS)
    lengths = row.setdefault("lengths", {})
    lengths[str(len(steps))] = lengths.get(str(len(steps)), 0) + 1


@dataclass(frozen=True, slots=True)
class ChanceModel:
    """A log with the same steps in random order."""

    shares: dict[str, float]
    lengths: dict[int, int]
    variety: float
    """Number of equally frequent steps that would be as hard to predict."""

    @classmethod
    def of(cls, row: Row) -> "ChanceModel":
        """The model of a log as it was counted."""
        names: dict[str, int] = row.get("steps", {})
        total = sum(names.values()) or 1
        lengths = {int(length): n for length, n in row.get("lengths", {}).items()}
        shares = {name: n / total for name, n in names.items()}
        return cls(shares, lengths, perplexity(list(names.values())))

    @property
    def segments(self) -> int:
        """Number of segments."""
        return sum(self.lengths.values())

    @property
    def actions(self) -> int:
        """Number of actions."""
        return sum(length * n for length, n in self.lengths.items())

    def subsequence(self, steps: Sequence[str], support: int) -> tuple[float, float]:
        """The chance that `support` segments hold the steps in order, and the lift.

        It is the chance of any sequence of this length, since all of them are searched for.
        """
        shares = [self.shares.get(step, 1.0 / max(1, self.actions)) for step in steps]
        chances = subsequence_chances(shares, max(self.lengths, default=0))
        expected = sum(n * chances[length] for length, n in self.lengths.items())
        mean = expected / max(1, self.segments)
        tail = binomial_tail(self.segments, mean, support)
        return min(1.0, tail * self.variety ** len(steps)), support / max(expected, 1e-12)

    def run(self, steps: Sequence[str], support: int) -> tuple[float, float]:
        """The same as `subsequence`, for steps that directly follow each other."""
        share = 1.0
        for step in steps:
            share *= self.shares.get(step, 1.0 / max(1, self.actions))
        places = sum(max(0, length - len(steps) + 1) * n for length, n in self.lengths.items())
        tail = binomial_tail(places, share, support)
        return min(1.0, tail * self.variety ** len(steps)), support / max(places * share, 1e-12)
