"""How something settles that the user or a language model says is about a known fact or task."""

from dataclasses import replace
from typing import Any

from sharpwave.knowledge import settle_facts, settle_tasks
from sharpwave.knowledge.draft import Draft, Extracted, statement_of
from sharpwave.types.answers import Verdict
from sharpwave.types.records import NOT_ENDED, USER, Kind, Record, State
from sharpwave.types.statements import Mode, Target, TargetRelation, TaskStatus


def settle(draft: Draft, heard: Extracted, target: Target) -> None:
    """Confirm, replace or end the record; never against a better source or what was said later."""
    found = [record for record in draft.in_slot(target.slot) if record.id == target.id]
    known = found[0] if found and found[0].standing.state in NOT_ENDED else None
    if known is None and target.relation in (TargetRelation.UPDATE, TargetRelation.CORRECTION):
        _as_new(draft, heard)  # another writer was faster; what was said is news all the same
    elif known is None:
        if not heard.candidate.effect_only:
            draft.say(Verdict.REJECTED, heard, reason="it has been settled since then")
    elif known.provenance.trust > heard.turn.provenance.trust:
        draft.say(Verdict.REJECTED, heard, reason=f"a better source says: {known.text}")
    elif target.relation is TargetRelation.SAME:
        _confirm(draft, heard, known)
    elif target.relation is TargetRelation.CORRECTION:
        _correct(draft, heard, known)
    elif draft.is_after(known.standing.last_seen_at, heard):
        draft.say(Verdict.REJECTED, heard, reason=f"it was said again later: {known.text}")
    elif target.relation is TargetRelation.END:
        _end(draft, heard, known)
    elif known.kind is Kind.TASK:
        _replace_task(draft, heard, known)
    else:
        _replace_fact(draft, heard, known)


def _as_new(draft: Draft, heard: Extracted, **changes: Any) -> None:
    plain = heard._replace(candidate=replace(heard.candidate, **changes))
    if plain.candidate.kind is Kind.TASK:
        settle_tasks.settle_task(draft, plain, USER)
    else:
        settle_facts.settle(draft, plain)


def _confirm(draft: Draft, heard: Extracted, known: Record) -> None:
    if known.kind is Kind.TASK:
        draft.say(Verdict.REINFORCED, heard, draft.support(known, heard))
        return
    mode = Mode.DENIED if known.negated else Mode.HOLDS
    _as_new(draft, heard, statement=statement_of(known), mode=mode)


def _end(draft: Draft, heard: Extracted, known: Record) -> None:
    if known.kind is Kind.TASK:
        dropped = heard.candidate.status is TaskStatus.DROPPED
        settle_tasks.move_on(draft, heard, known, State.INVALIDATED if dropped else State.DONE)
        return
    noted_wrongly = known.provenance.parents == (heard.turn.id,)  # from these very words
    said_over = heard.candidate.is_worded or heard.candidate.effect_only
    wrong = noted_wrongly or not said_over  # or the user says so
    state = State.INVALIDATED if wrong else State.SUPERSEDED
    ended = {"state": state, "superseded_by": heard.turn.id}
    closed = draft.support(draft.close(known, draft.said_at(heard), **ended), heard)
    draft.say(Verdict.CLOSED, heard, closed, "it no longer holds")


def _replace_task(draft: Draft, heard: Extracted, known: Record) -> None:
    due = heard.candidate.due or known.due
    plain = heard._replace(candidate=replace(heard.candidate, due=due))
    new = draft.add(settle_tasks.new_task(draft, plain, statement_of(known).subject))
    draft.close(known, draft.said_at(heard), state=State.SUPERSEDED, superseded_by=new.id)
    draft.say(Verdict.VERSIONED, heard, new, f"instead of: {known.text}")


def _replace_fact(draft: Draft, heard: Extracted, known: Record) -> None:
    """Close the old when the new begins; in the same slot that is what settling does anyway."""
    said_at = draft.said_at(heard)
    case = settle_facts.Comparison(draft, heard)
    if case.slot == known.slot and not case.has_object(known, case.statement.object):
        _as_new(draft, heard)
        return
    if case.slot == known.slot:  # the same, worded better
        new = draft.add(case.new(valid_from=heard.candidate.valid_from or known.valid_from))
        draft.close(known, said_at, state=State.SUPERSEDED, superseded_by=new.id)
        draft.say(Verdict.VERSIONED, heard, new, f"instead of: {known.text}")
        return
    begins = max(heard.candidate.valid_from or said_at, said_at)
    if begins > said_at:
        draft.revise(known, valid_to=begins, superseded_by=heard.turn.id)
    else:
        draft.close(known, said_at, state=State.SUPERSEDED, superseded_by=heard.turn.id)
    _take_place(draft, heard, known)


def _correct(draft: Draft, heard: Extracted, known: Record) -> None:
    """Close the old as wrong, then settle the new as if the old had never been known."""
    if known.kind is Kind.TASK:
        _replace_task(draft, heard, known)
        return
    wrong = {"state": State.INVALIDATED, "superseded_by": heard.turn.id}
    draft.close(known, draft.said_at(heard), **wrong)
    _take_place(draft, heard, known)


def _take_place(draft: Draft, heard: Extracted, known: Record) -> None:
    """Settle the new, and note what it took the place of."""
    _as_new(draft, heard)
    outcome = draft.outcomes[-1]
    if outcome.id is None or outcome.id == known.id:
        return
    draft.revise(known, superseded_by=outcome.id)
    if outcome.verdict is Verdict.ACCEPTED:
        reason = f"instead of: {known.text}"
        draft.outcomes[-1] = replace(outcome, verdict=Verdict.VERSIONED, reason=reason)
