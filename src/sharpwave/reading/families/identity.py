"""Who somebody is: name, age, birthday, origin, faith, gender, whether married."""

import re
from collections.abc import Iterator

from sharpwave.reading.found import (
    CLEAR,
    LIKELY,
    Found,
    Rules,
    When,
    is_certain,
    mode_of,
    state_mode,
)
from sharpwave.reading.grammar.lexicon import (
    DAYS,
    FAITHS,
    MINE,
    MONTHS,
    NATIONALITIES,
    NUMBERS,
    words,
)
from sharpwave.reading.grammar.objects import ENDS, name_of, trimmed
from sharpwave.reading.grammar.phrases import Phrase
from sharpwave.reading.grammar.predications import Predication, Tense
from sharpwave.reading.grammar.relations import relation_at
from sharpwave.types.statements import Mode

STATUSES = words("married single divorced engaged widowed separated unmarried")
GENDERS = words(
    "transgender trans nonbinary non-binary bisexual gay lesbian queer asexual straight"
)
_YEARS = re.compile(r"(\d{1,3}|[a-z]+(?:-[a-z]+)?)[ -]years?[ -]old\b")
_YEAR = re.compile(r"(?:19|20)\d\d")
_FEET = re.compile(r"[4-7]'\d{1,2}")
_NUMBER = re.compile(r"(?:1[0-9]|[2-9][0-9])\b")
_TALL = re.compile(
    r"(\d[\d.,' \"]{0,8}(?:cm|m|feet|ft|foot|inches|in)?[\d \"]{0,6}(?:inches|in)?) tall"
)
_NO_NAMES = NATIONALITIES | FAITHS | DAYS | MONTHS | STATUSES | GENDERS | words(
    """in at on so not very from sorry happy glad sure fine ok okay good back home here there done
    ready busy free late early new mexican lgbtq lgbt adhd autistic team"""
)  # fmt: skip


def _be(said: Predication) -> Iterator[Found]:
    rest, low = said.rest, said.rest.low
    if not low or not is_certain(said):
        return
    yield from _age(said)
    yield from _group(said)
    if low[0] == "born":
        yield from _born(said)
    if said.first_person and not said.plural and not said.negated and said.tense is Tense.PRESENT:
        name = name_of(rest, most=3)
        size = len(name.split())
        alone = len(low) == size or rest.word(size) in {",", "and", "from"}
        named = rest.capital(0) and name[:1].isalpha()
        if named and alone and low[0] not in _NO_NAMES and not name.isupper():
            yield Found("name", name, CLEAR if size < 3 else LIKELY)


def _age(said: Predication) -> Iterator[Found]:
    low = said.rest.low
    text = " ".join(low[:5])
    if match := _YEARS.match(text):
        yield Found("age", match[1], mode=state_mode(said))
    elif said.first_person and said.tense is Tense.PRESENT and _NUMBER.fullmatch(low[0]):
        if len(low) == 1 or low[1] in {"and", ",", "now", "today"}:
            yield Found("age", low[0], LIKELY)
    elif _FEET.fullmatch(low[0]):
        yield Found("height", low[0], mode=mode_of(said))
    elif not said.first_person and said.tense is Tense.PRESENT and low[0].isdigit():
        if len(low) == 1 or low[1] in {"and", ",", "now"}:
            yield Found("age", low[0], LIKELY)
    elif match := _TALL.match(text):
        yield Found("height", match[1].strip(), mode=mode_of(said))


