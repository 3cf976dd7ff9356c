"""What a clause says is over, or has another date now, and which known sentence that is about.

Only the form of the clause is read. Which fact is meant follows from its words among the known:
"I no longer drive the Kangoo" ends "The user drives a white Kangoo".
"""

import re
from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import pairwise

from sharpwave.knowledge.predicates import NOTED
from sharpwave.ports import Reader
from sharpwave.reading.grammar.lexicon import (
    BE,
    DO,
    HAVE,
    MODALS,
    NEGATIVE,
    RELATIONS,
    STOP,
    is_ing,
    is_participle,
    is_past,
    lemma,
    words,
)
from sharpwave.reading.grammar.objects import ENDS, name_end, name_of, relation_at
from sharpwave.reading.grammar.tokens import Phrase
from sharpwave.reading.open_statements import stems
from sharpwave.reading.patterns.match import LIKELY, FactMatch
from sharpwave.temporal import expressions
from sharpwave.temporal.words import SETS_A_DATE
from sharpwave.types.statements import TO_DO, Mode
from sharpwave.types.times import Grain, TimeExpression, TimeKind, TimeRelation

UNRELATED = 0.8
"""Probability from which on a clause does not concern a sentence whose words it has."""
LEAST_SHARE = 1 / 3
"""Share of the words of a sentence in own words that must be said again to be its end."""
_NO_MORE = (("any", "more"), ("any", "longer"), ("anymore",))
_ENDING = words("quit sold cancelled canceled")
_TAKEN = words("stopped discontinued")
"""Verbs that end what is done, and without another verb what is taken: "stopped the ramipril"."""
_ENDING_PHRASES = {
    **dict.fromkeys(("gave", "given"), ("up",)),
    "dropped": ("out", "of"),
    **dict.fromkeys(("got", "gotten"), ("rid", "of")),
    "came": ("off",),
}
_TAKING = words("took taken taking takes")
_BEHIND_NAMES = HAVE | DO | BE | _ENDING | _ENDING_PHRASES.keys() | {"no"}
"""Verbs before which a name is the subject; what others stop is mostly the speaker's medicine."""
_SIGNS = (
    _ENDING | _TAKEN | _TAKING | _ENDING_PHRASES.keys()
    | words("longer anymore more died passed down let fired sacked dismissed laid redundant")
)  # fmt: skip
"""A clause without any of these ends nothing."""
_UNREAL = MODALS | NEGATIVE | words("if wish almost nearly will shall want wants to")
_CLAUSE_ENDS = ENDS | words("and since as")
_OBJECT_ENDS = _CLAUSE_ENDS | words("last in on at for this")
_MINE = words("me my us our")
_TREATING = words("doctor dentist surgeon nurse therapist midwife physiotherapist")


def ended(
    phrase: Phrase, who: str, speaker: str, found: Sequence[FactMatch]
) -> Iterator[FactMatch]:
    """What is no more, in words, where no fact found in the clause says it.

    It is of the subject of the clause, or of the speaker where others end it.
    """
    if _SIGNS.isdisjoint(phrase.low) or any(one.mode is Mode.ENDED for one in found):
        return
    yield from _gone(phrase, speaker)
    if not who and phrase.word(size := name_end(phrase, 0)) in _BEHIND_NAMES:
        who = phrase.cut(0, size).with_times()
    what, by_others = str(_no_longer(phrase) or ""), False
    if not what:
        at, what = _ending(phrase)
        related = relation_at(phrase, 0)
        treated = related is not None and related.relation in _TREATING
        by_others = treated or not _MINE.isdisjoint(phrase.low[at:])
        who = speaker if by_others else who
    if not who and not by_others and _is_another(phrase):
        return
    if what and not any(is_about(one.object, what, False) for one in found):
        yield FactMatch(NOTED, what, LIKELY, Mode.ENDED, subject=who)


def _is_another(phrase: Phrase) -> bool:
    """True if a clause is of neither a known person nor the speaker: "the choir stopped singing".

    What a doctor ends is the speaker's.
    """
    return phrase.word(0) in _OF_OTHERS and _TREATING.isdisjoint(phrase.low[1:4])


_OF_OTHERS = words("the a an this that it he she they his her their its your some")


def _gone(phrase: Phrase, speaker: str) -> Iterator[FactMatch]:
    """A pet or a job that is no more: "Pippo died", "Bosch has let me go", "they sacked me"."""
    text, name = " ".join(phrase.low), name_of(phrase) if phrase.capital(0) else ""
    if name.lower() in STOP or name.lower() in RELATIONS:
        name = ""
    if _DIED.search(text) and name:
        yield FactMatch("pet", name, LIKELY, Mode.ENDED, subject=speaker)
    elif (end := _DISMISSED.search(text)) and _UNREAL.isdisjoint(text[: end.start()].split()):
        yield FactMatch("works_at", name or "the job", LIKELY, Mode.ENDED, subject=speaker)


