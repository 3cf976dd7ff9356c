"""How signals change rules: repeated, opposed, new; their scope; and when they are pruned."""

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
from numpy.typing import NDArray

from sharpwave import Behavior, InvalidInput, Kind, Note
from sharpwave.behavior import listing, review, rules, user_records
from sharpwave.errors import Overtaken, ProviderUnavailable
from sharpwave.testing import FrozenClock, HashEmbedder, in_memory, workspace_of
from sharpwave.types.answers import Verdict
from sharpwave.types.records import Channel, Provenance, Source, Stage, State, Trust
from sharpwave.types.statements import TargetRelation
from sharpwave.types.steering import Learned, RuleOperation, Signal, SteeringType
from sharpwave.workspace import ATTEMPTS, Workspace

START = datetime(2026, 5, 1, tzinfo=UTC)
TABS, SPACES = "Use tabs instead of spaces", "Use spaces instead of tabs"


def one_a_word(text: str) -> int:
    """Tokens, if each word is one."""
    return len(re.findall(r"[A-Za-z]+", text))


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock(START)


@pytest.fixture
def workspace(clock: FrozenClock) -> Workspace:
    return workspace_of(in_memory("ana", clock=clock, embedder=HashEmbedder(64)))


def learn(
    workspace: Workspace, *texts: str, reach: str = "global", scope: str = "global"
) -> Learned:
    signals = [Signal(SteeringType.PREFERENCE, text, 0.8, reach) for text in texts]
    return rules.learn(workspace, signals, None, scope)[-1]


def without_embedder(workspace: Workspace) -> Workspace:
    return replace(workspace.shared, embedder=Silent(64)).for_user(workspace.user_id)


def held(workspace: Workspace) -> dict[str, int]:
    return {one.text: one.standing.seen_count for one in rules.stored(workspace)}


@pytest.mark.spec("BEH-08")
def test_the_same_again_is_counted_and_surer(workspace: Workspace, clock: FrozenClock) -> None:
    first = learn(workspace, TABS)
    assert (first.verdict, first.rule, first.replaced) == (Verdict.ACCEPTED, TABS, ())
    clock.advance(days=3)
    again = learn(workspace, TABS)
    assert (again.verdict, again.id) == (Verdict.REINFORCED, first.id)
    (record,) = rules.stored(workspace)
    assert (record.standing.seen_count, record.standing.last_seen_at) == (2, clock.now())
    assert record.standing.confidence == pytest.approx(0.8 + 0.3 * 0.2)
    assert (record.valid_from, record.standing.importance) == (START, 0.8)


@pytest.mark.spec("BEH-10")
def test_the_opposite_takes_its_place_and_keeps_it_as_history(
    workspace: Workspace, clock: FrozenClock
) -> None:
    old = learn(workspace, TABS)
    clock.advance(days=1)
    new = learn(workspace, SPACES)
    assert (new.verdict, new.replaced) == (Verdict.VERSIONED, (old.id,))
    assert held(workspace) == {SPACES: 1}
    (former,) = rules.stored(workspace, frozenset({State.SUPERSEDED}))
    assert (former.id, former.standing.superseded_by) == (old.id, new.id)
    assert former.valid_to == clock.now()


@pytest.mark.spec("BEH-08", "BEH-10")
def test_one_call_may_say_it_twice_or_take_it_back(workspace: Workspace) -> None:
    assert learn(workspace, TABS, TABS).verdict is Verdict.REINFORCED
    assert held(workspace) == {TABS: 2}
    assert learn(workspace, SPACES, TABS).verdict is Verdict.VERSIONED
    assert held(workspace) == {TABS: 1}
    assert len(rules.stored(workspace, frozenset({State.SUPERSEDED}))) == 2


def test_another_scope_is_another_rule(workspace: Workspace) -> None:
    learn(workspace, TABS)
    assert learn(workspace, SPACES, reach="project").verdict is Verdict.ACCEPTED
    assert learn(workspace, TABS, reach="project").verdict is Verdict.VERSIONED
    assert sorted(one.scope for one in rules.stored(workspace)) == ["global", "project"]


@pytest.mark.parametrize(
    ("reach", "said_in", "scope"),
    [
        ("global", "shop/cart.py", "global"),
        ("project", "global", "project"),
        ("project", "shop/cart.py", "shop"),
        ("project", "project", "project"),
        ("file", "shop/cart.py", "shop/cart.py"),
        ("file", "global", "file"),
    ],
)
def test_where_a_rule_holds(workspace: Workspace, reach: str, said_in: str, scope: str) -> None:
    learn(workspace, TABS, reach=reach, scope=said_in)
    assert [one.scope for one in rules.stored(workspace)] == [scope]


