from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sharpwave.formulas import sequences
from sharpwave.formulas.sequences import next_share

SHORT = [list(each) for size in range(5) for each in product("abc", repeat=size)]


steps = st.lists(st.sampled_from("abcd"), max_size=8)


@pytest.mark.spec("PAT-10")
def test_what_is_common_is_the_same_by_all_ways() -> None:
    """Every two sequences of up to four steps of three kinds, beside trying all parts of one."""
    for one, other in product(SHORT, SHORT[::7]):
        common = sequences.common_subsequence(one, other)
        parts = (
            [s for n, s in enumerate(other) if kept >> n & 1] for kept in range(1 << len(other))
        )
        longest = max(len(part) for part in parts if sequences.holds(one, part))
        assert len(common) == longest == sequences.common_length(one, other)
        assert sequences.holds(one, common) and sequences.holds(other, common)


@pytest.mark.spec("PAT-07", "PAT-10")
def test_similarity_by_hand() -> None:
    assert sequences.sequence_similarity(["a"], []) == sequences.sequence_similarity([], []) == 0.0
    assert (
        sequences.levenshtein("kitten", "sitting")
        == 3
        == sequences.levenshtein("sitting", "kitten")
    )
    assert sequences.levenshtein("ab", "ba") == 2 and sequences.levenshtein("", "abc") == 3
    assert sequences.sequence_similarity(["a", "b", "c"], ["c", "d"]) == 0.0
    assert sequences.common_subsequence("ab", "ba") == ["a"], "of equals always the same one"
    assert not sequences.holds(["a", "b"], ["b", "a"]) and sequences.holds(["a"], [])


def test_a_step_never_seen_has_what_the_shorter_context_gives() -> None:
    assert next_share({"edit": 3.0, "test": 1.0}, "wait", shorter=0.25) == 0.5 / 6
    assert next_share({"edit": 3.0}, "edit", shorter=0.0) == 0.75


@pytest.mark.spec("PAT-10", "PAT-07")
@given(steps, steps, steps)
def test_levenshtein_is_a_distance(one: list[str], other: list[str], third: list[str]) -> None:
    distance = sequences.levenshtein(one, other)
    assert distance == sequences.levenshtein(other, one)
    around = sequences.levenshtein(one, third) + sequences.levenshtein(third, other)
    assert distance <= around
    longer = [*one, "new", *other]
    assert sequences.levenshtein([*one, *other], longer) == 1, "what is inserted costs one"
    assert abs(len(one) - len(other)) <= distance <= max(len(one), len(other))
    assert (distance == 0) == (one == other)
    similarity = sequences.sequence_similarity(one, other)
    assert 0.0 <= similarity <= 1.0
    assert (similarity == 1.0) == (one == other and bool(one))


@given(steps, steps)
def test_what_is_common_is_in_both_and_longest(one: list[str], other: list[str]) -> None:
    common = sequences.common_subsequence(one, other)
    assert sequences.holds(one, common) and sequences.holds(other, common)
    assert len(common) == sequences.common_length(one, other)
    assert len(common) == sequences.common_length(other, one)
    assert sequences.holds(one, other) == (len(common) == len(other))


@given(st.dictionaries(st.sampled_from("abc"), st.integers(1, 9), max_size=3))
def test_shares_of_next_steps_add_up(counts: dict[str, int]) -> None:
    shorter = {step: 1 / 3 for step in "abc"}
    total = sum(next_share(counts, step, shorter[step]) for step in "abc")
    assert total == pytest.approx(1.0)
