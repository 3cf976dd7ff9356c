"""Jobs and employers, studies, schools and degrees, and how they ended."""

import re
from collections.abc import Iterator

from sharpwave.reading.grammar.lexicon import MODALS, NEGATIVE, STOP, word_list, words
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


def _work(predication: Predication) -> Iterator[FactMatch]:
    """Match "I work at Anchor as a nurse", "I'm working on a novel"."""
    rest, mode = predication.rest, state_mode(predication)
    if predication.tense is Tense.FUTURE or rest.word(0) == "out":
        return
    for position, word in enumerate(rest.low[:12]):
        after = rest.cut(position + 1)
        if word == "as" and _is_job(after):
            yield FactMatch("works_as", _job(after), mode=mode)
        elif word in {"at", "for"} and position <= 6:
            yield FactMatch("works_at", _firm(after), CLEAR if after.capital(0) else LIKELY, mode)
    if rest.word(0) == "on" and predication.tense in ONGOING and predication.first_person:
        if rest.cut(1).low not in _UNNAMED_PROJECTS and (project := thing(rest.cut(1))):
            yield FactMatch("works_on", project, LIKELY, mode_of(predication))


_UNNAMED_PROJECTS = (
    ["a", "project"],
    ["some", "projects"],
    ["a", "new", "project"],
    ["my", "projects"],
)
_FIRM_ENDS = ENDS | words("as in on and with from now for where full-time part-time")


def _firm(phrase: Phrase) -> str:
    """An employer: a name, or "a small bakery"."""
    name = name_of(phrase, 6)
    if name:
        return name
    if phrase.word(0) in {"a", "an", "the", "my"} and not phrase.capital(0):
        noun_phrase = phrase.until(_FIRM_ENDS)
        if 1 < len(noun_phrase) <= 6 and noun_phrase.low[-1] in _EMPLOYER_NOUNS:
            return trimmed(noun_phrase)
    return ""


_EMPLOYER_NOUNS = word_list("firms")


def _is_job(phrase: Phrase) -> bool:
    """Match "a senior software engineer at…": the last word before a stop is a trade."""
    noun_phrase = phrase.until(_JOB_ENDS)
    if not noun_phrase or len(noun_phrase) > 6:
        return False
    last = noun_phrase.low[-1]
    return (
        last in JOBS
        or last.endswith(("ologist", "ician", "therapist"))
        or (last.endswith("s") and last[:-1] in JOBS)
    )


_JOB_ENDS = ENDS | words("at for in with and on who that from of by now working to or")


def _job(phrase: Phrase) -> str:
    return str(phrase.until(_JOB_ENDS))


def _work_be(predication: Predication) -> Iterator[FactMatch]:
    """Match "I'm a nurse at Anchor", "I'm retired", "I'm self-employed"."""
    if not predication.rest:
        return
    rest, first, mode = predication.rest, predication.rest.word(0), state_mode(predication)
    if first in _EMPLOYMENT and rest.word(1) in {"", ",", "and", "now", "from", "since", "but"}:
        yield FactMatch("employment", first, mode=mode)
    elif rest.word(1) == "stay-at-home" and rest.word(2) in _AT_HOME:
        yield FactMatch("employment", f"a stay-at-home {rest.word(2)}", mode=mode)
    elif first == "employed" and rest.word(1) in {"by", "at", "with"}:
        yield FactMatch("works_at", _firm(rest.cut(2)), mode=mode)
    elif first in {"a", "an", "the"} and _is_job(rest) and rest.word(1) not in _NO_TRADE:
        yield FactMatch("works_as", _job(rest), CLEAR if predication.first_person else LIKELY, mode)
        at = rest.until({"at", "for", "of"})
        if len(at) < len(rest) and (firm := name_of(rest.cut(len(at) + 1))):
            yield FactMatch("works_at", firm, mode=mode)


_EMPLOYMENT = words("retired unemployed self-employed freelance jobless laid-off freelancing")
_AT_HOME = words("dad mom mum father mother parent wife husband")