def test_a_turn_counts_once_for_a_rule(workspace: Workspace) -> None:
    turns = [said(workspace, f"turn {number}") for number in range(3)]
    signal = Signal(SteeringType.PREFERENCE, TABS, 0.8)

    def count(turn: str) -> int:
        (learned,) = rules.learn(workspace, [signal], turn)
        assert learned.rule == TABS
        return held(workspace)[TABS]

    assert [count(turns[n]) for n in (0, 0, 1, 1, 0, 2)] == [1, 1, 2, 2, 2, 3]
    (record,) = rules.stored(workspace)
    known = workspace.store.evidence([record.id])[record.id]
    assert {*known, *record.provenance.parents} == set(turns)


def said(workspace: Workspace, text: str) -> str:
    """A turn that is stored, by its id."""
    made = rules.new_record(workspace, Signal(SteeringType.STYLE, text, 0.8), "global", START)
    turn = replace(made, kind=Kind.TURN, slot=None)
    user_records.commit(workspace, START, {}, [turn])
    return turn.id


def test_other_words_for_the_same_are_found_by_their_vectors(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of two rules that may be meant, the nearer one; without vectors neither."""
    learn(workspace, "Answer in brief sentences please", "Write code with type annotations")
    monkeypatch.setattr(rules, "SAME_COSINE", 0.5)
    again = learn(workspace, "Write code with annotations of types")
    assert (again.verdict, again.rule) == (Verdict.REINFORCED, "Write code with type annotations")
    assert held(workspace)["Answer in brief sentences please"] == 1


@pytest.mark.parametrize("order", [1, -1])
def test_of_several_that_say_it_the_nearest_is_meant(workspace: Workspace, order: int) -> None:
    held = ("Write code with annotations of types", "Write code with type annotations")
    for rule in held[::order]:
        signal = Signal(SteeringType.PREFERENCE, rule, 0.8)
        user_records.commit(
            workspace, START, {}, [rules.new_record(workspace, signal, "global", START)]
        )
    again = learn(workspace, "Always write code with type annotations")
    assert (again.verdict, again.rule) == (Verdict.REINFORCED, "Write code with type annotations")


def test_more_of_the_same_is_the_same_only_if_vectors_say_so(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rules, "SAME_COSINE", 0.4)
    monkeypatch.setattr(rules, "SAME_WORDS", 1.0)
    learn(workspace, "Write code with type annotations")
    more = "Write code with type annotations and docstrings"
    assert learn(workspace, more).verdict is Verdict.REINFORCED
    mute = without_embedder(workspace)
    assert learn(mute, more).verdict is Verdict.ACCEPTED
    tests = "Cover code with tests"
    assert learn(workspace, tests, tests + " and examples").verdict is Verdict.ACCEPTED, (
        "no vector yet"
    )


@pytest.mark.parametrize(
    ("rule", "verdict"),
    [
        ("Write code with many examples", Verdict.ACCEPTED),
        ("Write code with type annotations, docs, examples, tests, checks, logs", Verdict.ACCEPTED),
        (
            "Write code with type annotations, write code with type docs, examples, tests, logs,"
            " checks",
            Verdict.REINFORCED,
        ),
    ],
    ids=["some words", "all words, not near", "all words, near"],
)
def test_how_many_words_and_how_near(workspace: Workspace, rule: str, verdict: Verdict) -> None:
    learn(workspace, "Write code with type annotations")
    assert learn(workspace, rule).verdict is verdict


def report(
    workspace: Workspace, *texts: str, reach: str = "global", scope: str = "global"
) -> Learned:
    """Propose rules that an agent reports in a message of its own."""
    made = rules.new_record(workspace, Signal(SteeringType.STYLE, "told", 0.8), scope, START)
    message = replace(made, kind=Kind.TURN, slot=None)
    user_records.commit(workspace, START, {}, [message])
    signals = [Signal(SteeringType.PREFERENCE, text, 0.8, reach) for text in texts]
    return rules.propose(workspace, signals, message)[-1]


PROPOSED = frozenset({State.UNCERTAIN})


def test_what_an_agent_reports_waits_until_the_user_agrees(workspace: Workspace) -> None:
    first = report(workspace, TABS)
    assert (first.verdict, first.rule, held(workspace)) == (Verdict.QUEUED, TABS, {})
    assert report(workspace, TABS) == replace(first, verdict=Verdict.REINFORCED)
    (waiting,) = rules.stored(workspace, PROPOSED)
    assert (waiting.id, waiting.standing.seen_count) == (first.id, 2)
    assert report(workspace, TABS, reach="project", scope="shop").verdict is Verdict.QUEUED
    agreed = learn(workspace, TABS)
    assert (agreed.verdict, agreed.replaced, held(workspace)) == (Verdict.ACCEPTED, (), {TABS: 1})
    assert [one.scope for one in rules.stored(workspace, PROPOSED)] == ["shop"]
    (settled,) = rules.stored(workspace, frozenset({State.INVALIDATED}))
    assert (settled.id, settled.standing.superseded_by) == (first.id, agreed.id)


def test_one_report_may_say_it_twice(workspace: Workspace) -> None:
    assert report(workspace, TABS, TABS).verdict is Verdict.REINFORCED
    assert [one.standing.seen_count for one in rules.stored(workspace, PROPOSED)] == [1]


def test_what_the_user_said_or_deleted_is_not_asked_about(workspace: Workspace) -> None:
    deleted, told = learn(workspace, SPACES), learn(workspace, "Give examples")
    decline(workspace, deleted.id, START)
    declined = f"the user declined it: {SPACES}"
    refused = replace(deleted, verdict=Verdict.REJECTED, reason=declined)
    assert report(workspace, SPACES) == refused
    assert report(workspace, "Give examples") == replace(told, verdict=Verdict.REINFORCED)
    assert (held(workspace), rules.stored(workspace, PROPOSED)) == ({"Give examples": 1}, [])
    again = learn(workspace, SPACES)
    assert again.verdict is Verdict.ACCEPTED and again.id != deleted.id
    assert report(workspace, SPACES).id == again.id, "what holds, not what was deleted"


@pytest.mark.parametrize(
    ("confidence", "chars", "reason"),
    [
        (0.6, 200, None),
        (0.59, 200, "too unsure: 0.59 of 0.60 needed"),
        (0.6, 201, "longer than 200 characters: no rule"),
    ],
)
def test_what_makes_no_rule(confidence: float, chars: int, reason: str | None) -> None:
    assert rules.objection(Signal(SteeringType.STYLE, "a" * chars, confidence)) == reason


def decline(workspace: Workspace, id_: str | None, at: datetime | None) -> None:
    """Let a rule no longer hold: deleted then, or dropped for being old."""
    (record,) = workspace.store.find([str(id_)])
    standing = replace(record.standing, state=State.INVALIDATED)
    declined = replace(record, standing=standing, valid_to=at)
    user_records.commit(workspace, START, {}, revised=[declined])


@pytest.mark.parametrize(
    ("hours", "verdict"), [(-1, Verdict.QUEUED), (0, Verdict.REJECTED), (1, Verdict.REJECTED)]
)
def test_what_the_user_declined_is_asked_about_if_the_user_has_said_it_since(
    workspace: Workspace, hours: int, verdict: Verdict
) -> None:
    decline(workspace, learn(workspace, TABS).id, START + timedelta(hours=hours))
    (message,) = workspace.store.find([said(workspace, TABS)])
    signal = Signal(SteeringType.PREFERENCE, TABS, 0.8)
    assert rules.propose(workspace, [signal], message)[0].verdict is Verdict.REJECTED
    assert rules.propose(workspace, [signal], message, quoted=True)[0].verdict is verdict


def test_what_was_only_dropped_for_being_old_was_not_declined(workspace: Workspace) -> None:
    decline(workspace, learn(workspace, TABS).id, None)
    assert report(workspace, TABS).verdict is Verdict.QUEUED


def test_a_proposal_has_the_source_of_its_report_but_not_its_key(workspace: Workspace) -> None:
    (message,) = workspace.store.find([said(workspace, TABS)])
    provenance = Provenance(Source.TOOL, Channel.MCP, Trust.INFERRED, "bot", idempotency_key="key")
    reported = replace(message, provenance=provenance)
    rules.propose(workspace, [Signal(SteeringType.PREFERENCE, TABS, 0.8)], reported)
    (waiting,) = rules.stored(workspace, PROPOSED)
    assert waiting.provenance.idempotency_key is None, "or it would be taken for the report"
    behavior = rules.as_behavior(waiting)
    assert (behavior.source, behavior.trust) == (Source.TOOL, Trust.INFERRED)


def test_the_first_few_rules_are_read_alone(workspace: Workspace) -> None:
    for text in (TABS, "Give examples", "Show the units"):
        learn(workspace, text)
    assert [one.text for one in rules.stored(workspace, limit=2)] == [TABS, "Give examples"]


def operate(
    workspace: Workspace,
    relation: TargetRelation | None,
    known: str | None,
    rule: str = "Use two spaces",
    *rests_on: str,
) -> Learned:
    """What a language model says of the rules, by a turn of its own."""
    turn = said(workspace, rule)
    signal = Signal(SteeringType.STYLE, rule, 0.8)
    operation = RuleOperation(signal, turn, "global", relation, known, rests_on)
    (learned,) = rules.apply(workspace, [operation])
    return learned


def test_a_model_says_that_a_rule_is_new_or_said_again(workspace: Workspace) -> None:
    first = operate(workspace, None, None, TABS)
    assert (first.verdict, first.rule) == (Verdict.ACCEPTED, TABS)
    again = operate(workspace, TargetRelation.SAME, first.id, "In tabs we trust")
    assert again == replace(first, verdict=Verdict.REINFORCED)
    assert held(workspace) == {TABS: 2}


def test_a_model_says_that_a_rule_is_over(workspace: Workspace, clock: FrozenClock) -> None:
    first, later = learn(workspace, TABS), learn(workspace, "Give examples")
    clock.advance(days=-1)
    operate(workspace, TargetRelation.END, later.id)
    clock.advance(days=2)
    ended = operate(workspace, TargetRelation.END, first.id)
    assert ended == replace(first, verdict=Verdict.CLOSED)
    over = {one.id: one.valid_to for one in rules.stored(workspace, frozenset({State.INVALIDATED}))}
    assert over == {first.id: clock.now(), later.id: START}, "none ends before it began"
    assert held(workspace) == {}


def test_a_model_says_a_rule_in_other_words(workspace: Workspace, clock: FrozenClock) -> None:
    first, further = learn(workspace, TABS), said(workspace, "two of them")
    clock.advance(days=1)
    new = operate(workspace, TargetRelation.UPDATE, first.id, "Use two spaces", further)
    assert (new.verdict, new.rule, new.replaced) == (
        Verdict.VERSIONED,
        "Use two spaces",
        (first.id,),
    )
    assert new.type is SteeringType.PREFERENCE, "of the type that it was"
    (record,) = rules.stored(workspace)
    assert record.id == new.id and len(record.provenance.parents) == 2
    assert record.provenance.parents[1] == further
    assert record.provenance.channel is Channel.SLEEP, "erased with either turn"
    (former,) = rules.stored(workspace, frozenset({State.SUPERSEDED}))
    assert (former.standing.superseded_by, former.valid_to) == (new.id, clock.now())


@pytest.mark.parametrize("relation", TargetRelation)
def test_what_a_model_says_of_a_rule_that_is_gone_is_news_or_nothing(
    workspace: Workspace, relation: TargetRelation
) -> None:
    first = learn(workspace, TABS)
    learn(workspace, SPACES)
    is_news = relation is TargetRelation.UPDATE
    for known in (first.id, "nobody", None):
        found = operate(workspace, relation, known, "Show the units")
        if is_news:
            assert found.verdict in (Verdict.ACCEPTED, Verdict.REINFORCED)
        else:
            unknown = Learned(Verdict.REJECTED, SteeringType.STYLE, "Show the units")
            assert found == unknown
    assert ("Show the units" in held(workspace)) is is_news


class Silent(HashEmbedder):
    """An embedder that is not to be reached."""

    def embed(self, statements: Sequence[str]) -> NDArray[np.float32]:
        raise ProviderUnavailable("not now")


def test_without_an_embedder_words_decide(workspace: Workspace) -> None:
    mute = without_embedder(workspace)
    assert learn(mute, TABS).verdict is Verdict.ACCEPTED
    assert learn(mute, TABS).verdict is Verdict.REINFORCED
    assert learn(mute, SPACES).verdict is Verdict.VERSIONED


def test_an_overtaken_writer_retries_so_many_times(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    of_store = type(workspace.store)
    commit, left = of_store.commit, [ATTEMPTS - 1]

    def contended(store: Any, change: Any) -> Any:
        if left[0]:
            left[0] -= 1
            raise Overtaken("another writer was faster")
        return commit(store, change)

    monkeypatch.setattr(of_store, "commit", contended)
    assert learn(workspace, TABS).verdict is Verdict.ACCEPTED
    left[0] = ATTEMPTS
    with pytest.raises(Overtaken, match="nothing was learned"):
        learn(workspace, SPACES)
    assert held(workspace) == {TABS: 1}


@pytest.mark.spec("BEH-11")
def test_what_was_seen_once_goes_after_ninety_days(
    workspace: Workspace, clock: FrozenClock
) -> None:
    for rule in (TABS, SPACES, "Give examples", "Answer in French", "Show the units"):
        learn(workspace, rule)
    learn(workspace, "Give examples")
    accepted = next(one for one in rules.stored(workspace) if one.text == "Show the units")
    standing = replace(accepted.standing, stage=Stage.SEMANTIC)
    user_records.commit(workspace, START, {}, revised=[replace(accepted, standing=standing)])
    clock.advance(days=90)
    assert review.prune(workspace) == ()
    clock.advance(seconds=1)
    gone = review.prune(workspace)
    assert len(gone) == 1, "seen again, accepted, or in another's place: these stay"
    assert set(held(workspace)) == {SPACES, "Give examples", "Show the units"}


def rule(text: str, scope: str = "global", frequency: int = 1) -> Behavior:
    type_, state = SteeringType.PREFERENCE, State.ACTIVE
    return Behavior(text, type_, text, scope, frequency, 0.8, False, state, START, START)


def test_against_a_narrower_rule_a_wider_one_yields() -> None:
    wide, narrow, other = rule(TABS), rule(SPACES, "shop"), rule("Give examples")
    assert listing.in_scope([wide, narrow, other], "shop") == [narrow, other]
    assert listing.in_scope([wide, narrow, other], "blog") == [wide, other]
    same = rule(SPACES)
    assert listing.in_scope([wide, same], None) == [wide, same], "none is narrower"
    beside = [narrow, rule(TABS, "shop")]
    assert listing.in_scope(beside, "shop") == beside, "nor is either of these"


@pytest.mark.spec("PRM-08")
@pytest.mark.parametrize(
    ("left", "shown"), [(5, ["o"]), (6, ["a b c d e f"]), (7, ["a b c d e f", "o"])]
)
def test_a_rule_that_does_not_fit_is_left_out_and_shorter_ones_are_shown(
    left: int, shown: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listing, "token_estimate", one_a_word)
    head = one_a_word(listing.section([rule("x")])) - 1
    monkeypatch.setattr(listing, "SECTION_TOKENS", head + left)
    found = listing.section([rule("a b c d e f"), rule("g h i j k l m n"), rule("o")])
    assert [line.removeprefix("- ") for line in found.splitlines() if line[:2] == "- "] == shown


@pytest.mark.spec("PRM-08")
def test_a_section_has_two_hundred_tokens_at_most(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listing, "token_estimate", one_a_word)
    head = one_a_word(listing.section([rule("x")])) - 1
    words = ["a"] * (200 - head)
    assert listing.section([rule(" ".join(words))]).endswith("a a")
    assert listing.section([rule(" ".join([*words, "a"]))]) == ""


@pytest.mark.spec("PRM-07", "PRM-08")
def test_a_section_holds_the_most_frequent_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listing, "MAX_RULES", 2)
    workspace = workspace_of(in_memory("ana", embedder=HashEmbedder(64)))
    for text in (TABS, "Show the units", "Give examples", "Give examples", TABS, "Give examples"):
        learn(workspace, text)
    found = listing.section(listing.for_prompt(workspace, None))
    lines = ["- Give examples (observed 3x)", f"- {TABS} (observed 2x)"]
    assert found.splitlines()[-2:] == lines
    assert listing.section([]) == ""


def test_notes_that_repeat_a_rule_are_left_out() -> None:
    def note(text: str) -> Note:
        return cast(Note, SimpleNamespace(text=text))

    notes = [note("Give short examples"), note("Show the units")]
    assert listing.without_repeats(notes, [rule("Give short examples")]) == notes[1:]
    assert listing.without_repeats(notes, []) == notes
    assert listing.without_repeats(notes, [rule("Answer in French")]) == notes
    told, known = "Show plums pears apples cherries grapes", "Show plums pears apples lemons limes"
    assert listing.without_repeats([note(told)], [rule(known)]) == [], "three words of five"


def test_a_prompt_has_one_of_four_roles_and_its_rules_second() -> None:
    assert listing.assembled_prompt("planner", "You plan. ", [" Plan."], "- Tabs") == (
        "You plan.\n\n- Tabs\n\nPlan."
    )
    with pytest.raises(InvalidInput, match=r"role must be one of .*'nobody'"):
        listing.assembled_prompt("nobody", "You plan.", [])
