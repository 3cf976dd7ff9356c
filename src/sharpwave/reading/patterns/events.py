"""Events: what a person did or is doing, by any verb that no other pattern waits for."""

from collections.abc import Iterator

from sharpwave.reading.grammar.lexicon import (
    ADVERBS,
    BE,
    MINE,
    PRONOUNS,
    STOP,
    is_past,
    word_list,
    words,
)
from sharpwave.reading.grammar.objects import ENDS, clipped, means_something, relation_at
from sharpwave.reading.grammar.predications import Predication, Tense
from sharpwave.reading.grammar.tokens import Phrase
from sharpwave.reading.patterns.match import LIKELY, FactMatch, When
from sharpwave.temporal.words import HOURS, TENS
from sharpwave.types.statements import Mode

_INNER = word_list("inner_verbs")
_STATES = words("live work have own")
_DOING = words("look think wonder try hope wait talk say tell ask be go get have feel plan")
_SOFT_STARTS = frozenset({"it", "them", "you", "your", "so", "what", "how", "him", "to"})
_ENDS = ENDS - {",", "-", ":", "/"}
COUNTED = words(
    """add watch read try visit collect complete finish write see attend own have run bake make
    take accumulate reach earn gain lose play plant buy score sell post"""
)
_NUMBERS = HOURS | TENS.keys()


def event(said: Predication) -> Iterator[FactMatch]:
    """As in "I built a shed last year" did that; "I'm writing a novel" is doing that."""
    if said.ended or (not said.first_person and said.weak):
        return
    begun = "start" in said.adverbs and said.tense is Tense.GOING_ON
    if begun and not said.negated and _says_enough(said):
        if what := _told(said.whole):
            yield FactMatch("did", f"started {what}", LIKELY, when=When.EVENT)
        return
    if said.tense in {Tense.PAST, Tense.PERFECT}:
        yield from _did(said)
    elif said.tense in {Tense.GOING_ON, Tense.LATELY}:
        yield from _doing(said)


def _did(said: Predication) -> Iterator[FactMatch]:
    if said.verb in _INNER or (said.negated and "never" not in said.adverbs):
        return
    if said.verb == "try" and said.rest.word(0) == "to":
        return
    if said.weak and said.rest.word(0) in {"me", "us"}:
        return
    if said.verb in _STATES and not _is_occasion(said):
        return
    if not _says_enough(said):
        return
    what = _told(said.whole)
    if not what:
        return
    if said.verb == "have" and said.rest.word(0) == "to" and "you" in said.rest.low:
        return
    what = what[:1].lower() + what[1:]
    if said.form.endswith("ing"):
        what = f"was {what}"
    elif not is_past(said.form):
        what = f"{'has' if said.tense is Tense.PERFECT else 'did'} {what}"
    mode = Mode.DENIED if said.negated else Mode.HOLDS
    sure = 0.85 if said.first_person and said.tense is Tense.PAST else LIKELY
    yield FactMatch("did", what, sure, mode, when=When.EVENT)


def _is_occasion(said: Predication) -> bool:
    """As in "we had dinner with friends", "I had to say goodbye": once, and not a state."""
    return said.verb == "have" and said.tense is Tense.PAST and said.rest.word(0) in _HAD


_HAD = words("to a an my our dinner lunch breakfast some")


def _doing(said: Predication) -> Iterator[FactMatch]:
    into = said.verb == "look" and said.rest.word(0) == "into"
    if (said.verb in _INNER | _DOING and not into) or said.negated or not _says_enough(said):
        return
    if what := _told(said.whole):
        yield FactMatch("doing", what[:1].lower() + what[1:], LIKELY)


