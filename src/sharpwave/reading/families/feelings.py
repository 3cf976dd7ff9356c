"""How somebody feels, and what does somebody good: "I'm exhausted", "writing helps me relax"."""

from collections.abc import Iterator

from sharpwave.reading.found import LIKELY, Found, Rules, When, is_certain, mode_of
from sharpwave.reading.grammar.lexicon import ADVERBS, HAVE, PRONOUNS, is_ing, words
from sharpwave.reading.grammar.objects import ENDS, clipped, means_something, trimmed
from sharpwave.reading.grammar.phrases import Phrase
from sharpwave.reading.grammar.predications import Predication, Tense

MOODS = words(
    """stressed swamped overwhelmed exhausted tired nervous anxious worried sad lonely depressed
    excited thrilled proud grateful thankful frustrated disappointed bored homesick sick ill
    heartbroken devastated relieved happy upset scared drained motivated inspired burned-out
    accepted confident hopeful low down"""
)
_HEAVY = MOODS - words("excited happy thankful proud grateful inspired motivated thrilled")
_TO_THE_LISTENER = words("you your you're hear help see know that to if for about")
_ENDS = ENDS - {",", "so"}


def _be(said: Predication) -> Iterator[Found]:
    rest = _plain(said.rest)
    if said.tense is not Tense.PRESENT or not said.first_person or said.negated:
        return
    if rest.word(0) in MOODS and not _is_reply(rest):
        kept = clipped(rest.until(_ENDS)).cut(0, 12)
        what = trimmed(kept) if HAVE.isdisjoint(kept.low) or "i" in kept.low else ""
        if what and (" " in what or what.lower() in _HEAVY):
            yield Found("feels", what, LIKELY)


def _feel(said: Predication) -> Iterator[Found]:
    """As in "I feel accepted", "I've been feeling stressed", "I felt so proud"."""
    rest = _plain(said.rest)
    if not is_certain(said) or not any(word in MOODS for word in rest.low[:4]) or _is_reply(rest):
        return
    what = trimmed(clipped(rest.until(_ENDS)).cut(0, 12))
    if not what:
        return
    if said.tense in {Tense.PRESENT, Tense.GOING_ON, Tense.LATELY}:
        yield Found("feels", what, LIKELY, mode_of(said))
    elif said.tense is Tense.PAST and not said.negated:
        yield Found("did", f"felt {what}", LIKELY, when=When.EVENT)


def _plain(rest: Phrase) -> Phrase:
    while rest.word(0) in ADVERBS | {"a", "bit", "little", "feeling", "such"}:
        rest = rest.cut(1)
    return rest


def _is_reply(rest: Phrase) -> bool:
    """As in "I'm proud of you", "happy to help", "excited for your show"."""
    near = rest.low[1:6]
    if "you" in near or "your" in near or (bool(near) and near[0] in _TO_THE_LISTENER):
        return True
    return rest.word(2) in {"it", "this", "that", "them"}


_DOING_GOOD = words(
    """helps helped makes made gives gave brings brought lets let allows allowed reminds reminded
    inspires inspired motivates motivated relaxes relaxed calms calmed keeps kept taught teaches"""
)
_NOT_IN_SUBJECTS = words(
    "their them it this that what who which you your , let check thanks i we she he"
)
_JUDGED = words("way relaxing calming therapeutic fun rewarding freeing soothing passion dream")


def good_for_the_speaker(phrase: Phrase) -> Iterator[Found]:
    """As in "gardening helps me unwind", "singing is a fun way to start the day"."""
    first = phrase.word(0)
    if first in PRONOUNS or first in _DOING_GOOD or first in {"i", "we"} or len(phrase) < 4:
        return
    for place, word in enumerate(phrase.low[:9]):
        if word in _NOT_IN_SUBJECTS:
            return
        if not place:
            continue
        after = phrase.word(place + 1)
        subject = phrase.cut(0, place)
        if word in _DOING_GOOD and after in {"me", "us"} and means_something(subject):
            if word != "let" or after == "me":
                yield from _told(phrase)
            return
        if word in {"is", "'s", "was"} and is_ing(phrase.word(0)):
            if any(one in _JUDGED for one in phrase.low[place + 1 : place + 6]):
                yield from _told(phrase)
            return


def _told(phrase: Phrase) -> Iterator[Found]:
    kept = phrase.until(_ENDS, 3).cut(0, 18)
    if kept.low[-1] in {"me", "us"}:
        return
    if {"you", "your", "yourself", "yourselves"}.isdisjoint(kept.low):
        yield Found("finds", str(kept)[:1].lower() + str(kept)[1:], LIKELY)


RULES: Rules = {"be": _be, "feel": _feel}
