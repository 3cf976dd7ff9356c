"""Feedback: learned from at once, once, and the same when it is learned anew."""

import threading
from typing import Any

import numpy as np
import pytest
from tests.behavior.conftest import Opened
from tests.cpu import seconds

from sharpwave import InvalidInput, Kind, Memory, NotFound, workspace
from sharpwave.behavior.feedback import batches, records
from sharpwave.behavior.feedback.classifier import FeedbackClassifier
from sharpwave.behavior.skills import population, state
from sharpwave.errors import InvalidReward, NoConsent, SkillNotFound
from sharpwave.formulas.skills import style_alignment
from sharpwave.testing import FrozenClock, resources_of, workspace_of
from sharpwave.types.intent import ReadContext
from sharpwave.types.storing import Tally

QUESTION = ReadContext("question", "neutral", "morning", None, ())
CHAT = ReadContext("chat", "positive", "evening", None, ())


def rate(memory: Memory, reward: int, context: ReadContext = QUESTION, **more: Any) -> str:
    choice = memory.skills.select("…", context=context)
    memory.feedback(choice.message_id, reward, **more)
    return choice.message_id


def numbers(memory: Memory) -> dict[tuple[str, str], object]:
    stored = state.stored_rows(workspace_of(memory))
    return {key: tally.value for key, tally in stored.items()}


@pytest.mark.spec("EVL-23", "EVL-24", "EVL-35", "FB-03", "FB-16", "FB-21", "SKL-08", "TS-04")
def test_everything_moves_at_once(memory: Memory) -> None:
    choice = memory.skills.select("…", context=QUESTION)
    assert memory.skills.get(choice.skill.id).confidence == 0.5
    receipt = memory.feedback(choice.message_id, 1)
    assert (receipt.status, receipt.skill_updated) == ("stored", True)
    assert receipt.new_confidence == pytest.approx(0.59)
    known = memory.skills.get(choice.skill.id)
    assert (known.confidence, known.usage_count, known.positive) == (0.59, 1, 1)
    assert "1 liked" in known.why
    again = memory.skills.select("…", context=QUESTION)
    odds = {one.skill: (one.alpha, one.beta) for one in again.candidates}
    assert odds[choice.skill.id] == (2.0, 1.0)
    verbosity = choice.skill.dimensions[0]
    style = memory.skills.style(choice.context)
    moved = 0.5 + 0.1 * (verbosity - 0.5)
    assert style["verbosity"] == pytest.approx(0.25 * moved + 0.75 * moved)
    (dimension,) = [one for one in style.dimensions if one.name == "verbosity"]
    assert dimension.evidence == 1.0 and "moved by 1 ratings" in dimension.why


@pytest.mark.spec("SKL-24")
def test_a_second_rating_replaces_the_first(memory: Memory) -> None:
    message = rate(memory, 1)
    after_like = numbers(memory)
    assert memory.feedback(message, 1).status == "unchanged"
    assert numbers(memory) == after_like
    receipt = memory.feedback(message, -1)
    assert receipt.status == "changed" and receipt.new_confidence == pytest.approx(0.41)
    assert memory.skills.metrics().ratings == 1
    memory.feedback(message, 1)
    assert numbers(memory) == after_like


@pytest.mark.spec("TS-06", "TS-08")
def test_learning_anew_gives_the_same_numbers(memory: Memory) -> None:
    for n in range(12):
        rate(memory, (1, -1, 0)[n % 3], (QUESTION, CHAT)[n % 2])
    memory.skills.set_style({"formality": 0.9})
    memory.skills.reset(dimension="patience")
    rate(memory, 1)
    before = numbers(memory)
    ways = {one.skill.id: one.skill for one in memory.skills.list()}
    report = memory.skills.learn()
    assert report.trajectories == 13
    after = {one.skill.id: one.skill for one in memory.skills.list()}
    assert after == ways, "neither templates nor triggers are ever changed by learning"
    assert (report.skills_updated, report.mean_alpha_change) == (0, 0.0)
    assert numbers(memory) == before


