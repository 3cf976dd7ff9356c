"""Who does what: the subject of a clause, its verb, and how the verb is put.

`I no longer work at Anchor` is the subject `i`, the verb `work`, `ended`, and the rest
`at Anchor`. All families build on this, so tense, negation and person are judged in one place.
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
    """When the verb says that it is."""

    PRESENT = "present"
    GOING_ON = "going on"
    """I am moving."""
    PAST = "past"
    PERFECT = "perfect"
    """I have moved."""
    LATELY = "lately"
    """I have been moving."""
    FUTURE = "future"
    MODAL = "modal"
    """I would move, I could move."""


@dataclass(frozen=True, slots=True)
class Predication:
    """One verb and what belongs to it; `who` is the subject once it is known."""

    clause: Clause
    verb: str
    """In its plain form; `be` for "I am", "she was"."""
    form: str
    """As it was said."""
    rest: Phrase
    """What follows the verb."""
    whole: Phrase
    """The verb as it was said, with what follows."""
    tense: Tense = Tense.PRESENT
    negated: bool = False
    ended: bool = False
    modal: str = ""
    adverbs: frozenset[str] = frozenset()
    who: str = ""
    first_person: bool = True
    plural: bool = False
    weak: bool = False
    """The subject was left out or guessed."""


def predicate_of(clause: Clause, phrase: Phrase) -> Predication | None:
    """Read the verb group at the beginning of `phrase`, which follows a subject."""
    group = _Group(phrase)
    group.read()
    if not group.verb or group.place > len(phrase):
        return None
    rest = phrase.cut(group.place)
    rest, later = _without_any_more(rest)
    ended = group.ended or (later and group.negated)
    return Predication(
        clause=clause,
        verb=group.verb,
        form=group.form,
        rest=rest,
        whole=phrase.cut(group.place - 1, group.place + len(rest)),
        tense=group.tense,
        negated=group.negated and not ended,
        ended=ended,
        modal=group.modal,
        adverbs=frozenset(group.adverbs),
    )


def with_verb_in(predication: Predication, place: int) -> Predication | None:
    """The verb at that place of the rest, in the same person: "live in Porto and *work* at…"."""
    other = predicate_of(predication.clause, predication.rest.cut(place))
    if other is None:
        return None
    return replace(
        other,
        who=predication.who,
        first_person=predication.first_person,
        plural=predication.plural,
        weak=predication.weak,
    )


_SKIPPED = ADVERBS - words("well again too first so very pretty quite")


class _Group:
    """Reads auxiliaries, adverbs and negations until the verb that carries the meaning."""

    def __init__(self, phrase: Phrase) -> None:
        self.phrase = phrase
        self.low = phrase.low
        self.place = 0
        self.verb = self.form = self.modal = ""
        self.tense = Tense.PRESENT
        self.negated = self.ended = False
        self.adverbs: set[str] = set()

    def read(self) -> None:
        self._skip()
        word = self._word()
        if word in {"will", "shall"}:
            self._step(Tense.FUTURE)
        elif word in MODALS:
            self.modal = word
            self._step(Tense.MODAL)
        elif word in DO and self._helps():
            self._step(Tense.PAST if word == "did" else Tense.PRESENT)
        word = self._word()
        if word in HAVE and self._perfect():
            return
        word = self._word()
        if word in BE and self._going_on():
            return
        if self._word(0) == "used" and self._word(1) == "to":
            self.ended = True
            self.place += 2
            self.tense = Tense.PAST
            self._skip()
        self._take()
        self._begin_or_stop()

    def _word(self, ahead: int = 0) -> str:
        place = self.place + ahead
        return self.low[place] if place < len(self.low) else ""

    def _step(self, tense: Tense) -> None:
        self.tense = tense
        self.place += 1
        self._skip()

    def _skip(self) -> None:
        """Pass adverbs and negations, and remember them."""
        while True:
            word = self._word()
            if word == "no" and self._word(1) == "longer":
                self.ended = True
                self.place += 2
            elif word in {"not", "never"}:
                self.negated = True
                self.adverbs.add(word)
                self.place += 1
            elif word in {"sort", "kind"} and self._word(1) == "of":
                self.adverbs.add("kinda")
                self.place += 2
            elif word in _SKIPPED and word not in {"sort", "kind"}:
                self.adverbs.add(word)
                self.place += 1
            elif word and word.endswith("ly") and len(word) > 4 and word not in _LY_VERBS:
                self.adverbs.add(word)
                self.place += 1
            else:
                return

    def _helps(self) -> bool:
        """True if "do" only carries the tense: "do not like", "did go"."""
        after = self._word(1)
        if after in {"not", "never"} or after in ADVERBS:
            return True
        return after in _BARE_VERBS

    def _perfect(self) -> bool:
        """Read "have done", "have been doing"; False if "have" is the verb itself."""
        place, tense, negated = self.place, self.tense, self.negated
        had = self._word() == "had"
        self._step(tense)
        word = self._word()
        if not is_participle(word) or (had and word in {"had", "put", "set", "cut"}):
            self.place, self.negated = place, negated or self.negated
            return False
        self.tense = tense if self.modal else Tense.PAST if had else Tense.PERFECT
        if word == "got":
            self.verb, self.form = "have", "have"
            self.place += 1
            self.tense = Tense.PRESENT
            return True
        if word == "been":
            self._step(self.tense)
            if is_ing(self._word()):
                self.tense = tense if self.modal else Tense.PAST if had else Tense.LATELY
                self._take()
                self._begin_or_stop()
            else:
                self.verb, self.form = "be", "been"
            return True
        self._take()
        self._begin_or_stop()
        return True

    def _going_on(self) -> bool:
        """Read "am doing", "am going to do"; False never: "be" is a verb itself as well."""
        word = self._word()
        past = word in {"was", "were"}
        known = self.tense
        self.form = word
        self._step(Tense.PAST if past else known)
        after = self._word()
        if after == "going" and self._word(1) == "to" and self._is_verb_after_to():
            self.place += 2
            self.tense = Tense.PAST if past else Tense.FUTURE
            self._skip()
            self._take()
            return True
        if is_ing(after) and after not in _ING_NOUNS:
            self._take()
            going = known if known in {Tense.FUTURE, Tense.MODAL} else Tense.GOING_ON
            self.tense = Tense.PAST if past else going
            self._begin_or_stop()
            return True
        self.verb = "be"
        return True

    def _is_verb_after_to(self) -> bool:
        """As in "going to run"; "going to Lisbon" and "going to the zoo" are ways."""
        word = self._word(2)
        return not self.phrase.capital(self.place + 2) and word not in _TO_A_PLACE

    def _take(self) -> None:
        word = self._word()
        if not word or not word[0].isalpha():
            return
        self.form, self.verb = word, lemma(word)
        self.place += 1
        if self.tense is Tense.PRESENT and is_past(word):
            self.tense = Tense.PAST

    def _begin_or_stop(self) -> None:
        """As in "started working" works; "stopped eating" no longer eats; "gave up smoking"."""
        word, after = self._word(), self._word(1)
        done = self.tense not in {Tense.FUTURE, Tense.MODAL} and not self.negated
        if self.verb == "give" and word == "up" and after and after != "on" and done:
            self.ended = True
            self.place += 1
            if is_ing(after):
                self._take_ing()
            else:
                self.verb = "quit"
        elif self.verb in {"stop", "quit"} and is_ing(word):
            self.ended = done
            self._take_ing()
        elif self.verb in {"start", "begin", "resume"} and is_ing(word):
            self.adverbs.add("start")
            self._take_ing()

    def _take_ing(self) -> None:
        self.form = self._word()
        self.verb = lemma(self.form)
        self.place += 1
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


def _without_any_more(rest: Phrase) -> tuple[Phrase, bool]:
    """What stands before "any more", and whether that was said."""
    ends = [rest.find(*ending) for ending in (("anymore",), ("any", "more"), ("any", "longer"))]
    place = max(ends)
    return (rest.cut(0, place), True) if place >= 0 else (rest, False)
