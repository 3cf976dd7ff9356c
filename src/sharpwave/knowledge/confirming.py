"""What the user says of a fact that others told: that it is so, or that it is not."""

from sharpwave.errors import InvalidInput, NotFound
from sharpwave.types.records import Kind, State
from sharpwave.types.said import Confirmation
from sharpwave.types.statements import Candidate, Mode, Span
from sharpwave.workspace import Workspace

CONFIRMED = "confirmed 1"
_OPEN = frozenset({State.ACTIVE, State.UNCERTAIN})


def said(workspace: Workspace, fact_id: str, right: bool) -> Confirmation:
    """The user's words, and what they state."""
    found = workspace.store.find([fact_id])
    if not found or found[0].kind is not Kind.FACT:
        raise NotFound(f"no fact {fact_id!r}; `facts` lists them")
    (fact,) = found
    if fact.standing.state not in _OPEN:
        raise InvalidInput(f"{fact_id!r} is {fact.standing.state.value}: it no longer holds")
    text = f"Yes, that is right: {fact.text}." if right else f"No, that is wrong: {fact.text}."
    states = Candidate(
        Kind.FACT,
        fact.text,
        Span(0, len(text)),
        1.0,
        CONFIRMED,
        statement=fact.statement,
        mode=Mode.HOLDS if right is not fact.negated else Mode.DENIED,
        valid_from=fact.valid_from,
        valid_to=fact.valid_to,
    )
    return Confirmation(text, states=states)
