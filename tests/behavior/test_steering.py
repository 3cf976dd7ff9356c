"""What a message asks for good, and what it does not."""

import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.cpu import seconds

from sharpwave.behavior.meaning import stance
from sharpwave.formulas.text import likeness
from sharpwave.reading.steering.signals import signals
from sharpwave.reading.steering.vocabulary import KNOWN, base_of_gerund, gerund

EXAMPLES = (
    Path(__file__).resolve().parents[3] / "shared" / "data" / "cases" / "loom_spec16_examples.json"
)
CORRECTION, PREFERENCE, STYLE, KNOWLEDGE = "correction", "preference", "style", "knowledge"


def found(text: str, previous: str | None = None) -> list[tuple[str, str, str]]:
    return [
        (one.type.removeprefix("behavioral_"), one.rule, one.reach)
        for one in signals(text, previous)
    ]


@pytest.mark.spec("BEH-02", "BEH-15", "EVL-12")
@pytest.mark.parametrize(
    ("text", "rule", "reach"),
    [
        ("No, don't sort the imports.", "Do not sort the imports", "global"),
        (
            "Actually, use tabs, not spaces, in this repo.",
            "Use tabs instead of spaces",
            "project",
        ),
        ("Stop using the word 'leverage'.", "Do not use the word 'leverage'", "global"),
        ("You keep adding comments.", "Do not add comments", "global"),
        ("Don't ever push to main.", "Do not push to main", "global"),
        (
            "No, don't write headers everywhere. Only write them in reports.",
            "Only write headers in reports, not everywhere",
            "global",
        ),
    ],
)
def test_corrections(text: str, rule: str, reach: str) -> None:
    assert found(text) == [(CORRECTION, rule, reach)]


@pytest.mark.spec("BEH-03", "BEH-15", "EVL-12")
@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("Always double-check the totals.", "Always double-check the totals"),
        ("From now on, use lowercase keywords in SQL.", "Use lowercase keywords in SQL"),
        ("Whenever you write SQL, use CTEs.", "Use CTEs when writing SQL"),
        ("I'd rather you didn't use abbreviations.", "Do not use abbreviations"),
        ("I prefer getting the summary before you send it.", "Give the summary before sending it"),
        ("I like it when you give examples.", "Give examples"),
        ("Whenever you quote prices, round them to euros.", "Always round prices to euros"),
        ("Could you please always show the units?", "Always show the units"),
        ("Use Celsius, not Fahrenheit.", "Use Celsius instead of Fahrenheit"),
        ("Never use emojis, not even in titles.", "Never use emojis, not even in titles"),
        ("Never use slang, not even as a joke.", "Never use slang, not even as a joke"),
        ("Always put a TL;DR line on top.", "Always put a TL;DR line on top"),
        ("Always write &amp;nbsp in HTML.", "Always write &amp;nbsp in HTML"),
        (
            "When I paste a log, explain the first error.",
            "Explain the first error when the user pastes a log",
        ),
    ],
)
def test_preferences(text: str, rule: str) -> None:
    assert found(text) == [(PREFERENCE, rule, "global")]


@pytest.mark.parametrize("mark", ["; ", " \u2013 ", "\u2014", " \u2014 "])
def test_two_rules_in_a_sentence(mark: str) -> None:
    said = found(f"Always cite the page{mark}never use footnotes.")
    assert [rule for _, rule, _ in said] == ["Always cite the page", "Never use footnotes"]


@pytest.mark.spec("BEH-04", "BEH-15", "EVL-12")
@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("Your tone is too formal.", "Be less formal"),
        ("Way too verbose.", "Be more concise"),
        ("Less jargon, please.", "Use less jargon"),
        ("Please keep it short.", "Keep answers short"),
        ("Can you make your responses more concise?", "Make responses more concise"),
        ("Just get to the point.", "Get to the point"),
        ("Skip the pleasantries.", "Skip the pleasantries"),
        ("No more bullet lists, please.", "Do not use bullet lists"),
        ("I don't need the summary, just the code.", "Provide only the code without the summary"),
    ],
)
def test_style(text: str, rule: str) -> None:
    assert found(text) == [(STYLE, rule, "global")]


