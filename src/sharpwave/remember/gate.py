"""Step 4: reject candidates that are uncertain, redacted, empty or too long."""

from collections.abc import Sequence

from sharpwave.knowledge.draft import MAX_STATEMENT_CHARS, Extracted
from sharpwave.types.answers import Outcome, Verdict
from sharpwave.types.privacy import LABEL_OF
from sharpwave.types.records import Kind
from sharpwave.types.statements import Candidate, TargetRelation

SURE_OF_END = 0.5
"""How sure a model must be that something known is over: what is kept wrongly is shown as true."""


def judge(
    heard: Sequence[Extracted], min_confidence: float, notes: bool
) -> tuple[list[Extracted], list[Outcome]]:
    """What may pass, and what may not with the reason; notes only if the user agrees to them."""
    passed: list[Extracted] = []
    rejected: list[Outcome] = []
    for one in heard:
        reason = _objection(one.candidate, min_confidence)
        if one.candidate.kind is Kind.NOTE and not notes:
            reason = "this user does not agree to being learned from"
        if reason is None:
            passed.append(one)
        else:
            rejected.append(Outcome(Verdict.REJECTED, one.candidate.text, reason=reason))
    return passed, rejected


def _objection(candidate: Candidate, min_confidence: float) -> str | None:
    said = (*(candidate.statement or ()), candidate.text)
    ends = candidate.target is not None and candidate.target.relation is TargetRelation.END
    needed = min(min_confidence, SURE_OF_END) if ends else min_confidence
    if candidate.confidence < needed:
        return f"too unsure: {candidate.confidence:.2f} of {needed:.2f} needed"
    if any(label in part for part in said for label in LABEL_OF.values()):
        return "it is about something sensitive that was redacted"
    if not all(part.strip() for part in said):
        return "nothing is left of it"
    if max(map(len, said)) > MAX_STATEMENT_CHARS:
        return f"longer than {MAX_STATEMENT_CHARS} characters: no statement"
    return None
