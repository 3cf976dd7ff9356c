"""The tunable numbers of the doors that speak HTTP; `settings.py` has the others."""

from pathlib import Path

from pydantic import Field

from sharpwave.settings.dashboard import DashboardSettings
from sharpwave.settings.group import Group
from sharpwave.settings.logs import LogSettings
from sharpwave.settings.webhooks import WebhookSettings
from sharpwave.settings.zeromq import ZeroMqSettings

KIB = 1024
MIB = 1024 * 1024


class OidcSettings(Group):
    """Tokens of an identity provider, besides our own keys."""

    issuer: str | None = Field(
        None, description="Who signs the tokens (`iss`). Without it only our own keys open."
    )
    audience: str | None = Field(None, description="For whom a token must be meant (`aud`).")
    jwks_file: Path | None = Field(None, description="The provider's public keys, as a file.")
    jwks_url: str | None = Field(None, description="The same at an address, fetched when needed.")
    jwks_cache_s: float = Field(
        300.0,
        gt=0,
        description="How long its keys are trusted until they are fetched again.",
    )
    jwks_timeout_s: float = Field(5.0, gt=0, description="How long to wait for them.")
    user_claim: str = Field("sub", description="The claim that names the user.")
    scope_claim: str = Field(
        "scope",
        description="The claim that lists sharpwave:read, sharpwave:write, sharpwave:admin.",
    )
    leeway_s: float = Field(30.0, ge=0, description="How far clocks may be apart.")


class BackupSettings(Group):
    """A copy of the file at each stop, one a day [XPT-03, DEP-04]."""

    at_shutdown: bool = Field(False, description="Keep a copy of the file when it stops.")
    folder: Path | None = Field(None, description="Where; default: `backups` beside the file.")
    keep: int = Field(7, ge=1, description="Copies that are kept, one a day; older ones go.")
    limit_s: float = Field(20.0, gt=0, description="A copy that takes longer is given up.")


class ServerSettings(Group):
    """The REST door, and what shares its port."""

    host: str = Field("127.0.0.1", description="The address to listen on [SEC-11].")
    port: int = Field(8765, ge=0, le=65535, description="The port; 0 takes any that is free.")
    workers: int = Field(
        1,
        ge=1,
        le=256,
        description="Processes that serve, on one file; rates and measurements are those of each.",
    )
    hosts: tuple[str, ...] = Field(
        (), description="Names by which others reach this server, besides its own address."
    )
    origins: tuple[str, ...] = Field(
        (), description="Web pages that may call it, such as https://app.example.com."
    )
    max_body_bytes: int = Field(4 * MIB, ge=KIB, description="Largest request, except imports.")
    max_import_bytes: int = Field(256 * MIB, ge=KIB, description="Largest import.")
    rate_per_s: float = Field(
        200.0, ge=0, description="Requests a second that one key may make on average; 0: any."
    )
    burst: int = Field(400, ge=1, description="Requests that one key may make at once.")
    rated_keys: int = Field(10_000, ge=1, description="Keys whose rate is kept in mind.")
    key_cache_s: float = Field(
        0.0,
        ge=0,
        le=1,
        description="How long a key that was revoked may still open; 0: it is looked up each time.",
    )
    page_size: int = Field(100, ge=1, le=1000, description="Items of a page, if nobody says.")
    events_poll_s: float = Field(
        0.5, gt=0, description="How often the stream of events looks for what others wrote."
    )
    answers_kept_s: float = Field(
        86_400.0,
        gt=0,
        description="How long the answer to a request with an Idempotency-Key is kept.",
    )
    answer_bytes: int = Field(64 * KIB, ge=0, description="Longest answer that is kept.")
    open_metrics: bool = Field(False, description="Show /metrics without a key.")
    stop_s: float = Field(10.0, gt=0, description="How long requests may take to end at a stop.")
    backup: BackupSettings = BackupSettings()
    oidc: OidcSettings = OidcSettings()
    webhooks: WebhookSettings = WebhookSettings()
    log: LogSettings = LogSettings()
    dashboard: DashboardSettings = DashboardSettings()
    zeromq: ZeroMqSettings = ZeroMqSettings()