@pytest.mark.spec("TS-06")
def test_few_ratings_are_not_computed_anew(memory: Memory) -> None:
    rate(memory, 1)
    assert memory.skills.learn().trajectories == 0
    assert memory.skills.learn(even_if_few=True).trajectories == 1


@pytest.mark.spec("FB-02", "FB-04")
def test_what_is_no_feedback(memory: Memory) -> None:
    message = memory.skills.select("…", context=QUESTION).message_id
    for wrong in (2, 0.5, True, -3):
        with pytest.raises(InvalidReward):
            memory.feedback(message, wrong)
    with pytest.raises(InvalidInput, match="300"):
        memory.feedback(message, 1, free_text="x" * 301)
    with pytest.raises(SkillNotFound):
        memory.feedback(message, 1, skill="nonsense")
    with pytest.raises(NotFound):
        memory.feedback("nobody said this", 1)
    with pytest.raises(NotFound):
        memory.user("other").feedback(message, 1)
    memory.feedback(message, 1, free_text="x" * 300)
    assert memory.skills.metrics().ratings == 1


@pytest.mark.spec("TRJ-01", "TRJ-02", "TRJ-07", "FB-06")
def test_feedback_finds_its_turn(memory: Memory) -> None:
    asked = memory.remember("What is a monad?", session="s").ids[0]
    choice = memory.skills.select("What is a monad?", session="s", message_id=asked)
    assert memory.skills.select("What is a monad?", message_id=asked).skill == choice.skill
    answer = memory.remember("A monoid.", role="assistant", session="s").ids[0]
    assert memory.feedback(answer, -1).skill == choice.skill.id
    (turn,) = memory.skills.trajectories()
    assert (turn.user_input, turn.response) == ("What is a monad?", "A monoid.")
    assert (turn.reward, turn.unsuccessful, turn.turn_number) == (-1, True, 1)
    assert turn.id == choice.trajectory_id and turn.at == resources_of(memory).clock.now()
    assert (turn.session, turn.archived) == ("s", False)
    assert memory.user("other").skills.trajectories() == []
    assert (turn.message_id, turn.bucket, turn.skill) == (asked, choice.bucket, choice.skill.id)
    topics = [event.topic for event in resources_of(memory).store.events(0, 100)]
    assert topics.count("memory.skill.selected") == 1
    assert topics.count("memory.feedback.received") == 1


@pytest.mark.spec("FB-07")
def test_what_is_kept_of_a_rating(memory: Memory, clock: FrozenClock) -> None:
    message = rate(memory, -1, reason="too_verbose", free_text="far too long")
    memory.skills.learn(even_if_few=True)
    kept = workspace_of(memory).store.scan(0, 100)
    rated, read = [record for record in kept if record.kind is Kind.FEEDBACK]
    assert rated.text == "far too long" and rated.recorded_at == clock.now()
    said = rated.metadata
    assert (said["message_id"], said["reward"], said["reason"]) == (message, -1, "too_verbose")
    assert said["skill"] == memory.skills.trajectories()[0].skill
    assert "too_verbose" in str(read.metadata["categories"])
    assert read.provenance.parents == (rated.id,), "processed, once: it rests on the rating"


@pytest.mark.spec("TS-07", "FB-19")
def test_reading_and_counting_take_little(memory: Memory) -> None:
    for n in range(40):
        rate(memory, (1, -1)[n % 2], free_text="far too long" if n % 4 == 0 else None)
    memory.skills.learn()
    assert seconds(lambda: memory.skills.learn(even_if_few=True), 1.0) < 1.0
    resources = resources_of(memory)
    classifier = FeedbackClassifier(resources.comment_embedder or resources.embedder)
    classifier.initialize()
    assert seconds(lambda: classifier.classify(["Viel zu lang, bitte kürzer"]), 0.1) < 0.1


ALICE = {
    "verbosity": 0.2, "formality": 0.8, "technical_depth": 0.9, "proactivity": 0.5,
    "emotional_expression": 0.3, "structure": 0.7, "explanation_depth": 0.6, "example_usage": 0.4,
    "question_asking": 0.5, "reassurance_level": 0.6, "directness": 0.7, "enthusiasm": 0.5,
    "patience": 0.6, "creativity": 0.4,
}  # fmt: skip


