"""Tasks (what has to be done) and notes (rules of thumb).  SPEC: TSK-03.

A note is what the speaker concluded ("I've found that…") or how to help the speaker.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from sharpwave.knowledge.predicates import person
from sharpwave.reading.grammar.lexicon import DAYS, MONTHS, lemma, words
from sharpwave.reading.grammar.objects import ENDS, MARKS, means_something, trimmed
from sharpwave.reading.grammar.predications import Predication, Tense
from sharpwave.reading.grammar.tokens import Phrase
from sharpwave.reading.patterns.match import LIKELY


class TaskMatch(NamedTuple):
    """Something to do."""

    title: str
    confidence: float


# "I need to go", "I have to admit", "I need to stop for lunch": nothing to remember.
NOT_TASKS = words(
    """go run leave stop be know say ask admit tell agree think see understand wait rest sleep stay
    keep make have use head eat hear mention point clarify pee confess disagree get take find feel
    relax look talk believe deal face remember consider learn focus decide figure adjust improve
    ensure try give balance do start work add avoid let come live break breathe hurry save"""
)
_ENDS = ENDS - {",", "-"} | {"and"}
_DETERMINERS = words("the a an my our his her their some")


def task_of(said: Predication) -> Iterator[TaskMatch]:
    """As in "I need to renew my passport by Friday"."""
    if not said.first_person or said.plural:
        return
    rest = said.rest
    if said.verb in {"need", "have"} and rest.word(0) == "to" and _is_open(said):
        yield from _to_do(rest.cut(1), 0.85)
    elif said.modal in {"must", "should"} and said.tense is Tense.MODAL and not said.negated:
        if said.form != said.verb:
            return  # "I must have forgotten" is no duty
        yield from _to_do(said.whole, LIKELY if said.modal == "must" else 0.7)
    elif said.verb == "mean" and said.tense is Tense.LATELY and rest.word(0) == "to":
        yield from _to_do(rest.cut(1), 0.85)
    elif (
        said.verb == "forget" and said.tense in {Tense.PAST, Tense.PRESENT} and rest.word(0) == "to"
    ):
        yield from _to_do(rest.cut(1), LIKELY)


def _is_open(said: Predication) -> bool:
    return said.tense in {Tense.PRESENT, Tense.FUTURE} and not said.negated and not said.ended


def _to_do(phrase: Phrase, sure: float) -> Iterator[TaskMatch]:
    verb = lemma(phrase.word(0))
    kept = phrase.until(_ENDS)
    while phrase.word(len(kept)) == "and" and phrase.word(len(kept) + 1) in _DETERMINERS:
        kept = phrase.until(_ENDS, len(kept) + 1)  # "the bank and the insurance"
    comma = kept.find(",")
    kept = kept.cut(0, comma) if comma > 1 else kept
    timed = any(phrase.is_time(at) for at in range(len(phrase)))
    concrete = kept.cut(1)
    if verb in NOT_TASKS and not (timed and len(concrete) > 2 and means_something(concrete)):
        return
    if concrete.word(0) in {"it", "that", "this", "them", "you", "something", "more"}:
        return
    title = trimmed(kept)
    if title and means_something(concrete):
        yield TaskMatch(_capital(title), sure)


def task_due(phrase: Phrase) -> Iterator[TaskMatch]:
    """As in "the report is due on Friday", "the deadline for the grant is May 3"."""
    if phrase.word(0) not in {"the", "my", "our"}:
        return
    due = phrase.find("due")
    verb = next((at for at, word in enumerate(phrase.low[:9]) if word in {"is", "are"}), -1)
    if verb < 2:
        return
    if 0 < due <= verb + 2 and phrase.word(due + 1) != "to":
        yield TaskMatch(_capital(f"finish {phrase.cut(0, verb)}"), LIKELY)
    elif "deadline" in phrase.low[:verb] and _is_dated(phrase.cut(verb + 1)):
        after = phrase.find("deadline") + 1
        what = (
            phrase.cut(after + 1, verb) if phrase.word(after) in {"for", "to"} else phrase.cut(0, 0)
        )
        if what:
            yield TaskMatch(_capital(f"finish {what}"), LIKELY)


def _is_dated(phrase: Phrase) -> bool:
    if any(phrase.is_time(at) for at in range(len(phrase))):
        return True
    return any(word in DAYS or word in MONTHS or word == "tomorrow" for word in phrase.low[:5])


def _capital(title: str) -> str:
    return title[:1].upper() + title[1:]


NOTE = 0.75
_LEARNED = words("find learn realize discover notice")
_LABEL = re.compile(
    r"^(?:the )?(?:lesson(?: learned)?|note to self|rule of thumb|tip|key takeaway|takeaway|trick)"
    r" (?::|is(?: to| that)?) "
)


_LABELS = words("lesson note rule tip takeaway trick")


def note_of(said: Predication) -> Iterator[str]:
    """As in "I learned that spinners work better than bait", "I learn best with examples"."""
    if not said.first_person or said.negated:
        return
    if said.verb in _LEARNED and said.tense in {Tense.PAST, Tense.PERFECT}:
        if said.rest.word(0) == "that":
            rest = said.rest.cut(1)
            if len(rest) >= 4 and rest.word(0) not in {"i", "it", "he", "she", "they", "you"}:
                yield _told(said, f"{said.form} that {rest.with_times()}")
    elif said.verb in {"learn", "work", "understand"} and said.tense is Tense.PRESENT:
        if said.rest.word(0) == "best" and len(said.rest) > 1:
            yield _told(said, f"{said.verb}s {said.rest.with_times()}")
    elif said.verb in {"prefer", "like", "want", "need"}:
        yield from _wished(said)


def _wished(said: Predication) -> Iterator[str]:
    """As in "I prefer short answers from you", "I'd like you to be more direct with me"."""
    rest = said.rest
    lasting = said.tense is Tense.PRESENT or said.modal == "would"
    if not lasting or not rest:
        return
    be_so = rest.word(2) == "be" and rest.word(3) in _BEARINGS
    if rest.starts("you", "to") and (be_so or rest.word(2) in _MANNERS):
        yield _told(said, f"wants {rest}")
    elif said.verb == "prefer" and _is_about_answers(rest):
        yield _told(said, f"prefers {rest}")


_MANNERS = words("always never speak talk")
_BEARINGS = words("more less direct honest brief concise blunt critical strict patient formal kind")


def _told(said: Predication, what: str) -> str:
    note_text = f"{person(said.who)} {what}"
    return note_text[:1].upper() + note_text[1:]


def note_labelled(phrase: Phrase) -> Iterator[str]:
    """As in "lesson learned: book early", "the trick is to let it rest"."""
    if _LABELS.isdisjoint(phrase.low[:4]):
        return
    text = " ".join(phrase.low[:8]) + " "
    if match := _LABEL.match(text):
        rest = phrase.cut(len(match[0].split()))
        if len(rest) >= 2:
            yield _capital(rest.with_times())


# --- how to help the speaker ----------------------------------------------------------------------

_OPENING = words("always never do when whenever from going in")
_LEADS = words("please and also so , ok okay kindly just")
_ASKING = words(
    """answer reply respond keep use explain show give write speak talk avoid include skip format
    cite stop assume address remind be leave suggest recommend provide ask start end call make
    sugarcoat apologize mention"""
)
_STANDING = re.compile(
    r"\b(?:from now on|going forward|in (?:the )?future|every time|whenever|always|never"
    r"|when(?:ever)? you|your (?:answers|replies|responses|messages|explanations"
    r"|suggestions|tone|language|sentences)|with me|(?:talk|speak|explain things) to me"
    r"|explain things|things to me)\b"
)
_ANSWERS = words("answers answer replies reply responses response explanations messages")
_STYLE = words("emojis emoji jargon slang bullet markdown exclamation filler disclaimers acronyms")
_NOT_RULES = {"give up", "be afraid", "be sorry", "call me", "remind me", "ask me"}


def is_standing(phrase: Phrase) -> bool:
    """True if what is asked for holds for more than the next answer."""
    return _STANDING.search(" ".join(phrase.low[:30])) is not None


def _is_about_answers(phrase: Phrase) -> bool:
    for at, word in enumerate(phrase.low):
        if word in _ANSWERS and (phrase.word(at - 1) in {"your", "short", "brief", "concise"}):
            return True
    return False


def may_ask(first: str) -> bool:
    """A quick look at the first word."""
    return first in _LEADS or first in _ASKING or first in _OPENING


def note_asked(phrase: Phrase) -> Iterator[str]:
    """As in "please keep your answers short", "never use emojis", "when you…, leave out dairy"."""
    at = _past_leads(phrase)
    rest = phrase.cut(at)
    if not _may_ask(rest) or len(rest) < 2 or len(rest) > 30:
        return
    style = rest.word(0) in {"do", "use", "avoid", "skip", "stop"} and not _STYLE.isdisjoint(
        rest.low[:6]
    )
    then = phrase.source.low[phrase.last : phrase.last + 2] == ["when", "you"]
    if _is_imperative(rest) and (style or then or is_standing(phrase)):
        yield _capital(rest.until(MARKS - {",", "-", ":", "/"}).with_times())


def _past_leads(phrase: Phrase) -> int:
    at = 0
    while phrase.word(at) in _LEADS:
        at += 1
    for lead in (["from", "now", "on"], ["going", "forward"], ["in", "the", "future"]):
        if phrase.low[at : at + len(lead)] == lead:
            at += len(lead)
    while phrase.word(at) in _LEADS:
        at += 1
    return at


def _may_ask(rest: Phrase) -> bool:
    first = rest.word(0)
    return first in _ASKING or first in {"always", "never", "do", "when", "whenever"}


def _is_imperative(rest: Phrase) -> bool:
    """A verb in its plain form where a subject would stand."""
    at = 0
    if rest.word(0) in {"when", "whenever"}:
        comma = rest.find(",")
        if rest.word(1) != "you" or comma < 0:
            return False
        at = comma + 1
    while rest.word(at) in {"please", "always", "never", "do", "not"}:
        at += 1
    pair = f"{rest.word(at)} {rest.word(at + 1)}"
    return rest.word(at) in _ASKING and pair not in _NOT_RULES
