"""Learn from a correction: store it, and turn what it shows into preferences and rules [UPR-04].

Only differences that would be the same next time count: a word for another, how words are written,
how long and in which form the text is. New content teaches nothing.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from sharpwave import checks
from sharpwave.behavior import preferences, rules, user_records
from sharpwave.privacy.redaction import redact
from sharpwave.types.steering import (
    CorrectionLearned,
    Preference,
    PreferenceSource,
    Signal,
    SteeringType,
)
from sharpwave.workspace import Workspace

INFERRED_CONFIDENCE = 0.7
"""Confidence of a preference that a correction shows [UPR-04]."""
_TOOL_STEP = 0.2
"""How far a correction moves a tool's score to 1 or 0."""
_MAX_DIFFERENCES = 5
"""More differences are a rewrite; only the first count."""
_MAX_KEY_CHARS = 200
_WORD = re.compile(r"[^\W_]+(?:[_'.-][^\W_]+)*|[^\w\s]|\n|\t| {2,}")
_BULLET = re.compile(r"^\s*(?:[-*•]|\d+[.)])\s", re.MULTILINE)
_HEADING = re.compile(r"^#{1,6} ", re.MULTILINE)
_EMOJI = re.compile("[\U0001f300-\U0001faff\u2600-\u27bf]")
_SHORTER, _LONGER = 0.6, 1.7
"""Ratio of lengths from which the original was too long or too short."""
_FEW_WORDS = 12
"""In shorter texts the length is not compared."""
_LONGEST_CHANGE = 3
"""Most words of a replacement that counts as a choice of words."""
_SMALL = frozenset(
    "a an the and or of to in is am are was were it this that i you he she we they".split()
)


@dataclass(frozen=True, slots=True)
class Difference:
    """One preference that a correction shows, and the rule it implies."""

    category: str
    key: str
    value: object
    rule: str


def learn(
    workspace: Workspace,
    original: str,
    corrected: str,
    context: str,
    scope: str,
    tools: Sequence[str] = (),
) -> CorrectionLearned:
    """Store a correction and learn what it shows [UPR-02, UPR-04].

    `tools` are the names of the caller's tools: if one replaces another, their scores move apart.
    """
    if not workspace.consents.may_learn:
        return CorrectionLearned(None, note=rules.NO_CONSENT)
    policy = workspace.settings.privacy.stored
    texts = {
        name: redact(checks.text(text, name), policy).text
        for name, text in {"original": original, "corrected": corrected}.items()
    }
    texts["context"] = redact(context, policy).text
    slot = f"{preferences.CORRECTIONS}{scope}"
    text = f"{texts['original']} → {texts['corrected']}"
    record = preferences.new_record(workspace, text, slot, {**texts})
    workspace.retried(lambda fresh: user_records.commit(fresh, record.recorded_at, {}, [record]))
    shown = differences(texts["original"], texts["corrected"])[:_MAX_DIFFERENCES]
    stored = [
        preferences.put(workspace, preference, [record.id])
        for preference in _preferences(workspace, shown, tools, scope)
    ]
    signals = [Signal(SteeringType.CORRECTION, one.rule, INFERRED_CONFIDENCE) for one in shown]
    learned = rules.learn(workspace, signals, record.id, scope) if signals else ()
    return CorrectionLearned(record.id, tuple(stored), learned)


def _preferences(
    workspace: Workspace, shown: Sequence[Difference], tools: Sequence[str], scope: str
) -> list[Preference]:
    def inferred(category: str, key: str, value: object) -> Preference:
        source = PreferenceSource.INFERRED.value
        return preferences.validated(
            workspace, category, key, value, source, INFERRED_CONFIDENCE, scope
        )

    result = [inferred(one.category, one.key[:_MAX_KEY_CHARS], one.value) for one in shown]
    known = preferences.current(workspace, preferences.TOOL, scope)
    scores = {preference.key: float(str(preference.value)) for preference in known}
    for one in shown:
        if one.category == "wording" and {one.key, str(one.value)} <= set(tools):
            for tool, aim in ((str(one.value), 1.0), (one.key, 0.0)):
                score = scores.get(tool, 0.5)
                moved = round(score + _TOOL_STEP * (aim - score), 6)
                result.append(inferred(preferences.TOOL, tool, moved))
    return result


