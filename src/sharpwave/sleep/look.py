"""What waits for the next night [SLP-12, WM-09]."""

from datetime import datetime

from sharpwave.sleep.run import read_state
from sharpwave.types.records import Kind
from sharpwave.types.sleep import SleepStatus
from sharpwave.workspace import Workspace


def status(workspace: Workspace) -> SleepStatus:
    """Where a user stands between two nights."""
    state, _ = read_state(workspace)
    pending = workspace.store.pending(Kind.TURN)
    pace = state.get("pace") or {}
    each = pace.get("cpu_s", 0.0) / max(1, pace.get("replayed", 0))
    return SleepStatus(
        pending=pending,
        last_at=_moment(state.get("last")),
        last_heavy_at=_moment(state.get("last_heavy")),
        running=state.get("run"),
        phase=state.get("phase"),
        estimated_s=round(pending * each, 3),
    )


def _moment(told: str | None) -> datetime | None:
    return datetime.fromisoformat(told) if told else None