def _group(said: Predication) -> Iterator[Found]:
    """As in "I am (half) Irish", "I'm a Buddhist", "I am married"."""
    low = said.rest.low
    place = 0
    while place < len(low) and low[place] in _BEFORE_GROUPS:
        place += 1
    word = low[place] if place < len(low) else ""
    after = low[place + 1] if place + 1 < len(low) else ""
    ends = after in {"", ",", "and", "but", "now", "by", "so", "too", "to", "with", "for", "from"}
    if word in NATIONALITIES and (ends or after in {"citizen", "guy", "woman", "man"}):
        if said.first_person or said.who:
            yield Found("nationality", word.capitalize(), mode=state_mode(said))
            for other in low[place + 1 : place + 4] if after in {"and", ","} else ():
                if other in NATIONALITIES:
                    yield Found("nationality", other.capitalize(), mode=state_mode(said))
    elif word in FAITHS and ends:
        yield Found("religion", word, mode=state_mode(said))
    elif word in STATUSES and ends and not _is_to_a_thing(said.rest.cut(place + 1)):
        yield Found("marital_status", word, mode=state_mode(said))
    elif word in GENDERS and (ends or after in {"woman", "man", "person", "guy"}):
        kind = f"{word} {after}" if after in {"woman", "man", "person"} else word
        yield Found("gender", kind, LIKELY if word == "straight" else CLEAR, state_mode(said))


def _is_to_a_thing(after: Phrase) -> bool:
    """As in "married to my job"."""
    mine = after.word(0) == "to" and after.word(1) in MINE
    return mine and relation_at(after, 1) is None


_BEFORE_GROUPS = words(
    "a an half originally very happily practicing practising devout staunch proud newly recently"
)


def _born(said: Predication) -> Iterator[Found]:
    from_ = said.rest.cut(1)
    if from_.word(0) in {"in", "on"}:
        where = name_of(from_.cut(1))
        if where and where.lower() not in MONTHS and not where[0].isdigit():
            yield Found("born_in", where, mode=mode_of(said))
        elif from_.word(0) == "in" and _YEAR.fullmatch(from_.word(1)):
            yield Found("detail_birth_year", from_.word(1), mode=mode_of(said), when=When.DATE)
        elif from_.word(0) == "on" and (date := from_.cut(1).until(ENDS).with_times()):
            yield Found("birthday", date, mode=mode_of(said), when=When.DATE)


def _turn(said: Predication) -> Iterator[Found]:
    """As in "I just turned thirty"."""
    if said.tense in {Tense.PAST, Tense.PERFECT} and said.rest:
        word = said.rest.word(0)
        small = not said.first_person and word in NUMBERS
        if (word.isdigit() and int(word[:3]) < 120) or word in _TENS or small:
            yield Found("age", word)


_TENS = words("thirty forty fifty sixty seventy eighty ninety eighteen nineteen twenty twenty-one")


def _go(said: Predication) -> Iterator[Found]:
    """As in "I go by Ann"."""
    if said.rest.word(0) == "by" and said.rest.capital(1):
        yield Found("called", name_of(said.rest.cut(1), 2), mode=state_mode(said))


def _weigh(said: Predication) -> Iterator[Found]:
    if said.rest.word(0)[:1].isdigit():
        yield Found("weight", str(said.rest.cut(0, 2)), mode=state_mode(said))


def _married(said: Predication) -> Iterator[Found]:
    """As in "we got married", "she got engaged", "I got divorced"."""
    word = said.rest.word(0)
    if word in {"married", "engaged", "divorced", "separated"} and is_certain(said):
        if said.tense in {Tense.GOING_ON, Tense.FUTURE} and word in {"married", "engaged"}:
            what = trimmed(said.rest.until(ENDS))
            yield Found("plans_to", f"get {what}", LIKELY, mode_of(said), when=When.PLAN)
        elif said.tense is not Tense.FUTURE:
            yield Found("marital_status", word, mode=mode_of(said))


def called(phrase: Phrase) -> Iterator[Found]:
    """As in "you can call me Max", "everyone calls me Bea"."""
    for place, word in enumerate(phrase.low[:6]):
        if word in {"call", "calls"} and phrase.word(place + 1) == "me":
            if phrase.capital(place + 2) and phrase.word(place + 2) not in _NO_NAMES:
                mode = Mode.DENIED if "not" in phrase.low[:place] else Mode.HOLDS
                yield Found("called", name_of(phrase.cut(place + 2), 2), LIKELY, mode)
            return


RULES: Rules = {"be": _be, "turn": _turn, "go": _go, "weigh": _weigh, "get": _married}
