"""Jobs and employers, studies, schools and degrees, and how they ended."""

from collections.abc import Iterator

from sharpwave.reading.grammar.lexicon import word_list, words
from sharpwave.reading.grammar.objects import ENDS, name_of, thing, trimmed
from sharpwave.reading.grammar.predications import Predication, Tense
from sharpwave.reading.grammar.tokens import Phrase
from sharpwave.reading.patterns.match import (
    CLEAR,
    DONE,
    LASTING,
    LIKELY,
    ONGOING,
    FactMatch,
    Rules,
    When,
    mode_of,
    state_mode,
    verb_rule,
)
from sharpwave.types.statements import Mode

JOBS = word_list("jobs")


def _work(said: Predication) -> Iterator[FactMatch]:
    """As in "I work at Anchor as a nurse", "I'm working on a novel"."""
    rest, mode = said.rest, state_mode(said)
    if said.tense is Tense.FUTURE or rest.word(0) == "out":
        return
    for place, word in enumerate(rest.low[:12]):
        after = rest.cut(place + 1)
        if word == "as" and _is_job(after):
            yield FactMatch("works_as", _job(after), mode=mode)
        elif word in {"at", "for"} and place <= 6:
            yield FactMatch("works_at", _firm(after), CLEAR if after.capital(0) else LIKELY, mode)
    if rest.word(0) == "on" and said.tense in ONGOING and said.first_person:
        if rest.cut(1).low not in _UNNAMED and (project := thing(rest.cut(1))):
            yield FactMatch("works_on", project, LIKELY, mode_of(said))


_UNNAMED = (["a", "project"], ["some", "projects"], ["a", "new", "project"], ["my", "projects"])
_FIRM_ENDS = ENDS | words("as in on and with from now for where full-time part-time")


def _firm(phrase: Phrase) -> str:
    """An employer: a name, or "a small bakery"."""
    name = name_of(phrase, 6)
    if name:
        return name
    if phrase.word(0) in {"a", "an", "the", "my"} and not phrase.capital(0):
        named = phrase.until(_FIRM_ENDS)
        if 1 < len(named) <= 6 and named.low[-1] in _FIRMS:
            return trimmed(named)
    return ""


_FIRMS = word_list("firms")


def _is_job(phrase: Phrase) -> bool:
    """As in "a senior software engineer at…": the last word before a stop is a trade."""
    named = phrase.until(_JOB_ENDS)
    if not named or len(named) > 6:
        return False
    last = named.low[-1]
    return (
        last in JOBS
        or last.endswith(("ologist", "ician", "therapist"))
        or (last.endswith("s") and last[:-1] in JOBS)
    )


_JOB_ENDS = ENDS | words("at for in with and on who that from of by now working to or")


def _job(phrase: Phrase) -> str:
    return str(phrase.until(_JOB_ENDS))


def _work_be(said: Predication) -> Iterator[FactMatch]:
    """As in "I'm a nurse at Anchor", "I'm retired", "I'm self-employed"."""
    if not said.rest:
        return
    rest, first, mode = said.rest, said.rest.word(0), state_mode(said)
    if first in _EMPLOYMENT and rest.word(1) in {"", ",", "and", "now", "from", "since", "but"}:
        yield FactMatch("employment", first, mode=mode)
    elif rest.word(1) == "stay-at-home" and rest.word(2) in _AT_HOME:
        yield FactMatch("employment", f"a stay-at-home {rest.word(2)}", mode=mode)
    elif first == "employed" and rest.word(1) in {"by", "at", "with"}:
        yield FactMatch("works_at", _firm(rest.cut(2)), mode=mode)
    elif first in {"a", "an", "the"} and _is_job(rest) and rest.word(1) not in _PRAISE:
        yield FactMatch("works_as", _job(rest), CLEAR if said.first_person else LIKELY, mode)
        at = rest.until({"at", "for", "of"})
        if len(at) < len(rest) and (firm := name_of(rest.cut(len(at) + 1))):
            yield FactMatch("works_at", firm, mode=mode)


