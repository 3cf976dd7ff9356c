"""Settings of MCP, the proxy, and `sharpwave serve`: REST, log, events."""

from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from pydantic import Field, SecretStr

from sharpwave.settings.core import Group


class McpSettings(Group):
    """The MCP server [MCP-01]."""

    aliases: bool = Field(
        False,
        description="Also list the tools under their aliases: query_memory, get_memory_pattern, "
        "store_insight, detect_pattern, get_context [MCP-07, MCP-08].",
    )
    trust_user_words: bool = Field(
        False,
        description="Trust an agent that reports what the user said. If False, it is stored as "
        "inferred and not shown in the profile.",
    )


class ProxySettings(Group):
    """`sharpwave proxy`: memory for any client of OpenAI's API."""

    host: str = Field("127.0.0.1", description="Address to listen on [SEC-11].")
    port: int = Field(8766, ge=0, le=65535, description="Port; 0: any free port.")
    upstream: str | None = Field(
        None,
        description="Base URL of the models, such as https://api.openai.com/v1. Requests cannot "
        "change it.",
    )
    upstream_key: SecretStr | None = Field(
        None, description="API key of upstream, for callers that send only a Sharpwave key."
    )
    without_key: bool = Field(
        False,
        description="Accept requests without a Sharpwave key, from this machine only, for the user "
        "of the settings. Every program on this machine can then read that memory.",
    )
    context_tokens: int = Field(
        800, ge=100, le=100_000, description="Maximum tokens of memory added to a request."
    )


class LogSettings(Group):
    """The log of `sharpwave serve`: JSON lines on stderr, never text of users [MET-10]."""

    level: Literal["off", "debug", "info", "warning", "error"] = Field(
        "warning",
        description="Minimum level. info: also each choice and rating of a skill, as numbers. "
        "debug: also the messages of unexpected errors, which may quote request content.",
    )
    access: bool = Field(
        False, description="Log a line per request: route, status, time, bytes, name of the key."
    )


class WebhookSettings(Group):
    """Sending events to other servers."""

    allow_private: bool = Field(
        False, description="Also send to addresses inside this network or on this machine."
    )


class ZeroMqSettings(Group):
    """Events over ZeroMQ, for subscribers [BUS-04]. Needs `sharpwave[zeromq]`."""

    bind: str | None = Field(
        None, description="Address to publish at, such as tcp://127.0.0.1:5560; default: none."
    )
    key_file: Path | None = Field(
        None,
        description="File of the server's CurveZMQ key (`sharpwave keys bus FILE`). It encrypts "
        "everything, and is required for addresses that other machines can reach.",
    )
    clients: Mapping[str, str] = Field(
        {},
        description="Allowed subscribers: a CurveZMQ public key, and the user whose events it "
        "receives (* for all users).",
    )


class BackupSettings(Group):
    """A copy of the file at each stop, one a day [XPT-03, DEP-04]."""

    folder: Path | None = Field(
        None, description="Folder of the copies; default: `backups` next to the file."
    )
    keep: int = Field(
        0, ge=0, description="Number of daily copies to keep; older ones are deleted; 0: no copies."
    )


class ServerSettings(Group):
    """The REST server, and everything on the same port."""

    host: str = Field("127.0.0.1", description="Address to listen on [SEC-11].")
    port: int = Field(8765, ge=0, le=65535, description="Port; 0: any free port.")
    workers: int = Field(
        1,
        ge=1,
        le=256,
        description="Number of server processes on one file; rate limits and metrics are per "
        "process.",
    )
    hosts: tuple[str, ...] = Field(
        (), description="Host names of this server, in addition to its own address."
    )
    origins: tuple[str, ...] = Field(
        (), description="Web origins that may call it, such as https://app.example.com."
    )
    rate_per_s: float = Field(
        200.0, ge=0, description="Maximum average requests per second and key; 0: no limit."
    )
    dashboard: bool = Field(
        True, description="Serve the dashboard, if `sharpwave[dashboard]` is installed [UI-01]."
    )
    backup: BackupSettings = BackupSettings()
    webhooks: WebhookSettings = WebhookSettings()
    log: LogSettings = LogSettings()
    zeromq: ZeroMqSettings = ZeroMqSettings()
