"""The rule that is stored: the instruction in normal form, never the message.

don't add them, not everywhere      -> Do not ...
use tabs not spaces                 -> Use tabs instead of spaces
show me the diff before you commit  -> Show the user the diff before committing
"""

from collections.abc import Sequence

from sharpwave.reading.steering.lexicon import DEFINITE, INDEFINITE, OUTPUT, words
from sharpwave.reading.steering.sentences import Word, text_of, word
from sharpwave.reading.steering.verbs import KNOWN, gerund, third

MOST_WORDS = 40
_WHEN = words("before after when whenever while if unless until without once")
_FILLERS = words("please ok okay thanks right instead too now")
_ENDING = words(", . ! : - and but so because or")
_PERSONS = {"me": "the user", "my": "the user's", "mine": "the user's", "i": "the user"}
_POSSESSIVE = words("your ur")


def rule(said: Sequence[Word]) -> str | None:
    """The words as a rule; None if they are none by themselves."""
    made = _without_fillers(list(said))
    return _sentence(_without_fillers(_contrasted(_impersonal(_with_gerunds(made)))))


def statement(said: Sequence[Word]) -> str | None:
    """What is told of the user, or of how things are done, which is no instruction."""
    return _sentence(_without_fillers(list(said)))


def _sentence(made: Sequence[Word]) -> str | None:
    if not made or len(made) > MOST_WORDS:
        return None
    text = text_of([made[0], *map(_inside, made[1:])])
    return text[:1].upper() + text[1:]


_INSIDE = DEFINITE | INDEFINITE | words("when whenever if less fewer your all no")


def _inside(one: Word) -> Word:
    """A small word that began a sentence and does no longer."""
    return Word(one.low, one.low, one.apart) if one.low in _INSIDE else one


def _without_fillers(said: list[Word]) -> list[Word]:
    while said and (said[-1].low in _FILLERS | _ENDING or _ends_for_me(said)):
        said = said[:-2] if _ends_for_me(said) else said[:-1]
    while said and said[0].low in {",", "please", "just", "simply", "-", ":", "kindly"}:
        said = said[1:]
    return said


def _ends_for_me(said: Sequence[Word]) -> bool:
    return len(said) > 2 and (said[-2].low, said[-1].low) in {("for", "me"), ("for", "us")}


def _with_gerunds(said: list[Word]) -> list[Word]:
    """Who is told needs no "you": before you commit -> before committing."""
    made: list[Word] = []
    at = 0
    while at < len(said):
        low = said[at].low
        follows = [one.low for one in said[at + 1 : at + 3]]
        if low in _WHEN and follows[:1] == ["you"] and len(follows) == 2 and follows[1] in KNOWN:
            when = word("when") if low in {"if", "whenever"} else said[at]
            made += [when, word(gerund(follows[1]))]
            at += 3
            continue
        made.append(said[at])
        at += 1
    return made


def _impersonal(said: list[Word]) -> list[Word]:
    """The user is named in the third person; what is the assistant's needs no owner."""
    made: list[Word] = []
    for place in range(len(said)):
        one, after = said[place], said[place + 1 : place + 4]
        if one.low in _POSSESSIVE and any(each.low in OUTPUT for each in after):
            continue
        person = _PERSONS.get(one.low)
        if person is None:
            made.append(one)
        else:
            made.append(Word(person, person, one.apart))
            if one.low == "i" and after:
                said = [*said[: place + 1], _with_user(after[0]), *said[place + 2 :]]
    return made


_ODD = {"am": "is", "do": "does", "have": "has"}
_STATES = words("know say need want like prefer mean understand")


def _with_user(verb: Word) -> Word:
    """The verb that agrees with "the user" instead of "I"."""
    form = _ODD.get(verb.low) or (third(verb.low) if verb.low in KNOWN | _STATES else verb.text)
    return Word(form, form, verb.apart)


def _contrasted(said: list[Word]) -> list[Word]:
    """As in "tabs not spaces", "tabs, not spaces": the one instead of the other."""
    for place, one in enumerate(said):
        if one.low != "not" or not place or place + 1 == len(said):
            continue
        before, after = said[place - 1], said[place + 1].low
        if before.low in {"do", "does", "did", "is", "are", "should", "can", "will", "must"}:
            continue
        if after in {"to", "only", "just", "in", "on", "at", "everywhere", "always", "too", "be"}:
            continue
        head = said[: place - 1] if before.low == "," else said[:place]
        return [*head, word("instead"), word("of"), *said[place + 1 :]]
    return said
