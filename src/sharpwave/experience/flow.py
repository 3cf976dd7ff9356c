"""What agents did, taken in: one transaction for the record and for all that is learned from it.

    1 intake     what was done        -> an immutable record, checked and redacted
    2 learn      the record           -> rows of every learner, in memory
    3 commit     record and rows      -> durable together; if somebody else learned meanwhile, again
    4 publish    now and then         -> patterns and tool records that people read

If what was learned is missing (after something was forgotten, or a damaged file was saved), it is
learned anew first from the records that are there.
"""

import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from sharpwave.errors import Overtaken, ProviderError
from sharpwave.experience import intake, learning, patterns, publish
from sharpwave.experience.intake import Ended, Rules
from sharpwave.experience.learners import segments
from sharpwave.experience.lessons import lesson, teaches
from sharpwave.ports import Embedder
from sharpwave.tallies import Sheet
from sharpwave.types.experience import FeedbackType, LearnedPattern, Logged
from sharpwave.types.records import Record, State
from sharpwave.types.storing import EXPERIENCE, Change, NewTally, Revision, Space
from sharpwave.workspace import Workspace

WITHDRAWN = "not_stored"
_TURN = [threading.Lock() for _ in range(64)]
"""Threads of one process learn for a user one after the other; processes overtake and repeat."""
Make = Callable[[Rules], Sequence[Record]]


def log(workspace: Workspace, make: Make, ended: Ended | None = None) -> list[Logged]:
    """Store what was done and learn from it. When this returns, it survives a power cut."""
    now = workspace.clock.now()
    records = list(make(intake.rules(workspace, now)))
    if not workspace.consents.may_remember:
        return [_receipt(record, WITHDRAWN) for record in records]
    embedded = _embedded(records, workspace.embedder)
    for left in range(workspace.settings.experience.logging.retries - 1, -1, -1):
        try:
            with _TURN[hash(workspace.user_id) % len(_TURN)]:
                return _write(workspace, records, embedded, now, ended or Ended())
        except Overtaken:
            if not left:
                raise
    return []


def keep(
    workspace: Workspace, record: Record | None, now: datetime, rows: tuple[NewTally, ...]
) -> None:
    """Store what begins, from which nothing is learned yet: its rows, and a record if asked for."""
    records = () if record is None else (record,)
    vectors, space = _embedded(records, workspace.embedder) if records else (None, None)
    change = Change("log", now, records, vectors, space, tallies=rows)
    workspace.store.commit(change)


def _write(
    workspace: Workspace,
    records: list[Record],
    embedded: tuple[NDArray[np.float32] | None, Space | None],
    now: datetime,
    ended: Ended,
) -> list[Logged]:
    settings, store = workspace.settings.experience, workspace.store
    sheet = Sheet.of(workspace.store, EXPERIENCE)
    if any(map(teaches, records)):
        sheet = learning.up_to_date(sheet, workspace, settings)
    known = intake.already_logged(records, store)
    fresh = [record for record in records if record.provenance.idempotency_key not in known]
    lessons = [lesson(record) for record in fresh if teaches(record)]
    for each in lessons:
        learning.learn(each, sheet, settings)
    vectors, space = embedded
    if vectors is not None:
        places = [place for place, record in enumerate(records) if record in fresh]
        vectors = vectors[places]
    revisions = _closing(workspace, ended.start_id, fresh, now)
    if fresh:
        fields = (tuple(fresh), vectors, space, revisions)
        store.commit(Change("log", now, *fields, tallies=(*sheet.new(), *ended.rows)))
    published = publish.now_and_then(workspace, settings, sheet) if lessons else ()
    return [
        replace(
            _receipt(_known(record, known) or record, _status(record, known)),
            detected_patterns=_detected(sheet, record, now, workspace) if record in fresh else (),
            learned=published,
        )
        for record in records
    ]


def _known(record: Record, known: dict[str, Record]) -> Record | None:
    return known.get(record.provenance.idempotency_key or "")


def _status(record: Record, known: dict[str, Record]) -> str:
    return "replayed" if _known(record, known) else "logged"


def _receipt(record: Record, status: str) -> Logged:
    said = record.metadata
    kind = FeedbackType(str(said.get("feedback_type", FeedbackType.NONE)))
    success = said.get("success")
    return Logged(record.id, status, kind, success if isinstance(success, bool) else None)


def _detected(
    sheet: Sheet, record: Record, now: datetime, workspace: Workspace
) -> tuple[LearnedPattern, ...]:
    """Known workflows that the latest actions of the session fit [LOG-09]."""
    settings = workspace.settings.experience
    steps = segments.recent(sheet, record.session_id or "")
    is_action = record.metadata.get("form") == "action" and teaches(record)
    if not is_action or len(steps) < settings.patterns.min_size:
        return ()
    return tuple(match.pattern for match in patterns.fitting(steps, sheet, now, settings))


def _closing(
    workspace: Workspace, started: str | None, fresh: Sequence[Record], now: datetime
) -> tuple[Revision, ...]:
    """The record of the start has done its duty."""
    if started is None or not fresh:
        return ()
    found = workspace.store.find([started])
    return tuple(
        Revision(
            record.id,
            replace(record.standing, state=State.SUPERSEDED, superseded_by=fresh[0].id),
            now,
        )
        for record in found
    )


def _embedded(
    records: Sequence[Record], embedder: Embedder
) -> tuple[NDArray[np.float32] | None, Space | None]:
    """A vector a record; without a working embedder they are stored all the same."""
    try:
        return embedder.embed([record.text for record in records]), embedder.space
    except ProviderError:
        return None, None
