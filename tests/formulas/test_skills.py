import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sharpwave.formulas.bandit import (
    exploration_rate,
)
from sharpwave.formulas.skills import (
    eviction_order,
    learning_rate,
    relative,
    skill_confidence,
    skill_score,
    style_alignment,
    style_push,
    style_update,
    trigger_match,
    trusted,
)

VECTORS = (
    Path(__file__).resolve().parents[3] / "shared" / "data" / "cases" / "seed_formula_vectors.json"
)


WEIGHTS = (0.4, 0.15, 0.15, 0.3)


@pytest.fixture(scope="module")
def vectors() -> Any:
    if not VECTORS.exists():
        pytest.skip("the golden values are not on this machine")
    return json.loads(VECTORS.read_text())["vectors"]


def confidence(current: float, reward: float, uses: int) -> float:
    rate = learning_rate(uses, 0.3, 0.1, 10)
    return skill_confidence(current, reward, rate, reach=0.3, low=0.2, high=0.9)


shares = st.floats(0, 1)


rewards = st.sampled_from([-1, 0, 1])


styles = st.lists(shares, min_size=16, max_size=16).map(np.array)


@pytest.mark.spec("SKL-12", "EXP-02", "PV-04", "PV-05", "SKL-14")
def test_golden_values(vectors: Any) -> None:
    for case in vectors["S0_confidence_ema"]:
        assert confidence(case["current"], case["reward"], case["usage"]) == pytest.approx(
            case["out"]
        )
    for case in vectors["S0_epsilon"]:
        rate = exploration_rate(case["feedback_count"], 0.1, 0.05, 0.95)
        assert rate == pytest.approx(case["out"])
    for case in vectors["S0_alignment"]:
        found = style_alignment(np.array(case["pref"]), np.array([case["skill"]]))
        assert found[0] == pytest.approx(case["out"])
    for case in vectors["S0_pref_update"]:
        moved = style_update(
            np.array(case["pref"]), np.array(case["skill"]), case["reward"], case["lr"]
        )
        assert moved == pytest.approx(case["out"])
    for case in vectors["S0_trigger"]:
        fits = tuple(name in case["match"] for name in ("intent", "time_of_day", "sentiment"))
        assert trigger_match(fits, case["topic_cos"], WEIGHTS) == pytest.approx(case["out"])  # type: ignore[arg-type]


@pytest.mark.spec("SKL-20")
def test_the_least_trusted_goes_first(vectors: Any) -> None:
    case = vectors["S0_evict_order"]

    def order(skill: Any) -> tuple[float, int]:
        return eviction_order(skill["conf"], skill["type"] == "base", 1.5), skill["last"]

    assert [skill["id"] for skill in sorted(case["skills"], key=order)] == case["order"]


@pytest.mark.spec("SKL-12", "SKL-13")
@given(shares, rewards, st.integers(0, 1000))
def test_confidence_stays_in_its_bounds_and_moves_the_right_way(
    current: float, reward: int, uses: int
) -> None:
    start = min(0.9, max(0.2, current))
    moved = confidence(start, reward, uses)
    assert 0.2 <= moved <= 0.9
    target = 0.5 + 0.3 * reward
    assert abs(moved - target) <= abs(start - target) + 1e-12 or reward == 0
    assert moved == start or reward != 0


@pytest.mark.spec("SKL-13")
def test_a_new_skill_is_nearly_there_after_six_ratings() -> None:
    current = 0.5
    for uses in range(6):
        current = confidence(current, 1, uses)
    assert current > 0.5 + 0.85 * 0.3


@pytest.mark.spec("SKL-14")
@given(
    st.tuples(st.booleans(), st.booleans(), st.booleans()),
    st.one_of(st.none(), st.floats(-1, 1)),
)
def test_a_trigger_match_is_a_share(fits: tuple[bool, bool, bool], cosine: float | None) -> None:
    score = trigger_match(fits, cosine, WEIGHTS)
    assert 0.0 <= score <= 1.0 + 1e-12
    assert trigger_match((True, True, True), None, WEIGHTS) == pytest.approx(1.0)
    for place in range(3):
        better = tuple(fit or n == place for n, fit in enumerate(fits))
        assert trigger_match(better, cosine, WEIGHTS) >= score - 1e-12  # type: ignore[arg-type]


@pytest.mark.spec("PV-05")
@given(styles, st.lists(styles, min_size=1, max_size=6))
def test_alignment(person: Any, skills: list[Any]) -> None:
    found = style_alignment(person, np.array(skills))
    assert ((found >= -1e-12) & (found <= 1 + 1e-12)).all()
    assert style_alignment(person, np.array([person]))[0] == pytest.approx(1.0)
    compared = relative(found)
    assert ((compared >= 0) & (compared <= 1)).all()
    order = np.argsort(found, kind="stable")
    assert (np.diff(compared[order]) >= -1e-12).all()


