"""How records are linked: what supports what, what superseded what, who is mentioned where.

Runs inside the transaction of a write. Nothing here begins or ends one.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from sharpwave.errors import Overtaken
from sharpwave.storage.sql import rows
from sharpwave.storage.sql.session import SqlSession
from sharpwave.types.records import Record
from sharpwave.types.storing import Change, Evidence, Stored


def require_unchanged(db: SqlSession, user_no: int, change: Change) -> None:
    """Refuse a change that was decided on what has moved on since."""
    slots = ({"user_no": user_no, "slot": slot} for slot in change.seen)
    heads = db.row_each("slot_head", slots)
    for (slot, seen), (head,) in zip(change.seen.items(), heads, strict=True):
        if head != seen:
            raise Overtaken(f"somebody else wrote about {slot!r} meanwhile; read it again")
    needed = ({"user_no": user_no, "id": id_} for id_ in change.needs)
    for id_, key in zip(change.needs, db.row_each("keys_of_ids", needed), strict=True):
        if key is None:
            raise Overtaken(f"the memory {id_!r} is gone; nothing is learned from it")


def require_new_parents(change: Change, stored: Sequence[Stored]) -> None:
    """Refuse what was derived from a record that turns out to be known under another id."""
    known = {
        given.id
        for given, item in zip(change.records, stored, strict=True)
        if item.replayed and item.record.id != given.id
    }
    used = {parent for record in change.records for parent in record.provenance.parents}
    used |= {parent for _, parent in change.evidence}
    if known & used:
        raise Overtaken("what this was derived from is known already; decide again without it")


def revise(db: SqlSession, user_no: int, seq: int, change: Change) -> int:
    """Change how known records stand; returns the last sequence number."""
    revised = [
        rows.to_revision(revision, user_no, number)
        for number, revision in enumerate(change.revisions, start=seq + 1)
    ]
    changed = db.change_each("revise_standing", revised)
    for revision, count in zip(change.revisions, changed, strict=True):
        if not count:
            raise Overtaken(f"the memory {revision.id!r} is gone; read again what there is")
    return seq + len(revised)


def connect(db: SqlSession, user_no: int, change: Change, new: Sequence[Record]) -> None:
    """Note what supports the new records and who is mentioned where."""
    supported = [
        Evidence(record.id, parent) for record in new for parent in record.provenance.parents
    ]
    evidence = [{"user_no": user_no, **item._asdict()} for item in (*supported, *change.evidence)]
    db.change_each("add_evidence", evidence)
    mentions = [
        {"user_no": user_no, "id": id_, "entity_key": key, "name": name, "kind": kind.value}
        for id_, key, name, kind in change.mentions
    ]
    db.change_each("add_mention", mentions)


def resting_on(db: SqlSession, keys: Sequence[int]) -> list[tuple[int, str]]:
    """Records that rest on nothing but these, or quote one of them; and what rests on those."""
    erased, found, front = set(keys), [], list(keys)
    support: dict[int, set[int]] = {}
    while front:
        key = front.pop()
        for child, parents, counts in db.rows("supported_by", rows.at(key)):
            support.setdefault(child, set()).update([key] if counts else [])
            if child not in erased and len(support[child]) >= parents:
                erased.add(child)
                found.append(child)
                front.append(child)
    return [(key, db.row("id_of_key", rows.at(key))[0]) for key in sorted(found)]


def erase(db: SqlSession, key: int) -> int:
    """Erase one record with its vector and links; returns how many vectors were erased."""
    vectors = db.change("forget_vector", rows.at(key))
    for name in ("forget_evidence", "forget_mentions", "forget_memory"):
        db.change(name, rows.at(key))
    return vectors


def survivors(db: SqlSession, user_no: int, erased: Sequence[tuple[int, str]]) -> "_Loosened":
    """Updates of records that stay but are linked to erased ones; call before erasing."""
    gone, gone_ids = {key for key, _ in erased}, {memory_id for _, memory_id in erased}
    lost: dict[int, int] = {}
    reopened: dict[int, _Successor] = {}
    settled: set[int] = set()
    unlinked: set[int] = set()
    for key, memory_id in erased:
        for child, *_ in db.rows("supported_by", rows.at(key)):
            lost[child] = lost.get(child, 0) + 1
        named = {"user_no": user_no, "id": memory_id}
        freed = [linked for (linked,) in db.rows("superseded_by", named)]
        if freed:
            reopened |= dict.fromkeys(freed, _successor(db, user_no, memory_id, gone_ids))
        unlinked |= {linked for (linked,) in db.rows("corrected_by", named)}
        settled |= {linked for (linked,) in db.rows("rivals_of", named)}
    kept = {key: count for key, count in lost.items() if key not in gone}
    restored = {key: successor for key, successor in sorted(reopened.items()) if key not in gone}
    return _Loosened(kept, restored, sorted(unlinked - gone), sorted(settled - gone))


_Successor = tuple[str | None, int | None]
"""The id of the record that superseded another, and when; None for both if there is none."""


def _successor(db: SqlSession, user_no: int, memory_id: str, gone: set[str]) -> _Successor:
    """The first record that stays in the chain of those that superseded each other."""
    visited: set[str] = set()
    while memory_id in gone and memory_id not in visited:
        visited.add(memory_id)
        query = {"user_no": user_no, "id": memory_id}
        successor, ends = db.row("successor", query) or (None, None)
        if successor is None:
            return None, None
        memory_id = successor
    return (None, None) if memory_id in gone else (memory_id, ends)


@dataclass(frozen=True, slots=True)
class _Loosened:
    """Records that lose support, get their place back, or are no longer contradicted."""

    lost: dict[int, int]
    reopened: dict[int, "_Successor"]
    unlinked: list[int]
    settled: list[int]

    def write(self, db: SqlSession, seq: int) -> int:
        """Write the updates; returns the last sequence number."""
        for key in sorted(self.lost):
            seq += 1
            db.change("lose_support", {**rows.at(key), "lost": self.lost[key], "seq": seq})
        for key, (successor, valid_to) in self.reopened.items():
            seq += 1
            bindings = {"successor": successor, "valid_to": valid_to}
            db.change("reopen", {**rows.at(key), "seq": seq, **bindings})
        for name, keys in (("unlink", self.unlinked), ("settle_rival", self.settled)):
            for key in keys:
                seq += 1
                db.change(name, {**rows.at(key), "seq": seq})
        return seq
