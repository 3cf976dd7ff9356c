"""Predications: the subject of a clause, its verb, and the form of the verb.

`I no longer work at Anchor` is the subject `i`, the verb `work`, `ended`, and the rest
`at Anchor`. All families of patterns use this, so tense, negation and person are judged only here.
"""

from dataclasses import dataclass, replace
from enum import StrEnum

from sharpwave.reading.grammar.clauses import Clause
from sharpwave.reading.grammar.lexicon import (
    ADVERBS,
    BE,
    DO,
    HAVE,
    MODALS,
    is_ing,
    is_participle,
    is_past,
    lemma,
    words,
)
from sharpwave.reading.grammar.tokens import Phrase


class Tense(StrEnum):
    """Tense and aspect of a verb."""

    PRESENT = "present"
    GOING_ON = "going on"
    """"I am moving"."""
    PAST = "past"
    PERFECT = "perfect"
    """"I have moved"."""
    LATELY = "lately"
    """"I have been moving"."""
    FUTURE = "future"
    MODAL = "modal"
    """"I would move", "I could move"."""


@dataclass(frozen=True, slots=True)
class Predication:
    """One verb with its modifiers and object; `subject` is filled in once it is known."""

    clause: Clause
    verb: str
    """The base form; `be` for "I am", "she was"."""
    form: str
    """The form in the text."""
    rest: Phrase
    """The words after the verb."""
    whole: Phrase
    """The verb as in the text, with the words after it."""
    tense: Tense = Tense.PRESENT
    negated: bool = False
    ended: bool = False
    modal: str = ""
    adverbs: frozenset[str] = frozenset()
    subject: str = ""
    first_person: bool = True
    plural: bool = False
    weak: bool = False
    """True if the subject was left out or guessed."""


def predicate_of(clause: Clause, phrase: Phrase) -> Predication | None:
    """Read the verb group at the beginning of `phrase`, which follows a subject."""
    group = _Group(phrase)
    group.read()
    if not group.verb or group.position > len(phrase):
        return None
    rest = phrase.cut(group.position)
    rest, is_over = _split_any_more(rest)
    ended = group.ended or (is_over and group.negated)
    return Predication(
        clause=clause,
        verb=group.verb,
        form=group.form,
        rest=rest,
        whole=phrase.cut(group.position - 1, group.position + len(rest)),
        tense=group.tense,
        negated=group.negated and not ended,
        ended=ended,
        modal=group.modal,
        adverbs=frozenset(group.adverbs),
    )


def with_verb_in(predication: Predication, position: int) -> Predication | None:
    """The verb at a position of the rest, same subject: "live in Porto and *work* at…"."""
    second = predicate_of(predication.clause, predication.rest.cut(position))
    if second is None:
        return None
    return replace(
        second,
        subject=predication.subject,
        first_person=predication.first_person,
        plural=predication.plural,
        weak=predication.weak,
    )


_SKIPPED_ADVERBS = ADVERBS - words("well again too first so very pretty quite")