_EMPLOYMENT = words("retired unemployed self-employed freelance jobless laid-off freelancing")
_AT_HOME = words("dad mom mum father mother parent wife husband")


_PRAISE = words(
    "good great terrible bad big huge better pretty decent natural total true role home"
)
"""As in "a big fan", "a good cook", "a terrible singer": not a trade."""


def _start(said: Predication) -> Iterator[FactMatch]:
    """As in "I started a new job as a nurse", "I got a job at Anchor"."""
    low = said.rest.low
    job = next((at for at, word in enumerate(low[:7]) if word in {"job", "position", "role"}), -1)
    if job < 0 or said.negated or said.tense not in DONE:
        return
    after = said.rest.cut(job + 1)
    if after.word(0) == "as" and after.word(1) in {"a", "an"}:
        yield FactMatch("works_as", _job(after.cut(1)))
    at = next((at for at, word in enumerate(after.low[:8]) if word in {"at", "with"}), -1)
    if at >= 0 and (firm := _firm(after.cut(at + 1))):
        yield FactMatch("works_at", firm)


def _join(said: Predication) -> Iterator[FactMatch]:
    """As in "I joined a book club"."""
    if not said.negated and said.tense in DONE and not _GROUPS.isdisjoint(said.rest.low[:8]):
        if group := thing(said.rest):
            yield FactMatch("member_of", group, LIKELY)


_GROUPS = words("group club team gym band choir church community class league society organization")


def _quit(said: Predication) -> Iterator[FactMatch]:
    """As in "I quit my job at Anchor", "I lost my job"."""
    rest = said.rest
    if said.negated or said.tense not in DONE or "job" not in rest.low[1:4]:
        return
    if rest.word(0) in {"my", "the", "a"}:
        after = rest.cut(rest.find("job") + 1)
        firm = _firm(after.cut(1)) if after.word(0) in {"at", "with"} else ""
        sure = CLEAR if firm else LIKELY
        yield FactMatch("works_at", firm or "their job", sure, Mode.ENDED)


def _get(said: Predication) -> Iterator[FactMatch]:
    """As in "I got a job at Anchor", "I got laid off from Anchor"."""
    rest = said.rest
    if rest.word(0) not in {"fired", "laid"}:
        yield from _start(said)
    elif "from" in rest.low[:4] and said.tense in DONE and not said.negated:
        if firm := name_of(rest.cut(rest.find("from") + 1)):
            yield FactMatch("works_at", firm, mode=Mode.ENDED)


def _lead(said: Predication) -> Iterator[FactMatch]:
    """As in "I lead a team of five": a later number updates it."""
    if not _TEAMS.isdisjoint(said.rest.low[:7]):
        if team := thing(said.rest, ENDS | {"in", "at", "and"}):
            yield FactMatch("leads", team, mode=state_mode(said))


_TEAMS = words("team group department people engineers developers designers staff project division")


def _run(said: Predication) -> Iterator[FactMatch]:
    """As in "I run a bakery", "I own a small shop"."""
    if not _SHOPS.isdisjoint(said.rest.low[:6]):
        if said.rest.word(0) in {"a", "an", "my", "our", "the"} and (what := thing(said.rest)):
            yield FactMatch("runs", what, LIKELY, state_mode(said))


_SHOPS = words(
    """business company startup store shop studio blog podcast channel agency bakery restaurant
    cafe bar farm clinic firm hotel salon gallery gym newsletter website brand"""
)


def _teach(said: Predication) -> Iterator[FactMatch]:
    if said.tense is Tense.PRESENT and (what := thing(said.rest)):
        if said.rest.word(0) not in _TAUGHT:
            yield FactMatch("works_as", f"teaching {what}", LIKELY, mode_of(said))


_TAUGHT = words("me us you him them people others kids my her how to that")


