"""How two rules relate: the same, opposed, or unrelated.

An embedder alone cannot tell "tabs instead of spaces" from "spaces instead of tabs", so rules are
compared by what they choose, what they reject, and their side of an axis (short or long, formal or
casual). Vectors only help with synonyms.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from sharpwave.formulas.text import likeness, stem
from sharpwave.reading.grammar.lexicon import DAYS, MONTHS, word_list
from sharpwave.reading.steering.vocabulary import LANGUAGES, OUTPUT, words

_WORD = re.compile(r"[^\W_]+(?:[_./+#-][^\W_]+)*[+#]*")
_EMPTY = word_list("empty_in_rules")
_NEGATIVE = re.compile(
    r"^(?:(?=[^.!?\u2026]*\b(?:i|my|me|we|our|us)\b).*?[.!?\u2026] )?"
    r"(?:(?:please|pls|and|but|so) )?"
    r"(?P<no>do not|don't|never|avoid|skip|omit|leave out|stop|no)\b"
)
"""Also matches after a leading sentence about the user's situation."""
_ASIDE = re.compile(r"^\w+, (?=no |do not |don't )| (?:again|any ?more|any longer|now)\b")
_REASON = re.compile(r"(?:, (?:i|it|my|she|he|that|the|they|this|we)\b|,? because\b).*")
_CONTRAST = re.compile(r"\b(?:instead of|rather than|over|,? never|,? not|,? without)\b")
_TAIL = re.compile(r"\b(?:for|in|as|when|before|after|with)\b")
_AXES: Mapping[str, tuple[frozenset[str], frozenset[str]]] = {
    "length": (word_list("short"), word_list("long")),
    "formality": (word_list("casual"), word_list("formal")),
    "difficulty": (word_list("simple"), word_list("technical")),
    "firmness": (word_list("direct"), word_list("gentle")),
}
_SINGLE = [
    frozenset(map(stem, values))
    for values in (
        LANGUAGES,
        words("tabs spaces tab space"),
        words("single double"),
        word_list("units_of_measure"),
        words("camelcase snake_case kebab-case pascalcase"),
        MONTHS | DAYS,
        words("strict lenient"),
    )
]
"""Stems of groups of values that exclude each other."""


@dataclass(frozen=True, slots=True)
class Stance:
    """What a rule chooses and rejects, and where it applies, as stems."""

    verb: str
    chosen: frozenset[str]
    rejected: frozenset[str]
    tail: frozenset[str]
    """Where or when it applies: "for tests"."""
    sides: Mapping[str, int]
    """-1 or 1 for each axis that it is about."""
    negative: bool

    @property
    def words(self) -> frozenset[str]:
        """All its content words."""
        return self.chosen | self.rejected | self.tail


@lru_cache(maxsize=4096)
def stance(rule: str) -> Stance:
    """The stance of a rule in normal form."""
    low = rule.lower()
    if not low.startswith(("when", "if ")):
        low = _REASON.sub("", low)
    low = _ASIDE.sub("", low)
    negative = _NEGATIVE.match(low)
    verb = next((word for word in _WORD.findall(low) if word not in _LEADS), "")
    if negative and negative["no"] in _SHUNNING:
        verb = ""
    chosen_text, rejected_text = low, ""
    if not negative and (contrast := _CONTRAST.search(low)):
        chosen_text, rejected_text = low[: contrast.start()], low[contrast.end() :]
    elif negative:
        chosen_text, rejected_text = "", low[negative.end() :]
    sides = _sides(chosen_text, rejected_text)
    tail = ""
    if cut := _TAIL.search(chosen_text or rejected_text):
        tail = cut.string[cut.start() :]
        if chosen_text:
            chosen_text = chosen_text[: cut.start()]
        else:
            rejected_text = rejected_text[: cut.start()]
    chosen, rejected = (content(text) - {stem(verb)} for text in (chosen_text, rejected_text))
    return Stance(verb, chosen, rejected, content(tail), sides, negative is not None)


_SHUNNING = frozenset({"avoid", "skip", "omit", "leave out", "no"})
_LEADS = words("do not don never always only avoid skip omit stop leave out no")


def is_of_answers(stance: Stance) -> bool:
    """Whether a rule is about answers as a whole: "keep it short", not "use short names"."""
    return stance.words <= _STEMS_OF_AXES | _STEMS_OF_ANSWERS


