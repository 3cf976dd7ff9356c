"""Clauses that only make sense with what was said before.

Short answers ("Porto." after "Where do you live?" is "I live in Porto") and corrections ("Porto,
not Lisbon", "actually it's Porto").
"""

import re
from collections.abc import Sequence

from sharpwave.knowledge.predicates import Objects, normal_object, predicate
from sharpwave.reading.grammar.lexicon import (
    ADVERBS,
    words,
)
from sharpwave.reading.grammar.objects import (
    ENDS,
    thing,
)
from sharpwave.reading.grammar.tokens import Phrase
from sharpwave.reading.patterns.match import CLEAR, LIKELY, FactMatch
from sharpwave.types.statements import Mode

_LAST_QUESTION = re.compile(r"([^.!?\n]{3,200})\?[^?]{0,80}$")
_ASKED: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), said)
    for pattern, said in (
        (r"where (?:do|are) you (?:live|living|based|located)", "I live in {}"),
        (r"where (?:are|do) you (?:originally )?(?:come )?from", "I am from {}"),
        (r"what(?:'s| is) your (?:full |first )?name", "My name is {}"),
        (r"how old are you", "I am {} years old"),
        (r"what do you do(?: for (?:a living|work))?$", "I am {}"),
        (r"what(?:'s| is) your (?:job|profession|occupation)", "I am {}"),
        (r"where do you work|who do you work for", "I work at {}"),
        (r"what (?:do|are) you study(?:ing)?", "I study {}"),
        (r"when(?:'s| is) your birthday", "My birthday is {}"),
        (r"what(?:'s| is) your favou?rite (\w+(?: \w+)?)$", "My favorite {kind} is {}"),
        (r"what are you allergic to", "I am allergic to {}"),
    )
)
_YES = re.compile(
    r"(?:yes|yeah|yep|yup|sure|correct|exactly|right|indeed|absolutely)\b[,.! ]*", re.I
)
_NO = re.compile(r"(?:no|nope|nah)\b[,.! ]*", re.I)
_INVERTED = re.compile(
    r"(?:and |so |but )?(do|are|have|can|were) you (?:still |now )?(.{2,120})$",
    re.I,
)
_COURTESY = re.compile(
    r"(?:thanks|thank|thx|wow|oh|hmm|hm|haha|lol|sure|ok|okay|yes|yeah|no|nope|good|great|nice"
    r"|cool|well|sorry|hey|hi|not|that|this|why|what|how|good question)\b",
    re.I,
)
_OPEN = re.compile(r"\b(?:any|anything|anyone|ever|yet|or)\b", re.I)
_SELF = {"your": "my", "you": "I", "yourself": "myself"}
_LONGEST = 90


def whole_answer(text: str, previous: str | None) -> str | None:
    """The answer as a full sentence, or None if `text` answers nothing that was asked."""
    if not previous or "?" not in previous[-300:]:
        return None
    asked = _LAST_QUESTION.search(previous[-300:])
    first = re.split(r"(?<=[.!?\n])\s", text.strip(), maxsplit=1)[0][:_LONGEST]
    if not asked or not first or first.endswith("?"):
        return None
    question = asked[1].strip()
    for lead in (", ", " - "):
        question = question.rpartition(lead)[2]
    return _to_open(question, first) or _to_yes_or_no(question, first)


def _to_open(question: str, answer: str) -> str | None:
    answer = answer.strip(" .!")
    if _COURTESY.match(answer):
        return None
    if len(answer.split()) > 9 or re.match(r"(?:i|my|we|it|he|she|they|i'm)\b", answer, re.I):
        return None
    for pattern, said in _ASKED:
        if match := pattern.search(question):
            kind = match[1] if match.groups() else ""
            answer = re.sub(r"^(?:it's|its|in|at|from|as|on|the one in)\s", "", answer, flags=re.I)
            return said.format(answer, kind=kind)
    return None


def _to_yes_or_no(question: str, answer: str) -> str | None:
    yes, no = _YES.match(answer), _NO.match(answer)
    match = _INVERTED.search(question)
    if not match or not (yes or no) or _OPEN.search(question):
        return None
    verb = {"do": "", "are": "am", "were": "was"}.get(match[1].lower(), match[1].lower())
    said = " ".join(_SELF.get(word.lower(), word) for word in match[2].split())
    if not yes:
        verb = f"{verb or 'do'} not"
    tail = answer[(yes or no or match).end() :].strip(" .!")
    place = re.match(r"(?:in|at|for|as) .{2,40}$", tail) if yes else None
    return " ".join(f"I {verb} {said} {tail if place else ''}".split())


_LEADS = words("no actually sorry oops wait well nope correction but and now so yes , - then")
_PLACES = words("in at to from as by")


def instead_of(rest: Phrase) -> str | None:
    """What is named as wrong after the right thing."""
    return without_instead(rest)[1]


