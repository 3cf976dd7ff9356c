"""What was logged before under the same idempotency key."""

from collections.abc import Sequence
from typing import Any

from sharpwave.errors import KeyReused
from sharpwave.experience.lessons import TEACHES
from sharpwave.ports import UserStore
from sharpwave.types.records import Kind, Record

_WHEN = frozenset({"started_at", "completed_at", "duration_ms", "start_id", TEACHES})
"""Fields that tell when something was logged, and not what."""


def known(records: Sequence[Record], store: UserStore) -> dict[str, Record]:
    """The records that these were logged as before, by key; KeyReused if one says otherwise."""
    given = {key: record for record in records if (key := record.provenance.idempotency_key)}
    found = store.known(list(given)) if given else {}
    for key, before in found.items():
        if not _is_same(before, given[key]):
            raise KeyReused(
                f"idempotency key {key!r} already belongs to {before.id}, which says something "
                "else; use a new key for new content"
            )
    return found


def _is_same(before: Record, given: Record) -> bool:
    """A task is known by its id alone: the log that tells it may have grown since."""
    if before.kind is Kind.OBSERVATION is given.kind:
        return True
    return _said(before) == _said(given)


def _said(record: Record) -> tuple[object, ...]:
    said = {name: value for name, value in record.metadata.items() if name not in _WHEN}
    actions: Any = said.pop("actions", ())
    done = [{name: value for name, value in act.items() if name != "at"} for act in actions]
    return record.kind, record.text, record.session_id, said, done