_NO_TRADE = words(
    "good great terrible bad big huge better pretty decent natural total true role home"
)
"""Words before what is no trade: "a big fan", "a good cook", "a terrible singer"."""


def _start(predication: Predication) -> Iterator[FactMatch]:
    """Match "I started a new job as a nurse", "I got a job at Anchor"."""
    low = predication.rest.low
    job = next((at for at, word in enumerate(low[:7]) if word in {"job", "position", "role"}), -1)
    if job < 0 or predication.negated or predication.tense not in DONE:
        return
    after = predication.rest.cut(job + 1)
    if after.word(0) == "as" and after.word(1) in {"a", "an"}:
        yield FactMatch("works_as", _job(after.cut(1)))
    at = next((at for at, word in enumerate(after.low[:8]) if word in {"at", "with"}), -1)
    if at >= 0 and (firm := _firm(after.cut(at + 1))):
        yield FactMatch("works_at", firm)


def _join(predication: Predication) -> Iterator[FactMatch]:
    """Match "I joined a book club"."""
    if (
        not predication.negated
        and predication.tense in DONE
        and not _GROUP_NOUNS.isdisjoint(predication.rest.low[:8])
    ):
        if group := thing(predication.rest):
            yield FactMatch("member_of", group, LIKELY)


_GROUP_NOUNS = words(
    "group club team gym band choir church community class league society organization"
)


def _quit(predication: Predication) -> Iterator[FactMatch]:
    """Match "I quit my job at Anchor", "I lost my job"."""
    rest = predication.rest
    if predication.negated or predication.tense not in DONE or "job" not in rest.low[1:4]:
        return
    if rest.word(0) in {"my", "the", "a"}:
        after = rest.cut(rest.find("job") + 1)
        firm = _firm(after.cut(1)) if after.word(0) in {"at", "with"} else ""
        confidence = CLEAR if firm else LIKELY
        yield FactMatch("works_at", firm or "their job", confidence, Mode.ENDED)


def _get(predication: Predication) -> Iterator[FactMatch]:
    """Match "I got a job at Anchor", "I got laid off from Anchor"."""
    rest = predication.rest
    if rest.word(0) not in {"fired", "laid"}:
        yield from _start(predication)
    elif "from" in rest.low[:4] and predication.tense in DONE and not predication.negated:
        if firm := name_of(rest.cut(rest.find("from") + 1)):
            yield FactMatch("works_at", firm, mode=Mode.ENDED)


def _lead(predication: Predication) -> Iterator[FactMatch]:
    """Match "I lead a team of five": a later number updates it."""
    if not _TEAM_NOUNS.isdisjoint(predication.rest.low[:7]):
        if team := thing(predication.rest, ENDS | {"in", "at", "and"}):
            yield FactMatch("leads", team, mode=state_mode(predication))


_TEAM_NOUNS = words(
    "team group department people engineers developers designers staff project division"
)


def _run(predication: Predication) -> Iterator[FactMatch]:
    """Match "I run a bakery", "I own a small shop"."""
    if not _BUSINESS_NOUNS.isdisjoint(predication.rest.low[:6]):
        if predication.rest.word(0) in {"a", "an", "my", "our", "the"} and (
            object_text := thing(predication.rest)
        ):
            yield FactMatch("runs", object_text, LIKELY, state_mode(predication))


_BUSINESS_NOUNS = words(
    """business company startup store shop studio blog podcast channel agency bakery restaurant
    cafe bar farm clinic firm hotel salon gallery gym newsletter website brand"""
)


def _teach(predication: Predication) -> Iterator[FactMatch]:
    if predication.tense is Tense.PRESENT and (object_text := thing(predication.rest)):
        if predication.rest.word(0) not in _NO_SCHOOL_SUBJECTS:
            yield FactMatch("works_as", f"teaching {object_text}", LIKELY, mode_of(predication))


_NO_SCHOOL_SUBJECTS = words("me us you him them people others kids my her how to that")


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
    "volunteer": verb_rule(
        "volunteers_at", "at", "with", "for", "in", confidence=LIKELY, tenses=LASTING
    ),
}


