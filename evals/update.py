"""`update`: a value has changed; which one comes first, and is the old one gone.

Two sources: conversations of our own, and LongMemEval's knowledge-update questions, where evidence
of the latest session is new and earlier evidence old. Judged are three views of ours and two of
peers:

    recall     the items of `recall`, best first
    profile    what is known of the user, whatever is asked; our own conversations only
    context    the text for a prompt, from its beginning
    bm25, vector   turns in their order, as many as fit into a prompt of the same size

An old value that is marked as no longer so counts as history, not as shown.

Our own conversations are seeded. Each thing is stated once and then changes once, twice or four
times, days apart, with small talk between. In plain words a change repeats the phrase with "now"
and the question uses the same words; in other words both are put differently, as people do. The
question comes last.
"""

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from random import Random
from typing import Any

import numpy as np
from rich.table import Table

from evals import cli, pages, talks
from evals.cli import SHARED, Data, Json, Limit, Page, Resume
from evals.context import fitting, turns_shown
from evals.progress import Progress, ProgressFile, Rows, fingerprint, remove, silent
from evals.recall import LoadedMemory, Plan, loaded
from evals.retrievers import Retriever, baselines, ranking
from evals.stores import with_speaker
from evals.talks import Question, Talk, Talks, Turn
from sharpwave import NotFound

TIMES = (1, 2, 4)
"""How often a value changes."""
PLAIN, OTHER = "plain words", "other words"
SEED = 11
SMALL_TALK = """The bus was late again this morning.|Could you shorten this paragraph for me?
It rained the whole weekend.|What is a good way to learn chess openings?
I slept badly, the neighbours had a party.|Please translate the menu into French.
The printer in the hall is broken.|How long do lentils have to cook?
I watched a documentary about whales.|Remind me what a prime number is.
My back hurts from sitting.|Which films would you show to a ten-year-old?
We had soup for lunch.|Is it safe to freeze yoghurt?
The train to the coast was packed.|Give me three ideas for a birthday card.
There was a power cut on our street.|Explain compound interest simply.""".replace("\n", "|")


@dataclass(frozen=True, slots=True)
class Changing:
    """Something of the user's that has one value at a time, and how it is stated and asked."""

    name: str
    ask: str
    asked_otherwise: str
    plain: str
    """How it is stated; a change is the same with "now"."""
    first: str
    change: tuple[str, ...]
    """Other words for the first value and for later ones."""
    values: tuple[str, ...]


