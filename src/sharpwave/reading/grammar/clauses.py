"""Sentences and clauses of a text, and what each is worth: said, asked, supposed or meant in jest.

A clause is a stretch that says one thing: "I live in Porto" and "I work at Anchor" in "I live in
Porto and I work at Anchor". Rules look into clauses of the role `SAID` only, unless they say so.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from sharpwave.reading.grammar.cutting import cut, sentences
from sharpwave.reading.grammar.lexicon import words
from sharpwave.reading.grammar.roles import Role, is_hedged, is_only_a_hedge, roles_of
from sharpwave.reading.grammar.tokens import Token


@dataclass(frozen=True, slots=True)
class Clause:
    """Words of one clause, from `first` up to `last` of the text's tokens."""

    tokens: Sequence[Token]
    first: int
    last: int
    role: Role
    hedged: bool = False
    opens: bool = False
    """It begins its sentence, where the subject may be left out: "Moved to Porto"."""
    sentence: int = 0

    @property
    def start(self) -> int:
        """Where it begins in the text."""
        return self.tokens[self.first].start

    @property
    def end(self) -> int:
        """Where it ends in the text."""
        return self.tokens[self.last - 1].end

    def low(self) -> list[str]:
        """Its words in lower case, with marks."""
        return [token.low for token in self.tokens[self.first : self.last]]


def clauses(tokens: Sequence[Token]) -> list[Clause]:
    """The clauses of a text in order, each judged."""
    found: list[Clause] = []
    if _is_task_for_a_writer(tokens):
        return found
    for number, (first, last, mark) in enumerate(sentences(tokens)):
        pieces = list(cut(tokens, first, last))
        roles = roles_of(tokens, pieces, mark)
        hedged = [is_hedged(tokens, begin, end) for begin, end in pieces]
        for place, (begin, end) in enumerate(pieces):
            if place and is_only_a_hedge(tokens, pieces[place - 1]):
                hedged[place] = True
            opens = place == 0
            role = roles[place]
            found.append(Clause(tokens, begin, end, role, hedged[place], opens, number))
    return _without_jest(found)


# --- jest, and texts that are not about the speaker -----------------------------------------------

_JEST = re.compile(
    r"\b(?:just kidding|only kidding|i'?m kidding|am kidding|jk|just joking|i joke|am joking|"
    r"kidding aside|sarcasm|april fools|not really|yeah right|as if|psych|lmao)\b"
)


def _without_jest(found: list[Clause]) -> list[Clause]:
    """What stands in a sentence of jest, or right before one that says so, was not meant."""
    jests = set()
    for clause in found:
        if clause.last - clause.first <= 12:
            text = " ".join(clause.low())
            if _JEST.search(text) or text.endswith("/ s"):
                jests |= {clause.sentence, clause.sentence - 1}
    if not jests:
        return found
    return [
        Clause(c.tokens, c.first, c.last, Role.JEST, c.hedged, c.opens, c.sentence)
        if c.sentence in jests and c.role is Role.SAID
        else c
        for c in found
    ]


_WRITING = words(
    """write rewrite rephrase paraphrase translate summarize summarise proofread edit improve act
    pretend imagine roleplay generate compose draft continue reword shorten polish correct"""
)


def _is_task_for_a_writer(tokens: Sequence[Token]) -> bool:
    """True for "Rewrite this: I am a nurse…": the words belong to a text, not to the speaker."""
    low = [token.low for token in tokens[:_HEAD]]
    if len(tokens) > _LONG and (any(word in _WRITING for word in low) or not _is_own(tokens)):
        return True
    while low and low[0] in {"please", "can", "could", "you", "now", "would", "kindly", "hi", ","}:
        low = low[1:]
    if not low:
        return False
    if low[0] in _WRITING or low[0] in {"fix", "check", "review", "explain"}:
        if ":" in low[1:12] or (low[0] in _WRITING and "where" in low[1:10]):
            return True
    if low[0] in _WRITING:
        return len(tokens) > 12 or low[0] in {"act", "pretend", "imagine", "roleplay"}
    return low[:2] in (["you", "are"], ["i", "want"]) and "act" in low[:6]


_HEAD = 60
_LONG = 300
_OWN = words("i my me we our")


def _is_own(tokens: Sequence[Token]) -> bool:
    """True if a long text is about the speaker: one word in thirty says so."""
    return sum(token.low in _OWN for token in tokens) * 30 >= len(tokens)
