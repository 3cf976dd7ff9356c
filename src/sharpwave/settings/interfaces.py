"""Settings of MCP, hooks of coding agents, the proxy, and `Memory.connect`."""

from pydantic import Field, SecretStr

from sharpwave.settings.group import Group


class McpSettings(Group):
    """The MCP server [MCP-01]."""

    answer_tokens: int = Field(
        1500, ge=100, le=100_000, description="Maximum tokens of a tool's answer."
    )
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
    allowed_hosts: tuple[str, ...] = Field(
        (), description="Host names besides the loopback ones by which MCP over HTTP is reached."
    )


class HookSettings(Group):
    """What hooks capture and put before a model [MCP-09]."""

    context_tokens: int = Field(
        500, ge=100, le=2000, description="Maximum tokens of memory added to a prompt or a session."
    )
    answers: bool = Field(True, description="Remember the last answer of each turn, too.")


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
    answers: bool = Field(True, description="Remember the answers of the models, too.")


class ClientSettings(Group):
    """How `Memory.connect` talks to a server."""

    timeout_s: float = Field(60.0, gt=0, description="Longest wait for an answer.")
