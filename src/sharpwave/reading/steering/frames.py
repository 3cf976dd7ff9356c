"""The forms in which an assistant is instructed, each brought into the imperative.

imperative   use tabs; don't use tabs; never use tabs; remember to use tabs
request      can you use tabs?
wish         I'd like you to use tabs; I prefer seeing the diff
duty         you should use tabs; you keep using tabs
want         I need more detail in your answers; answers in German

A want counts only where every word is about answers as such: "more detail about the war" is a
request for one answer.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from sharpwave.reading.steering.vocabulary import (
    ADVERBS,
    BEARINGS,
    COMPARATIVE,
    GIVING,
    KNOWN,
    LANGUAGES,
    MANNER,
    MODALS,
    NOT_ASKED,
    OBLIGATION,
    OUTPUT,
    STYLE_NOUNS,
    Word,
    base_of_gerund,
    base_of_past,
    gerund,
    word,
    words,
)


@dataclass(frozen=True, slots=True)
class Instruction:
    """An instruction to the assistant: a verb in its plain form, and what follows it."""

    verb: str
    rest: tuple[Word, ...]
    negated: bool = False
    adverb: str = ""
    """Always, never or only, which belong to the rule."""
    when: tuple[Word, ...] = ()
    """As in "when you add a function": on which occasion."""
    prefers: bool = False
    """It was said with "prefer" or "rather": a preference by its own words."""
    reminds: bool = False
    """It was said with "remember to"."""
    inclusive: bool = False
    """It was said with "let's"."""
    requested: bool = False
    """It was put as a question: "can you use tabs?"."""

    @property
    def words(self) -> tuple[Word, ...]:
        """The instruction in the imperative."""
        lead = [word("do"), word("not")] if self.negated else []
        if self.adverb:
            lead.append(word(self.adverb))
        return (*lead, word(self.verb), *self.rest, *self.when)

    @property
    def low(self) -> tuple[str, ...]:
        """What follows the verb, in lower case."""
        return tuple(one.low for one in self.rest)

    @property
    def always(self) -> bool:
        """It says that it always holds, or never."""
        return self.adverb in {"always", "never"} or bool(self.when)


def instruction(said: Sequence[Word]) -> Instruction | None:
    """The instruction in a clause; None if there is none."""
    low = [one.low for one in said]
    if len(low) < 2:
        return None
    if low[0] in {"when", "whenever", "if"} and "," in low:
        asked = low[1] == "i" and low[2] in _ASKING
        return _conditional(said, low.index(",")) if asked or low[1] == "you" else None
    for frame in _FRAMES:
        if instruction := frame(said, low):
            return instruction
    return None


def _conditional(said: Sequence[Word], comma: int) -> Instruction | None:
    """As in "when you show amounts, round them"."""
    main = instruction(said[comma + 1 :])
    if main is None or said[2].low in _COMFORT:
        return None
    if main.rest and main.rest[0].low in {"them", "it"} and comma > 3 and said[1].low == "you":
        return replace(main, rest=(*said[3:comma], *main.rest[1:]), adverb=main.adverb or "always")
    return replace(main, when=tuple(said[:comma]))


_ASKING = words("ask request send paste share write say upload mention")
"""What the user does on occasion: "when I paste an error, explain it"."""
_COMFORT = words("need want feel get have let come know hear see go")
"""As in "whenever you need help, let me know": kindness, and no rule."""


def _imperative(said: Sequence[Word], low: Sequence[str]) -> Instruction | None:
    """As in "use tabs", "please don't ever use tabs", "only use tabs"."""
    at, negated, adverb = 0, False, ""
    while at < len(low) and low[at] in ADVERBS | {"do"}:
        if low[at] == "do":
            if low[at + 1 : at + 2] != ["not"]:
                return None
            negated = True
            at += 1
        elif low[at] in {"always", "never", "only"}:
            adverb = low[at]
        at += 1
    return _read_verb(said, low, at, negated, adverb)


_TO_DO = (("make", "sure"), ("be", "sure"), ("make", "certain"))


def _read_verb(
    said: Sequence[Word], low: Sequence[str], at: int, negated: bool = False, adverb: str = ""
) -> Instruction | None:
    """The verb at a place and what follows; "stop using", "make sure to use" are seen through."""
    if at >= len(low):
        return None
    verb, follows = low[at], low[at + 1 : at + 4]
    if verb in {"stop", "quit"} and follows:
        base = base_of_gerund(follows[0])
        return (base and Instruction(base, tuple(said[at + 2 :]), not negated)) or None
    if (verb, *follows[:1]) in _TO_DO and len(follows) == 3:
        skip = {"to": 3, "you": 3, "that": 4}.get(follows[1])
        if skip is None or (skip == 4 and low[at + 3] != "you"):
            return None
        return _read_verb(said, low, at + skip, negated, adverb or _adverb(low, at + skip))
    if verb in {"remember", "try"} and follows[:1] == ["to"]:
        instruction = _read_verb(said, low, at + 2, negated, adverb or _adverb(low, at + 2))
        return replace(instruction, reminds=True) if instruction else None
    if verb in {"always", "never", "only"} and not adverb:
        return _read_verb(said, low, at + 1, negated, verb)
    if verb == "not":
        return _read_verb(said, low, at + 1, not negated, adverb)
    if verb not in KNOWN or verb in _COMFORT or follows[:1] == ["you"]:
        to_the_point = verb == "get" and follows == ["to", "the", "point"]
        return Instruction("get", tuple(said[at + 1 :])) if to_the_point else None
    if negated and verb in NOT_ASKED:
        return None
    return Instruction(verb, tuple(said[at + 1 :]), negated, adverb)


def _adverb(low: Sequence[str], at: int) -> str:
    return low[at] if at < len(low) and low[at] in {"always", "never"} else ""


def _request(said: Sequence[Word], low: Sequence[str]) -> Instruction | None:
    """As in "can you use tabs?", "would you mind using tabs?"."""
    if low[0] not in MODALS or low[1] != "you":
        return None
    at = 2
    while at < len(low) and low[at] in ADVERBS - {"always", "never", "only"}:
        at += 1
    if low[at : at + 1] == ["mind"]:
        negated = low[at + 1 : at + 2] == ["not"]
        base = base_of_gerund(low[at + 1 + negated]) if len(low) > at + 1 + negated else None
        rest = tuple(said[at + 2 + negated :])
        return Instruction(base, rest, negated, requested=True) if base else None
    instruction = _read_verb(said, low, at)
    return replace(instruction, requested=True) if instruction else None


_WISHES = words("prefer like love want need appreciate rather expect hate dislike")
_AVERSIONS = words("hate dislike")
_PERCEIVED = {
    perceived: done
    for done, several in (
        ("show", "see read view"),
        ("tell", "hear know"),
        ("give", "get have receive"),
    )
    for perceived in several.split()
}
"""What the user is to perceive, the assistant has to do."""
_PERCEIVING = {gerund(perceived): done for perceived, done in _PERCEIVED.items()}


def _wish(said: Sequence[Word], low: Sequence[str]) -> Instruction | None:
    """As in "I'd like you to…", "I prefer it when you…", "I prefer seeing…", "I'd rather you…"."""
    if low[0] != "i":
        return None
    at = 1
    modal = False
    while at < len(low) and low[at] in ADVERBS | {"would", "will", "do", "much", "strongly"}:
        modal = modal or low[at] == "would"
        at += 1
    negated = low[at : at + 1] == ["not"]
    at += negated
    if at + 1 >= len(low) or low[at] not in _WISHES:
        return None
    verb, at = low[at], at + 1
    negated = negated != (verb in _AVERSIONS)
    habit = low[at : at + 2] in (["it", "when"], ["it", "if"]) or low[at : at + 1] == ["when"]
    while low[at : at + 1] and low[at] in {"it", "that", "if", "when", "for"}:
        at += 1
    if low[at : at + 1] == ["you"]:
        instruction = _of_you(said, low, at + 1, negated)
    elif verb == "prefer" and not negated:
        instruction = _perceived(said, low, at)
    else:
        return None
    if instruction is None:
        return None
    habit = habit and low[at] == "you" and _is_of_answers(instruction)
    return replace(instruction, prefers=habit or verb in {"prefer", "rather"})


def _is_of_answers(instruction: Instruction) -> bool:
    """What a wish must be about to be a habit: how to answer, or what answers hold."""
    low = [one.low for one in instruction.rest]
    if instruction.verb in MANNER:
        return True
    return (
        instruction.verb in GIVING and bool(OUTPUT & set(low)) and low[0] not in {"a", "an", "some"}
    )


def _together(said: Sequence[Word], low: Sequence[str]) -> Instruction | None:
    """As in "let's always use tabs"."""
    if tuple(low[:2]) != ("let", "us") or len(low) < 4:
        return None
    instruction = _read_verb(said, low, 2)
    return replace(instruction, inclusive=True) if instruction else None


def _of_you(said: Sequence[Word], low: Sequence[str], at: int, negated: bool) -> Instruction | None:
    """What "you" is to do after "I'd like"."""
    adverb = ""
    while at < len(low) and low[at] in ADVERBS | {"to", "would", "could", "do", "did", "not"}:
        negated = negated != (low[at] == "not")
        adverb = low[at] if low[at] in {"always", "never"} else adverb
        at += 1
    if at >= len(low):
        return None
    base = low[at] if low[at] in KNOWN else base_of_past(low[at])
    if base is None:
        return None
    return Instruction(base, tuple(said[at + 1 :]), negated, adverb)


def _perceived(said: Sequence[Word], low: Sequence[str], at: int) -> Instruction | None:
    """What the user prefers to see or get, or to be used; not what the user prefers to do."""
    rest = low[at + 1 :]
    about_you = "you" in rest or bool(OUTPUT & set(rest[: _NEAR + 1]))
    if low[at : at + 1] == ["to"] and len(rest) > 1:
        verb = _PERCEIVED.get(low[at + 1])
        return Instruction(verb, tuple(said[at + 2 :])) if verb and about_you else None
    if rest and about_you:
        base = base_of_gerund(low[at])
        verb = _PERCEIVING.get(low[at]) or (base if base in MANNER else None)
        if verb:
            return Instruction(verb, tuple(said[at + 1 :]))
    if (STYLE_NOUNS | LANGUAGES) & set(low[at : at + _NEAR]):
        return Instruction("prefer", tuple(said[at:]))
    return None


_NEAR = 4
"""Words within which "I prefer…" must name something that an assistant makes."""


def _duty(said: Sequence[Word], low: Sequence[str]) -> Instruction | None:
    """As in "you should use tabs", "you don't have to explain", "you keep using tabs"."""
    if low[0] != "you":
        return None
    if low[1] in {"keep", "kept"} and len(low) > 2:
        base = base_of_gerund(low[2])
        return Instruction(base, tuple(said[3:]), negated=True) if base else None
    if low[1] in OBLIGATION or tuple(low[1:3]) in {("need", "to"), ("have", "to")}:
        at = 2 if low[1] in OBLIGATION else 3
        at += low[at : at + 1] == ["to"]
        return _read_verb(said, low, at)
    if tuple(low[1:4]) in {("do", "not", "need"), ("do", "not", "have")} and low[4:5] == ["to"]:
        return _read_verb(said, low, 5, negated=True)
    return None


_FRAMES: tuple[Callable[[Sequence[Word], Sequence[str]], Instruction | None], ...] = (
    _imperative,
    _request,
    _wish,
    _together,
    _duty,
)


_WANTS = words("want need like prefer")
_MORE = words("more less fewer")
_GIVES = words("give show provide send write")
_HOLDING = (("need",), ("needs",), ("should", "have"), ("should", "contain"), ("could", "use"))
_ANSWERS = words("answers replies responses explanations summaries")
_SHAPES = words("in as with without")
_SMALL = words("a bit lot little much and or your points full plain simple context depth no form")
_OF_ANSWERS = _MORE | _SHAPES | _SMALL | COMPARATIVE | BEARINGS | OUTPUT | LANGUAGES
_ONCE = words("example examples code number numbers word words list lists details context")
"""More of these is asked for once, unless it is said of "your answers"."""
_KINDS = STYLE_NOUNS | words("context depth")


def wanted(said: Sequence[Word]) -> list[Word]:
    """The rule in a wish for answers of some kind; nothing if it is none."""
    low = [one.low for one in said]
    if at := _after_answers(low):
        what, of = said[at:], [word("in"), *said[1:2]]
    else:
        what, of = said[_after_lead(low) :], []
    asked = [one.low for one in what]
    if len(asked) == len(said) or not _is_about_answers(asked, bool(of)):
        return []
    verb = "use" if asked[0] in {"less", "fewer"} else "give"
    return [word(verb), *what, *of]


def _after_lead(low: Sequence[str]) -> int:
    """Where what is wanted begins: after "I would like", "give me"; 0 if nothing opens so."""
    if low[0] == "i":
        at = 2 if low[1:2] == ["would"] else 1
        return at + 1 if low[at : at + 1] and low[at] in _WANTS else 0
    if low[0] in _GIVES:
        return 1 + (low[1:2] == ["me"])
    return 0


def _after_answers(low: Sequence[str]) -> int:
    """Where what they lack begins, after "your answers need"; 0 if nothing opens so."""
    if low[0] != "your" or low[1:2] == [] or low[1] not in _ANSWERS:
        return 0
    return next((2 + len(one) for one in _HOLDING if tuple(low[2 : 2 + len(one)]) == one), 0)


def _is_about_answers(asked: Sequence[str], held: bool) -> bool:
    """Whether it is a kind of answer that is wanted, and nothing that is at hand."""
    if len(asked) < 2 or not _OF_ANSWERS.issuperset(asked) or asked[0] in _SHAPES:
        return False
    named = {one for at, one in enumerate(asked) if at and one in _KINDS}
    of_answers = held or "your" in asked or not _ANSWERS.isdisjoint(asked)
    if asked[0] in _MORE:
        return bool(named) and (of_answers or bool(named - _ONCE))
    return of_answers and (asked[0] in COMPARATIVE | BEARINGS or not _SHAPES.isdisjoint(asked))