_DIED = re.compile(
    r"^\w+(?: (?:has|have|had|sadly))* (?:died|passed away)\b(?! (?:laughing|of laughter)\b)"
    r"|^\w+ (?:was )?put down\b"
)
_DISMISSED = re.compile(
    r"(?:\blet me go(?=$| (?:after|as|because|last|this|today|when|without|yesterday)\b"
    r"| in \w+$)"
    r"|\b(?:fired|sacked|dismissed) me\b|\blaid me off\b|\bmade me redundant\b"
    r"|^i (?:was|got|have been) (?:just )?(?:let go|fired|sacked|dismissed|laid off"
    r"|made redundant)\b)(?! up\b)"
)


def _no_longer(phrase: Phrase) -> Phrase | None:
    """As in "I no longer drive the Kangoo", "I do not sing in the choir any more"."""
    if (at := phrase.find("no", "longer")) >= 0:
        return phrase.cut(at + 2).until(_CLAUSE_ENDS)
    for ending in _NO_MORE:
        if (at := phrase.find(*ending)) > 0:
            negated = next((p for p in range(at) if phrase.word(p) in {"not", "never"}), -1)
            return phrase.cut(negated + 1, at) if negated >= 0 else None
    return None


def _ending(phrase: Phrase) -> tuple[int, str]:
    """Where the verb stands, and what it ends: "gave up law", "has taken me off Metformin".

    "The train stopped" and "I took the day off" name nothing that ends.
    """
    low = phrase.low
    for at, word in enumerate(low[:10]):
        if word in _UNREAL:
            break
        behind = _ENDING_PHRASES.get(word)
        rest = phrase.cut(at + 1)
        if word in _TAKING and "off" in rest.low[1:4]:
            return at, _named("take ", rest.cut(rest.find("off") + 1))
        if behind and rest.starts(*behind):
            return at, _named("", rest.cut(len(behind)))
        if word in _ENDING or word in _TAKEN:
            taken = word in _TAKEN and not is_ing(rest.word(0))
            return at, _named("take " * taken, rest)
    return 0, ""


def _named(verb: str, behind: Phrase) -> str:
    what = str(behind.until(_OBJECT_ENDS))
    return f"{verb}{what}" if _meaning(what) else ""


def is_about(what: str, known: str, is_worded: bool) -> bool:
    """True if a known sentence has all the words of what is over.

    >>> is_about("drive the Kangoo", "The user drives a white Kangoo", False)
    True
    """
    said, held = _meaning(what), _meaning(known)
    share = len(said) / len(held) if held else 0.0
    return bool(said) and said <= held and (not is_worded or share >= LEAST_SHARE)


def meant(said: str, known: Sequence[str], reader: Reader | None) -> list[int]:
    """Places of known sentences that a clause may end, by rules: the reader may say otherwise.

    What somebody else stops is mostly theirs, which it knows, but not what a doctor does.
    """
    places = [at for at, one in enumerate(known) if not names_a_part(said, one)]
    if reader is None or not places or _TREATS.search(said):
        return places
    found = reader.compare([known[at] for at in places], said)
    return [at for at, one in zip(places, found, strict=True) if one.none < UNRELATED]


def may_end(said: str, reader: Reader | None, task: str) -> bool:
    """False if what was done is of another thing than a task, or surely only a step to it."""
    if is_another_of_its_kind(said, task):
        return False
    return reader is None or reader.compare([TO_DO + task], said)[0].none < UNRELATED


_TREATS = re.compile(r"\b(?:dr\b|gp\b|\w+(?:ologist|iatrist)\b|clinic|hospital)", re.IGNORECASE)


def is_another_of_its_kind(said: str, known: str) -> bool:
    """True if both speak of the same kind of thing, but each of another one.

    >>> is_another_of_its_kind("Downstairs bathroom is clean", "Clean the upstairs bathroom")
    True
    >>> is_another_of_its_kind("The hotel in Antwerp is booked", "Book the hotel in Ghent")
    True
    """
    one, other = _told_apart(said), _told_apart(known[known.find(" ") :])
    return any(
        not _meaning(one[kind]) & _meaning(known) and not _meaning(other[kind]) & _meaning(said)
        for kind in one.keys() & other.keys()
    )


def _told_apart(text: str) -> dict[str, str]:
    """Things that a text names with a word that tells which: "car insurance", "hotel in Ghent"."""
    pairs = pairwise(_WORD.findall(text.lower()))
    named = {lemma(thing): name.lower() for thing, name in _OF_A_NAME.findall(text)}
    return named | {
        lemma(thing): which
        for which, thing in pairs
        if _meaning(thing)
        and _meaning(which)
        and which not in _ANY_THING
        and not (is_past(which) or is_participle(which) or is_ing(which))
    }


_OF_A_NAME = re.compile(r"\b([a-z]+) (?:in|at|to|from|of|for|with) (?:the )?([A-Z]\w+)")
_ANY_THING = words("new old last next first final other same whole current own")


