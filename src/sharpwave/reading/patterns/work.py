"""Jobs and employers, studies, schools and degrees, and how they ended."""

import re
from collections.abc import Iterator

from sharpwave.reading.grammar.lexicon import DAYS, words
from sharpwave.reading.grammar.objects import ENDS, means_something, name_of, thing, trimmed
from sharpwave.reading.grammar.predications import Predication, Tense
from sharpwave.reading.grammar.tokens import Phrase
from sharpwave.reading.patterns.match import (
    CLEAR,
    LIKELY,
    FactMatch,
    Rules,
    When,
    is_certain,
    mode_of,
    state_mode,
)
from sharpwave.types.statements import Mode

JOBS = words(
    """accountant actor actress analyst architect artist astronaut assistant attorney author baker
    banker barber barista bartender biologist bookkeeper builder butcher carpenter cashier ceo cfo
    chef chemist choreographer cto cleaner coach composer consultant contractor cook coordinator
    counselor counsellor dancer dentist designer developer director doctor driver economist editor
    electrician engineer entrepreneur executive farmer filmmaker firefighter florist founder
    freelancer gardener geologist graphic-designer hairdresser historian illustrator instructor
    intern interpreter investigator janitor journalist judge lawyer lecturer librarian manager
    marketer mathematician mechanic midwife model musician nanny nurse nutritionist officer
    optician painter paralegal paramedic pastor pharmacist photographer physicist physiotherapist
    pilot plumber poet policeman postdoc priest principal producer professor programmer
    psychiatrist psychologist receptionist recruiter reporter researcher sailor salesman
    salesperson scientist screenwriter secretary singer soldier specialist statistician stylist
    superintendent supervisor surgeon surveyor tailor teacher technician therapist trader trainer
    translator tutor veterinarian vet videographer waiter waitress welder writer youtuber
    streamer realtor paediatrician pediatrician radiologist cardiologist sysadmin planner
    strategist policymaker politician barrister solicitor clerk foreman locksmith machinist"""
)
_NOT_FIELDS = words("it this that the my a an progress vain some from on to out hard")


def _work(said: Predication) -> Iterator[FactMatch]:
    """As in "I work at Anchor as a nurse", "I work in marketing", "I work from home"."""
    rest, mode = said.rest, state_mode(said)
    if not is_certain(said) or said.tense is Tense.FUTURE or rest.word(0) == "out":
        return
    for place, word in enumerate(rest.low[:12]):
        yield from _worked(word, place, rest.cut(place + 1), mode)
    if rest.starts("on"):
        project = "" if rest.cut(1).low in _UNNAMED else thing(rest.cut(1))
        ongoing = said.tense in {Tense.GOING_ON, Tense.LATELY}
        if project and ongoing and said.first_person:
            yield FactMatch("works_on", project, LIKELY, mode_of(said))
    elif rest.starts("from", "home") and said.tense in {Tense.PRESENT, Tense.GOING_ON}:
        yield FactMatch("works_hours", "from home", LIKELY, mode)


_UNNAMED = (["a", "project"], ["some", "projects"], ["a", "new", "project"], ["my", "projects"])


def _worked(word: str, place: int, after: Phrase, mode: Mode) -> Iterator[FactMatch]:
    """What one preposition says: *as* a nurse, *at* Anchor, *in* marketing."""
    if word == "as" and _is_job(after):
        yield FactMatch("works_as", _job(after), mode=mode)
    elif word in {"at", "for"} and place <= 6:
        yield FactMatch("works_at", _firm(after), CLEAR if after.capital(0) else LIKELY, mode)
    elif word == "in" and place <= 1 and after.word(0) not in _NOT_FIELDS:
        if not after.capital(0) and not after.is_time(0):
            yield FactMatch("works_in", thing(after, _FIELD_ENDS), LIKELY, mode)


_FIELD_ENDS = ENDS | words("at for as with and in on of from now")
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


