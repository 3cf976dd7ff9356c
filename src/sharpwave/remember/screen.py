"""Step 2: remove what may not be kept, before anything is stored, embedded or logged.

A message with a known idempotency key is compared with what is stored under it, and is then left
as it was stored, whatever the policy says today. Both are compared without anything sensitive, by
the strictest policy: nothing is kept of what was removed, not even a digest, from which a PIN could
be guessed by a reader of the file.
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

    `known` are records by idempotency key; a repeated message stays as it was stored.
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
        metadata, redacted_values = redact_values(record.metadata, policy)
        redacted_parts = [redacted, *redacted_values]
        reason = next((str(error) for part in redacted_parts if (error := refusal(part))), None)
        if reason is not None:
            refused.append(Outcome(Verdict.REJECTED, _REFUSED, reason=reason))
            continue
        for part in redacted_parts:
            counts.update({kind.value: count for kind, count in part.counts.items()})
        kept.append(replace(record, text=redacted.text, metadata=metadata))
    return Screened(kept, tuple(refused), _note(counts))


def _is_same(stored: Record, record: Record) -> bool:
    """True if both are equal apart from what is sensitive."""
    old, new = (
        (redact(version.text, _STRICTEST).text, redact_values(version.metadata, _STRICTEST)[0])
        for version in (stored, record)
    )
    return old == new


def _note(counts: Counter[str]) -> str | None:
    if not counts:
        return None
    kinds = ", ".join(f"{count} {kind.replace('_', ' ')}" for kind, count in sorted(counts.items()))
    return f"redacted before storing: {kinds}"
