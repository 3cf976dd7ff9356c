"""What a clause says became of something to do: done, dropped or put off.

Only the form of the clause is read: a verb in the past without another subject, or words that let
go of a plan. Which task is meant, if any, follows from its meaning among the open ones.
"""

import re
from collections.abc import Iterator
from itertools import islice

from sharpwave.reading.grammar.lexicon import (
    ADVERBS,
    BE,
    FIRST,
    HAVE,
    MODALS,
    is_participle,
    is_past,
    lemma,
    words,
)
from sharpwave.types.records import Kind
from sharpwave.types.statements import Candidate, Span, TaskStatus

EXTRACTOR = "rules.task_moves 1"
MOST = 8
"""Clauses of one text that are looked at: a longer list of deeds is a story."""
_SURE = 0.9
_CLAUSE_CHARS = 200
_CLAUSE = re.compile(r"[^.!?;,\n\[\]]+[!?]?")
_WORD = re.compile(r"[^\W_]+(?:'t\b)?|'\w+")
_LEADS = (
    r"\W*(?:(?:actually|and|but|i|just|oh|ok|okay|please|so|turns out|we|well|you (?:can|may|could)"
    r"|can you|could you|from now on)\b[ ,]*)*"
)
NO_LONGER = (
    r"(?:there(?:'s| is) )?no (?:longer )?need(?: to| for)?|(?:you )?(?:need not|needn't)"
    r"|(?:you )?(?:(?:do not|don't|no longer) (?:(?:need|want)(?: to)?|have to))"
)
_DROPPED = re.compile(
    rf"{_LEADS}(?:(?:stop|quit|don't|do not|no more|{NO_LONGER}) remind(?:ing|ers?)?(?: me)?"
    r"(?: (?:about|of|to|for|that))?"
    r"|(?:forget|cancel|delete|drop|scrap|scratch|skip|never ?mind)\b(?: about\b)?(?! to\b| me\b)"
    rf"|{NO_LONGER}|decided (?:not to|against)|(?:am |are |'m |'re )?not going to)\s+",
    re.IGNORECASE,
)
_ITEM_CHARS = 12
_BULLETS = " \t-*\u2022"
_ITEM = re.compile(r"(?:^|\s)(?:[-*\u2022]|\(?\w{1,2}[.)])\s*$")
_TAIL = re.compile(
    r"\s+(?:any ?more|any longer|after all|for now|please|reminder|task|thing)\b.*", re.IGNORECASE
)
_UNREAL = MODALS | words("not never almost nearly if wish has who will to")
_EXCEPT = words("but except not without")
"""What follows these was not done."""
_NO_SUBJECT = FIRST | HAVE | BE | ADVERBS | words("and but 've 's yes ok")
_STATUS = {
    TaskStatus.DROPPED: words("cancel drop scrap skip"),
    TaskStatus.STALLED: words("delay pause postpone reschedule"),
}
_BROUGHT = words("back by off round")
_MERE = words("complete do finish pass sort submit").union(*_STATUS.values())
"""Verbs that say how a task stands and not what it is."""


def moves(own: str) -> Iterator[Candidate]:
    """Each clause of a person's own words that may say that something is done or dropped.

    >>> [(one.status.value, one.text) for one in moves("Milk bought! No need to call Ana.")]
    [('done', 'buy Milk'), ('dropped', 'call Ana')]
    """
    return islice(_moves(own), MOST)


def lets_go(said: str, task: str) -> bool:
    """True if a sentence says that a task is not to be done, rather than that it was.

    >>> lets_go("The trip is cancelled", "Book the trip"), lets_go("Cancelled", "Cancel the gym")
    (True, False)
    >>> lets_go("No need to call Nora", "Call Nora"), lets_go("Dropped them back", "Return books")
    (True, False)
    """
    to_do = {lemma(word) for word in _WORD.findall(task.lower())}
    return any(lemma(one[0].split()[0].lower()) not in to_do for one in _LET_GO.finditer(said))


_LET_GO = re.compile(
    r"\b(?:cancel\w*|call(?:ed|ing)? off|scrap(?:ped)?|forget|skip(?:ped)?"
    r"|drop(?:ped|ping)?(?!.*\b(?:back|off|round|over)\b)"
    rf"|never ?mind|{NO_LONGER}|decided (?:not to|against)|not going to|fell through)\b"
    r"|\boff\b(?=\W*$)",
    re.IGNORECASE,
)


def _moves(own: str) -> Iterator[Candidate]:
    own = own.replace("\u2019", "'")
    for clause in _CLAUSE.finditer(own):
        said = clause[0].strip()
        if said.endswith("?") or len(said) > _CLAUSE_CHARS:
            continue
        if frame := _DROPPED.match(said):
            begins = clause.end() - len(clause[0].lstrip(_BULLETS))
            if _ITEM.search(own, begins - _ITEM_CHARS, begins):
                continue  # of a list of things to do
            found = [(TaskStatus.DROPPED, _TAIL.sub("", said[frame.end() :]))]
        else:
            found = [_done(part) for part in _deeds(said)]
        span = Span(*clause.span())
        for status, what in found:
            if what:
                yield Candidate(
                    Kind.TASK, what, span, _SURE, EXTRACTOR, status=status, effect_only=True
                )


def _deeds(said: str) -> list[str]:
    """A clause, cut at each "and" if every part has its deed: "plants watered and fish fed"."""
    parts = re.split(r"\s+and\s+", said)
    each = [any(_is_deed(word.lower()) for word in _WORD.findall(part)) for part in parts]
    return parts if all(each) else [said]


def _done(clause: str) -> tuple[TaskStatus, str]:
    """How something stands, and what, as a task would say it; "" if nothing was done."""
    said = _WORD.findall(clause)
    low = [word.lower() for word in said]
    at = next((at for at, word in enumerate(low) if _is_deed(word)), len(low))
    unreal = not _UNREAL.isdisjoint(low[:at]) or any(word.endswith("n't") for word in low)
    if at == len(low) or unreal:
        return TaskStatus.DONE, ""
    before = [word for word, small in zip(said[:at], low, strict=False) if small not in _NO_SUBJECT]
    end = next((end for end, word in enumerate(low) if end > at and word in _EXCEPT), len(low))
    after = [word for word in said[at + 1 : end] if word.lower() not in ADVERBS]
    if before and after and BE.isdisjoint(low[:at]):
        return TaskStatus.DONE, ""  # another person did it
    verb = lemma(low[at])
    if verb == "put" and "off" in low:
        verb, after = "postpone", [word for word in after if word != "off"]
    status = next((one for one, verbs in _STATUS.items() if verb in verbs), TaskStatus.DONE)
    if verb == "drop" and not _BROUGHT.isdisjoint(low[at + 1 :]):
        status = TaskStatus.DONE  # "dropped the books back at the library"
    return status, " ".join([*([] if verb in _MERE else [verb]), *before, *after])


def _is_deed(word: str) -> bool:
    return (is_past(word) or is_participle(word)) and word not in BE | HAVE | {"did"}