class _Group:
    """Reads auxiliaries, adverbs and negations up to the main verb."""

    def __init__(self, phrase: Phrase) -> None:
        self.phrase = phrase
        self.low = phrase.low
        self.position = 0
        self.verb = self.form = self.modal = ""
        self.tense = Tense.PRESENT
        self.negated = self.ended = False
        self.adverbs: set[str] = set()

    def read(self) -> None:
        self._skip_adverbs()
        word = self._word()
        if word in {"will", "shall"}:
            self._advance(Tense.FUTURE)
        elif word in MODALS:
            self.modal = word
            self._advance(Tense.MODAL)
        elif word in DO and self._is_auxiliary_do():
            self._advance(Tense.PAST if word == "did" else Tense.PRESENT)
        word = self._word()
        if word in HAVE and self._read_perfect():
            return
        word = self._word()
        if word in BE and self._read_continuous():
            return
        if self._word(0) == "used" and self._word(1) == "to":
            self.ended = True
            self.position += 2
            self.tense = Tense.PAST
            self._skip_adverbs()
        self._read_verb()
        self._read_begin_or_stop()

    def _word(self, ahead: int = 0) -> str:
        position = self.position + ahead
        return self.low[position] if position < len(self.low) else ""

    def _advance(self, tense: Tense) -> None:
        self.tense = tense
        self.position += 1
        self._skip_adverbs()

    def _skip_adverbs(self) -> None:
        """Skip adverbs and negations, and note them."""
        while True:
            word = self._word()
            if word == "no" and self._word(1) == "longer":
                self.ended = True
                self.position += 2
            elif word in {"not", "never"}:
                self.negated = True
                self.adverbs.add(word)
                self.position += 1
            elif word in {"sort", "kind"} and self._word(1) == "of":
                self.adverbs.add("kinda")
                self.position += 2
            elif word in _SKIPPED_ADVERBS and word not in {"sort", "kind"}:
                self.adverbs.add(word)
                self.position += 1
            elif word and word.endswith("ly") and len(word) > 4 and word not in _LY_VERBS:
                self.adverbs.add(word)
                self.position += 1
            else:
                return

    def _is_auxiliary_do(self) -> bool:
        """True if "do" is an auxiliary: "do not like", "did go"."""
        after = self._word(1)
        if after in {"not", "never"} or after in ADVERBS:
            return True
        return after in _BARE_VERBS

    def _read_perfect(self) -> bool:
        """Read "have done", "have been doing"; False if "have" is the verb itself."""
        position, tense, negated = self.position, self.tense, self.negated
        had = self._word() == "had"
        self._advance(tense)
        word = self._word()
        if not is_participle(word) or (had and word in {"had", "put", "set", "cut"}):
            self.position, self.negated = position, negated or self.negated
            return False
        self.tense = tense if self.modal else Tense.PAST if had else Tense.PERFECT
        if word == "got":
            self.verb, self.form = "have", "have"
            self.position += 1
            self.tense = Tense.PRESENT
            return True
        if word == "been":
            self._advance(self.tense)
            if is_ing(self._word()):
                self.tense = tense if self.modal else Tense.PAST if had else Tense.LATELY
                self._read_verb()
                self._read_begin_or_stop()
            else:
                self.verb, self.form = "be", "been"
            return True
        self._read_verb()
        self._read_begin_or_stop()
        return True

    def _read_continuous(self) -> bool:
        """Read "am doing", "am going to do", or "be" itself; always True."""
        word = self._word()
        past = word in {"was", "were"}
        tense_before = self.tense
        self.form = word
        self._advance(Tense.PAST if past else tense_before)
        after = self._word()
        if after == "going" and self._word(1) == "to" and self._is_verb_after_to():
            self.position += 2
            self.tense = Tense.PAST if past else Tense.FUTURE
            self._skip_adverbs()
            self._read_verb()
            return True
        if is_ing(after) and after not in _ING_NOUNS:
            self._read_verb()
            continuous = (
                tense_before if tense_before in {Tense.FUTURE, Tense.MODAL} else Tense.GOING_ON
            )
            self.tense = Tense.PAST if past else continuous
            self._read_begin_or_stop()
            return True
        self.verb = "be"
        return True

    def _is_verb_after_to(self) -> bool:
        """Match "going to run", and not "going to Lisbon" or "going to the zoo"."""
        word = self._word(2)
        return not self.phrase.capital(self.position + 2) and word not in _TO_A_PLACE

    def _read_verb(self) -> None:
        word = self._word()
        if not word or not word[0].isalpha():
            return
        self.form, self.verb = word, lemma(word)
        self.position += 1
        if self.tense is Tense.PRESENT and is_past(word):
            self.tense = Tense.PAST

    def _read_begin_or_stop(self) -> None:
        """Read "started working" as work, "stopped eating" and "gave up smoking" as ended."""
        word, after = self._word(), self._word(1)
        is_real = self.tense not in {Tense.FUTURE, Tense.MODAL} and not self.negated
        if self.verb == "give" and word == "up" and after and after != "on" and is_real:
            self.ended = True
            self.position += 1
            if is_ing(after):
                self._read_gerund()
            else:
                self.verb = "quit"
        elif self.verb in {"stop", "quit"} and is_ing(word):
            self.ended = is_real
            self._read_gerund()
        elif self.verb in {"start", "begin", "resume"} and is_ing(word):
            self.adverbs.add("start")
            self._read_gerund()

    def _read_gerund(self) -> None:
        self.form = self._word()
        self.verb = lemma(self.form)
        self.position += 1
        if self.tense in {Tense.PAST, Tense.PERFECT}:
            self.tense = Tense.GOING_ON


_BARE_VERBS = words(
    """have like love want need enjoy go live work get make see take find know feel think try buy
    come start play use speak own plan hope"""
)
_TO_A_PLACE = words("the a an my our his her their this that some bed school work church college")
_LY_VERBS = words("fly apply reply rely supply comply july italy family only")
_ING_NOUNS = words(
    "king evening morning interesting amazing boring exciting tiring willing missing"
)


def _split_any_more(rest: Phrase) -> tuple[Phrase, bool]:
    """Return the words before "any more", and whether it was found."""
    ends = [rest.find(*ending) for ending in (("anymore",), ("any", "more"), ("any", "longer"))]
    position = max(ends)
    return (rest.cut(0, position), True) if position >= 0 else (rest, False)
