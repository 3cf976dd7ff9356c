"""What is found, in which order, and how sure that is."""

from pathlib import Path
from typing import Literal

from pydantic import Field

from sharpwave.settings.group import Group

MAX_RECALLED = 1000
"""The most records one recall may be asked for."""


class RecallSettings(Group):
    """The read path."""

    k: int = Field(16, ge=1, le=MAX_RECALLED, description="Records a recall returns [RD-03].")
    dated_lift: float = Field(
        0.0,
        ge=0,
        description="What it counts on top that something was said in the time asked for; above 0, "
        "'last week' is not searched for as words either. 3 suits diaries; where people tell later "
        "what happened then, it costs more than it brings.",
    )
    assert_at: float = Field(
        0.8, ge=0, le=1, description="As sure as this, it can be said outright [CNF-01]."
    )
    hedge_at: float = Field(0.6, ge=0, le=1, description="As sure as this, with a hedge [CNF-01].")


class RerankerSettings(Group):
    """What takes a second look at the best candidates."""

    provider: Literal["tokens", "cross-encoder", "none"] = Field(
        "tokens",
        description="tokens: piece by piece, with the sharpwave embedder's table, a millisecond. "
        "cross-encoder: a transformer of your own, some ten milliseconds a text. none: no look.",
    )
    folder: Path | None = Field(
        None, description="Where the cross-encoder's model.onnx and tokenizer.json are."
    )
