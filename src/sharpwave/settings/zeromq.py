"""The tunable numbers of the ZeroMQ bus."""

from collections.abc import Mapping
from pathlib import Path

from pydantic import Field

from sharpwave.settings.group import Group


class ZeroMqSettings(Group):
    """Events over ZeroMQ, for programs that listen [BUS-04]. Needs `sharpwave[zeromq]`."""

    bind: str | None = Field(
        None, description="Where to publish, such as tcp://127.0.0.1:5560; nowhere if not given."
    )
    key_file: Path | None = Field(
        None,
        description="The server's CurveZMQ key (`sharpwave keys bus FILE`). With it everything is "
        "encrypted; an address that other machines reach takes no less.",
    )
    clients: Mapping[str, str] = Field(
        {},
        description="Who may listen: a public key of CurveZMQ, and whose events it hears (a user, "
        "or * for all).",
    )
    high_water: int = Field(
        10_000, ge=1, description="Events that wait for a slow listener; it misses what is more."
    )
