"""`prompts`: a few cases for each prompt, written by us, with what a good answer has to say.

Small on purpose: they tell a model that can do the work from one that cannot, in a minute and for
a few cents; they do not rank models.
"""

import re
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Annotated, Any

import typer
from pydantic import BaseModel
from rich.table import Table
from rich.text import Text

from evals import cli
from evals.cli import Json
from evals.parts import (
    ConflictOutput,
    ConversationOutput,
    InsightsOutput,
    KnownLine,
    MemoryOperation,
    NotesOutput,
    OptimiseOutput,
    PromptLine,
    SummaryOutput,
    find_quote,
    invented,
    known_predicates,
    language_model,
    render_conflict,
    render_conversation,
    render_insights,
    render_notes,
    render_optimise,
    render_summary,
)
from evals.progress import Progress, silent
from sharpwave import LLM, InvalidInput, Kind, ProviderError, Role, load_settings
from sharpwave.types.llm import LLMRole, Prompt

_NONCE = "5f0c9d7be1a24368"
_DAY = datetime(2026, 5, 4, 12, tzinfo=UTC)
_SUMMARY_WORDS = 60


@dataclass(frozen=True, slots=True)
class PromptCase:
    """One thing to ask, and how to tell a good answer."""

    prompt: Prompt
    output: type[BaseModel]
    role: LLMRole
    is_right: Callable[[Any], bool]


def cases() -> Iterator[PromptCase]:
    """All of them, by prompt."""
    yield from map(_facts, FACTS)
    yield from map(_rules, RULES)
    yield _update()
    yield from map(_conflict, CONFLICTS)
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

RULES: Sequence[tuple[str, str, bool]] = (
    ("Here is a long essay on tea.", "From now on, keep answers under five lines.", True),
    ("I used spaces.", "No! We always indent with tabs here.", True),
    ("Done.", "Thanks. What is the capital of Peru?", False),
    ("Done.", "My boss always says: never deploy on Fridays. Funny man.", False),
)
"""An answer, what the person said to it, and whether it asks for something for good."""

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


def _facts(case: tuple[str, frozenset[str]]) -> PromptCase:
    said, wanted = case

    def is_right(output: ConversationOutput) -> bool:
        found = [f"{one.object} {one.text}".lower() for one in _quoting(output, said)]
        return all(any(word in text for text in found) for word in wanted) and (
            bool(wanted) or not found
        )

    return _conversation([PromptLine(Role.USER, said, _DAY)], is_right)


def _rules(case: tuple[str, str, bool]) -> PromptCase:
    answer, said, wanted = case
    lines = [PromptLine(Role.ASSISTANT, answer, _DAY), PromptLine(Role.USER, said, _DAY)]

    def is_right(output: ConversationOutput) -> bool:
        return any(one.kind == "rule" for one in _quoting(output, said)) is wanted

    return _conversation(lines, is_right)


def _update() -> PromptCase:
    said = "dentist pushed me back, the 9th now"
    known = KnownLine("F1", Kind.FACT, "The user sees the dentist on 7 May 2026.", _DAY)

    def is_right(output: ConversationOutput) -> bool:
        return [(one.op, one.id) for one in _quoting(output, said)] == [("update", "F1")]

    return _conversation([PromptLine(Role.USER, said, _DAY)], is_right, known)


def _conversation(
    lines: Sequence[PromptLine], is_right: Callable[[ConversationOutput], bool], *known: KnownLine
) -> PromptCase:
    prompt = render_conversation(known, (), lines, sorted(known_predicates()))
    return PromptCase(prompt, ConversationOutput, LLMRole.UTILITY, is_right)


def _quoting(output: ConversationOutput, said: str) -> list[MemoryOperation]:
    """The operations that quote what the person said."""
    made = [one for one in output.operations if one.op != "nothing"]
    return [one for one in made if find_quote(one.quote, said)]


def _conflict(case: tuple[str, str, bool]) -> PromptCase:
    first, second, wanted = case
    earlier = PromptLine(Role.USER, first, _DAY - timedelta(days=90))
    prompt = render_conflict(earlier, PromptLine(Role.USER, second, _DAY), _NONCE)

    def is_right(output: ConflictOutput) -> bool:
        return output.inconsistent is wanted

    return PromptCase(prompt, ConflictOutput, LLMRole.UTILITY, is_right)


def _notes(case: tuple[Sequence[str], re.Pattern[str] | None]) -> PromptCase:
    session, wanted = case

    def is_right(output: NotesOutput) -> bool:
        if wanted is None:
            return not output.notes
        return any(wanted.search(note.text) for note in output.notes)

    prompt = render_notes(_session(session), _NONCE)
    return PromptCase(prompt, NotesOutput, LLMRole.ANALYZER, is_right)


