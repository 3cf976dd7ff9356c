"""Sentences and clauses of a text, and the role of each: said, asked, supposed or reported.

A clause is a span with one statement: "I live in Porto" and "I work at Anchor" in "I live in Porto
and I work at Anchor". Rules only read clauses of the role `SAID`, unless they state otherwise.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import pairwise

from sharpwave.reading.grammar.lexicon import (
    ADVERBS,
    BE,
    DO,
    HAVE,
    MODALS,
    TIME_WORDS,
    is_past,
    words,
)
from sharpwave.reading.grammar.tokens import MASKED, Token

_ENDS = frozenset(".!?\u2026")
_ABBREVIATIONS = words(
    "mr mrs ms dr prof st vs etc e.g i.e jr sr no inc ltd u.s u.k a.m p.m approx"
)
_PICTURES = "\u2600"
"""First of the symbols and emoji, which end a sentence, and of scripts that no rule reads."""
_MAX_TOKENS = 200
"""Maximum tokens of a sentence; a longer one is a list or a table, and is cut there."""


def sentences(tokens: Sequence[Token]) -> Iterator[tuple[int, int, str]]:
    """First and last token of each sentence, and the mark that ends it."""
    first = 0
    for position, token in enumerate(tokens):
        low = token.low
        if "a" <= low[0] <= "z" and position - first < _MAX_TOKENS:
            continue
        is_end = low in _ENDS or low[0] == "\n" or low.startswith("..") or low[0] >= _PICTURES
        if is_end and low == "." and position and tokens[position - 1].low in _ABBREVIATIONS:
            continue
        if is_end or position - first >= _MAX_TOKENS:
            if position > first:
                yield first, position, low
            first = position + 1
    if len(tokens) > first:
        yield first, len(tokens), ""


_JOINERS = words(
    "and but so because though although since while when after before as whereas yet where"
)
_QUESTION_WORDS = words(
    """what where when who whom whose why how which do does did can could would will should is are
    am was were have has any are may shall"""
)
_BREAKS = frozenset({";", "(", ")", "\u2014", "\u2013", MASKED, "|", "*", "\u2022"})


def cut(tokens: Sequence[Token], first: int, last: int) -> Iterator[tuple[int, int]]:
    """Cut a sentence into the first token and end of each clause."""
    begin = first
    position = first
    while position < last:
        low = tokens[position].low
        separator = 0
        if low in _BREAKS or low == "-":
            separator = 1
        elif low in {",", ":"} and position + 1 < last:
            separator = _cut_after_comma(tokens, position, last)
        elif low in _JOINERS and position > first and _begins_clause(tokens, position + 1, last):
            separator = 1
        elif low == "but" and position + 1 < last and tokens[position + 1].low in {"now", "not"}:
            separator = 1
        elif low == "if" and position > first:
            separator = -1
        if separator:
            if position > begin:
                yield begin, position
            begin = position + 1 if separator > 0 else position
        position += 1
    if last > begin:
        yield begin, last


def _cut_after_comma(tokens: Sequence[Token], position: int, last: int) -> int:
    """1 if a clause begins after the comma: a subject, a joiner with a subject, or a question."""
    after = tokens[position + 1].low
    if _begins_with_time(tokens, position + 1, last):
        return 1
    if after in _JOINERS or after in {"or", "plus", "which"}:
        return int(after == "which" or _begins_clause(tokens, position + 2, last))
    if after in _QUESTION_WORDS and position + 2 < last:
        return int(after not in HAVE or tokens[position + 2].low in _SUBJECTS)
    return int(_begins_clause(tokens, position + 1, last))


def _begins_with_time(tokens: Sequence[Token], position: int, last: int) -> bool:
    """Match "since Monday we live in Rome"."""
    for index in range(position, min(last, position + 6)):
        low = tokens[index].low
        if low in _FIRST_PERSON:
            return index > position and _begins_clause(tokens, index, last)
        if low not in TIME_WORDS and not low.isdigit():
            return False
    return False


def _begins_clause(tokens: Sequence[Token], position: int, last: int) -> bool:
    """True for a subject and a verb: `i am`, `my sister lives`, `do you`."""
    if position + 1 >= last:
        return False
    low, after = tokens[position].low, tokens[position + 1].low
    if low in _OPENERS:
        return _begins_clause(tokens, position + 1, last)
    if low in {"i", "we", "he", "she", "they", "you", "there"}:
        return True
    if low in {"it", "this", "that"}:
        if after in ADVERBS and position + 2 < last:
            after = tokens[position + 2].low
        if after in BE or after in HAVE or after in MODALS or after == "will" or is_past(after):
            return True
        return after.endswith("s") and after[:-1] in _PLAIN_VERBS
    if low in {"my", "our", "his", "her"}:
        return _has_verb_soon(tokens, position + 1, min(last, position + 7))
    if low in DO or low in {"can", "could", "would", "are", "is", "will"}:
        return after in {"you", "i", "we", "it", "there", "they", "that", "this"}
    if low in {"what", "how", "where", "any"}:
        return True
    return tokens[position].capital and (after in {"is", "was", "has", "lives", "works"})


_OPENERS = words("now also then just actually recently finally currently honestly even still")


def _has_verb_soon(tokens: Sequence[Token], position: int, last: int) -> bool:
    for index in range(position, last):
        low = tokens[index].low
        if low in {",", "and"}:
            return False
        if low in BE or low in HAVE or low in MODALS or low in {"will", "'s"} or is_past(low):
            return index > position or low == "'s"
        if index > position and low.endswith("s") and low[:-1] in _PLAIN_VERBS:
            return True
    return False


_PLAIN_VERBS = words(
    """live work love like hate want need speak play go come run own teach say know bring make give
    help feel look keep remind"""
)


class ClauseRole(StrEnum):
    """Whether a clause is asserted as a statement."""

    SAID = "said"
    ASKED = "asked"
    SUPPOSED = "supposed"
    """If, imagine, I wish, just kidding: not asserted."""
    REPORTED = "reported"
    """A statement of another person."""


_SUBJECTS = words("i we my our he she they it this that there you these those his her")
_SUPPOSING_WORDS = words(
    """if imagine suppose supposing pretend unless assuming wish hypothetically whether roleplay
    role-play role-playing roleplaying"""
)
_SUPPOSING_PAIRS = {("what", "if"), ("let", "us"), ("as", "if"), ("as", "though"), ("in", "case")}
_SAYING_VERBS = words(
    """said says say told tells tell claims claimed mentioned heard hear thinks believes suggested
    insisted asked wrote swears swore reckons joked joking sings sang lyrics lyric song quote
    reads claim"""
)
_HEDGE_WORDS = words(
    """maybe perhaps probably possibly apparently supposedly presumably might likely unsure
    roughly-speaking guess"""
)
_HEDGE_PAIRS = {
    ("i", "think"),
    ("i", "guess"),
    ("i", "suppose"),
    ("i", "believe"),
    ("i", "assume"),
    ("i", "bet"),
    ("not", "sure"),
    ("sort", "of"),
    ("kind", "of"),
    ("i", "may"),
    ("could", "be"),
    ("may", "be"),
    ("seem", "to"),
    ("if", "anything"),
}


_FIRST_PERSON = words("i we my our")


def roles_of(
    tokens: Sequence[Token], spans: Sequence[tuple[int, int]], mark: str
) -> list[ClauseRole]:
    """The role of each clause of a sentence that ends in this mark."""
    roles: list[ClauseRole] = []
    is_supposition = is_question = is_reported = False
    for index, (begin, end) in enumerate(spans):
        low = [token.low for token in tokens[begin : min(end, begin + 12)]]
        if _is_supposed(low):
            is_supposition = True
        is_question = is_question or _is_inverted(low)
        if is_question and (mark == "?" or _is_inverted(low)):
            roles.append(ClauseRole.ASKED)
        elif mark == "?" and (index == len(spans) - 1 or _FIRST_PERSON.isdisjoint(low[:3])):
            roles.append(ClauseRole.ASKED)
        elif is_supposition:
            roles.append(ClauseRole.SUPPOSED)
            is_supposition = not low or low[0] not in {"but", "however"}
        elif is_reported or _is_report(low):
            roles.append(ClauseRole.REPORTED)
            is_reported = True
        else:
            roles.append(ClauseRole.SAID)
    if ClauseRole.SUPPOSED in roles and _depends_on_condition(tokens, spans, roles):
        return [ClauseRole.SUPPOSED if role is ClauseRole.SAID else role for role in roles]
    return roles


def _depends_on_condition(
    tokens: Sequence[Token], spans: Sequence[tuple[int, int]], roles: Sequence[ClauseRole]
) -> bool:
    """True if the clauses before depend on the condition: "I would move if I could"."""
    condition = roles.index(ClauseRole.SUPPOSED)
    if any(tokens[spans[condition][0]].low == word for word in ("wish", "whether")):
        return False
    before = [tokens[at].low for begin, end in spans[:condition] for at in range(begin, end)]
    return bool({"would", "could", "might", "will"} & set(before))


def _is_supposed(low: Sequence[str]) -> bool:
    head = low[:4]
    if any(word in _SUPPOSING_WORDS for word in head):
        # "I wonder if" asks; "I suppose" only hedges.
        return not (len(head) > 1 and head[0] == "i" and head[1] == "suppose")
    if (
        len(head) > 1
        and head[0] in _SUPPOSING_FIRST
        and head[1] in {"i", "my", "we", "that", "our"}
    ):
        return True
    if head[:1] == ["in"] and not _FICTION.isdisjoint(low[1:5]):
        return True
    return any(pair in _SUPPOSING_PAIRS for pair in pairwise(head))


_SUPPOSING_FIRST = words("say had assume were")
_FICTION = words("game story novel dream movie film book play campaign rpg song fic roleplay")


def _is_inverted(low: Sequence[str]) -> bool:
    """True for the word order of a question: "do you", "where is", "any tips"."""
    while low and low[0] in {"and", "but", "so", "or", "also", "well", "oh", "then", ","}:
        low = low[1:]
    if len(low) < 2:
        return bool(low) and low[0] in {"why", "what", "how"}
    first, second = low[0], low[1]
    if first in {"what", "where", "who", "why", "how", "which", "whose"}:
        # "What a day", "how nice" are exclamations, and "what I like is" is a statement.
        return second not in {"a", "an", "i", "we", "nice", "cool", "great", "lovely"}
    return (first in DO or first in BE or first in MODALS or first in {"will", "have", "has"}) and (
        second in _SUBJECTS or second in {"not", "anyone", "someone", "the"}
    )


def _is_report(low: Sequence[str]) -> bool:
    """Speech of others, and hearsay."""
    if low[:2] == ["according", "to"] or low[:2] == ["the", "lyrics"]:
        return True
    for at, word in enumerate(low[:7]):
        if word in _SAYING_VERBS and at:
            before = low[at - 1]
            if before in {"i", "we"} or "to" in low[at - 1 : at]:
                # "I heard that…" is hearsay; "I told her", "I said" are one's own words.
                return word in {"heard", "hear"} and "from" not in low
            return before not in {"my", "the", "a", "this", "that", "have", "had", "favorite"}
    return False


def is_hedged(tokens: Sequence[Token], begin: int, end: int) -> bool:
    """True for "maybe", "I think", "sort of"."""
    low = [token.low for token in tokens[begin : min(end, begin + 14)]]
    if any(word in _HEDGE_WORDS for word in low):
        return True
    return any(pair in _HEDGE_PAIRS for pair in pairwise(low))


def is_only_a_hedge(tokens: Sequence[Token], span: tuple[int, int]) -> bool:
    """True for "I think" alone: the clause after it is hedged."""
    begin, end = span
    return end - begin <= 4 and is_hedged(tokens, begin, end)


@dataclass(frozen=True, slots=True)
class Clause:
    """One clause: the tokens of a text from `first` up to `last`."""

    tokens: Sequence[Token]
    first: int
    last: int
    role: ClauseRole
    hedged: bool = False
    opens: bool = False
    """True if it begins its sentence, where a subject may be left out: "Moved to Porto"."""
    sentence: int = 0

    @property
    def start(self) -> int:
        """Position of its first character in the text."""
        return self.tokens[self.first].start

    @property
    def end(self) -> int:
        """Position after its last character in the text."""
        return self.tokens[self.last - 1].end

    def low(self) -> list[str]:
        """Its words and marks in lower case."""
        return [token.low for token in self.tokens[self.first : self.last]]


def clauses(tokens: Sequence[Token]) -> list[Clause]:
    """The clauses of a text in order, each with its role."""
    found: list[Clause] = []
    if _is_writing_task(tokens):
        return found
    for sentence_index, (first, last, mark) in enumerate(sentences(tokens)):
        if inside := _statement_in_check(tokens, first, last):
            first, mark = inside, ""
        spans = list(cut(tokens, first, last))
        roles = roles_of(tokens, spans, mark)
        hedged = [is_hedged(tokens, begin, end) for begin, end in spans]
        for index, (begin, end) in enumerate(spans):
            if index and is_only_a_hedge(tokens, spans[index - 1]):
                hedged[index] = True
            opens = index == 0
            role = roles[index]
            found.append(Clause(tokens, begin, end, role, hedged[index], opens, sentence_index))
    return _without_jest(found)


def _statement_in_check(tokens: Sequence[Token], first: int, last: int) -> int:
    """Index of the statement in "Did I tell you that I am deaf?", "You know I am"; else 0."""
    low = [token.low for token in tokens[first : min(last, first + _CHECK_WORDS)]]
    match = _CHECK.match(" ".join([*low, ""]))
    return first + match[0].count(" ") if match else 0


_CHECK_WORDS = 12
_CHECK = re.compile(
    r"(?:(?:and|but|so|oh|well|also|,) )*"
    r"(?:(?:did|have) i (?:not )?(?:ever |already )?(?:tell|told|mention|mentioned|say|said) "
    r"|(?:(?:do|did) )?(?:not )?you (?:do |already |surely |do not )?(?:know|remember|recall) )"
    r"(?:to )?(?:you )?(?:already |before |yet )?(?:, )?(?:that )?(?=(?:i|we|my|our) )"
)

# --- jest, and texts that are not about the speaker -----------------------------------------------

_JEST = re.compile(
    r"\b(?:just kidding|only kidding|am kidding|jk|just joking|i joke|am joking|kidding aside"
    r"|sarcasm|april fools|yeah right|lmao)\b|(?:^|, )(?:not really|psych)$"
)


def _without_jest(found: list[Clause]) -> list[Clause]:
    """Mark clauses in a joking sentence, or in the one before it, as not asserted."""
    joking_sentences = set()
    for clause in found:
        if clause.last - clause.first <= 12:
            text = " ".join(clause.low())
            if _JEST.search(text) or text.endswith("/ s"):
                joking_sentences |= {clause.sentence, clause.sentence - 1}
    return [
        replace(clause, role=ClauseRole.SUPPOSED)
        if clause.sentence in joking_sentences and clause.role is ClauseRole.SAID
        else clause
        for clause in found
    ]


_WRITING_VERBS = words(
    """write rewrite rephrase paraphrase translate summarize summarise proofread edit improve act
    pretend imagine roleplay generate compose draft continue reword shorten polish correct"""
)


def _is_writing_task(tokens: Sequence[Token]) -> bool:
    """True for "Rewrite this: I am a nurse…": the words belong to a text, not to the speaker."""
    low = [token.low for token in tokens[:_HEAD_TOKENS]]
    if len(tokens) > _LONG_TOKENS and any(word in _WRITING_VERBS for word in low):
        return True
    while low and low[0] in {"please", "can", "could", "you", "now", "would", "kindly", "hi", ","}:
        low = low[1:]
    if not low:
        return False
    if low[0] in _WRITING_VERBS or low[0] in {"fix", "check", "review", "explain"}:
        if ":" in low[1:12] or (low[0] in _WRITING_VERBS and "where" in low[1:10]):
            return True
    if low[0] in _WRITING_VERBS:
        return len(tokens) > 12 or low[0] in {"act", "pretend", "imagine", "roleplay"}
    return low[:2] in (["you", "are"], ["i", "want"]) and "act" in low[:6]


_HEAD_TOKENS = 60
_LONG_TOKENS = 300
