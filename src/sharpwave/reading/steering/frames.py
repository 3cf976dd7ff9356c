"""Recognise the forms of instructions to an assistant, and put each into the imperative.

imperative   use tabs; don't use tabs; never use tabs; remember to use tabs
request      can you use tabs?
wish         I'd like you to use tabs; I prefer seeing the diff
duty         you should use tabs; you keep using tabs
want         I need more detail in your answers; answers in German

A want counts only if every word is about answers in general: "more detail about the war" is a
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
    """An instruction to the assistant: a verb in its base form, and the words after it."""

    verb: str
    rest: tuple[Word, ...]
    negated: bool = False
    adverb: str = ""
    """"always", "never" or "only", as a part of the rule."""
    when: tuple[Word, ...] = ()
    """The occasion: "when you add a function"."""
    prefers: bool = False
    """Stated with "prefer" or "rather": explicitly a preference."""
    reminds: bool = False
    """Stated with "remember to"."""
    inclusive: bool = False
    """Stated with "let's"."""
    requested: bool = False
    """Stated as a question: "can you use tabs?"."""

    @property
    def words(self) -> tuple[Word, ...]:
        """The instruction in the imperative."""
        lead = [word("do"), word("not")] if self.negated else []
        if self.adverb:
            lead.append(word(self.adverb))
        return (*lead, word(self.verb), *self.rest, *self.when)

    @property
    def low(self) -> tuple[str, ...]:
        """The words after the verb, in lower case."""
        return tuple(word.low for word in self.rest)

    @property
    def always(self) -> bool:
        """True if it says "always" or "never", or names an occasion."""
        return self.adverb in {"always", "never"} or bool(self.when)


def instruction(clause: Sequence[Word]) -> Instruction | None:
    """The instruction in a clause; None if there is none."""
    low = [word.low for word in clause]
    if len(low) < 2:
        return None
    if low[0] in {"when", "whenever", "if"} and "," in low:
        is_user_act = low[1] == "i" and low[2] in _USER_ACTS
        return _conditional(clause, low.index(",")) if is_user_act or low[1] == "you" else None
    for frame in _FRAMES:
        if instruction := frame(clause, low):
            return instruction
    return None


def _conditional(clause: Sequence[Word], comma: int) -> Instruction | None:
    """Match "when you show amounts, round them"."""
    main = instruction(clause[comma + 1 :])
    if main is None or clause[2].low in _KIND_VERBS:
        return None
    if main.rest and main.rest[0].low in {"them", "it"} and comma > 3 and clause[1].low == "you":
        return replace(
            main, rest=(*clause[3:comma], *main.rest[1:]), adverb=main.adverb or "always"
        )
    return replace(main, when=tuple(clause[:comma]))


_USER_ACTS = words("ask request send paste share write say upload mention")
"""Acts of the user that are an occasion: "when I paste an error, explain it"."""
_KIND_VERBS = words("need want feel get have let come know hear see go")
"""Verbs of a kindness, which is no rule: "whenever you need help, let me know"."""


def _imperative(clause: Sequence[Word], low: Sequence[str]) -> Instruction | None:
    """Match "use tabs", "please don't ever use tabs", "only use tabs"."""
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
    return _read_verb(clause, low, at, negated, adverb)


_MAKE_SURE = (("make", "sure"), ("be", "sure"), ("make", "certain"))


def _read_verb(
    clause: Sequence[Word], low: Sequence[str], at: int, negated: bool = False, adverb: str = ""
) -> Instruction | None:
    """Read the verb at an index and the words after it; unwrap "stop using", "make sure to use"."""
    if at >= len(low):
        return None
    verb, next_words = low[at], low[at + 1 : at + 4]
    if verb in {"stop", "quit"} and next_words:
        verb_base = base_of_gerund(next_words[0])
        return (verb_base and Instruction(verb_base, tuple(clause[at + 2 :]), not negated)) or None
    if (verb, *next_words[:1]) in _MAKE_SURE and len(next_words) == 3:
        skip = {"to": 3, "you": 3, "that": 4}.get(next_words[1])
        if skip is None or (skip == 4 and low[at + 3] != "you"):
            return None
        return _read_verb(clause, low, at + skip, negated, adverb or _adverb(low, at + skip))
    if verb in {"remember", "try"} and next_words[:1] == ["to"]:
        instruction = _read_verb(clause, low, at + 2, negated, adverb or _adverb(low, at + 2))
        return replace(instruction, reminds=True) if instruction else None
    if verb in {"always", "never", "only"} and not adverb:
        return _read_verb(clause, low, at + 1, negated, verb)
    if verb == "not":
        return _read_verb(clause, low, at + 1, not negated, adverb)
    if verb not in KNOWN or verb in _KIND_VERBS or next_words[:1] == ["you"]:
        to_the_point = verb == "get" and next_words == ["to", "the", "point"]
        return Instruction("get", tuple(clause[at + 1 :])) if to_the_point else None
    if negated and verb in NOT_ASKED:
        return None
    return Instruction(verb, tuple(clause[at + 1 :]), negated, adverb)


def _adverb(low: Sequence[str], at: int) -> str:
    return low[at] if at < len(low) and low[at] in {"always", "never"} else ""


def _request(clause: Sequence[Word], low: Sequence[str]) -> Instruction | None:
    """Match "can you use tabs?", "would you mind using tabs?"."""
    if low[0] not in MODALS or low[1] != "you":
        return None
    at = 2
    while at < len(low) and low[at] in ADVERBS - {"always", "never", "only"}:
        at += 1
    if low[at : at + 1] == ["mind"]:
        negated = low[at + 1 : at + 2] == ["not"]
        base = base_of_gerund(low[at + 1 + negated]) if len(low) > at + 1 + negated else None
        rest = tuple(clause[at + 2 + negated :])
        return Instruction(base, rest, negated, requested=True) if base else None
    instruction = _read_verb(clause, low, at)
    return replace(instruction, requested=True) if instruction else None


_WISHES = words("prefer like love want need appreciate rather expect hate dislike")
_AVERSIONS = words("hate dislike")
_ASSISTANT_VERB = {
    user_verb: assistant_verb
    for assistant_verb, user_verbs in (
        ("show", "see read view"),
        ("tell", "hear know"),
        ("give", "get have receive"),
    )
    for user_verb in user_verbs.split()
}
"""Maps what the user wants to perceive to what the assistant has to do."""
_ASSISTANT_VERB_OF_GERUND = {
    gerund(user_verb): assistant_verb for user_verb, assistant_verb in _ASSISTANT_VERB.items()
}


def _wish(clause: Sequence[Word], low: Sequence[str]) -> Instruction | None:
    """Match "I'd like you to…", "I prefer it when you…", "I prefer seeing…", "I'd rather you…"."""
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
    is_habit = low[at : at + 2] in (["it", "when"], ["it", "if"]) or low[at : at + 1] == ["when"]
    while low[at : at + 1] and low[at] in {"it", "that", "if", "when", "for"}:
        at += 1
    if low[at : at + 1] == ["you"]:
        instruction = _after_you(clause, low, at + 1, negated)
    elif verb == "prefer" and not negated:
        instruction = _preferred(clause, low, at)
    else:
        return None
    if instruction is None:
        return None
    is_habit = is_habit and low[at] == "you" and _is_about_manner(instruction)
    return replace(instruction, prefers=is_habit or verb in {"prefer", "rather"})


def _is_about_manner(instruction: Instruction) -> bool:
    """True if a wish is about how to answer, or what answers contain, so that it is a habit."""
    low = [word.low for word in instruction.rest]
    if instruction.verb in MANNER:
        return True
    return (
        instruction.verb in GIVING and bool(OUTPUT & set(low)) and low[0] not in {"a", "an", "some"}
    )


def _shared(clause: Sequence[Word], low: Sequence[str]) -> Instruction | None:
    """Match "let's always use tabs"."""
    if tuple(low[:2]) != ("let", "us") or len(low) < 4:
        return None
    instruction = _read_verb(clause, low, 2)
    return replace(instruction, inclusive=True) if instruction else None


def _after_you(
    clause: Sequence[Word], low: Sequence[str], at: int, negated: bool
) -> Instruction | None:
    """The instruction after "I'd like you"."""
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
    return Instruction(base, tuple(clause[at + 1 :]), negated, adverb)


def _preferred(clause: Sequence[Word], low: Sequence[str], at: int) -> Instruction | None:
    """What the user prefers to see or get, or to be used; None for what the user prefers to do."""
    following = low[at + 1 :]
    is_about_answers = "you" in following or bool(OUTPUT & set(following[: _MAX_DISTANCE + 1]))
    if low[at : at + 1] == ["to"] and len(following) > 1:
        verb = _ASSISTANT_VERB.get(low[at + 1])
        return Instruction(verb, tuple(clause[at + 2 :])) if verb and is_about_answers else None
    if following and is_about_answers:
        base = base_of_gerund(low[at])
        verb = _ASSISTANT_VERB_OF_GERUND.get(low[at]) or (base if base in MANNER else None)
        if verb:
            return Instruction(verb, tuple(clause[at + 1 :]))
    if (STYLE_NOUNS | LANGUAGES) & set(low[at : at + _MAX_DISTANCE]):
        return Instruction("prefer", tuple(clause[at:]))
    return None


_MAX_DISTANCE = 4
"""Maximum words after "I prefer" until something that an assistant makes."""


def _duty(clause: Sequence[Word], low: Sequence[str]) -> Instruction | None:
    """Match "you should use tabs", "you don't have to explain", "you keep using tabs"."""
    if low[0] != "you":
        return None
    if low[1] in {"keep", "kept"} and len(low) > 2:
        base = base_of_gerund(low[2])
        return Instruction(base, tuple(clause[3:]), negated=True) if base else None
    if low[1] in OBLIGATION or tuple(low[1:3]) in {("need", "to"), ("have", "to")}:
        at = 2 if low[1] in OBLIGATION else 3
        at += low[at : at + 1] == ["to"]
        return _read_verb(clause, low, at)
    if tuple(low[1:4]) in {("do", "not", "need"), ("do", "not", "have")} and low[4:5] == ["to"]:
        return _read_verb(clause, low, 5, negated=True)
    return None


_FRAMES: tuple[Callable[[Sequence[Word], Sequence[str]], Instruction | None], ...] = (
    _imperative,
    _request,
    _wish,
    _shared,
    _duty,
)


_WANTS = words("want need like prefer")
_AMOUNTS = words("more less fewer")
_GIVES = words("give show provide send write")
_CONTAIN_PHRASES = (
    ("need",),
    ("needs",),
    ("should", "have"),
    ("should", "contain"),
    ("could", "use"),
)
_ANSWER_NOUNS = words("answers replies responses explanations summaries")
_FORM_PREPOSITIONS = words("in as with without")
_SMALL_WORDS = words(
    "a bit lot little much and or your points full plain simple context depth no form"
)
_ANSWER_WORDS = (
    _AMOUNTS | _FORM_PREPOSITIONS | _SMALL_WORDS | COMPARATIVE | BEARINGS | OUTPUT | LANGUAGES
)
_CONTENT_NOUNS = words("example examples code number numbers word words list lists details context")
"""Requests for more of these are for one answer, unless they are about "your answers"."""
_KIND_NOUNS = STYLE_NOUNS | words("context depth")


def wanted_answers(clause: Sequence[Word]) -> list[Word]:
    """The rule in a wish for answers of some kind; empty if there is none."""
    low = [token.low for token in clause]
    if at := _after_answers(low):
        wanted, in_answers = clause[at:], [word("in"), *clause[1:2]]
    else:
        wanted, in_answers = clause[_after_lead(low) :], []
    wanted_low = [token.low for token in wanted]
    if len(wanted_low) == len(clause) or not _is_about_answers(wanted_low, bool(in_answers)):
        return []
    verb = "use" if wanted_low[0] in {"less", "fewer"} else "give"
    return [word(verb), *wanted, *in_answers]


def _after_lead(low: Sequence[str]) -> int:
    """Index of the first wanted word, after "I would like" or "give me"; 0 without such a lead."""
    if low[0] == "i":
        at = 2 if low[1:2] == ["would"] else 1
        return at + 1 if low[at : at + 1] and low[at] in _WANTS else 0
    if low[0] in _GIVES:
        return 1 + (low[1:2] == ["me"])
    return 0


def _after_answers(low: Sequence[str]) -> int:
    """Index of the first word after "your answers need"; 0 without such a lead."""
    if low[0] != "your" or low[1:2] == [] or low[1] not in _ANSWER_NOUNS:
        return 0
    return next(
        (
            2 + len(phrase)
            for phrase in _CONTAIN_PHRASES
            if tuple(low[2 : 2 + len(phrase)]) == phrase
        ),
        0,
    )


def _is_about_answers(wanted: Sequence[str], is_in_answers: bool) -> bool:
    """Whether a kind of answers is wanted, and nothing specific to the task."""
    if len(wanted) < 2 or not _ANSWER_WORDS.issuperset(wanted) or wanted[0] in _FORM_PREPOSITIONS:
        return False
    kinds = {word for index, word in enumerate(wanted) if index and word in _KIND_NOUNS}
    of_answers = is_in_answers or "your" in wanted or not _ANSWER_NOUNS.isdisjoint(wanted)
    if wanted[0] in _AMOUNTS:
        return bool(kinds) and (of_answers or bool(kinds - _CONTENT_NOUNS))
    return of_answers and (
        wanted[0] in COMPARATIVE | BEARINGS or not _FORM_PREPOSITIONS.isdisjoint(wanted)
    )
