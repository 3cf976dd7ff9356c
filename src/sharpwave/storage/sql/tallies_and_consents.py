"""What was learned and keeps changing, and what users agreed to; within a transaction.

Consents that were withdrawn outlive the user who withdrew them. An erasure leaves behind a digest
of the name, salted like that of the audit, with what the user no longer agreed to: nothing is
assumed of a user who comes back.
"""

from collections.abc import Iterable, Sequence

from sharpwave.errors import Overtaken
from sharpwave.storage.sql import rows
from sharpwave.storage.sql.selecting import beginning
from sharpwave.storage.sql.session import SqlSession
from sharpwave.temporal.clock import to_microseconds
from sharpwave.types.storing import ANSWERS_TOPIC, GOES_WITH, Change, Stored, Tally

_OF_KIND = {kind.value: prefix for kind, prefix in GOES_WITH.items()}


def read_tallies(
    db: SqlSession, user_no: int, topic: str, names: Sequence[str] | None
) -> dict[str, Tally]:
    """The tallies of a topic, or those of some names."""
    where: dict[str, object] = {"user_no": user_no, "topic": topic}
    if names is None:
        found = db.rows("tallies", where)
    else:
        queries = ({**where, "name": name} for name in sorted(set(names)))
        found = [row for query in queries if (row := db.row("tally", query))]
    return {name: Tally(rows.from_json(value), version) for name, value, version in found}


def write_tallies(db: SqlSession, user_no: int, change: Change, stored: Sequence[Stored]) -> None:
    """Write the tallies of a change."""
    if not change.tallies or (stored and all(item.replayed for item in stored)):
        return
    if any(item.replayed for item in stored):
        raise Overtaken("some of what this was learned from is known already; leave it out")
    for topic, name, value, seen in change.tallies:
        where: dict[str, object] = {"user_no": user_no, "topic": topic, "name": name}
        (version,) = db.row("tally_version", where) or (0,)
        if version != seen:
            raise Overtaken(f"somebody else learned about {topic} {name!r} meanwhile")
        if value is None:
            db.change("drop_tally", where)
            continue
        row = {"value": rows.to_json(value), "version": seen + 1, "at": to_microseconds(change.at)}
        db.change("put_tally", {**where, **row})


def forget_tallies(db: SqlSession, user_no: int, keys: Iterable[int]) -> None:
    """Drop whatever was learned from records that are about to be erased."""
    kinds = {db.row("kind_of_key", rows.at(key))[0] for key in keys}
    for prefix in {ANSWERS_TOPIC, *(_OF_KIND[kind] for kind in kinds & _OF_KIND.keys())}:
        db.change("forget_tallies", {"user_no": user_no, **beginning(prefix)})


def forget_topics(db: SqlSession, user_no: int, topics: Iterable[str]) -> list[str]:
    """Drop all tallies of these topics; returns the topics that held any."""
    query = {"user_no": user_no}
    return [
        topic
        for topic in sorted(set(topics))
        if db.change("forget_topic", {**query, "topic": topic})
    ]


WITHDRAWN = "withdrawn/"


def read_consents(db: SqlSession, user_no: int, actor: str) -> tuple[dict[str, int], set[str]]:
    """What a user agreed to or not, and what was withdrawn before an erasure."""
    found = db.rows("consents", {"user_no": user_no, "withdrawn": WITHDRAWN + actor})
    given = {purpose: granted for purpose, granted in found if granted is not None}
    earlier = {purpose for value, granted in found if granted is None for purpose in value.split()}
    return given, earlier


def put_withdrawn(db: SqlSession, actor: str, purposes: set[str]) -> None:
    """Note what a user withdrew; with nothing withdrawn no trace is left."""
    name = {"name": WITHDRAWN + actor}
    if purposes:
        db.change("put_meta", {**name, "value": " ".join(sorted(purposes))})
    else:
        db.change("drop_meta", name)


def keep_withdrawn(db: SqlSession, user_no: int, actor: str) -> None:
    """Before a user is erased: keep what was withdrawn, now or before an earlier erasure."""
    given, earlier = read_consents(db, user_no, actor)
    withdrawn = {purpose for purpose, granted in given.items() if not granted}
    put_withdrawn(db, actor, (earlier - given.keys()) | withdrawn)