THINGS = (
    Changing(
        "home", "Where do I live?", "Which city is my home these days?",
        "I live in {}.", "I have a small flat in {}.",
        ("I moved to {} this week.", "We have settled in {} at last."),
        ("Lisbon", "Oslo", "Krakow", "Ghent", "Turin"),
    ),
    Changing(
        "work", "Where do I work?", "Who is my employer at the moment?",
        "I work at {}.", "I started at {} as an analyst.",
        ("I left, and joined {} last week.", "My new job is at {}."),
        ("Brightwell", "Norfield", "Casparo", "Ostrand", "Velmora"),
    ),
    Changing(
        "car", "What do I drive?", "Which make is my car?",
        "I drive a {}.", "I bought a {} from my uncle.",
        ("I sold the old one and took a {}.", "My car is a {} these days."),
        ("Skoda", "Volvo", "Mazda", "Peugeot", "Kia"),
    ),
    Changing(
        "drink", "What is my favourite drink?", "What do I like to drink most?",
        "My favourite drink is {}.", "Nothing beats {}, of all drinks.",
        ("Actually, my favourite drink is {}.", "I am off that; I prefer {} to all other drinks."),
        ("kombucha", "espresso", "rooibos", "lemonade", "horchata"),
    ),
    Changing(
        "phone", "Which phone do I have?", "What do I make calls with?",
        "My phone is a {}.", "I use a {} phone.",
        ("I replaced my phone with a {}.", "I have a new phone, a {}."),
        ("Pixel", "Fairphone", "Nokia", "Xperia", "Motorola"),
    ),
    Changing(
        "meeting", "When is my weekly review with Dana?", "On which day do Dana and I meet?",
        "My weekly review with Dana is on {}.", "Dana and I do our weekly review on {}s.",
        ("Dana moved our weekly review to {}.", "From now on Dana and I review on {}s."),
        ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday"),
    ),
    Changing(
        "flatmate", "Who is my flatmate?", "With whom do I share the flat?",
        "My flatmate is {}.", "I share the flat with {}.",
        ("{} moved in as my flatmate.", "My new flatmate is {}."),
        ("Imogen", "Rashid", "Beatriz", "Tobias", "Yuki"),
    ),
    Changing(
        "budget", "What is the budget for the kitchen?", "How much may the kitchen cost?",
        "The budget for the kitchen is {} euros.", "I want to spend {} euros on the kitchen.",
        ("I raised the kitchen budget to {} euros.", "We agreed on {} euros for the kitchen."),
        ("4000", "5500", "7200", "8100", "9600"),
    ),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class ChangedValue:
    """A question about a value that changed: the one that holds, and those that did."""

    question: Question
    now: str
    before: tuple[str, ...]


def changing_talks(
    times: Sequence[int] = TIMES, seed: int = SEED
) -> tuple[Talks, dict[str, ChangedValue]]:
    """A conversation for each wording and number of changes; what is asked, by the ids."""
    made: list[Talk] = []
    asked: dict[str, ChangedValue] = {}
    for wording in (PLAIN, OTHER):
        for count in times:
            talk, wanted = _changing_talk(count, wording, Random(f"{seed}:{wording}:{count}"))
            made.append(talk)
            asked |= {value.question.id: value for value in wanted}
    digest = hashlib.blake2b(repr(made).encode(), digest_size=8).hexdigest()
    return Talks("changes", tuple(made), digest), asked


def _changing_talk(count: int, wording: str, random: Random) -> tuple[Talk, list[ChangedValue]]:
    drawn = {thing.name: random.sample(thing.values, count + 1) for thing in THINGS}
    turns: list[Turn] = []
    at = datetime(2024, 1, 8, 9, tzinfo=UTC)
    for place in range(count + 1):
        for thing in random.sample(THINGS, len(THINGS)):
            said = _statement(thing, place, wording, random).format(drawn[thing.name][place])
            for text in (*_small_talk(random), said, *_small_talk(random)):
                session = f"{place}:{thing.name}"
                turns.append(Turn(str(len(turns)), text, "user", None, session, at))
                at += timedelta(minutes=2)
            at += timedelta(days=3)
    name = f"{wording}, {count} change{'s' * (count > 1)}"
    wanted = []
    for thing in THINGS:
        *before, now = drawn[thing.name]
        evidence = tuple(turn.id for turn in turns if now in turn.text)
        text = thing.ask if wording == PLAIN else thing.asked_otherwise
        question = Question(f"{name}: {thing.name}", text, name, evidence, at + timedelta(days=2))
        wanted.append(ChangedValue(question, now, tuple(before)))
    return Talk(name, tuple(turns), tuple(value.question for value in wanted)), wanted


def _statement(thing: Changing, place: int, wording: str, random: Random) -> str:
    if wording == PLAIN:
        return thing.plain.replace(".", " now.") if place else thing.plain
    return random.choice(thing.change) if place else thing.first


def _small_talk(random: Random) -> list[str]:
    return random.sample(SMALL_TALK.split("|"), random.randint(1, 3))


BUDGET = 800
KIND = "knowledge-update"
MARK = "no longer so)"
"""How a context marks what has been superseded."""
SHARES = ("new_first", "old_first", "new_shown", "old_shown")
_CHARTS = {
    "new_first": "the value that holds comes first",
    "old_shown": "an old value is shown as if it held",
}
NEW, OLD, NEITHER = "new", "old", "neither"

Label = Callable[[str, set[str]], str | None]
"""A text and the turns it is, or rests on: whether it tells the new value, an old one, or none."""


@dataclass(frozen=True, slots=True)
class UpdateQuestion:
    """A question about something that changed, and how to tell new from old."""

    question: Question
    label: Label
    profiled: bool


def measure(public: Talks | None, plan: Plan, progress: Progress = silent) -> dict[str, Any]:
    """Our own conversations and, if it is there, LongMemEval; by the number of changes."""
    peers = baselines()

    def rows_of(conversations: Talks, asked: Callable[[Talk], list[UpdateQuestion]]) -> Rows:
        mark = fingerprint(conversations, plan.settings, "update", BUDGET)
        notebook = ProgressFile(plan.resume, mark)
        return notebook.each(
            conversations.talks[: plan.limit],
            lambda text: progress(f"{conversations.set}: {text}"),
            lambda talk: _talk(talk, asked(talk), peers, plan),
        )

    own, values = changing_talks()
    rows = rows_of(
        own, lambda talk: [_of_values(values[question.id]) for question in talk.questions]
    )
    if public is not None:
        rows += rows_of(_knowledge_updates(public), _of_sessions)
    names = dict.fromkeys(row["category"] for row in rows)
    categories = {name: summary([r for r in rows if r["category"] == name]) for name in names}
    return {"categories": categories, "questions": rows}


def summary(rows: Rows) -> dict[str, dict[str, float]]:
    """For each view: how often the new value comes first, an old one does, and each is shown."""
    views = dict.fromkeys(view for row in rows for view in row["views"])
    return {
        view: _shares([row["views"][view] for row in rows if view in row["views"]])
        for view in views
    }


def _shares(seen: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    count = len(seen)
    return {
        "questions": count,
        "new_first": sum(view["first"] == NEW for view in seen) / count,
        "old_first": sum(view["first"] == OLD for view in seen) / count,
        "new_shown": sum(NEW in view["shown"] for view in seen) / count,
        "old_shown": sum(OLD in view["shown"] for view in seen) / count,
    }


def _talk(
    talk: Talk, asked: Sequence[UpdateQuestion], peers: Mapping[str, Retriever], plan: Plan
) -> Rows:
    turns = [turn for turn in talk.turns if turn.candidate]
    searches = {
        name: peer.index([with_speaker(turn) for turn in turns]) for name, peer in peers.items()
    }
    rows = []
    with loaded(talk, plan.settings) as held:
        for question in asked:
            views = _ours(held, question)
            for name, search in searches.items():
                order = [
                    turns[place] for place in ranking(np.asarray(search(question.question.text)))
                ]
                shown = fitting(order, BUDGET)
                views[name] = _view(question.label(turn.text, {turn.id}) for turn in shown)
            rows.append(
                {"id": question.question.id, "category": question.question.category, "views": views}
            )
    return rows


def _ours(held: LoadedMemory, asked: UpdateQuestion) -> dict[str, Any]:
    held.clock.set(asked.question.asked_at)
    memory, text = held.memory, asked.question.text
    found = memory.recall(text)
    assembled = memory.context(text, budget=BUDGET)
    lines = (line for section in assembled.sections[1:] for line in section.lines)
    views = {
        "recall": [item.record.id for item in found if item.outdated_by is None],
        "context": [
            id_ for id_, line in zip(assembled.ids, lines, strict=True) if MARK not in line
        ],
    }
    if asked.profiled:
        views["profile"] = [fact.id for fact in memory.facts.profile()]
    return {
        view: _view(
            asked.label(memory.explain(id_).record.text, turns_shown(held, [id_])) for id_ in ids
        )
        for view, ids in views.items()
    }


def _view(labels: Iterable[str | None]) -> dict[str, Any]:
    """What comes first, and what is there at all."""
    known = [label for label in labels if label]
    return {"first": known[0] if known else NEITHER, "shown": sorted(set(known))}


def _by_value(now: str, before: Sequence[str], text: str, turns: set[str]) -> str | None:
    if now in text:
        return NEW
    return OLD if any(value in text for value in before) else None


def _by_turn(new: set[str], old: set[str], text: str, turns: set[str]) -> str | None:
    if turns & new:
        return NEW
    return OLD if turns & old else None


def _of_values(value: ChangedValue) -> UpdateQuestion:
    return UpdateQuestion(
        value.question, partial(_by_value, value.now, value.before), profiled=True
    )


def _knowledge_updates(public: Talks) -> Talks:
    """The conversations whose question is about a change that more than one session tells of."""
    some = [
        talk
        for talk in public.talks
        for question in talk.questions
        if question.category == KIND
        and question.answerable
        and len({_session(id_) for id_ in question.evidence}) > 1
    ]
    return Talks(public.set, tuple(some), public.digest)


def _of_sessions(talk: Talk) -> list[UpdateQuestion]:
    """Evidence of the last session is new, that of earlier ones old."""
    asked = []
    for question in talk.questions:
        last = max(map(_session, question.evidence))
        new = {turn for turn in question.evidence if _session(turn) == last}
        label = partial(_by_turn, new, set(question.evidence) - new)
        asked.append(UpdateQuestion(question, label, profiled=False))
    return asked


def _session(turn: str) -> int:
    """LongMemEval's turns are named by session, in order of time, and place."""
    return int(turn.split(":")[0])


# --- the command ----------------------------------------------------------------------------------


def update(
    data: Data = SHARED,
    limit: Limit = None,
    page: Page = None,
    resume: Resume = None,
    as_json: Json = False,
) -> None:
    """Which value is given first after it changed, and whether the old one is gone."""
    public = None
    try:
        public = talks.load("longmemeval", data)
    except NotFound as error:
        cli.report_progress(f"note: our own conversations only; {error}")
    plan = Plan(settings=cli.settings_to_measure(), limit=limit, resume=resume)
    result = measure(public, plan, cli.report_progress)
    cli.write_page(_page(result), page)
    remove(resume)
    if as_json:
        cli.print_json(result)
        return
    for category, views in result["categories"].items():
        table = Table("shown by", *(name.replace("_", " ") for name in SHARES))
        table.title = f"{category}: {views['context']['questions']:.0f} questions"
        for view, shares in views.items():
            table.add_row(view, *(f"{shares[name]:.2f}" for name in SHARES))
        cli.console.print(table)


def _page(result: Mapping[str, Any]) -> str:
    """By category: which value comes first, and whether an old one is shown as if it held."""
    categories = result["categories"]
    views = list(dict.fromkeys(view for each in categories.values() for view in each))
    parts = [
        pages.Part(
            title.capitalize(),
            figure=pages.bars(
                title,
                list(categories),
                {
                    view: [each.get(view, {}).get(name, 0.0) for each in categories.values()]
                    for view in views
                },
            ),
            caption="Higher is better." if name == "new_first" else "Lower is better.",
        )
        for name, title in _CHARTS.items()
    ]
    heads = ("", *(name.replace("_", " ") for name in SHARES))
    parts += [
        pages.Part(
            category,
            table=pages.table(
                heads, {v: [f"{each[n]:.2f}" for n in SHARES] for v, each in of.items()}
            ),
        )
        for category, of in categories.items()
    ]
    lead = f"{len(result['questions'])} questions about something that changed."
    return pages.page("What holds now", lead, parts, pages.FOOT)
