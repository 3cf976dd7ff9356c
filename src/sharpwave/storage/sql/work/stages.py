"""Moving records on their way to lasting knowledge. Runs inside the transaction of a write."""

from sharpwave.storage.sql.session import Session
from sharpwave.types.storing import Change


def move(db: Session, user_no: int, change: Change) -> None:
    """Change where known records stand; whoever is gone meanwhile stays gone."""
    db.change_each(
        "move",
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
