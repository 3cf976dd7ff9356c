"""Settle a statement that is aimed at a known fact or task, by the user or a language model."""

from dataclasses import replace
from typing import Any

from sharpwave.knowledge import settle_facts, settle_tasks
from sharpwave.knowledge.draft import Draft, Extracted, statement_of
from sharpwave.types.answers import Verdict
from sharpwave.types.records import NOT_ENDED, USER, Kind, Record, State
from sharpwave.types.statements import Mode, Target, TargetRelation, TaskStatus


def settle(draft: Draft, extracted: Extracted, target: Target) -> None:
    """Confirm, replace or end the record; never against a better source or a later statement."""
    found = [record for record in draft.in_slot(target.slot) if record.id == target.id]
    known = found[0] if found and found[0].standing.state in NOT_ENDED else None
    if known is None and target.relation in (TargetRelation.UPDATE, TargetRelation.CORRECTION):
        _as_new(draft, extracted)  # another writer was faster; the statement is still new
    elif known is None:
        if not extracted.candidate.effect_only:
            draft.say(Verdict.REJECTED, extracted, reason="it has been settled since then")
    elif known.provenance.trust > extracted.turn.provenance.trust:
        draft.say(Verdict.REJECTED, extracted, reason=f"a better source says: {known.text}")
    elif target.relation is TargetRelation.SAME:
        _confirm(draft, extracted, known)
    elif target.relation is TargetRelation.CORRECTION:
        _correct(draft, extracted, known)
    elif draft.is_after(known.standing.last_seen_at, extracted):
        draft.say(Verdict.REJECTED, extracted, reason=f"it was said again later: {known.text}")
    elif target.relation is TargetRelation.END:
        _end(draft, extracted, known)
    elif known.kind is Kind.TASK:
        _replace_task(draft, extracted, known)
    else:
        _replace_fact(draft, extracted, known)


def _as_new(draft: Draft, extracted: Extracted, **changes: Any) -> None:
    plain = extracted._replace(candidate=replace(extracted.candidate, **changes))
    if plain.candidate.kind is Kind.TASK:
        settle_tasks.settle_task(draft, plain, USER)
    else:
        settle_facts.settle(draft, plain)


def _confirm(draft: Draft, extracted: Extracted, known: Record) -> None:
    if known.kind is Kind.TASK:
        draft.say(Verdict.REINFORCED, extracted, draft.support(known, extracted))
        return
    mode = Mode.DENIED if known.negated else Mode.HOLDS
    _as_new(draft, extracted, statement=statement_of(known), mode=mode)


def _end(draft: Draft, extracted: Extracted, known: Record) -> None:
    if known.kind is Kind.TASK:
        dropped = extracted.candidate.status is TaskStatus.DROPPED
        settle_tasks.move_on(draft, extracted, known, State.INVALIDATED if dropped else State.DONE)
        return
    noted_wrongly = known.provenance.parents == (extracted.turn.id,)  # from these very words
    stated_over = extracted.candidate.is_worded or extracted.candidate.effect_only
    wrong = noted_wrongly or not stated_over  # or the user says so
    state = State.INVALIDATED if wrong else State.SUPERSEDED
    ended = {"state": state, "superseded_by": extracted.turn.id}
    closed = draft.support(draft.close(known, draft.said_at(extracted), **ended), extracted)
    draft.say(Verdict.CLOSED, extracted, closed, "it no longer holds")


def _replace_task(draft: Draft, extracted: Extracted, known: Record) -> None:
    due = extracted.candidate.due or known.due
    plain = extracted._replace(candidate=replace(extracted.candidate, due=due))
    new = draft.add(settle_tasks.new_task(draft, plain, statement_of(known).subject))
    draft.close(known, draft.said_at(extracted), state=State.SUPERSEDED, superseded_by=new.id)
    draft.say(Verdict.VERSIONED, extracted, new, f"instead of: {known.text}")


def _replace_fact(draft: Draft, extracted: Extracted, known: Record) -> None:
    """Close the old fact when the new one begins; in the same slot, settling does that anyway."""
    said_at = draft.said_at(extracted)
    case = settle_facts.Comparison(draft, extracted)
    if case.slot == known.slot and not case.has_object(known, case.statement.object):
        _as_new(draft, extracted)
        return
    if case.slot == known.slot:  # the same, worded better
        new = draft.add(case.new(valid_from=extracted.candidate.valid_from or known.valid_from))
        draft.close(known, said_at, state=State.SUPERSEDED, superseded_by=new.id)
        draft.say(Verdict.VERSIONED, extracted, new, f"instead of: {known.text}")
        return
    begins = max(extracted.candidate.valid_from or said_at, said_at)
    if begins > said_at:
        draft.revise(known, valid_to=begins, superseded_by=extracted.turn.id)
    else:
        draft.close(known, said_at, state=State.SUPERSEDED, superseded_by=extracted.turn.id)
    _settle_replacement(draft, extracted, known)


def _correct(draft: Draft, extracted: Extracted, known: Record) -> None:
    """Close the old record as wrong, then settle the new one as if the old was never known."""
    if known.kind is Kind.TASK:
        _replace_task(draft, extracted, known)
        return
    wrong = {"state": State.INVALIDATED, "superseded_by": extracted.turn.id}
    draft.close(known, draft.said_at(extracted), **wrong)
    _settle_replacement(draft, extracted, known)


def _settle_replacement(draft: Draft, extracted: Extracted, known: Record) -> None:
    """Settle the new statement, and link the old record to it."""
    _as_new(draft, extracted)
    outcome = draft.outcomes[-1]
    if outcome.id is None or outcome.id == known.id:
        return
    draft.revise(known, superseded_by=outcome.id)
    if outcome.verdict is Verdict.ACCEPTED:
        reason = f"instead of: {known.text}"
        draft.outcomes[-1] = replace(outcome, verdict=Verdict.VERSIONED, reason=reason)
