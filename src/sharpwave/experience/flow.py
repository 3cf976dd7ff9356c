"""The write path of experience: one transaction for a record and all that is learned from it.

    1 intake     what was done        -> an immutable record, validated and redacted (by the caller)
    2 learn      the record           -> rows of every learner, in memory
    3 commit     record and rows      -> durable together; retried after a concurrent write
    4 publish    from time to time    -> patterns and tool records that people read

If what was learned is missing (after something was forgotten, or a damaged file was saved), it is
learned anew first from the stored records.
"""

import threading
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from sharpwave.errors import InvalidInput
from sharpwave.experience import (
    corrections,
    intake,
    learning,
    patterns,
    publish,
    rebuild,
    refreshing,
)
from sharpwave.experience.learners import rows, segments
from sharpwave.experience.lessons import lesson, teaches
from sharpwave.tallies import Sheet
from sharpwave.types.experience import FeedbackType, LearnedPattern, Logged, TaskRun
from sharpwave.types.records import Record, State
from sharpwave.types.storing import EXPERIENCE, Change, NewTally, Revision
from sharpwave.workspace import Workspace

WITHDRAWN = "not_stored"
_LOCKS = [threading.Lock() for _ in range(64)]
"""Threads of one process learn for a user one after the other; processes retry on conflict."""


def log(
    workspace: Workspace,
    records: Sequence[Record],
    start_id: str | None = None,
    ended: tuple[NewTally, ...] = (),
) -> list[Logged]:
    """Store what was done and learn from it. When this returns, it survives a power cut.

    `start_id` is the record of the interaction's start, which is superseded; `ended` deletes the
    rows of the open interaction.
    """
    if not workspace.consents.may_remember:
        return [_receipt(record, WITHDRAWN) for record in records]
    related = tuple(corrections.related(workspace, record) for record in records)
    whole = workspace.with_vectors(Change("log", workspace.clock.now(), related, tallies=ended))

    def attempt(workspace: Workspace) -> list[Logged]:
        with _LOCKS[hash(workspace.user_id) % len(_LOCKS)]:
            return _write(workspace, whole, start_id)

    return workspace.retried(attempt)


def observe(workspace: Workspace, runs: Sequence[TaskRun]) -> list[Logged]:
    """Learn from finished tasks, all of them in one transaction."""
    if not runs:
        raise InvalidInput("there is nothing to observe: the list of tasks is empty")
    return log(workspace, [intake.task(workspace, run) for run in runs])


def _write(workspace: Workspace, whole: Change, start_id: str | None) -> list[Logged]:
    """Commit what is new of a change, with what it teaches."""
    store, now, records = workspace.store, workspace.clock.now(), whole.records
    sheet = Sheet.of(store, EXPERIENCE)
    if any(map(teaches, records)):
        sheet = rebuild.up_to_date(workspace, sheet)
    known = intake.already_logged(store, records)
    fresh = []
    for record in records:
        key = record.provenance.idempotency_key or record.id
        if known.setdefault(key, record) is record:  # the first with its key
            fresh.append(record)
    lessons = [lesson(record) for record in fresh if teaches(record)]
    for taught in lessons:
        learning.learn(taught, sheet)
    if fresh:
        started = store.find([start_id]) if start_id else []
        revisions = tuple(
            Revision.closing(start, State.SUPERSEDED, now, fresh[0].id) for start in started
        )
        vectors = whole.vectors
        if vectors is not None:
            vectors = vectors[[place for place, record in enumerate(records) if record in fresh]]
        change = replace(whole, at=now, records=tuple(fresh), vectors=vectors, revisions=revisions)
        store.commit(replace(change, tallies=(*sheet.new(), *whole.tallies)))
    published: tuple[str, ...] = ()
    if lessons:
        published = publish.publish_if_due(workspace, sheet)
        published += refreshing.refresh(workspace, sheet, lessons)
    receipts = []
    for record in records:
        earlier = known[record.provenance.idempotency_key or record.id]
        receipt = replace(_receipt(earlier, "replayed"), learned=published)
        if earlier is record:
            detected = _detected(sheet, record, now)
            receipt = replace(receipt, status="logged", detected_patterns=detected)
        receipts.append(receipt)
    return receipts


def _receipt(record: Record, status: str) -> Logged:
    content = record.metadata
    kind = FeedbackType(str(content.get("feedback_type", FeedbackType.NONE)))
    success = content.get("success")
    return Logged(record.id, status, kind, success if isinstance(success, bool) else None)


def _detected(sheet: Sheet, record: Record, now: datetime) -> tuple[LearnedPattern, ...]:
    """Known workflows that the latest actions of the session fit [LOG-09]."""
    steps = segments.recent(sheet, record.session_id or "")
    is_action = record.metadata.get("form") == "action" and teaches(record)
    if not is_action or len(steps) < rows.MIN_STEPS:
        return ()
    return tuple(match.pattern for match in patterns.fitting(steps, sheet, now))