@pytest.mark.spec("PV-16", "PV-15", "PV-02")
def test_the_style_of_alice_for_technical_questions(memory: Memory) -> None:
    alice = memory.user("alice")
    alice.skills.set_style(ALICE, "question_neutral_morning")
    held = alice.skills.style("question_neutral_morning")
    assert {one.name: one.value for one in held.dimensions} == ALICE
    assert all(one.low and one.high and one.why for one in held.dimensions)
    named = ("technical_precision", "casual_chat")
    styles = np.array([alice.skills.get(name).skill.dimensions for name in named])
    technical, chatty = style_alignment(np.array([*ALICE.values(), 0.5, 0.5]), styles)
    assert technical > chatty + 0.1
    assert alice.skills.style("chat_positive_evening")["verbosity"] == 0.5


def test_words_are_kept_once_and_redacted(memory: Memory) -> None:
    asked = memory.remember("What is a monad?", session="s").ids[0]
    memory.skills.select("What is a monad?", session="s", message_id=asked)
    memory.skills.select("My password is hunter2secret!")
    kept = [
        record.metadata.get("user_input")
        for record in workspace_of(memory).store.scan(0, 100)
        if record.kind is Kind.TRAJECTORY
    ]
    assert kept[0] is None
    assert "hunter2secret" not in str(kept[1])


@pytest.mark.spec("FB-20")
def test_comments_in_any_language_change_which_skills_fit(
    memory: Memory,
) -> None:
    def aligned() -> dict[str, float]:
        found = memory.skills.select("…", context=QUESTION).candidates
        return {one.skill: one.aligned for one in found}

    def lead() -> float:
        found = aligned()
        short, long = (
            found.get(name, 0.0) for name in ("concise_response", "detailed_explanation")
        )
        return short - long

    before = lead()
    comments = (
        "zu kurz",
        "trop court, donnez plus de détails",
        "demasiado corto",
        "troppo breve",
        "слишком коротко",
        "te kort, graag meer uitleg",
        "too short",
    )
    for text in comments * 2:
        rate(memory, 0, free_text=text)
    assert memory.skills.learn().read == 2 * len(comments)
    assert lead() < before, "longer answers fit better now"


@pytest.mark.spec("FB-05", "FB-13", "FB-14", "PV-14")
def test_comments_are_read_in_the_background(memory: Memory) -> None:
    for text in ("zu lang, bitte kürzer", "trop long", "demasiado largo", "too long"):
        rate(memory, 0, free_text=text)
    assert memory.skills.learn().read == 0, "four are too few"
    start = memory.skills.style()["verbosity"]
    rate(memory, 0, free_text="far too long")
    assert memory.skills.style()["verbosity"] == start == 0.5, "it is not read while the user waits"
    report = memory.skills.learn()
    assert report.read == 5 and report.categories["too_verbose"] == 5
    assert sum(count["too_verbose"] for count in report.by_skill.values()) == 5
    assert memory.skills.style()["verbosity"] < start
    settled = numbers(memory)
    assert memory.skills.learn().read == 0
    memory.skills.learn(even_if_few=True)
    assert numbers(memory) == settled


def test_a_comment_that_was_replaced_no_longer_counts(memory: Memory) -> None:
    message = rate(memory, 0, free_text="too long")
    memory.skills.learn(even_if_few=True)
    assert memory.skills.style()["verbosity"] < 0.5
    memory.feedback(message, 0)
    assert memory.skills.style()["verbosity"] == 0.5


def test_a_dislike_that_says_why_moves_the_style_by_its_words_alone(memory: Memory) -> None:
    """Whoever finds a short answer too long does not ask for longer ones."""
    for _ in range(3):
        rate(memory, -1, skill="concise_response", free_text="too long. too polite")
    rate(memory, -1, skill="concise_response", reason="too_verbose")
    assert memory.skills.style()["verbosity"] == 0.5, "it is not read while the user waits"
    assert memory.skills.get("concise_response").confidence < 0.5
    memory.skills.learn(even_if_few=True)
    assert memory.skills.style()["verbosity"] < 0.5
    assert memory.skills.style()["formality"] < 0.5, "a comment may say two things"


