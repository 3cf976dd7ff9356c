"""The tunable numbers of the proxy: a door for any client of OpenAI's API."""

from pydantic import Field, SecretStr

from sharpwave.settings.group import Group
from sharpwave.settings.server import KIB, MIB


class ProxySettings(Group):
    """`sharpwave proxy`: memory for programs that know nothing of it but an address."""

    host: str = Field("127.0.0.1", description="The address to listen on [SEC-11].")
    port: int = Field(8766, ge=0, le=65535, description="The port; 0 takes any that is free.")
    upstream: str | None = Field(
        None,
        description="The base URL of the models, such as https://api.openai.com/v1. It is set "
        "here, once; no request can name another.",
    )
    upstream_key: SecretStr | None = Field(
        None, description="Sent upstream for whoever comes with a key of ours instead of one of it."
    )
    without_key: bool = Field(
        False,
        description="On this machine only: who sends no key of ours is the user of the settings. "
        "Whoever can open a connection on this machine then reads that memory.",
    )
    max_body_bytes: int = Field(64 * MIB, ge=KIB, description="Largest request.")
    context_tokens: int = Field(
        800, ge=100, le=100_000, description="Most tokens put before a question."
    )
    context_s: float = Field(
        1.0, gt=0, description="Longest wait for the memory; then a request goes on without it."
    )
    threads: int = Field(4, ge=1, description="Threads that ask the memory.")
    crowd: int = Field(
        64, ge=1, description="Requests that may wait for the memory; more go on without it."
    )
    own_words_chars: int = Field(
        2000,
        ge=100,
        description="A longer message is mostly pasted: it is kept as quoted, untrusted text.",
    )
    question_chars: int = Field(16_000, ge=100, description="Most characters kept of a message.")
    answers: bool = Field(True, description="Keep the answers, too.")
    answer_chars: int = Field(2000, ge=100, description="Most characters kept of an answer.")
    answer_bytes: int = Field(
        4 * MIB, ge=KIB, description="An answer that is larger is passed on and not kept."
    )
    retry_minutes: int = Field(
        60, ge=1, le=10_000, description="The same request again within this time is one turn."
    )
    backlog: int = Field(1000, ge=1, description="Turns that wait to be kept; no more are taken.")
    attempts: int = Field(5, ge=1, description="Tries to keep a turn while the memory is down.")
    backoff_s: float = Field(
        0.5, gt=0, description="Wait before the second try; then twice as long each time."
    )
    connect_s: float = Field(10.0, gt=0, description="Longest wait for a connection upstream.")
    silence_s: float = Field(
        600.0, gt=0, description="Longest silence of upstream, before and within an answer."
    )
