"""Moving records on their way to lasting knowledge. Runs inside the transaction of a write."""

import apsw

from sharpwave.storage.sqlite.statements import SQL
from sharpwave.types.storing import Change


def move(db: apsw.Connection, user_no: int, change: Change) -> None:
    """Change where known records stand; whoever is gone meanwhile stays gone."""
    db.executemany(
        SQL["move"],
        (
            {
                "user_no": user_no,
                "id": move.id,
                "stage": move.stage.value,
                "temperature": move.temperature.value,
            }
            for move in change.moves
        ),
    )
