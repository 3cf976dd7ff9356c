"""When something is asserted, hedged, asked about or left unsaid: at each edge, by the settings."""

from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sharpwave import Decision
from sharpwave.formulas.confidence import logistic
from sharpwave.recall.decide import (
    FLOOR_COSINE,
    FLOOR_KNOWN,
    FLOOR_MEANING,
    FLOOR_TOKENS,
    Judgement,
    decide,
    probability,
    redacted,
    taken_back,
    unconfirmed,
)
from sharpwave.settings.core import RecallSettings
from sharpwave.settings.weights import Calibration, Weights
from sharpwave.types.searching import AMONG_SPEAKERS, Ranked

SETTINGS = RecallSettings()
SEED = Weights()
ON_TOPIC = {"known": 1.0, "best_cosine": 1.0, "best_tokens_window": 1.0}


def ranked(signs: dict[str, float], candidates: int = 1) -> Ranked:
    return Ranked(cast(Any, ("a candidate",) * candidates), signs)


def learned(bias: float = 0.0, **weights: float) -> Weights:
    return Weights(features={"cosine": 1.0}, calibration=Calibration(bias=bias, weights=weights))


@pytest.mark.spec("CNF-01")
@pytest.mark.parametrize(
    ("sure", "decision"),
    [
        (1.0, Decision.ASSERT),
        (0.8, Decision.ASSERT),
        (0.799, Decision.HEDGE),
        (0.6, Decision.HEDGE),
        (0.599, Decision.ABSTAIN),
        (0.0, Decision.ABSTAIN),
    ],
)
def test_as_sure_as_that(sure: float, decision: Decision) -> None:
    verdict = decide(ranked({"confidence": sure}), SEED, SETTINGS)
    assert (verdict.decision, verdict.confidence, verdict.nothing) == (decision, sure, False)
    assert f"{sure:.0%}" in verdict.rationale


def test_the_edges_are_settings() -> None:
    strict = RecallSettings(assert_at=0.95, hedge_at=0.85)
    decisions = [
        decide(ranked({"confidence": sure, "relevance": fits}), SEED, strict).decision
        for sure, fits in ((0.95, 0.0), (0.85, 0.0), (0.84, 0.86), (0.84, 0.85))
    ]
    assert decisions == [Decision.ASSERT, Decision.HEDGE, Decision.VERIFY, Decision.ABSTAIN]


@pytest.mark.spec("CNF-01", "CNF-03")
@pytest.mark.parametrize(
    ("signs", "decision"),
    [
        ({"speaker_gap": -0.1, "other_first": 1.0, "relevance": 0.9}, Decision.CLARIFY),
        ({"speaker_gap": 0.0, "other_first": 1.0, "relevance": 0.9}, Decision.VERIFY),
        ({"speaker_gap": -0.1, "other_first": 0.0, "relevance": 0.9}, Decision.VERIFY),
        ({"speaker_gap": -0.1, "relevance": 0.9}, Decision.VERIFY),
        ({"other_first": 1.0, "relevance": 0.9}, Decision.VERIFY),
        ({"relevance": 0.601}, Decision.VERIFY),
        ({"relevance": 0.6}, Decision.ABSTAIN),
        ({"best_cover_window1": 0.601}, Decision.VERIFY),
        ({"best_cover_window1": 0.6}, Decision.ABSTAIN),
        ({"relevance": 0.1, "best_cover_window1": 0.9}, Decision.ABSTAIN),
        ({}, Decision.ABSTAIN),
    ],
)
def test_what_to_do_when_unsure(signs: dict[str, float], decision: Decision) -> None:
    verdict = decide(ranked({"confidence": 0.3, **signs}), SEED, SETTINGS)
    assert (verdict.decision, verdict.confidence, verdict.nothing) == (decision, 0.3, False)
    assert "only 30%" in verdict.rationale


@pytest.mark.parametrize(
    ("sure", "reliability", "decision", "rest"),
    [
        (0.9, 1.0, Decision.ASSERT, 0.9),  # confirmed: as it was
        (0.59, 0.5, Decision.ABSTAIN, 0.59),  # hardly found: no matter who said it
        (1.0, 0.8, Decision.ASSERT, 0.8),
        (1.0, 0.799, Decision.HEDGE, 0.799),
        (1.0, 0.6, Decision.HEDGE, 0.6),
        (0.6, 0.5, Decision.VERIFY, 0.3),
        (1.0, 0.0, Decision.VERIFY, 0.0),
    ],
)
@pytest.mark.parametrize("nothing", [True, False])
def test_what_nobody_confirmed_is_as_sure_as_who_says_it(
    sure: float, reliability: float, decision: Decision, rest: float, nothing: bool
) -> None:
    found = Judgement(
        decide(ranked({"confidence": sure}), SEED, SETTINGS).decision, sure, "", nothing
    )
    verdict = unconfirmed(found, reliability, SETTINGS)
    assert (verdict.decision, verdict.nothing) == (decision, nothing)
    assert verdict.confidence == pytest.approx(rest)
    if reliability == 1.0 or sure < SETTINGS.hedge_at:
        assert verdict == found
    else:
        assert f"{rest:.0%} sure" in verdict.rationale


