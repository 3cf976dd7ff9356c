"""What a correction changed, by name: language, data format, tone, code style, form, length, words.

Only differences that would recur count: new content (other names, numbers, days) teaches nothing.
If a whole text was rewritten in another format or language, single words are not compared.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher

from sharpwave.behavior import code_style, data_formats, message_model
from sharpwave.behavior.feedback.classifier import bundled_speller
from sharpwave.behavior.intent import message_vector
from sharpwave.ports import Embedder
from sharpwave.reading.grammar.lexicon import DAYS, MONTHS

_WORD = re.compile(r"[^\W_]+(?:[_'.-][^\W_]+)*|[^\w\s]|\n|\t| {2,}")
_BULLET = re.compile(r"^\s*[-*•]\s", re.MULTILINE)
_NUMBERED = re.compile(r"^\s*\d+[.)]\s", re.MULTILINE)
_HEADING = re.compile(r"^#{1,6} ", re.MULTILINE)
_FENCE = re.compile(r"^```", re.MULTILINE)
_EMOJI = re.compile("[\U0001f300-\U0001faff\u2600-\u27bf]")
_SHORTER, _LONGER = 0.6, 1.7
"""Ratio of lengths below or above which the original was too long or too short."""
_FEW_WORDS = 12
"""Minimum words of the original for a comparison of lengths."""
_LONGEST_CHANGE = 3
"""Maximum words of a replacement that counts as a choice of words."""
_TONE_MOVE = 0.35
"""Minimum increase in the probability of a tone."""
_SMALL = frozenset(
    "a an the and or of to in is am are was were it this that i you he she we they".split()
)
_LANGUAGES = {
    "ar": "Arabic",
    "de": "German",
    "en": "English",
    "es": "Spanish",
    "fr": "French",
    "hi": "Hindi",
    "it": "Italian",
    "ja": "Japanese",
    "ko": "Korean",
    "nl": "Dutch",
    "pl": "Polish",
    "pt": "Portuguese",
    "ru": "Russian",
    "tr": "Turkish",
    "zh": "Chinese",
}
_AMERICAN = tuple(
    (re.compile(british), american)
    for british, american in (
        (r"(?<=[a-z]{2})our(?=s?$|ed$|ing$|ful|able|ite|hood|ly$|i)", "or"),
        (r"is(?=e[ds]?$|ing$|ation|er)", "iz"),
        (r"ys(?=e[ds]?$|ing$)", "yz"),
        (r"(?<=[bt])re(?=s?$)", "er"),
        (r"ogue(?=s?$)", "og"),
        (r"ence(?=s?$)", "ense"),
        (r"ll(?=ed$|ing$|er$|ers$|or$)", "l"),
        (r"amme(?=s?$)", "am"),
        (r"^grey", "gray"),
    )
)


@dataclass(frozen=True, slots=True)
class Difference:
    """One preference that a correction shows, and the rule it implies."""

    category: str
    key: str
    value: object
    rule: str


def differences(original: str, corrected: str, embedder: Embedder) -> list[Difference]:
    """The preferences that a correction shows; none if only the content changed."""
    if original.strip() == corrected.strip() or not corrected.strip():
        return []
    rewritten = [*_of_language(original, corrected), *_of_data(original, corrected)]
    if not rewritten:
        rewritten = [*_of_code(original, corrected), *_of_spelling(original, corrected)]
    named = rewritten or [*_of_form(original, corrected), *_of_tone(original, corrected, embedder)]
    if rewritten or any(difference.key in ("tone", *_LAYOUT) for difference in named):
        return named
    return [*named, *_of_words(original, corrected)]


# ---- rewritten as a whole


def _of_language(original: str, corrected: str) -> Iterator[Difference]:
    speller = bundled_speller()
    before, after = (speller.language(text) for text in (original, corrected))
    if before and after in _LANGUAGES and before != after and not _common(original, corrected):
        yield Difference("language", "language", after, f"Write in {_LANGUAGES[after]}")


def _common(original: str, corrected: str) -> bool:
    """Whether half of the words are the same: a text in two languages shares hardly any."""
    before, after = (set(re.findall(r"\w{3,}", text.casefold())) for text in (original, corrected))
    return 2 * len(before & after) >= min(len(before), len(after))


def _of_data(original: str, corrected: str) -> Iterator[Difference]:
    before, after = data_formats.data_format(original), data_formats.data_format(corrected)
    if after is None or before == after:
        return
    names = data_formats.NAMES
    rule = f"Use {names[after]}" + (f" instead of {names[before]}" if before else "")
    yield Difference("format", "data_format", after, rule)


def _of_code(original: str, corrected: str) -> Iterator[Difference]:
    for key, (wanted, unwanted) in _CODE_RULES.items():
        before, after = code_style.count(key, original), code_style.count(key, corrected)
        if before is None or after is None:
            continue
        if not before and after:
            yield Difference("code", key, True, wanted)
        elif before and not after:
            yield Difference("code", key, False, unwanted)
    naming = code_style.renamed(original, corrected)
    if naming:
        yield Difference("code", "naming", naming, f"Use {naming} for names in code")


_CODE_RULES = {
    "type_hints": ("Use type hints in code", "Do not use type hints in code"),
    "docstrings": ("Write docstrings in code", "Do not write docstrings in code"),
    "comments": ("Write comments in code", "Do not write comments in code"),
}


def _of_spelling(original: str, corrected: str) -> Iterator[Difference]:
    votes = {"american": 0, "british": 0}
    for old, new in _replaced(original.lower(), corrected.lower()):
        for first, second in zip(old, new, strict=False):
            if first != second and _american(first) == _american(second):
                votes["american" if second == _american(second) else "british"] += 1
    for name, spelled in (("american", "American"), ("british", "British")):
        if votes[name] and votes[name] == sum(votes.values()):
            yield Difference("language", "spelling", name, f"Use {spelled} spelling")


def _american(word: str) -> str:
    """A word in American spelling.

    >>> [_american(word) for word in ("colour", "theatre", "analysed", "travelled", "four")]
    ['color', 'theater', 'analyzed', 'traveled', 'four']
    """
    for british, american in _AMERICAN:
        word = british.sub(american, word)
    return word


# ---- form, tone, length


def _of_form(original: str, corrected: str) -> Iterator[Difference]:
    for name, (pattern, present, absent, min_count) in _FORMS.items():
        before, after = len(pattern.findall(original)), len(pattern.findall(corrected))
        if not before and after >= min_count:
            yield Difference("format", name, True, present)
        elif before >= min_count and not after:
            yield Difference("format", name, False, absent)
    if original.casefold() == corrected.casefold() and len(original.split()) > 1:
        case = next((name for name, holds in _CASES.items() if holds(corrected)), None)
        if case is not None:
            yield Difference("format", "case", case, f"Write in {case} case")
    before, after = len(original.split()), len(corrected.split())
    if before >= _FEW_WORDS and after < before * _SHORTER and _mostly_kept(original, corrected):
        yield Difference("style", "length", "short", "Be more concise")
    elif before >= _FEW_WORDS and after > before * _LONGER:
        yield Difference("style", "length", "long", "Give more detail")


_FORMS = {
    "bullets": (_BULLET, "Use bullet points", "Do not use bullet points", 2),
    "steps": (_NUMBERED, "Use numbered steps", "Do not use numbered steps", 2),
    "headings": (_HEADING, "Use headings", "Do not use headings", 2),
    "code_block": (_FENCE, "Put code in code blocks", "Do not use code blocks", 2),
    "emojis": (_EMOJI, "Use emojis", "Do not use emojis", 1),
}
_LAYOUT = ("bullets", "steps", "headings", "code_block")


_CASES = {"lower": str.islower, "upper": str.isupper, "title": str.istitle}


def _of_tone(original: str, corrected: str, embedder: Embedder) -> Iterator[Difference]:
    if code_style.is_code(original) or code_style.is_code(corrected):
        return
    before, after = _tone(original, embedder), _tone(corrected, embedder)
    tone = max(after, key=lambda name: after[name])
    if tone in ("formal", "casual") and after[tone] - before[tone] >= _TONE_MOVE:
        yield Difference("style", "tone", tone, f"Use a {tone} tone")


def _tone(text: str, embedder: Embedder) -> dict[str, float]:
    cut = message_model.ends(text)
    vector = message_vector(cut, embedder)
    return message_model.bundled().likely("tone", cut, vector, embedder.space)


def _mostly_kept(original: str, corrected: str) -> bool:
    """Whether most words of the shorter text were in the original: it was cut, not replaced."""
    before, after = (set(_WORD.findall(text.casefold())) for text in (original, corrected))
    return len(before & after) * 2 >= len(after)


# ---- words


def _replaced(original: str, corrected: str) -> Iterator[tuple[list[str], list[str]]]:
    """Words replaced by others in a text that is otherwise similar."""
    before, after = _WORD.findall(original), _WORD.findall(corrected)
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    if matcher.ratio() < 0.5 and len(before) > 2:
        return
    for kind, first, last, start, end in matcher.get_opcodes():
        if kind == "replace":
            yield before[first:last], after[start:end]


def _of_words(original: str, corrected: str) -> Iterator[Difference]:
    seen: set[tuple[str, str]] = set()
    for before, after in _replaced(original, corrected):
        old, new = _joined(before), _joined(after)
        is_short = max(len(before), len(after)) <= _LONGEST_CHANGE
        if not is_short or (old, new) in seen or not _is_choice(old, new):
            continue
        if _is_named(old, original) and _is_named(new, corrected):
            continue  # another name, place or day
        seen.add((old, new))
        yield Difference(
            "wording", old.casefold(), new, f"Use {_shown(new)} instead of {_shown(old)}"
        )


_INDENTS = {"\t": "tabs", " ": "spaces"}
_NAMED = {"tabs": "tabs", "spaces": "spaces", "'": "single quotes", '"': "double quotes"}


def _joined(words: list[str]) -> str:
    marks = [word for word in words if not word.isspace()]
    if not marks:
        return _INDENTS.get(words[0][0], "")
    return marks[0] if all(mark in _NAMED for mark in marks) else " ".join(words).strip()


def _shown(words: str) -> str:
    return _NAMED.get(words, f'"{words}"')


def _is_choice(old: str, new: str) -> bool:
    """Whether two wordings mean the same; changed numbers or small words are other content."""
    if old == new or not old or not new:
        return False
    if any(words.replace(".", "").isdigit() for words in (old, new)):
        return False
    return not any(set(words.casefold().split()) <= _SMALL for words in (old, new))


def _is_named(words: str, text: str) -> bool:
    """Whether a wording is a name or a day: every word begins with a capital, in a sentence."""
    if words.casefold() in DAYS | MONTHS:
        return True
    sentence = len(text.split()) > 2 and text.rstrip().endswith((".", "!", "?"))
    return sentence and all(word[:1].isupper() and word[1:].islower() for word in words.split())
