"""Check the quotes that callers give for their claims: the user said them, and they support it."""

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
"""Number of latest turns of a session that are searched for quotes."""
SAID_SHARE = 0.6
"""Minimum share of the words of a claim that its quote must contain."""
NOT_FOUND = "the quote is not in the user's own words"
NOT_SAID = "the quote does not say what is claimed, or leaves a negation out"


class Located(NamedTuple):
    """The turn and span of a quote; without a turn, the objection to the quote."""

    turn: Record | None
    span: Span = Span(0, 0)
    objection: str = ""


class OwnWords:
    """The user's own words in some turns, without pasted or quoted text."""

    def __init__(self, turns: Sequence[Record], own_names: Collection[str] = ()) -> None:
        own_turns = [turn for turn in turns if is_from_user(turn, own_names)]
        most_trusted_first = sorted(reversed(own_turns), key=lambda turn: -turn.provenance.trust)
        self._turns = [_UserTurn(turn) for turn in most_trusted_first]

    def locate(self, quote: str, claim: str) -> Located:
        """Find the quote for a claim in the most trusted turn, of several in the latest."""
        for user_turn in self._turns:
            span = user_turn.find(quote)
            if span is not None:
                text = user_turn.turn.text
                fits = _may_say(claim, text[span.start : span.end])
                says = fits and not _leaves_negation_out(text, span)
                return Located(user_turn.turn, span) if says else Located(None, objection=NOT_SAID)
        return Located(None, objection=NOT_FOUND)


class _UserTurn:
    """A turn of the user, prepared once for any number of quotes."""

    def __init__(self, turn: Record) -> None:
        own_text = own_words(turn.text)[:READ_CHARS]
        self.turn = turn
        self._own_text, self._searchable_own = own_text, QuotedText(own_text)
        self._searchable = QuotedText(turn.text[: len(own_text)])

    def find(self, quote: str) -> Span | None:
        return self._searchable_own.find(quote) or _with_quotation(
            quote, self._searchable, self._own_text
        )


def _with_quotation(quote: str, text: QuotedText, own_text: str) -> Span | None:
    r"""The span of a quote in the user's own words that includes a short quotation, or None.

    >>> text, own = "no 'happy to help'. ever", "no \0\0\0\0\0\0\0\0\0\0\0\0\0\0\0. ever"
    >>> _with_quotation("no 'happy to help'. ever", QuotedText(text), own)
    Span(start=0, end=24)
    """
    span = text.find(quote)
    if span is None:
        return None
    own_part = own_text[span.start : span.end]
    longest = max(map(len, _FOREIGN_RUN.findall(own_part)), default=0)
    return span if _OWN_WORD.search(own_part) and longest <= _QUOTATION_CHARS else None


_FOREIGN_RUN = re.compile(f"{FOREIGN}+")
_OWN_WORD = re.compile(r"\w")
_QUOTATION_CHARS = 60


def _may_say(claim: str, quote: str) -> bool:
    """True if a quote can support a claim, in other words too.

    It has every name and number of the claim. With shared words it denies what the claim denies.

    >>> _may_say("The user takes warfarin", "on warfarin"), _may_say("Moscow", "I live in Porto")
    (True, False)
    >>> _may_say("The user does not like fish", "I like fish")
    False
    """
    claim_stems, quote_stems = _compared(claim), _compared(quote)
    if claim_stems & quote_stems - {"not"} and "not" in claim_stems - quote_stems:
        return False
    if is_named(claim, quote):
        return True
    quote_words = frozenset(_WORD.findall(quote.casefold()))
    first_word, *rest = _WORD.findall(claim) or [""]
    names = filter(
        _NAME.match, rest if first_word.lower() in _OPENING_WORDS else [first_word, *rest]
    )
    return all(name.casefold() in quote_words or stems(name) & quote_stems for name in names)


_WORD = re.compile(r"\w+")
_NAME = re.compile(r"[^\W\d_a-z]|\w*\d")
"""A capitalised word, or one with a digit."""
_OPENING_WORDS = KNOWN | {"the", "i", "my", "do", "don", "never", "always", "no"}
"""First words of a sentence that are no names."""


def _leaves_negation_out(text: str, span: Span) -> bool:
    """True if the sentence around a quote has a negation outside the quote."""
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


