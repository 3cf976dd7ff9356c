"""Step 5: decide what to do with what was found: assert, hedge, clarify, verify or abstain [CNF].

The learned way turns the signs of the ranking into a calibrated probability that the first items
hold the answer; the seed way takes the confidence of the first item as it is. If neither words nor
meaning of the question were ever mentioned, nothing is returned: an off-topic question gets no
sixteen items.
"""

import math
from typing import NamedTuple

from sharpwave.formulas.confidence import logistic
from sharpwave.settings.core import RecallSettings
from sharpwave.settings.weights import Weights
from sharpwave.types.answers import Decision
from sharpwave.types.privacy import LABEL_OF
from sharpwave.types.searching import AMONG_SPEAKERS, Ranked

FLOOR_CANDIDATES = 20
"""With fewer candidates than this, they are returned even if off-topic."""
FLOOR_KNOWN = 0.2
"""Minimum share of a question's words that are known, or else …"""
FLOOR_COSINE, FLOOR_MEANING = 0.33, 0.42
"""… minimum cosine of the best candidate, or its similarity by meaning, or else …"""
FLOOR_TOKENS = 0.25
"""… its match by tokens; below all of these nothing is returned."""


class Judgement(NamedTuple):
    """The decision, how sure, and why."""

    decision: Decision
    confidence: float
    rationale: str
    nothing: bool
    """True if nothing found is worth returning."""


def decide(
    ranked: Ranked, weights: Weights, settings: RecallSettings, only_when: bool = False
) -> Judgement:
    """Whether what was found can be said, and how; `only_when` if only a time is asked for."""
    if not ranked.best:
        return Judgement(Decision.ABSTAIN, 0.0, "nothing remembered has to do with this", True)
    if not weights.features:
        return _judgement(ranked.signs["confidence"], ranked.signs, settings)
    if _is_off_topic(ranked.signs):
        enough = len(ranked.best) >= FLOOR_CANDIDATES
        return Judgement(Decision.ABSTAIN, 0.0, "nothing remembered is about this", enough)
    sure = probability(ranked.signs, weights)
    if only_when and ranked.signs.get(
        "in_time", 0.0
    ):  # what was said then is the answer, whatever it is
        sure = max(sure, settings.hedge_at)
    return _judgement(sure, ranked.signs, settings)


def unconfirmed(verdict: Judgement, reliability: float, settings: RecallSettings) -> Judgement:
    """The verdict on something that the user never confirmed: found, but perhaps not so.

    sure = how likely it is found · how reliable who says it is
    """
    sure = verdict.confidence * reliability
    if reliability >= 1 or verdict.confidence < settings.hedge_at:
        return verdict
    decision = Decision.HEDGE if sure >= settings.hedge_at else Decision.VERIFY
    if sure >= settings.assert_at:
        decision = Decision.ASSERT
    why = f"{sure:.0%} sure that this is so: the user never confirmed it"
    return Judgement(decision, sure, why, verdict.nothing)


def taken_back(verdict: Judgement) -> Judgement:
    """The verdict if what the first item says turned out to be wrong."""
    why = "this was said, and has been taken back since"
    return verdict._replace(decision=Decision.VERIFY, rationale=why)


def redacted(verdict: Judgement, first: str) -> Judgement:
    """The verdict if the first item has a blank where something sensitive was said."""
    is_said = verdict.decision in (Decision.ASSERT, Decision.HEDGE)
    if not is_said or not any(label in first for label in LABEL_OF.values()):
        return verdict
    why = "something sensitive was said here, and is not stored"
    return verdict._replace(decision=Decision.VERIFY, rationale=why)


def _is_off_topic(signs: dict[str, float]) -> bool:
    """Whether neither its words nor its meaning were ever mentioned."""
    return (
        not signs.get("in_time", 0.0)
        and signs["known"] < FLOOR_KNOWN
        and signs["best_cosine"] < FLOOR_COSINE
        and signs.get("best_meaning", 0.0) < FLOOR_MEANING
        and signs["best_tokens_window"] < FLOOR_TOKENS
    )


def probability(signs: dict[str, float], weights: Weights) -> float:
    """How likely the first items hold the answer."""
    calibration = weights.calibration
    if signs.get(AMONG_SPEAKERS) and weights.calibration_among_speakers:
        calibration = weights.calibration_among_speakers
    total = calibration.bias
    total += sum(weight * signs.get(name, 0.0) for name, weight in calibration.weights.items())
    return logistic(total) if math.isfinite(total) else 0.0


def _judgement(sure: float, signs: dict[str, float], settings: RecallSettings) -> Judgement:
    summary = f"{sure:.0%} sure that the first items hold the answer"
    if sure >= settings.assert_at:
        return Judgement(Decision.ASSERT, sure, summary, False)
    if sure >= settings.hedge_at:
        return Judgement(Decision.HEDGE, sure, summary, False)
    if signs.get("speaker_gap", 0.0) < 0 and signs.get("other_first", 0.0) > 0:
        reason = "what fits best was said by somebody whom the question does not name"
        return Judgement(Decision.CLARIFY, sure, f"only {summary}: {reason}", False)
    if signs.get("relevance", signs.get("best_cover_window1", 0.0)) > settings.hedge_at:
        return Judgement(Decision.VERIFY, sure, f"only {summary}, though it is on the topic", False)
    reason = "little of what is asked was ever mentioned"
    return Judgement(Decision.ABSTAIN, sure, f"only {summary}: {reason}", False)
