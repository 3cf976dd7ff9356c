"""Step 3, later: what the turns say according to a language model, off the hot path.

Nothing leaves the machine before it is redacted, and nothing beyond the day's allowance.
"""

from collections.abc import Sequence

from sharpwave.knowledge.draft import Extracted
from sharpwave.knowledge.predicates import known as known_predicates
from sharpwave.llm.allowed_llm import AllowedLLM
from sharpwave.llm.prompts import facts
from sharpwave.llm.prompts.transcript import new_nonce
from sharpwave.reading.segments import FOREIGN, own_words
from sharpwave.types.answers import Outcome, Verdict
from sharpwave.types.llm import LLMRole
from sharpwave.types.records import Record, Trust
from sharpwave.types.storing import NewJob

READ_AGAIN = "read_again"  # the kind of a job
NOT_OWN = "quoted or pasted: not the speaker's own words"


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
    dropped = [(text, why) for _, text, why in converted.dropped]
    heard = []
    for turn, line, found in zip(turns, lines, converted.extractions, strict=True):
        own = own_words(line.text)
        for one in found.candidates:
            if FOREIGN in own[one.span.start : one.span.end]:
                dropped.append((one.text, NOT_OWN))
            else:
                heard.append(Extracted(one, turn))
    return heard, [Outcome(Verdict.REJECTED, text, reason=why) for text, why in dropped]
