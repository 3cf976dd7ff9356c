"""The weights file: named presets for ranking, the active one, and an A/B test [SCO-13]."""

from typing import Self

from pydantic import Field, model_validator

from sharpwave.settings.core import Group


class RelevanceWeights(Group):
    """Weights of the terms of relevance [SCO-01, SCO-02]."""

    query: float = Field(0.45, ge=0, description="w_q: cosine with the question.")
    goal: float = Field(0.15, ge=0, description="w_g: cosine with the goal.")
    emotion: float = Field(0.10, ge=0, description="w_e: match of moods, by cue words [SCO-11].")
    recency: float = Field(0.10, ge=0, description="w_r: how recent it is.")
    frequency: float = Field(0.10, ge=0, description="w_f: how often it was seen.")
    importance: float = Field(0.10, ge=0, description="w_i: its own importance.")


class ConfidenceWeights(Group):
    """Weights of the terms of confidence [SCO-03, SCO-04]."""

    base: float = Field(0.40, ge=0, description="c_b: confidence of its source or extractor.")
    similarity: float = Field(0.20, ge=0, description="c_s: cosine with the question.")
    votes: float = Field(0.25, ge=0, description="c_v: independent observations that agree.")
    source: float = Field(0.15, ge=0, description="c_p: how reliable its source is.")


class Calibration(Group):
    """Converts features of a result to the probability that it contains an answer [CNF-04].

    log odds = bias + sum of weight times feature; the features are those of `recall/decide.py`.
    """

    bias: float = 0.0
    weights: dict[str, float] = Field(default_factory=dict)


class Weights(Group):
    """A ranking preset: the formulas or, if `features` has weights, a linear model."""

    relevance: RelevanceWeights = RelevanceWeights()
    confidence: ConfidenceWeights = ConfidenceWeights()
    features: dict[str, float] = Field(default_factory=dict)
    """Weight of each feature, standardised over the candidates; empty: relevance * confidence."""
    among_speakers: dict[str, float] = Field(default_factory=dict)
    """The same for a question that names one of the speakers; empty: `features`."""
    calibration: Calibration = Calibration()
    calibration_among_speakers: Calibration | None = None
    """The same for such a question; None: `calibration`."""


class AbTest(Group):
    """Assigns a share of the users to another preset."""

    enabled: bool = False
    name: str = Field("ab", description="Name of the test; a new name assigns the users anew.")
    preset: str = Field("", description="Preset of the assigned users.")
    share: float = Field(0.5, ge=0, le=1, description="Share of users on that preset, 0 to 1.")


class WeightsFile(Group):
    """The content of a weights file: named presets, the active one, and an A/B test [SCO-13]."""

    active: str
    presets: dict[str, Weights]
    ab: AbTest = AbTest()
    users: dict[str, str] = Field(default_factory=dict)
    """Presets of individual users; they override the test."""

    @model_validator(mode="after")
    def _presets_exist(self) -> Self:
        used = [self.active, *self.users.values()]
        used += [self.ab.preset] if self.ab.enabled else []
        for name in used:
            if name not in self.presets:
                raise ValueError(f"no preset {name!r}; there are: {', '.join(self.presets)}")
        return self

    def preset_for(self, user_id: str, place: float) -> str:
        """The preset of a user: the user's own, or by `place` in [0, 1) for this test."""
        dealt = self.ab.preset if self.ab.enabled and place < self.ab.share else self.active
        return self.users.get(user_id, dealt)