@pytest.mark.spec("BEH-05", "BEH-15", "EVL-12")
@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("We write our docs in reStructuredText.", "Writes the docs in reStructuredText"),
        ("We're using Postgres 15 with pgvector.", "Uses Postgres 15 with pgvector"),
        ("For context, our customers are mostly nurses.", "Customers are mostly nurses"),
        ("Our deploys go out on Tuesdays.", "Deploys go out on Tuesdays"),
        ("We use Postgres for everything.", "Uses Postgres for everything"),
        ("Our team reviews code on Mondays.", "Team reviews code on Mondays"),
        ("Our convention is snake_case for columns.", "Convention is snake_case for columns"),
    ],
)
def test_knowledge(text: str, rule: str) -> None:
    assert found(text) == [(KNOWLEDGE, rule, "global")]


@pytest.mark.spec("BEH-16", "EVL-20")
@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Keep the chapters under three thousand words from now on.", PREFERENCE),
        ("Don't use semicolons in my stories.", CORRECTION),
        ("I prefer British spelling in all drafts.", PREFERENCE),
        ("Always show amounts in euros.", PREFERENCE),
        ("Never round the quarterly figures.", PREFERENCE),
        ("For context, our fiscal year starts in April.", KNOWLEDGE),
        ("When you cite a study, give the year.", PREFERENCE),
        ("Please stop summarising papers I have not asked about.", CORRECTION),
        ("Your reviews are too polite, be more critical.", STYLE),
        ("Put the owner behind every action item.", PREFERENCE),
        ("Write the status update as a table from now on.", PREFERENCE),
        ("We track every task in Jira.", KNOWLEDGE),
    ],
)
def test_writing_finance_research_and_projects(text: str, kind: str) -> None:
    assert [one[0] for one in found(text, "Here is the draft.")] == [kind]


@pytest.mark.spec("EVL-12")
def test_the_examples_of_the_documents() -> None:
    if not EXAMPLES.exists():
        pytest.skip("the examples are not on this machine")
    cases = json.loads(EXAMPLES.read_text("utf-8"))
    for case in cases["positives"]:
        told = signals(case["utterance"], None)
        assert case["expected_type"] in [one.type for one in told], case["utterance"]
        if wanted := case["expected_rule"]:
            words = stance(wanted).words
            assert max(likeness(stance(one.rule).words, words) for one in told) > 0.6, wanted
    assert [signals(case["utterance"], None) for case in cases["negatives"]] == [[], []]


@pytest.mark.spec("EVL-12")
@pytest.mark.parametrize(
    "text",
    [
        "I need to stop for lunch",
        "I avoid dairy and only eat organic food.",
        "the wrong approach might be right",
        "My coach told me to always warm up first.",
        "If I asked you to never use commas, could you?",
        "As a child I always preferred stories about pirates.",
        "Do you prefer Python or Go?",
        "Don't worry, it's fine.",
        "Never mind!",
        "Write a limerick about cheese. Use short lines.",
        "Use a formal tone in this letter.",
        "This time, answer in Spanish.",
        "For now, skip the tests.",
        'She said: "always use tabs".',
        "Always be yourself, my friend!",
        "Keep your head up!",
        "Our holiday was too short.",
        "Make it longer.",
        "Act as a pirate. Always end with arr.",
        "Can you give me more detail on photosynthesis?",
        "",
        "?!",
    ],
)
def test_nothing_is_asked_for_good(text: str) -> None:
    assert found(text) == []


def test_a_complaint_is_held_against_the_answer() -> None:
    assert found("Too long.", "Yes.") == []
    assert found("Too long.", "word " * 300) == [(STYLE, "Be more concise", "global")]
    swap = "Use kilometres instead of miles."
    assert found(swap)[0][0] == PREFERENCE
    assert found(swap, "It is 40 miles away.")[0][0] == CORRECTION


