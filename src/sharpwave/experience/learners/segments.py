"""Stretches of work: the actions of one session without a long pause [PAT-12].

Each open stretch is a row; the list of open sessions is short, and who has not been heard of for
longer than the gap is closed with the next action of anybody.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from sharpwave.experience.lessons import Act, Lesson
from sharpwave.settings.experience import ExperienceSettings
from sharpwave.tallies.sheet import Row, Sheet

TOPIC = "open"
STATE = "state"
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
