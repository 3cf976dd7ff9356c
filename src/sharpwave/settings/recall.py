"""What is found, in which order, and how sure that is."""

from pathlib import Path
from typing import Literal

from pydantic import Field

from sharpwave.settings.group import Group
from sharpwave.types.records import Source

MAX_RECALLED = 1000
"""The most records one recall may be asked for."""


class EntitySettings(Group):
    """What the graph adds to the candidates of a recall [KG-02]."""

    named: int = Field(3, ge=0, description="Names of a question that are looked up; 0 for none.")
    tried: int = Field(12, ge=1, description="Words of it that may be names.")
    of_a_role: int = Field(3, ge=1, description="People of one role, such as sisters, looked up.")
    records: int = Field(16, ge=0, description="Newest records of each that become candidates.")
    neighbours: int = Field(6, ge=0, description="Entities related to it that are looked at.")
    beside: int = Field(4, ge=0, description="Newest facts of each of them that become candidates.")


class SourceReliability(Group):
    """How reliable what comes from each source is [SCO-09]."""

    user_message: float = Field(0.95, ge=0, le=1, description="The user's own words.")
    tool: float = Field(0.94, ge=0, le=1, description="A tool: the middle of 0.9 to 0.98.")
    system: float = Field(0.8, ge=0, le=1, description="The program around.")
    inferred: float = Field(0.7, ge=0, le=1, description="Worked out from other memories.")
    web: float = Field(0.6, ge=0, le=1, description="A web page.")
    imported: float = Field(0.6, ge=0, le=1, description="Another program's export.")

    def of(self, source: Source) -> float:
        """How reliable what comes from this source is."""
        return float(getattr(self, "imported" if source is Source.IMPORT else source.value))


class RecallSettings(Group):
    """The read path."""

    k: int = Field(16, ge=1, le=MAX_RECALLED, description="Records a recall returns [RD-03].")
    candidates: int = Field(
        50, ge=1, le=10_000, description="Candidates each retriever contributes [RD-02]."
    )
    spare: int = Field(
        8, ge=0, description="Records read beyond k, to have something to choose from."
    )
    near_misses: int = Field(5, ge=0, description="Candidates told of that were left out [RD-22].")
    looked_at: int = Field(
        20, ge=2, description="Candidates that a cross-encoder, if one is set up, looks at again."
    )
    floor_candidates: int = Field(
        20,
        ge=1,
        description="With fewer candidates than this they are given even if off-topic.",
    )
    rrf_k: float = Field(
        60.0,
        gt=0,
        description="Rank constant of reciprocal rank fusion: larger is flatter [RD-09].",
    )
    shortlist: int = Field(
        64, ge=1, le=1000, description="Best candidates of all retrievers that are scored."
    )
    dated_lift: float = Field(
        0.0,
        ge=0,
        description="What it counts on top that something was said in the time asked for; above 0, "
        "'last week' is not searched for as words either. 3 suits diaries; where people tell later "
        "what happened then, it costs more than it brings.",
    )
    balance: float = Field(
        0.9, ge=0, le=1, description="MMR: 1 is relevance alone, less seeks variety [RD-07]."
    )
    same_cosine: float = Field(
        0.97, gt=0, le=1, description="Texts as near as this say the same; the better one is kept."
    )
    assert_at: float = Field(
        0.8, ge=0, le=1, description="As sure as this, it can be said outright [CNF-01]."
    )
    hedge_at: float = Field(0.6, ge=0, le=1, description="As sure as this, with a hedge [CNF-01].")
    floor_known: float = Field(
        0.2, ge=0, le=1, description="Share of a question's words that must be known, or else …"
    )
    floor_cosine: float = Field(
        0.3, ge=0, le=1, description="… the cosine of the best that must be reached, or else …"
    )
    floor_tokens: float = Field(
        0.25, ge=0, le=1, description="… its match by tokens; below all three nothing is given."
    )
    recency_days: float = Field(
        7.0, gt=0, description="Turns are worth 1/e as fresh after so long [SCO-06]."
    )
    lasting_days: float = Field(
        30.0, gt=0, description="The same for facts, tasks and notes [SCO-06]."
    )
    frequency_scale: float = Field(
        3.0, gt=0, description="Sightings after which most of the frequency is gained [SCO-07]."
    )
    reliability: SourceReliability = SourceReliability()
    entities: EntitySettings = EntitySettings()


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
    device: Literal["cpu", "cuda", "auto"] = Field(
        "cpu", description="Where the cross-encoder runs [MDL-07]."
    )
    max_tokens: int = Field(
        256, ge=8, le=8192, description="Tokens of question and text that a cross-encoder reads."
    )
    neighbour_share: float = Field(
        0.1,
        ge=0,
        le=1,
        description="How much of its better neighbour's score a turn gets on top of its own.",
    )
