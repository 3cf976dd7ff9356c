"""What models cost each user, and what each user agreed to."""

from datetime import date, datetime

from sharpwave.storage.sql.chain import actor_digest
from sharpwave.storage.sql.session import Database, Session
from sharpwave.storage.sql.work import withdrawals
from sharpwave.temporal.clock import to_microseconds
from sharpwave.types.working import Purpose, Spending


class SqlLedger:
    """The ledger of one database."""

    def __init__(self, database: Database, salt: bytes) -> None:
        self._database = database
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

        def work(db: Session) -> None:
            if user := db.row("lock_user", {"user_id": user_id}):
                db.change("charge", {"user_no": user[0], **row})

        self._database.run(work)

    def spent(self, user_id: str, day: date) -> Spending:
        """What models cost a user on a day."""
        with self._database.snapshot() as db:
            user = db.row("user", {"user_id": user_id})
            query = {"user_no": user[0] if user else 0, "day": day.isoformat()}
            found = db.row("spent", query)
        return Spending(*found) if found else Spending()

    def consents(self, user_id: str) -> dict[Purpose, bool]:
        """What a user agreed to, or not; nothing about purposes never asked for."""
        with self._database.snapshot() as db:
            user = db.row("user", {"user_id": user_id})
            found = dict(db.rows("consents", {"user_no": user[0] if user else 0}))
            withdrawn = withdrawals.of(db, actor_digest(self._salt, user_id))
        given = dict.fromkeys(withdrawn, 0) | found
        return {Purpose(purpose): bool(granted) for purpose, granted in sorted(given.items())}

    def consent(self, user_id: str, purpose: Purpose, granted: bool, at: datetime) -> None:
        """A user agrees to something, or no longer."""
        row = {"purpose": purpose.value, "granted": int(granted), "at": to_microseconds(at)}

        def work(db: Session) -> None:
            user = db.row("lock_user", {"user_id": user_id})
            user = user or db.row("add_user", {"user_id": user_id})
            db.change("put_consent", {"user_no": user[0], **row})
            actor = actor_digest(self._salt, user_id)
            withdrawals.put(db, actor, withdrawals.of(db, actor) - {purpose.value})

        self._database.run(work)
