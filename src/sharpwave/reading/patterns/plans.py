"""Routines and hours, plans, wishes, hopes and appointments."""

import re
from collections.abc import Iterator

from sharpwave.reading.grammar.lexicon import DAYS, HABITS, MONTHS, STOP, lemma, word_list, words
from sharpwave.reading.grammar.objects import ENDS, MARKS, clipped, means_something, trimmed
from sharpwave.reading.grammar.predications import Predication, Tense
from sharpwave.reading.grammar.tokens import Phrase
from sharpwave.reading.patterns.match import (
    CLEAR,
    LIKELY,
    ONGOING,
    FactMatch,
    Rules,
    When,
    mode_of,
    state_mode,
)
from sharpwave.types.statements import Mode

_OFTEN = re.compile(
    r"\b(?:every (?:other )?(?:single )?(?:day|week|month|year|morning|evening|night|weekend|\w+day"
    r"|summer|winter|spring|fall|christmas|few|(?:two|three|four|six|\d+) (?:days|weeks|months))"
    r"|(?:once|twice|three times|four times|five times|\d+ times|several times|\d+ days|"
    r"(?:two|three|four|five|six) days) (?:a|per|every) (?:day|week|month|year)"
    r"|on (?:mon|tues|wednes|thurs|fri|satur|sun)days|on weekends|on weekdays"
    r"|each (?:day|week|morning|night|evening|year)|in the (?:mornings|evenings))\b"
    r"|\b(?:daily|weekly|monthly)$"
)
_HOUR = re.compile(
    r"(?:at|around|by) (\d{1,2}(?::\d\d)?(?: ?[ap]\.?m\.?)?(?: in the \w+)?|noon|midnight)"
)
_SHIFT = re.compile(r"(?:nights|night shifts?|part-time|full-time|weekends|remotely|9 to 5|9-5)\b")
_NO_HABIT = words(
    """think feel know believe hope guess wonder mean remember want need be have seem agree love
    like hear say tell see wish forget dream look appreciate understand find"""
)
_NEVER_HABIT = words("love like enjoy hate feel think hope want need wish be")


def routine(said: Predication) -> Iterator[FactMatch]:
    """As in "I usually run in the park", "I go to the gym on Mondays": any verb with a habit."""
    if said.tense not in {Tense.PRESENT, Tense.LATELY, Tense.PAST}:
        return
    text = " ".join(said.rest.low[:30])
    often = _OFTEN.search(text) is not None
    if not often and (not said.adverbs & HABITS or said.verb in _NO_HABIT):
        return
    if (said.tense is Tense.PAST and not said.ended) or said.verb in _NEVER_HABIT:
        return
    kept = said.whole.until(MARKS - {","} | words("because but so although which when"))
    if kept.word(1) in _POINTING or said.negated or not means_something(kept.cut(1)):
        return
    routine_text = " ".join([*sorted(said.adverbs & HABITS), _plain(said, str(kept))])
    yield FactMatch("routine", routine_text, CLEAR if often else LIKELY, mode_of(said))


_POINTING = words("it that this them him her you")


def _plain(said: Predication, text: str) -> str:
    return said.verb + text[len(said.form) :] if text.lower().startswith(said.form) else text


def _wake(said: Predication) -> Iterator[FactMatch]:
    """As in "I wake up at 6", "I get up at six thirty", "I go to bed at 11"."""
    if said.tense not in {Tense.PRESENT, Tense.LATELY}:
        return
    text = " ".join(said.rest.low[:8])
    match = _HOUR.search(text)
    if match and (text.startswith("up ") and said.verb in {"wake", "get"}):
        yield FactMatch("wakes_up_at", match[1], mode=state_mode(said))
    elif match and said.verb in {"go", "get"} and text.startswith(("to bed", "to sleep")):
        yield FactMatch("goes_to_bed_at", match[1], mode=state_mode(said))


def _work(said: Predication) -> Iterator[FactMatch]:
    text = " ".join(said.rest.low[:5])
    if said.tense in {Tense.PRESENT, Tense.GOING_ON} and (match := _SHIFT.match(text)):
        yield FactMatch("works_hours", match[0], mode=state_mode(said))


SCHEDULE_RULES: Rules = {"wake": _wake, "get": _wake, "go": _wake, "work": _work}


_ENDS = ENDS - {",", "-"}
_TALK = word_list("talk_verbs")
_WEAK_TALK = words("ask know say tell mention clarify hear check thank see confirm understand be")
_REQUESTS = word_list("requested_things")