_FIRMS = words(
    """company startup start-up hospital school university bank bakery restaurant cafe shop store
    firm agency clinic library studio hotel factory lab laboratory museum nonprofit charity
    government office college kindergarten daycare gym salon council department ministry embassy
    airport zoo theater theatre church newspaper magazine publisher brewery supermarket warehouse
    center centre institute practice pharmacy pub diner dealership nursery farm club winery"""
)


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
    if not is_certain(said) or not said.rest:
        return
    rest, first, mode = said.rest, said.rest.word(0), state_mode(said)
    if first in _EMPLOYMENT and rest.word(1) in {"", ",", "and", "now", "from", "since", "but"}:
        yield FactMatch("employment", first, mode=mode)
    elif rest.word(1) == "stay-at-home" and rest.word(2) in _AT_HOME:
        yield FactMatch("employment", f"a stay-at-home {rest.word(2)}", mode=mode)
    elif first == "employed" and rest.word(1) in {"by", "at", "with"}:
        yield FactMatch("works_at", _firm(rest.cut(2)), mode=mode)
    elif first in {"a", "an", "the"} and _is_job(rest) and not _is_figure(rest):
        yield FactMatch("works_as", _job(rest), CLEAR if said.first_person else LIKELY, mode)
        at = rest.until({"at", "for", "of"})
        if len(at) < len(rest) and (firm := name_of(rest.cut(len(at) + 1))):
            yield FactMatch("works_at", firm, mode=mode)
    elif first in {"in", "on"} and rest.word(1) == "charge" and rest.word(2) == "of":
        if team := thing(rest.cut(3)):
            yield FactMatch("leads", team, LIKELY, mode)


_EMPLOYMENT = words("retired unemployed self-employed freelance jobless laid-off freelancing")
_AT_HOME = words("dad mom mum father mother parent wife husband")


def _is_figure(phrase: Phrase) -> bool:
    """As in "a big fan", "a good cook", "a terrible singer": praise, not a trade."""
    return phrase.word(1) in words(
        "good great terrible bad big huge better pretty decent natural total true role home"
    )


def _start(said: Predication) -> Iterator[FactMatch]:
    """As in "I started a new job at Anchor", "I joined Anchor as a designer"."""
    if said.negated or said.tense not in {Tense.PAST, Tense.PERFECT}:
        return
    rest = said.rest
    low = rest.low
    if said.verb == "join":
        yield from _join(rest)
    elif any(word in {"job", "position", "role"} for word in low[:7]):
        place = next(at for at, word in enumerate(low) if word in {"job", "position", "role"})
        after = rest.cut(place + 1)
        at = next((at for at, word in enumerate(after.low[:8]) if word in {"at", "with"}), -1)
        if at >= 0 and (firm := _firm(after.cut(at + 1))):
            yield FactMatch("works_at", firm)
        as_ = after.find("as")
        if 0 <= as_ <= 6 and _is_job(after.cut(as_ + 1)):
            yield FactMatch("works_as", _job(after.cut(as_ + 1)))
    if said.verb == "start" and any(word in _BUSINESSES for word in low[:7]):
        if (what := thing(rest)) and rest.word(0) in {"a", "an", "my", "our"}:
            yield FactMatch("runs", what, LIKELY)


def _join(rest: Phrase) -> Iterator[FactMatch]:
    low = rest.low
    firm = name_of(rest)
    if firm and any(word == "as" for word in low):
        yield FactMatch("works_at", firm, LIKELY)
        if _is_job(after := rest.cut(rest.find("as") + 1)):
            yield FactMatch("works_as", _job(after), LIKELY)
    elif (group := thing(rest)) and any(word in _GROUPS for word in low[:8]):
        yield FactMatch("member_of", group, LIKELY)


_GROUPS = words("group club team gym band choir church community class league society organization")
_BUSINESSES = words("business company startup store shop studio blog podcast channel agency")


def _quit(said: Predication) -> Iterator[FactMatch]:
    """As in "I quit my job at Anchor", "I left Anchor", "I got fired from Anchor"."""
    if said.negated or said.tense not in {Tense.PAST, Tense.PERFECT}:
        return
    rest = said.rest
    if said.verb in {"quit", "lose", "leave"} and rest.word(0) in {"my", "the", "a"}:
        if "job" in rest.low[:4]:
            after = rest.cut(rest.find("job") + 1)
            named = after.word(0) in {"at", "with", "as"}
            firm = _firm(after.cut(1)) if named else ""
            if firm:
                yield FactMatch("works_at", firm, mode=Mode.ENDED)
            elif after.word(0) == "as" and _is_job(after.cut(1)):
                yield FactMatch("works_as", _job(after.cut(1)), mode=Mode.ENDED)
            else:
                yield FactMatch("works_at", "their job", LIKELY, Mode.ENDED)
    elif said.verb == "leave" and rest.capital(0) and (firm := name_of(rest)):
        size = len(firm.split())
        if rest.word(size) == "for" and rest.capital(size + 1):
            yield FactMatch("works_at", firm, LIKELY, Mode.ENDED)
            yield FactMatch("works_at", name_of(rest.cut(size + 1)), LIKELY, instead_of=firm)
    elif said.verb == "quit" and rest.capital(0) and (firm := name_of(rest)):
        yield FactMatch("works_at", firm, LIKELY, Mode.ENDED)


