"""Reflective notes: what to do the same or differently next time [REF-03, REF-04].

A note of the night is a guess: it is not lasting until it was seen on several days. A model, if
there is one, looks back on a session; without one, a question that comes up again and again makes
a note. Notes that say the same become one; the other holds again if that one is forgotten.
"""

import hashlib
import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

from sharpwave.knowledge import settle_tasks
from sharpwave.knowledge.draft import MAX_STATEMENT_CHARS, NOVELTY_COSINE
from sharpwave.llm.prompts import notes as prompt
from sharpwave.llm.prompts.transcript import new_nonce
from sharpwave.sleep import asking
from sharpwave.sleep.night import Night
from sharpwave.sleep.step import Revised, Step
from sharpwave.types.records import (
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
    Temperature,
    Trust,
)
from sharpwave.types.sleep import Entry
from sharpwave.types.storing import TAKEN_BACK, Stated

_ACTIVE = frozenset({State.ACTIVE})
_ASKING = ("?", "\uff1f", "\u061f")
_DENIES = re.compile(r"\b(?:no|not|never|avoid|without|stop)\b|n['\u2019]t\b", re.IGNORECASE)


def of_session(turns: Sequence[Record], night: Night) -> list[Record]:
    """What a model learns from a session; nothing without one. Each names turns of the user."""
    if not asking.may_ask(night):
        return []
    asked = prompt.render(asking.lines(turns, night), new_nonce())
    answer = asking.ask(asked, prompt.Output, night)
    made = []
    for found in answer.notes if answer else ():
        named = [turns[place - 1] for place in sorted(set(found.turns)) if 0 < place <= len(turns)]
        text = " ".join(found.text.split())[:MAX_STATEMENT_CHARS]
        if text and any(turn.role is Role.USER for turn in named):
            made.append(_record(text, named, night))
    return made


def recurring(night: Night) -> Step:
    """A note for each question that the user asked on several days."""
    store, settings = night.workspace.store, night.workspace.settings.sleep.summary
    since = night.now - timedelta(days=settings.recurring_lookback_days)
    latest = store.latest(None, settings.recurring_turns)
    asked = [turn for turn in latest if _is_question(turn) and turn.valid_from >= since]
    made = [
        _record(f"The user asks again and again: {group[-1].text.strip()}", group, night, group[:1])
        for group in _alike(asked, night)
        if len({turn.valid_from.date() for turn in group}) >= settings.recurring_days
    ]
    ids = [record.id for record in made]
    known = {record.id for record in store.find(ids)}
    known |= store.tallies(TAKEN_BACK, ids).keys()
    new = tuple(record for record in made if record.id not in known)
    return Step(
        records=new,
        entries=tuple(
            Entry("noted", record.id, "a question that comes up again") for record in new
        ),
        seen=store.slot_heads([settle_tasks.note_slot()]) if new else {},
        needs=tuple({parent for record in new for parent in record.provenance.parents}),
    )


def same(night: Night) -> list[list[Record]]:
    """Notes that say the same, the surest of each group first."""
    wanted = Stated(slots=(settle_tasks.note_slot(),), kinds=frozenset({Kind.NOTE}), states=_ACTIVE)
    found = night.workspace.store.stated(wanted)
    return _alike(sorted(found, key=_worth, reverse=True), night) if len(found) > 1 else []


def merged(groups: Sequence[Sequence[str]], night: Night) -> Step:
    """Notes that say the same, by id, become one: the surer one stays, and counts for all."""
    store = night.workspace.store
    heads = store.slot_heads([settle_tasks.note_slot()])
    revised, entries = [], []
    for group in groups:
        found = store.find(group)
        kept = [one for one in found if one.standing.state is State.ACTIVE]
        if len(kept) < 2:
            continue
        first, *rest = sorted(kept, key=_worth, reverse=True)
        count = sum(one.standing.seen_count for one in kept)
        last = max(one.standing.last_seen_at for one in kept)
        joined = replace(first.standing, seen_count=count, last_seen_at=last)
        revised.append(Revised(first, joined, first.valid_to))
        for one in rest:
            gone = replace(one.standing, state=State.SUPERSEDED, superseded_by=first.id)
            revised.append(Revised(one, gone, one.valid_to))
            entries.append(Entry("merged", one.id, f"says the same as {first.id}"))
    return Step(revised=tuple(revised), entries=tuple(entries), seen=heads if revised else {})


def _worth(note: Record) -> tuple[int, float, int, int]:
    standing = note.standing
    return note.provenance.trust, standing.confidence, standing.seen_count, -note.number


def _alike(records: Sequence[Record], night: Night) -> list[list[Record]]:
    """The records in groups that mean the same, each by its first; none that denies the other."""
    store, space = night.workspace.store, night.workspace.embedder.space
    numbers, matrix = store.vectors([one.number for one in records], space)
    vectors = dict(zip(numbers.tolist(), matrix, strict=True))
    groups: list[list[Record]] = []
    for record in (one for one in records if one.number in vectors):
        own, denies = vectors[record.number], bool(_DENIES.search(record.text))
        for group in groups:
            same = bool(_DENIES.search(group[0].text)) is denies
            near = float(vectors[group[0].number] @ own)
            if same and near >= NOVELTY_COSINE:
                group.append(record)
                break
        else:
            groups.append([record])
    return groups


def _is_question(turn: Record) -> bool:
    return (
        turn.role is Role.USER
        and turn.standing.state is State.ACTIVE
        and turn.provenance.trust >= Trust.USER
        and turn.text.rstrip().endswith(_ASKING)
    )


def _record(
    text: str, parents: Sequence[Record], night: Night, named_by: Sequence[Record] | None = None
) -> Record:
    ids = tuple(one.id for one in parents)
    trust = min(Trust.INFERRED, *(one.provenance.trust for one in parents))
    naming = [one.id for one in named_by] if named_by else [text, *ids]
    name = "\0".join([night.workspace.user_id, *naming]).encode()
    return Record(
        id="no" + hashlib.blake2b(name, digest_size=12).hexdigest(),
        user_id=night.workspace.user_id,
        kind=Kind.NOTE,
        text=text,
        provenance=Provenance(Source.INFERRED, Channel.SLEEP, trust, "sharpwave", ids),
        standing=Standing(
            stage=Stage.EPISODIC,
            temperature=Temperature.HOT,
            importance=settle_tasks.NOTE_IMPORTANCE,
            confidence=settle_tasks.NOTE_CONFIDENCE,
            seen_count=1,
            last_seen_at=parents[-1].valid_from,
        ),
        valid_from=parents[0].valid_from,
        recorded_at=night.now,
        statement=Statement(USER, settle_tasks.NOTE, text),
        slot=settle_tasks.note_slot(),
    )
