"""Step 3, later: what the turns say according to a language model, off the hot path.

Nothing leaves the machine before it is redacted, and nothing beyond the day's allowance.
"""

from collections.abc import Sequence

from sharpwave.knowledge.draft import Extracted
from sharpwave.knowledge.predicates import known as known_predicates
from sharpwave.llm.allowed_llm import AllowedLLM
from sharpwave.llm.prompts import facts
from sharpwave.llm.prompts.transcript import new_nonce
from sharpwave.types.answers import Outcome, Verdict
from sharpwave.types.llm import LLMRole
from sharpwave.types.records import Record, Trust
from sharpwave.types.storing import NewJob

READ_AGAIN = "read_again"  # the kind of a job


def jobs(turns: Sequence[Record]) -> tuple[NewJob, ...]:
    """The job that lets a model read turns, if any of them may be learned from."""
    ids = [turn.id for turn in turns if turn.provenance.trust > Trust.UNTRUSTED]
    return (NewJob(READ_AGAIN, {"ids": ids}),) if ids else ()


def ask(turns: Sequence[Record], llm: AllowedLLM) -> tuple[list[Extracted], list[Outcome]]:
    """What a model finds in the turns, and what it claimed without being able to quote it."""
    lines = [llm.line(turn) for turn in turns]
    prompt = facts.render(lines, sorted(known_predicates()), new_nonce())
    answer = llm.ask(prompt, facts.FactsOutput, LLMRole.UTILITY)
    if answer is None:
        return [], []
    converted = facts.convert(answer.value, lines)
    heard = [
        Extracted(candidate, turn)
        for turn, found in zip(turns, converted.extractions, strict=True)
        for candidate in found.candidates
    ]
    return heard, [
        Outcome(Verdict.REJECTED, text, reason=why) for _, text, why in converted.dropped
    ]
