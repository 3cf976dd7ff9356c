"""What somebody studies or studied, where, and the degrees that came of it."""

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
from sharpwave.reading.grammar.lexicon import DAYS, words
from sharpwave.reading.grammar.objects import ENDS, name_of, thing
from sharpwave.reading.grammar.predications import Predication, Tense
from sharpwave.types.statements import Mode

_DEGREES = words(
    """degree bachelor bachelor's master master's masters bachelors phd ph.d mba diploma doctorate
    certificate certification undergraduate minor major bsc msc ba bs ged"""
)
_STUDY_ENDS = ENDS | words("at with and for in on from under")
_FOR_TEST = re.compile(r"for (?:my|the|an?|our)\b")


def _study(said: Predication) -> Iterator[Found]:
    if not is_certain(said) or said.tense is Tense.FUTURE:
        return
    rest, mode = said.rest, state_mode(said)
    if _FOR_TEST.match(" ".join(rest.low[:2])):
        return
    at = rest.find("at")
    if 0 <= at <= 8 and (school := name_of(rest.cut(at + 1), 6)):
        yield Found("studies_at", school, mode=mode)
    if rest.word(0) not in {"at", "in", "for", "with", "hard", "abroad", "how", "the", "together"}:
        if subject := thing(rest, _STUDY_ENDS):
            yield Found("studies", subject, CLEAR if len(subject) < 40 else LIKELY, mode)


def _major(said: Predication) -> Iterator[Found]:
    if said.rest.word(0) == "in" and (subject := thing(said.rest.cut(1), _STUDY_ENDS)):
        yield Found("studies", subject, mode=state_mode(said))


def _graduate(said: Predication) -> Iterator[Found]:
    if said.negated or said.tense not in {Tense.PAST, Tense.PERFECT}:
        return
    rest = said.rest
    if rest.word(0) == "from" and (school := name_of(rest.cut(1), 6) or _plain_school(said)):
        yield Found("graduated_from", school, when=When.EVENT)
    with_ = rest.find("with")
    if 0 <= with_ <= 8 and any(word in _DEGREES for word in rest.low[with_ : with_ + 6]):
        yield Found("has_degree", thing(rest.cut(with_ + 1), ENDS | {"from"}), when=When.EVENT)
    in_ = rest.find("in")
    if in_ == 0 and not rest.is_time(1) and not rest.word(1)[:1].isdigit():
        if subject := thing(rest.cut(1), _STUDY_ENDS):
            yield Found("has_degree", f"a degree in {subject}", LIKELY, when=When.EVENT)


def _plain_school(said: Predication) -> str:
    words_ = said.rest.low[1:4]
    return thing(said.rest.cut(1)) if {"school", "college", "university"} & set(words_) else ""


def _have(said: Predication) -> Iterator[Found]:
    """As in "I have a degree in physics", "I did my master's in Leeds"."""
    rest = said.rest
    if (
        is_certain(said)
        and rest.word(0) in {"a", "an", "my", "two"}
        and said.tense is not Tense.FUTURE
    ):
        if any(word in _DEGREES for word in rest.low[1:5]) and (
            degree := thing(rest, ENDS | {"from"})
        ):
            if degree.split()[0].lower() == "my":
                degree = f"a {degree[3:]}"
            yield Found("has_degree", degree, LIKELY, mode_of(said))


def _be(said: Predication) -> Iterator[Found]:
    """As in "I'm a student at Leeds", "I'm a computer science major"."""
    rest = said.rest
    if not is_certain(said) or rest.word(0) not in {"a", "an", "in"}:
        return
    if rest.word(0) == "in" and rest.word(1) in {"college", "university", "grade", "high"}:
        if rest.word(1) != "high" or rest.word(2) == "school":
            yield Found("employment", "a student", LIKELY, state_mode(said))
        return
    if rest.word(0) == "in" and rest.word(1) == "my" and rest.word(3) == "year":
        school = name_of(rest.cut(5), 6) or thing(rest.cut(5))
        if rest.word(4) in {"of", "at"} and school:
            yield Found("studies_at", school, LIKELY, state_mode(said))
        return
    for place, word in enumerate(rest.low[:6]):
        if word in {"student", "major", "undergrad", "freshman", "sophomore"}:
            after = rest.cut(place + 1)
            yield Found("employment", str(rest.cut(0, place + 1)), mode=state_mode(said))
            if after.word(0) == "at" and (school := name_of(after.cut(1), 6)):
                yield Found("studies_at", school, mode=state_mode(said))
            return


def _attend(said: Predication) -> Iterator[Found]:
    """As in "I go to Leeds University", "I attend Lincoln High School"."""
    rest = said.rest.cut(1) if said.verb == "go" else said.rest
    if said.verb == "go" and said.rest.word(0) != "to":
        return
    school = name_of(rest, 6)
    is_school = any(word in _SCHOOLS for word in school.lower().split())
    if school and is_school and is_certain(said) and said.tense is not Tense.FUTURE:
        if said.tense is Tense.PAST:
            yield Found("studies_at", school, LIKELY, state_mode(said))
        else:
            yield Found("studies_at", school, mode=mode_of(said))


_SCHOOLS = words(
    "university college school academy institute mit harvard stanford oxford cambridge"
)


def _pursue(said: Predication) -> Iterator[Found]:
    """As in "I'm doing a PhD in chemistry"."""
    rest = said.rest
    if said.tense in {Tense.GOING_ON, Tense.LATELY} and not _DEGREES.isdisjoint(rest.low[:4]):
        if (at := rest.find("in")) > 0 and (subject := thing(rest.cut(at + 1), _STUDY_ENDS)):
            yield Found("studies", subject, mode=mode_of(said))


def _drop_out(said: Predication) -> Iterator[Found]:
    if said.rest.starts("out", "of") and said.tense in {Tense.PAST, Tense.PERFECT}:
        if school := name_of(said.rest.cut(2), 6) or thing(said.rest.cut(2)):
            yield Found("studies_at", school, LIKELY, Mode.ENDED)


_NO_SUBJECTS = words("the a my this that it")


def _course(said: Predication) -> Iterator[Found]:
    """As in "I'm taking a course on machine learning"."""
    rest = said.rest
    at = next((at for at, word in enumerate(rest.low[:6]) if word in {"on", "in", "about"}), -1)
    if said.tense in {Tense.GOING_ON, Tense.LATELY} and at > 0:
        if not {"course", "class", "classes", "courses"}.isdisjoint(rest.low[:at]):
            dated = rest.word(at + 1).rstrip("s") in DAYS or rest.is_time(at + 1)
            plain = (
                rest.word(at + 1).isalpha() and rest.word(at + 1) not in _NO_SUBJECTS and not dated
            )
            if plain and (subject := thing(rest.cut(at + 1), _STUDY_ENDS)):
                yield Found("studies", subject, LIKELY, mode_of(said))


RULES: Rules = {
    "study": _study,
    "major": _major,
    "graduate": _graduate,
    "have": _have,
    "earn": _have,
    "complete": _have,
    "get": lambda said: _have(said) if said.tense in {Tense.PAST, Tense.PERFECT} else (),
    "receive": _have,
    "do": _pursue,
    "pursue": _pursue,
    "drop": _drop_out,
    "take": _course,
    "finish": _have,
    "be": _be,
    "go": _attend,
    "attend": _attend,
}
