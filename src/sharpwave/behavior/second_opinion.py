"""Phase 2 of reflection: what a model finds in a turn, off the hot path [BEH-06].

Nothing leaves the machine before it is redacted and without the user's consent, nothing beyond the
day's allowance; and nothing counts that the model cannot quote from the user's own words.
"""

from sharpwave.behavior.room import Room
from sharpwave.errors import BudgetSpent, ProviderError
from sharpwave.formulas.llm_cost import is_used_up, one_call
from sharpwave.privacy.redaction import redact
from sharpwave.prompts import reflection
from sharpwave.prompts.quotes import find_quote
from sharpwave.prompts.transcript import Line, new_nonce
from sharpwave.types.behavior.steering import Signal, SteeringType
from sharpwave.types.llm import LLMRole
from sharpwave.types.records import Record, Role
from sharpwave.types.working import Purpose

_TYPES = {one.value.removeprefix("behavioral_"): one for one in SteeringType}


def ask(room: Room, turn: Record, previous: str | None) -> list[Signal]:
    """What a model finds that the turn asks for good."""
    llm = room.ports.llm
    if llm is None or not _may_send(room):
        return []
    _require_allowance(room)
    egress = room.settings.privacy.egress
    words = redact(turn.text, egress).text
    lines = [Line(Role.USER, words, turn.valid_from)]
    if previous is not None:
        lines.insert(0, Line(Role.ASSISTANT, redact(previous, egress).text, turn.valid_from))
    prompt = reflection.render(lines, new_nonce())
    try:
        answer = llm.structured(prompt, reflection.Output, LLMRole.UTILITY)
    except ProviderError as error:
        _charge(room, error.input_tokens, error.output_tokens)
        raise
    _charge(room, answer.usage.input_tokens, answer.usage.output_tokens)
    return [
        Signal(_TYPES[one.type], _plain(one.rule), min(1.0, max(0.0, one.confidence)), one.scope)
        for one in answer.value.steering
        if _plain(one.rule) and find_quote(one.quote, words) is not None
    ]


def _plain(rule: str) -> str:
    """A rule on one line, as the rules' own are written."""
    words = " ".join(rule.split()).rstrip(".")
    return words[:1].upper() + words[1:]


def _may_send(room: Room) -> bool:
    agreed = room.ports.store.ledger.consents(room.user_id)
    return agreed.get(Purpose.EGRESS, room.settings.privacy.egress_assumed)


def _require_allowance(room: Room) -> None:
    settings = room.settings.llm
    spent = room.ports.store.ledger.spent(room.user_id, room.ports.clock.now().date())
    if is_used_up(spent, settings.daily_calls, settings.daily_tokens, settings.daily_cost):
        raise BudgetSpent("today's allowance for models is used up; it goes on tomorrow")


def _charge(room: Room, sent: int, answered: int) -> None:
    prices, day = room.settings.llm, room.ports.clock.now().date()
    spent = one_call(sent, answered, prices.input_price, prices.output_price)
    room.ports.store.ledger.charge(room.user_id, day, spent)
