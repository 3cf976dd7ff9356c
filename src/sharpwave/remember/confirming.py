"""The user says whether a fact is so: from then on it is the user's own word."""

from sharpwave.errors import InvalidInput, NotFound
from sharpwave.knowledge.draft import Heard
from sharpwave.ports import Ports
from sharpwave.remember import commit, consent, flow, intake
from sharpwave.settings import Settings
from sharpwave.types.answers import Receipt
from sharpwave.types.records import Kind, Record, State
from sharpwave.types.said import Said
from sharpwave.types.statements import Candidate, Mode, Span

CONFIRMED = "confirmed 1"
_OPEN = frozenset({State.ACTIVE, State.UNCERTAIN})


def confirm(id_: str, right: bool, user_id: str, ports: Ports, settings: Settings) -> Receipt:
    """Store that the user said so; what stood against it is settled with it."""
    found = ports.store.find(user_id, [id_])
    if not found or found[0].kind is not Kind.FACT:
        raise NotFound(f"no fact {id_!r}; `facts` lists them")
    fact, now = found[0], ports.clock.now()
    if fact.standing.state not in _OPEN:
        raise InvalidInput(f"{id_!r} is {fact.standing.state.value}: it no longer holds")
    if not consent.may_remember(ports.store.ledger.consents(user_id), settings.privacy):
        return Receipt((), now, notes=(consent.WITHDRAWN,))
    said = f"Yes, that is right: {fact.text}." if right else f"No, that is wrong: {fact.text}."
    (turn,) = intake.to_records([Said(said)], user_id, now, settings.remember)
    heard = [Heard(_stated(fact, right, said), turn)]
    return flow.settle(heard, commit.Written([turn]), user_id, ports, settings)


def _stated(fact: Record, right: bool, said: str) -> Candidate:
    mode = Mode.HOLDS if right is not fact.negated else Mode.DENIED
    return Candidate(
        Kind.FACT,
        fact.text,
        Span(0, len(said)),
        1.0,
        CONFIRMED,
        statement=fact.statement,
        mode=mode,
        valid_from=fact.valid_from,
        valid_to=fact.valid_to,
    )