def _summary(case: tuple[Sequence[str], frozenset[str]]) -> PromptCase:
    session, wanted = case
    prompt = render_summary(_session(session), _SUMMARY_WORDS, _NONCE)

    def is_right(output: SummaryOutput) -> bool:
        text = output.summary
        complete = all(word in text.lower() for word in wanted)
        return complete and not invented(text, " ".join(session)) and _fits(text)

    return PromptCase(prompt, SummaryOutput, LLMRole.GENERATOR, is_right)


def _insights(case: tuple[Sequence[str], str]) -> PromptCase:
    lessons, wanted = case

    def is_right(output: InsightsOutput) -> bool:
        places = set(range(1, len(lessons) + 1))
        return any(
            wanted in insight.text.lower() and len(places & set(insight.turns)) > 1
            for insight in output.insights
        )

    prompt = render_insights([PromptLine(Role.SYSTEM, text, _DAY) for text in lessons], _NONCE)
    return PromptCase(prompt, InsightsOutput, LLMRole.ANALYZER, is_right)


def _optimise(case: tuple[str, Sequence[str], re.Pattern[str] | None]) -> PromptCase:
    instruction, remarks, wanted = case

    def is_right(output: OptimiseOutput) -> bool:
        made = output.instruction.strip()
        if wanted is None:
            return made in ("", instruction)
        return wanted.search(made) is not None

    lines = [PromptLine(Role.USER, text, _DAY) for text in remarks]
    prompt = render_optimise(PromptLine(Role.SYSTEM, instruction, _DAY), lines, _NONCE)
    return PromptCase(prompt, OptimiseOutput, LLMRole.OPTIMIZER, is_right)


def _fits(text: str) -> bool:
    return len(text.split()) <= _SUMMARY_WORDS


def _session(said: Sequence[str]) -> list[PromptLine]:
    pairs = [text.split(": ", 1) for text in said]
    return [PromptLine(Role(role), text, _DAY) for role, text in pairs]


@dataclass(frozen=True, slots=True)
class PromptScore:
    """How a model did with one prompt."""

    prompt: str
    """Name and version."""
    model: str
    asked: int = 0
    answered: int = 0
    """Answers in the right form."""
    right: int = 0
    """Answers that say what they have to."""
    input_tokens: int = 0
    output_tokens: int = 0
    seconds: float = 0.0
    problem: str | None = None
    """The last failure, if any."""


def measure(
    llm: LLM,
    cases: Iterable[PromptCase],
    progress: Progress = silent,
    now: Callable[[], float] = time.perf_counter,
) -> list[PromptScore]:
    """One score a prompt, in the order of the cases."""
    scores: dict[str, PromptScore] = {}
    for case in cases:
        name = f"{case.prompt.name} {case.prompt.version}"
        progress(name)
        before = scores.get(name) or PromptScore(name, llm.model(case.role))
        scores[name] = _ask(llm, case, before, now)
    return list(scores.values())


def _ask(llm: LLM, case: PromptCase, before: PromptScore, now: Callable[[], float]) -> PromptScore:
    begin = now()
    try:
        answer = llm.structured(case.prompt, case.output, case.role)
    except ProviderError as error:
        made = replace(before, problem=str(error))
        sent, answered = error.input_tokens, error.output_tokens
    else:
        right = before.right + case.is_right(answer.value)
        made = replace(before, answered=before.answered + 1, right=right)
        sent, answered = answer.usage.input_tokens, answer.usage.output_tokens
    return replace(
        made,
        asked=before.asked + 1,
        input_tokens=before.input_tokens + sent,
        output_tokens=before.output_tokens + answered,
        seconds=before.seconds + now() - begin,
    )


# --- the command ----------------------------------------------------------------------------------


def prompts(
    only: Annotated[list[str] | None, typer.Option("--only", help="Just this prompt.")] = None,
    settings: Annotated[
        Path | None, typer.Option("--settings", help="A TOML settings file.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Ask the configured language models a few cases of every prompt; costs some cents at most."""
    known = sorted({case.prompt.name for case in cases()})
    for name in only or ():
        if name not in known:
            raise InvalidInput(f"there is no prompt {name!r}; there are {', '.join(known)}")
    chosen = [case for case in cases() if not only or case.prompt.name in only]
    scores = measure(language_model(load_settings(settings)), chosen, cli.report_progress)
    if as_json:
        cli.print_json({"prompts": scores})
        return
    table = Table("prompt", "model", "asked", "in form", "right", "tokens", "seconds", box=None)
    for score in scores:
        counts = (str(score.asked), str(score.answered), str(score.right))
        tokens = f"{score.input_tokens} + {score.output_tokens}"
        table.add_row(score.prompt, Text(score.model), *counts, tokens, f"{score.seconds:.1f}")
    cli.console.print(table)
    for problem in dict.fromkeys(score.problem for score in scores if score.problem):
        cli.say(problem)
