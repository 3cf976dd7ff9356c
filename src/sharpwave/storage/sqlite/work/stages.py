"""Where records stand on their way to lasting knowledge."""

from typing import Any

import apsw

from sharpwave.storage.sqlite import rows
from sharpwave.storage.sqlite.statements import SQL
from sharpwave.temporal.moments import to_microseconds
from sharpwave.types.records import Stage
from sharpwave.types.storing import Change, Staged

_PENDING = frozenset({Stage.ACTIVE, Stage.WORKING})


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


def query(user_no: int, wanted: Staged) -> tuple[str, dict[str, Any]]:
    """The name of the statement that reads them, and its bindings."""
    bindings = {
        **rows.key_range(user_no, wanted.after),
        "kind": wanted.kind.value,
        "stages": rows.to_json(sorted(wanted.stages)) if wanted.stages else None,
        "temperatures": rows.to_json(sorted(wanted.temperatures)) if wanted.temperatures else None,
        "before": to_microseconds(wanted.before) if wanted.before else None,
        "limit": wanted.limit,
    }
    if wanted.stages and wanted.stages <= _PENDING:
        del bindings["end"]
        return "staged_pending", {**bindings, "user_no": user_no}
    return "staged", bindings