def _lead(said: Predication) -> Iterator[FactMatch]:
    """As in "I lead a team of five", "I manage the design team"."""
    if is_certain(said) and said.rest and any(word in _TEAMS for word in said.rest.low[:7]):
        if team := thing(said.rest, _TEAM_ENDS):
            yield FactMatch("leads", team, mode=state_mode(said))


_TEAMS = words("team group department people engineers developers designers staff project division")
_TEAM_ENDS = ENDS | {"in", "at", "and"}


def _run(said: Predication) -> Iterator[FactMatch]:
    """As in "I run a bakery", "I own a small shop"."""
    if is_certain(said) and any(word in _SHOPS for word in said.rest.low[:6]):
        if said.rest.word(0) in {"a", "an", "my", "our", "the"} and (what := thing(said.rest)):
            yield FactMatch("runs", what, LIKELY, state_mode(said))


_SHOPS = _BUSINESSES | words(
    "bakery restaurant cafe bar farm clinic firm hotel salon gallery gym newsletter website brand"
)


def _promoted(said: Predication) -> Iterator[FactMatch]:
    """As in "I got promoted to lead designer", "I got a job at Anchor", "I was hired by Anchor"."""
    rest = said.rest
    if said.negated or said.tense not in {Tense.PAST, Tense.PERFECT, Tense.PRESENT}:
        return
    if rest.word(0) in {"promoted", "hired", "accepted"} and rest.word(1) in {
        "to",
        "as",
        "by",
        "at",
    }:
        after = rest.cut(2)
        if rest.word(1) in {"to", "as"} and _is_job(after):
            yield FactMatch("works_as", _job(after))
        elif rest.word(1) in {"by", "at"} and (firm := name_of(after)) and rest.word(0) == "hired":
            yield FactMatch("works_at", firm)
    elif rest.word(0) in {"fired", "laid"} and "from" in rest.low[:4]:
        if firm := name_of(rest.cut(rest.find("from") + 1)):
            yield FactMatch("works_at", firm, mode=Mode.ENDED)
    elif "job" in rest.low[:5] and said.tense is not Tense.PRESENT:
        yield from _start(said)


def _teach(said: Predication) -> Iterator[FactMatch]:
    if said.tense is Tense.PRESENT and (what := thing(said.rest)):
        if said.rest.word(0) not in _TAUGHT:
            yield FactMatch("works_as", f"teaching {what}", LIKELY, mode_of(said))


_TAUGHT = words("me us you him them people others kids my her how to that")


def _volunteer(said: Predication) -> Iterator[FactMatch]:
    if said.tense in {Tense.PRESENT, Tense.LATELY, Tense.GOING_ON} and said.rest.word(0) in {
        "at", "with", "for", "in",
    }:  # fmt: skip
        if (where := thing(said.rest.cut(1))) and means_something(said.rest):
            yield FactMatch("volunteers_at", where, LIKELY, mode_of(said))


def _freelance(said: Predication) -> Iterator[FactMatch]:
    """As in "I freelance as an illustrator"."""
    if said.rest.word(0) == "as" and _is_job(said.rest.cut(1)) and is_certain(said):
        yield FactMatch("works_as", _job(said.rest.cut(1)), mode=state_mode(said))
        yield FactMatch("employment", "freelance", LIKELY, state_mode(said))


WORK_RULES: Rules = {
    "work": _work,
    "freelance": _freelance,
    "be": _work_be,
    "start": _start,
    "join": _start,
    "quit": _quit,
    "leave": _quit,
    "lose": _quit,
    "lead": _lead,
    "manage": _lead,
    "supervise": _lead,
    "run": _run,
    "own": _run,
    "get": _promoted,
    "land": _promoted,
    "teach": _teach,
    "volunteer": _volunteer,
}


_DEGREES = words(
    """degree bachelor bachelor's master master's masters bachelors phd ph.d mba diploma doctorate
    certificate certification undergraduate minor major bsc msc ba bs ged"""
)
_STUDY_ENDS = ENDS | words("at with and for in on from under")
_FOR_TEST = re.compile(r"for (?:my|the|an?|our)\b")


def _study(said: Predication) -> Iterator[FactMatch]:
    if not is_certain(said) or said.tense is Tense.FUTURE:
        return
    rest, mode = said.rest, state_mode(said)
    if _FOR_TEST.match(" ".join(rest.low[:2])):
        return
    at = rest.find("at")
    if 0 <= at <= 8 and (school := name_of(rest.cut(at + 1), 6)):
        yield FactMatch("studies_at", school, mode=mode)
    if rest.word(0) not in {"at", "in", "for", "with", "hard", "abroad", "how", "the", "together"}:
        if subject := thing(rest, _STUDY_ENDS):
            yield FactMatch("studies", subject, CLEAR if len(subject) < 40 else LIKELY, mode)


