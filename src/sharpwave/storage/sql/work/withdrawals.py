"""Consents that were withdrawn outlive the user who withdrew them.

Whoever is erased leaves behind only a digest of the name, salted like that of the audit, with what
he or she no longer agreed to: so that nothing is assumed of somebody who comes back.
"""

from sharpwave.storage.sql.session import Session

PREFIX = "withdrawn/"


def of(db: Session, actor: str) -> frozenset[str]:
    """What an erased user had withdrawn."""
    found = db.row("meta", {"name": PREFIX + actor})
    return frozenset(str(found[0]).split()) if found else frozenset()


def put(db: Session, actor: str, purposes: frozenset[str]) -> None:
    """Note what somebody withdrew; with nothing withdrawn no trace is left."""
    name = {"name": PREFIX + actor}
    if purposes:
        db.change("put_meta", {**name, "value": " ".join(sorted(purposes))})
    else:
        db.change("drop_meta", name)


def keep(db: Session, user_no: int, actor: str) -> None:
    """Before a user is erased: keep what was withdrawn, now or before an earlier erasure."""
    given = dict(db.rows("consents", {"user_no": user_no}))
    withdrawn = {purpose for purpose, granted in given.items() if not granted}
    put(db, actor, (of(db, actor) - given.keys()) | withdrawn)
