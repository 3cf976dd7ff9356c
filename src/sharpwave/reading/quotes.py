"""Quotes that callers give for their claims: whether the user said them, and whether they fit."""

import re
import unicodedata
from collections.abc import Collection, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

from sharpwave.knowledge.predicates import normal_name
from sharpwave.llm.prompts.transcript import QuotedText
from sharpwave.reading.grammar.lexicon import BE, DO, HAVE, is_participle, is_past
from sharpwave.reading.open_statements import stems
from sharpwave.reading.segments import FOREIGN, READ_CHARS, own_words
from sharpwave.reading.steering.vocabulary import KNOWN
from sharpwave.types.records import Kind, Record, Role, Source, State, Trust
from sharpwave.types.statements import Span

EARLIER_TURNS = 20
"""Latest turns of a session in which quotes are looked for."""
SAID_SHARE = 0.6
"""Share of the words of a claim that its quote must hold."""
NOT_FOUND = "the quote is not in the user's own words"
NOT_SAID = "the quote does not say what is claimed, or leaves a negation out"


class Located(NamedTuple):
    """Where a quote stands in a message of the user; without a turn, why it does not count."""

    turn: Record | None
    span: Span = Span(0, 0)
    objection: str = ""


class OwnWords:
    """The user's own words in some turns. What is pasted or quoted in them does not count."""

    def __init__(self, turns: Sequence[Record], own_names: Collection[str] = ()) -> None:
        own = [turn for turn in turns if is_users(turn, own_names)]
        best_first = sorted(reversed(own), key=lambda turn: -turn.provenance.trust)
        self._texts = [_Said(turn) for turn in best_first]

    def locate(self, quote: str, claim: str) -> Located:
        """Find the words that a claim rests on: in the most trusted turn, of these the latest."""
        for said in self._texts:
            span = said.find(quote)
            if span is not None:
                text = said.turn.text
                fits = _may_say(claim, text[span.start : span.end])
                says = fits and not _leaves_negation_out(text, span)
                return Located(said.turn, span) if says else Located(None, objection=NOT_SAID)
        return Located(None, objection=NOT_FOUND)


class _Said:
    """A turn of the user, prepared once for any number of quotes."""

    def __init__(self, turn: Record) -> None:
        own = own_words(turn.text)[:READ_CHARS]
        self.turn = turn
        self._own, self._own_text = own, QuotedText(own)
        self._whole = QuotedText(turn.text[: len(own)])

    def find(self, quote: str) -> Span | None:
        return self._own_text.find(quote) or _with_quotation(quote, self._whole, self._own)


def _with_quotation(quote: str, text: QuotedText, own: str) -> Span | None:
    r"""Where a quote stands that has a short quotation within the user's own words.

    >>> text, own = "no 'happy to help'. ever", "no \0\0\0\0\0\0\0\0\0\0\0\0\0\0\0. ever"
    >>> _with_quotation("no 'happy to help'. ever", QuotedText(text), own)
    Span(start=0, end=24)
    """
    span = text.find(quote)
    if span is None:
        return None
    said = own[span.start : span.end]
    longest = max(map(len, _FOREIGN.findall(said)), default=0)
    return span if _OWN.search(said) and longest <= _QUOTATION_CHARS else None


_FOREIGN = re.compile(f"{FOREIGN}+")
_OWN = re.compile(r"\w")
_QUOTATION_CHARS = 60


def _may_say(claim: str, quote: str) -> bool:
    """True if a quote can say what is claimed, in whatever words.

    It has every name and number of the claim. With words in common it denies what the claim denies.

    >>> _may_say("The user takes warfarin", "on warfarin"), _may_say("Moscow", "I live in Porto")
    (True, False)
    >>> _may_say("The user does not like fish", "I like fish")
    False
    """
    words, found = _compared(claim), _compared(quote)
    if words & found - {"not"} and "not" in words - found:
        return False
    if is_named(claim, quote):
        return True
    said = frozenset(_WORD.findall(quote.casefold()))
    first, *rest = _WORD.findall(claim) or [""]
    names = filter(_NAME.match, rest if first.lower() in _OPENING else [first, *rest])
    return all(name.casefold() in said or stems(name) & found for name in names)


_WORD = re.compile(r"\w+")
_NAME = re.compile(r"[^\W\d_a-z]|\w*\d")
"""What begins with a capital, or has a number."""
_OPENING = KNOWN | {"the", "i", "my", "do", "don", "never", "always", "no"}
"""What begins a sentence rather than a name."""


