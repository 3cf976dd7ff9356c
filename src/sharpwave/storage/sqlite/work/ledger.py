"""What models cost each user, and what each user agreed to."""

from datetime import date, datetime

import apsw

from sharpwave.storage.sqlite import statements
from sharpwave.storage.sqlite.chain import actor_digest
from sharpwave.storage.sqlite.readers import Readers
from sharpwave.storage.sqlite.statements import SQL
from sharpwave.storage.sqlite.work import withdrawals
from sharpwave.storage.sqlite.writer import Writer
from sharpwave.temporal.moments import to_microseconds
from sharpwave.types.working import Purpose, Spending


class SqliteLedger:
    """The ledger of one SQLite file."""

    def __init__(self, writer: Writer, readers: Readers, salt: bytes) -> None:
        self._writer = writer
        self._readers = readers
        self._salt = salt

    def charge(self, user_id: str, day: date, spent: Spending) -> None:
        """Add to what models cost a user on a day."""
        row = {
            "day": day.isoformat(),
            "calls": spent.calls,
            "input_tokens": spent.input_tokens,
            "output_tokens": spent.output_tokens,
            "cost": spent.cost,
        }

        def work(db: apsw.Connection) -> None:
            if user := statements.row(db, "user", {"user_id": user_id}):
                db.execute(SQL["charge"], {"user_no": user[0], **row})

        self._writer.run(work)

    def spent(self, user_id: str, day: date) -> Spending:
        """What models cost a user on a day."""
        with self._readers.snapshot() as db:
            user = statements.row(db, "user", {"user_id": user_id})
            query = {"user_no": user[0] if user else 0, "day": day.isoformat()}
            found = statements.row(db, "spent", query)
        return Spending(*found) if found else Spending()

    def consents(self, user_id: str) -> dict[Purpose, bool]:
        """What a user agreed to, or not; nothing about purposes never asked for."""
        with self._readers.snapshot() as db:
            user = statements.row(db, "user", {"user_id": user_id})
            found = dict(statements.rows(db, "consents", {"user_no": user[0] if user else 0}))
            withdrawn = withdrawals.of(db, actor_digest(self._salt, user_id))
        given = dict.fromkeys(withdrawn, 0) | found
        return {Purpose(purpose): bool(granted) for purpose, granted in sorted(given.items())}

    def consent(self, user_id: str, purpose: Purpose, granted: bool, at: datetime) -> None:
        """A user agrees to something, or no longer."""
        row = {"purpose": purpose.value, "granted": int(granted), "at": to_microseconds(at)}

        def work(db: apsw.Connection) -> None:
            user = statements.row(db, "user", {"user_id": user_id})
            user = user or statements.row(db, "add_user", {"user_id": user_id})
            db.execute(SQL["put_consent"], {"user_no": user[0], **row})
            actor = actor_digest(self._salt, user_id)
            withdrawals.put(db, actor, withdrawals.of(db, actor) - {purpose.value})

        self._writer.run(work)