def differences(original: str, corrected: str) -> list[Difference]:
    """The preferences that a correction shows; none if the text was replaced by another."""
    if original.strip() == corrected.strip() or not corrected.strip():
        return []
    return [*_of_form(original, corrected), *_of_words(original, corrected)]


def _of_form(original: str, corrected: str) -> Iterator[Difference]:
    for name, pattern, there, gone in _FORMS:
        before, after = len(pattern.findall(original)), len(pattern.findall(corrected))
        if not before and after > 1:
            yield Difference("format", name, True, there)
        elif before > 1 and not after:
            yield Difference("format", name, False, gone)
    if _EMOJI.search(original) and not _EMOJI.search(corrected):
        yield Difference("format", "emojis", False, "Do not use emojis")
    if original.casefold() == corrected.casefold() and len(original.split()) > 1:
        yield from _of_case(corrected)
    before, after = len(original.split()), len(corrected.split())
    if before >= _FEW_WORDS and after < before * _SHORTER and _mostly_kept(original, corrected):
        yield Difference("style", "length", "short", "Be more concise")
    elif before >= _FEW_WORDS and after > before * _LONGER:
        yield Difference("style", "length", "long", "Give more detail")


_FORMS = (
    ("bullets", _BULLET, "Use bullet points", "Do not use bullet points"),
    ("headings", _HEADING, "Use headings", "Do not use headings"),
)


def _of_case(corrected: str) -> Iterator[Difference]:
    if corrected.islower():
        yield Difference("format", "case", "lower", "Write in lower case")
    elif corrected.isupper():
        yield Difference("format", "case", "upper", "Write in upper case")
    elif corrected.istitle():
        yield Difference("format", "case", "title", "Write in title case")


def _mostly_kept(original: str, corrected: str) -> bool:
    """Whether most words of the shorter text were in the original: it was cut, not replaced."""
    before, after = (set(_WORD.findall(text.casefold())) for text in (original, corrected))
    return len(before & after) * 2 >= len(after)


def _of_words(original: str, corrected: str) -> Iterator[Difference]:
    """Words replaced by others in a text that is otherwise similar."""
    before, after = _WORD.findall(original), _WORD.findall(corrected)
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    if matcher.ratio() < 0.5 and len(before) > 2:
        return
    seen: set[tuple[str, str]] = set()
    for kind, first, last, start, end in matcher.get_opcodes():
        if kind != "replace":
            continue
        old, new = _joined(before[first:last]), _joined(after[start:end])
        few = max(last - first, end - start) <= _LONGEST_CHANGE
        if not few or (old, new) in seen or not _is_choice(old, new):
            continue
        seen.add((old, new))
        yield Difference(
            "wording", old.casefold(), new, f"Use {_shown(new)} instead of {_shown(old)}"
        )


_NAMED = {"\t": "tabs", "  ": "spaces", "'": "single quotes", '"': "double quotes"}


def _joined(words: list[str]) -> str:
    if all(word in _NAMED or word.isspace() for word in words):
        return words[0][:2]
    return " ".join(words).strip()


def _shown(words: str) -> str:
    if words.isspace():
        return "tabs" if "\t" in words else "spaces"
    return _NAMED.get(words, f'"{words}"')


def _is_choice(old: str, new: str) -> bool:
    """Whether two wordings mean the same; changed numbers or small words are other content."""
    if not old or not new or old.strip("\n") == "" or new.strip("\n") == "":
        return False
    if any(words.replace(".", "").isdigit() for words in (old, new)):
        return False
    return not any(set(words.casefold().split()) <= _SMALL for words in (old, new))
