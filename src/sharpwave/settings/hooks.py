"""The numbers behind the hooks of coding agents."""

from pydantic import Field

from sharpwave.settings.group import Group


class HookSettings(Group):
    """What hooks capture and put before a model [MCP-09]."""

    context_tokens: int = Field(
        500, ge=100, le=2000, description="Most tokens put before a prompt or a session."
    )
    context_items: int = Field(6, ge=1, le=50, description="Memories put before a prompt.")
    own_words_chars: int = Field(
        2000,
        ge=100,
        description="A longer prompt is mostly pasted: it is kept as quoted, untrusted text.",
    )
    answers: bool = Field(True, description="Keep the last answer of each turn, too.")
    answer_chars: int = Field(2000, ge=100, description="Most characters kept of an answer.")
