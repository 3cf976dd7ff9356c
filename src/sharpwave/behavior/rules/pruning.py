"""Rules that were observed once and never again are let go [BEH-11]."""

from sharpwave.behavior.rules import records
from sharpwave.formulas.rules import is_stale
from sharpwave.types.records import Record, Stage, State
from sharpwave.types.storing import Selection
from sharpwave.workspace import Workspace

_OPEN = frozenset({State.ACTIVE, State.UNCERTAIN})
_DAY_S = 86_400.0


def stale(workspace: Workspace) -> list[Record]:
    """Rules that were observed once, long ago.

    What was seen again or accepted by somebody stays, and so does what took another's place: with
    it gone, the other would hold again.
    """
    former = records.stored(workspace, frozenset({State.SUPERSEDED}))
    heirs = {one.standing.superseded_by for one in former}
    now, days = workspace.clock.now(), workspace.settings.retention.rules_days
    return [
        one
        for one in records.stored(workspace, _OPEN)
        if one.standing.stage is not Stage.SEMANTIC
        and one.id not in heirs
        and is_stale(
            one.standing.seen_count,
            (now - one.standing.last_seen_at).total_seconds() / _DAY_S,
            days,
        )
    ]


def prune(workspace: Workspace) -> tuple[str, ...]:
    """Erase stale rules; returns their ids."""
    gone = tuple(one.id for one in stale(workspace))
    if gone:
        workspace.store.forget(Selection(ids=gone), workspace.clock.now())
    return gone