def stands_beside(said: str) -> bool:
    """True for what comes on top of what is known, or holds for once.

    >>> stands_beside("Theo does judo too now"), stands_beside("Ivo stands in for her this week")
    (True, True)
    """
    return _BESIDE.search(said) is not None


_BESIDE = re.compile(
    r"\btoo(?= now\b|[,.!;]|$)|\bas well\b(?! as)|\ba(?:nother| second)\b"
    r"|\b(?:only |just )?(?:this (?:week|weekend|once)|for (?:today|tonight|once))\b",
    re.IGNORECASE,
)


def names_a_part(said: str, known: str) -> bool:
    """True if a sentence names several things, and what is said only some of them.

    >>> names_a_part("I cancelled Netflix", "I subscribe to Netflix and Spotify")
    True
    """
    words = _meaning(said)
    parts = [_meaning(part) for part in _AND.split(known)]
    named = [bool(part & words) for part in parts if part]
    return any(named) and not all(named)


_AND = re.compile(r"&|\b(?:and|plus)\b", re.IGNORECASE)


def are_one(known: Sequence[str]) -> bool:
    """True if sentences can be about one thing: each has all the words of those with fewer."""
    held = sorted(map(_meaning, known), key=len)
    return all(few <= more for few, more in pairwise(held))


def may_move(new: str) -> bool:
    """A quick look: True if a sentence has a word of change, or a date behind it."""
    said = map(lemma, _WORD.findall(new.lower()))
    return not _CHANGED.isdisjoint(said) or _DATE_AT_END.search(new) is not None


def moved(new: str, known: Sequence[str], at: datetime) -> list[int]:
    """Places of known sentences of which a new one says another date; the nearest in words."""
    plan = _DATE_AT_END.sub("", new)
    same = [at for at, one in enumerate(known) if new != one and plan == _DATE_AT_END.sub("", one)]
    new_dates = dates(new, at)
    if same or plan != new or not new_dates:
        return same if plan != new else []
    said = _meaning(without_dates(new, at)) - _CHANGE_STEMS
    numbers = set(_NUMBER.findall(new)) - {
        str(date.start.day) for date in new_dates[:1] if date.start
    }
    shares: dict[int, float] = {}
    for place, sentence in enumerate(known):
        if not said & _meaning(sentence):
            continue
        before = [
            one
            for one in dates(sentence, at)
            if is_set(one) is is_set(new_dates[0]) and (one.end is None or one.end > at)
        ]
        named = any(str(one.start.day) in numbers for one in before if one.start)
        rest = _meaning(without_dates(sentence, at))
        if before and (named or said <= rest):
            shares[place] = named + len(said & rest) / max(len(rest), 1)
    best = max(shares.values(), default=0.0)
    nearest = [place for place, share in shares.items() if share == best]
    return nearest if are_one([without_dates(known[place], at) for place in nearest]) else []


def new_end(text: str, at: datetime, before: datetime | None = None) -> datetime | None:
    """When the first day that a sentence names is over, other than that of before."""
    return next((one.end for one in dates(text, at) if one.end != before), before)


_NUMBER = re.compile(r"\d+")
_DATE_AT_END = re.compile(r" \([^()]*\d[^()]*\)$")
_WORD = re.compile(r"\w+")
_CHANGED = frozenset(map(lemma, SETS_A_DATE)) | words("now instead new forward off")
_CHANGE_STEMS = stems(" ".join(_CHANGED)) | stems("date back earlier later until")


def dates(text: str, at: datetime) -> list[TimeExpression]:
    """Days and times that a text names, but not since when, years and "now"."""
    return [
        one
        for one in expressions.find(text, at)
        if one.relation is not TimeRelation.SINCE
        and one.kind is not TimeKind.DURATION
        and one.grain is not Grain.YEAR
        and one.text.lower() != "now"
    ]


def is_set(one: TimeExpression) -> bool:
    """True for what comes again: "on Mondays"."""
    return one.kind is TimeKind.SET


def without_dates(text: str, at: datetime) -> str:
    """A text without the times that it names, unless nothing else is left.

    "Visa appointment on the 17th at the consulate" is "Visa appointment at the consulate".
    """
    rest = text
    for one in reversed(expressions.find(text, at)):
        rest = f"{_BEFORE_A_DATE.sub('', rest[: one.span.start])} {rest[one.span.end :]}"
    return " ".join(rest.split()) if _meaning(rest) else text


_BEFORE_A_DATE = re.compile(r"\b(?:at|by|for|from|in|on|the|until)\s*$", re.IGNORECASE)


def _meaning(text: str) -> frozenset[str]:
    plain = [lemma(word) for word in _WORD.findall(text.lower()) if word not in _EMPTY]
    return stems(" ".join(plain))


_EMPTY = (
    (STOP - words("take takes took")) | BE | DO | HAVE | words("user they instead whole need want")
)