def states_end(sentence: str) -> bool:
    """True if a sentence is worded as a denial or in the past: then its wording still holds.

    >>> [states_end(f"The user {does}") for does in ("sold the boat", "is employed", "sings")]
    [True, False, False]
    """
    if NEGATION.search(sentence):
        return True
    words = sentence.casefold().split()[1:]
    for word, next_word in pairwise([*words, ""]):
        if is_past(word) or (word in HAVE and is_participle(next_word)):
            return True
        if word in BE | HAVE | DO or _THIRD_PERSON.search(word):
            return False
    return False


_THIRD_PERSON = re.compile(r"[^'\u2019s]s$")


def is_from_user(turn: Record, own_names: Collection[str] = ()) -> bool:
    """True for a message of the user: not of a tool, a page or another speaker."""
    is_own_name = turn.speaker is None or normal_name(turn.speaker) in own_names
    is_user_turn = turn.role is Role.USER and turn.kind is Kind.TURN and is_own_name
    return (
        is_user_turn
        and turn.provenance.trust > Trust.UNTRUSTED
        and turn.standing.state is State.ACTIVE
    )


def carrier(turns: Sequence[Record], own_names: Collection[str] = ()) -> Record | None:
    """The turn that a claim without a quote is based on: the user's last, else the last trusted."""
    trusted = [turn for turn in turns if turn.provenance.trust > Trust.UNTRUSTED]
    from_user = [turn for turn in trusted if is_from_user(turn, own_names)]
    return next(reversed([*trusted, *from_user]), None)


def as_claimed(turn: Record) -> Record:
    """The turn as the source of an agent's claim: with at most the trust of an inference."""
    if turn.provenance.trust <= Trust.INFERRED:
        return turn
    provenance = replace(turn.provenance, source=Source.INFERRED, trust=Trust.INFERRED)
    return replace(turn, provenance=provenance)


def is_named(claim: str, quote: str, share: float = SAID_SHARE) -> bool:
    """True if a quote has at least this share of the words of a claim.

    >>> is_named("Porto", "we finally moved to Porto"), is_named("Moscow", "I live in Porto")
    (True, False)
    """
    claim_stems = _compared(claim) or {claim.casefold()}
    quote_stems = _compared(quote) | {quote.casefold().strip(" .!,")}
    return len(claim_stems & quote_stems) >= share * len(claim_stems)


def is_denied(claim: str, quote: str) -> bool:
    """True if a quote denies a claim: it has a negation before the words that they share.

    >>> is_denied("Call me Bob", "never call me Bob"), is_denied("Use tabs", "use tabs, not spaces")
    (True, False)
    """
    if NEGATION.search(claim):
        return False
    claim_stems = _compared(claim)
    for clause in _CLAUSE_END.split(quote):
        negation = NEGATION.search(clause)
        if negation and claim_stems & _compared(clause[negation.end() :]):
            if not claim_stems & _compared(clause[: negation.start()]):
                return True
    return False


_CLAUSE_END = re.compile(r"[,.!?;:\n]")


def _compared(text: str) -> frozenset[str]:
    """The words of a text without accents, with its numbers; all negations are one word."""
    plain = unicodedata.normalize("NFKD", text).translate(_PLAIN)
    plain = "".join(character for character in plain if not unicodedata.combining(character))
    negations = {"not"} if NEGATION.search(text) else set()
    return stems(NEGATION.sub(" ", plain)) | set(_NUMBER.findall(plain)) | negations


def same_text(left: str, right: str) -> bool:
    """True if two sentences differ at most in case, white space and a full stop."""
    first, second = (" ".join(text.casefold().split()).rstrip(".") for text in (left, right))
    return first == second


_NUMBER = re.compile(r"\d+")
_PLAIN = str.maketrans("øØłŁđĐ", "oOlLdD")  # letters with a stroke, which have no other form


def claims_note(names: Sequence[str], objection: str) -> str:
    """The note of a receipt for claims whose quotes do not count."""
    shown = ", ".join(names[:10]) + (f" and {len(names) - 10} more" if len(names) > 10 else "")
    return f"{shown}: {objection}, so it counts as your claim and not as the user's word"