@pytest.mark.spec("FB-16")
def test_a_reaction_counts_less_and_never_against_a_rating(memory: Memory) -> None:
    choice = memory.skills.select("…", context=QUESTION)
    receipt = memory.feedback(choice.message_id, 1.0, implicit=True)
    assert 0.5 < receipt.new_confidence < 0.59
    known = memory.skills.get(choice.skill.id)
    assert (known.implicit, known.positive) == (1, 0)
    assert memory.skills.metrics().ratings == 0
    assert memory.feedback(choice.message_id, -1).new_confidence == pytest.approx(0.41)
    assert memory.feedback(choice.message_id, 1.0, implicit=True).status == "unchanged"
    assert memory.skills.get(choice.skill.id).confidence == pytest.approx(0.41)


def test_reactions_are_noticed_in_the_background(memory: Memory) -> None:
    asked = memory.remember("What is a monad?", session="s").ids[0]
    choice = memory.skills.select("What is a monad?", session="s", message_id=asked)
    memory.remember("A monoid.", role="assistant", session="s")
    memory.remember("Thanks, exactly what I needed!", session="s")
    assert memory.skills.learn().hinted == 1
    assert memory.skills.get(choice.skill.id).implicit == 1
    assert memory.skills.learn().hinted == 0


@pytest.mark.parametrize("refuses", [False, True])
def test_reactions_that_are_not_stored_are_not_counted(
    memory: Memory, monkeypatch: pytest.MonkeyPatch, refuses: bool
) -> None:
    asked = memory.remember("What is a monad?", session="s").ids[0]
    memory.skills.select("What is a monad?", session="s", message_id=asked)
    memory.remember("A monoid.", role="assistant", session="s")
    memory.remember("Thanks, exactly what I needed!", session="s")
    exchange = records.exchange

    def meanwhile(*given: Any) -> Any:
        if refuses:
            memory.admin.consent("learning", False)
        else:
            memory.feedback(asked, -1)
        return exchange(*given)

    monkeypatch.setattr(records, "exchange", meanwhile)
    assert batches.infer_reactions(workspace_of(memory)) == 0


def test_a_message_stored_after_the_choice_is_no_reaction_to_it(memory: Memory) -> None:
    memory.skills.select("Explain how a binary search works", session="s")
    memory.remember("Explain how a binary search works", session="s")
    memory.remember("It halves the range again and again.", role="assistant", session="s")
    memory.remember("Great, thanks! That is exactly what I needed.", session="s")
    assert memory.skills.learn().hinted == 1
    (trajectory,) = memory.skills.trajectories()
    assert trajectory.reward is not None and trajectory.reward > 0


def test_in_a_long_session_the_answer_is_the_one_that_followed(memory: Memory) -> None:
    asked = memory.remember("What is a monad?", session="s").ids[0]
    memory.skills.select("What is a monad?", session="s", message_id=asked)
    memory.remember("A monoid.", role="assistant", session="s")
    memory.remember("Thanks, exactly what I needed!", session="s")
    later: list[Any] = []
    for number in range(110):
        later.append({"role": "assistant", "content": f"answer {number}"})
        later.append({"role": "user", "content": f"That is wrong, {number} is not what I asked"})
    memory.remember(later, session="s")
    assert memory.skills.learn().hinted == 1
    (trajectory,) = memory.skills.trajectories()
    assert trajectory.response == "A monoid."
    assert trajectory.reward is not None and trajectory.reward > 0


@pytest.mark.spec("TRJ-04", "TRJ-05", "TRJ-06")
def test_turns_without_feedback_do_not_stay(memory: Memory, clock: FrozenClock) -> None:
    rated = rate(memory, 1)
    silent = memory.skills.select("…", context=QUESTION)
    clock.advance(days=89)
    assert memory.skills.learn().archived == 0
    clock.advance(days=2)
    assert memory.skills.learn().archived == 1
    assert {one.message_id: one.archived for one in memory.skills.trajectories()} == {
        rated: False,
        silent.message_id: True,
    }
    clock.advance(days=275)
    report = memory.skills.learn()
    assert (report.archived, report.deleted) == (0, 1)
    assert [one.message_id for one in memory.skills.trajectories()] == [rated]
    assert memory.skills.metrics().ratings == 1