def opposed(rule: str, other_rule: str) -> bool:
    """Whether two rules cannot both be followed."""
    first, second = stance(rule), stance(other_rule)
    if any(second.sides.get(axis) == -side for axis, side in first.sides.items()):
        return True
    if _differ_in_value(first, second) or _rules_out(first, second) or _rules_out(second, first):
        return True
    if first.tail and second.tail and not first.tail & second.tail:
        return False  # about other things or occasions
    for chosen, rejected in ((first.chosen, second.rejected), (second.chosen, first.rejected)):
        if rejected and len(chosen & rejected) * 2 > len(rejected):
            return True
    if first.negative != second.negative:
        contents = [
            rule_stance.words | content(rule_stance.verb) for rule_stance in (first, second)
        ]
        return bool(contents[0]) and contents[0] == contents[1]
    return _different_tools(first, second)


def _rules_out(first: Stance, second: Stance) -> bool:
    """Whether the first rejects all that the second asks for: "in French, not in English"."""
    only_where = bool(second.tail) and not second.chosen and not second.rejected
    return only_where and first.verb == second.verb and first.rejected == second.tail


def _differ_in_value(first: Stance, second: Stance) -> bool:
    """Whether they differ only in exclusive values: German and English, 100 and 200."""
    here, there = first.words - second.words, second.words - first.words
    if not here or not there or len(here) > 2 or len(there) > 2:
        return False
    if bool(first.rejected) != bool(second.rejected):
        return False
    if first.verb == second.verb and first.verb in {"call", "address"}:
        return True
    if any(here <= values and there <= values for values in _SINGLE):
        return True
    return all(value.isdigit() for value in here | there)


def has_another_value(text: str, rule: str) -> bool:
    """Whether a text and a rule name different values of an exclusive group, such as languages."""
    here, there = content(text), content(rule)
    return any(here & group and there & group and not here & there & group for group in _SINGLE)


def _different_tools(first: Stance, second: Stance) -> bool:
    """Whether they name different tools for one purpose: "use pytest for tests", unittest."""
    if first.verb != second.verb or not first.tail or first.tail != second.tail:
        return False
    if len(first.chosen) != 1 or len(second.chosen) != 1 or first.chosen == second.chosen:
        return False
    return not (first.chosen | second.chosen) & _STEMS_OF_OUTPUT


def same(rule: str, other_rule: str, cosine: float, same_cosine: float, same_words: float) -> bool:
    """Whether two rules say the same, possibly in other words."""
    if rule.casefold() == other_rule.casefold():
        return True
    if opposed(rule, other_rule):
        return False
    first, second = stance(rule), stance(other_rule)
    if bool(first.chosen) != bool(second.chosen) and first.words and second.words:
        return False  # one demands something, the other only rules something out
    specific = [
        rule_stance.words - _STEMS_OF_AXES - _STEMS_OF_OUTPUT for rule_stance in (first, second)
    ]
    if first.sides and first.sides == second.sides and not any(specific):
        return True
    if first.negative != second.negative:
        return False
    alike = likeness(first.words, second.words)
    fewest = min(len(first.words), len(second.words))
    covered = len(first.words & second.words) / fewest if fewest else 0.0
    if not covered or (first.tail and second.tail and not first.tail & second.tail):
        return False
    if first.chosen and second.chosen and not first.chosen & second.chosen:
        return False
    return alike >= same_words or (cosine >= same_cosine and covered >= same_words)


def _sides(chosen: str, rejected: str) -> dict[str, int]:
    """The side on each axis; "less formal" and "not formal" are on the other side than "formal".

    An axis with both sides is left out: "short but detailed".
    """
    by_axis: dict[str, set[int]] = {}
    for text, sign in ((chosen, 1), (rejected, -1)):
        tokens = _WORD.findall(text)
        for at, token in enumerate(tokens):
            for axis, (left, right) in _AXES.items():
                if token in left or token in right:
                    side = -sign if token in left else sign
                    is_reversed = at > 0 and tokens[at - 1] in {"less", "fewer", "without", "no"}
                    by_axis.setdefault(axis, set()).add(-side if is_reversed else side)
    return {axis: sides.pop() for axis, sides in by_axis.items() if len(sides) == 1}


def content(text: str) -> frozenset[str]:
    """The stems of the content words."""
    return frozenset(stem(word) for word in _WORD.findall(text.lower()) if word not in _EMPTY)


_STEMS_OF_OUTPUT = frozenset(map(stem, OUTPUT))
_STEMS_OF_AXES = frozenset(
    stem(word) for sides in _AXES.values() for side in sides for word in side
)
_STEMS_OF_ANSWERS = frozenset(map(stem, word_list("answers")))