def _says_enough(said: Predication) -> bool:
    """Some noun of its own: not "I did it", "I got it", "I made some", "I found that helpful"."""
    rest = said.rest.until(_ENDS)
    first = rest.word(0)
    if first == "," or (said.verb == "do" and first in _FARING):
        return False
    if first in _SOFT_STARTS and not (first == "to" and said.verb not in _TO_SOFT):
        return False
    if first == "out" and said.verb in _OUT_SOFT:
        return False
    if said.verb in _PICKY and first not in _THINGS:
        return False
    if said.verb in _KNOWING and first == "that":
        return False
    hidden = sum(rest.is_time(at) for at in range(len(rest)))
    meaning = [word for word in rest.low if word not in STOP and word[0].isalnum()]
    telling = [word for word in meaning if word not in _EMPTY]
    if first in {"this", "that", "these", "those"}:
        # "this photo at the falls" tells something; "that one" or "this" alone does not.
        return len(telling) > 1
    return len(telling) > 0 and len(rest) > hidden


_TO_SOFT = words("get happen use want need")
_FARING = words("well good great fine ok okay alright quite pretty better amazing awesome")
_OUT_SOFT = words("find figure turn check look help reach work hang")
_KNOWING = words("learn realize decide know show prove teach")
_PICKY = words("find see hear notice discover")
_THINGS = words("a an my our some two three four five another the")
_EMPTY = word_list("vague_words")


def _told(phrase: Phrase) -> str:
    """The verb and what belongs to it, up to where another thought begins."""
    kept = clipped(phrase.until(_ENDS))
    comma = kept.find(",")
    if comma > 2 and not (kept.capital(comma + 1) or _goes_on(kept, comma)):
        kept = kept.cut(0, comma)
    kept = kept.cut(0, 22)
    last = len(kept)
    while last and (kept.word(last - 1) in _LAST or kept.is_time(last - 1)):
        last -= 1
    kept = kept.cut(0, last)
    if not kept or (kept.low[-1] in {"it", "them", "that", "this"} and len(kept) < 6):
        return ""
    return str(kept) if means_something(kept.cut(1)) else ""


_LAST = (ADVERBS - {"well"}) | words(
    "and or the a an of in on at to for with though , my i than more"
)


def _goes_on(kept: Phrase, comma: int) -> bool:
    """A list goes on after the comma: "food, water and toys"."""
    after = kept.word(comma + 1)
    return "and" in kept.low[comma + 2 : comma + 6] and after not in PRONOUNS


def happened(phrase: Phrase) -> Iterator[FactMatch]:
    """As in "my boiler broke yesterday": what became of a thing of the speaker's."""
    if phrase.word(0) not in MINE or relation_at(phrase, 0) is not None:
        return
    for place in range(2, min(5, len(phrase))):
        word = phrase.word(place)
        if word in ADVERBS:
            continue
        if word in BE or phrase.word(place + 1) in BE:
            return  # "my car is parked" tells how it is
        if is_past(word) and word not in BE | {"had", "made", "used"}:
            what = _told(phrase.cut(place)) or (word if len(phrase) - place < 3 else "")
            thing = str(phrase.cut(1, place))
            if what and "you" not in phrase.low and thing.replace(" ", "").isalpha():
                yield FactMatch("did", what, LIKELY, subject=f"'s {thing}", when=When.EVENT)
            return


def counts(said: Predication) -> Iterator[FactMatch]:
    """As in "I've watched 12 films", "I have 20 playlists": a later number updates it."""
    if said.verb not in COUNTED or said.negated or said.ended or not said.first_person:
        return
    if said.tense not in {Tense.PRESENT, Tense.PAST, Tense.PERFECT}:
        return
    rest = said.rest
    ends = _COUNT_ENDS if said.tense is Tense.PERFECT else _COUNT_ENDS - {"this", "last"}
    if counted := _counted(rest, ends):
        slug, number = counted
        have = said.verb in {"have", "own"}
        name = f"count_{slug}" if have else f"count_{slug}_{_done(said)}"
        yield FactMatch(name, number, LIKELY, when=When.EVENT)
    at = rest.find("including") if said.tense is Tense.PERFECT else -1
    if at > 0 and (part := _counted(rest.cut(at + 1), ends)):
        done = f"_{_done(said)}" if counted else ""
        yield FactMatch(f"count_{part[0]}{done}", part[1], LIKELY, when=When.EVENT)


