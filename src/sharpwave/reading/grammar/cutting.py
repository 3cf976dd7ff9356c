"""Where sentences and clauses begin and end."""

from collections.abc import Iterator, Sequence

from sharpwave.reading.grammar.lexicon import ADVERBS, BE, DO, HAVE, MODALS, is_past, words
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
            elif low == "?" and place:
                yield first, first, low
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
        if low in _BREAKS or (low == "-" and place > first):
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
    if after in _JOINERS or after in {"or", "plus", "which"}:
        return int(after == "which" or _begins_clause(tokens, place + 2, last))
    if after in _ASKING and after not in HAVE and place + 2 < last:
        return 1
    return int(_begins_clause(tokens, place + 1, last))


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
