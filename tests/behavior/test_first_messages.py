"""The right skill at the first message of a new user, without any feedback."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from sharpwave import Memory, MessageLabels, ProviderError
from sharpwave.behavior import message_model
from sharpwave.embedding.sharpwave_embedder import SharpwaveEmbedder

HERE = Path(__file__).parent
INTENTS = frozenset(
    """code_review coding technical summary technical_summary brainstorming planning how_to writing
    request emotional_support feedback explanation chat question other""".split()
)
MADE_FOR = {
    "brainstorming": {"brainstorm"},
    "chat": {"casual_chat", "casual_chat_evening"},
    "code_review": {"code_review_constructive", "code_review_feedback"},
    "coding": {"technical_precision"},
    "emotional_support": {"empathy_direct", "empathy_subtle"},
    "explanation": {"detailed_explanation"},
    "how_to": {"step_by_step"},
    "planning": {"proactive_suggestions"},
    "question": {"concise_response"},
    "summary": {"summarize_key_points", "summarize_technical_document"},
    "writing": {"reactive_only"},
}


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory.open(tmp_path / "m.db") as opened:
        yield opened


def cases(name: str) -> list[tuple[str, str]]:
    rows = [line.split("\t") for line in (HERE / name).read_text("utf-8").splitlines()]
    return [(label, text.replace("\\n", "\n")) for label, text in rows]


@pytest.mark.parametrize("name", ["first_messages.tsv", "first_messages_more.tsv"])
def test_the_skill_that_is_made_for_a_message_is_chosen(memory: Memory, name: str) -> None:
    right: dict[str, int] = dict.fromkeys(MADE_FOR, 0)
    for n, (kind, text) in enumerate(cases(name)):
        choice = memory.user(f"new user {n}").skills.select(text)
        right[kind] += choice.skill.id in MADE_FOR[kind]
    assert sum(right.values()) >= 0.85 * len(cases(name)), right
    assert min(right.values()) >= 5, right


PLAIN = {"concise_response", "reactive_only", "detailed_explanation"}
"""Skills for a message that needs nothing special (`none`)."""
NOON, EVENING = (datetime(2026, 5, 4, hour, tzinfo=UTC) for hour in (12, 20))


def test_the_right_skill_out_of_all_fifteen_is_chosen_for_people_of_all_kinds(
    memory: Memory,
) -> None:
    """Written before triggers and training messages were read; only totals per skill were seen."""
    wrong = []
    for n, (skills, text) in enumerate(cases("first_messages_people.tsv")):
        right = PLAIN if skills == "none" else set(skills.split("|"))
        at = EVENING if "casual_chat_evening" in right else NOON
        chosen = memory.user(f"new user {n}").skills.select(text, at=at).skill.id
        if chosen not in right:
            wrong.append((skills, chosen, text))
    assert len(wrong) <= 0.15 * len(cases("first_messages_people.tsv")), wrong


@pytest.mark.parametrize(
    ("name", "least"), [("first_messages_corpus.tsv", 0.80), ("first_messages_unseen.tsv", 0.70)]
)
def test_people_of_whom_the_model_knows_nothing_get_a_skill_that_fits(
    memory: Memory, name: str, least: float
) -> None:
    """First messages of the corpus' kept-apart people, and of everyday people.

    Each with all skills that suit it, written down before any choice was read. No message of these
    people is in `training/messages`.
    """
    wrong = []
    for n, (skills, text) in enumerate(cases(name)):
        chosen = memory.user(f"new user {n}").skills.select(text, at=NOON).skill.id
        if chosen not in skills.split("|"):
            wrong.append((skills, chosen, text))
    assert len(wrong) <= (1 - least) * len(cases(name)), wrong


@pytest.mark.parametrize("name", ["feelings.tsv", "feelings_unseen.tsv"])
def test_strong_feelings_are_not_neutral(memory: Memory, name: str) -> None:
    wrong = [
        text
        for label, text in cases(name)
        if f"_{label}_" not in memory.skills.select(text).context
    ]
    assert len(wrong) <= 0.2 * len(cases(name)), wrong


def test_the_bundled_model_fits_the_built_in_embedder() -> None:
    """If this fails, run `python -m training.messages`."""
    model = message_model.bundled()
    assert model.space == message_model.space_name(SharpwaveEmbedder().space)
    assert set(model.layers["intent"].classes) == INTENTS


class Sarcasm:
    """An integrator's model: it knows sarcasm, and no intents."""

    def read(self, message: str) -> MessageLabels:
        if message == "":
            raise AssertionError
        return MessageLabels(sentiments={"negative": 0.9, "neutral": 0.1})


class Support:
    """An integrator's model with intents of its own."""

    def read(self, message: str) -> MessageLabels:
        return MessageLabels(intents={"refund": 0.8, "chat": 0.2})


