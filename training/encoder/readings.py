"""What the reader learns from the corpus: what each sentence of a turn says that is worth keeping.

Labels stand on turns; each is given to the sentence that says it: the one that meets most groups
of its `need`, then the one that shares most words with its `say`. Sentences that hold a part of a
label but are not the ones that say it best are left out of the loss: whether they are kept matters
to nobody.
"""

import json
import random
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from sharpwave.reading.segments import own_words
from sharpwave.reading.sentences import sentences
from sharpwave.types.statements import Span
from training.corpus import MOMENTS, is_validation

KINDS = ("fact", "task", "rule")
MODES = ("holds", "ended", "planned", "negated", "event", "unreal", "quoted")
DONE = ("done", "dropped")
"""What ends a task; whether it is read as one matters to nobody."""
_UNREAL = re.compile(r"hypothe|fiction|jok|iron|sarcas|wish|figur|exagger|dream|idiom|imagin", re.I)
_QUOTED = re.compile(r"quot|past|forward|draft|someone else's|transcript|lyric|email", re.I)


@dataclass(slots=True)
class Label:
    """What one sentence says; None where nobody can tell."""

    span: Span
    kinds: list[float | None] = field(default_factory=lambda: [0.0, 0.0, 0.0])
    mode: int | None = None
    weight: float = 1.0


@dataclass(slots=True)
class Reading:
    """One turn and its sentences."""

    text: str
    labels: list[Label]
    of: str = ""
    """Whose turn, or which line of the moments; nobody's if it is made."""


def of_person(raw: dict[str, Any]) -> list[Reading]:
    """Every turn of a person, in order."""
    return [
        _reading(turn, raw["id"])
        for session in raw["sessions"]
        for turn in session["turns"]
        if turn["role"] == "user"
    ]


def of_moments(validation: bool) -> list[Reading]:
    """The exchanges of the corpus that have labels; one in four is for validation."""
    return [
        _reading({**line["turns"][-1], **line["labels"]}, line["id"])
        for line in _lines()
        if "turns" in line and is_validation(line["id"]) == validation
    ]


def plain(raw: dict[str, Any], draw: random.Random) -> list[Reading]:
    """Sentences as textbooks have them, which people of the corpus hardly write.

    What labels say, in the first person; and the questions and requests, which carry nothing; each
    alone, and some with one or two others in one turn.
    """
    made = [_nothing(each["text"]) for each in (*raw["questions"], *raw["helps"])]
    if raw.get("language", "en") != "en":
        return made
    turns = [turn for session in raw["sessions"] for turn in session["turns"]]
    for fact in draw.sample(
        facts := [f for t in turns for f in t.get("facts", ())], min(16, len(facts))
    ):
        made.append(_alone(first_person(fact["say"]), 0, MODES.index(fact["mode"])))
    for task in (task for turn in turns for task in turn.get("tasks", ())):
        say = task["say"][:1].lower() + task["say"][1:]
        made.append(_alone(draw.choice(_TASK_FORMS).format(say), 1, None))
    made += [_alone(rule["say"], 2, None) for turn in turns for rule in turn.get("rules", ())]
    return made + [_together(draw.sample(made, draw.choice((2, 2, 3)))) for _ in range(TOGETHER)]


TOGETHER = 24
"""Turns of several plain sentences that are made of each person."""
_TASK_FORMS = (
    "I need to {}.",
    "I have to {}.",
    "Remind me to {}.",
    "I must {}",
    "don't let me forget to {}",
)
_THIRD = re.compile(
    r"^I (?:(now|also|still|no longer|never|only) )?(\w+?)(ies|sses|shes|ches|oes|xes|s)\b"
)
_IRREGULAR = {"is": "am", "has": "have", "does": "do", "was": "was", "goes": "go"}
_ENDINGS = {"ies": "y", "sses": "ss", "shes": "sh", "ches": "ch", "oes": "o", "xes": "x", "s": ""}


