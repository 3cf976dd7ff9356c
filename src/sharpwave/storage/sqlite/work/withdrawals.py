"""Consents that were withdrawn outlive the user who withdrew them.

Whoever is erased leaves behind only a digest of the name, salted like that of the audit, with what
he or she no longer agreed to: so that nothing is assumed of somebody who comes back.
"""

import apsw

from sharpwave.storage.sqlite import statements
from sharpwave.storage.sqlite.statements import SQL

PREFIX = "withdrawn/"


def of(db: apsw.Connection, actor: str) -> frozenset[str]:
    """What an erased user had withdrawn."""
    found = statements.row(db, "meta", {"name": PREFIX + actor})
    return frozenset(str(found[0]).split()) if found else frozenset()


def put(db: apsw.Connection, actor: str, purposes: frozenset[str]) -> None:
    """Note what somebody withdrew; with nothing withdrawn no trace is left."""
    name = {"name": PREFIX + actor}
    if purposes:
        db.execute(SQL["put_meta"], {**name, "value": " ".join(sorted(purposes))})
    else:
        db.execute(SQL["drop_meta"], name)


def keep(db: apsw.Connection, user_no: int, actor: str) -> None:
    """Before a user is erased: keep what was withdrawn, now or before an earlier erasure."""
    given = dict(statements.rows(db, "consents", {"user_no": user_no}))
    withdrawn = {purpose for purpose, granted in given.items() if not granted}
    put(db, actor, (of(db, actor) - given.keys()) | withdrawn)
