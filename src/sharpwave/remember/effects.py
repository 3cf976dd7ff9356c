"""Step 5: find known facts and tasks that a remark ends or replaces, though it names no slot.

1 remark     a short turn without its questions, or a part of a longer one
2 nearby     facts and tasks near to it, those with a word in common or very near first
3 compared   the reader estimates for each how likely the remark ends or replaces it
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from sharpwave.errors import ProviderError
from sharpwave.knowledge.draft import Extracted, slot_of_statement, statement_of, with_target
from sharpwave.knowledge.predicates import NOTED
from sharpwave.reading import changes
from sharpwave.reading.open_statements import REMARK, stems
from sharpwave.reading.quotes import NEGATION
from sharpwave.reading.task_moves import cancels
from sharpwave.types.records import ACTIVE, OPEN_TASK, Kind, Record, Statement, Trust
from sharpwave.types.searching import Filter
from sharpwave.types.statements import TO_DO, Effect, Mode, TargetRelation, TaskStatus
from sharpwave.workspace import Workspace

KEPT = "remark, kept 1"
CANDIDATES = 10
"""Notes retrieved, by meaning and by words each."""
MAX_COMPARED, MAX_TURNS = 5, 3
"""Maximum number of notes that a remark is compared with, and of turns that they were read from."""
NEAR, VERY_NEAR = 0.3, 0.42
"""Minimum cosines of near notes: with a word in common, and without."""
FAR = 0.2
"""Minimum cosine of far notes, which change only if that is clear (`MIN_CHANGE_CLEAR`)."""
MIN_CHANGE, MIN_CHANGE_TASK = 0.45, 0.5
"""Minimum probability that a remark ends or replaces a fact, and a task."""
MIN_CHANGE_CLEAR = 0.65
"""The same for far notes, and for tasks where the remark has a "not" or "never"."""
MIN_LEAD, SURE = 0.3, 0.9
"""Minimum lead in probability over a similar note; from `SURE` on only over one of its kind."""
MOST_NOTE_WORDS = 16
"""Longer notes say several things: a remark that changes one of them does not replace the note."""
_NOTES = Filter(kinds=frozenset({Kind.FACT.value, Kind.TASK.value}))
_OPEN = {Kind.FACT: ACTIVE, Kind.TASK: OPEN_TASK}


def with_targets(extracted: Sequence[Extracted], workspace: Workspace) -> list[Extracted]:
    """The extracted items without remarks, with targets where a remark ends or replaces a note."""
    items = [item for item in extracted if item.candidate.extractor != REMARK]
    for remark in (item for item in extracted if item.candidate.extractor == REMARK):
        for note in _compared(remark, items, workspace):
            items = _with_note_changed(note, remark, items)
    return items


def _is_beside(item: Extracted, remark: Extracted) -> bool:
    """True if an item was read from the remark's words, and is not a caller's claim."""
    if item.turn.id != remark.turn.id or item.candidate.claimed:
        return False
    return item.candidate.span.overlaps(remark.candidate.span)


class _Compared(NamedTuple):
    """A known fact or task, and what a remark does to it."""

    record: Record
    effect: Effect

    @property
    def likely(self) -> float:
        """How likely the remark ends or replaces it."""
        return self.effect.change

    @property
    def is_end(self) -> bool:
        """Whether the remark rather ends than replaces it."""
        return self.effect.end >= self.effect.update


def _compared(
    remark: Extracted, items: Sequence[Extracted], workspace: Workspace
) -> Iterator[_Compared]:
    """Notes that a remark ends or replaces, unless rules say what it does to them."""
    reader = workspace.shared.reader
    trust = remark.turn.provenance.trust
    if reader is None or trust < Trust.USER or workspace.llm_reads:  # the LLM reads more
        return
    own = [item.candidate for item in items if _is_beside(item, remark)]
    targeted = {candidate.target.id for candidate in own if candidate.target}
    facts = [
        (candidate.statement, candidate.mode)
        for candidate in own
        if candidate.kind is Kind.FACT and candidate.statement
    ]
    slots = {slot_of_statement(statement) for statement, _ in facts}
    near, far = (
        [
            record
            for record in records
            if record.id not in targeted
            and (record.kind is Kind.TASK or record.slot not in slots)
            and remark.turn.id not in record.provenance.parents
            and record.provenance.trust <= trust
        ]
        for records in _nearby(remark, workspace)
    )
    nearest = _of_few_turns([*near, *far])
    notes = [TO_DO * (record.kind is Kind.TASK) + record.text for record in nearest]
    text = remark.candidate.text
    compared = list(map(_Compared, nearest, reader.compare(notes, text)))
    ended = [stems(statement.object) for statement, mode in facts if mode is Mode.ENDED]
    put_off = [stems(candidate.text) for candidate in own if candidate.status is TaskStatus.STALLED]
    predicates = {statement.predicate for statement, _ in facts} - {NOTED}
    is_negated = NEGATION.search(text) is not None
    changed: list[_Compared] = []
    for note in sorted(compared, key=lambda note: -note.likely):
        record = note.record
        if any(stems(record.text) & deed for deed in put_off):
            continue
        is_task = record.kind is Kind.TASK
        doubtful = record in far or (is_task and is_negated)
        if note.likely < (
            MIN_CHANGE_CLEAR if doubtful else MIN_CHANGE_TASK if is_task else MIN_CHANGE
        ):
            continue
        if note.is_end:
            stays = changes.names_a_part(text, record.text) or changes.is_another_of_its_kind(
                text, record.text
            )
        else:  # a statement about another slot leaves this one
            own_slot = predicates and statement_of(record).predicate not in predicates | {NOTED}
            stays = record.kind is Kind.FACT and (own_slot or changes.is_addition(text))
        named_as_over = any(words and words <= stems(record.text) for words in ended)
        # "shellfish", not "nuts"
        ends_another = record.kind is Kind.FACT and ended and not named_as_over
        if not (stays or ends_another or _is_lasting(note)):
            changed.append(note)
    yield from (note for note in changed if not _is_one_of_several(note, compared))


def _of_few_turns(records: Sequence[Record]) -> list[Record]:
    """The nearest records: a sentence and the facts read from it count as one, up to a limit."""
    turns = list(dict.fromkeys(record.provenance.parents for record in records))[:MAX_TURNS]
    return [record for record in records if record.provenance.parents in turns][:MAX_COMPARED]


def _is_one_of_several(note: _Compared, compared: Sequence[_Compared]) -> bool:
    """True if a remark may equally mean a similar note: "the bike" is neither of two."""
    words, kind = stems(note.record.text), note.record.kind
    similar = [
        other
        for other in compared
        if other.record.id != note.record.id
        and other.record.kind is kind
        and words & stems(other.record.text)
        and not changes.are_one([note.record.text, other.record.text])
        and not _share_a_name(note.record, other.record)
    ]
    if note.likely >= SURE:
        similar = [
            other
            for other in similar
            if changes.is_another_of_its_kind(note.record.text, other.record.text)
        ]
    return any(other.likely > note.likely - MIN_LEAD for other in similar)


def _share_a_name(first: Record, second: Record) -> bool:
    """True if one of two facts is about a name that the other mentions."""
    return any(
        re.search(rf"\b{re.escape(name)}\b", record.text)
        for record, other in ((first, second), (second, first))
        for name in _names(other)
    )


def _names(record: Record) -> set[str]:
    """The names that a fact is about: "The user has a pet, Pippo" and "Pippo is a budgie"."""
    subject, _, value = statement_of(record) if record.kind is Kind.FACT else ("", "", "")
    return {name for name in (subject, value) if name[:1].isupper() and " " not in name}


def _is_lasting(note: _Compared) -> bool:
    """True for what was over when it was said, and for liking what is no longer done."""
    record = note.record
    if record.kind is Kind.TASK:
        return False
    if note.is_end and "preference" in record.tags:
        return True
    at = record.valid_from
    ends = [span.end for span in changes.dates(record.text, at) if not changes.is_set(span)]
    return bool(ends) and all(end is not None and end <= at for end in ends)


def _nearby(remark: Extracted, workspace: Workspace) -> tuple[list[Record], list[Record]]:
    """Open facts and tasks near to a remark, and those farther away; the nearest first."""
    text = remark.candidate.text
    try:
        vector = workspace.embedder.embed([text])[0]
    except ProviderError:
        return [], []
    ranked = workspace.index.rank(text, vector, CANDIDATES, _NOTES)
    candidates = np.union1d(ranked.vector.numbers, ranked.keyword.numbers).tolist()
    numbers, matrix = workspace.store.vectors(candidates, workspace.embedder.space)
    cosines = matrix @ vector
    nearest = np.argsort(-cosines, kind="stable")
    nearest = nearest[cosines[nearest] >= FAR]
    cosine_of = dict(zip(numbers[nearest].tolist(), cosines[nearest].tolist(), strict=True))
    words, at, now = stems(text), remark.turn.valid_from, workspace.clock.now()
    near: list[Record] = []
    far: list[Record] = []
    for record in workspace.store.fetch(list(cosine_of)):
        if (
            record.standing.state in _OPEN.get(record.kind, ())
            and (record.valid_to is None or record.valid_to > at)
            and min(record.standing.last_seen_at, now) <= at
            and len(record.text.split()) <= MOST_NOTE_WORDS
        ):
            needed = NEAR if words & stems(record.text) else VERY_NEAR
            (near if cosine_of[record.number] >= needed else far).append(record)
    return near, far


def _with_note_changed(
    note: _Compared, remark: Extracted, items: list[Extracted]
) -> list[Extracted]:
    """The items, one of which now ends or replaces a note."""
    record, ends = note.record, note.is_end
    if record.kind is Kind.TASK:
        return _with_task(record, remark, items, ends)
    if ends:
        return [*items, with_target(remark, TargetRelation.END, record)]
    words = stems(record.text)
    new = [
        place
        for place, item in enumerate(items)
        if _is_beside(item, remark)
        and item.candidate.kind is Kind.FACT
        and item.candidate.mode is not Mode.ENDED
        and item.candidate.target is None
        and not item.candidate.effect_only
    ]
    if not new and any(_is_beside(item, remark) and item.candidate.target for item in items):
        return [*items, with_target(remark, TargetRelation.END, record)]
    if not new:
        kept = replace(remark.candidate, extractor=KEPT)
        return [*items, with_target(remark._replace(candidate=kept), TargetRelation.UPDATE, record)]
    best = max(new, key=lambda place: len(words & stems(items[place].candidate.text)))
    replaced = with_target(items[best], TargetRelation.UPDATE, record)
    return [*items[:best], replaced, *items[best + 1 :]]


def _with_task(
    record: Record, remark: Extracted, items: list[Extracted], ends: bool
) -> list[Extracted]:
    """The items with a task that is done, dropped or moved, which is not read as a new task too."""
    due, words = remark.candidate.due, stems(record.text)
    if not ends and due in (None, record.due):
        return _with_other_task(record, remark, items)
    rest = [
        item
        for item in items
        if item.turn.id != remark.turn.id
        or item.candidate.kind is not Kind.TASK
        or not words & stems(item.candidate.text)
    ]
    over = TaskStatus.DROPPED if cancels(remark.candidate.text, record.text) else TaskStatus.DONE
    title = record.text if ends else changes.without_dates(record.text, remark.turn.valid_from)
    moved = replace(
        remark.candidate,
        kind=Kind.TASK,
        text=title,
        statement=Statement(statement_of(record).subject, NOTED, title),
        status=over if ends else TaskStatus.ACTIVE,
        rests_on=() if ends else record.provenance.parents,
    )
    relation = TargetRelation.END if ends else TargetRelation.UPDATE
    return [*rest, with_target(remark._replace(candidate=moved), relation, record)]


def _with_other_task(record: Record, remark: Extracted, items: list[Extracted]) -> list[Extracted]:
    """The items with the task that replaces this one, if read: "ask three firms, not two"."""
    for place, item in enumerate(items):
        task = item.candidate
        new = task.kind is Kind.TASK and task.target is None and not task.effect_only
        if new and _is_beside(item, remark) and stems(task.text) & stems(record.text):
            if task.due is None and record.due is not None:  # its day is kept, and goes with it
                rests_on = (*task.rests_on, *record.provenance.parents)
                item = item._replace(candidate=replace(task, rests_on=rests_on))
            return [
                *items[:place],
                with_target(item, TargetRelation.UPDATE, record),
                *items[place + 1 :],
            ]
    return items
