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
        description="List the tools also by their other names: query_memory, get_memory_pattern, "
        "store_insight, detect_pattern, get_context [MCP-07, MCP-08].",
    )
    trust_user_words: bool = Field(
        False,
        description="Take an agent's word for it when it says that the user said something. If "
        "not, such words are kept as inferred and stay out of the profile.",
    )


class ProxySettings(Group):
    """`sharpwave proxy`: memory for any client of OpenAI's API."""

    host: str = Field("127.0.0.1", description="The address to listen on [SEC-11].")
    port: int = Field(8766, ge=0, le=65535, description="The port; 0 takes any that is free.")
    upstream: str | None = Field(
        None,
        description="The base URL of the models, such as https://api.openai.com/v1. It is set "
        "here, once; no request can name another.",
    )
    upstream_key: SecretStr | None = Field(
        None, description="API key of upstream, for callers that send only a Sharpwave key."
    )
    without_key: bool = Field(
        False,
        description="On this machine only: who sends no key of ours is the user of the settings. "
        "Whoever can open a connection on this machine then reads that memory.",
    )
    context_tokens: int = Field(
        800, ge=100, le=100_000, description="Maximum tokens of memory added to a request."
    )


class LogSettings(Group):
    """The log of `sharpwave serve`: lines of JSON on stderr, never words of a user [MET-10]."""

    level: Literal["off", "debug", "info", "warning", "error"] = Field(
        "warning",
        description="The least that is written. info: also each choice and rating of a skill, in "
        "numbers. debug: also the messages of unexpected errors, which may quote what was sent.",
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


class BackupSettings(Group):
    """A copy of the file at each stop, one a day [XPT-03, DEP-04]."""

    folder: Path | None = Field(
        None, description="Folder of the copies; default: `backups` beside the file."
    )
    keep: int = Field(
        0, ge=0, description="Copies to keep, one a day; older ones are deleted; 0: none is made."
    )


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
    rate_per_s: float = Field(
        200.0, ge=0, description="Requests a second that one key may make on average; 0: any."
    )
    dashboard: bool = Field(
        True, description="Serve the web pages, if `sharpwave[dashboard]` is installed [UI-01]."
    )
    backup: BackupSettings = BackupSettings()
    webhooks: WebhookSettings = WebhookSettings()
    log: LogSettings = LogSettings()
    zeromq: ZeroMqSettings = ZeroMqSettings()
