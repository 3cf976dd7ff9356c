"""Tell whether two sentences can be about the same thing, by their words and dates."""

import re
from collections.abc import Sequence
from datetime import datetime
from itertools import pairwise

from sharpwave.ports import Reader
from sharpwave.reading.grammar.lexicon import (
    BE,
    DO,
    HAVE,
    STOP,
    is_ing,
    is_participle,
    is_past,
    lemma,
    words,
)
from sharpwave.reading.open_statements import stems
from sharpwave.temporal import expressions
from sharpwave.temporal.words import SETS_A_DATE
from sharpwave.types.statements import TO_DO
from sharpwave.types.times import Grain, TimeExpression, TimeKind, TimeRelation

UNRELATED = 0.8
"""Minimum probability that a clause is unrelated to a sentence although they share words."""
LEAST_SHARE = 1 / 3
"""Minimum share of an open statement's words that a clause must repeat to end it."""


def is_about(ended: str, known: str, is_worded: bool) -> bool:
    """True if a known sentence has all the words of what has ended.

    >>> is_about("drive the Kangoo", "The user drives a white Kangoo", False)
    True
    """
    said, held = _meaning(ended), _meaning(known)
    share = len(said) / len(held) if held else 0.0
    return bool(said) and said <= held and (not is_worded or share >= LEAST_SHARE)


def ended_by(clause: str, known: Sequence[str], reader: Reader | None) -> list[int]:
    """Indexes of known sentences that a clause may end, by rules; the reader may exclude some.

    The reader knows that what another person stops is mostly theirs, but not what a doctor does.
    """
    indexes = [index for index, text in enumerate(known) if not names_a_part(clause, text)]
    if reader is None or not indexes or _TREATS.search(clause):
        return indexes
    effects = reader.compare([known[index] for index in indexes], clause)
    return [
        index for index, effect in zip(indexes, effects, strict=True) if effect.none < UNRELATED
    ]


def may_end(done: str, reader: Reader | None, task: str) -> bool:
    """False if the deed concerns another thing than the task, or is surely only a step to it."""
    if is_another_of_its_kind(done, task):
        return False
    return reader is None or reader.compare([TO_DO + task], done)[0].none < UNRELATED


_TREATS = re.compile(r"\b(?:dr\b|gp\b|\w+(?:ologist|iatrist)\b|clinic|hospital)", re.IGNORECASE)


def is_another_of_its_kind(text: str, known: str) -> bool:
    """True if both texts name the same kind of thing, but different ones.

    >>> is_another_of_its_kind("Downstairs bathroom is clean", "Clean the upstairs bathroom")
    True
    >>> is_another_of_its_kind("The hotel in Antwerp is booked", "Book the hotel in Ghent")
    True
    """
    in_text, in_known = _qualified_things(text), _qualified_things(known[known.find(" ") :])
    return any(
        not _meaning(in_text[kind]) & _meaning(known)
        and not _meaning(in_known[kind]) & _meaning(text)
        for kind in in_text.keys() & in_known.keys()
    )


def _qualified_things(text: str) -> dict[str, str]:
    """Things in a text, each with its qualifier: "car insurance", "hotel in Ghent"."""
    pairs = pairwise(_WORD.findall(text.lower()))
    named = {lemma(thing): name.lower() for thing, name in _OF_A_NAME.findall(text)}
    return named | {
        lemma(thing): qualifier
        for qualifier, thing in pairs
        if _meaning(thing)
        and _meaning(qualifier)
        and qualifier not in _NO_QUALIFIERS
        and not (is_past(qualifier) or is_participle(qualifier) or is_ing(qualifier))
    }


_OF_A_NAME = re.compile(r"\b([a-z]+) (?:in|at|to|from|of|for|with) (?:the )?([A-Z]\w+)")
_NO_QUALIFIERS = words("new old last next first final other same whole current own")


def is_addition(sentence: str) -> bool:
    """True for an addition to what is known, or an exception for once.

    >>> is_addition("Theo does judo too now"), is_addition("Ivo stands in for her this week")
    (True, True)
    """
    return _ADDITION.search(sentence) is not None


