"""Step 5: what a remark does to what is known, though it names no slot: it ends or replaces it.

1 remark     a short turn without its questions, or a part of a longer one
2 near       facts and tasks that lie near to it, those with a word in common or very near first
3 compared   the reader says of each how likely the remark ends or replaces it
"""

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
from sharpwave.reading.task_moves import lets_go
from sharpwave.types.records import ACTIVE, OPEN_TASK, Kind, Record, Statement, Trust
from sharpwave.types.searching import Filter
from sharpwave.types.statements import TO_DO, Effect, Mode, TargetRelation, TaskStatus
from sharpwave.workspace import Workspace

KEPT = "remark, kept 1"
LOOKED_AT = 10
"""Notes that are looked at, by meaning and by words each."""
NEAREST = 3
"""Notes that a remark is compared with."""
NEAR, VERY_NEAR = 0.3, 0.42
"""Cosines: of notes with a word in common, and of others."""
FAR = 0.2
"""Minimum cosine of all others, which change only by what is clear (`LEAST_CLEAR`)."""
LEAST = 0.45
"""Minimum probability that a remark ends or replaces a note: of pairs kept apart, which are written
to mislead, three of four are right then."""
LEAST_BESIDE = 0.55
"""The same where rules read a deed, but not that it ends the task."""
LEAST_NAMED = 0.25
"""The same for a task that ends, where all of its words are said."""
LEAST_WITH_WHOLE = 0.3
"""The same for a fact, where the sentence that it was read from ends."""
LEAST_CLEAR = 0.65
"""The same for what does not lie near, and for an end that is told with a "not" or "never"."""
CLEARLY = 0.3
"""Minimum lead in probability over a similar note."""
MOST_NOTE_WORDS = 16
"""A note of more words says several things: what changes one of them does not replace it."""
_NOTES = Filter(kinds=frozenset({Kind.FACT.value, Kind.TASK.value}))
_OPEN = {Kind.FACT: ACTIVE, Kind.TASK: OPEN_TASK}


def aimed(heard: Sequence[Extracted], workspace: Workspace) -> list[Extracted]:
    """What was heard, and what of it ends or replaces something known."""
    said = [one for one in heard if one.candidate.extractor != REMARK]
    for remark in (one for one in heard if one.candidate.extractor == REMARK):
        for note in _compared(remark, said, workspace):
            said = _with(note, remark, said)
    return said


def _is_beside(one: Extracted, remark: Extracted) -> bool:
    """True for what the same words say; what a caller only claims of them is not the user's."""
    if one.turn.id != remark.turn.id or one.candidate.claimed:
        return False
    return one.candidate.span.overlaps(remark.candidate.span)


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
    remark: Extracted, said: Sequence[Extracted], workspace: Workspace
) -> Iterator[_Compared]:
    """Notes that a remark ends or replaces, unless rules say what it does to them."""
    reader = workspace.shared.reader
    trust = remark.turn.provenance.trust
    if reader is None or trust < Trust.USER or workspace.llm_reads:  # which tells more
        return
    own = [one.candidate for one in said if _is_beside(one, remark)]
    aimed_at = {one.target.id for one in own if one.target}
    facts = [(one.statement, one.mode) for one in own if one.kind is Kind.FACT and one.statement]
    slots = {slot_of_statement(one) for one, _ in facts}
    near, far = (
        [
            record
            for record in records
            if record.id not in aimed_at
            and (record.kind is Kind.TASK or record.slot not in slots)
            and remark.turn.id not in record.provenance.parents
            and record.provenance.trust <= trust
        ]
        for records in _around(remark, workspace)
    )
    both = [*near, *far][:NEAREST]
    notes = [TO_DO * (record.kind is Kind.TASK) + record.text for record in both]
    text = remark.candidate.text
    compared = list(map(_Compared, both, reader.compare(notes, text)))
    ended = [stems(one.object) for one, mode in facts if mode is Mode.ENDED]
    deeds = [stems(one.text) for one in own if one.kind is Kind.TASK and one.effect_only]
    predicates = {one.predicate for one, _ in facts} - {NOTED}
    is_negated = NEGATION.search(text) is not None
    changed: list[_Compared] = []
    for note in sorted(compared, key=lambda one: -one.likely):
        record = note.record
        if record.kind is Kind.TASK:
            words = stems(record.text)
            beside = any(words & deed for deed in deeds)
            all_said = bool(words) and note.is_end and words <= stems(text)
            least = LEAST_NAMED if all_said else LEAST_BESIDE if beside else LEAST
        else:
            with_whole = any(_says_all_of(one.record, record) for one in changed if one.is_end)
            least = LEAST_WITH_WHOLE if with_whole else LEAST
        if record in far or (note.is_end and is_negated):
            least = LEAST_CLEAR
        if note.likely < least:
            continue
        if note.is_end:
            lasts = changes.names_a_part(text, record.text) or changes.is_another_of_its_kind(
                text, record.text
            )
        else:  # what tells of another slot leaves this one
            own_slot = predicates and statement_of(record).predicate not in predicates | {NOTED}
            lasts = record.kind is Kind.FACT and (own_slot or changes.stands_beside(text))
        named_as_over = any(words and words <= stems(record.text) for words in ended)
        other = record.kind is Kind.FACT and ended and not named_as_over  # "shellfish", not "nuts"
        if not (lasts or other or _is_lasting(note)):
            changed.append(note)
    yield from (one for one in changed if not _is_one_of_several(one, compared))


