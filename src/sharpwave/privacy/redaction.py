"""Redact a text according to a policy [SEC-10, WR-05]."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Container, Mapping
from functools import lru_cache
from itertools import chain, count
from typing import Any, TypeVar

from sharpwave.errors import SensitiveContent
from sharpwave.privacy.credentials import is_sealed
from sharpwave.privacy.findings import candidates
from sharpwave.settings.privacy import Policy
from sharpwave.types.privacy import (
    CLASS_OF,
    LABEL_OF,
    Finding,
    PolicyAction,
    Redacted,
    Sensitive,
    SensitiveClass,
)
from sharpwave.types.statements import Span

_MOST_PASSES = 8
"""Maximum number of passes: a label can uncover an adjacent finding; two such passes are rare."""
_LONG_NUMBER = 10**8
"""Minimum whole number that may identify a card or a person."""


def redact(text: str, policy: Policy) -> Redacted:
    """Replace content that the policy keeps out by labels, and say if it refuses the whole text.

    Permitted content hides nothing: a card number inside a permitted URL is still replaced.
    """
    kept_out, refusing = _classes(policy)
    found = _merged(candidates(text, kept_out)) if kept_out else []
    if not found:
        return Redacted(text, {}, ())
    clean = _replaced(text, found)
    for _ in range(_MOST_PASSES):
        uncovered = _in_original(candidates(clean, kept_out), found)
        found = _merged([*found, *uncovered])
        clean = _replaced(text, found)
        if not uncovered:
            break
    refused = {finding.kind for finding in found if CLASS_OF[finding.kind] in refusing}
    return Redacted(
        text=clean,
        counts=Counter(finding.kind for finding in found),
        findings=tuple(found),
        refused=tuple(kind for kind in Sensitive if kind in refused),
    )


Value = TypeVar("Value")


def redact_values(value: Value, policy: Policy) -> tuple[Value, list[Redacted]]:
    """A JSON value with every name, text and long number inside redacted, and the redactions.

    A number becomes its label, equal names are numbered, and fields encrypted for a model's server
    stay.
    """
    found: list[Redacted] = []
    return _cleaned(value, policy, found), found


def _cleaned(value: Any, policy: Policy, found: list[Redacted]) -> Any:
    if isinstance(value, Mapping):
        kept: dict[str, object] = {}
        for name, item in value.items():
            label = _unused(_cleaned(name, policy, found), kept)
            kept[label] = item if is_sealed(name, item) else _cleaned(item, policy, found)
        return kept
    if isinstance(value, list | tuple):
        return [_cleaned(item, policy, found) for item in value]
    if isinstance(value, int | float) and abs(value) >= _LONG_NUMBER and value % 1 == 0:
        redacted = redact(str(abs(int(value))), policy)
    elif isinstance(value, str):
        redacted = redact(value, policy)
    else:
        return value
    if not redacted.counts:
        return value
    found.append(redacted)
    return redacted.text


def _unused(name: str, names: Container[str]) -> str:
    """The name, with a number appended if it is taken."""
    numbered = (f"{name} {number}" for number in count(2))
    return next(candidate for candidate in chain([name], numbered) if candidate not in names)


def refusal(redacted: Redacted) -> SensitiveContent | None:
    """The error that says why an item is rejected, without its content; None if it may be kept."""
    if not redacted.refused:
        return None
    kinds = ", ".join(kind.value.replace("_", " ") for kind in redacted.refused)
    return SensitiveContent(f"the privacy policy refuses texts that hold: {kinds}")


@lru_cache(maxsize=64)
def _classes(policy: Policy) -> tuple[frozenset[SensitiveClass], frozenset[SensitiveClass]]:
    """The classes that a policy keeps out of a text, and those for which it refuses the text."""
    actions: dict[SensitiveClass, PolicyAction] = {
        sensitive_class: getattr(policy, sensitive_class.value)
        for sensitive_class in SensitiveClass
    }
    kept_out = frozenset(
        sensitive_class
        for sensitive_class in actions
        if actions[sensitive_class] is not PolicyAction.STORE
    )
    return kept_out, frozenset(
        sensitive_class
        for sensitive_class in actions
        if actions[sensitive_class] is PolicyAction.REFUSE
    )


def _merged(found: list[Finding]) -> list[Finding]:
    """One finding for each group of overlapping ones, covering all of them."""
    merged: list[Finding] = []
    for finding in sorted(found, key=lambda finding: (finding.span.start, -finding.span.end)):
        if not merged or finding.span.start >= merged[-1].span.end:
            merged.append(finding)
            continue
        last = merged[-1]
        whole = Span(last.span.start, max(last.span.end, finding.span.end))
        merged[-1] = Finding(last.kind, whole)
    return merged


def _in_original(found: list[Finding], replaced: list[Finding]) -> list[Finding]:
    """Findings in the labelled text, at their positions in the original text."""
    labels: list[Span] = []
    shift = 0
    for finding in replaced:
        start = finding.span.start + shift
        labels.append(Span(start, start + len(LABEL_OF[finding.kind])))
        shift = labels[-1].end - finding.span.end

    def original(position: int, at_end: bool) -> int:
        last = bisect_left(labels, (position,)) - 1
        if last < 0:
            return position
        label, span = labels[last], replaced[last].span
        if position < label.end:
            return span.end if at_end else span.start
        return position - label.end + span.end

    return [
        finding._replace(
            span=Span(original(finding.span.start, False), original(finding.span.end, True))
        )
        for finding in found
    ]


def _replaced(text: str, found: list[Finding]) -> str:
    parts, end = [], 0
    for finding in found:
        parts += [text[end : finding.span.start], LABEL_OF[finding.kind]]
        end = finding.span.end
    return "".join([*parts, text[end:]])