def _plan(said: Predication) -> Iterator[FactMatch]:
    """As in "I'm planning to…", "I plan on…ing", "we're planning a trip to Rome"."""
    rest, mode = said.rest, _plan_mode(said)
    if rest.word(0) == "to" and said.verb in {"plan", "intend", "hope", "aim", "decide"}:
        yield from _to(rest.cut(1), "plans_to", 0.85 if said.verb != "hope" else LIKELY, mode)
    elif rest.word(0) in {"on", "of", "about"} and said.verb in {"plan", "think", "dream"}:
        yield from _about(said, rest.cut(1), mode)
    elif said.verb == "plan" and rest.word(0) not in {"it", "that", "this", "out"}:
        if (what := _told(rest)) and rest.word(0) != "my":
            yield FactMatch("plans", what, 0.85, mode, when=When.PLAN)


def _about(said: Predication, rest: Phrase, mode: Mode) -> Iterator[FactMatch]:
    """As in "planning on moving", "thinking of moving", "dreaming of a garden"."""
    if said.verb == "plan" and rest.word(0).endswith("ing"):
        yield from _to(rest, "plans_to", LIKELY, mode)
    elif said.tense in ONGOING and rest.word(0).endswith("ing"):
        verb = lemma(rest.word(0))
        if verb not in _WEAK_TALK and (verb not in _TALK or _is_concrete(rest)):
            if (what := _told(rest)) and len(what.split()) > 1:
                yield FactMatch("considering", what, LIKELY, mode, when=When.PLAN)


def _consider(said: Predication) -> Iterator[FactMatch]:
    """As in "I'm considering (buying) a kayak"."""
    if said.tense in ONGOING and said.first_person:
        if said.rest.word(0).endswith("ing"):
            yield from _about(said, said.rest, mode_of(said))
        elif said.rest.word(0) in {"a", "an"} and (what := _told(said.rest)):
            yield FactMatch("considering", what, LIKELY, mode_of(said), when=When.PLAN)


def _want(said: Predication) -> Iterator[FactMatch]:
    """As in "I want to…", "I'd love to…", "I would like to…"."""
    rest = said.rest
    wish = said.modal == "would" and said.verb in {"love", "like"}
    if said.verb in {"love", "like"} and not wish:
        return
    if said.negated or (said.verb == "want" and said.tense in {Tense.PAST, Tense.MODAL}):
        return
    if rest.word(0) == "to" and lemma(rest.word(1)) not in _WEAK_TALK:
        if said.verb == "want" or wish:
            yield from _to(rest.cut(1), "wants_to", LIKELY, _plan_mode(said))


def _to(phrase: Phrase, predicate: str, sure: float, mode: Mode) -> Iterator[FactMatch]:
    verb = lemma(phrase.word(0))
    what = _told(phrase)
    if not what or verb in _WEAK_TALK or (verb in _TALK and not _is_concrete(phrase)):
        return
    if phrase.starts("make", "sure") or what.split()[-1].lower() in _OPEN_ENDS:
        return
    if not {"it", "that", "them", "you"}.isdisjoint(phrase.low[1:3]):
        return
    if phrase.word(0).endswith("ing"):
        what = f"{verb}{what[len(phrase.word(0)) :]}"
    if len(what.split()) > 1 or len(phrase.low) == 1:
        yield FactMatch(predicate, what, sure, mode, when=When.PLAN)


_OPEN_ENDS = words("it that this them those these too there one ones more")


def _is_concrete(phrase: Phrase) -> bool:
    """True if what is meant stands in the words themselves, and is not a request."""
    rest = phrase.cut(1)
    if rest.word(0) in {"some", "more", "any", "it", "that", "this", "them", "em", "something"}:
        return False
    if any(word in {"those", "these", "your", "them"} for word in rest.low[:4]):
        return False
    if any(word in _REQUESTS for word in rest.low[:3]):
        return False
    return sum(word not in STOP and word[0].isalnum() for word in rest.low) > 0


def _told(phrase: Phrase) -> str:
    """What is planned, up to twenty words."""
    kept = clipped(phrase.until(_ENDS))
    comma = kept.find(",")
    if comma > 2 and not kept.capital(comma + 1):
        kept = kept.cut(0, comma)
    return trimmed(kept) if means_something(kept) else ""


def _plan_mode(said: Predication) -> Mode:
    if said.tense is Tense.PAST and not said.negated and said.verb != "decide":
        return Mode.ENDED
    return mode_of(said)


_STATIVE = words("need want love like miss feel be know forget")


def future(said: Predication) -> Iterator[FactMatch]:
    """As in "I'm going to run a marathon", "we'll visit Rome in May": any verb in the future."""
    if said.tense is not Tense.FUTURE or said.negated or said.ended or "you" in said.rest.low[:4]:
        return
    verb = said.verb
    going = said.form != "be"
    timed = any(said.rest.is_time(at) for at in range(len(said.rest)))
    if verb in _STATIVE or (verb == "have" and said.rest.word(0) == "to"):
        return
    if verb in _TALK and not (timed and _is_concrete(said.whole)):
        if verb not in {"go", "take", "start", "get"} or not _is_concrete(said.whole):
            return
    if said.rest.word(0) in {"with", "ahead"} and verb == "go":
        return
    if going and (what := _told(said.whole)) and len(what.split()) > 1:
        plain = verb + what[len(said.form) :] if what.lower().startswith(said.form) else what
        if not _is_concrete(said.whole):
            return
        yield FactMatch("plans_to", plain, LIKELY, mode_of(said), when=When.PLAN)