def without_instead(rest: Phrase) -> tuple[Phrase, str | None]:
    """What is so, and what is named as wrong after it: "…in Porto, not (in) Lisbon"."""
    for at, word in enumerate(rest.low):
        denied = 2 * (rest.low[at : at + 2] == ["no", "longer"]) or word == "not"
        if denied and at and rest.word(at - 1) in {",", "and", "-"}:
            after = rest.cut(at + denied)
            after = after.cut(1) if after.word(0) in _PLACES else after
            return rest.cut(0, at - 1), thing(after) or None
        if word in {"instead", "rather"} and rest.word(at + 1) in {"of", "than"}:
            return rest.cut(0, at), thing(rest.cut(at + 2)) or None
    return rest, None


def may_correct(phrase: Phrase, known: Sequence[FactMatch]) -> bool:
    """A quick look: short, and with a word that corrections have, or after a denial."""
    if len(phrase) > 16:
        return False
    if not _SIGNS.isdisjoint(phrase.low):
        return True
    return bool(known) and known[-1].mode is Mode.DENIED and phrase.word(0) in {"it", "that"}


_SIGNS = words("now not meant mean actually sorry oops correction no nope")


def corrected(phrase: Phrase, known: Sequence[FactMatch]) -> FactMatch | None:
    """A new object for what was said before: `known`, the nearest last.

    "it's Porto", "not Lisbon but Porto", "I meant Porto", "now in Porto".
    """
    now = "now" in phrase.low[:4] or "now" in phrase.low[-1:]
    actually = not _CORRECTING.isdisjoint(phrase.low[:3])
    denied = known[-1].mode is Mode.DENIED
    at = 0
    while phrase.word(at) in _LEADS or phrase.word(at) in ADVERBS:
        at += 1
    phrase = phrase.cut(at)
    meant = phrase.low[:2] in (["i", "meant"], ["i", "mean"])
    it_is = phrase.low[:2] in (["it", "is"], ["that", "is"], ["it", "was"])
    i_am = now and known[-1].mode is Mode.ENDED and phrase.low[:2] in (["i", "am"], ["we", "are"])
    rest = phrase.cut(2) if meant or it_is or i_am else phrase
    while rest.word(0) in _BEFORE_VALUES:
        rest = rest.cut(1)
    old = ""
    if rest.word(0) == "not":
        place = rest.find("but")
        old = thing(rest.cut(1, place if place > 0 else None))
        rest = rest.cut(place + 1 if place > 0 else len(rest))
        rest = rest.cut(1) if rest.word(0) in _PLACES else rest
    old = old or instead_of(rest) or ""
    named = rest.until(ENDS | {"and", "now", "not"})
    new = thing(named) or (str(named) if named.word(0)[:1].isdigit() else "")
    if not new or len(rest) > 8 or not _BEING.isdisjoint(named.low):
        return None
    if now and not (meant or it_is or i_am or old) and len(named) > VALUE_WORDS:
        return None
    if not (meant or (it_is and (actually or now or old or denied)) or now or old):
        if not (actually and _is_alike(named, known)):
            return None
    return _for(known, new, old, now)


VALUE_WORDS = 3
"""A bare value with "now" has no more words: "Porto now", not "the dentist moved me now"."""
_CORRECTING = words("actually no sorry oops correction nope wait")
_BEING = words("is are was were")
"""With one of these it is a sentence of its own, not a value: "my boss is now Sara"."""
_BEFORE_VALUES = words("now actually really to say in at called spelled")


def _is_alike(new: Phrase, known: Sequence[FactMatch]) -> bool:
    """A bare value of the kind just named: "I'm 34. Actually 35.", "…Lisbon. Sorry, Porto."."""
    fitting = [one for one in known if not predicate(one.predicate).many]
    old = fitting[-1].object if fitting else ""
    if not old or len(new) > 3:
        return False
    if old[0].isdigit():
        return new.word(0)[0].isdigit()
    return old[0].isupper() and all(new.capital(at) for at in range(len(new)))


def _for(known: Sequence[FactMatch], new: str, old: str, now: bool) -> FactMatch | None:
    """The same predicate with the new object, if it is plain which one is meant."""
    if old:
        fitting = [one for one in known if _is_object(one, old)]
    else:
        fitting = [one for one in known if not predicate(one.predicate).many]
    if not fitting:
        return None
    was = fitting[-1]
    if predicate(was.predicate).object is Objects.ENTITY and not new[:1].isupper():
        return None
    sure = CLEAR if old or (now and was.mode is Mode.ENDED) else LIKELY
    return FactMatch(was.predicate, new, sure, subject=was.subject, instead_of=old or was.object)


def _is_object(one: FactMatch, old: str) -> bool:
    return normal_object(one.predicate, old) == normal_object(one.predicate, one.object)
