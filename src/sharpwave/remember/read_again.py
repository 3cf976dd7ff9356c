"""Step 3, later: what the turns say according to a language model, off the hot path.

Nothing leaves the machine before it is redacted, and nothing beyond the day's allowance.
"""

from collections.abc import Sequence

from sharpwave.errors import BudgetSpent, ProviderError
from sharpwave.formulas.llm_cost import is_used_up, one_call
from sharpwave.knowledge.draft import Heard
from sharpwave.ports import LLM, Ports
from sharpwave.predicates import known as known_predicates
from sharpwave.privacy.redaction import redact
from sharpwave.prompts import answers, facts
from sharpwave.prompts.transcript import Line, new_nonce
from sharpwave.settings import LLMSettings, Policy
from sharpwave.types.answers import Outcome, Verdict
from sharpwave.types.llm import LLMRole
from sharpwave.types.records import Record, Role, Trust
from sharpwave.types.storing import NewJob
from sharpwave.types.working import Spending

READ_AGAIN = "read_again"  # the kind of a job


def jobs(turns: Sequence[Record]) -> tuple[NewJob, ...]:
    """The job that lets a model read turns, if any of them may be learned from."""
    ids = [turn.id for turn in turns if turn.provenance.trust > Trust.UNTRUSTED]
    return (NewJob(READ_AGAIN, {"ids": ids}),) if ids else ()


def ask(
    turns: Sequence[Record], llm: LLM, ports: Ports, settings: LLMSettings, egress: Policy
) -> tuple[list[Heard], list[Outcome]]:
    """What a model finds in the turns, and what it claimed without being able to quote it."""
    user_id, today = turns[0].user_id, ports.clock.now().date()
    _require_allowance(ports.store.ledger.spent(user_id, today), settings)
    prices = settings.input_price, settings.output_price
    lines = [_line(turn, egress) for turn in turns]
    prompt = facts.render(lines, sorted(known_predicates()), new_nonce())
    try:
        answer = llm.structured(prompt, facts.Output, LLMRole.UTILITY)
    except ProviderError as error:
        spent = one_call(error.input_tokens, error.output_tokens, *prices)
        ports.store.ledger.charge(user_id, today, spent)
        raise
    used = answer.usage
    spent = one_call(used.input_tokens, used.output_tokens, *prices)
    ports.store.ledger.charge(user_id, today, spent)
    converted = answers.convert(answer.value, lines)
    heard = [
        Heard(candidate, turn)
        for turn, found in zip(turns, converted.extractions, strict=True)
        for candidate in found.candidates
    ]
    return heard, [
        Outcome(Verdict.REJECTED, text, reason=why) for _, text, why in converted.dropped
    ]


def _line(turn: Record, egress: Policy) -> Line:
    speaker = turn.speaker and redact(turn.speaker, egress).text
    return Line(turn.role or Role.USER, redact(turn.text, egress).text, turn.valid_from, speaker)


def _require_allowance(spent: Spending, settings: LLMSettings) -> None:
    if is_used_up(spent, settings.daily_calls, settings.daily_tokens, settings.daily_cost):
        tokens = spent.input_tokens + spent.output_tokens
        raise BudgetSpent(
            f"this user's models took {spent.calls} calls, {tokens} tokens and {spent.cost:.4f} "
            "today, the cap of llm.daily_calls, daily_tokens or daily_cost; it goes on tomorrow"
        )
