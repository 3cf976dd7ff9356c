"""Requests and what bears on them: out of chats, and made by our program.

    1 asked         user turns               -> the sentences that ask for something
    2 preferences   meanings of nouns        -> a statement of taste, and a request it bears on

A taste names a thing ("I can't stand jazz"), the request only its kind ("Any ideas for music
tonight?"): the two share no word, which questions made from statements cannot teach.
"""

import random
import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

_SENTENCE = re.compile(r"(?<=[.!?])\s+")
_ASKS = re.compile(
    r"(?i)^(can|could|would|do|what|which|how|where|any|is|are|should|please|give|suggest|"
    r"recommend|help|tell|i'm looking for|i am looking for|i need|i want to (find|know|learn))\b"
)
FIELDS = {4, 5, 6, 9, 10, 13, 14, 15, 18, 19, 20, 21, 27, 28}
"""Of WordNet: acts, animals, things, thoughts, communication, food, people, places, plants …"""
SEEN = 3
SEEN_ABOVE = 15

TASTES = (
    "I can't stand {x}.", "I really love {x}.", "I prefer {x} to {y}.", "I never want {x}.",
    "I'm not a fan of {x}.", "{X} is my favourite.", "I have always avoided {x}.",
    "I get bored by {x}, I would rather have {y}.", "I only ever choose {x}.",
    "I've been into {x} for years.", "Please, no {x} for me.", "I grew up with {x}.",
    "I had a bad experience with {x}.", "I'd pick {x} over {y} any day.", "I am afraid of {x}.",
    "I can't have {x} for health reasons.", "I don't believe in {x}.", "I collect {x}.",
    "I value {x} a lot.", "{X} makes me uncomfortable.",
)  # fmt: skip
REQUESTS = (
    "Can you recommend a {h}?", "What {h} would suit me?", "Any ideas for {h} this weekend?",
    "Which {h} should I choose?", "I'm looking for a {h}, what do you suggest?",
    "Help me plan something with {h}.", "What's a good {h} for a beginner?",
    "I want to try a new {h}.", "Where can I find {h}?", "What are the best {h} options?",
    "Could you suggest some {h} for my family?", "Tell me about popular {h}.",
    "I'm travelling soon and need {h}.", "What {h} should I buy as a gift?",
    "How do I get started with {h}?", "Is there any {h} you would advise?",
)  # fmt: skip


def asked(turns: Sequence[str]) -> list[str]:
    """Sentences that ask for something, each once; with the one before, when it is short."""
    found = []
    for turn in turns:
        parts = _SENTENCE.split(re.sub(r"\s+", " ", turn).strip())
        for at, part in enumerate(parts):
            if not (part.endswith("?") or _ASKS.match(part)) or not 5 <= len(part.split()) <= 40:
                continue
            before = parts[at - 1] if at and len(parts[at - 1].split()) <= 20 else ""
            found.append(f"{before} {part}".strip() if at % 2 else part)
    return list(dict.fromkeys(found))


def preferences(
    nouns: Sequence[dict[str, Any]], known: Counter[str], count: int, draw: random.Random
) -> list[tuple[str, str]]:
    """Pairs of a request and the taste that bears on it."""
    below: dict[int, list[int]] = {}
    for at, one in enumerate(nouns):
        if one["field"] in FIELDS and _often(one, known, SEEN):
            for above in one["above"]:
                if _often(nouns[above], known, SEEN_ABOVE):
                    below.setdefault(above, []).append(at)
    kinds = [above for above, things in below.items() if len(things) >= 3]
    made = []
    while kinds and len(made) < count:
        above = draw.choice(kinds)
        thing, other = draw.sample(below[above], 2)
        x, y = (_often(nouns[one], known, SEEN) or "" for one in (thing, other))
        taste = draw.choice(TASTES).format(x=x, y=y, X=x.capitalize())
        request = draw.choice(REQUESTS).format(h=_often(nouns[above], known, SEEN_ABOVE))
        made.append((request, taste))
    return list(dict.fromkeys(made))


def _often(noun: dict[str, Any], known: Counter[str], least: int) -> str | None:
    """The first word of a meaning that people write often enough."""
    for word in noun["words"]:
        if len(word) > 2 and word == word.lower() and all(known[w] >= least for w in word.split()):
            return str(word)
    return None
