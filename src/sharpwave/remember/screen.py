"""Step 2: what may not be kept is taken out, before anything is stored, embedded or logged.

A message whose idempotency key is known is compared with what is stored under it, and is then left
as it was stored, whatever the policy says today. Both are compared without anything sensitive, by
the strictest policy: so nothing has to be kept of what was taken out, not even a digest, from which
whoever has the file could guess a PIN.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import NamedTuple

from sharpwave.privacy.redaction import redact, redact_values, refusal
from sharpwave.settings.privacy import Policy
from sharpwave.types.answers import Outcome, Verdict
from sharpwave.types.privacy import PolicyAction
from sharpwave.types.records import Record

_REFUSED = "(refused)"
_NOTHING: Mapping[str, Record] = MappingProxyType({})
_STRICTEST = Policy.model_validate(dict.fromkeys(Policy.model_fields, PolicyAction.REDACT))


class Screened(NamedTuple):
    """What may be kept of each record, and what was refused."""

    records: list[Record]
    refused: tuple[Outcome, ...]
    note: str | None


def screen(
    records: Sequence[Record], policy: Policy, known: Mapping[str, Record] = _NOTHING
) -> Screened:
    """The records with labels instead of secrets, without those that the policy refuses.

    `known` are records by idempotency key; what is said again stays as it was stored.
    """
    kept: list[Record] = []
    refused: list[Outcome] = []
    counts: Counter[str] = Counter()
    for record in records:
        stored = known.get(record.provenance.idempotency_key or "")
        if stored is not None and _is_same(stored, record):
            kept.append(replace(record, text=stored.text, metadata=stored.metadata))
            continue
        redacted = redact(record.text, policy)
        metadata, inside = redact_values(record.metadata, policy)
        found = [redacted, *inside]
        reason = next((str(why) for one in found if (why := refusal(one))), None)
        if reason is not None:
            refused.append(Outcome(Verdict.REJECTED, _REFUSED, reason=reason))
            continue
        for one in found:
            counts.update({kind.value: count for kind, count in one.counts.items()})
        kept.append(replace(record, text=redacted.text, metadata=metadata))
    return Screened(kept, tuple(refused), _note(counts))


def _is_same(stored: Record, said: Record) -> bool:
    """True if both say the same but for what is sensitive."""
    one, other = (
        (redact(record.text, _STRICTEST).text, redact_values(record.metadata, _STRICTEST)[0])
        for record in (stored, said)
    )
    return one == other


def _note(counts: Counter[str]) -> str | None:
    if not counts:
        return None
    found = ", ".join(f"{count} {kind.replace('_', ' ')}" for kind, count in sorted(counts.items()))
    return f"redacted before storing: {found}"
