"""When consolidation runs in the background, and for how long [SLP-02...07, SCH]."""

from pydantic import Field

from sharpwave.settings.group import Group


class SleepSettings(Group):
    """Consolidation in the background."""

    enabled: bool = Field(True, description="False: only when you call it [SLP-24].")
    cron: str = Field(
        "0 2 * * *", description="When users are consolidated, in the system's time zone [SLP-04]."
    )
    feedback_cron: str = Field("0 3 * * *", description="When feedback is read [SCH-04].")
    bandit_cron: str = Field("0 4 * * *", description="When skill statistics are recomputed.")
    require_idle: bool = Field(True, description="Wait, up to 6 hours, until the machine is idle.")
    idle_cpu_percent: float = Field(
        20.0, gt=0, le=100, description="The machine is idle below this CPU load [SLP-02]."
    )
    idle_s: float = Field(
        300.0, ge=0, description="And has been for so many seconds without a break [SLP-02]."
    )
    at_once: int = Field(4, ge=1, description="Users consolidated at the same time [SLP-06].")
    max_minutes: float = Field(
        60.0, gt=0, description="Time for all users; the rest waits for the next run [SLP-07]."
    )
