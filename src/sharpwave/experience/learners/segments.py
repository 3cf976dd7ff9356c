"""How the log as a whole looks: how often each step occurs, how many stretches, how long.

It is what chance is reckoned from.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sharpwave.experience.learners.rows import count
from sharpwave.experience.lessons import Act, Lesson
from sharpwave.formulas.experience.chance import (
    binomial_tail,
    perplexity,
    subsequence_chances,
)
from sharpwave.settings.experience import ExperienceSettings
from sharpwave.tallies import Row, Sheet

STATE = "state"
LOG = "log"
_MOST_STEPS = 2000


def learn_log(steps: Sequence[str], sheet: Sheet) -> None:
    """Count a closed stretch of work."""
    row = sheet.row(STATE, LOG)
    take_in(row, steps)
    sheet.put(STATE, LOG, row)


def take_in(row: Row, steps: Sequence[str]) -> None:
    """Count the steps of a stretch, and its length."""
    names = row.setdefault("steps", {})
    for step in steps:
        count(names, step, _MOST_STEPS)
    lengths = row.setdefault("lengths", {})
    lengths[str(len(steps))] = lengths.get(str(len(steps)), 0) + 1


@dataclass(frozen=True, slots=True)
class Background:
    """What a log without any order would look like."""

    shares: dict[str, float]
    lengths: dict[int, int]
    variety: float
    """How many equally frequent steps would be as hard to foretell."""

    @classmethod
    def of(cls, row: Row) -> "Background":
        """The background of a log as it was counted."""
        names: dict[str, int] = row.get("steps", {})
        total = sum(names.values()) or 1
        lengths = {int(length): n for length, n in row.get("lengths", {}).items()}
        shares = {name: n / total for name, n in names.items()}
        return cls(shares, lengths, perplexity(list(names.values())))

    @property
    def segments(self) -> int:
        """How many stretches of work there were."""
        return sum(self.lengths.values())

    @property
    def actions(self) -> int:
        """How many actions there were."""
        return sum(length * n for length, n in self.lengths.items())

    def subsequence(self, steps: Sequence[str], support: int) -> tuple[float, float]:
        """The chance that so many stretches hold the steps in order, and the lift.

        It is that of any sequence of this length, not just of this one: one looks for all.
        """
        given = [self.shares.get(step, 1.0 / max(1, self.actions)) for step in steps]
        chances = subsequence_chances(given, max(self.lengths, default=0))
        expected = sum(n * chances[length] for length, n in self.lengths.items())
        mean = expected / max(1, self.segments)
        tail = binomial_tail(self.segments, mean, support)
        return min(1.0, tail * self.variety ** len(steps)), support / max(expected, 1e-12)

    def run(self, steps: Sequence[str], support: int) -> tuple[float, float]:
        """The same for steps that follow each other without anything in between."""
        share = 1.0
        for step in steps:
            share *= self.shares.get(step, 1.0 / max(1, self.actions))
        places = sum(max(0, length - len(steps) + 1) * n for length, n in self.lengths.items())
        tail = binomial_tail(places, share, support)
        return min(1.0, tail * self.variety ** len(steps)), support / max(places * share, 1e-12)


TOPIC = "open"
OPEN = "open"


@dataclass(frozen=True, slots=True)
class Segment:
    """A closed stretch of work."""

    steps: tuple[str, ...]
    files: tuple[str, ...]
    ids: tuple[str, ...]
    session: str
    started: datetime
    ended: datetime
    success: bool | None


def learn(lesson: Lesson, sheet: Sheet, settings: ExperienceSettings) -> list[Segment]:
    """Take the actions of a lesson in; returns the stretches that are closed by it."""
    if not lesson.acts:
        return []
    closed = list(_close_late(sheet, lesson, settings))
    row = sheet.row(TOPIC, lesson.session)
    gap = timedelta(minutes=settings.patterns.gap_minutes)
    for act in lesson.acts:
        if row and _is_over(row, act, gap, settings.patterns.max_segment):
            closed.append(segment(row, lesson.session))
            row = {}
        _append(row, act, lesson)
    sheet.put(TOPIC, lesson.session, row)
    return closed


def open_ones(sheet: Sheet) -> list[Segment]:
    """The stretches that are still open, as they stand."""
    return [segment(row, session) for session, row in sheet.rows(TOPIC).items()]


def recent(sheet: Sheet, session: str) -> list[str]:
    """The steps of a session's open stretch."""
    return list(sheet.row(TOPIC, session).get("steps", ()))


def segment(row: Row, session: str) -> Segment:
    """An open row as a stretch."""
    return Segment(
        steps=tuple(row["steps"]),
        files=tuple(row["files"]),
        ids=tuple(row["ids"]),
        session=session,
        started=datetime.fromisoformat(row["start"]),
        ended=datetime.fromisoformat(row["last"]),
        success=row.get("success"),
    )


def _close_late(sheet: Sheet, lesson: Lesson, settings: ExperienceSettings) -> Iterable[Segment]:
    """Close the stretches of other sessions that are over, or too many."""
    state = sheet.row(STATE, OPEN)
    sessions: dict[str, str] = state.get("sessions", {})
    sessions.pop(lesson.session, None)
    now = lesson.acts[-1].at
    oldest = (now - timedelta(minutes=settings.patterns.gap_minutes)).isoformat()
    late = [session for session, last in sessions.items() if last < oldest]
    others = [session for session in sessions if session not in late]
    surplus = len(others) + 1 - settings.logging.open_sessions
    late += sorted(others, key=lambda each: sessions[each])[: max(0, surplus)]
    sheet.fetch(TOPIC, late)
    for session in late:
        row = sheet.row(TOPIC, session)
        if row:
            yield segment(row, session)
        sheet.drop(TOPIC, session)
        del sessions[session]
    state["sessions"] = {**sessions, lesson.session: now.isoformat()}
    sheet.put(STATE, OPEN, state)


def _is_over(row: Row, act: Act, gap: timedelta, longest: int) -> bool:
    return act.at - datetime.fromisoformat(row["last"]) > gap or len(row["steps"]) >= longest


def _append(row: Row, act: Act, lesson: Lesson) -> None:
    row.setdefault("steps", []).append(act.name)
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


def file_of(act: Act) -> str | None:
    """The file that an action was about, if it was about one."""
    for found in (act.target, act.details.get("file_path"), act.details.get("path")):
        if isinstance(found, str) and _is_path(found):
            return found
    return None


def _is_path(text: str) -> bool:
    last = text.replace("\\", "/").rpartition("/")[2]
    stem, dot, extension = last.rpartition(".")
    has_extension = bool(dot and stem) and extension.isalnum() and len(extension) <= 8
    return len(text) < 400 and " " not in text and "://" not in text and has_extension