def first_person(say: str) -> str:
    """What a label says, as the person would say it in a whole sentence.

    >>> first_person("The user's mother lives in Leeds"), first_person("The user works at Acme")
    ('My mother lives in Leeds', 'I work at Acme')
    """
    said = re.sub(r"\b[Tt]he user's\b", "my", say)
    said = re.sub(r"^[Tt]he user\b", "I", said)
    said = re.sub(r"\bthe user\b", "me", said)
    words = said.split(" ")
    for place in (1, 2):
        if words[0] == "I" and len(words) > place and words[place] in _IRREGULAR:
            words[place] = _IRREGULAR[words[place]]
            break
    else:
        said = " ".join(words)
        found = _THIRD.match(said)
        if found and found[2] + found[3] not in {"was", "this"}:
            verb = found[2] + _ENDINGS[found[3]]
            words = f"I {found[1] + ' ' if found[1] else ''}{verb}{said[found.end() :]}".split(" ")
    said = " ".join(words)
    return said[:1].upper() + said[1:] + "."


def _together(some: Sequence[Reading]) -> Reading:
    text, labels = "", []
    for one in some:
        at = len(text) + bool(text)
        ended = one.text if one.text[-1:] in ".!?" else f"{one.text}."
        text = f"{text} {ended}" if text else ended
        for label in one.labels:
            span = Span(label.span.start + at, label.span.end + at)
            labels.append(replace(label, span=span))
    return Reading(text, labels)


def _nothing(text: str) -> Reading:
    return Reading(text, [Label(span) for span in sentences(own_words(text))])


def _alone(text: str, kind: int, mode: int | None) -> Reading:
    spans = sentences(text)
    labels = [Label(span, mode=mode) for span in spans]
    for label in labels:
        label.kinds[kind] = 1.0
        for other in {0, 1, 2} - {kind}:
            label.kinds[other] = None if len(spans) > 1 else 0.0
    return Reading(text, labels)


def _lines() -> list[dict[str, Any]]:
    return [
        json.loads(line)
        for file in sorted(MOMENTS.glob("*.jsonl"))
        for line in file.read_text("utf-8").splitlines()
    ]


def _reading(turn: dict[str, Any], of: str) -> Reading:
    text = turn["text"]
    labels = [Label(span) for span in sentences(own_words(text))]
    if not labels:
        return Reading(text, [], of)
    for wrong in turn.get("wrong", ()):
        label = labels[said_in(wrong, text, labels)[0]]
        label.weight = 2.0
        if _UNREAL.search(wrong["why"]):
            label.mode = MODES.index("unreal")
        elif _QUOTED.search(wrong["why"]):
            label.mode = MODES.index("quoted")
    for number, kind in enumerate(("facts", "tasks", "rules")):
        found = [(each, *said_in(each, text, labels)) for each in turn.get(kind, ())]
        for _, _, some in found:
            for place in some:
                labels[place].kinds[number] = None
        for each, place, _ in found:
            labels[place].kinds[number] = None if each.get("op") in DONE else 1.0
            if kind == "facts":
                labels[place].mode = MODES.index(each["mode"])
    return Reading(text, labels, of)


def said_in(each: dict[str, Any], text: str, labels: Sequence[Label]) -> tuple[int, set[int]]:
    """The place of the sentence that says it, and of those that hold a part of it."""
    say = _stems(each.get("say", ""))
    need = each.get("need", ())
    scores = []
    for label in labels:
        sentence = text[label.span.start : label.span.end].lower()
        met = sum(any(stem.lower() in sentence for stem in group) for group in need)
        shared = len(say & _stems(sentence)) / max(1, len(say))
        scores.append(met / max(1, len(need)) * 2 + shared if need else shared)
    best = max(range(len(scores)), key=lambda place: (scores[place], place))
    some = {place for place, score in enumerate(scores) if score > 0.34 or score == scores[best]}
    return best, some


def _stems(text: str) -> set[str]:
    words = re.findall(r"\w+", text.lower())
    return {word[:5] for word in words if word not in _COMMON and (len(word) > 2 or word.isdigit())}


_COMMON = frozenset(
    """the user users their they has have had with for and that this from about are was were his
    her""".split()
)
