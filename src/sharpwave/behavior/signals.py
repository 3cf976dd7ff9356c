"""What an agent reports of the user ("the user wants short answers"), in the user's words."""

import re
from collections.abc import Sequence
from dataclasses import replace

from sharpwave.behavior import rules
from sharpwave.privacy.redaction import redact
from sharpwave.reading.grammar.reported import in_first_person
from sharpwave.reading.grammar.tokens import tokenize
from sharpwave.types.steering import Signal
from sharpwave.workspace import Workspace

REPORTED_CONFIDENCE = 0.5
"""Highest confidence of a rule that an agent reports; the user must accept it."""
_ORDER = re.compile(
    r"\bi (?:always )?(?:asked|ask|told|said|instructed|want|wanted|requested|request)"
    r"(?: that)? (?:you )?(?:to )(?=\w+ )"
)
_WISH = re.compile(r"\bi (?:want|expect|requested|request|asked for)(?: that)? (?!you\b|to\b)")


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
    return [signal for signal in redacted if rules.objection(signal) is None]


def reported_signals(workspace: Workspace, candidates: Sequence[Signal]) -> list[Signal]:
    """Those that are usable, no surer than what an agent reports may be."""
    return [
        replace(signal, confidence=min(signal.confidence, REPORTED_CONFIDENCE))
        for signal in usable_signals(workspace, candidates)
    ]
