"""What people read: patterns and tool records as records, with evidence, in versions.

A version is written when a pattern crosses its thresholds, when it was seen twice as often as the
version before says, and when what that says is no longer likely by the counts. So a million actions
do not make a million records, and no record says what the counts contradict.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import date, datetime
from typing import Any

from sharpwave import strict_json
from sharpwave.errors import Overtaken
from sharpwave.experience import learning, patterns
from sharpwave.experience.learners import task_patterns, tools
from sharpwave.experience.statements import BEST_PRACTICE_USES
from sharpwave.formulas.statistics import is_within_bounds
from sharpwave.tallies import Sheet
from sharpwave.temporal.clock import digest, new_id
from sharpwave.types.experience import LearnedPattern, PatternType, ToolRecord
from sharpwave.types.records import (
    Channel,
    Kind,
    Provenance,
    Record,
    Source,
    Stage,
    Standing,
    State,
    Trust,
)
from sharpwave.types.storing import EXPERIENCE, TAKEN_BACK, Change, Order, Revision, Stated, Tally
from sharpwave.workspace import Workspace

SUBJECTS = {Kind.PATTERN: "pattern", Kind.TOOL_RECORD: "tool", Kind.INSIGHT: "insight"}
"""How the slots of what is published begin."""
GENERATED = "generated"
_SLOT_CHARS = 240
FIRST_PUBLISHED_AT = 50
"""Lessons before patterns are first published; then whenever their number has doubled."""
STATED = "stated"
CHECKED = frozenset({PatternType.ERROR, PatternType.CORRECTION, *task_patterns.TOPICS})
"""Patterns that are compared with the counts in every lesson about them (`refreshing`)."""
STATED_Z = 1.96
"""Standard deviations around a stated rate within which it still holds."""
WEAKER = 0.2
"""A change of confidence by more is worth a version."""
_NUMBER = re.compile(r"\d+(?:\.\d+)?")


@dataclass(frozen=True, slots=True)
class PublishedPage:
    """Something to be published: what it is, in words and in numbers."""

    kind: Kind
    name: str
    text: str
    support: int
    confidence: float
    evidence: tuple[str, ...]
    content: Mapping[str, Any] | LearnedPattern | ToolRecord
    """Turned into JSON only when it is written: most pages are not due."""
    stage: Stage = Stage.EPISODIC
    author: str = "sharpwave"
    generated: bool = True
    stated: tuple[int, int] | None = None
    """Cases and all cases (k of n), as the text says."""

    @property
    def slot(self) -> str:
        """What its versions compete for."""
        return f"{SUBJECTS[self.kind]}|{self.name}"[:_SLOT_CHARS]


def publish_if_due(workspace: Workspace, sheet: Sheet) -> tuple[str, ...]:
    """Publish what is due, each time there are twice as many lessons as the last time."""
    lessons = sheet.row(learning.STATE, learning.DONE).get("lessons", 0)
    times, rest = divmod(lessons, FIRST_PUBLISHED_AT)
    if rest or times & (times - 1):
        return ()
    try:
        return publish(workspace)
    except Overtaken:
        return ()  # another process is publishing


def publish(workspace: Workspace) -> tuple[str, ...]:
    """Write new versions of patterns and tool records that are due; returns their ids."""
    store = workspace.store
    sheet = Sheet.of(store, EXPERIENCE)
    today = workspace.clock.now().date()
    pages = [page_of_pattern(pattern, today) for pattern in patterns.every(sheet)]
    used = [tool for tool in tools.records(sheet) if tool.executions >= tools.MIN_USES]
    stored = [*published(workspace, Kind.PATTERN), *published(workspace, Kind.TOOL_RECORD)]
    return write(workspace, [*pages, *map(page_of_tool, used)], stored)


def write(
    workspace: Workspace, pages: Sequence[PublishedPage], stored: Sequence[Record]
) -> tuple[str, ...]:
    """Write the versions that are due in place of what is stored; returns the new ids.

    What is stored and no longer so is closed.
    """
    now = workspace.clock.now()
    known = {record.slot: record for record in stored}
    undone = workspace.store.tallies(TAKEN_BACK)
    due = [page for page in pages if _is_due(page, known.get(page.slot))]
    barred = [page for page in due if not _has_grown(page, undone.get(digest(page.slot)))]
    due = [page for page in due if page not in barred]
    records = [made(page, workspace.user_id, now) for page in due]
    new = {record.slot: record.id for record in records}
    revisions = [
        Revision.closing(record, State.SUPERSEDED, now, new[record.slot])
        for record in stored
        if record.slot in new
    ]
    gone = {page.slot for page in barred if _is_contradicted(page, known.get(page.slot))}
    current = {page.slot for page in pages} - gone
    revisions += [
        Revision.closing(record, State.INVALIDATED, now)
        for slot, record in known.items()
        if slot not in current and record.metadata.get(GENERATED)
    ]
    if records or revisions:
        commit(workspace, records, revisions, now)
    return tuple(record.id for record in records)


def commit(
    workspace: Workspace, records: Sequence[Record], revisions: Sequence[Revision], now: datetime
) -> None:
    """Write records and revisions of what is published in one transaction.

    Overtaken if what holds by now in the records' slots is not just what they supersede.
    """
    store, slots = workspace.store, tuple(str(record.slot) for record in records)
    heads = store.slot_heads(slots)  # first: what changes after that is noticed
    holding = store.stated(Stated(slots=slots, states={State.ACTIVE})) if slots else []
    superseded = {
        revision.id for revision in revisions if revision.standing.state is State.SUPERSEDED
    }
    if {record.id for record in holding} != superseded:
        raise Overtaken("somebody else published the same meanwhile; read it again")
    change = Change("publish", now, tuple(records), revisions=tuple(revisions), seen=heads)
    store.commit(workspace.with_vectors(change))


def published(
    workspace: Workspace, kind: Kind, every: bool = False, most: int | None = None
) -> list[Record]:
    """What is published of a kind: what holds now, the `most` surest of it, or every version."""
    states = frozenset() if every else frozenset({State.ACTIVE})
    wanted = Stated(within=(f"{SUBJECTS[kind]}|",), kinds=frozenset({kind}), states=states)
    if most is not None:
        wanted = replace(wanted, order=Order.FOREMOST, limit=most)
    return workspace.store.stated(wanted)


def _is_due(page: PublishedPage, known: Record | None) -> bool:
    if known is None:
        return True
    if known.text == page.text:
        return False
    was = known.metadata.get("support")
    has_grown = page.support >= 2 * (was if isinstance(was, int) else 0)
    has_new_words = _NUMBER.sub("", known.text) != _NUMBER.sub("", page.text)
    return has_grown or has_new_words or _is_contradicted(page, known)


def _is_contradicted(page: PublishedPage, known: Record | None) -> bool:
    """Whether what a version states became unlikely, or much less sure than it was."""
    if known is None:
        return False
    if abs(known.standing.confidence - page.confidence) > WEAKER:
        return True
    stated: Any = known.metadata.get(STATED)
    return not is_as_stated(stated, page.stated)


def is_as_stated(stated: Sequence[int] | None, now: tuple[int, int] | None) -> bool:
    """Whether the stated k of n are still likely by the counts of now, where there are both."""
    if not stated or not now:
        return True
    return is_within_bounds(stated[0], stated[1], now[0] / max(1, now[1]), STATED_Z)


def _has_grown(page: PublishedPage, undone: Tally | None) -> bool:
    """Whether it has twice the support it had when it was taken back, if it was."""
    return undone is None or page.support >= 2 * int(str(undone.value["support"]))


def page_of_pattern(pattern: LearnedPattern, today: date | None = None) -> PublishedPage:
    """The pattern as it is published; with the day, if it is not checked with every lesson."""
    lasting = pattern.support >= BEST_PRACTICE_USES
    dated = today is not None and pattern.type not in CHECKED
    return PublishedPage(
        kind=Kind.PATTERN,
        name=pattern.id,
        text=f"{pattern.description} (as of {today})" if dated else pattern.description,
        support=pattern.support,
        confidence=pattern.confidence,
        evidence=pattern.evidence,
        content=pattern,
        stage=Stage.SEMANTIC if lasting else Stage.EPISODIC,
        stated=(pattern.successes, pattern.successes + pattern.failures),
    )


def page_of_tool(tool: ToolRecord) -> PublishedPage:
    """The track record as it is published."""
    text = f"{tool.name}: {tools.outcomes(tool)}"
    if tool.avg_duration_ms is not None:
        text += f", {tool.avg_duration_ms:.0f} ms on average"
    hints = " ".join(hint.message for hint in tool.recommendations[:3])
    evidence = tuple(dict.fromkeys(id_ for error in tool.errors for id_ in error.evidence))
    return PublishedPage(
        kind=Kind.TOOL_RECORD,
        name=tool.name,
        text=f"{text}. {hints}".strip(),
        support=tool.executions,
        confidence=tool.success_rate,
        evidence=evidence,
        content=tool,
        stated=(tool.successes, tool.successes + tool.failures),
    )


def _plain(value: Mapping[str, Any] | LearnedPattern | ToolRecord) -> Mapping[str, Any]:
    """The value as JSON types."""
    if isinstance(value, Mapping):
        return value
    made: dict[str, Any] = strict_json.loads(json.dumps(asdict(value), default=str))
    return made


def made(page: PublishedPage, user_id: str, now: datetime) -> Record:
    """The record of a page."""
    confidence = min(1.0, max(0.0, page.confidence))
    return Record(
        id=new_id(now),
        user_id=user_id,
        kind=page.kind,
        text=page.text,
        provenance=Provenance(
            source=Source.INFERRED,
            channel=Channel.LIBRARY,
            trust=Trust.INFERRED,
            author=page.author,
            parents=page.evidence,
        ),
        standing=Standing.new(page.stage, 0.5, confidence, now, max(1, page.support)),
        valid_from=now,
        recorded_at=now,
        metadata={
            **_plain(page.content),
            "support": page.support,
            STATED: page.stated and list(page.stated),
            GENERATED: page.generated,
        },
        slot=page.slot,
    )


def name_of(record: Record) -> str:
    """The name of what a record publishes, as its slot has it."""
    return str(record.slot).partition("|")[2]