_DEGREES = words(
    """degree bachelor bachelor's master master's masters bachelors phd ph.d mba diploma doctorate
    certificate certification undergraduate minor major bsc msc ba bs ged"""
)
_STUDY_ENDS = ENDS | words("at with and for in on from under")


def _study(predication: Predication) -> Iterator[FactMatch]:
    if predication.tense is Tense.FUTURE:
        return
    rest, mode = predication.rest, state_mode(predication)
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


def _have(predication: Predication) -> Iterator[FactMatch]:
    """Match "I have a degree in physics", "I got my master's in Leeds"."""
    rest = predication.rest
    if rest.word(0) not in {"a", "an", "my", "two"} or predication.tense is Tense.FUTURE:
        return
    if not _DEGREES.isdisjoint(rest.low[1:5]) and (degree := thing(rest, ENDS | {"from"})):
        degree = f"a {degree[3:]}" if degree.lower().startswith("my ") else degree
        yield FactMatch("has_degree", degree, LIKELY, mode_of(predication))


def _be(predication: Predication) -> Iterator[FactMatch]:
    """Match "I'm a student at Leeds", "I'm in college"."""
    rest = predication.rest
    if rest.starts("in", "high", "school") or (
        rest.word(0) == "in" and rest.word(1) in _SCHOOL_KINDS
    ):
        yield FactMatch("employment", "a student", LIKELY, state_mode(predication))
    for position, word in enumerate(rest.low[:6] if rest.word(0) in {"a", "an"} else ()):
        if word in {"student", "major", "undergrad", "freshman", "sophomore"}:
            after = rest.cut(position + 1)
            yield FactMatch(
                "employment", str(rest.cut(0, position + 1)), mode=state_mode(predication)
            )
            if after.word(0) == "at" and (school := _school(after.cut(1))):
                yield FactMatch("studies_at", school, mode=state_mode(predication))


_SCHOOL_KINDS = words("college university grade")


def _attended(phrase: Phrase) -> str:
    """The school in "I go to Lincoln High School"."""
    school = _school(phrase)
    return "" if _SCHOOL_WORDS.isdisjoint(school.lower().split()) else school


_SCHOOL_WORDS = words(
    "university college school academy institute mit harvard stanford oxford cambridge"
)


def lost_job(phrase: Phrase) -> Iterator[FactMatch]:
    """As in "Bosch has let me go", "they sacked me", "I was laid off"."""
    end = _DISMISSED.search(" ".join(phrase.low))
    if end and _UNREAL.isdisjoint(end.string[: end.start()].split()):
        name = name_of(phrase) if phrase.capital(0) and phrase.word(0) not in STOP else ""
        yield FactMatch("works_at", name or "the job", LIKELY, Mode.ENDED)


_DISMISSED = re.compile(
    r"(?:\blet me go(?=$| (?:after|as|because|last|this|today|when|without|yesterday)\b| in \w+$)"
    r"|\b(?:fired|sacked|dismissed) me\b|\blaid me off\b|\bmade me redundant\b"
    r"|^i (?:was|got|have been) (?:just )?"
    r"(?:let go|fired|sacked|dismissed|laid off|made redundant)\b)(?! up\b)"
)
_UNREAL = MODALS | NEGATIVE | words("if wish almost nearly will shall want wants to")


EDUCATION_RULES: Rules = {
    "study": _study,
    "major": verb_rule("studies", "in", object_of=_subject, mode=state_mode),
    "graduate": verb_rule(
        "graduated_from", "from", object_of=_school, tenses=DONE, when=When.EVENT
    ),
    "drop": verb_rule(
        "studies_at", "out of", confidence=LIKELY, mode=lambda _: Mode.ENDED, tenses=DONE
    ),
    "be": _be,
    "go": verb_rule("studies_at", "to", object_of=_attended, mode=state_mode),
    "attend": verb_rule("studies_at", object_of=_attended, mode=state_mode),
    "get": lambda predication: _have(predication) if predication.tense in DONE else (),
} | dict.fromkeys(("have", "earn", "complete", "receive", "finish"), _have)
