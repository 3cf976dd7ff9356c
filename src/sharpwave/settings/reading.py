"""The numbers behind reading: what feedback means, and what situation a message is in."""

from pathlib import Path

from pydantic import Field

from sharpwave.settings.group import Group


class ReadingSettings(Group):
    """How feedback is read [CFG-02, CFG-10]. Chosen on phrases left out and the development set."""

    phrases_file: Path | None = Field(
        None, description="Categories and phrases of your own instead of the bundled ones [CFG-10]."
    )
    threshold: float = Field(
        0.3, ge=0, le=1, description="A category less sure than this is not named [CFG-02]."
    )
    margin: float = Field(
        0.0, ge=0, le=1, description="How much surer than no category the first one must be."
    )
    second_share: float = Field(
        0.6, ge=0, le=1, description="A further category is named from this share of the first on."
    )
    least_signal: float = Field(
        0.25, ge=0, le=1, description="A style moved less than this is left alone."
    )
    spelling_share: float = Field(
        0.7, ge=0, le=1, description="How freely weights of the spelling are learned."
    )
    meaning_share: float = Field(
        0.3, ge=0, le=1, description="How freely weights of the vector are learned."
    )
    pair_share: float = Field(
        1.0, ge=0, description="How freely those of pairs of directions of the vector are."
    )
    pair_directions: int = Field(
        96, ge=1, description="Main directions of the vector whose pairs are read."
    )
    quick_directions: int = Field(
        40, ge=1, description="As many where it is learned at the first use, for another embedder."
    )
    ridge: float = Field(1.0, gt=0, description="How strongly learned weights are held back.")
    sharpness: float = Field(10.0, gt=0, description="From scores to probabilities.")
    least_seen: int = Field(2, ge=1, description="Phrases that a run of letters must occur in.")
    max_chars: int = Field(
        2000, ge=50, description="Longer remarks are read up to here; feedback has at most 300."
    )
    language_margin: float = Field(
        0.2, ge=0, le=1, description="How much likelier than the next a language must be."
    )
    implicit_reward: float = Field(
        0.3, ge=0, le=1, description="What thanks or a correction counts, as against a rating of 1."
    )
    thanks_chars: int = Field(
        120, ge=1, description="In a longer message thanks are a courtesy, and count for nothing."
    )
    repeat_chars: int = Field(20, ge=1, description="Shorter messages repeat nothing.")
    repeat_longest: int = Field(
        300, ge=1, description="Longer messages are pasted texts, and repeat nothing."
    )
    repeat_words: float = Field(
        0.7, ge=0, le=1, description="Share of the words of both that a repetition has in common."
    )
    repeat_cosine: float = Field(
        0.92, ge=-1, le=1, description="How near in meaning a repetition is."
    )
