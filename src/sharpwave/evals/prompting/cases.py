"""A few cases for each prompt, written by us, with what a good answer has to say.

Small on purpose: they tell a model that can do the work from one that cannot, in a minute and for
a few cents; they do not rank models.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from pydantic import BaseModel

from sharpwave.knowledge.predicates import known as known_predicates
from sharpwave.llm.prompts import behavior, facts, sleep
from sharpwave.llm.prompts.transcript import Line, find_quote
from sharpwave.sleep.phases.abstractive import invented
from sharpwave.types.llm import LLMRole, Prompt
from sharpwave.types.records import Role

_NONCE = "5f0c9d7be1a24368"
_DAY = datetime(2026, 5, 4, 12, tzinfo=UTC)
_SUMMARY_WORDS = 60


@dataclass(frozen=True, slots=True)
class Case:
    """One thing to ask, and how to tell a good answer."""

    prompt: Prompt
    output: type[BaseModel]
    role: LLMRole
    is_right: Callable[[Any], bool]


def cases() -> Iterator[Case]:
    """All of them, by prompt."""
    yield from map(_facts, FACTS)
    yield from map(_conflict, CONFLICTS)
    yield from map(_reflection, REFLECTIONS)
    yield from map(_notes, NOTES)
    yield from map(_summary, SUMMARIES)
    yield from map(_insights, INSIGHTS)
    yield from map(_optimise, OPTIMISED)


# --- what is asked, and what must be found in the answer ------------------------------------------

FACTS: Sequence[tuple[str, frozenset[str]]] = (
    ("Guess what, the folks at Acme took me on as of this week!", frozenset({"acme"})),
    ("My sister Ana moved from Lisbon to Porto last summer.", frozenset({"porto"})),
    ("I stopped eating meat two years ago, and I can't have peanuts.", frozenset({"peanut"})),
    ("Could you explain how a sonnet is built?", frozenset()),
    ("If I lived in Rome, I would walk everywhere.", frozenset()),
)
"""What a user says, and the objects of which one must be there; none at all for small talk."""

CONFLICTS: Sequence[tuple[str, str, bool]] = (
    ("Ana lives in Lisbon.", "Ana lives in Porto.", True),
    ("Ben never eats meat.", "Ben grills a steak every Sunday.", True),
    ("Ana has a cat.", "Ana has a dog.", False),
    ("Ben works in Zurich.", "Ben works at a bank in Zurich.", False),
)
"""Two statements, and whether they are at odds."""

REFLECTIONS: Sequence[tuple[str, str, str | None]] = (
    ("Here is a long essay on tea.", "From now on, keep answers under five lines.", "style"),
    ("I used spaces.", "No! We always indent with tabs here.", "correction"),
    ("Done.", "Thanks. What is the capital of Peru?", None),
    ("Done.", "My boss always says: never deploy on Fridays. Funny man.", None),
)
"""An answer, what the person said to it, and the type of what it asks for good, if anything."""

NOTES: Sequence[tuple[Sequence[str], re.Pattern[str] | None]] = (
    (
        (
            "user: The tests fail. Show me only the command, please.",
            "assistant: Here is the whole background of the test suite, in six parts.",
            "user: Too much. Only the command.",
            "assistant: make test",
            "user: Perfect, just like that.",
        ),
        re.compile(r"short|brief|concise|only|command|direct", re.I),
    ),
    (("user: Hello!", "assistant: Hello, how can I help?", "user: Never mind, bye."), None),
)
"""A session, and what one of the notes must be about; None if there is nothing to learn."""

SUMMARIES: Sequence[tuple[Sequence[str], frozenset[str]]] = (
    (
        (
            "user: We fly to Lisbon on 12 June, Ana and I.",
            "assistant: How long will you stay?",
            "user: Nine days. The hotel costs 840 euros, breakfast included.",
            "assistant: Shall I look for a table on the first evening?",
            "user: Yes, for two, and Ana can't have peanuts.",
        ),
        frozenset({"lisbon", "ana", "peanut"}),
    ),
    (
        (
            "user: The release of Heron moves to 3 March, since Ben is ill.",
            "assistant: Who tells the customers?",
            "user: Clara does, tomorrow.",
        ),
        frozenset({"heron", "clara"}),
    ),
)
"""A session, and what its summary must not leave out."""

INSIGHTS: Sequence[tuple[Sequence[str], str]] = (
    (
        (
            "deploy fails in 8 of 9 cases when no migration ran before it.",
            "migrate before deploy: 14 of 14 succeeded.",
            "search answers in 0.2 s on average.",
        ),
        "deploy",
    ),
)
"""Lessons, and a word that what follows from several of them must have."""

OPTIMISED: Sequence[tuple[str, Sequence[str], re.Pattern[str] | None]] = (
    (
        "Explain thoroughly, with background and examples.",
        ("too verbose", "far too long for me", "too verbose: two sentences would do"),
        re.compile(r"short|brief|concise|sentence|succinct|few", re.I),
    ),
    ("Answer in at most three sentences.", ("I liked the part about Rome.",), None),
)
"""An instruction, remarks on its answers, and what the better one must say; None to keep it."""


# --- the same as cases ----------------------------------------------------------------------------


def _facts(case: tuple[str, frozenset[str]]) -> Case:
    said, wanted = case
    lines = [Line(Role.USER, said, _DAY)]

    def is_right(output: facts.FactsOutput) -> bool:
        found = facts.convert(output, lines).extractions[0].candidates
        objects = [one.statement.object.lower() for one in found if one.statement]
        return all(any(word in one for one in objects) for word in wanted) and (
            bool(wanted) or not objects
        )

    prompt = facts.render(lines, sorted(known_predicates()), _NONCE)
    return Case(prompt, facts.FactsOutput, LLMRole.UTILITY, is_right)


def _conflict(case: tuple[str, str, bool]) -> Case:
    first, second, wanted = case
    earlier = Line(Role.USER, first, _DAY - timedelta(days=90))
    prompt = sleep.render_conflict(earlier, Line(Role.USER, second, _DAY), _NONCE)

    def is_right(output: sleep.ConflictOutput) -> bool:
        return output.inconsistent is wanted

    return Case(prompt, sleep.ConflictOutput, LLMRole.UTILITY, is_right)


def _reflection(case: tuple[str, str, str | None]) -> Case:
    answer, said, wanted = case
    lines = [Line(Role.ASSISTANT, answer, _DAY), Line(Role.USER, said, _DAY)]

    def is_right(output: behavior.ReflectionOutput) -> bool:
        found = [one.type for one in output.steering if find_quote(one.quote, said)]
        return wanted in found if wanted else not output.steering

    prompt = behavior.render_reflection(lines, _NONCE)
    return Case(prompt, behavior.ReflectionOutput, LLMRole.UTILITY, is_right)


def _notes(case: tuple[Sequence[str], re.Pattern[str] | None]) -> Case:
    session, wanted = case

    def is_right(output: sleep.NotesOutput) -> bool:
        if wanted is None:
            return not output.notes
        return any(wanted.search(note.text) for note in output.notes)

    prompt = sleep.render_notes(_session(session), _NONCE)
    return Case(prompt, sleep.NotesOutput, LLMRole.ANALYZER, is_right)


def _summary(case: tuple[Sequence[str], frozenset[str]]) -> Case:
    session, wanted = case
    prompt = sleep.render_summary(_session(session), _SUMMARY_WORDS, _NONCE)

    def is_right(output: sleep.SummaryOutput) -> bool:
        text = output.summary
        complete = all(word in text.lower() for word in wanted)
        return complete and not invented(text, " ".join(session)) and _fits(text)

    return Case(prompt, sleep.SummaryOutput, LLMRole.GENERATOR, is_right)


def _insights(case: tuple[Sequence[str], str]) -> Case:
    lessons, wanted = case

    def is_right(output: sleep.InsightsOutput) -> bool:
        places = set(range(1, len(lessons) + 1))
        return any(
            wanted in one.text.lower() and len(places & set(one.turns)) > 1
            for one in output.insights
        )

    prompt = sleep.render_insights([Line(Role.SYSTEM, text, _DAY) for text in lessons], _NONCE)
    return Case(prompt, sleep.InsightsOutput, LLMRole.ANALYZER, is_right)


def _optimise(case: tuple[str, Sequence[str], re.Pattern[str] | None]) -> Case:
    instruction, remarks, wanted = case

    def is_right(output: behavior.OptimiseOutput) -> bool:
        made = output.instruction.strip()
        if wanted is None:
            return made in ("", instruction)
        return wanted.search(made) is not None

    lines = [Line(Role.USER, text, _DAY) for text in remarks]
    prompt = behavior.render_optimise(Line(Role.SYSTEM, instruction, _DAY), lines, _NONCE)
    return Case(prompt, behavior.OptimiseOutput, LLMRole.OPTIMIZER, is_right)


def _fits(text: str) -> bool:
    return len(text.split()) <= _SUMMARY_WORDS


def _session(said: Sequence[str]) -> list[Line]:
    pairs = [text.split(": ", 1) for text in said]
    return [Line(Role(role), text, _DAY) for role, text in pairs]
