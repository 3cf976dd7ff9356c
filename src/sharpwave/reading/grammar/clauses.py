"""Sentences and clauses of a text, and the role of each: said, asked, supposed or reported.

A clause is a stretch that says one thing: "I live in Porto" and "I work at Anchor" in "I live in
Porto and I work at Anchor". Rules look into clauses of the role `SAID` only, unless they say so.
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
"""From here on come symbols and emoji, which end a sentence, and scripts the rules do not read."""
_LONGEST = 200
"""Tokens in a sentence; more is a list or a table, and is cut there."""


def sentences(tokens: Sequence[Token]) -> Iterator[tuple[int, int, str]]:
    """First and last token of each sentence, and the mark that ends it."""
    first = 0
    for place, token in enumerate(tokens):
        low = token.low
        if "a" <= low[0] <= "z" and place - first < _LONGEST:
            continue
        is_end = low in _ENDS or low[0] == "\n" or low.startswith("..") or low[0] >= _PICTURES
        if is_end and low == "." and place and tokens[place - 1].low in _ABBREVIATIONS:
            continue
        if is_end or place - first >= _LONGEST:
            if place > first:
                yield first, place, low
            first = place + 1
    if len(tokens) > first:
        yield first, len(tokens), ""


_JOINERS = words(
    "and but so because though although since while when after before as whereas yet where"
)
_ASKING = words(
    """what where when who whom whose why how which do does did can could would will should is are
    am was were have has any are may shall"""
)
_BREAKS = frozenset({";", "(", ")", "\u2014", "\u2013", MASKED, "|", "*", "\u2022"})


def cut(tokens: Sequence[Token], first: int, last: int) -> Iterator[tuple[int, int]]:
    """Cut a sentence before what begins a clause of its own."""
    begin = first
    place = first
    while place < last:
        low = tokens[place].low
        how = 0
        if low in _BREAKS or low == "-":
            how = 1
        elif low in {",", ":"} and place + 1 < last:
            how = _cut_after_comma(tokens, place, last)
        elif low in _JOINERS and place > first and _begins_clause(tokens, place + 1, last):
            how = 1
        elif low == "but" and place + 1 < last and tokens[place + 1].low in {"now", "not"}:
            how = 1
        elif low == "if" and place > first:
            how = -1
        if how:
            if place > begin:
                yield begin, place
            begin = place + 1 if how > 0 else place
        place += 1
    if last > begin:
        yield begin, last


def _cut_after_comma(tokens: Sequence[Token], place: int, last: int) -> int:
    """1 if a clause begins after the comma: a subject, a joiner with one, or a question."""
    after = tokens[place + 1].low
    if _begins_with_time(tokens, place + 1, last):
        return 1
    if after in _JOINERS or after in {"or", "plus", "which"}:
        return int(after == "which" or _begins_clause(tokens, place + 2, last))
    if after in _ASKING and place + 2 < last:
        return int(after not in HAVE or tokens[place + 2].low in _SUBJECTS)
    return int(_begins_clause(tokens, place + 1, last))


def _begins_with_time(tokens: Sequence[Token], place: int, last: int) -> bool:
    """As in "since Monday we live in Rome"."""
    for at in range(place, min(last, place + 6)):
        low = tokens[at].low
        if low in _FIRST:
            return at > place and _begins_clause(tokens, at, last)
        if low not in TIME_WORDS and not low.isdigit():
            return False
    return False


def _begins_clause(tokens: Sequence[Token], place: int, last: int) -> bool:
    """A subject and a verb: `i am`, `my sister lives`, `do you`."""
    if place + 1 >= last:
        return False
    low, after = tokens[place].low, tokens[place + 1].low
    if low in _OPENERS:
        return _begins_clause(tokens, place + 1, last)
    if low in {"i", "we", "he", "she", "they", "you", "there"}:
        return True
    if low in {"it", "this", "that"}:
        if after in ADVERBS and place + 2 < last:
            after = tokens[place + 2].low
        if after in BE or after in HAVE or after in MODALS or after == "will" or is_past(after):
            return True
        return after.endswith("s") and after[:-1] in _PLAIN_VERBS
    if low in {"my", "our", "his", "her"}:
        return _has_verb_soon(tokens, place + 1, min(last, place + 7))
    if low in DO or low in {"can", "could", "would", "are", "is", "will"}:
        return after in {"you", "i", "we", "it", "there", "they", "that", "this"}
    if low in {"what", "how", "where", "any"}:
        return True
    return tokens[place].capital and (after in {"is", "was", "has", "lives", "works"})


_OPENERS = words("now also then just actually recently finally currently honestly even still")


def _has_verb_soon(tokens: Sequence[Token], place: int, last: int) -> bool:
    for at in range(place, last):
        low = tokens[at].low
        if low in {",", "and"}:
            return False
        if low in BE or low in HAVE or low in MODALS or low in {"will", "'s"} or is_past(low):
            return at > place or low == "'s"
        if at > place and low.endswith("s") and low[:-1] in _PLAIN_VERBS:
            return True
    return False


_PLAIN_VERBS = words(
    """live work love like hate want need speak play go come run own teach say know bring make give
    help feel look keep remind"""
)


class ClauseRole(StrEnum):
    """What a clause is worth as a statement."""

    SAID = "said"
    ASKED = "asked"
    SUPPOSED = "supposed"
    """If, imagine, I wish, just kidding: not asserted."""
    REPORTED = "reported"
    """What another person is said to have said."""


_SUBJECTS = words("i we my our he she they it this that there you these those his her")
_SUPPOSING = words(
    """if imagine suppose supposing pretend unless assuming wish hypothetically whether roleplay
    role-play role-playing roleplaying"""
)
_SUPPOSING_PAIRS = {("what", "if"), ("let", "us"), ("as", "if"), ("as", "though"), ("in", "case")}
_SAYING = words(
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


_FIRST = words("i we my our")


def roles_of(
    tokens: Sequence[Token], pieces: Sequence[tuple[int, int]], mark: str
) -> list[ClauseRole]:
    """What each clause of a sentence that ends in this mark is worth."""
    roles: list[ClauseRole] = []
    supposed = asked = reported = False
    for place, (begin, end) in enumerate(pieces):
        low = [token.low for token in tokens[begin : min(end, begin + 12)]]
        if _is_supposed(low):
            supposed = True
        asked = asked or _is_inverted(low)
        if asked and (mark == "?" or _is_inverted(low)):
            roles.append(ClauseRole.ASKED)
        elif mark == "?" and (place == len(pieces) - 1 or _FIRST.isdisjoint(low[:3])):
            roles.append(ClauseRole.ASKED)
        elif supposed:
            roles.append(ClauseRole.SUPPOSED)
            supposed = not low or low[0] not in {"but", "however"}
        elif reported or _is_report(low):
            roles.append(ClauseRole.REPORTED)
            reported = True
        else:
            roles.append(ClauseRole.SAID)
    if ClauseRole.SUPPOSED in roles and _is_condition_of(tokens, pieces, roles):
        return [ClauseRole.SUPPOSED if role is ClauseRole.SAID else role for role in roles]
    return roles


def _is_condition_of(
    tokens: Sequence[Token], pieces: Sequence[tuple[int, int]], roles: Sequence[ClauseRole]
) -> bool:
    """True if what was said before hangs on the condition: "I would move if I could"."""
    condition = roles.index(ClauseRole.SUPPOSED)
    if any(tokens[pieces[condition][0]].low == word for word in ("wish", "whether")):
        return False
    before = [tokens[at].low for begin, end in pieces[:condition] for at in range(begin, end)]
    return bool({"would", "could", "might", "will"} & set(before))


def _is_supposed(low: Sequence[str]) -> bool:
    head = low[:4]
    if any(word in _SUPPOSING for word in head):
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
    """True for the order of a question: "do you", "where is", "any tips"."""
    while low and low[0] in {"and", "but", "so", "or", "also", "well", "oh", "then", ","}:
        low = low[1:]
    if len(low) < 2:
        return bool(low) and low[0] in {"why", "what", "how"}
    first, second = low[0], low[1]
    if first in {"what", "where", "who", "why", "how", "which", "whose"}:
        # "What a day", "how nice" exclaim, and "what I like is" says.
        return second not in {"a", "an", "i", "we", "nice", "cool", "great", "lovely"}
    return (first in DO or first in BE or first in MODALS or first in {"will", "have", "has"}) and (
        second in _SUBJECTS or second in {"not", "anyone", "someone", "the"}
    )


def _is_report(low: Sequence[str]) -> bool:
    """Speech of others, and hearsay."""
    if low[:2] == ["according", "to"] or low[:2] == ["the", "lyrics"]:
        return True
    for at, word in enumerate(low[:7]):
        if word in _SAYING and at:
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


def is_only_a_hedge(tokens: Sequence[Token], piece: tuple[int, int]) -> bool:
    """True for "I think" alone: what follows it is hedged."""
    begin, end = piece
    return end - begin <= 4 and is_hedged(tokens, begin, end)


@dataclass(frozen=True, slots=True)
class Clause:
    """Words of one clause, from `first` up to `last` of the text's tokens."""

    tokens: Sequence[Token]
    first: int
    last: int
    role: ClauseRole
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
        if inside := _inside_check(tokens, first, last):
            first, mark = inside, ""
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


