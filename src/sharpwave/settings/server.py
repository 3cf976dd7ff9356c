"""Settings of `sharpwave serve`: REST, its dashboard, log, events and identity provider."""

from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from pydantic import Field

from sharpwave.settings.group import Group


class DashboardSettings(Group):
    """The web pages of the server [UI-01]."""

    enabled: bool = Field(
        True, description="Serve the pages, if `sharpwave[dashboard]` is installed."
    )
    port: int = Field(
        8767, ge=0, le=65535, description="The port of `sharpwave dashboard`; 0 takes any."
    )
    session_hours: float = Field(12.0, gt=0, description="Hours until a sign-in ends.")


class LogSettings(Group):
    """The log of `sharpwave serve`: lines of JSON, never words of a user [MET-10]."""

    level: Literal["off", "debug", "info", "warning", "error"] = Field(
        "warning",
        description="The least that is written. info: also each choice and rating of a skill, in "
        "numbers. debug: also the messages of unexpected errors, which may quote what was sent.",
    )
    access: bool = Field(
        False, description="Log a line per request: route, status, time, bytes, name of the key."
    )
    file: Path | None = Field(None, description="File to append to; default: stderr.")


class WebhookSettings(Group):
    """Sending events to other servers."""

    allow_private: bool = Field(
        False, description="Also send to addresses inside this network or on this machine."
    )


class ZeroMqSettings(Group):
    """Events over ZeroMQ, for programs that listen [BUS-04]. Needs `sharpwave[zeromq]`."""

    bind: str | None = Field(
        None, description="Address to publish at, such as tcp://127.0.0.1:5560; default: none."
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


KIB = 1024
MIB = 1024 * 1024


class OidcSettings(Group):
    """Tokens of an identity provider, besides our own keys."""

    issuer: str | None = Field(
        None, description="Issuer of the tokens (`iss`). Without it only our own keys are valid."
    )
    audience: str | None = Field(None, description="Required audience of a token (`aud`).")
    jwks_file: Path | None = Field(None, description="The provider's public keys, as a file.")
    jwks_url: str | None = Field(None, description="URL of the public keys, fetched when needed.")
    user_claim: str = Field("sub", description="The claim that names the user.")
    scope_claim: str = Field(
        "scope",
        description="The claim that lists sharpwave:read, sharpwave:write, sharpwave:admin.",
    )


class BackupSettings(Group):
    """A copy of the file at each stop, one a day [XPT-03, DEP-04]."""

    at_shutdown: bool = Field(False, description="Keep a copy of the file when it stops.")
    folder: Path | None = Field(
        None, description="Folder of the copies; default: `backups` beside the file."
    )
    keep: int = Field(7, ge=1, description="Copies to keep, one a day; older ones are deleted.")


class ServerSettings(Group):
    """The REST server, and what shares its port."""

    host: str = Field("127.0.0.1", description="The address to listen on [SEC-11].")
    port: int = Field(8765, ge=0, le=65535, description="The port; 0 takes any that is free.")
    workers: int = Field(
        1,
        ge=1,
        le=256,
        description="Processes that serve, on one file; rates and measurements are those of each.",
    )
    hosts: tuple[str, ...] = Field(
        (), description="Host names of this server, besides its own address."
    )
    origins: tuple[str, ...] = Field(
        (), description="Web pages that may call it, such as https://app.example.com."
    )
    max_body_bytes: int = Field(4 * MIB, ge=KIB, description="Largest request, except imports.")
    rate_per_s: float = Field(
        200.0, ge=0, description="Requests a second that one key may make on average; 0: any."
    )
    open_metrics: bool = Field(False, description="Show /metrics without a key.")
    backup: BackupSettings = BackupSettings()
    oidc: OidcSettings = OidcSettings()
    webhooks: WebhookSettings = WebhookSettings()
    log: LogSettings = LogSettings()
    dashboard: DashboardSettings = DashboardSettings()
    zeromq: ZeroMqSettings = ZeroMqSettings()
