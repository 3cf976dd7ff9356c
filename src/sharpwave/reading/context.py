"""Read clauses that depend on an earlier turn or clause.

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
_OPEN_QUESTIONS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), answer)
    for pattern, answer in (
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
_OPEN_WORDS = re.compile(r"\b(?:any|anything|anyone|ever|yet|or)\b", re.I)
_FIRST_PERSON = {"your": "my", "you": "I", "yourself": "myself"}
_MAX_CHARS = 90


def whole_answer(text: str, previous: str | None) -> str | None:
    """The answer as a full sentence, or None if `text` answers no question."""
    if not previous or "?" not in previous[-300:]:
        return None
    last_question = _LAST_QUESTION.search(previous[-300:])
    answer = re.split(r"(?<=[.!?\n])\s", text.strip(), maxsplit=1)[0][:_MAX_CHARS]
    if not last_question or not answer or answer.endswith("?"):
        return None
    question = last_question[1].strip()
    for lead in (", ", " - "):
        question = question.rpartition(lead)[2]
    return _to_open(question, answer) or _to_yes_or_no(question, answer)


def _to_open(question: str, answer: str) -> str | None:
    answer = answer.strip(" .!")
    if _COURTESY.match(answer):
        return None
    if len(answer.split()) > 9 or re.match(r"(?:i|my|we|it|he|she|they|i'm)\b", answer, re.I):
        return None
    for pattern, sentence in _OPEN_QUESTIONS:
        if match := pattern.search(question):
            kind = match[1] if match.groups() else ""
            answer = re.sub(r"^(?:it's|its|in|at|from|as|on|the one in)\s", "", answer, flags=re.I)
            return sentence.format(answer, kind=kind)
    return None


def _to_yes_or_no(question: str, answer: str) -> str | None:
    yes, no = _YES.match(answer), _NO.match(answer)
    match = _INVERTED.search(question)
    if not match or not (yes or no) or _OPEN_WORDS.search(question):
        return None
    verb = {"do": "", "are": "am", "were": "was"}.get(match[1].lower(), match[1].lower())
    rest = " ".join(_FIRST_PERSON.get(word.lower(), word) for word in match[2].split())
    if not yes:
        verb = f"{verb or 'do'} not"
    tail = answer[(yes or no or match).end() :].strip(" .!")
    detail = re.match(r"(?:in|at|for|as) .{2,40}$", tail) if yes else None
    return " ".join(f"I {verb} {rest} {tail if detail else ''}".split())


_LEADS = words("no actually sorry oops wait well nope correction but and now so yes , - then")
_PREPOSITIONS = words("in at to from as by")


def instead_of(rest: Phrase) -> str | None:
    """The wrong value, named after the right one."""
    return without_instead(rest)[1]


def without_instead(rest: Phrase) -> tuple[Phrase, str | None]:
    """Split "…in Porto, not (in) Lisbon" into the phrase that holds and the wrong value, if any."""
    for position, word in enumerate(rest.low):
        negation_words = (
            2 * (rest.low[position : position + 2] == ["no", "longer"]) or word == "not"
        )
        if negation_words and position and rest.word(position - 1) in {",", "and", "-"}:
            after = rest.cut(position + negation_words)
            after = after.cut(1) if after.word(0) in _PREPOSITIONS else after
            return rest.cut(0, position - 1), thing(after) or None
        if word in {"instead", "rather"} and rest.word(position + 1) in {"of", "than"}:
            return rest.cut(0, position), thing(rest.cut(position + 2)) or None
    return rest, None


def may_correct(phrase: Phrase, facts: Sequence[FactMatch]) -> bool:
    """Quick check: a short phrase with a correcting word, or after a denial."""
    if len(phrase) > 16:
        return False
    if not _SIGNS.isdisjoint(phrase.low):
        return True
    return bool(facts) and facts[-1].mode is Mode.DENIED and phrase.word(0) in {"it", "that"}


_SIGNS = words("now not meant mean actually sorry oops correction no nope")


def corrected(phrase: Phrase, facts: Sequence[FactMatch]) -> FactMatch | None:
    """The last fitting one of `facts` with a new object, if the phrase corrects it.

    "it's Porto", "not Lisbon but Porto", "I meant Porto", "now in Porto".
    """
    now = "now" in phrase.low[:4] or "now" in phrase.low[-1:]
    actually = not _CORRECTING.isdisjoint(phrase.low[:3])
    denied = facts[-1].mode is Mode.DENIED
    position = 0
    while phrase.word(position) in _LEADS or phrase.word(position) in ADVERBS:
        position += 1
    phrase = phrase.cut(position)
    meant = phrase.low[:2] in (["i", "meant"], ["i", "mean"])
    it_is = phrase.low[:2] in (["it", "is"], ["that", "is"], ["it", "was"])
    i_am = now and facts[-1].mode is Mode.ENDED and phrase.low[:2] in (["i", "am"], ["we", "are"])
    rest = phrase.cut(2) if meant or it_is or i_am else phrase
    while rest.word(0) in _BEFORE_VALUES:
        rest = rest.cut(1)
    old = ""
    if rest.word(0) == "not":
        but_position = rest.find("but")
        old = thing(rest.cut(1, but_position if but_position > 0 else None))
        rest = rest.cut(but_position + 1 if but_position > 0 else len(rest))
        rest = rest.cut(1) if rest.word(0) in _PREPOSITIONS else rest
    old = old or instead_of(rest) or ""
    value = rest.until(ENDS | {"and", "now", "not"})
    new = thing(value) or (str(value) if value.word(0)[:1].isdigit() else "")
    if not new or len(rest) > 8 or not _BE_VERBS.isdisjoint(value.low):
        return None
    if now and not (meant or it_is or i_am or old) and len(value) > VALUE_WORDS:
        return None
    if not (meant or (it_is and (actually or now or old or denied)) or now or old):
        if not (actually and _is_same_kind(value, facts)):
            return None
    return _replacing(facts, new, old, now)


VALUE_WORDS = 3
"""Maximum words of a bare value with "now": "Porto now", not "the dentist moved me now"."""
_CORRECTING = words("actually no sorry oops correction nope wait")
_BE_VERBS = words("is are was were")
"""Verbs of a full sentence, which is not a value: "my boss is now Sara"."""
_BEFORE_VALUES = words("now actually really to say in at called spelled")


def _is_same_kind(new: Phrase, facts: Sequence[FactMatch]) -> bool:
    """True for a bare value of the same kind: "I'm 34. Actually 35.", "…Lisbon. Sorry, Porto."."""
    fitting = [fact for fact in facts if not predicate(fact.predicate).many]
    old = fitting[-1].object if fitting else ""
    if not old or len(new) > 3:
        return False
    if old[0].isdigit():
        return new.word(0)[0].isdigit()
    return old[0].isupper() and all(new.capital(position) for position in range(len(new)))


def _replacing(facts: Sequence[FactMatch], new: str, old: str, now: bool) -> FactMatch | None:
    """The same predicate with the new object, if it is clear which fact is corrected."""
    if old:
        fitting = [fact for fact in facts if _is_object(fact, old)]
    else:
        fitting = [fact for fact in facts if not predicate(fact.predicate).many]
    if not fitting:
        return None
    corrected_fact = fitting[-1]
    if predicate(corrected_fact.predicate).object is Objects.ENTITY and not new[:1].isupper():
        return None
    confidence = CLEAR if old or (now and corrected_fact.mode is Mode.ENDED) else LIKELY
    return FactMatch(
        corrected_fact.predicate,
        new,
        confidence,
        subject=corrected_fact.subject,
        instead_of=old or corrected_fact.object,
    )


def _is_object(fact: FactMatch, old: str) -> bool:
    return normal_object(fact.predicate, old) == normal_object(fact.predicate, fact.object)
