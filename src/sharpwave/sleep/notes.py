"""Reflective notes: what to do the same or differently next time [REF-03, REF-04].

A note made here is a guess: it is not lasting until it was seen on several days. A model, if there
is one, reviews a session; without one, `session_end` notes what helped and what did not. Notes that
say the same merge; the other holds again if the one that stayed is forgotten.
"""

import hashlib
import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from sharpwave.knowledge import settle_tasks
from sharpwave.knowledge.draft import MAX_STATEMENT_CHARS, NOVELTY_COSINE
from sharpwave.knowledge.settle_tasks import NOTE_CONFIDENCE, NOTE_IMPORTANCE
from sharpwave.llm.prompts.sleep import NotesOutput, render_notes
from sharpwave.llm.prompts.transcript import new_nonce
from sharpwave.sleep.journal import Revised, Step
from sharpwave.sleep.run import SleepRun
from sharpwave.types.records import (
    ACTIVE,
    USER,
    Channel,
    Kind,
    Provenance,
    Record,
    Role,
    Source,
    Stage,
    Standing,
    State,
    Statement,
    Trust,
)
from sharpwave.types.sleep import ReportEntry
from sharpwave.types.storing import Stated
from sharpwave.workspace import Workspace

_DENIES = re.compile(r"\b(?:no|not|never|avoid|without|stop)\b|n['\u2019]t\b", re.IGNORECASE)


def from_session(run: SleepRun, turns: Sequence[Record]) -> list[Record]:
    """Notes that a model makes of a session; none without a model. Each names turns of the user."""
    if not run.may_ask():
        return []
    answer = run.ask(render_notes(run.lines(turns), new_nonce()), NotesOutput)
    made = []
    for note in answer.notes if answer else ():
        named = [turns[place - 1] for place in sorted(set(note.turns)) if 0 < place <= len(turns)]
        text = " ".join(note.text.split())[:MAX_STATEMENT_CHARS]
        if text and any(turn.role is Role.USER for turn in named):
            made.append(note_record(run.workspace, run.now, text, named))
    return made


def duplicates(run: SleepRun) -> list[list[Record]]:
    """Groups of notes that say the same, the surest of each first."""
    wanted = Stated(slots=(settle_tasks.note_slot(),), kinds={Kind.NOTE}, states=ACTIVE)
    active = run.workspace.store.stated(wanted)
    return _similar_groups(run, sorted(active, key=_rank, reverse=True)) if len(active) > 1 else []


def merge(run: SleepRun, groups: Sequence[Sequence[str]]) -> Step:
    """Merge groups of notes, given by id: the surest stays, and counts for all."""
    store = run.workspace.store
    heads = store.slot_heads([settle_tasks.note_slot()])
    revised, entries = [], []
    for group in groups:
        active = [note for note in store.find(group) if note.standing.state is State.ACTIVE]
        if len(active) < 2:
            continue
        first, *rest = sorted(active, key=_rank, reverse=True)
        count = sum(note.standing.seen_count for note in active)
        last = max(note.standing.last_seen_at for note in active)
        joined = replace(first.standing, seen_count=count, last_seen_at=last)
        revised.append(Revised(first, joined, first.valid_to))
        for note in rest:
            gone = replace(note.standing, state=State.SUPERSEDED, superseded_by=first.id)
            revised.append(Revised(note, gone, note.valid_to))
            entries.append(ReportEntry("merged", note.id, f"says the same as {first.id}"))
    return Step(revised=tuple(revised), entries=tuple(entries), seen=heads if revised else {})


def _rank(note: Record) -> tuple[int, float, int, int]:
    standing = note.standing
    return note.provenance.trust, standing.confidence, standing.seen_count, -note.number


def _similar_groups(run: SleepRun, records: Sequence[Record]) -> list[list[Record]]:
    """Groups of records that mean the same as their first; none that denies it."""
    store, space = run.workspace.store, run.workspace.embedder.space
    numbers, matrix = store.vectors([record.number for record in records], space)
    vectors = dict(zip(numbers.tolist(), matrix, strict=True))
    groups: list[list[Record]] = []
    for record in records:
        if record.number not in vectors:
            continue
        own, denies = vectors[record.number], bool(_DENIES.search(record.text))
        for group in groups:
            same = bool(_DENIES.search(group[0].text)) is denies
            if same and float(vectors[group[0].number] @ own) >= NOVELTY_COSINE:
                group.append(record)
                break
        else:
            groups.append([record])
    return groups


def note_record(
    workspace: Workspace, now: datetime, text: str, parents: Sequence[Record]
) -> Record:
    """The record of a note that rests on these turns; its id depends on them."""
    ids = tuple(parent.id for parent in parents)
    trust = min(Trust.INFERRED, *(parent.provenance.trust for parent in parents))
    name = "\0".join([workspace.user_id, text, *ids]).encode()
    return Record(
        id="no" + hashlib.blake2b(name, digest_size=12).hexdigest(),
        user_id=workspace.user_id,
        kind=Kind.NOTE,
        text=text,
        provenance=Provenance(Source.INFERRED, Channel.SLEEP, trust, "sharpwave", ids),
        standing=Standing.new(
            Stage.EPISODIC, NOTE_IMPORTANCE, NOTE_CONFIDENCE, parents[-1].valid_from
        ),
        valid_from=parents[0].valid_from,
        recorded_at=now,
        statement=Statement(USER, settle_tasks.NOTE, text),
        slot=settle_tasks.note_slot(),
    )