@given(st.text(max_size=300))
def test_any_text_will_do(text: str) -> None:
    for one in signals(text, text):
        assert one.rule.strip() == one.rule and "\n" not in one.rule and one.rule != text


@pytest.mark.parametrize("verb", sorted(KNOWN - {"being"}))
def test_every_gerund_leads_back(verb: str) -> None:
    assert gerund(base_of_gerund(gerund(verb)) or "") == gerund(verb)


def test_it_is_quick() -> None:
    said = "I went to the market today and bought some apples for my sister."
    assert seconds(lambda: signals(said), 0.01) < 0.01


@pytest.mark.parametrize(
    "text",
    [
        "Forwarded message:\nFrom: Bo <bo@example.org>\n\nFrom now on, always use tabs.",
        "What does she want?\n\nOn Mon, 3 May 2027, Bo wrote:\nAlways use tabs.",
        "From: bo@example.org\nSubject: style\n\nNever use emojis, please.",
        "It says:\n2027-05-03 12:00:01 ERROR always call init()",
    ],
)
def test_mail_and_logs_that_are_pasted_in_teach_nothing(text: str) -> None:
    assert found(text) == []
    assert found(f"Always use pnpm.\n\n{text}") == [(PREFERENCE, "Always use pnpm", "global")]


WISHES = (
    "I need more detail in your answers.",
    "Always put the conclusion before the reasoning.",
    "I want more examples in your explanations.",
    "Always list the risks after the plan.",
    "I want shorter answers.",
    "Give me shorter answers.",
    "I'd like your summaries as tables.",
    "Never put the code after the explanation.",
    "I need less jargon in your explanations.",
    "Your answers need more detail.",
    "Show me less code and more prose.",
    "Provide more context in your answers.",
    "I need simpler explanations.",
    "Less jargon, please.",
)
NOT_FOR_GOOD = (
    "I need more detail about the second option.",
    "I want answers from my landlord.",
    "Give me more examples of palindromes.",
    "I want a table with the ten largest cities.",
    "I need a shorter summary of this article.",
    "I want to put the sofa before the window.",
    "Give me more detail about the French Revolution.",
    "I need more time for my report.",
    "I always put milk before the tea.",
    "My teacher wants answers in full sentences.",
    "Can you give me more detail on that?",
    "Give me the answers to questions 3 and 4.",
    "If you have any good books on this, please recommend them.",
)
WISHES_KEPT_APART = (
    "Give me more detail.",
    "I want answers in bullet points.",
    "Give me less detail.",
    "I need your replies in plain English.",
    "I need fewer caveats.",
    "Always put units after the numbers.",
    "I want responses without emojis.",
    "Give me answers in German.",
    "I would like more examples.",
    "Your explanations should have more examples.",
    "I want the summary first, then the details.",
    "I want you to put the answer before the explanation.",
    "More detail in your answers, please.",
    "Always begin with the short answer, then explain.",
)
"""Not looked at while the words were chosen; four of them make no rule yet."""


@pytest.mark.spec("BEH-04")
@pytest.mark.parametrize("text", WISHES)
def test_wishes_for_answers_of_some_kind(text: str) -> None:
    ((kind, rule, reach),) = found(text)
    assert (kind in {STYLE, PREFERENCE}, reach) == (True, "global")
    assert not re.search(r"\b(I|me|your)\b", rule), "put as a rule for the assistant"


@pytest.mark.parametrize("text", NOT_FOR_GOOD)
def test_wishes_for_something_at_hand(text: str) -> None:
    assert found(text) == []


def test_most_wishes_kept_apart() -> None:
    assert sum(bool(found(text)) for text in WISHES_KEPT_APART) >= len(WISHES_KEPT_APART) - 4


def test_a_wish_is_put_as_a_rule() -> None:
    assert found("I need more detail in your answers.") == [
        (STYLE, "Give more detail in answers", "global")
    ]
    assert found("I want answers in bullet points") == [
        (STYLE, "Give answers in bullet points", "global")
    ]
    assert found("Give me more detail. What is a monad?") == [], "for this once"
