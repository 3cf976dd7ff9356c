"""How a note settles among the others: the same again, or new; and which go when there are many."""

from dataclasses import replace

from sharpwave.formulas.relevance import note_priority
from sharpwave.knowledge.case import Court
from sharpwave.knowledge.draft import Draft, Heard, slot_of
from sharpwave.knowledge.learned import learned
from sharpwave.types.answers import Verdict
from sharpwave.types.records import USER, Kind, Record, State, Statement

PREDICATE = "note"
_SECONDS_PER_DAY = 86_400


def slot(subject: str = USER) -> str:
    """Where the notes for somebody are kept."""
    return slot_of(subject, PREDICATE)


def settle(draft: Draft, heard: Heard, court: Court) -> None:
    """Decide on a note; beyond the cap the ones least worth keeping are let go of."""
    kept = [r for r in draft.in_slot(slot()) if r.standing.state is State.ACTIVE]
    text = heard.candidate.text
    texts = [note.text for note in kept]
    near = texts.index(text) if text in texts else court.alike(text, texts)
    if near is not None:
        draft.say(Verdict.REINFORCED, heard, draft.support(kept[near], heard))
        return
    new = draft.add(_new(draft, heard, court))
    draft.say(Verdict.ACCEPTED, heard, new)
    ranked = sorted([*kept, new], key=lambda note: (_worth(note, draft, court), note.recorded_at))
    for note in ranked[: max(0, len(ranked) - court.settings.max_notes)]:
        draft.close(note, draft.now, state=State.INVALIDATED)


def _worth(note: Record, draft: Draft, court: Court) -> float:
    standing = note.standing
    age = (draft.now - standing.last_seen_at).total_seconds() / _SECONDS_PER_DAY
    return note_priority(
        standing.importance, standing.confidence, age, court.settings.note_tau_days
    )


def _new(draft: Draft, heard: Heard, court: Court) -> Record:
    settings, statement = court.settings, Statement(USER, PREDICATE, heard.candidate.text)
    note = learned(draft, heard, court.new_id(draft.now), Kind.NOTE, statement)
    sure = min(note.standing.confidence, settings.note_confidence)
    standing = replace(note.standing, importance=settings.note_importance, confidence=sure)
    return replace(note, standing=standing, slot=slot())
