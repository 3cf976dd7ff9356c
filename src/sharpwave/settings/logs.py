"""The settings of the server's log."""

from pathlib import Path
from typing import Literal

from pydantic import Field

from sharpwave.settings.group import Group


class LogSettings(Group):
    """What `sharpwave serve` writes down: lines of JSON, never words of a user [MET-10]."""

    level: Literal["off", "debug", "info", "warning", "error"] = Field(
        "warning",
        description="The least that is written. info: also each choice and rating of a skill, in "
        "numbers. debug: also the messages of unexpected errors, which may quote what was sent.",
    )
    access: bool = Field(
        False, description="One line a request: route, status, time, bytes, the name of the key."
    )
    file: Path | None = Field(None, description="Where to append it; to stderr if not given.")