@pytest.mark.spec("PV-04")
@given(styles, styles, st.floats(-1, 1), st.floats(0.01, 1))
def test_style_moves_towards_what_was_liked(
    person: Any, skill: Any, reward: float, rate: float
) -> None:
    moved = style_update(person, skill, reward, rate)
    assert ((moved >= 0) & (moved <= 1)).all()
    nearer = np.abs(moved - skill) <= np.abs(person - skill) + 1e-12
    assert nearer.all() if reward > 0 else True
    if reward == 0:
        assert (moved == person).all()


@given(styles, styles, st.floats(0, 50), st.floats(0.1, 10))
def test_a_context_without_evidence_has_the_general_style(
    own: Any, general: Any, evidence: float, shared: float
) -> None:
    mixed = trusted(own, general, np.full(16, evidence), shared)
    low, high = np.minimum(own, general), np.maximum(own, general)
    assert ((mixed >= low - 1e-9) & (mixed <= high + 1e-9)).all()
    if evidence == 0:
        assert mixed == pytest.approx(general)


@pytest.mark.spec("PV-14")
@given(styles, st.lists(st.floats(-1, 1), min_size=16, max_size=16).map(np.array))
def test_a_comment_pushes_the_way_it_says(person: Any, direction: Any) -> None:
    moved = style_push(person, direction, 0.15)
    assert ((moved >= 0) & (moved <= 1)).all()
    assert ((moved - person) * direction >= -1e-12).all()


@pytest.mark.spec("SKL-16")
@given(shares, shares, shares)
def test_the_score_is_a_weighted_mean(trigger: float, sampled: float, alignment: float) -> None:
    score = skill_score(trigger, sampled, alignment, (0.4, 0.3, 0.3))
    assert score == pytest.approx(0.4 * trigger + 0.3 * sampled + 0.3 * alignment)
    assert 0.0 <= score <= 1.0 + 1e-12


@pytest.mark.spec("SKL-12")
@pytest.mark.parametrize(
    ("current", "reward", "expected"),
    [
        (0.5, 0.5, 0.85 * 0.5 + 0.15 * 0.8),
        (0.5, -0.5, 0.85 * 0.5 + 0.15 * 0.2),
        (0.5, 2.0, 0.59),
        (0.5, -2.0, 0.41),
        (0.95, 0, 0.95),
        (0.95, 0.1, 0.9),
        (0.1, -0.1, 0.2),
    ],
)
def test_confidence_by_hand(current: float, reward: float, expected: float) -> None:
    """A weak sign takes a smaller step; beyond 1 none is stronger; nothing leaves its bounds."""
    assert confidence(current, reward, uses=0) == pytest.approx(expected)


@pytest.mark.spec("SKL-14")
def test_what_cannot_count_is_left_out() -> None:
    assert trigger_match((True, True, True), 1.5, WEIGHTS) == pytest.approx(1.0)
    assert trigger_match((True, True, True), -1.0, WEIGHTS) == pytest.approx(0.7)
    assert trigger_match((True, True, True), None, (0.0, 0.0, 0.0, 1.0)) == 0.0
    with pytest.raises(ValueError):
        trigger_match((True, True), None, WEIGHTS)  # type: ignore[arg-type]
    weights = (0.5, 0.25, 0.125, 0.125)
    alone = [trigger_match(tuple(n == k for n in range(3)), 0.0, weights) for k in range(3)]  # type: ignore[arg-type]
    assert alone == [0.5, 0.25, 0.125]


@pytest.mark.spec("SKL-16")
def test_each_part_of_the_score_has_its_own_weight() -> None:
    assert skill_score(1.0, 10.0, 100.0, (0.25, 0.5, 2.0)) == 205.25


@pytest.mark.spec("SKL-20")
def test_only_the_confidence_of_a_base_skill_is_raised() -> None:
    assert eviction_order(0.4, True, 1.5) == pytest.approx(0.6)
    assert eviction_order(0.4, False, 9) == 0.4


def test_styles_that_hardly_differ_say_nothing() -> None:
    assert relative(np.array([0.7, 0.7])).tolist() == [0.5, 0.5]
    assert relative(np.array([0.0, 0.9e-9])).tolist() == [0.5, 0.5]
    assert relative(np.array([0.0, 1e-9])).tolist() == [0.0, 1.0]
    assert relative(np.array([])).tolist() == []