def _go(said: Predication) -> Iterator[FactMatch]:
    """As in "I'm going to Rome next week", "we're heading to Rome", "I'm flying to Rome"."""
    rest = said.rest
    going = said.tense is Tense.GOING_ON and "start" not in said.adverbs
    if going and rest.word(0) in {"to", "on", "camping", "hiking", "skiing"}:
        if rest.word(1) not in {"bed", "sleep", "need", "be"} and (what := _told(rest)):
            plan = f"{said.verb} {what}"
            yield FactMatch("plans_to", plan, LIKELY, mode_of(said), when=When.PLAN)


def _have(said: Predication) -> Iterator[FactMatch]:
    """As in "I have a dentist appointment on Friday", "I've got tickets to see…"."""
    if said.tense not in {Tense.PRESENT, Tense.FUTURE} or said.negated:
        return
    rest = said.rest
    for place, word in enumerate(rest.low[:7]):
        if word in _DATES and rest.word(0) in {"a", "an", "my", "the", "two", "tickets", "another"}:
            timed = any(rest.is_time(at) for at in range(len(rest)))
            coming = timed or any(w in _COMING for w in rest.low[place:])
            if coming or word in {"tickets", "reservation", "appointment", "deadline"}:
                predicate = "deadline" if word == "deadline" else "appointment"
                if what := trimmed(rest.until(ENDS)):
                    yield FactMatch(predicate, what, LIKELY, when=When.PLAN)
            return


_DATES = words(
    """appointment meeting exam test interview flight reservation deadline tickets ticket surgery
    presentation concert wedding class game match show performance trip date conference"""
)
_COMING = DAYS | MONTHS | words("tomorrow today tonight next upcoming coming soon")


def _be(said: Predication) -> Iterator[FactMatch]:
    """As in "I'm excited to start…", "I'm off to Rome", "I'm getting married in May"."""
    rest = said.rest
    if said.tense is not Tense.PRESENT or said.negated or not said.first_person:
        return
    while rest.word(0) in {"so", "really", "very", "super"}:
        rest = rest.cut(1)
    if rest.word(0) in _EAGER and rest.word(1) == "to":
        if lemma(rest.word(2)) not in _TALK:
            yield from _to(rest.cut(2), "wants_to", LIKELY, Mode.HOLDS)


_EAGER = words("excited determined hoping ready eager thrilled")


def _look(said: Predication) -> Iterator[FactMatch]:
    """As in "I'm looking for a flat"; what is asked of an assistant is no search of one's own."""
    rest = said.rest
    if said.tense in ONGOING and rest.word(0) == "for":
        near = set(rest.low[1:6])
        if not near & (_REQUESTS - {"some"}) and (what := _told(rest.cut(1))):
            if any(word in _SOUGHT for word in rest.low[1:5]):
                yield FactMatch("looking_for", what, LIKELY, mode_of(said))
    elif said.tense is Tense.GOING_ON and rest.starts("forward", "to"):
        if (what := _told(rest.cut(2))) and lemma(rest.word(2)) not in _TALK:
            if rest.word(2) not in {"your", "it", "that", "the", "hearing", "seeing"}:
                yield FactMatch("looking_forward_to", what, LIKELY, when=When.PLAN)


_SOUGHT = words(
    """job apartment flat house place roommate car dog puppy gym internship work position partner
    therapist doctor school home room investor investors"""
)


def _ready(said: Predication) -> Iterator[FactMatch]:
    """As in "I'm saving up for a house", "I'm getting ready for a contest"."""
    rest = said.rest
    lead = _GETTING_READY.get((said.verb, "" if said.verb != "get" else rest.word(0)))
    if lead and said.tense in ONGOING and "for" in rest.low[:3]:
        if what := _told(rest.cut(rest.find("for") + 1)):
            yield FactMatch("plans_to", f"{lead} {what}", LIKELY, mode_of(said), when=When.PLAN)


_GETTING_READY = {
    ("save", ""): "save up for",
    ("train", ""): "train for",
    ("prepare", ""): "prepare for",
    ("get", "ready"): "prepare for",
}


PLAN_RULES: Rules = {
    "plan": _plan,
    "intend": _plan,
    "hope": _plan,
    "aim": _plan,
    "decide": _plan,
    "think": _plan,
    "dream": _plan,
    "consider": _consider,
    "want": _want,
    "love": _want,
    "like": _want,
    "go": _go,
    "head": _go,
    "fly": _go,
    "travel": _go,
    "have": _have,
    "be": _be,
    "look": _look,
} | dict.fromkeys(("get", "save", "train", "prepare"), _ready)