_ADDITION = re.compile(
    r"\btoo(?= now\b|[,.!;]|$)|\bas well\b(?! as)|\ba(?:nother| second)\b"
    r"|\b(?:only |just )?(?:this (?:week|weekend|once)|for (?:today|tonight|once))\b",
    re.IGNORECASE,
)


def names_a_part(clause: str, known: str) -> bool:
    """True if a known sentence names several things, and the clause only some of them.

    >>> names_a_part("I cancelled Netflix", "I subscribe to Netflix and Spotify")
    True
    """
    words = _meaning(clause)
    parts = [_meaning(part) for part in _AND.split(known)]
    covered = [bool(part & words) for part in parts if part]
    return any(covered) and not all(covered)


_AND = re.compile(r"&|\b(?:and|plus)\b", re.IGNORECASE)


def are_one(known: Sequence[str]) -> bool:
    """True if sentences can be about one thing: each has all the words of those with fewer."""
    held = sorted(map(_meaning, known), key=len)
    return all(fewer <= more for fewer, more in pairwise(held))


_WORD = re.compile(r"\w+")


def may_move(new: str) -> bool:
    """A quick look: True if a sentence has a word of change, or a date at its end."""
    changed = not _CHANGED.isdisjoint(map(lemma, _WORD.findall(new.lower())))
    return changed or _DATE_AT_END.search(new) is not None


def moved(new: str, known: Sequence[str], at: datetime) -> list[int]:
    """Indexes of known sentences for which a new one gives another date; the nearest in words."""
    plan = _DATE_AT_END.sub("", new)
    if plan != new:  # a caller's plan with its day
        same = (_DATE_AT_END.sub("", sentence) == plan for sentence in known)
        return [index for index, is_same in enumerate(same) if is_same and known[index] != new]
    new_dates = dates(new, at)
    if not new_dates:
        return []
    words_said = _meaning(without_dates(new, at)) - _CHANGE_STEMS
    numbers = set(_NUMBER.findall(new)) - {
        str(date.start.day) for date in new_dates[:1] if date.start
    }
    shares: dict[int, float] = {}
    for index, sentence in enumerate(known):
        if not words_said & _meaning(sentence):
            continue
        before = [
            date
            for date in dates(sentence, at)
            if is_set(date) is is_set(new_dates[0]) and (date.end is None or date.end > at)
        ]
        named = any(str(date.start.day) in numbers for date in before if date.start)
        rest = _meaning(without_dates(sentence, at))
        if before and (named or words_said <= rest):
            shares[index] = named + len(words_said & rest) / max(len(rest), 1)
    best = max(shares.values(), default=0.0)
    nearest = [index for index, share in shares.items() if share == best]
    return nearest if are_one([without_dates(known[index], at) for index in nearest]) else []


_NUMBER = re.compile(r"\d+")
_DATE_AT_END = re.compile(r" \([^()]*\d[^()]*\)$")
_CHANGED = frozenset(map(lemma, SETS_A_DATE)) | words("now instead new forward off")
_CHANGE_STEMS = stems(" ".join(_CHANGED)) | stems("date back earlier later until")


def dates(text: str, at: datetime) -> list[TimeExpression]:
    """Days and times that a text names, except "since …", years and "now"."""
    return [
        expression
        for expression in expressions.find(text, at)
        if expression.relation is not TimeRelation.SINCE
        and expression.kind is not TimeKind.DURATION
        and expression.grain is not Grain.YEAR
        and expression.text.lower() != "now"
    ]


def is_set(one: TimeExpression) -> bool:
    """True for a recurring time: "on Mondays"."""
    return one.kind is TimeKind.SET


def without_dates(text: str, at: datetime) -> str:
    """A text without the times that it names, or the whole text if nothing else is left.

    "Visa appointment on the 17th at the consulate" is "Visa appointment at the consulate".
    """
    rest = expressions.without_times(text, at)
    return rest if _meaning(rest) else text


def _meaning(text: str) -> frozenset[str]:
    plain = [lemma(word) for word in _WORD.findall(text.lower()) if word not in _EMPTY]
    return stems(" ".join(plain))


_EMPTY = (
    (STOP - words("take takes took")) | BE | DO | HAVE | words("user they instead whole need want")
)