def test_nothing_found_is_nothing_to_give() -> None:
    verdict = decide(ranked({}, candidates=0), SEED, SETTINGS)
    assert (verdict.decision, verdict.confidence, verdict.nothing) == (Decision.ABSTAIN, 0.0, True)


FLOORS = {
    "known": FLOOR_KNOWN,
    "best_cosine": FLOOR_COSINE,
    "best_meaning": FLOOR_MEANING,
    "best_tokens_window": FLOOR_TOKENS,
}


@pytest.mark.parametrize("reached", [*FLOORS, None])
def test_off_topic_is_what_reaches_none_of_four_floors(reached: str | None) -> None:
    signs = {name: floor - (0.001 if name != reached else 0) for name, floor in FLOORS.items()}
    verdict = decide(ranked(signs, candidates=20), learned(bias=5.0), SETTINGS)
    if reached is None:
        assert (verdict.decision, verdict.confidence) == (Decision.ABSTAIN, 0.0)
        assert verdict.nothing, "of twenty candidates none is worth giving"
        few = decide(ranked(signs, candidates=19), learned(bias=5.0), SETTINGS)
        assert few.decision is Decision.ABSTAIN and not few.nothing
        del signs["best_meaning"]
        unmeasured = decide(ranked(signs, candidates=20), learned(bias=5.0), SETTINGS)
        assert unmeasured == verdict, "without a sign of it the meaning is not near"
    else:
        assert verdict.decision is Decision.ASSERT
        assert verdict.confidence == logistic(5.0)


@pytest.mark.spec("CNF-04")
def test_how_likely_an_answer_is_comes_from_the_signs() -> None:
    weights = learned(bias=-1.0, gap=2.0, never_seen=9.0)
    verdict = decide(ranked({**ON_TOPIC, "gap": 1.5}), weights, SETTINGS)
    assert verdict.confidence == pytest.approx(logistic(2.0))
    assert decide(ranked(ON_TOPIC), weights, SETTINGS).confidence == pytest.approx(logistic(-1.0))


def test_who_speaks_has_a_calibration_of_its_own_where_speakers_are_named() -> None:
    plain = learned(bias=1.0)
    both = plain.model_copy(update={"calibration_among_speakers": Calibration(bias=2.0)})
    assert probability({}, both) == probability({AMONG_SPEAKERS: 0.0}, both) == logistic(1.0)
    assert probability({AMONG_SPEAKERS: 1.0}, both) == logistic(2.0)
    assert probability({AMONG_SPEAKERS: 1.0}, plain) == logistic(1.0)


@pytest.mark.parametrize(
    ("bias", "only_when", "signs", "sure"),
    [
        (-5.0, True, {"in_time": 1.0}, 0.6),
        (5.0, True, {"in_time": 1.0}, logistic(5.0)),
        (-5.0, True, {}, logistic(-5.0)),
        (-5.0, False, {"in_time": 1.0}, logistic(-5.0)),
    ],
)
def test_what_was_said_at_the_time_asked_for_is_hedged_at_least(
    bias: float, only_when: bool, signs: dict[str, float], sure: float
) -> None:
    found = ranked({**ON_TOPIC, **signs})
    assert decide(found, learned(bias), SETTINGS, only_when).confidence == sure
    if not only_when:
        assert decide(found, learned(bias), SETTINGS).confidence == sure


def test_what_was_taken_back_is_to_be_verified() -> None:
    verdict = Judgement(Decision.ASSERT, 0.9, "sure", False)
    why = "this was said, and has been taken back since"
    assert taken_back(verdict) == Judgement(Decision.VERIFY, 0.9, why, False)


@pytest.mark.parametrize("decision", Decision)
def test_what_has_a_blank_is_not_said_as_if_it_were_whole(decision: Decision) -> None:
    verdict = Judgement(decision, 0.9, "sure", False)
    assert redacted(verdict, "My badge is blue.") == verdict
    blank = redacted(verdict, "My card is [CC].")
    if decision in (Decision.ASSERT, Decision.HEDGE):
        why = "something sensitive was said here, and is not stored"
        assert blank == Judgement(Decision.VERIFY, 0.9, why, False)
    else:
        assert blank == verdict


@given(st.floats(), st.floats(-1e300, 1e300))
def test_a_probability_whatever_the_signs_are(sign: float, weight: float) -> None:
    found = probability({"sign": sign}, learned(sign=weight))
    assert 0.0 <= found <= 1.0
    assert probability({"sign": float("nan")}, learned(sign=1.0)) == 0.0
