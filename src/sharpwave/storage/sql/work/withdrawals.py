"""Consents that were withdrawn outlive the user who withdrew them.

Whoever is erased leaves behind only a digest of the name, salted like that of the audit, with what
he or she no longer agreed to: so that nothing is assumed of somebody who comes back.
"""

from sharpwave.storage.sql.session import Session

PREFIX = "withdrawn/"


def read(db: Session, user_no: int, actor: str) -> tuple[dict[str, int], set[str]]:
    """What a user agreed to or not, and what was withdrawn before an erasure."""
    found = db.rows("consents", {"user_no": user_no, "withdrawn": PREFIX + actor})
    given = {purpose: granted for purpose, granted in found if granted is not None}
    earlier = {purpose for value, granted in found if granted is None for purpose in value.split()}
    return given, earlier


def put(db: Session, actor: str, purposes: set[str]) -> None:
    """Note what somebody withdrew; with nothing withdrawn no trace is left."""
    name = {"name": PREFIX + actor}
    if purposes:
        db.change("put_meta", {**name, "value": " ".join(sorted(purposes))})
    else:
        db.change("drop_meta", name)


def keep(db: Session, user_no: int, actor: str) -> None:
    """Before a user is erased: keep what was withdrawn, now or before an earlier erasure."""
    given, earlier = read(db, user_no, actor)
    withdrawn = {purpose for purpose, granted in given.items() if not granted}
    put(db, actor, (earlier - given.keys()) | withdrawn)