class Torn:
    """A model that sees a question, or rather one of two intents that the same skill serves."""

    def read(self, message: str) -> MessageLabels:
        likely = {"question": 0.4, "writing": 0.35, "request": 0.25}
        return MessageLabels(intents=likely, sentiments={"neutral": 1.0})


class Down:
    """A model whose endpoint does not answer."""

    def read(self, message: str) -> MessageLabels:
        raise ProviderError("no answer")


def test_an_own_model_says_sentiment_and_the_bundled_one_the_intent(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "m.db", intent_model=Sarcasm()) as memory:
        choice = memory.skills.select("Oh great, could you explain why it rained again?", at=NOON)
        assert choice.context == "explanation_negative_afternoon"


def test_an_own_model_has_intents_of_its_own_for_own_skills(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "m.db", intent_model=Support()) as memory:
        memory.skills.create("refunds", "Say how refunds work.", trigger={"intent": "refund"})
        choice = memory.skills.select("I want my money back", at=NOON)
        assert (choice.skill.id, choice.context.split("_")[0]) == ("refunds", "refund")


def test_intents_that_one_skill_serves_count_together(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "m.db", intent_model=Torn()) as memory:
        choice = memory.skills.select("Three lines for the gate, please?", at=NOON)
        assert (choice.skill.id, choice.context.split("_")[0]) == ("reactive_only", "question")


def test_an_own_model_that_fails_is_replaced_by_the_bundled_one(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "m.db", intent_model=Down()) as memory:
        assert memory.skills.select("Ideas for a quiz night?", at=NOON).skill.id == "brainstorm"


def test_learned_dimensions_follow_the_style_of_the_user(memory: Memory) -> None:
    memory.skills.create("letters", "Write as I write letters.", trigger={"intent": "writing"})
    memory.skills.set_style({"verbosity": 0.95, "formality": 0.1})
    for n in range(35):
        memory.feedback(f"m{n}", 1, skill="letters")
    verbosity, formality, *_ = memory.skills.get("letters").skill.dimensions
    assert verbosity > 0.85 and formality < 0.2


def test_a_rule_of_length_in_the_users_own_words_excludes_long_skills(memory: Memory) -> None:
    asked = "Why does bread go stale in the fridge? Explain it, please."
    assert memory.skills.select(asked).skill.id == "detailed_explanation"
    memory.remember("Keep your answers short from now on.")
    assert memory.behavior.rules()
    chosen = {memory.skills.select(f"{asked} ({n})").skill.id for n in range(20)}
    assert "detailed_explanation" not in chosen


IN_DEPTH = "Explain in depth how vaccines work, please."


@pytest.mark.parametrize(
    "rule",
    [
        "No more than three sentences per answer, please.",
        "From now on answer in at most 50 words.",
        "Never write more than a paragraph.",
        "Keep replies to a couple of lines from now on.",
        "Your answers should be no longer than four sentences.",
        "Stick to 100 words or less from now on.",
    ],
)
def test_a_rule_that_counts_words_or_sentences_excludes_long_skills(
    memory: Memory, rule: str
) -> None:
    memory.remember(rule)
    assert memory.skills.select(IN_DEPTH, at=NOON).skill.id != "detailed_explanation"


@pytest.mark.parametrize(
    "rule",
    [
        "Commit messages should have at most ten words.",
        "Always write at least three paragraphs.",
        "From now on answer in at most 2000 words.",
        "In emails never use more than three sentences.",
        "Never use more than one exclamation mark.",
    ],
)
def test_a_limit_of_something_else_excludes_none(memory: Memory, rule: str) -> None:
    memory.remember(rule)
    assert memory.skills.select(IN_DEPTH, at=NOON).skill.id == "detailed_explanation"


def test_what_was_disliked_gives_way_although_its_trigger_fits_best(memory: Memory) -> None:
    asked = "Why do cats knead blankets? Explain it, please."
    for n in range(6):
        memory.skills.select(asked, message_id=f"m{n}", at=NOON)
        skill = memory.skills.trajectories(1)[0].skill
        memory.feedback(f"m{n}", 1 if skill == "concise_response" else -1)
    last = [memory.skills.select(f"{asked} {n}", at=NOON).skill.id for n in range(10)]
    assert last.count("detailed_explanation") < 5


def test_a_new_user_is_not_experimented_on_at_once(memory: Memory) -> None:
    choices = [memory.user(f"u{n}").skills.select("hey there") for n in range(60)]
    assert not any(choice.is_exploration for choice in choices)
    again = [memory.user("u0").skills.select(f"hey there {n}") for n in range(120)]
    assert any(choice.is_exploration for choice in again)
