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

from sharpwave.privacy.credentials import is_sealed
from sharpwave.privacy.redaction import redact, refusal
from sharpwave.settings.privacy import Policy
from sharpwave.types.answers import Outcome, Verdict
from sharpwave.types.privacy import PolicyAction, Redacted
from sharpwave.types.records import Record

_REFUSED = "(refused)"
_LONG_NUMBER = 10**8
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
        inside = [redact(value, policy) for value in _texts(record.metadata)]
        reason = next((str(why) for one in (redacted, *inside) if (why := refusal(one))), None)
        if reason is not None:
            refused.append(Outcome(Verdict.REJECTED, _REFUSED, reason=reason))
            continue
        for one in (redacted, *inside):
            counts.update({kind.value: count for kind, count in one.counts.items()})
        kept.append(_cleaned(record, redacted, inside, policy))
    return Screened(kept, tuple(refused), _note(counts))


def _is_same(stored: Record, said: Record) -> bool:
    """True if both say the same but for what is sensitive."""
    words = redact(stored.text, _STRICTEST).text == redact(said.text, _STRICTEST).text
    return words and _redacted(stored.metadata, _STRICTEST) == _redacted(said.metadata, _STRICTEST)


def _cleaned(
    record: Record, redacted: Redacted, inside: Sequence[Redacted], policy: Policy
) -> Record:
    if not redacted.counts and not any(one.counts for one in inside):
        return record
    return replace(record, text=redacted.text, metadata=_redacted(record.metadata, policy))


def _texts(value: object) -> list[str]:
    """Every text inside metadata, names included, but for what only a model's server can read."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, Mapping):
        names = [name for name in value if isinstance(name, str)]
        inside = [each for name, each in value.items() if not is_sealed(name, each)]
        return [*names, *(text for each in inside for text in _texts(each))]
    if isinstance(value, list | tuple):
        return [text for each in value for text in _texts(each)]
    return [str(value)] if _is_long(value) else []


def _redacted(metadata: Mapping[str, object], policy: Policy) -> dict[str, object]:
    return {
        redact(name, policy).text: value if is_sealed(name, value) else _clean(value, policy)
        for name, value in metadata.items()
    }


def _clean(value: object, policy: Policy) -> object:
    if isinstance(value, str):
        return redact(value, policy).text
    if isinstance(value, Mapping):
        return _redacted(value, policy)
    if isinstance(value, list | tuple):
        return [_clean(each, policy) for each in value]
    if _is_long(value) and (redacted := redact(str(value), policy)).counts:
        return redacted.text
    return value


def _is_long(value: object) -> bool:
    """True for a number that may be that of a card or a person."""
    return isinstance(value, int) and value >= _LONG_NUMBER


def _note(counts: Counter[str]) -> str | None:
    if not counts:
        return None
    found = ", ".join(f"{count} {kind.replace('_', ' ')}" for kind, count in sorted(counts.items()))
    return f"redacted before storing: {found}"