@pytest.mark.spec("PV-11", "PV-01")
def test_contexts_are_learned_apart(memory: Memory) -> None:
    for _ in range(6):
        choice = memory.skills.select("…", context=QUESTION)
        memory.feedback(choice.message_id, 1 if choice.skill.dimensions[0] < 0.5 else -1)
        other = memory.skills.select("…", context=CHAT)
        memory.feedback(other.message_id, 1 if other.skill.dimensions[0] >= 0.5 else -1)
    terse = memory.skills.style("question_neutral_morning")["verbosity"]
    assert terse < memory.skills.style("chat_positive_evening")["verbosity"]
    assert memory.skills.style("question_neutral_morning").contexts == ("question_neutral_morning",)


@pytest.mark.spec("SKL-26", "EVL-25")
def test_people_are_learned_apart(memory: Memory) -> None:
    bob = memory.user("bob")
    for n in range(5):
        memory.feedback(f"a{n}", 1, skill="concise_response")
    before = numbers(memory)
    for n in range(5):
        bob.feedback(f"b{n}", -1, skill="concise_response")
    assert numbers(memory) == before
    assert memory.skills.get("concise_response").confidence > 0.7
    assert bob.skills.get("concise_response").confidence < 0.35
    assert memory.user("carol").skills.style()["verbosity"] == 0.5


@pytest.mark.spec("PV-15", "SKL-25")
def test_what_is_set_stays_and_can_be_reset(memory: Memory) -> None:
    memory.skills.set_style({"verbosity": 0.1})
    memory.skills.set_style({"verbosity": 0.9}, "question_neutral_morning")
    for _ in range(3):
        rate(memory, -1)
    assert memory.skills.style()["verbosity"] == 0.1
    assert memory.skills.style("chat_positive_evening")["verbosity"] == 0.1
    assert memory.skills.style("question_neutral_morning")["verbosity"] == 0.9
    assert all(one.why for one in memory.skills.style().dimensions)
    (dimension,) = [one for one in memory.skills.style().dimensions if one.name == "verbosity"]
    assert dimension.pinned and dimension.sure == 1.0 and "you set it" in dimension.why
    memory.skills.reset(dimension="verbosity")
    assert memory.skills.style("question_neutral_morning")["verbosity"] == 0.5
    assert memory.skills.style("question_neutral_morning").contexts != ()
    memory.skills.reset(context="question_neutral_morning")
    assert memory.skills.style("question_neutral_morning").contexts == ()
    memory.skills.reset()
    assert all(one.confidence == 0.5 and not one.usage_count for one in memory.skills.list())
    assert memory.skills.metrics().ratings == 0
    with pytest.raises(InvalidInput):
        memory.skills.set_style({"loudness": 1.0})
    with pytest.raises(InvalidInput):
        memory.skills.reset(dimension="loudness")


def test_a_change_of_mind_is_noticed(opened: Opened) -> None:
    memory = opened(exploration=False)
    only = "reactive_only"
    for one in memory.skills.list():
        if one.skill.id != only:
            memory.skills.archive(one.skill.id)
    for _ in range(6):
        rate(memory, 1)
    sure = memory.skills.get(only).confidence
    for _ in range(3):
        rate(memory, -1)
    assert abs(memory.skills.get(only).confidence - 0.5) < 0.25 * (sure - 0.5)
    (candidate,) = memory.skills.select("…", context=QUESTION).candidates
    assert (candidate.alpha, candidate.beta) == (2.5, 1.75)
    before = numbers(memory)
    memory.skills.learn(even_if_few=True)
    assert numbers(memory) == before