def _leaves_negation_out(text: str, span: Span) -> bool:
    """True if the sentence around a quote has a negation that the quote has not."""
    before = _SENTENCE_END.split(text[max(0, span.start - _AROUND_CHARS) : span.start])[-1]
    after = _SENTENCE_END.split(text[span.end : span.end + _AROUND_CHARS])[0]
    return NEGATION.search(f"{before} | {after}") is not None


_AROUND_CHARS = 300
_SENTENCE_END = re.compile(r"[.!?;\n]")
NEGATION = re.compile(
    r"\b(?:no|not|never|none|nothing|nobody|without|neither|nor|cannot|if|unless)\b"
    r"|n['\u2019]t\b|\b(?:do|does|did|is|was|wo|ca|should|would|could|have|has)nt\b",
    re.IGNORECASE,
)


def says_it_is_over(sentence: str) -> bool:
    """True if a sentence is itself worded as a denial or as something done: as worded, it holds.

    >>> [says_it_is_over(f"The user {does}") for does in ("sold the boat", "is employed", "sings")]
    [True, False, False]
    """
    if NEGATION.search(sentence):
        return True
    words = sentence.casefold().split()[1:]
    for word, after in pairwise([*words, ""]):
        if is_past(word) or (word in HAVE and is_participle(after)):
            return True
        if word in BE | HAVE | DO or _THIRD_PERSON.search(word):
            return False
    return False


_THIRD_PERSON = re.compile(r"[^'\u2019s]s$")


def is_users(turn: Record, own_names: Collection[str] = ()) -> bool:
    """True for a message of the user in person: no tool's, page's or other speaker's."""
    own = turn.speaker is None or normal_name(turn.speaker) in own_names
    said = turn.role is Role.USER and turn.kind is Kind.TURN and own
    return said and turn.provenance.trust > Trust.UNTRUSTED and turn.standing.state is State.ACTIVE


def carrier(turns: Sequence[Record], own_names: Collection[str] = ()) -> Record | None:
    """The turn that a claim without a quote rests on: the user's last, else the last believed."""
    believed = [turn for turn in turns if turn.provenance.trust > Trust.UNTRUSTED]
    users = [turn for turn in believed if is_users(turn, own_names)]
    return next(reversed([*believed, *users]), None)


def as_claimed(turn: Record) -> Record:
    """The turn as the source of a claim about it: not its speaker's word, but an agent's."""
    if turn.provenance.trust <= Trust.INFERRED:
        return turn
    provenance = replace(turn.provenance, source=Source.INFERRED, trust=Trust.INFERRED)
    return replace(turn, provenance=provenance)


def is_named(claim: str, quote: str, share: float = SAID_SHARE) -> bool:
    """True if a quote holds so much of the words of a claim.

    >>> is_named("Porto", "we finally moved to Porto"), is_named("Moscow", "I live in Porto")
    (True, False)
    """
    words = _compared(claim) or {claim.casefold()}
    found = _compared(quote) | {quote.casefold().strip(" .!,")}
    return len(words & found) >= share * len(words)


def is_denied(claim: str, quote: str) -> bool:
    """True if a quote denies a claim: it has a negation before the words that they share.

    >>> is_denied("Call me Bob", "never call me Bob"), is_denied("Use tabs", "use tabs, not spaces")
    (True, False)
    """
    if NEGATION.search(claim):
        return False
    words = _compared(claim)
    for clause in _CLAUSE_END.split(quote):
        negation = NEGATION.search(clause)
        if negation and words & _compared(clause[negation.end() :]):
            if not words & _compared(clause[: negation.start()]):
                return True
    return False


_CLAUSE_END = re.compile(r"[,.!?;:\n]")


def _compared(text: str) -> frozenset[str]:
    """The words of a text without accents, with its numbers; all negations are one word."""
    plain = unicodedata.normalize("NFKD", text).translate(_PLAIN)
    plain = "".join(each for each in plain if not unicodedata.combining(each))
    negations = {"not"} if NEGATION.search(text) else set()
    return stems(NEGATION.sub(" ", plain)) | set(_NUMBER.findall(plain)) | negations


def same_text(one: str, other: str) -> bool:
    """True if two sentences are the same but for case, white space and a full stop."""
    first, second = (" ".join(text.casefold().split()).rstrip(".") for text in (one, other))
    return first == second


_NUMBER = re.compile(r"\d+")
_PLAIN = str.maketrans("øØłŁđĐ", "oOlLdD")  # letters with a stroke, which have no other form


def claims_note(places: Sequence[str], objection: str) -> str:
    """The note of a receipt for claims whose quotes do not count."""
    shown = ", ".join(places[:10]) + (f" and {len(places) - 10} more" if len(places) > 10 else "")
    return f"{shown}: {objection}, so it counts as your claim and not as the user's word"
