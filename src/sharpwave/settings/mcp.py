"""The numbers behind the MCP door."""

from pydantic import Field

from sharpwave.settings.group import Group


class McpSettings(Group):
    """What agents get through the Model Context Protocol [MCP-01]."""

    answer_tokens: int = Field(
        1500, ge=100, le=100_000, description="Most tokens of what one tool answers."
    )
    item_chars: int = Field(
        800, ge=40, le=100_000, description="Most characters of one remembered text that is shown."
    )
    recall_items: int = Field(8, ge=1, le=100, description="Memories that `recall` looks for.")
    review_items: int = Field(20, ge=1, le=1000, description="Items of each list to review.")
    recent_turns: int = Field(20, ge=1, le=1000, description="Turns of the recent context.")
    retry_minutes: int = Field(
        60, ge=1, le=10_000, description="The same words again within this time are one call."
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
        (), description="Names besides the loopback ones under which the HTTP door is reached."
    )
