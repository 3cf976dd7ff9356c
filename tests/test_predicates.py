"""The table of predicates: complete, consistent, and comparing values as people would."""

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sharpwave.knowledge.predicates import (
    NOTED,
    Objects,
    known,
    normal_name,
    normal_object,
    predicate,
    question,
    same_object,
    sentence,
)
from sharpwave.types.records import Statement
from sharpwave.types.statements import Mode

FORMS = {"says": {"subject", "object"}, "denies": {"subject", "object"}, "asks": {"new", "old"}}


def _fields(form: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(form) if name}


@pytest.mark.parametrize("name", known())
def test_every_row_says_denies_ends_and_asks(name: str) -> None:
    row = known()[name]
    left_out = {"subject"} if name == NOTED else set()  # own words name whom they are about
    for form, fields in FORMS.items():
        assert _fields(getattr(row, form)) - {"rest"} == fields - left_out
    assert _fields(row.ended) - {"rest"} == {"subject", "object"} - left_out
    assert 0 <= row.importance <= 1


def test_exclusion_goes_both_ways_and_names_exist() -> None:
    for row in known().values():
        for other in row.excludes:
            assert row.name in known()[other].excludes, (row.name, other)


@pytest.mark.spec("PRO-02", "SCO-08")
def test_types_and_importance() -> None:
    assert (predicate("lives_in").type, predicate("likes").type) == ("location", "preference")
    assert (predicate("name").type, predicate("allergic_to").type) == ("identity", "constraint")
    assert predicate("allergic_to").importance == 0.9
    assert predicate("name").importance == 0.7
    assert predicate("likes").importance == 0.4
    assert predicate("feels").importance == 0.2


def test_a_predicate_nobody_knows_closes_nothing() -> None:
    row = predicate("once_danced_with")
    assert (row.many, row.object, row.type) == (True, Objects.TEXT, "other")
    assert sentence(Statement("Ana", "once_danced_with", "Rui")) == "Ana once danced with Rui"


def test_favorites_have_one_value_each() -> None:
    row = predicate("favorite_ice_cream")
    assert not row.many
    assert sentence(Statement("user", row.name, "lemon")) == (
        "The user's favorite ice cream is lemon"
    )
    assert question("user", row.name, "lemon", "mint") == (
        "Is your favorite ice cream mint, or lemon?"
    )


def test_sentences() -> None:
    assert sentence(Statement("user", "lives_in", "Porto")) == "The user lives in Porto"
    assert sentence(Statement("user's sister", "diet", "vegan"), Mode.ENDED) == (
        "The user's sister is no longer vegan"
    )
    parents = Statement("user's parents", "lives_in", "Faro")
    assert sentence(parents) == "The user's parents live in Faro"
    assert sentence(parents, Mode.ENDED) == "The user's parents no longer live in Faro"
    assert sentence(Statement("user", "mother", "Ana")) == "The user's mother is Ana"
    assert sentence(Statement("Ana", "born_in", "Faro"), Mode.DENIED) == "Ana was not born in Faro"


@pytest.mark.parametrize(
    ("name", "one", "other"),
    [
        ("lives_in", "NYC", "New York"),
        ("lives_in", "Porto", "Porto, Portugal"),
        ("lives_in", "the Netherlands", "Holland"),
        ("works_as", "a nurse", "nurse"),
        ("age", "thirty", "30"),
        ("owns", "a new red car", "my red car"),
        ("leads", "a team of 5 engineers", "a team of five engineers"),
        ("diet", "Vegetarian", "a vegetarian"),
        ("likes", "Jazz!", "jazz"),
    ],
)
def test_same_value(name: str, one: str, other: str) -> None:
    assert same_object(name, one, other)


@pytest.mark.parametrize(
    ("name", "one", "other"),
    [
        ("lives_in", "Porto", "Lisbon"),
        ("lives_in", "York", "New York"),
        ("works_as", "a nurse", "a doctor"),
        ("leads", "a team of 4 engineers", "a team of five engineers"),
        ("detail_editor", "C", "C++"),
        ("email", "a.b@x.org", "ab@x.org"),
    ],
)
def test_new_value(name: str, one: str, other: str) -> None:
    assert not same_object(name, one, other)


@given(st.text(max_size=40), st.text(max_size=40))
def test_never_fails_and_settles(name: str, text: str) -> None:
    assert normal_name(normal_name(text)) == normal_name(text)
    assert isinstance(normal_object(name, text), str)
    assert text in sentence(Statement("Ana", name, text)) or not text
    assert isinstance(question("user", name, text, text), str)