def _is_one_of_several(one: _Compared, compared: Sequence[_Compared]) -> bool:
    """True if a remark may as well mean a like note: "the bike" is neither of two."""
    own, kind = stems(one.record.text), one.record.kind
    likes = [
        other
        for other in compared
        if other.record.id != one.record.id
        and other.record.kind is kind
        and own & stems(other.record.text)
        and not changes.are_one([one.record.text, other.record.text])
    ]
    return any(other.likely > one.likely - CLEARLY for other in likes)


def _says_all_of(whole: Record, fact: Record) -> bool:
    """True if a sentence in own words says what a fact does that was learned from the same turn."""
    together = not set(whole.provenance.parents).isdisjoint(fact.provenance.parents)
    return together and stems(fact.text) <= stems(whole.text)


def _is_lasting(note: _Compared) -> bool:
    """True for what was over when it was said, and for likes of what is no longer done."""
    record = note.record
    if record.kind is Kind.TASK:
        return False
    if note.is_end and "preference" in record.tags:
        return True
    at = record.valid_from
    ends = [day.end for day in changes.dates(record.text, at) if not changes.is_set(day)]
    return bool(ends) and all(end is not None and end <= at for end in ends)


def _around(remark: Extracted, workspace: Workspace) -> tuple[list[Record], list[Record]]:
    """Open facts and tasks that lie near to a remark, and others; the nearest first."""
    text = remark.candidate.text
    try:
        vector = workspace.embedder.embed([text])[0]
    except ProviderError:
        return [], []
    ranked = workspace.index.rank(text, vector, LOOKED_AT, _NOTES)
    numbers = np.union1d(ranked.vector.numbers, ranked.keyword.numbers).tolist()
    found, matrix = workspace.store.vectors(numbers, workspace.embedder.space)
    cosines = matrix @ vector
    best = np.argsort(-cosines, kind="stable")
    best = best[cosines[best] >= FAR]
    how_near = dict(zip(found[best].tolist(), cosines[best].tolist(), strict=True))
    words, at, now = stems(text), remark.turn.valid_from, workspace.clock.now()
    near: list[Record] = []
    far: list[Record] = []
    for record in workspace.store.fetch(list(how_near)):
        if (
            record.standing.state in _OPEN.get(record.kind, ())
            and (record.valid_to is None or record.valid_to > at)
            and min(record.standing.last_seen_at, now) <= at
            and len(record.text.split()) <= MOST_NOTE_WORDS
        ):
            least = NEAR if words & stems(record.text) else VERY_NEAR
            (near if how_near[record.number] >= least else far).append(record)
    return near, far


def _with(note: _Compared, remark: Extracted, said: list[Extracted]) -> list[Extracted]:
    """What was said, one of which now ends or replaces a note."""
    record, ends = note.record, note.is_end
    if record.kind is Kind.TASK:
        return _with_task(record, remark, said, ends)
    if ends:
        return [*said, with_target(remark, TargetRelation.END, record)]
    words = stems(record.text)
    new = [
        place
        for place, one in enumerate(said)
        if _is_beside(one, remark)
        and one.candidate.kind is Kind.FACT
        and one.candidate.mode is not Mode.ENDED
        and one.candidate.target is None
        and not one.candidate.effect_only
    ]
    if not new and any(_is_beside(one, remark) and one.candidate.target for one in said):
        return [*said, with_target(remark, TargetRelation.END, record)]
    if not new:
        kept = replace(remark.candidate, extractor=KEPT)
        return [*said, with_target(remark._replace(candidate=kept), TargetRelation.UPDATE, record)]
    best = max(new, key=lambda place: len(words & stems(said[place].candidate.text)))
    replaced = with_target(said[best], TargetRelation.UPDATE, record)
    return [*said[:best], replaced, *said[best + 1 :]]


def _with_task(
    record: Record, remark: Extracted, said: list[Extracted], ends: bool
) -> list[Extracted]:
    """A task that is done, dropped, or due on another day; it is not a new one besides."""
    due, words = remark.candidate.due, stems(record.text)
    if not ends and due in (None, record.due):
        return _with_other_task(record, remark, said)
    rest = [
        one
        for one in said
        if one.turn.id != remark.turn.id
        or one.candidate.kind is not Kind.TASK
        or not words & stems(one.candidate.text)
    ]
    over = TaskStatus.DROPPED if lets_go(remark.candidate.text, record.text) else TaskStatus.DONE
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


def _with_other_task(record: Record, remark: Extracted, said: list[Extracted]) -> list[Extracted]:
    """What is to be done instead, if that was read as a task: "ask three firms, not two"."""
    for place, one in enumerate(said):
        task = one.candidate
        new = task.kind is Kind.TASK and task.target is None and not task.effect_only
        if new and _is_beside(one, remark) and stems(task.text) & stems(record.text):
            if task.due is None and record.due is not None:  # its day is kept, and goes with it
                rests_on = (*task.rests_on, *record.provenance.parents)
                one = one._replace(candidate=replace(task, rests_on=rests_on))
            return [
                *said[:place],
                with_target(one, TargetRelation.UPDATE, record),
                *said[place + 1 :],
            ]
    return said