def _counted(rest: Phrase, ends: frozenset[str]) -> tuple[str, str] | None:
    """What is counted and how many, in "(about) 12 films …"."""
    at = 1 if rest.word(0) in {"about", "around", "over", "nearly", "almost", "like", "only"} else 0
    number = rest.word(at)
    if not (number.replace(",", "").isdigit() or number in _NUMBERS) or len(rest) <= at + 1:
        return None
    if rest.word(at + 1) in _UNITS or number == "one":
        return None
    named = rest.cut(at + 1).until(ends)
    nouns = [
        word
        for place, word in enumerate(named.low)
        if word not in STOP - {"ones"}
        and word.replace("-", "").isalnum()
        and not named.is_time(place)
    ]
    if not nouns or not nouns[-1].endswith("s") or len(nouns) > 4:
        return None
    return "_".join(nouns[-3:]), number


_COUNT_ENDS = ENDS | words(
    "in to from on at for of with and i so by since this last over during now already total far"
)


def reached(said: Predication) -> Iterator[FactMatch]:
    """A count that goes on: "I've been on five trips now", "I'm up to 30 push-ups"."""
    rest = said.rest
    if not said.first_person or said.negated or said.ended:
        return
    if said.verb == "be" and rest.starts("up", "to") and said.tense is Tense.PRESENT:
        counted = _counted(rest.cut(2), _COUNT_ENDS)
    elif said.tense is Tense.PERFECT and (rest.low[-1:] == ["now"] or rest.low[-1:] == ["far"]):
        at = next((at for at, word in enumerate(rest.low) if word in {"on", "to"}), -1)
        counted = _counted(rest.cut(at + 1), _COUNT_ENDS) if at >= 0 else None
    else:
        return
    if counted is not None:
        yield FactMatch(f"count_{counted[0]}", counted[1], LIKELY, when=When.EVENT)


def running_count(phrase: Phrase) -> Iterator[FactMatch]:
    """As in "that's 15 books since I started", "that makes five trips so far"."""
    if phrase.word(0) not in {"that", "this"} or phrase.word(1) not in {"is", "makes", "brings"}:
        return
    after = phrase.source.low[phrase.last : phrase.last + 1]
    going_on = after == ["since"] or not _SO_FAR.isdisjoint(phrase.low[3:])
    counted = _counted(phrase.cut(2), _COUNT_ENDS) if going_on else None
    if counted is not None:
        yield FactMatch(f"count_{counted[0]}", counted[1], LIKELY, when=When.EVENT)


_SO_FAR = words("since far now already total altogether")


def status(said: Predication) -> Iterator[FactMatch]:
    """As in "I just reached Premier Gold status"."""
    rest = said.rest.cut(said.rest.word(0) in {"the", "my"})
    at = next((at for at, word in enumerate(rest.low[:5]) if word in _RANKS), 0)
    risen = said.verb in _RISING and said.tense in {Tense.PAST, Tense.PERFECT}
    if risen and not said.negated and at and rest.capital(at - 1):
        yield FactMatch("has_status", str(rest.cut(0, at + 1)), LIKELY, when=When.EVENT)


_RISING = words("reach hit achieve earn get attain make gain receive")
_RANKS = words("status tier rank level elite")


def _done(said: Predication) -> str:
    """One form for all tenses: "watched 5 films" counts films watched."""
    return said.form if said.tense is not Tense.PRESENT else said.verb


_UNITS = words(
    """hours hour minutes minute days day weeks week months month years year miles mile km dollars
    percent times am pm kids children siblings brothers sisters sons daughters cats dogs things
    people more of or to"""
)
