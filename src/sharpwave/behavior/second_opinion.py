"""Phase 2 of reflection: what a model finds in a turn, off the hot path [BEH-06].

Nothing leaves the machine before it is redacted and without the user's consent, nothing beyond the
day's allowance; and nothing counts that the model cannot quote from the user's own words.
"""

from sharpwave.llm.allowed_llm import AllowedLLM
from sharpwave.llm.prompts import behavior
from sharpwave.llm.prompts.transcript import Line, find_quote, new_nonce
from sharpwave.types.llm import LLMRole
from sharpwave.types.records import Record, Role
from sharpwave.types.steering import Signal, SteeringType
from sharpwave.workspace import Workspace

_TYPES = {one.value.removeprefix("behavioral_"): one for one in SteeringType}


def ask(workspace: Workspace, turn: Record, previous: str | None) -> list[Signal]:
    """What a model finds that the turn asks for good."""
    llm = AllowedLLM(workspace)
    words = llm.redacted(turn.text)
    lines = [Line(Role.USER, words, turn.valid_from)]
    if previous is not None:
        lines.insert(0, Line(Role.ASSISTANT, llm.redacted(previous), turn.valid_from))
    answer = llm.ask(
        behavior.render_reflection(lines, new_nonce()), behavior.ReflectionOutput, LLMRole.UTILITY
    )
    if answer is None:
        return []
    return [
        Signal(_TYPES[one.type], _plain(one.rule), min(1.0, max(0.0, one.confidence)), one.scope)
        for one in answer.value.steering
        if _plain(one.rule) and find_quote(one.quote, words) is not None
    ]


def _plain(rule: str) -> str:
    """A rule on one line, as the rules' own are written."""
    words = " ".join(rule.split()).rstrip(".")
    return words[:1].upper() + words[1:]
