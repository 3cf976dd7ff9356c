"""Signals that the steering rules cannot read from the user's own text.

What a language model finds in a turn, in the background [BEH-06], and what an agent reports of the
user ("the user wants short answers"). Text is redacted before it is sent, only with the user's
consent and within the day's budget; a model's signal counts only with a quote from the turn.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from sharpwave.behavior import rules
from sharpwave.llm.allowed_llm import AllowedLLM
from sharpwave.llm.prompts.behavior import ReflectionOutput, render_reflection
from sharpwave.llm.prompts.transcript import TranscriptLine, find_quote, new_nonce
from sharpwave.privacy.redaction import redact
from sharpwave.reading.grammar.reported import in_first_person
from sharpwave.reading.grammar.tokens import tokenize
from sharpwave.reading.segments import own_words
from sharpwave.types.llm import LLMRole
from sharpwave.types.records import Record, Role
from sharpwave.types.steering import Signal, SteeringType
from sharpwave.workspace import Workspace

MIN_CONFIDENCE = 0.6
"""Signals below are ignored."""
REPORTED_CONFIDENCE = 0.5
"""Highest confidence of a rule that an agent reports; the user must accept it."""
_TYPES = {type_.value.removeprefix("behavioral_"): type_ for type_ in SteeringType}
_ORDER = re.compile(
    r"\bi (?:always )?(?:asked|ask|told|said|instructed|want|wanted|requested|request)"
    r"(?: that)? (?:you )?(?:to )(?=\w+ )"
)
_WISH = re.compile(r"\bi (?:want|expect|requested|request|asked for)(?: that)? (?!you\b|to\b)")


def from_model(workspace: Workspace, turn: Record, previous: str | None) -> list[Signal]:
    """Standing instructions that a model finds in a turn; none without a model or consent."""
    llm = AllowedLLM(workspace)
    text = llm.redacted(turn.text)
    own = own_words(text)
    lines = [TranscriptLine(Role.USER, text, turn.valid_from)]
    if previous is not None:
        lines.insert(0, TranscriptLine(Role.ASSISTANT, llm.redacted(previous), turn.valid_from))
    answer = llm.ask(render_reflection(lines, new_nonce()), ReflectionOutput, LLMRole.UTILITY)
    if answer is None:
        return []
    return [
        Signal(_TYPES[item.type], rule, min(1.0, max(0.0, item.confidence)), item.scope)
        for item in answer.value.steering
        if (rule := _one_line(item.rule)) and find_quote(item.quote, own) is not None
    ]


def _one_line(rule: str) -> str:
    """A rule on one line, in the form of the rules read by grammar."""
    text = " ".join(rule.split()).rstrip(".")
    return text[:1].upper() + text[1:]


def in_user_words(report: str) -> str:
    """An agent's report in the first person; "" if it is not about the user.

    >>> in_user_words("The user wants answers in bullet points.")
    'i prefer answers in bullet points .'
    >>> in_user_words("The user told me to never push to main.")
    'never push to main .'
    """
    text = in_first_person(report, frozenset(), tokenize(report))
    return _WISH.sub("i prefer ", _ORDER.sub("", text))


def usable_signals(workspace: Workspace, candidates: Sequence[Signal]) -> list[Signal]:
    """Signals of enough confidence and not too long, redacted by the policy [resolution 16]."""
    policy = workspace.settings.privacy.stored
    redacted = [replace(signal, rule=redact(signal.rule, policy).text) for signal in candidates]
    return [
        signal
        for signal in redacted
        if signal.confidence >= MIN_CONFIDENCE and len(signal.rule) <= rules.MAX_RULE_CHARS
    ]


def reported_signals(workspace: Workspace, candidates: Sequence[Signal]) -> list[Signal]:
    """Those that are usable, no surer than what an agent reports may be."""
    return [
        replace(signal, confidence=min(signal.confidence, REPORTED_CONFIDENCE))
        for signal in usable_signals(workspace, candidates)
    ]
