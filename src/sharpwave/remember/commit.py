"""Steps 7 and 8: embed the records and commit them in one transaction."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sharpwave.errors import ProviderError
from sharpwave.knowledge.draft import Decided
from sharpwave.knowledge.predicates import entity_kind, normal_name, predicate
from sharpwave.ports import Embedder, UserStore
from sharpwave.types.answers import Outcome, Receipt
from sharpwave.types.records import USER, Kind, Record
from sharpwave.types.statements import EntityKind
from sharpwave.types.storing import Carried, Change, Evidence, Mentioned, NewJob
from sharpwave.types.working import Job


def to_change(
    records: Sequence[Record], action: str, now: datetime, embedder: Embedder
) -> tuple[Change, str | None]:
    """The change that stores these records; a failing embedder leaves out vectors, not words."""
    try:
        vectors = matrix(records, embedder)
        return Change(action, now, tuple(records), vectors, embedder.space), None
    except ProviderError as error:
        note = f"stored without vectors, so found by keywords only until `reembed`: {error}"
        return Change(action, now, tuple(records)), note


def matrix(records: Sequence[Record], embedder: Embedder) -> NDArray[np.float32]:
    """One vector per record. Naming the speaker helps questions about people."""
    return embedder.embed(
        [
            f"{record.speaker}: {record.text}" if record.speaker else record.text
            for record in records
        ]
    )


class Written(NamedTuple):
    """What is stored regardless of what is decided: turns, their mentions, and new jobs."""

    turns: Sequence[Record]
    mentions: Sequence[Mentioned] = ()
    jobs: tuple[NewJob, ...] = ()
    finishes: Job | None = None
    """The job that produced this."""


def with_links(change: Change, written: Written, decided: Decided | None = None) -> Change:
    """The change with mentions and jobs, and with everything decided, if given."""
    known = replace(
        change, mentions=tuple(written.mentions), jobs=written.jobs, finishes=written.finishes
    )
    if decided is None:
        return known
    return replace(
        known,
        mentions=(*known.mentions, *_ends(decided.draft.new)),
        revisions=(*decided.draft.revisions, *decided.stale),
        evidence=tuple(decided.draft.evidence),
        seen=decided.seen,
    )


def _ends(records: Sequence[Record]) -> list[Mentioned]:
    """Mentions of the entities that new facts relate; the graph finds its edges by them."""
    mentions = []
    for record in records:
        value_kind = entity_kind(record.statement.predicate) if record.statement else None
        if record.statement is None or value_kind is None:
            continue
        subject, name, value = record.statement
        mentions.append(Mentioned(record.id, normal_name(value), value, value_kind))
        if subject != USER:
            subject_kind = value_kind if predicate(name).names else EntityKind.PERSON
            mentions.append(Mentioned(record.id, normal_name(subject), subject, subject_kind))
    return mentions


def commit_imported(
    change: Change, carried: Sequence[Carried], store: UserStore
) -> tuple[int, int]:
    """Commit records of an export with their links; returns how many are new, and known."""
    evidence = [Evidence(record.id, turn) for record, links in carried for turn in links.evidence]
    evidence += [
        Evidence(child, record.id) for record, links in carried for child in links.supports
    ]
    mentions = tuple(mention for _, links in carried for mention in links.mentions)
    stored = store.commit(replace(change, evidence=tuple(evidence), mentions=mentions))
    known = sum(item.replayed for item in stored)
    return len(stored) - known, known


def write(
    change: Change, note: str | None, store: UserStore, learned: Sequence[Outcome] = ()
) -> Receipt:
    """Commit the change; the receipt exists only once all of it is durable."""
    stored = [item for item in store.commit(change) if item.record.kind is Kind.TURN]
    return Receipt(
        ids=tuple(item.record.id for item in stored),
        recorded_at=change.at,
        replayed=tuple(item.record.id for item in stored if item.replayed),
        notes=() if note is None else (note,),
        learned=tuple(learned),
    )