def _inside_check(tokens: Sequence[Token], first: int, last: int) -> int:
    """Where the statement begins in "Did I tell you that I am deaf?", "You know I am"; else 0."""
    low = [token.low for token in tokens[first : min(last, first + _CHECK_WORDS)]]
    found = _CHECK.match(" ".join([*low, ""]))
    return first + found[0].count(" ") if found else 0


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
    """What stands in a sentence of jest, or right before one that says so, was not meant."""
    jests = set()
    for clause in found:
        if clause.last - clause.first <= 12:
            text = " ".join(clause.low())
            if _JEST.search(text) or text.endswith("/ s"):
                jests |= {clause.sentence, clause.sentence - 1}
    return [
        replace(one, role=ClauseRole.SUPPOSED)
        if one.sentence in jests and one.role is ClauseRole.SAID
        else one
        for one in found
    ]


_WRITING = words(
    """write rewrite rephrase paraphrase translate summarize summarise proofread edit improve act
    pretend imagine roleplay generate compose draft continue reword shorten polish correct"""
)


def _is_task_for_a_writer(tokens: Sequence[Token]) -> bool:
    """True for "Rewrite this: I am a nurse…": the words belong to a text, not to the speaker."""
    low = [token.low for token in tokens[:_HEAD]]
    if len(tokens) > _LONG and any(word in _WRITING for word in low):
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
