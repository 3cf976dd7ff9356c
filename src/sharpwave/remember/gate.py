"""Step 4: reject candidates that are uncertain, redacted, empty or too long."""

from collections.abc import Sequence

from sharpwave.knowledge.draft import MAX_STATEMENT_CHARS, Extracted
from sharpwave.types.answers import Outcome, Verdict
from sharpwave.types.privacy import LABEL_OF
from sharpwave.types.records import Kind
from sharpwave.types.statements import Candidate, TargetRelation

MAX_NEEDED_FOR_END = 0.5
"""Maximum confidence needed to end something known: what is kept wrongly is shown as true."""


def judge(
    extracted: Sequence[Extracted], min_confidence: float, notes: bool
) -> tuple[list[Extracted], list[Outcome]]:
    """What passes, and what does not, with the reason; notes only if the user agrees to them."""
    passed: list[Extracted] = []
    rejected: list[Outcome] = []
    for item in extracted:
        reason = _objection(item.candidate, min_confidence)
        if item.candidate.kind is Kind.NOTE and not notes:
            reason = "this user does not agree to being learned from"
        if reason is None:
            passed.append(item)
        else:
            rejected.append(Outcome(Verdict.REJECTED, item.candidate.text, reason=reason))
    return passed, rejected


def _objection(candidate: Candidate, min_confidence: float) -> str | None:
    parts = (*(candidate.statement or ()), candidate.text)
    ends = candidate.target is not None and candidate.target.relation is TargetRelation.END
    needed = min(min_confidence, MAX_NEEDED_FOR_END) if ends else min_confidence
    if candidate.confidence < needed:
        return f"too unsure: {candidate.confidence:.2f} of {needed:.2f} needed"
    if any(label in part for part in parts for label in LABEL_OF.values()):
        return "it is about something sensitive that was redacted"
    if not all(part.strip() for part in parts):
        return "nothing is left of it"
    if max(map(len, parts)) > MAX_STATEMENT_CHARS:
        return f"longer than {MAX_STATEMENT_CHARS} characters: no statement"
    return None
