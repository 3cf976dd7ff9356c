"""What somebody does again and again, and at what hours."""

import re
from collections.abc import Iterator

from sharpwave.reading.found import CLEAR, LIKELY, Found, Rules, is_certain, mode_of, state_mode
from sharpwave.reading.grammar.lexicon import HABITS, words
from sharpwave.reading.grammar.objects import MARKS, means_something
from sharpwave.reading.grammar.phrases import Phrase
from sharpwave.reading.grammar.predications import Predication, Tense
from sharpwave.types.statements import Mode

_OFTEN = re.compile(
    r"\b(?:every (?:other )?(?:single )?(?:day|week|month|year|morning|evening|night|weekend|\w+day"
    r"|summer|winter|spring|fall|christmas|few|(?:two|three|four|six|\\d+) (?:days|weeks|months))"
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


def routine(said: Predication) -> Iterator[Found]:
    """As in "I usually run in the park", "I go to the gym on Mondays": any verb with a habit."""
    if not is_certain(said) or said.tense not in {Tense.PRESENT, Tense.LATELY, Tense.PAST}:
        return
    text = " ".join(said.rest.low[:30])
    lead = _lead(said)
    often = _OFTEN.search(text) is not None or bool(lead)
    if not often and (not said.adverbs & HABITS or said.verb in _NO_HABIT):
        return
    if (said.tense is Tense.PAST and not said.ended) or (said.verb in _NO_HABIT and not often):
        return
    if said.verb in {
        "love",
        "like",
        "enjoy",
        "hate",
        "feel",
        "think",
        "hope",
        "want",
        "need",
        "wish",
        "be",
    }:
        return
    kept = said.whole.until(MARKS - {","} | words("because but so although which when"))
    if kept.word(1) in _POINTING or said.negated or not means_something(kept.cut(1)):
        return
    adverbs = sorted(said.adverbs & HABITS)
    told = " ".join([*adverbs, _plain(said, str(kept)), *lead])
    yield Found("routine", told, CLEAR if often else LIKELY, _mode(said))


def _lead(said: Predication) -> list[str]:
    """The words in "*On Sundays* I call my mom", if they say how often."""
    first, last = said.clause.first, said.whole.first - 1
    if not 1 < last - first <= 6:
        return []
    lead = Phrase(said.whole.source, first, last)
    lead = lead.cut(0, len(lead) - 1) if lead.low[-1] == "," else lead
    if not _OFTEN.fullmatch(" ".join(lead.low)):
        return []
    told = lead.with_times()
    return [told[:1].lower() + told[1:]]


_POINTING = words("it that this them him her you")


def _mode(said: Predication) -> Mode:
    return Mode.ENDED if said.ended else mode_of(said)


def _plain(said: Predication, text: str) -> str:
    return said.verb + text[len(said.form) :] if text.lower().startswith(said.form) else text


def _wake(said: Predication) -> Iterator[Found]:
    """As in "I wake up at 6", "I get up at six thirty", "I go to bed at 11"."""
    if not is_certain(said) or said.tense not in {Tense.PRESENT, Tense.LATELY}:
        return
    text = " ".join(said.rest.low[:8])
    match = _HOUR.search(text)
    if match and (text.startswith("up ") and said.verb in {"wake", "get"}):
        yield Found("wakes_up_at", match[1], mode=state_mode(said))
    elif match and said.verb in {"go", "get"} and text.startswith(("to bed", "to sleep")):
        yield Found("goes_to_bed_at", match[1], mode=state_mode(said))


def _work(said: Predication) -> Iterator[Found]:
    text = " ".join(said.rest.low[:5])
    if said.tense in {Tense.PRESENT, Tense.GOING_ON} and (match := _SHIFT.match(text)):
        yield Found("works_hours", match[0], mode=state_mode(said))


RULES: Rules = {"wake": _wake, "get": _wake, "go": _wake, "work": _work}