WORK_RULES: Rules = {
    "work": _work,
    "be": _work_be,
    "start": _start,
    "join": _join,
    "quit": _quit,
    "leave": _quit,
    "lose": _quit,
    "lead": _lead,
    "manage": _lead,
    "run": _run,
    "own": _run,
    "get": _get,
    "land": _start,
    "teach": _teach,
    "volunteer": verb_rule("volunteers_at", "at", "with", "for", "in", sure=LIKELY, tenses=LASTING),
}


_DEGREES = words(
    """degree bachelor bachelor's master master's masters bachelors phd ph.d mba diploma doctorate
    certificate certification undergraduate minor major bsc msc ba bs ged"""
)
_STUDY_ENDS = ENDS | words("at with and for in on from under")


def _study(said: Predication) -> Iterator[FactMatch]:
    if said.tense is Tense.FUTURE:
        return
    rest, mode = said.rest, state_mode(said)
    at = rest.find("at")
    if 0 <= at <= 8 and (school := name_of(rest.cut(at + 1), 6)):
        yield FactMatch("studies_at", school, mode=mode)
    if rest.word(0) not in {"at", "in", "for", "with", "hard", "abroad", "how", "the", "together"}:
        if subject := thing(rest, _STUDY_ENDS):
            yield FactMatch("studies", subject, CLEAR if len(subject) < 40 else LIKELY, mode)


def _subject(phrase: Phrase) -> str:
    return thing(phrase, _STUDY_ENDS)


def _school(phrase: Phrase) -> str:
    return name_of(phrase, 6)


def _have(said: Predication) -> Iterator[FactMatch]:
    """As in "I have a degree in physics", "I got my master's in Leeds"."""
    rest = said.rest
    if rest.word(0) not in {"a", "an", "my", "two"} or said.tense is Tense.FUTURE:
        return
    if not _DEGREES.isdisjoint(rest.low[1:5]) and (degree := thing(rest, ENDS | {"from"})):
        degree = f"a {degree[3:]}" if degree.lower().startswith("my ") else degree
        yield FactMatch("has_degree", degree, LIKELY, mode_of(said))


def _be(said: Predication) -> Iterator[FactMatch]:
    """As in "I'm a student at Leeds", "I'm in college"."""
    rest = said.rest
    if rest.starts("in", "high", "school") or (rest.word(0) == "in" and rest.word(1) in _LEARNING):
        yield FactMatch("employment", "a student", LIKELY, state_mode(said))
    for place, word in enumerate(rest.low[:6] if rest.word(0) in {"a", "an"} else ()):
        if word in {"student", "major", "undergrad", "freshman", "sophomore"}:
            after = rest.cut(place + 1)
            yield FactMatch("employment", str(rest.cut(0, place + 1)), mode=state_mode(said))
            if after.word(0) == "at" and (school := _school(after.cut(1))):
                yield FactMatch("studies_at", school, mode=state_mode(said))


_LEARNING = words("college university grade")


def _attended(phrase: Phrase) -> str:
    """The school in "I go to Lincoln High School"."""
    school = _school(phrase)
    return "" if _SCHOOLS.isdisjoint(school.lower().split()) else school


_SCHOOLS = words(
    "university college school academy institute mit harvard stanford oxford cambridge"
)


EDUCATION_RULES: Rules = {
    "study": _study,
    "major": verb_rule("studies", "in", get=_subject, mode=state_mode),
    "graduate": verb_rule("graduated_from", "from", get=_school, tenses=DONE, when=When.EVENT),
    "drop": verb_rule("studies_at", "out of", sure=LIKELY, mode=lambda _: Mode.ENDED, tenses=DONE),
    "be": _be,
    "go": verb_rule("studies_at", "to", get=_attended, mode=state_mode),
    "attend": verb_rule("studies_at", get=_attended, mode=state_mode),
    "get": lambda said: _have(said) if said.tense in DONE else (),
} | dict.fromkeys(("have", "earn", "complete", "receive", "finish"), _have)
