"""Conversations of our own in which values change, and the question which one holds now.

Seeded. Each thing is told once and then changes so many times, days apart, with small talk between.
In plain words a change repeats the phrase with "now" and the question uses the same words; in other
words both are put differently, as people do. The question comes last.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from random import Random

from evals.recall.talks import Question, Talk, Talks, Turn

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
    """Something of the user's that has one value at a time, and how it is told and asked."""

    name: str
    ask: str
    asked_otherwise: str
    plain: str
    """How it is told; a change is the same with "now"."""
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
class Asked:
    """A question about a value that changed: the one that holds, and those that did."""

    question: Question
    now: str
    before: tuple[str, ...]


def talks(times: Sequence[int] = TIMES, seed: int = SEED) -> tuple[Talks, dict[str, Asked]]:
    """A conversation for each wording and number of changes; what is asked, by the ids."""
    made: list[Talk] = []
    asked: dict[str, Asked] = {}
    for wording in (PLAIN, OTHER):
        for count in times:
            talk, wanted = _talk(count, wording, Random(f"{seed}:{wording}:{count}"))
            made.append(talk)
            asked |= {one.question.id: one for one in wanted}
    digest = hashlib.blake2b(repr(made).encode(), digest_size=8).hexdigest()
    return Talks("changes", tuple(made), digest), asked


def _talk(count: int, wording: str, random: Random) -> tuple[Talk, list[Asked]]:
    drawn = {thing.name: random.sample(thing.values, count + 1) for thing in THINGS}
    turns: list[Turn] = []
    at = datetime(2024, 1, 8, 9, tzinfo=UTC)
    for place in range(count + 1):
        for thing in random.sample(THINGS, len(THINGS)):
            said = _told(thing, place, wording, random).format(drawn[thing.name][place])
            for text in (*_small_talk(random), said, *_small_talk(random)):
                session = f"{place}:{thing.name}"
                turns.append(Turn(str(len(turns)), text, "user", None, session, at))
                at += timedelta(minutes=2)
            at += timedelta(days=3)
    name = f"{wording}, {count} change{'s' * (count > 1)}"
    wanted = []
    for thing in THINGS:
        *before, now = drawn[thing.name]
        told = tuple(turn.id for turn in turns if now in turn.text)
        text = thing.ask if wording == PLAIN else thing.asked_otherwise
        question = Question(f"{name}: {thing.name}", text, name, told, at + timedelta(days=2))
        wanted.append(Asked(question, now, tuple(before)))
    return Talk(name, tuple(turns), tuple(one.question for one in wanted)), wanted


def _told(thing: Changing, place: int, wording: str, random: Random) -> str:
    if wording == PLAIN:
        return thing.plain.replace(".", " now.") if place else thing.plain
    return random.choice(thing.change) if place else thing.first


def _small_talk(random: Random) -> list[str]:
    return random.sample(SMALL_TALK.split("|"), random.randint(1, 3))