def test_resetting_a_skill_leaves_the_others(memory: Memory) -> None:
    reset, other = (memory.skills.select("…", context=each) for each in (QUESTION, CHAT))
    for choice in (reset, other):
        memory.feedback(choice.message_id, 1)
    memory.skills.reset(skill=reset.skill.id)
    for choice, confidence, likes in ((reset, 0.5, 1), (other, 0.59, 2)):
        skill = choice.skill.id
        assert memory.skills.get(skill).confidence == pytest.approx(confidence)
        odds = {one.skill: (one.alpha, one.beta) for one in memory.skills.odds(choice.context)}
        assert odds[skill] == (likes, 1)
    before = numbers(memory)
    memory.skills.learn(even_if_few=True)
    assert numbers(memory) == before


def test_who_withdraws_consent_is_not_learned_from(memory: Memory) -> None:
    rate(memory, 1)
    before = numbers(memory)
    memory.admin.consent("memory", False)
    choice = memory.skills.select("…", context=QUESTION)
    assert choice.trajectory_id is None
    assert all((one.alpha, one.beta) == (1.0, 1.0) for one in choice.candidates)
    assert memory.feedback(choice.message_id, 1).status == "not_stored"
    with pytest.raises(NoConsent, match="does not agree"):
        memory.skills.set_style({"verbosity": 0.9})
    assert memory.skills.style()["verbosity"] == 0.5
    assert memory.skills.learn().notes
    assert numbers(memory) == before


def test_many_at_once_lose_nothing(opened: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workspace, "ATTEMPTS", 200)
    one, other = opened(), opened()
    errors: list[BaseException] = []

    def talk(memory: Memory, name: str) -> None:
        try:
            for n in range(10):
                memory.feedback(f"{name}{n}", 1, skill="casual_chat")
        except BaseException as error:
            errors.append(error)
            raise

    threads = [
        threading.Thread(target=talk, args=(memory, f"{place}-"))
        for place, memory in enumerate((one, one, other))
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
    assert one.skills.get("casual_chat").positive == 30


# ---- what others liked


def crowd(memory: Memory, people: int, agree: bool, reward: int = 1) -> None:
    for n in range(people):
        person = memory.user(f"person {n}")
        if agree:
            person.admin.consent("population", True)
        for _ in range(6):
            choice = person.skills.select("…", context=QUESTION)
            liked = choice.skill.id == "reactive_only"
            person.feedback(choice.message_id, reward if liked else -reward)


def rates(memory: Memory) -> dict[str, Tally]:
    bucket = memory.user("nobody").skills.select("…", context=QUESTION).bucket
    store = resources_of(memory).store.for_user(population.POPULATION_USER)
    return dict(store.tallies(f"population/{bucket}"))


@pytest.mark.spec("PV-12")
def test_a_new_person_starts_from_what_others_liked(memory: Memory) -> None:
    crowd(memory, 6, agree=True)
    assert memory.skills.learn_population() == len(rates(memory))
    found = rates(memory)
    assert found and all(set(row.value) == {"rate"} for row in found.values())
    new = memory.user("new").skills.select("…", context=QUESTION)
    for one in new.candidates:
        assert one.alpha + one.beta <= 2.0 + 4.0 + 1e-9
    assert any(one.alpha + one.beta > 2.0 for one in new.candidates)
    assert memory.user("new").skills.get("casual_chat").confidence == 0.5
    assert population.POPULATION_USER not in memory.admin.users()


@pytest.mark.spec("PV-12")
@pytest.mark.parametrize(("people", "agree"), [(4, True), (6, False)])
def test_few_people_or_those_who_did_not_agree_leave_no_trace(
    memory: Memory, people: int, agree: bool
) -> None:
    crowd(memory, people, agree)
    memory.skills.learn_population()
    assert not rates(memory)
    new = memory.user("new").skills.select("…", context=QUESTION)
    assert all((one.alpha, one.beta) == (1.0, 1.0) for one in new.candidates)


@pytest.mark.spec("PV-12")
def test_who_no_longer_agrees_no_longer_counts(memory: Memory) -> None:
    crowd(memory, 5, agree=True)
    memory.skills.learn_population()
    assert rates(memory)
    memory.user("person 0").admin.consent("population", False)
    memory.skills.learn_population()
    assert not rates(memory)
