"""Find clauses that say that a task is done, dropped or put off.

Only the form of the clause is read: a verb in the past without another subject, or words that
cancel a plan. Which open task it is, if any, is decided later by meaning.
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
MAX_CLAUSES = 8
"""Maximum number of clauses read per text: a longer list of deeds is a story."""
_CONFIDENCE = 0.9
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
"""Words before what was not done."""
_NO_SUBJECT = FIRST | HAVE | BE | ADVERBS | words("and but 've 's yes ok")
_STATUS = {
    TaskStatus.DROPPED: words("cancel drop scrap skip"),
    TaskStatus.STALLED: words("delay pause postpone reschedule"),
}
_DELIVERY_WORDS = words("back by off round")
_STATUS_VERBS = words("complete do finish pass sort submit").union(*_STATUS.values())
"""Verbs that name the status of a task and not the task itself."""


def moves(own_words: str) -> Iterator[Candidate]:
    """Yield the clauses of a person's own words that may say that a task is done or dropped.

    >>> [(task.status.value, task.text) for task in moves("Milk bought! No need to call Ana.")]
    [('done', 'buy Milk'), ('dropped', 'call Ana')]
    """
    return islice(_moves(own_words), MAX_CLAUSES)


def cancels(sentence: str, task: str) -> bool:
    """True if a sentence cancels a task, rather than says that it was done.

    >>> cancels("The trip is cancelled", "Book the trip"), cancels("Cancelled", "Cancel the gym")
    (True, False)
    >>> cancels("No need to call Nora", "Call Nora"), cancels("Dropped them back", "Return books")
    (True, False)
    """
    to_do = {lemma(word) for word in _WORD.findall(task.lower())}
    return any(
        lemma(match[0].split()[0].lower()) not in to_do
        for match in _CANCELLATION.finditer(sentence)
    )


_CANCELLATION = re.compile(
    r"\b(?:cancel\w*|call(?:ed|ing)? off|scrap(?:ped)?|forget|skip(?:ped)?"
    r"|drop(?:ped|ping)?(?!.*\b(?:back|off|round|over)\b)"
    rf"|never ?mind|{NO_LONGER}|decided (?:not to|against)|not going to|fell through)\b"
    r"|\boff\b(?=\W*$)",
    re.IGNORECASE,
)


def _moves(own_words: str) -> Iterator[Candidate]:
    own_words = own_words.replace("\u2019", "'")
    for clause in _CLAUSE.finditer(own_words):
        clause_text = clause[0].strip()
        if clause_text.endswith("?") or len(clause_text) > _CLAUSE_CHARS:
            continue
        if frame := _DROPPED.match(clause_text):
            begins = clause.end() - len(clause[0].lstrip(_BULLETS))
            if _ITEM.search(own_words, begins - _ITEM_CHARS, begins):
                continue  # of a list of things to do
            found = [(TaskStatus.DROPPED, _TAIL.sub("", clause_text[frame.end() :]))]
        else:
            found = [_done(part) for part in _deeds(clause_text)]
        span = Span(*clause.span())
        for status, title in found:
            if title:
                yield Candidate(
                    Kind.TASK, title, span, _CONFIDENCE, EXTRACTOR, status=status, effect_only=True
                )


def _deeds(clause: str) -> list[str]:
    """Split a clause at each "and" if every part has a deed: "plants watered and fish fed"."""
    parts = re.split(r"\s+and\s+", clause)
    has_deed = [any(_is_deed(word.lower()) for word in _WORD.findall(part)) for part in parts]
    return parts if all(has_deed) else [clause]


def _done(clause: str) -> tuple[TaskStatus, str]:
    """Return a status and the task, worded as a title; "" if nothing was done."""
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
    status = next((status for status, verbs in _STATUS.items() if verb in verbs), TaskStatus.DONE)
    if verb == "drop" and not _DELIVERY_WORDS.isdisjoint(low[at + 1 :]):
        status = TaskStatus.DONE  # "dropped the books back at the library"
    return status, " ".join([*([] if verb in _STATUS_VERBS else [verb]), *before, *after])


def _is_deed(word: str) -> bool:
    return (is_past(word) or is_participle(word)) and word not in BE | HAVE | {"did"}