def _major(said: Predication) -> Iterator[FactMatch]:
    if said.rest.word(0) == "in" and (subject := thing(said.rest.cut(1), _STUDY_ENDS)):
        yield FactMatch("studies", subject, mode=state_mode(said))


def _graduate(said: Predication) -> Iterator[FactMatch]:
    if said.negated or said.tense not in {Tense.PAST, Tense.PERFECT}:
        return
    rest = said.rest
    if rest.word(0) == "from" and (school := name_of(rest.cut(1), 6) or _plain_school(said)):
        yield FactMatch("graduated_from", school, when=When.EVENT)
    with_ = rest.find("with")
    if 0 <= with_ <= 8 and any(word in _DEGREES for word in rest.low[with_ : with_ + 6]):
        yield FactMatch("has_degree", thing(rest.cut(with_ + 1), ENDS | {"from"}), when=When.EVENT)
    in_ = rest.find("in")
    if in_ == 0 and not rest.is_time(1) and not rest.word(1)[:1].isdigit():
        if subject := thing(rest.cut(1), _STUDY_ENDS):
            yield FactMatch("has_degree", f"a degree in {subject}", LIKELY, when=When.EVENT)


def _plain_school(said: Predication) -> str:
    words_ = said.rest.low[1:4]
    return thing(said.rest.cut(1)) if {"school", "college", "university"} & set(words_) else ""


def _have(said: Predication) -> Iterator[FactMatch]:
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
            yield FactMatch("has_degree", degree, LIKELY, mode_of(said))


def _be(said: Predication) -> Iterator[FactMatch]:
    """As in "I'm a student at Leeds", "I'm a computer science major"."""
    rest = said.rest
    if not is_certain(said) or rest.word(0) not in {"a", "an", "in"}:
        return
    if rest.word(0) == "in" and rest.word(1) in {"college", "university", "grade", "high"}:
        if rest.word(1) != "high" or rest.word(2) == "school":
            yield FactMatch("employment", "a student", LIKELY, state_mode(said))
        return
    if rest.word(0) == "in" and rest.word(1) == "my" and rest.word(3) == "year":
        school = name_of(rest.cut(5), 6) or thing(rest.cut(5))
        if rest.word(4) in {"of", "at"} and school:
            yield FactMatch("studies_at", school, LIKELY, state_mode(said))
        return
    for place, word in enumerate(rest.low[:6]):
        if word in {"student", "major", "undergrad", "freshman", "sophomore"}:
            after = rest.cut(place + 1)
            yield FactMatch("employment", str(rest.cut(0, place + 1)), mode=state_mode(said))
            if after.word(0) == "at" and (school := name_of(after.cut(1), 6)):
                yield FactMatch("studies_at", school, mode=state_mode(said))
            return


def _attend(said: Predication) -> Iterator[FactMatch]:
    """As in "I go to Leeds University", "I attend Lincoln High School"."""
    rest = said.rest.cut(1) if said.verb == "go" else said.rest
    if said.verb == "go" and said.rest.word(0) != "to":
        return
    school = name_of(rest, 6)
    is_school = any(word in _SCHOOLS for word in school.lower().split())
    if school and is_school and is_certain(said) and said.tense is not Tense.FUTURE:
        if said.tense is Tense.PAST:
            yield FactMatch("studies_at", school, LIKELY, state_mode(said))
        else:
            yield FactMatch("studies_at", school, mode=mode_of(said))


_SCHOOLS = words(
    "university college school academy institute mit harvard stanford oxford cambridge"
)


def _pursue(said: Predication) -> Iterator[FactMatch]:
    """As in "I'm doing a PhD in chemistry"."""
    rest = said.rest
    if said.tense in {Tense.GOING_ON, Tense.LATELY} and not _DEGREES.isdisjoint(rest.low[:4]):
        if (at := rest.find("in")) > 0 and (subject := thing(rest.cut(at + 1), _STUDY_ENDS)):
            yield FactMatch("studies", subject, mode=mode_of(said))


def _drop_out(said: Predication) -> Iterator[FactMatch]:
    if said.rest.starts("out", "of") and said.tense in {Tense.PAST, Tense.PERFECT}:
        if school := name_of(said.rest.cut(2), 6) or thing(said.rest.cut(2)):
            yield FactMatch("studies_at", school, LIKELY, Mode.ENDED)


_NO_SUBJECTS = words("the a my this that it")


def _course(said: Predication) -> Iterator[FactMatch]:
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
                yield FactMatch("studies", subject, LIKELY, mode_of(said))


EDUCATION_RULES: Rules = {
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
